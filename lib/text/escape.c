/* SPDX-License-Identifier: MIT */
#include "config.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "perfdata/text.h"
#include "text/digits.h"
#include "text/utf8.h"
#include "text/spelling.h"

#define REPLACEMENT "\xef\xbf\xbd"  /* U+FFFD */

/* --- runs without special characters --- */

#define ONES 0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

/* Loads 8 bytes, the first into the lowest bits; if size is below 8, the upper bytes are zero. */
static uint64_t load_first(const uint8_t *p, size_t size)
{
	if (size >= 4) {
		uint32_t a, b;
		memcpy(&a, p, 4);
		memcpy(&b, p + size - 4, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		a = __builtin_bswap32(a);
		b = __builtin_bswap32(b);
#endif
		return a | (uint64_t)b << (8 * (size - 4));
	}
	uint64_t value = 0;
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}

static void store_eight(char *at, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	memcpy(at, &value, sizeof value);
}

/* Sets the top bit of each byte that is not plain. Above the lowest such bit, borrows may set wrong bits, so only the
 * lowest counts. */
static uint64_t json_special8(uint64_t v)
{
	uint64_t quote = v ^ (ONES * '"'), backslash = v ^ (ONES * '\\');
	return (((v - ONES * 0x20) & ~v) | ((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash) | v) & HIGHS;
}

#ifdef __SSE2__
static unsigned json_special16(__m128i v)
{
	/* signed: bytes from 0x80 on are below 0x20 too */
	__m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));
	__m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"')), backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
	return (unsigned)_mm_movemask_epi8(_mm_or_si128(low, _mm_or_si128(quote, backslash)));
}
#endif

size_t pd_json_plain_run(char *at, const uint8_t *bytes, size_t size)
{
	size_t i = 0;
#ifdef __SSE2__
	for (; size - i >= 16; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(bytes + i));
		_mm_storeu_si128((__m128i *)(at + i), v);
		unsigned special = json_special16(v);
		if (special)
			return i + (unsigned)__builtin_ctz(special);
	}
#endif
	while (i < size) {
		size_t part = size - i < 8 ? size - i : 8;
		uint64_t v = load_first(bytes + i, part);
		store_eight(at + i, v);
		uint64_t special = json_special8(v);
		size_t plain = special ? (unsigned)__builtin_ctzll(special) / 8 : 8;
		/* zeros, which are special, follow the end */
		if (plain < part)
			return i + plain;
		i += part;
	}
	return i;
}

/* --- JSON --- */

static char *json_escape_to(char *at, uint8_t c)
{
	switch (c) {
	case '"': memcpy(at, "\\\"", 2); return at + 2;
	case '\\': memcpy(at, "\\\\", 2); return at + 2;
	case '\b': memcpy(at, "\\b", 2); return at + 2;
	case '\f': memcpy(at, "\\f", 2); return at + 2;
	case '\n': memcpy(at, "\\n", 2); return at + 2;
	case '\r': memcpy(at, "\\r", 2); return at + 2;
	case '\t': memcpy(at, "\\t", 2); return at + 2;
	default:
		memcpy(at, "\\u00", 4);
		memcpy(at + 4, pd_hex_pairs + 2 * c, 2);
		return at + 6;
	}
}

/* Escapes a byte that is not plain, or copies the UTF-8 sequence that begins with it. */
static char *json_special_to(char *at, const uint8_t **p, const uint8_t *end, bool *valid)
{
	const uint8_t *from = *p;
	if (*from < 0x80) {
		*p = from + 1;
		return json_escape_to(at, *from);
	}
	size_t length = pd_utf8_length(from, (size_t)(end - from));
	if (!length) {
		*valid = false;
		*p = from + 1;
		memcpy(at, REPLACEMENT, 3);
		return at + 3;
	}
	*p = from + length;
	memcpy(at, from, length);
	return at + length;
}

/* Escapes long strings in pieces, so that room for the worst case (six characters for a byte) stays small. */
#define PIECE ((size_t)4096)
#define PIECE_SLACK 64  /* quotes, a sequence across the end of a piece, bytes that runs write after their end */

bool perfdata_text_json_string(struct perfdata_text *text, const void *bytes, size_t size)
{
	const uint8_t *p = bytes, *end = size ? p + size : p;
	bool valid = true;
	bool first = true;
	do {
		size_t left = (size_t)(end - p), part = left < PIECE ? left : PIECE;
		const uint8_t *stop = part ? p + part : p;
		char *at = perfdata_text_reserve(text, part * 6 + PIECE_SLACK);
		if (first && at)
			*at++ = '"';
		first = false;
		while (p < stop && at) {
			size_t run = pd_json_plain_run(at, p, (size_t)(stop - p));
			p += run;
			at += run;
			if (p < stop)
				at = json_special_to(at, &p, end, &valid);
		}
		if (!at)
			return valid && pd_utf8_valid(p, left);
		if (p == end)
			*at++ = '"';
		perfdata_text_commit(text, at);
	} while (p < end);
	return valid;
}

bool pd_json_plain(const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	size_t i = 0;
#ifdef __SSE2__
	for (; size - i >= 16; i += 16)
		if (json_special16(_mm_loadu_si128((const __m128i *)(p + i))))
			return false;
#endif
	for (; size - i >= 8; i += 8)
		if (json_special8(load_first(p + i, 8)))
			return false;
	/* blanks fill the rest up to 8 bytes */
	const size_t rest = size - i;
	return !rest || !json_special8(load_first(p + i, rest) | (ONES * ' ') << 8 * rest);
}

/* --- UTF-8 --- */

bool pd_utf8_valid(const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	for (size_t i = 0; i < size;) {
		uint64_t eight;
		if (size - i >= sizeof eight && (memcpy(&eight, p + i, sizeof eight), !(eight & HIGHS))) {
			i += sizeof eight;
			continue;
		}
		size_t length = pd_utf8_length(p + i, size - i);
		if (!length)
			return false;
		i += length;
	}
	return true;
}

/* --- CSV --- */

static bool csv_needs_quotes(uint8_t c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; }

/* Whether the cell has neither a byte that needs quotes nor one beyond ASCII. */
static bool csv_is_plain(const uint8_t *p, size_t size)
{
	size_t i = 0;
#ifdef __SSE2__
	for (; size - i >= 16; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(p + i));
		__m128i comma = _mm_cmpeq_epi8(v, _mm_set1_epi8(',')), quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
		__m128i cr = _mm_cmpeq_epi8(v, _mm_set1_epi8('\r')), lf = _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'));
		__m128i any = _mm_or_si128(_mm_or_si128(v, comma), _mm_or_si128(quote, _mm_or_si128(cr, lf)));
		if (_mm_movemask_epi8(any))
			return false;
	}
#endif
	for (; i < size; i++)
		if (p[i] >= 0x80 || csv_needs_quotes(p[i]))
			return false;
	return true;
}

/* Copies up to the first quote or the first byte beyond ASCII and returns the number of copied bytes. May write up to
 * 15 more bytes after them. */
static size_t csv_run(char *at, const uint8_t *p, size_t size)
{
	size_t i = 0;
#ifdef __SSE2__
	for (; size - i >= 16; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(p + i));
		_mm_storeu_si128((__m128i *)(at + i), v);
		unsigned special = (unsigned)_mm_movemask_epi8(_mm_or_si128(v, _mm_cmpeq_epi8(v, _mm_set1_epi8('"'))));
		if (special)
			return i + (unsigned)__builtin_ctz(special);
	}
#endif
	for (; i < size && p[i] < 0x80 && p[i] != '"'; i++)
		at[i] = (char)p[i];
	return i;
}

bool pd_text_csv_cell(struct perfdata_text *text, const void *bytes, size_t size)
{
	const uint8_t *p = bytes, *end = size ? p + size : p;
	if (csv_is_plain(p, size)) {
		perfdata_text_append(text, p, size);
		return true;
	}
	bool quoted = false, valid = true;
	for (const uint8_t *q = p; q < end && !quoted; q++)
		quoted = csv_needs_quotes(*q);
	if (quoted)
		perfdata_text_char(text, '"');
	while (p < end) {
		const size_t left = (size_t)(end - p), part = left < PIECE ? left : PIECE;
		const uint8_t *stop = p + part;
		char *at = perfdata_text_reserve(text, part * 3 + PIECE_SLACK);   /* a malformed byte becomes three */
		if (!at)
			return valid && pd_utf8_valid(p, left);
		while (p < stop) {
			const size_t run = csv_run(at, p, (size_t)(stop - p));
			p += run;
			at += run;
			if (p == stop)
				break;
			const size_t length = *p < 0x80 ? 1 : pd_utf8_length(p, (size_t)(end - p));
			memcpy(at, length ? (const void *)p : REPLACEMENT, length ? length : 3);
			at += length ? length : 3;
			if (*p == '"')
				*at++ = '"';
			valid &= length != 0;
			p += length ? length : 1;
		}
		perfdata_text_commit(text, at);
	}
	if (quoted)
		perfdata_text_char(text, '"');
	return valid;
}
