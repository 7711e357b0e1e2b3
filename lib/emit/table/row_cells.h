/* SPDX-License-Identifier: MIT */
/* Fills a row of a table cell by cell. `columns`: index in the open rows of each column of pd_table_own_columns;
 * UINT32_MAX: not requested. */
#ifndef EMIT_ROW_CELLS_H
#define EMIT_ROW_CELLS_H

#include "emit/table/table_parts.h"
#include "emit/values/value.h"

struct row_cells {
	const uint32_t *columns;
	struct open_rows *rows;
	uint32_t row;
};

/* NULL: the column was not requested. */
static inline struct cells *pd_row_cells_of(const struct row_cells *to, unsigned column)
{
	return to->columns[column] == UINT32_MAX ? NULL : &to->rows->columns[to->columns[column]];
}

static inline void pd_row_cells_number(const struct row_cells *to, unsigned column, uint64_t value)
{
	struct cells *cells = pd_row_cells_of(to, column);
	if (cells)
		pd_cells_put(cells, to->row, value);
}

static inline void pd_row_cells_text(const struct row_cells *to, unsigned column, const void *text, size_t size)
{
	struct cells *cells = pd_row_cells_of(to, column);
	if (cells)
		pd_cells_put(cells, to->row, pd_cells_utf8(cells, text, size));
}

static inline void pd_row_cells_value(const struct row_cells *to, unsigned column, const struct value *value)
{
	if (value->kind == IS_TEXT)
		pd_row_cells_text(to, column, value->text.data, value->text.size);
	else if (value->kind != IS_ABSENT)
		pd_row_cells_number(to, column, value->number);
}

#endif
