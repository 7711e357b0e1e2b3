/* SPDX-License-Identifier: MIT */
/* Stacks that end too early, as `info` and `match` print them; the library counts them as for `report`. */
#ifndef BROKEN_ROWS_H
#define BROKEN_ROWS_H

#include "answers.h"
#include "perfdata/top.h"

/* Appends a line for each row: prefix, the event's name if there are several events, the sentence. */
void broken_rows_text(struct perfdata_text *out, struct perfdata_broken_stacks *stacks, const char *prefix);
/* The rows as an array of objects. */
json_object *broken_rows_json(struct input *input, struct perfdata_broken_stacks *stacks);

#endif
