/* SPDX-License-Identifier: MIT */
/* The least and the greatest value of a column, by which readers skip row groups. Unsigned columns are compared as
 * unsigned, texts byte by byte. */
#ifndef EMIT_COLUMN_BOUNDS_H
#define EMIT_COLUMN_BOUNDS_H

#include "emit/parquet/column_encode.h"

void pd_column_bounds_of_numbers(enum column_type type, const uint64_t *values, size_t nr,
				 struct column_bound *ret_least, struct column_bound *ret_greatest);
/* The bounds of long texts are cut, and so inexact, or unknown if no upper bound exists. */
void pd_column_bounds_of_texts(enum column_type type, const struct perfdata_bytes *texts, size_t nr,
			       struct column_bound *ret_least, struct column_bound *ret_greatest);

#endif
