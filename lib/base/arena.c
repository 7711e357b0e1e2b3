/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdalign.h>
#include <stddef.h>
#include <string.h>
#include "base/arena.h"
#include "base/memory.h"

#define ARENA_ALIGN alignof(max_align_t)   /* alignment of malloc */
#define ARENA_FIRST_BLOCK ((size_t)256)
#define ARENA_LARGEST_BLOCK ((size_t)1 << 20)

struct pd_arena_block {
	struct pd_arena_block *older;
	size_t size;  /* bytes after this header */
	alignas(ARENA_ALIGN) unsigned char bytes[];
};

static struct pd_arena_block *block_new(struct pd_arena *arena, size_t size)
{
	struct pd_arena_block *block = pd_malloc(sizeof *block + size);
	if (!block)
		return NULL;
	block->size = size;
	arena->total += sizeof *block + size;
	return block;
}

static void block_free(struct pd_arena *arena, struct pd_arena_block *block)
{
	arena->total -= sizeof *block + block->size;
	pd_free(block);
}

/* Allocates what does not fit into the newest block. A large object gets a block of its own, so that the rest of the
 * newest block stays usable; for others, a new and larger block becomes the newest. */
static void *alloc_slow(struct pd_arena *arena, size_t size)
{
	size_t next = arena->room < ARENA_FIRST_BLOCK / 2 ? ARENA_FIRST_BLOCK : arena->room * 2;
	if (next > ARENA_LARGEST_BLOCK)
		next = ARENA_LARGEST_BLOCK;

	if (size > next / 4 && arena->blocks) {
		struct pd_arena_block *block = block_new(arena, size);
		if (!block)
			return NULL;
		block->older = arena->blocks->older;
		arena->blocks->older = block;
		return block->bytes;
	}
	struct pd_arena_block *block = block_new(arena, size > next ? size : next);
	if (!block)
		return NULL;
	block->older = arena->blocks;
	arena->blocks = block;
	arena->room = block->size;
	arena->used = size;
	return block->bytes;
}

void *pd_arena_alloc(struct pd_arena *arena, size_t size)
{
	if (size > PTRDIFF_MAX - sizeof(struct pd_arena_block) - ARENA_ALIGN)
		return NULL;
	size = size ? (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1) : ARENA_ALIGN;
	if (size > arena->room - arena->used)
		return alloc_slow(arena, size);
	void *memory = arena->blocks->bytes + arena->used;
	arena->used += size;
	return memory;
}

void *pd_arena_calloc(struct pd_arena *arena, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	void *memory = pd_arena_alloc(arena, bytes);
	return memory ? memset(memory, 0, bytes) : NULL;
}

char *pd_arena_copy(struct pd_arena *arena, const void *bytes, size_t size)
{
	if (size == SIZE_MAX)
		return NULL;
	char *copy = pd_arena_alloc(arena, size + 1);
	if (!copy)
		return NULL;
	if (size)
		memcpy(copy, bytes, size);
	copy[size] = '\0';
	return copy;
}

static void free_older(struct pd_arena *arena, struct pd_arena_block *block)
{
	while (block) {
		struct pd_arena_block *older = block->older;
		block_free(arena, block);
		block = older;
	}
}

void pd_arena_reset(struct pd_arena *arena)
{
	if (!arena->blocks)
		return;
	free_older(arena, arena->blocks->older);
	arena->blocks->older = NULL;
	arena->used = 0;
}

void pd_arena_release(struct pd_arena *arena)
{
	free_older(arena, arena->blocks);
	memset(arena, 0, sizeof *arena);
}
