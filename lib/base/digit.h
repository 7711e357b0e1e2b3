/* SPDX-License-Identifier: MIT */
#ifndef PD_DIGIT_H
#define PD_DIGIT_H

#include <stddef.h>
#include <stdint.h>

/* Returns the value of a hexadecimal digit of either case; for others PD_NO_DIGIT, which is larger than any base. */
#define PD_NO_DIGIT 99u
static inline unsigned pd_digit_of(char c)
{
	const char lower = (char)(c | 0x20);
	return c >= '0' && c <= '9' ? (unsigned)(c - '0')
	       : lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10 : PD_NO_DIGIT;
}

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
