/* SPDX-License-Identifier: MIT */
/* Makes bytes of unknown origin safe to show. */
#include "config.h"
#include "text/digits.h"
#include "text/shown.h"
#include "text/utf8.h"

#define LONGEST_COLOR 32   /* limit in bytes of a sequence that colors text */

bool pd_text_hides(uint32_t c)
{
	static const struct { uint32_t first, last;
	} hidden[] = {
		{ 0x00, 0x1f },       { 0x7f, 0x9f },       { 0xad, 0xad },       { 0x34f, 0x34f },
		{ 0x61c, 0x61c },     { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },
		{ 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0x3164, 0x3164 },
		{ 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden && hidden[i].first <= c; i++)
		if (c <= hidden[i].last)
			return true;
	return false;
}

/* Returns the character of a well-formed sequence. */
static uint32_t character_of(const uint8_t *p, size_t length)
{
	uint32_t c = length == 1 ? p[0] : p[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++)
		c = c << 6 | (p[i] & 0x3fu);
	return c;
}

static void append_hex(struct perfdata_text *text, uint8_t byte)
{
	perfdata_text_literal(text, "\\x");
	perfdata_text_append(text, pd_hex_pairs + 2 * byte, 2);
}

/* Appends the next character, or the next byte in hex; returns the number of bytes that it used. */
static size_t append_next(struct perfdata_text *text, const uint8_t *p, size_t left)
{
	const size_t length = pd_utf8_length(p, left);
	if (!length) {
		append_hex(text, *p);
		return 1;
	}
	if (!pd_text_hides(character_of(p, length))) {
		perfdata_text_append(text, p, length);
		return length;
	}
	for (size_t i = 0; i < length; i++)
		append_hex(text, p[i]);
	return length;
}

void perfdata_text_printable(struct perfdata_text *text, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	for (size_t i = 0; i < size;)
		i += append_next(text, p + i, size - i);
}

/* --- terminals ---------------------------------------------------------------------------------------------------- */

/* Returns the size of a sequence at p that colors text, such as "ESC [ 1 ; 31 m"; 0: there is none. *ret_cut: more
 * bytes may complete one. */
static size_t color_size(const uint8_t *p, size_t left, bool *ret_cut)
{
	size_t i = 1;
	*ret_cut = false;
	if (i < left && p[i] != '[')
		return 0;
	for (i = 2; i < left && i < LONGEST_COLOR && ((p[i] >= '0' && p[i] <= '9') || p[i] == ';'); i++)
		;
	*ret_cut = i >= left;
	return i < left && p[i] == 'm' ? i + 1 : 0;
}

/* Whether more bytes may complete the character that begins here. */
static bool is_cut_character(const uint8_t *p, size_t left)
{
	const size_t length = *p < 0xc2 || *p > 0xf4 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	size_t i = 1;
	for (; i < left && i < length && pd_utf8_is_tail(p[i]); i++)
		;
	return i == left && left < length;
}

size_t pd_text_terminal(struct perfdata_text *text, const void *bytes, size_t size, bool colors, bool last)
{
	const uint8_t *p = bytes;
	size_t i = 0;
	while (i < size) {
		const size_t left = size - i;
		bool cut = is_cut_character(p + i, left);
		size_t kept = 0;
		if (p[i] == '\n' || p[i] == '\t') {
			kept = 1;
		} else if (p[i] == '\r') {
			/* CR LF ends a line of CSV */
			kept = left > 1 && p[i + 1] == '\n' ? 2 : 0;
			cut = left == 1;
		} else if (p[i] == 0x1b && colors) {
			kept = color_size(p + i, left, &cut);
		}
		if (cut && !last)
			break;
		if (kept)
			perfdata_text_append(text, p + i, kept);
		i += kept ? kept : append_next(text, p + i, left);
	}
	return i;
}
