/* SPDX-License-Identifier: MIT */
/* Makes the pieces that lib/base hands out fail in turn, in addition to the allocations of alloc_fail.h. An arena hands
 * out many pieces of one block, and an array, a table and a map take memory for several items at once: without this
 * file, only pieces at the end of a block could fail. Link the test with $(unit_piece_ldflags); include this file in
 * one file of the test, instead of alloc_fail.h. */
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

/* Replacing a value needs no memory, so only a new key can fail. */
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

/* A small array claims room for the requested item only, so that each further item allocates. In larger arrays, these
 * would be too many allocations to make each of them fail. */
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
