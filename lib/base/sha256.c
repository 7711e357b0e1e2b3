/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/sha256.h"

static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t word, unsigned bits) { return word >> bits | word << (32 - bits); }

/* Does a round with its constant and a word of the block. Instead of moving the eight words of the state, each round
 * begins one word earlier than the last one: `first` is a number, so compilers keep the state in registers. */
static inline void take_round(uint32_t state[8], unsigned first, uint32_t constant, uint32_t word)
{
	uint32_t *const a = &state[first % 8], *const d = &state[(first + 3) % 8], *const h = &state[(first + 7) % 8];
	const uint32_t b = state[(first + 1) % 8], c = state[(first + 2) % 8], e = state[(first + 4) % 8],
		       f = state[(first + 5) % 8], g = state[(first + 6) % 8];
	const uint32_t choice = (e & f) ^ (~e & g), majority = (*a & b) ^ (*a & c) ^ (b & c);
	const uint32_t sum = *h + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) + choice + constant +
			     word;
	*d += sum;
	*h = sum + (rotate_right(*a, 2) ^ rotate_right(*a, 13) ^ rotate_right(*a, 22)) + majority;
}

static void take_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[64], s[8];
	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++) {
		const uint32_t low = rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ w[i - 15] >> 3;
		const uint32_t high = rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + low + w[i - 7] + high;
	}
	memcpy(s, state, sizeof s);
	for (unsigned i = 0; i < 64; i += 8) {
		const uint32_t *constant = &round_constants[i], *word = &w[i];
		take_round(s, 8, constant[0], word[0]);
		take_round(s, 7, constant[1], word[1]);
		take_round(s, 6, constant[2], word[2]);
		take_round(s, 5, constant[3], word[3]);
		take_round(s, 4, constant[4], word[4]);
		take_round(s, 3, constant[5], word[5]);
		take_round(s, 2, constant[6], word[6]);
		take_round(s, 1, constant[7], word[7]);
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += s[i];
}

void pd_sha256_init(struct pd_sha256 *hash)
{
	*hash = (struct pd_sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void pd_sha256_add(struct pd_sha256 *hash, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	const size_t used = (size_t)(hash->size % sizeof hash->block);
	size_t left = size;
	hash->size += size;
	if (used) {
		const size_t part = left < sizeof hash->block - used ? left : sizeof hash->block - used;
		memcpy(hash->block + used, at, part);
		if (used + part < sizeof hash->block)
			return;
		take_block(hash->state, hash->block);
		at += part;
		left -= part;
	}
	for (; left >= sizeof hash->block; left -= sizeof hash->block, at += sizeof hash->block)
		take_block(hash->state, at);
	if (left)
		memcpy(hash->block, at, left);
}

void pd_sha256_end(struct pd_sha256 *hash, uint8_t ret[PD_SHA256_SIZE])
{
	const size_t left = (size_t)(hash->size % sizeof hash->block), end = left < 56 ? 64 : 128;
	uint8_t tail[128] = { 0 };
	memcpy(tail, hash->block, left);
	tail[left] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		tail[end - 1 - i] = (uint8_t)(hash->size * 8 >> (8 * i));
	for (size_t i = 0; i < end; i += 64)
		take_block(hash->state, tail + i);
	for (unsigned i = 0; i < PD_SHA256_SIZE; i++)
		ret[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void pd_sha256(const void *bytes, size_t size, uint8_t ret[PD_SHA256_SIZE])
{
	struct pd_sha256 hash;
	pd_sha256_init(&hash);
	if (size)
		pd_sha256_add(&hash, bytes, size);
	pd_sha256_end(&hash, ret);
}
