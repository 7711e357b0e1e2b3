/* SPDX-License-Identifier: MIT */
/* Functions that JavaScript calls. Numbers of more than 32 bits are passed as doubles, which hold integers up to 2^53.
 * Texts are UTF-8 with a terminating NUL. An int result is an enum perfdata_status.
 *
 * | function          | what it does                                                                                |
 * | ----------------- | ------------------------------------------------------------------------------------------- |
 * | web_version       | the library's version                                                                       |
 * | web_schema        | JSON Schema of the lines of ndjson                                                          |
 * | web_formats       | the formats that a recording can be converted to, as a JSON array                           |
 * | web_findings      | all codes of findings, as a JSON array: code, name, meaning, advice                         |
 * | web_convert       | converts a recording that JavaScript reads by offset; output goes to JavaScript             |
 * | web_message       | why the last call failed                                                                    |
 * | web_complete      | whether the last conversion read the whole recording                                        |
 * | web_written       | number of records, or rows, that the last conversion wrote                                  |
 * | web_feed_new      | begins to read records from bytes that are pushed or read by offset                         |
 * | web_feed_bytes    | pushes bytes                                                                                |
 * | web_feed_end      | ends the pushed bytes                                                                       |
 * | web_feed_next     | the next records as lines of ndjson; PERFDATA_AGAIN: push more; PERFDATA_END                |
 * | web_feed_text     | the lines of the last web_feed_next                                                         |
 * | web_feed_size     | size of these lines in bytes                                                                |
 * | web_feed_table    | reads rows of a table instead of records; the bundle names frames                           |
 * | web_feed_rows     | the next rows, as an Arrow array; PERFDATA_AGAIN: push more; PERFDATA_END                   |
 * | web_feed_schema   | struct ArrowSchema of the rows, after the first rows or the end                             |
 * | web_feed_array    | struct ArrowArray of the last rows, valid until the next rows are read                      |
 * | web_feed_free     | ends the reading                                                                            |
 *
 * calls.js has the functions of JavaScript that C calls. */
#ifndef WEB_EXPORTS_H
#define WEB_EXPORTS_H

struct web_feed;

const char *web_version(void);
const char *web_schema(void);
const char *web_formats(void);
const char *web_findings(void);

/* settings: `count` pairs of texts, name and value, one after the other; a flag has an empty value. name, length: of
 * the recording; length -1: its bytes are read in order, without offsets. bundle: path in the module's file system, or
 * NULL. names: enum perfdata_tristate. order: enum perfdata_order_wish. limit: 0 means none. */
int web_convert(const char *format, const char *settings, int count, const char *name, double length,
		const char *bundle, int names, int order, double limit);
const char *web_message(void);
int web_complete(void);
double web_written(void);

/* length: as for web_convert; -1: bytes are pushed. NULL: see web_message */
struct web_feed *web_feed_new(const char *settings, int count, int order, const char *name, double length);
int web_feed_bytes(struct web_feed *feed, const void *bytes, int size);
int web_feed_end(struct web_feed *feed);
int web_feed_next(struct web_feed *feed);
const char *web_feed_text(const struct web_feed *feed);
int web_feed_size(const struct web_feed *feed);
/* columns: as in perfdata_table_options, or NULL; lines: add source lines to frames; bundle: as for web_convert */
int web_feed_table(struct web_feed *feed, const char *table, const char *columns, int lines, const char *bundle);
int web_feed_rows(struct web_feed *feed);
const void *web_feed_schema(const struct web_feed *feed);
const void *web_feed_array(const struct web_feed *feed);
void web_feed_free(struct web_feed *feed);

#endif
