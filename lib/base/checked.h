/* SPDX-License-Identifier: MIT */
/* Arithmetic on values from a file. A function with *ret returns false on overflow and leaves *ret unchanged. */
#ifndef PD_CHECKED_H
#define PD_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool pd_add(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t r;
	if (__builtin_add_overflow(a, b, &r))
		return false;
	*ret = r;
	return true;
}
static inline bool pd_mul(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t r;
	if (__builtin_mul_overflow(a, b, &r))
		return false;
	*ret = r;
	return true;
}
/* Converts to size_t, which on 32-bit machines is narrower than values in a file. */
static inline bool pd_size(uint64_t v, size_t *ret)
{
	if (v > SIZE_MAX / 2)
		return false;
	*ret = (size_t)v;
	return true;
}
/* Whether [offset, offset + size] is inside [0, limit]. */
static inline bool pd_range_ok(uint64_t offset, uint64_t size, uint64_t limit)
{
	return offset <= limit && size <= limit - offset;
}
/* Adds to a sum of arbitrary weights. The sum saturates at UINT64_MAX, so that no part seems larger than the whole. */
static inline void pd_sum_up(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

/* Rounds up to a multiple of 8; saturates. */
static inline uint64_t pd_align8(uint64_t v) { return v > UINT64_MAX - 7 ? UINT64_MAX & ~7ull : (v + 7) & ~7ull; }

#endif
