/* SPDX-License-Identifier: MIT */
/* Parquet's DELTA_BINARY_PACKED: differences of integers, in blocks of 128 with the least difference and four bit
 * widths. */
#ifndef EMIT_ENCODE_DELTA_H
#define EMIT_ENCODE_DELTA_H

#include "perfdata/text.h"

/* bits: size of the column's type, 32 or 64; differences wrap at this size. 32-bit values must be sign-extended. */
void pd_encode_delta(struct perfdata_text *out, const uint64_t *values, size_t nr, unsigned bits);

#endif
