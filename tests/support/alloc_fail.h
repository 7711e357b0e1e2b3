/* SPDX-License-Identifier: MIT */
/* Makes allocations fail in turn. Link the test with $(unit_alloc_ldflags); include this in one file of it.
 *
 *	for (int n = 0; alloc_fail_run(n, work); n++)
 *
 * calls `work` repeatedly, and makes only the n-th allocation of each run fail, until a run needs fewer than n. Only
 * allocations of code that is linked statically (the library and the test) count, not those of the C library, zlib or
 * zstd. */
#ifndef TESTS_ALLOC_FAIL_H
#define TESTS_ALLOC_FAIL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static long alloc_fail_countdown = -1;  /* allocations until the one that fails; negative: none fails */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **ret, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_posix_memalign(void **ret, size_t alignment, size_t size);

static void (*alloc_fail_note)(void);   /* called at each allocation (alloc_fail_sites.h) */

static inline bool alloc_fail_now(void)
{
	if (alloc_fail_note)
		alloc_fail_note();
	/* other threads may allocate at the same time */
	return __atomic_load_n(&alloc_fail_countdown, __ATOMIC_RELAXED) >= 0 &&
	       __atomic_fetch_sub(&alloc_fail_countdown, 1, __ATOMIC_RELAXED) == 0;
}

void *__wrap_malloc(size_t size) { return alloc_fail_now() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return alloc_fail_now() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return alloc_fail_now() ? NULL : __real_realloc(old, size); }

int __wrap_posix_memalign(void **ret, size_t alignment, size_t size)
{
	return alloc_fail_now() ? ENOMEM : __real_posix_memalign(ret, alignment, size);
}

/* Runs `work`; true if the n-th allocation (from 0) took place, and so failed. */
static inline bool alloc_fail_run(int n, void (*work)(void))
{
	alloc_fail_countdown = n;
	work();
	bool happened = alloc_fail_countdown < 0;
	alloc_fail_countdown = -1;
	return happened;
}

#endif
