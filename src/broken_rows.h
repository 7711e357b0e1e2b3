/* SPDX-License-Identifier: MIT */
/* What `info` and `match` say of stacks that end too early: the library counts them, as for `report`. */
#ifndef BROKEN_ROWS_H
#define BROKEN_ROWS_H

#include "answers.h"
#include "perfdata/top.h"

/* Each row as a line: prefix, then the event's name where rows are of several events, then the sentence. */
void broken_rows_text(struct perfdata_text *out, struct perfdata_broken_stacks *stacks, const char *prefix);
/* The rows as objects. */
json_object *broken_rows_json(struct input *input, struct perfdata_broken_stacks *stacks);

#endif
