/* SPDX-License-Identifier: MIT */
/* The least and the greatest value of a column, as readers use them to pass over row groups: unsigned columns compared
 * as such, texts byte by byte. */
#ifndef EMIT_COLUMN_BOUNDS_H
#define EMIT_COLUMN_BOUNDS_H

#include "emit/parquet/column_encode.h"

void pd_column_bounds_of_numbers(enum column_type type, const uint64_t *values, size_t nr,
				 struct column_bound *ret_least, struct column_bound *ret_greatest);
/* Bounds hold the beginning of long texts; the bound of a cut text is inexact, or unknown. */
void pd_column_bounds_of_texts(enum column_type type, const struct perfdata_bytes *texts, size_t nr,
			       struct column_bound *ret_least, struct column_bound *ret_greatest);

#endif
