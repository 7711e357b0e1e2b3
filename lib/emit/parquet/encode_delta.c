/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/cursor.h"
#include "emit/parquet/encode_delta.h"
#include "emit/parquet/encode_runs.h"
#include "emit/parquet/thrift.h"

#define BLOCK 128u
#define MINIBLOCKS 4u
#define MINIBLOCK (BLOCK / MINIBLOCKS)

static char *put_word(char *at, uint64_t word)
{
	word = pd_little64(word);
	memcpy(at, &word, sizeof word);
	return at + sizeof word;
}

/* Packs MINIBLOCK values of up to 16 bits, four at a time. It may write 8 bytes more than it returns. */
static char *pack_narrow(char *at, const uint64_t *values, unsigned width)
{
	const unsigned bits = 4 * width;
	uint64_t word = 0;
	unsigned filled = 0;
	for (unsigned i = 0; i < MINIBLOCK; i += 4) {
		const uint64_t low = values[i] | values[i + 1] << width, high = values[i + 2] | values[i + 3] << width;
		const uint64_t four = low | high << 2 * width;
		word |= four << filled;
		filled += bits;
		if (filled < 64)
			continue;
		at = put_word(at, word);
		filled -= 64;
		word = filled ? four >> (bits - filled) : 0;
	}
	put_word(at, word);
	return at + filled / 8;
}

/* Packs MINIBLOCK values of `width` bits, lowest bits first, into whole bytes. */
static char *pack_values(char *at, const uint64_t *values, unsigned width)
{
	if (width <= 16)
		return pack_narrow(at, values, width);
	uint64_t word = 0;
	unsigned filled = 0;
	for (unsigned i = 0; i < MINIBLOCK; i++) {
		word |= values[i] << filled;
		filled += width;
		if (filled < 64)
			continue;
		at = put_word(at, word);
		filled -= 64;
		word = filled ? values[i] >> (width - filled) : 0;
	}
	put_word(at, word);
	return at + filled / 8;
}

/* Differences of successive values, sign-extended from `bits`, and the least one. */
static int64_t find_differences(const uint64_t *values, size_t nr, unsigned bits, int64_t *ret)
{
	/* two minima, since each step of a minimum waits for the step before it */
	int64_t even = INT64_MAX, odd = INT64_MAX;
	for (size_t i = 0; i < nr; i++)
		ret[i] = (int64_t)(values[i + 1] - values[i]);
	for (size_t i = 0; bits == 32 && i < nr; i++)
		ret[i] = (int32_t)ret[i];
	size_t i = 0;
	for (; i + 2 <= nr; i += 2) {
		even = ret[i] < even ? ret[i] : even;
		odd = ret[i + 1] < odd ? ret[i + 1] : odd;
	}
	if (i < nr)
		even = ret[i] < even ? ret[i] : even;
	return even < odd ? even : odd;
}

static void encode_block(struct perfdata_text *out, const uint64_t *values, size_t nr, unsigned bits)
{
	uint64_t packed[BLOCK];
	int64_t deltas[BLOCK] = { 0 };
	/* a constant number, which compilers vectorize, for all blocks but the last */
	const int64_t least = nr == BLOCK ? find_differences(values, BLOCK, bits, deltas)
					  : find_differences(values, nr, bits, deltas);
	const uint64_t mask = bits == 32 ? UINT32_MAX : UINT64_MAX;
	for (size_t i = 0; i < BLOCK; i++)
		packed[i] = ((uint64_t)deltas[i] - (uint64_t)least) & mask;
	memset(packed + nr, 0, (BLOCK - nr) * sizeof *packed);
	pd_text_varint(out, pd_thrift_zigzag(least));
	char *at = perfdata_text_reserve(out, MINIBLOCKS + BLOCK * sizeof(uint64_t) + sizeof(uint64_t));
	if (!at)
		return;
	uint8_t widths[MINIBLOCKS];
	for (unsigned i = 0; i < MINIBLOCKS; i++) {
		const uint64_t *block = &packed[i * MINIBLOCK];
		uint64_t all = 0;
		for (unsigned k = 0; k < MINIBLOCK; k += 4)
			all |= block[k] | block[k + 1] | block[k + 2] | block[k + 3];
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
