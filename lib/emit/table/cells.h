/* SPDX-License-Identifier: MIT */
/* The cells of one column in memory, row after row: values that are there, and runs that say which rows have one. Rows that are passed over are
 * null, so a column without values costs nothing.
 *
 * A text is kept once and its cells hold its token, a number counted from 0; a text that comes again soon has the same token. */
#ifndef EMIT_CELLS_H
#define EMIT_CELLS_H

#include "perfdata/base.h"

#define CELLS_RECENT 64u

struct cell_text {
	uint32_t at, size;            /* in the bytes */
};
struct cells_recent;
struct cells {
	uint64_t *values;             /* integers (sign-extended), 0 or 1, bits of a double, tokens */
	uint32_t nr, room;
	uint32_t rows;                /* up to the last value */
	uint32_t *runs;               /* rows with a value, rows without, … */
	uint32_t nr_runs, room_runs;
	uint32_t *lengths;            /* of lists: values of each row that has a list */
	uint32_t nr_lengths, room_lengths;
	struct cell_text *texts;
	uint32_t nr_texts, room_texts;
	char *bytes;
	size_t size, room_bytes;
	size_t spent;                 /* bytes of texts that are not lasting */
	struct cells_recent *recent;
	bool failed;                  /* memory ran out: checked once, behind the last cell */
	bool packed;                  /* the arrays are parts of somebody's block */
};
void pd_cells_release(struct cells *cells);
/* Without cells, as at first; what it has room for stays. */
void pd_cells_clear(struct cells *cells);
/* Bytes of a block that holds all of it; and the copy, whose arrays stand in such a block. */
size_t pd_cells_block(const struct cells *cells);
void *pd_cells_pack(const struct cells *cells, struct cells *ret, void *block);
/* Appends all cells of another column, whose first row becomes row `row`. */
void pd_cells_append(struct cells *cells, uint32_t row, const struct cells *more);
/* Memory that it takes, about: a function of the cells alone. */
size_t pd_cells_size(const struct cells *cells);

/* Slow paths of what follows. */
void pd_cells_grow(struct cells *cells);
void pd_cells_skip_to(struct cells *cells, uint32_t row);

/* The value of row `row`, which is behind all rows that have one. */
static inline void pd_cells_put(struct cells *cells, uint32_t row, uint64_t value)
{
	if (cells->rows != row || !(cells->nr_runs & 1))
		pd_cells_skip_to(cells, row);
	if (cells->nr == cells->room)
		pd_cells_grow(cells);
	if (cells->failed)
		return;
	cells->values[cells->nr++] = value;
	cells->runs[cells->nr_runs - 1]++;
	cells->rows = row + 1;
}
/* The row's list has `nr` values, which follow by pd_cells_add. */
void pd_cells_list(struct cells *cells, uint32_t row, uint32_t nr);
void pd_cells_add(struct cells *cells, uint64_t value);

/* The token of a text. `lasting`: the bytes at this address never change while there are cells, so that the address alone says which text it is. */
uint64_t pd_cells_text(struct cells *cells, const void *bytes, size_t size, bool lasting);
/* The same, where what is not UTF-8 becomes U+FFFD. */
uint64_t pd_cells_utf8(struct cells *cells, const void *bytes, size_t size, bool lasting);

#endif
