/* SPDX-License-Identifier: MIT */
/* Makes what lib/base hands out fail in turn, too, beside the allocations of alloc_fail.h: an arena gives many pieces
 * of one block, an array, a table and a map have room for more than what was asked. Without this, which pieces are seen
 * to fail depends on where blocks happen to end. Link the test with $(unit_piece_ldflags); include this in one file of
 * it, in place of alloc_fail.h. */
#ifndef TESTS_ALLOC_FAIL_PIECES_H
#define TESTS_ALLOC_FAIL_PIECES_H

#include "alloc_fail.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/table.h"

void *__real_pd_arena_alloc(struct pd_arena *arena, size_t size);
void *__wrap_pd_arena_alloc(struct pd_arena *arena, size_t size);
void *__wrap_pd_arena_alloc(struct pd_arena *arena, size_t size)
{
	return alloc_fail_now() ? NULL : __real_pd_arena_alloc(arena, size);
}

void *__real_pd_arena_calloc(struct pd_arena *arena, size_t count, size_t size);
void *__wrap_pd_arena_calloc(struct pd_arena *arena, size_t count, size_t size);
void *__wrap_pd_arena_calloc(struct pd_arena *arena, size_t count, size_t size)
{
	return alloc_fail_now() ? NULL : __real_pd_arena_calloc(arena, count, size);
}

char *__real_pd_arena_copy(struct pd_arena *arena, const void *bytes, size_t size);
char *__wrap_pd_arena_copy(struct pd_arena *arena, const void *bytes, size_t size);
char *__wrap_pd_arena_copy(struct pd_arena *arena, const void *bytes, size_t size)
{
	return alloc_fail_now() ? NULL : __real_pd_arena_copy(arena, bytes, size);
}

/* What replaces a value needs no memory. */
int __real_pd_hash_map_put(struct pd_hash_map *map, uint64_t key, uint64_t value);
int __wrap_pd_hash_map_put(struct pd_hash_map *map, uint64_t key, uint64_t value);
int __wrap_pd_hash_map_put(struct pd_hash_map *map, uint64_t key, uint64_t value)
{
	return !pd_hash_map_find(map, key) && alloc_fail_now() ? -1 : __real_pd_hash_map_put(map, key, value);
}

void *__real_pd_table_add(struct pd_table *table, uint32_t *ret_index);
void *__wrap_pd_table_add(struct pd_table *table, uint32_t *ret_index);
void *__wrap_pd_table_add(struct pd_table *table, uint32_t *ret_index)
{
	return alloc_fail_now() ? NULL : __real_pd_table_add(table, ret_index);
}

int __real_pd_index_add(struct pd_index *index, uint64_t hash, uint32_t value);
int __wrap_pd_index_add(struct pd_index *index, uint64_t hash, uint32_t value);
int __wrap_pd_index_add(struct pd_index *index, uint64_t hash, uint32_t value)
{
	return alloc_fail_now() ? -1 : __real_pd_index_add(index, hash, value);
}

/* A small array that grew says that it has room for the item that was asked for, and for no other; large ones would
 * make too many allocations to let each of them fail. */
#define SMALL_ARRAY 16u

static inline int say_full(int status, size_t *capacity, size_t count)
{
	if (status == 0 && count < SMALL_ARRAY)
		*capacity = count + 1;
	return status;
}

int __real_pd_vector_enlarge(void *items_pointer, size_t *capacity, size_t count, size_t item_size);
int __wrap_pd_vector_enlarge(void *items_pointer, size_t *capacity, size_t count, size_t item_size);
int __wrap_pd_vector_enlarge(void *items_pointer, size_t *capacity, size_t count, size_t item_size)
{
	return say_full(__real_pd_vector_enlarge(items_pointer, capacity, count, item_size), capacity, count);
}

int __real_pd_vector_enlarge_clear(void *items_pointer, size_t *capacity, size_t index, size_t item_size);
int __wrap_pd_vector_enlarge_clear(void *items_pointer, size_t *capacity, size_t index, size_t item_size);
int __wrap_pd_vector_enlarge_clear(void *items_pointer, size_t *capacity, size_t index, size_t item_size)
{
	return say_full(__real_pd_vector_enlarge_clear(items_pointer, capacity, index, item_size), capacity, index);
}

#endif
