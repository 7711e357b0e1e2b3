/* SPDX-License-Identifier: MIT */
/* Binary search in a sorted array of any type. */
#ifndef PD_SEARCH_H
#define PD_SEARCH_H

#include <stddef.h>

/* Sets the variable `index` to the number of items in a sorted array of `nr` items that precede the searched one.
 * is_before: an expression that says whether item number `at` precedes it. */
#define PD_COUNT_BEFORE(index, nr, at, is_before) \
	do { \
		size_t pd_end = (nr); \
		for ((index) = 0; (index) < pd_end;) { \
			const size_t at = (index) + (pd_end - (index)) / 2; \
			if (is_before) \
				(index) = at + 1; \
			else \
				pd_end = at; \
		} \
	} while (0)

#endif
