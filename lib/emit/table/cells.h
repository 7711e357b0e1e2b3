/* SPDX-License-Identifier: MIT */
/* The cells of one column in memory: the values, and runs of rows with and without a value. Rows that the caller skips
 * are null, so a column without values takes no memory.
 *
 * Cells of text hold a token, the number of a stored text. A text that repeats soon has the same token. */
#ifndef EMIT_CELLS_H
#define EMIT_CELLS_H

#include "perfdata/base.h"

#define CELLS_RECENT 64u

struct cell_text {
	uint32_t at, size;            /* in `bytes` */
};
struct cells_recent;
struct cells {
	uint64_t *values;             /* integers (sign-extended), 0 or 1, bits of a double, tokens */
	uint32_t nr, room;
	uint32_t rows;                /* up to the last row with a value */
	uint32_t *runs;               /* numbers of rows: with values, without, with, … */
	uint32_t nr_runs, room_runs;
	uint32_t *lengths;            /* for lists: number of values in each row that has a list */
	uint32_t nr_lengths, room_lengths;
	struct cell_text *texts;
	uint32_t nr_texts, room_texts;
	char *bytes;
	size_t size, room_bytes;
	size_t spent;                 /* size of texts, without those of pd_cells_name */
	struct cells_recent *recent;
	bool failed;                  /* a value is missing; test it after the last cell */
	/* failed since texts of a batch exceed the limit of a column; otherwise memory ran out */
	bool is_full;
};
void pd_cells_release(struct cells *cells);
/* Empties the array but keeps its capacity. */
void pd_cells_clear(struct cells *cells);
/* Approximate size of the cells, which depends on the cells alone; memory of the capacity. */
size_t pd_cells_size(const struct cells *cells);
size_t pd_cells_memory(const struct cells *cells);

/* Slow paths of the functions below. */
void pd_cells_grow(struct cells *cells);
void pd_cells_skip_to(struct cells *cells, uint32_t row);
/* Makes room for this many more values, lengths, texts and bytes. */
bool pd_cells_reserve(struct cells *cells, uint32_t values, uint32_t lengths, uint32_t texts, size_t bytes);
/* Adds `rows` rows from `row` on whose values were already written to the array. */
void pd_cells_extend(struct cells *cells, uint32_t row, uint32_t rows);

/* Appends the value of row `row`; rows must ascend. */
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
/* Begins a list of `nr` values in the row; pd_cells_add adds them. */
void pd_cells_list(struct cells *cells, uint32_t row, uint32_t nr);
void pd_cells_add(struct cells *cells, uint64_t value);

/* Makes room for the values of the next `nr` rows, all with a value; after the caller filled them, pd_cells_commit
 * appends them. NULL without memory. */
uint64_t *pd_cells_room(struct cells *cells, uint32_t nr);
void pd_cells_commit(struct cells *cells, uint32_t row, uint32_t nr);
/* Appends the same value for `rows` rows. */
void pd_cells_repeat(struct cells *cells, uint32_t row, uint32_t rows, uint64_t value);

/* Adds bytes, and returns their token. */
uint64_t pd_cells_text(struct cells *cells, const void *bytes, size_t size);
/* As pd_cells_text; invalid UTF-8 becomes U+FFFD. */
uint64_t pd_cells_utf8(struct cells *cells, const void *bytes, size_t size);
/* As pd_cells_text, for a text that is constant while the cells live: its address identifies it. */
uint64_t pd_cells_name(struct cells *cells, const char *name);

/* Reads cells row by row; members other than `cells` begin as 0. */
struct cells_reader {
	const struct cells *cells;
	uint32_t run, left;           /* rows left in the current run */
	uint32_t value, length;       /* index for the next row with a value */
};
/* Whether the next row has a value or list, which the caller must then read. */
static inline bool cells_next_row(struct cells_reader *reader)
{
	while (!reader->left && reader->run < reader->cells->nr_runs)
		reader->left = reader->cells->runs[reader->run++];
	if (!reader->left)
		return false;
	reader->left--;
	return reader->run & 1;
}
static inline uint64_t cells_next_value(struct cells_reader *reader) { return reader->cells->values[reader->value++]; }
static inline uint32_t cells_next_length(struct cells_reader *reader)
{
	return reader->cells->lengths[reader->length++];
}

#endif
