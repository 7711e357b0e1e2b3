/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/cursor.h"
#include "emit/parquet/encode_delta.h"
#include "emit/parquet/encode_runs.h"
#include "emit/parquet/thrift.h"

#define BLOCK 128u
#define MINIBLOCKS 4u
#define MINIBLOCK (BLOCK / MINIBLOCKS)

/* Packs MINIBLOCK values of `width` bits, lowest bits first, into whole bytes. */
static char *pack_values(char *at, const uint64_t *values, unsigned width)
{
	uint64_t word = 0;
	unsigned filled = 0;
	for (unsigned i = 0; i < MINIBLOCK; i++) {
		word |= values[i] << filled;
		filled += width;
		if (filled < 64)
			continue;
		memcpy(at, &(const uint64_t){ pd_little64(word) }, sizeof word);
		at += sizeof word;
		filled -= 64;
		word = filled ? values[i] >> (width - filled) : 0;
	}
	memcpy(at, &(const uint64_t){ pd_little64(word) }, sizeof word);
	return at + filled / 8;
}

static int64_t wrapped_difference(uint64_t a, uint64_t b, unsigned bits)
{
	return bits == 32 ? (int32_t)((uint32_t)a - (uint32_t)b) : (int64_t)(a - b);
}

static void encode_block(struct perfdata_text *out, const uint64_t *values, size_t nr, unsigned bits)
{
	uint64_t packed[BLOCK] = { 0 };
	int64_t deltas[BLOCK], least = INT64_MAX;
	for (size_t i = 0; i < nr; i++) {
		deltas[i] = wrapped_difference(values[i + 1], values[i], bits);
		least = deltas[i] < least ? deltas[i] : least;
	}
	const uint64_t mask = bits == 32 ? UINT32_MAX : UINT64_MAX;
	for (size_t i = 0; i < nr; i++)
		packed[i] = ((uint64_t)deltas[i] - (uint64_t)least) & mask;
	pd_text_varint(out, pd_thrift_zigzag(least));
	char *at = perfdata_text_reserve(out, MINIBLOCKS + BLOCK * sizeof(uint64_t) + sizeof(uint64_t));
	if (!at)
		return;
	uint8_t widths[MINIBLOCKS];
	for (unsigned i = 0; i < MINIBLOCKS; i++) {
		uint64_t all = 0;
		for (unsigned k = 0; k < MINIBLOCK; k++)
			all |= packed[i * MINIBLOCK + k];
		widths[i] = (uint8_t)pd_bit_width(all);
	}
	memcpy(at, widths, MINIBLOCKS);
	at += MINIBLOCKS;
	/* a miniblock after the last value has width 0 and no bytes */
	for (unsigned i = 0; i < MINIBLOCKS; i++)
		if (widths[i])
			at = pack_values(at, &packed[i * MINIBLOCK], widths[i]);
	perfdata_text_commit(out, at);
}

void pd_encode_delta(struct perfdata_text *out, const uint64_t *values, size_t nr, unsigned bits)
{
	pd_text_varint(out, BLOCK);
	pd_text_varint(out, MINIBLOCKS);
	pd_text_varint(out, nr);
	pd_text_varint(out, nr ? pd_thrift_zigzag((int64_t)values[0]) : 0);
	for (size_t i = 0; i + 1 < nr; i += BLOCK)
		encode_block(out, values + i, nr - 1 - i < BLOCK ? nr - 1 - i : BLOCK, bits);
}
