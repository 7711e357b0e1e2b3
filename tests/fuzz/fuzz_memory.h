/* SPDX-License-Identifier: MIT */
/* What an input may take of memory that no account knows. The sanitizers of fuzzing call these hooks for each block of
 * memory; where there are none, as in the replay of `make check`, nothing is counted. To be included by one file. */
#ifndef TESTS_FUZZ_MEMORY_H
#define TESTS_FUZZ_MEMORY_H

#include "fuzz.h"

#define FUZZ_HEAP_FREE ((size_t)16 << 20)
#define FUZZ_HEAP_OF_BYTE 1024u

static _Thread_local size_t fuzz_heap, fuzz_heap_peak;

size_t __sanitizer_get_allocated_size(const volatile void *block) __attribute__((weak));
void __sanitizer_malloc_hook(const volatile void *block, size_t size);
void __sanitizer_free_hook(const volatile void *block);

void __sanitizer_malloc_hook(const volatile void *block, size_t size)
{
	(void)block;
	fuzz_heap += size;
	fuzz_heap_peak = fuzz_heap > fuzz_heap_peak ? fuzz_heap : fuzz_heap_peak;
}

void __sanitizer_free_hook(const volatile void *block)
{
	const size_t size = block && __sanitizer_get_allocated_size ? __sanitizer_get_allocated_size(block) : 0;
	fuzz_heap -= size < fuzz_heap ? size : fuzz_heap;
}

static inline void fuzz_memory_begin(void) { fuzz_heap = fuzz_heap_peak = 0; }
static inline void fuzz_require_memory(size_t size)
{
	fuzz_require(fuzz_heap_peak < FUZZ_HEAP_FREE + FUZZ_HEAP_OF_BYTE * size,
		     "the input takes more memory than its size explains");
}

#endif
