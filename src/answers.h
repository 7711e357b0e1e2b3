/* SPDX-License-Identifier: MIT */
/* Functions shared by `info`, `events`, `buildids`, …: JSON documents and texts. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "json_build.h"
#include "inputs.h"

/* Returns the meta and summary objects that ndjson writes of the recording: {"meta":{…},"summary":{…}}. Call it after
 * input_walk. NULL after a failure, which is already reported. */
json_object *answer_document(struct input *input, struct perfdata_session *session);
/* Returns a text from the recording as a JSON string in valid UTF-8; NULL after a failure, already reported. */
json_object *answer_json_text(struct input *input, const char *text);
/* Returns a finding as a JSON object (perfdata_text_finding); NULL after a failure, already reported. */
json_object *answer_json_finding(struct input *input, const struct perfdata_finding *finding);
/* Prints the document on stdout and frees it. Prints nothing if memory ran out while the document was made, which is
 * already reported. several: prints a single line, since further documents follow. */
void answer_print(struct input *input, json_object *document, bool several);

/* Prints the input's name as a headline, if the answer is text and there are several inputs. */
void answer_headline(struct input *input, const struct options *options);
/* Opens each input, calls `answer` for the input and closes it. Returns the joined exit codes. Prints a headline before
 * each of several inputs, except with --json and --tsv. */
enum exit_code answer_each(struct options *options, enum perfdata_record_order order,
			   void (*answer)(const struct options *options, struct input *input));

/* Returns the number of values of counters that `perf stat record` read. */
uint64_t answer_readings(const struct perfdata_summary *summary);
/* Appends the content of a feature section as indented lines. all: does not shorten long lists. */
void answer_feature(struct perfdata_text *out, const struct perfdata_feature_section *section, bool all);
/* Appends a time in nanoseconds as "12.000345678 s". */
void answer_seconds(struct perfdata_text *out, uint64_t ns);
/* Appends a text from the recording, with control characters and invalid UTF-8 made printable. */
void answer_text(struct perfdata_text *out, const char *text);
/* Prints the text on stdout and releases it. If memory ran out while the text was made, reports that and prints
 * nothing. */
void answer_flush(struct input *input, struct perfdata_text *out);

#endif
