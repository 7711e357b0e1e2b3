/* SPDX-License-Identifier: MIT */
/* Writes the digits of numbers. Inline, since a call costs as much as the digits. */
#ifndef PD_DECIMAL_H
#define PD_DECIMAL_H

#include "text/digits.h"

static inline char *pd_pair_to(char *at, uint32_t value)
{
	memcpy(at, pd_decimal_pairs + 2 * value, 2);
	return at + 2;
}

/* Writes 8 digits, filled with zeros. */
static inline char *pd_eight_to(char *at, uint32_t value)
{
	const uint32_t high = value / 10000, low = value % 10000;
	at = pd_pair_to(at, high / 100);
	at = pd_pair_to(at, high % 100);
	at = pd_pair_to(at, low / 100);
	return pd_pair_to(at, low % 100);
}

/* Writes one or two digits. */
static inline char *pd_lead_to(char *at, uint32_t value)
{
	if (value >= 10)
		return pd_pair_to(at, value);
	*at = (char)('0' + value);
	return at + 1;
}

/* Writes 1 to 8 digits. */
static inline char *pd_below_1e8_to(char *at, uint32_t value)
{
	if (value < 100)
		return pd_lead_to(at, value);
	if (value < 10000)
		return pd_pair_to(pd_lead_to(at, value / 100), value % 100);
	const uint32_t high = value / 10000, low = value % 10000;
	at = high < 100 ? pd_lead_to(at, high) : pd_pair_to(pd_lead_to(at, high / 100), high % 100);
	at = pd_pair_to(at, low / 100);
	return pd_pair_to(at, low % 100);
}

static inline char *pd_u64_to(char *at, uint64_t value)
{
	if (value < 100000000)
		return pd_below_1e8_to(at, (uint32_t)value);
	const uint64_t high = value / 100000000;
	const uint32_t low = (uint32_t)(value % 100000000);
	if (high < 100000000)
		at = pd_below_1e8_to(at, (uint32_t)high);
	else
		at = pd_eight_to(pd_below_1e8_to(at, (uint32_t)(high / 100000000)), (uint32_t)(high % 100000000));
	return pd_eight_to(at, low);
}

static inline char *pd_s64_to(char *at, int64_t value)
{
	if (value >= 0)
		return pd_u64_to(at, (uint64_t)value);
	*at = '-';
	return pd_u64_to(at + 1, 0 - (uint64_t)value);
}

#endif
