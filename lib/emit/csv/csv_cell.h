/* SPDX-License-Identifier: MIT */
/* One cell of a CSV table. */
#ifndef EMIT_CSV_CELL_H
#define EMIT_CSV_CELL_H

#include "emit/table/cell_value.h"

#define CSV_JOINT ';'
#define CSV_NEW_LINE "\r\n"

/* Appends the step's value, or nothing where it is absent. Lists of integers and names are joined by `;`, structs are
 * JSON. `room` is for intermediate spelling. */
void pd_csv_cell(struct record *r, const struct select_step *step, struct perfdata_text *room);
/* A value of a table's row; nothing of the lists that pd_cell_elements walks. */
void pd_csv_value_cell(struct perfdata_text *out, const struct value *value);
/* Appends `;` and the name. */
void pd_csv_add_name(void *out_text, const char *name);
/* Removes the first `;` after `start`: each element is written with a `;` before it. */
void pd_csv_drop_joint(struct perfdata_text *out, size_t start);

#endif
