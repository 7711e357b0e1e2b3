/* SPDX-License-Identifier: MIT */
/* What a cell of a row that is a record holds: text and stored columns are both made of these values. */
#ifndef EMIT_CELL_VALUE_H
#define EMIT_CELL_VALUE_H

#include "emit/values/selection.h"
#include "emit/values/value.h"

/* Values with parts are JSON, written to `room`; without memory for it r->failed is set. The value borrows from the
 * record and from `room`. field: that of the record's event which a step SELECT_FIELD selects; NULL: there is none. */
struct value pd_cell_value(struct record *r, const struct select_step *step, const struct trace_row *field,
			   struct perfdata_text *room);
/* Calls `add` with each element of IS_NAMES, IS_MISC_NAMES (texts that last) and IS_ELEMENTS (integers); other kinds
 * have none. */
void pd_cell_elements(const struct record *r, const struct value *value,
		      void (*add)(void *user, const struct value *element), void *user);

#endif
