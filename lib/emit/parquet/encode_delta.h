/* SPDX-License-Identifier: MIT */
/* Parquet's DELTA_BINARY_PACKED: differences of integers in blocks of 128, each with its least difference and four
 * widths. */
#ifndef EMIT_ENCODE_DELTA_H
#define EMIT_ENCODE_DELTA_H

#include "perfdata/text.h"

/* bits: 32 or 64, the size of the column's type; differences wrap at this size. Values of 32 bits are sign-extended. */
void pd_encode_delta(struct perfdata_text *out, const uint64_t *values, size_t nr, unsigned bits);

#endif
