/* SPDX-License-Identifier: MIT */
#ifndef PD_DIGIT_H
#define PD_DIGIT_H

/* The value of a hexadecimal digit of either case; for other characters PD_NO_DIGIT, which is larger than any base. */
#define PD_NO_DIGIT 99u
static inline unsigned pd_digit_of(char c)
{
	const char lower = (char)(c | 0x20);
	return c >= '0' && c <= '9' ? (unsigned)(c - '0')
	       : lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10 : PD_NO_DIGIT;
}

#endif
