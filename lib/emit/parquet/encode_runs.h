/* SPDX-License-Identifier: MIT */
/* Parquet's hybrid of runs and packed bits: definition and repetition levels, indices of dictionaries. */
#ifndef EMIT_ENCODE_RUNS_H
#define EMIT_ENCODE_RUNS_H

#include "perfdata/text.h"

struct run_encoder {
	struct perfdata_text *out;
	unsigned width;               /* bits of a value, 0 to 32 */
	uint32_t value;               /* the last value */
	uint64_t repeated;            /* how often in a row callers gave `value` */
	uint32_t group[8];            /* values not packed yet */
	unsigned in_group;
	size_t header;                /* where the byte is that counts the open run of groups */
	unsigned groups;              /* in it; 0: none is open */
};
void pd_run_encoder_init(struct run_encoder *encoder, struct perfdata_text *out, unsigned width);
void pd_run_encoder_put(struct run_encoder *encoder, uint32_t value);
void pd_run_encoder_values(struct run_encoder *encoder, const uint32_t *values, size_t nr);
/* Adds `value` `count` times. */
void pd_run_encoder_repeat(struct run_encoder *encoder, uint32_t value, uint64_t count);
/* Writes the values that are still pending. */
void pd_run_encoder_end(struct run_encoder *encoder);
/* How many bits hold values up to `most`. */
static inline unsigned pd_bit_width(uint64_t most) { return most ? 64 - (unsigned)__builtin_clzll(most) : 0; }

#endif
