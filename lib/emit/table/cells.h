/* SPDX-License-Identifier: MIT */
/* The cells of one column in memory, row after row: values that are there, and runs that say which rows have one. Rows
 * that the caller passes over are null, so a column without values costs nothing.
 *
 * A text is kept once and its cells hold its token, a number counted from 0; a text that comes again soon has the same
 * token. */
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
	uint32_t measured;            /* of the first so many the bounds are known, as signed numbers */
	int64_t least, greatest;
	uint32_t rows;                /* up to the last value */
	uint32_t *runs;               /* rows with a value, rows without, … */
	uint32_t nr_runs, room_runs;
	uint32_t *lengths;            /* of lists: values of each row that has a list */
	uint32_t nr_lengths, room_lengths;
	struct cell_text *texts;
	uint32_t nr_texts, room_texts;
	char *bytes;
	size_t size, room_bytes;
	size_t spent;                 /* bytes of texts, without the texts of pd_cells_name */
	struct cells_recent *recent;
	bool failed;                  /* something is missing; callers look once, after the last cell */
	bool is_full;                 /* …: the texts of a batch are too large for a column; else memory ran out */
};
void pd_cells_release(struct cells *cells);
/* Empties the array but keeps its capacity. */
void pd_cells_clear(struct cells *cells);
/* About the memory that the cells take (it depends on the cells alone); and about the memory of the whole capacity. */
size_t pd_cells_size(const struct cells *cells);
size_t pd_cells_memory(const struct cells *cells);

/* Slow paths of the functions below. */
void pd_cells_grow(struct cells *cells);
void pd_cells_skip_to(struct cells *cells, uint32_t row);
/* Makes room for so many more of each. */
bool pd_cells_reserve(struct cells *cells, uint32_t values, uint32_t lengths, uint32_t texts, size_t bytes);
/* The values of `rows` rows from row `row` on are in the array already. */
void pd_cells_extend(struct cells *cells, uint32_t row, uint32_t rows);

/* Appends the value of row `row`, which comes after all rows that have one. */
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

/* Appends the values of `nr` rows without nulls. */
void pd_cells_put_all(struct cells *cells, uint32_t row, const uint64_t *values, uint32_t nr);
/* Until the bounds of all values are known. */
void pd_cells_measure_values(struct cells *cells);
/* The same value in `rows` rows. */
void pd_cells_repeat(struct cells *cells, uint32_t row, uint32_t rows, uint64_t value);

/* Adds bytes; returns their token. */
uint64_t pd_cells_text(struct cells *cells, const void *bytes, size_t size);
/* The same for a text: bytes that are not UTF-8 become U+FFFD. */
uint64_t pd_cells_utf8(struct cells *cells, const void *bytes, size_t size);
/* The same for a text that does not change as long as the cells live, so its address alone identifies it. */
uint64_t pd_cells_name(struct cells *cells, const char *name);

/* Reads cells row after row; all but `cells` begins with 0. */
struct cells_reader {
	const struct cells *cells;
	uint32_t run, left;           /* rows of the run */
	uint32_t value, length;       /* of the next row that has one */
};
/* Whether the next row has a value, or a list: the caller takes it then. */
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
