/* SPDX-License-Identifier: MIT */
/* Binary search in a sorted array: of numbers, texts, or whatever else the condition compares. */
#ifndef PD_SEARCH_H
#define PD_SEARCH_H

#include <stddef.h>

/* Sets `index`, a variable, to how many of `nr` items lie before what is searched: these come first. `is_before` says
 * so of the item number `at`. */
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
