/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdint.h>
#include <stdlib.h>
#include "emit/model/pool.h"

#define BLOCK_SIZE ((size_t)16 << 10)

struct pool_block {
	_Alignas(16) struct pool_block *next;
	size_t size;
};

void *pd_pool_alloc(struct pool *pool, size_t size)
{
	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (!pool->blocks || pool->left < size) {
		const size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		struct pool_block *block = calloc(1, sizeof *block + room);
		if (!block)
			return NULL;
		block->next = pool->blocks;
		block->size = room;
		pool->blocks = block;
		pool->left = room;
	}
	struct pool_block *block = pool->blocks;
	char *at = (char *)(block + 1) + (block->size - pool->left);
	pool->left -= size;
	return at;
}

void pd_pool_release(struct pool *pool)
{
	while (pool->blocks) {
		struct pool_block *next = pool->blocks->next;
		free(pool->blocks);
		pool->blocks = next;
	}
	pool->left = 0;
}
