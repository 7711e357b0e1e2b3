/* SPDX-License-Identifier: MIT */
/* Cells of finished rows, in a block of memory or of a file that the caller owns. A value is stored as its difference
 * from a number below all values, in the width of the largest difference (0 if all values are equal), since columns
 * wait for their row group and most of them vary little. */
#ifndef EMIT_PACKED_CELLS_H
#define EMIT_PACKED_CELLS_H

#include "emit/table/cells.h"

struct packed_cells {
	uint64_t least;               /* at most the least value */
	size_t at;                    /* offset of the arrays in the block; whole words */
	size_t spent;
	uint32_t nr, rows, nr_runs, nr_lengths, nr_texts, nr_bytes;
	uint8_t width;                /* of a value: 0, 1, 2, 4 or 8 bytes */
};
/* The arrays in `block`, which must be aligned to words: as in struct cells, with packed values. */
struct packed_arrays {
	const struct cell_text *texts;
	const uint32_t *runs, *lengths;
	const char *values, *bytes;
};

/* Computes the layout of packed cells at offset `at`. */
struct packed_cells pd_cells_measure(const struct cells *cells, size_t at);
/* Size of packed cells in the block; whole words. */
size_t pd_packed_cells_size(const struct packed_cells *packed);
void pd_cells_pack(const struct cells *cells, const struct packed_cells *packed, char *block);

struct packed_arrays pd_packed_cells_arrays(const struct packed_cells *packed, const char *block);
/* Unpacks the values, and adds `more` to each. */
void pd_packed_cells_values(const struct packed_cells *packed, const struct packed_arrays *arrays, uint64_t more,
			    uint64_t *ret);
/* Appends packed cells to `cells`; their first row becomes row `row`. */
void pd_cells_append(struct cells *cells, uint32_t row, const struct packed_cells *packed, const char *block);

#endif
