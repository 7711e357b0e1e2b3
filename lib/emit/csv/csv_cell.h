/* SPDX-License-Identifier: MIT */
/* One cell of a CSV table. */
#ifndef EMIT_CSV_CELL_H
#define EMIT_CSV_CELL_H

#include "emit/table/cell_value.h"

#define CSV_JOINT ';'
#define CSV_NEW_LINE "\r\n"

/* Appends the value of the step, nothing if it is absent. `;` joins lists of integers and names, structs are JSON.
 * `room` is scratch memory. */
void pd_csv_cell(struct record *r, const struct select_step *step, struct perfdata_text *room);
/* Appends a value of a table's row, nothing for the lists that pd_cell_elements walks. */
void pd_csv_value_cell(struct perfdata_text *out, const struct value *value);
/* Appends `;` and the name. */
void pd_csv_add_name(void *out_text, const char *name);
/* Removes the `;` before the first element of a list that begins at `start`. */
void pd_csv_drop_joint(struct perfdata_text *out, size_t start);

#endif
