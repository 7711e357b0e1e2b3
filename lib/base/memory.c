/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/port.h"

/* Smaller tables are mostly in memory that was used before. */
#define LEAST_MADE_AT_ONCE ((size_t)128 << 10)

/* Whether no object can be so large. C libraries refuse such sizes too, but sanitizers would abort the program. */
static bool is_absurd(size_t size) { return size > PTRDIFF_MAX; }

void *pd_malloc(size_t size) { return is_absurd(size) ? NULL : malloc(size ? size : 1); }

void *pd_calloc(size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes) || is_absurd(bytes))
		return NULL;
	if (!bytes)
		count = size = 1;
	return calloc(count, size);
}

void *pd_calloc_slots(size_t count, size_t size)
{
	void *slots = pd_calloc(count, size);
	if (slots && count * size >= LEAST_MADE_AT_ONCE)
		pd_make_pages(slots, count * size);
	return slots;
}

void *pd_malloc_large(size_t size)
{
	void *memory;
	if (size < PD_LARGE_PAGE)
		return pd_malloc(size);
	if (is_absurd(size) || posix_memalign(&memory, PD_LARGE_PAGE, size))
		return NULL;
	pd_prefer_large_pages(memory, size);
	return memory;
}

size_t pd_large_size(size_t size)
{
	const size_t part = size % PD_LARGE_PAGE;
	return part < PD_LARGE_PAGE / 2 || is_absurd(size) ? size : size - part + PD_LARGE_PAGE;
}

void *pd_realloc(void *old, size_t size) { return is_absurd(size) ? NULL : realloc(old, size ? size : 1); }

void pd_free(void *memory) { free(memory); }

char *pd_strndup(const void *bytes, size_t size)
{
	if (size == SIZE_MAX)
		return NULL;
	char *copy = pd_malloc(size + 1);
	if (!copy)
		return NULL;
	if (size)
		memcpy(copy, bytes, size);
	copy[size] = '\0';
	return copy;
}

int pd_vector_enlarge(void *items_pointer, size_t *capacity, size_t count, size_t item_size)
{
	size_t wanted = *capacity < 8 ? 8 : *capacity;
	while (wanted <= count) {
		if (wanted > SIZE_MAX / 2)
			return -1;
		wanted *= 2;
	}
	size_t bytes;
	if (__builtin_mul_overflow(wanted, item_size, &bytes))
		return -1;

	/* the type of the pointer is unknown here: copying its bytes breaks no aliasing rule */
	void *items;
	memcpy(&items, items_pointer, sizeof items);
	items = pd_realloc(items, bytes);
	if (!items)
		return -1;
	memcpy(items_pointer, &items, sizeof items);
	*capacity = wanted;
	return 0;
}

int pd_vector_enlarge_clear(void *items_pointer, size_t *capacity, size_t index, size_t item_size)
{
	const size_t before = *capacity;
	if (pd_vector_enlarge(items_pointer, capacity, index, item_size) < 0)
		return -1;
	char *items;
	memcpy(&items, items_pointer, sizeof items);
	memset(items + before * item_size, 0, (*capacity - before) * item_size);
	return 0;
}
