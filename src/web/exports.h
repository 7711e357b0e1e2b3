/* SPDX-License-Identifier: MIT */
/* What JavaScript calls. Numbers that need more than 32 bits cross as doubles, which hold integers up to
 * 2^53. Texts are UTF-8 with a NUL at their end. A function that returns an int returns an enum perfdata_status.
 *
 * | function          | what it does                                                                                |
 * | ----------------- | ------------------------------------------------------------------------------------------- |
 * | web_version       | the library's version                                                                       |
 * | web_schema        | JSON Schema of the lines of ndjson                                                          |
 * | web_formats       | the formats that a recording can be converted to, as a JSON array                           |
 * | web_findings      | all codes of findings, as a JSON array: code, name, meaning, advice                         |
 * | web_convert       | converts a recording that JavaScript reads by offsets; output goes to JavaScript             |
 * | web_message       | why the last call failed                                                                    |
 * | web_complete      | whether the last conversion saw the whole recording                                         |
 * | web_written       | how many records, or rows, the last conversion wrote                                        |
 * | web_feed_new      | begins reading records, of bytes that are pushed or read by offsets                         |
 * | web_feed_bytes    | pushes bytes                                                                                |
 * | web_feed_end      | says that no more bytes come                                                                |
 * | web_feed_next     | the next records as lines of ndjson; PERFDATA_AGAIN: push more; PERFDATA_END                |
 * | web_feed_text     | these lines                                                                                 |
 * | web_feed_size     | their size in bytes                                                                         |
 * | web_feed_table    | says that rows of a table are read instead of records, and from which bundle frames get names |
 * | web_feed_rows     | the next rows, as an Arrow array; PERFDATA_AGAIN: push more; PERFDATA_END                   |
 * | web_feed_schema   | the struct ArrowSchema of the rows, once there were some, or the end                        |
 * | web_feed_array    | their struct ArrowArray, valid until the next rows are read                                 |
 * | web_feed_free     | ends it                                                                                     |
 *
 * calls.js has what these functions call in turn. */
#ifndef WEB_EXPORTS_H
#define WEB_EXPORTS_H

struct web_feed;

const char *web_version(void);
const char *web_schema(void);
const char *web_formats(void);
const char *web_findings(void);

/* settings: count pairs of texts, name and value, one after the other; an empty value is that of a flag. name, length:
 * of the recording; a length of -1: its bytes come one after the other, offsets are not asked for. bundle: the path of
 * a bundle in the module's own file system, or NULL. names, order: enum perfdata_tristate and perfdata_order_wish.
 * limit: 0: none. */
int web_convert(const char *format, const char *settings, int count, const char *name, double length,
		const char *bundle, int names, int order, double limit);
const char *web_message(void);
int web_complete(void);
double web_written(void);

/* length: as of web_convert, or -1: the bytes are pushed. NULL: see web_message */
struct web_feed *web_feed_new(const char *settings, int count, int order, const char *name, double length);
int web_feed_bytes(struct web_feed *feed, const void *bytes, int size);
int web_feed_end(struct web_feed *feed);
int web_feed_next(struct web_feed *feed);
const char *web_feed_text(const struct web_feed *feed);
int web_feed_size(const struct web_feed *feed);
/* columns: as of perfdata_table_options, or NULL; lines: whether frames have lines; bundle: as of web_convert */
int web_feed_table(struct web_feed *feed, const char *table, const char *columns, int lines, const char *bundle);
int web_feed_rows(struct web_feed *feed);
const void *web_feed_schema(const struct web_feed *feed);
const void *web_feed_array(const struct web_feed *feed);
void web_feed_free(struct web_feed *feed);

#endif
