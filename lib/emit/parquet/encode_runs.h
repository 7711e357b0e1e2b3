/* SPDX-License-Identifier: MIT */
/* Parquet's RLE and bit-packing hybrid, for definition and repetition levels and for dictionary indexes. */
#ifndef EMIT_ENCODE_RUNS_H
#define EMIT_ENCODE_RUNS_H

#include "perfdata/text.h"

struct run_encoder {
	struct perfdata_text *out;
	unsigned width;               /* bits of a value, 0 to 32 */
	uint32_t value;               /* the last value */
	uint64_t repeated;            /* number of consecutive `value`s */
	uint32_t group[8];            /* values that are not packed yet */
	unsigned in_group;
	size_t header;                /* offset of the header byte of the open bit-packed run */
	unsigned groups;              /* number of groups in the open bit-packed run; 0: none is open */
};
void pd_run_encoder_init(struct run_encoder *encoder, struct perfdata_text *out, unsigned width);
void pd_run_encoder_put(struct run_encoder *encoder, uint32_t value);
void pd_run_encoder_values(struct run_encoder *encoder, const uint32_t *values, size_t nr);
/* Adds `value` `count` times. */
void pd_run_encoder_repeat(struct run_encoder *encoder, uint32_t value, uint64_t count);
/* Writes the pending values. */
void pd_run_encoder_end(struct run_encoder *encoder);
/* Number of bits for values up to `most`. */
static inline unsigned pd_bit_width(uint64_t most) { return most ? 64 - (unsigned)__builtin_clzll(most) : 0; }

#endif
