/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "perfdata/text.h"
#include "text/decimal.h"
#include "text/spelling.h"

const char pd_hex_pairs[513] =
	"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	"202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
	"404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f"
	"606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f"
	"808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
	"a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
	"c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf"
	"e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

const char pd_decimal_pairs[201] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* --- hexadecimal --- */

void pd_hex16_plain(char *at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		memcpy(at + 2 * i, pd_hex_pairs + 2 * ((value >> (56 - 8 * i)) & 0xff), 2);
}

#ifdef __SSE2__
/* Converts 16 values below 16 to lower-case digits. */
static inline __m128i digits_of(__m128i nibbles)
{
	__m128i letters = _mm_and_si128(_mm_cmpgt_epi8(nibbles, _mm_set1_epi8(9)), _mm_set1_epi8('a' - '0' - 10));
	return _mm_add_epi8(_mm_add_epi8(nibbles, _mm_set1_epi8('0')), letters);
}

static inline void hex16_to(char *at, uint64_t value)
{
	const __m128i mask = _mm_set1_epi8(0x0f);
	uint64_t swapped = __builtin_bswap64(value);
	__m128i bytes = _mm_loadl_epi64((const __m128i *)&swapped);
	__m128i high = _mm_and_si128(_mm_srli_epi16(bytes, 4), mask), low = _mm_and_si128(bytes, mask);
	_mm_storeu_si128((__m128i *)at, digits_of(_mm_unpacklo_epi8(high, low)));
}
#else
static void hex16_to(char *at, uint64_t value) { pd_hex16_plain(at, value); }
#endif

/* Writes the lowest `digits` (1 to 16) digits. Writes all 16, these first, which needs no loop and no branch. */
static inline char *hex_digits_to(char *at, uint64_t value, unsigned digits)
{
	hex16_to(at, value << (64 - 4 * digits));
	return at + digits;
}

static unsigned hex_digits_of(uint64_t value) { return (67 - (unsigned)__builtin_clzll(value | 1)) / 4; }

char *pd_hex_to(char *at, uint64_t value) { return hex_digits_to(at, value, hex_digits_of(value)); }

char *pd_hex_alt_to(char *at, uint64_t value)
{
	memcpy(at, "0x", 2);
	return pd_hex_to(value ? at + 2 : at, value);
}

char *pd_hex_width_to(char *at, uint64_t value, unsigned width)
{
	unsigned digits = hex_digits_of(value);
	if (width > 16)
		width = 16;
	return hex_digits_to(at, value, width > digits ? width : digits);
}

void perfdata_text_bytes_hex(struct perfdata_text *text, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	char *at = perfdata_text_reserve(text, size <= SIZE_MAX / 2 ? size * 2 : SIZE_MAX);
	if (!at)
		return;
	size_t i = 0;
#ifdef __SSE2__
	const __m128i mask = _mm_set1_epi8(0x0f);
	for (; size - i >= 16; i += 16) {
		__m128i in = _mm_loadu_si128((const __m128i *)(p + i));
		__m128i high = digits_of(_mm_and_si128(_mm_srli_epi16(in, 4), mask)),
			low = digits_of(_mm_and_si128(in, mask));
		_mm_storeu_si128((__m128i *)(at + 2 * i), _mm_unpacklo_epi8(high, low));
		_mm_storeu_si128((__m128i *)(at + 2 * i + 16), _mm_unpackhi_epi8(high, low));
	}
#endif
	for (; i < size; i++)
		memcpy(at + 2 * i, pd_hex_pairs + 2 * p[i], 2);
	perfdata_text_commit(text, at + 2 * size);
}

/* --- into a buffer --- */

#define NUMBER_ROOM 32

void perfdata_text_u64(struct perfdata_text *text, uint64_t value)
{
	char *at = perfdata_text_reserve(text, NUMBER_ROOM);
	if (at)
		perfdata_text_commit(text, pd_u64_to(at, value));
}

void perfdata_text_s64(struct perfdata_text *text, int64_t value)
{
	char *at = perfdata_text_reserve(text, NUMBER_ROOM);
	if (at)
		perfdata_text_commit(text, pd_s64_to(at, value));
}

void pd_text_hex(struct perfdata_text *text, uint64_t value)
{
	char *at = perfdata_text_reserve(text, NUMBER_ROOM);
	if (at)
		perfdata_text_commit(text, pd_hex_to(at, value));
}

void pd_text_hex_alt(struct perfdata_text *text, uint64_t value)
{
	char *at = perfdata_text_reserve(text, NUMBER_ROOM);
	if (at)
		perfdata_text_commit(text, pd_hex_alt_to(at, value));
}

static void append_padded(struct perfdata_text *text, const char *number, const char *end, unsigned width)
{
	size_t size = (size_t)(end - number), blanks = width > size ? width - size : 0;
	char *at = perfdata_text_reserve(text, blanks + NUMBER_ROOM);
	if (!at)
		return;
	memset(at, ' ', blanks);
	memcpy(at + blanks, number, NUMBER_ROOM);
	perfdata_text_commit(text, at + blanks + size);
}

void pd_text_u64_pad(struct perfdata_text *text, uint64_t value, unsigned width)
{
	char number[NUMBER_ROOM] = { 0 };
	append_padded(text, number, pd_u64_to(number, value), width);
}

void pd_text_s64_pad(struct perfdata_text *text, int64_t value, unsigned width)
{
	char number[NUMBER_ROOM] = { 0 };
	append_padded(text, number, pd_s64_to(number, value), width);
}

void pd_text_hex_pad(struct perfdata_text *text, uint64_t value, unsigned width)
{
	char number[NUMBER_ROOM] = { 0 };
	append_padded(text, number, pd_hex_to(number, value), width);
}

/* --- floating point --- */

/* Appends a number of the C library, whose decimal point depends on the locale and may have several bytes: all bytes
 * that are not part of a number become one full stop. */
static void append_neutral(struct perfdata_text *text, const char *number)
{
	bool in_point = false;
	for (const char *p = number; *p; p++) {
		bool is_point = !strchr("0123456789+-e", *p);
		if (!is_point)
			perfdata_text_char(text, *p);
		else if (!in_point)
			perfdata_text_char(text, '.');
		in_point = is_point;
	}
}

/* Appends a value with few decimals, as most have. If n / 1e6, rounded to the nearest double, is the value, then the
 * digits of n are its shortest ones: no two decimals of at most 15 digits round to the same double. */
static bool append_short(struct perfdata_text *text, double value)
{
	const double size = fabs(value);
	if (size < 1e-4 || size >= 1e9)
		return false;
	const uint64_t n = (uint64_t)(size * 1e6 + 0.5);
	if ((double)n / 1e6 != size)
		return false;
	char decimals[NUMBER_ROOM];
	pd_u64_to(decimals, 1000000 + n % 1000000);
	size_t nr = 6;
	while (nr && decimals[nr] == '0')
		nr--;
	char *at = perfdata_text_reserve(text, NUMBER_ROOM);
	if (!at)
		return true;
	if (value < 0)
		*at++ = '-';
	at = pd_u64_to(at, n / 1000000);
	*at++ = '.';
	memcpy(at, decimals + 1, nr);
	perfdata_text_commit(text, at + nr);
	return true;
}

void perfdata_text_double(struct perfdata_text *text, double value)
{
	if (!isfinite(value)) {
		perfdata_text_literal(text, "null");
		return;
	}
	if (fabs(value) < 1e15 && value == (double)(int64_t)value && !(value == 0 && signbit(value))) {
		perfdata_text_s64(text, (int64_t)value);
		return;
	}
	if (append_short(text, value))
		return;
	/* 15 digits always survive the conversion to a double, and 17 always suffice; subnormal numbers have fewer */
	char number[64];
	for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
		snprintf(number, sizeof number, "%.*g", digits, value);
		if (strtod(number, NULL) == value)
			break;
	}
	append_neutral(text, number);
}
