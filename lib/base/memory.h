/* SPDX-License-Identifier: MIT */
/* The library allocates all memory through these functions, so that tests can make each allocation fail in turn. */
#ifndef PD_MEMORY_H
#define PD_MEMORY_H

#include <stddef.h>
#include <stdint.h>

void *pd_malloc(size_t size);                      /* size 0 counts as 1 */
void *pd_calloc(size_t count, size_t size);        /* NULL also on overflow */
/* As pd_calloc, for a hash table: its slots will be read and written in any order. The kernel makes the pages at once.
 * Otherwise the first reading of a page and the first writing would cause a fault each, and the second fault interrupts
 * all other threads, since it replaces a page that they may have seen. */
void *pd_calloc_slots(size_t count, size_t size);
/* As pd_malloc, for memory that will be used whole. It is in large pages if the system has them: the kernel makes small
 * pages one by one at their first use, which takes ten times as long. */
void *pd_malloc_large(size_t size);
/* Returns the size with which pd_malloc_large gets `size` bytes: whole large pages if the last one is half used. */
size_t pd_large_size(size_t size);
void *pd_realloc(void *old, size_t size);
void pd_free(void *memory);
char *pd_strndup(const void *bytes, size_t size);  /* adds a NUL */

/* Grows the vector `*items` of `*capacity` elements so that element `count` exists; at least doubles it. 0 or -1. */
int pd_vector_enlarge(void *items_pointer, size_t *capacity, size_t count, size_t item_size);
static inline int pd_vector_grow(void *items_pointer, size_t *capacity, size_t count, size_t item_size)
{
	return count < *capacity ? 0 : pd_vector_enlarge(items_pointer, capacity, count, item_size);
}
/* As pd_vector_enlarge, for vectors whose indexes are ids of other tables: new elements are zeros. */
int pd_vector_enlarge_clear(void *items_pointer, size_t *capacity, size_t index, size_t item_size);
static inline int pd_vector_reach(void *items_pointer, size_t *capacity, size_t index, size_t item_size)
{
	return index < *capacity ? 0 : pd_vector_enlarge_clear(items_pointer, capacity, index, item_size);
}

#endif
