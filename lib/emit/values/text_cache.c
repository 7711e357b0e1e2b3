/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/threads.h"
#include "emit/values/text_cache.h"

/* Limits of a pool and of a cache: a fraction of the memory limit, since each thread has a cache. */
#define LEAST_TEXT ((size_t)256 << 10)
#define MOST_TEXT ((size_t)8 << 20)
#define PART_OF_LIMIT 32u

static size_t most_text(const struct pd_account *account)
{
	const uint64_t part = (account ? account->limit : PD_DEFAULT_MEMORY) / PART_OF_LIMIT;
	return part > MOST_TEXT ? MOST_TEXT : part < LEAST_TEXT ? LEAST_TEXT : (size_t)part;
}

/* --- the pool ----------------------------------------------------------------------------------------------------- */

/* Size of blocks. Not an arena, whose blocks grow and would exceed the limit. */
#define BLOCK ((size_t)64 << 10)

struct text_pool_block {
	struct text_pool_block *next;
	_Alignas(8) char bytes[];
};

struct text_pool *pd_text_pool_new(const struct pd_account *account)
{
	struct text_pool *pool = calloc(1, sizeof *pool);
	if (!pool)
		return NULL;
	pool->most = most_text(account);
	/* untouched pages of the slots take no memory */
	pool->slots = calloc(TEXT_POOL_SLOTS, sizeof *pool->slots);
	pool->monitor = pd_monitor_new();
	if (pool->slots && pool->monitor)
		return pool;
	pd_text_pool_free(pool);
	return NULL;
}

void pd_text_pool_free(struct text_pool *pool)
{
	if (!pool)
		return;
	for (struct text_pool_block *next; pool->blocks; pool->blocks = next) {
		next = pool->blocks->next;
		free(pool->blocks);
	}
	pd_monitor_free(pool->monitor);
	free(pool->slots);
	free(pool);
}

/* Memory for an item; NULL: the pool is full, or without memory. */
static struct text_pool_item *make_item(struct text_pool *pool, size_t bytes)
{
	if (bytes > (size_t)(pool->block_end - pool->block)) {
		const size_t room = bytes > BLOCK ? bytes : BLOCK;
		struct text_pool_block *block = room <= pool->most - pool->size ? malloc(sizeof *block + room) : NULL;
		if (!block)
			return NULL;
		block->next = pool->blocks;
		pool->blocks = block;
		pool->size += room;
		pool->block = block->bytes;
		pool->block_end = block->bytes + room;
	}
	struct text_pool_item *item = (void *)pool->block;
	pool->block += bytes;
	return item;
}

/* To be called inside the monitor. */
static struct text_pool_item *add_item(struct text_pool *pool, uint64_t key, const char *text, size_t size)
{
	const size_t padded = (size + TEXT_CACHE_SLACK - 1) & ~(size_t)(TEXT_CACHE_SLACK - 1);
	struct text_pool_item *item = make_item(pool, sizeof *item + padded);
	if (!item)
		return NULL;
	*item = (struct text_pool_item){ .key = key, .size = size };
	memcpy(item->text, text, size);
	memset(item->text + size, 0, padded - size);
	return item;
}

/* NULL: the pool is full. It drops no text, since other threads may be reading it. */
static const char *put_into_pool(struct text_pool *pool, uint64_t key, const char *text, size_t size)
{
	_Atomic(struct text_pool_item *) *slot = &pool->slots[text_pool_slot(key)];
	pd_monitor_enter(pool->monitor);
	struct text_pool_item *item = atomic_load_explicit(slot, memory_order_relaxed);
	if (!item && size <= pool->most && (item = add_item(pool, key, text, size)))
		atomic_store_explicit(slot, item, memory_order_release);
	pd_monitor_leave(pool->monitor);
	return item && item->key == key ? item->text : NULL;
}

/* --- the cache of a thread
 * ----------------------------------------------------------------------------------------------- */

#define SLOTS (1u << TEXT_CACHE_SLOT_BITS)

void pd_text_cache_init(struct text_cache *cache, struct text_pool *pool, const struct pd_account *account)
{
	*cache = (struct text_cache){ .pool = pool, .most = most_text(account) };
	perfdata_text_init(&cache->text);
}

void pd_text_cache_release(struct text_cache *cache)
{
	free(cache->slots);
	perfdata_text_release(&cache->text);
}

bool pd_text_cache_append(const struct text_cache *cache, uint64_t key, struct perfdata_text *out)
{
	size_t size;
	const char *text = text_cache_find(cache, key, &size);
	char *at = text ? perfdata_text_reserve(out, size + TEXT_CACHE_SLACK) : NULL;
	if (at)
		perfdata_text_commit(out, text_cache_copy(at, text, size));
	return text;
}

const char *pd_text_cache_put(struct text_cache *cache, uint64_t key, const char *bytes, size_t size)
{
	const char *shared = cache->pool ? put_into_pool(cache->pool, key, bytes, size) : NULL;
	if (shared)
		return shared;
	if (size > cache->most || (!cache->slots && !(cache->slots = calloc(SLOTS, sizeof *cache->slots))))
		return NULL;
	if (cache->text.size + size > cache->most) {
		memset(cache->slots, 0, SLOTS * sizeof *cache->slots);
		perfdata_text_clear(&cache->text);
	}
	const size_t offset = cache->text.size;
	char *at = perfdata_text_reserve(&cache->text, size + TEXT_CACHE_SLACK);
	if (!at)
		return NULL;
	memcpy(at, bytes, size);
	memset(at + size, 0, TEXT_CACHE_SLACK);
	perfdata_text_commit(&cache->text, at + size);
	cache->slots[text_cache_slot(key)] = (struct text_cache_slot){ key, (uint32_t)offset, (uint32_t)size };
	return at;
}
