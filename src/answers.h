/* SPDX-License-Identifier: MIT */
/* What the commands that answer questions about a recording share: JSON documents, and texts for people. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include <json-c/json.h>
#include "inputs.h"

/* The meta and summary objects of the recording as ndjson has them, after a walk: {"meta":{…},"summary":{…}}. NULL
 * after a failure (said already). */
json_object *answer_document(struct input *input, struct perfdata_session *session);
/* A JSON string of a text from the recording, always valid UTF-8; NULL after a failure (said already). */
json_object *answer_json_text(struct input *input, const char *text);
/* A finding as everything shows it: perfdata_text_finding. */
json_object *answer_json_finding(struct input *input, const struct perfdata_finding *finding);
/* Prints the document on stdout, unless memory ran out while it was made (said already), and frees it. several: in one
 * line, since more documents follow. */
void answer_print(const struct input *input, json_object *document, bool several);

/* Where a text answers for several inputs: prints which input follows. */
void answer_headline(struct input *input, const struct options *options);
/* Calls answer for each input, and joins the exit codes. Several inputs get a headline each unless they answer in
 * JSON. */
enum exit_code answer_each(struct options *options, enum perfdata_record_order order,
			   void (*answer)(const struct options *options, struct input *input));

/* The content of a feature section as lines for people, indented. all: long lists whole. */
void answer_feature(struct perfdata_text *out, const struct perfdata_feature_section *section, bool all);
/* "12.000345678 s" */
void answer_seconds(struct perfdata_text *out, uint64_t ns);
/* A text from the recording. */
void answer_text(struct perfdata_text *out, const char *text);
/* Prints the text on stdout and releases it; where memory ran out while it was made, notes that and prints nothing. */
void answer_flush(struct input *input, struct perfdata_text *out);

#endif
