/* SPDX-License-Identifier: MIT */
#ifndef PD_DIGIT_H
#define PD_DIGIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#else
#include "base/cursor.h"
#endif

/* Returns the value of a hexadecimal digit of either case; for others PD_NO_DIGIT, which is larger than any base. */
#define PD_NO_DIGIT 99u
static inline unsigned pd_digit_of(char c)
{
	const char lower = (char)(c | 0x20);
	return c >= '0' && c <= '9' ? (unsigned)(c - '0')
	       : lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10 : PD_NO_DIGIT;
}

/* Parses sixteen lower-case hexadecimal digits; false: another character is among them. */
#ifdef __SSE2__
static inline bool pd_parse_hex16(const char *at, uint64_t *ret)
{
	const __m128i text = _mm_loadu_si128((const __m128i *)at);
	const __m128i digits = _mm_sub_epi8(text, _mm_set1_epi8('0')), letters = _mm_sub_epi8(text, _mm_set1_epi8('a'));
	const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
	const __m128i is_letter = _mm_cmpeq_epi8(_mm_min_epu8(letters, _mm_set1_epi8(5)), letters);
	if (_mm_movemask_epi8(_mm_or_si128(is_digit, is_letter)) != 0xffff)
		return false;
	const __m128i values = _mm_or_si128(_mm_and_si128(is_digit, digits),
					    _mm_and_si128(is_letter, _mm_add_epi8(letters, _mm_set1_epi8(10))));
	/* the first digit of a pair is in the lower byte */
	const __m128i pairs = _mm_and_si128(_mm_or_si128(_mm_slli_epi16(values, 4), _mm_srli_epi16(values, 8)),
					    _mm_set1_epi16(0xff));
	uint64_t bytes;
	_mm_storel_epi64((__m128i *)&bytes, _mm_packus_epi16(pairs, pairs));
	*ret = __builtin_bswap64(bytes);
	return true;
}
#else
/* Eight digits, the first one in the highest byte. */
static inline bool pd_parse_hex8(uint64_t text, uint32_t *ret)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), letters = text >> 6 & ones;
	uint64_t value = (text & 0x0f * ones) + 9 * letters;
	/* digits are 0x30 to 0x39, letters 0x61 to 0x66, with values below 10 and from 10 to 15 */
	if ((text & 0xf0 * ones) != 0x30 * (ones + letters) || ((value + 6 * ones) >> 4 & ones) != letters ||
	    value & 0x10 * ones)
		return false;
	value = (value | value >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	value = (value | value >> 8) & UINT64_C(0x0000ffff0000ffff);
	*ret = (uint32_t)(value | value >> 16);
	return true;
}

static inline bool pd_parse_hex16(const char *at, uint64_t *ret)
{
	const bool swap = pd_order_is_foreign(PERFDATA_BYTE_ORDER_BIG);
	uint32_t high, low;
	if (!pd_parse_hex8(pd_load64((const uint8_t *)at, swap), &high) ||
	    !pd_parse_hex8(pd_load64((const uint8_t *)at + 8, swap), &low))
		return false;
	*ret = (uint64_t)high << 32 | low;
	return true;
}
#endif

/* Writes two lower-case digits for each byte, and a NUL: 2 * size + 1 bytes. */
static inline void pd_hex_digits(char *out, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		*out++ = "0123456789abcdef"[bytes[i] >> 4];
		*out++ = "0123456789abcdef"[bytes[i] & 15];
	}
	*out = '\0';
}

#endif
