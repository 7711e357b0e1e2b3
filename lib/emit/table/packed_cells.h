/* SPDX-License-Identifier: MIT */
/* Cells that do not grow any more, in a block of memory or of a file that the caller owns. A value is stored as its
 * distance from the minimum, in as few bytes as the largest distance needs (none if all values are equal): columns wait
 * for their row group, and most of them hardly vary. */
#ifndef EMIT_PACKED_CELLS_H
#define EMIT_PACKED_CELLS_H

#include "emit/table/cells.h"

struct packed_cells {
	uint64_t least;
	size_t at;                    /* where its arrays are in the block: whole words */
	size_t spent;
	uint32_t nr, rows, nr_runs, nr_lengths, nr_texts, nr_bytes;
	uint8_t width;                /* of a value: 0, 1, 2, 4 or 8 bytes */
};
/* The arrays in `block`, which is aligned to words: the same arrays as of cells, with packed values. */
struct packed_arrays {
	const struct cell_text *texts;
	const uint32_t *runs, *lengths;
	const char *values, *bytes;
};

/* How the cells would be packed at `at`. */
struct packed_cells pd_cells_measure(struct cells *cells, size_t at);
/* Bytes of the block that packed cells take: whole words. */
size_t pd_packed_cells_size(const struct packed_cells *packed);
void pd_cells_pack(const struct cells *cells, const struct packed_cells *packed, char *block);

struct packed_arrays pd_packed_cells_arrays(const struct packed_cells *packed, const char *block);
/* Writes `nr` values: each with `more` added. */
void pd_packed_cells_values(const struct packed_cells *packed, const struct packed_arrays *arrays, uint64_t more,
			    uint64_t *ret);
/* Appends the packed cells to `cells`; their first row becomes row `row`. */
void pd_cells_append(struct cells *cells, uint32_t row, const struct packed_cells *packed, const char *block);

#endif
