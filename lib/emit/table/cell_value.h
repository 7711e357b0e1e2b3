/* SPDX-License-Identifier: MIT */
/* The value of a cell in a row that is a record, for text and for stored columns. */
#ifndef EMIT_CELL_VALUE_H
#define EMIT_CELL_VALUE_H

#include "emit/values/selection.h"
#include "emit/values/value.h"

/* Values with parts are JSON in `room`; without memory r->failed is set. The value borrows from the record and from
 * `room`. field: the field of the record's event that a step SELECT_FIELD selects; NULL: none. */
struct value pd_cell_value(struct record *r, const struct select_step *step, const struct trace_row *field,
			   struct perfdata_text *room);
/* Calls `add` with each element of IS_NAMES, IS_MISC_NAMES (static texts) and IS_ELEMENTS (integers); other kinds have
 * no elements. */
void pd_cell_elements(const struct record *r, const struct value *value,
		      void (*add)(void *user, const struct value *element), void *user);

#endif
