/* SPDX-License-Identifier: MIT */
/* Well-formed UTF-8 (Unicode standard, table 3-7): no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef PD_UTF8_H
#define PD_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool pd_utf8_is_tail(uint8_t byte) { return (byte & 0xc0) == 0x80; }

/* Returns the size (1 to 4) of the well-formed sequence at `p`; 0: there is none. `left` is at least 1. */
static inline size_t pd_utf8_length(const uint8_t *p, size_t left)
{
	uint8_t first = p[0];
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || left < 2 || !pd_utf8_is_tail(p[1]))
		return 0;
	if (first < 0xe0)
		return 2;
	if (left < 3 || !pd_utf8_is_tail(p[2]))
		return 0;
	if (first < 0xf0) {
		bool overlong = first == 0xe0 && p[1] < 0xa0;
		bool surrogate = first == 0xed && p[1] >= 0xa0;
		return overlong || surrogate ? 0 : 3;
	}
	if (first > 0xf4 || left < 4 || !pd_utf8_is_tail(p[3]))
		return 0;
	bool overlong = first == 0xf0 && p[1] < 0x90;
	bool above = first == 0xf4 && p[1] >= 0x90;
	return overlong || above ? 0 : 4;
}

#endif
