/* SPDX-License-Identifier: MIT */
/* Cache of formatted texts by key, such as names of frames by frame id. The threads of a run share a pool, which only
 * grows and is read without a lock. When it is full, each thread keeps further texts in a cache, which it empties when
 * this is full. Not for texts of whole stacks: they would fill the CPU's caches, and copying the frames is as fast. */
#ifndef TEXT_CACHE_H
#define TEXT_CACHE_H

#include <stdatomic.h>
#include "base/account.h"
#include "base/prefetch.h"
#include "perfdata/text.h"

#define TEXT_CACHE_SLOT_BITS 16u
#define TEXT_POOL_SLOTS (1u << 17)
/* Texts are copied in steps of this size, so reads and writes go beyond the end of a text by up to this size. */
#define TEXT_CACHE_SLACK 32u

struct text_pool {
	_Atomic(struct text_pool_item *) *slots;
	struct pd_monitor *monitor;  /* guards the members below, for adding */
	char *block, *block_end;     /* free part of the current block */
	struct text_pool_block *blocks;
	size_t size, most;
};
/* Aligned to 8 bytes; the text is padded with zeros to a multiple of TEXT_CACHE_SLACK. */
struct text_pool_item {
	uint64_t key;
	size_t size;
	char text[];
};

/* The account (may be NULL) limits the pool. NULL without memory. */
struct text_pool *pd_text_pool_new(const struct pd_account *account);
void pd_text_pool_free(struct text_pool *pool);   /* NULL is fine */

struct text_cache {
	struct text_pool *pool;      /* or NULL */
	struct text_cache_slot {
		uint64_t key;
		uint32_t offset, size;
	} *slots;                    /* NULL: no text was added yet */
	struct perfdata_text text;
	size_t most;                 /* limit in bytes; a full cache is emptied */
};

/* The account (may be NULL) limits the cache. The pool must outlive the cache. */
void pd_text_cache_init(struct text_cache *cache, struct text_pool *pool, const struct pd_account *account);
void pd_text_cache_release(struct text_cache *cache);

/* A key is an id with a few bits on top for the kind of text. Consecutive ids have consecutive slots. */
static inline uint32_t text_pool_slot(uint64_t key)
{
	const uint32_t apart = (uint32_t)(key >> 32) * 0x9e3779b1u >> 15;
	return ((uint32_t)key ^ apart) & (TEXT_POOL_SLOTS - 1);
}
static inline size_t text_cache_slot(uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15ull >> (64 - TEXT_CACHE_SLOT_BITS));
}
/* Two steps that fetch a text which is asked for soon into the processor's caches; the second one some time after the
 * first, and some time before the text is needed. */
static inline void text_cache_expect(const struct text_cache *cache, uint64_t key)
{
	if (cache->pool)
		pd_prefetch(&cache->pool->slots[text_pool_slot(key)]);
}
static inline void text_cache_fetch(const struct text_cache *cache, uint64_t key)
{
	const struct text_pool_item *item =
		cache->pool ? atomic_load_explicit(&cache->pool->slots[text_pool_slot(key)], memory_order_acquire)
			    : NULL;
	if (item) {
		pd_prefetch(item);
		pd_prefetch((const char *)item + 64);
	}
}
/* The text of a key, which must not be 0, valid until the next pd_text_cache_put; NULL: none. */
static inline const char *text_cache_find(const struct text_cache *cache, uint64_t key, size_t *ret_size)
{
	const struct text_pool_item *item =
		cache->pool ? atomic_load_explicit(&cache->pool->slots[text_pool_slot(key)], memory_order_acquire)
			    : NULL;
	if (item && item->key == key) {
		*ret_size = item->size;
		return item->text;
	}
	if (!cache->slots)
		return NULL;
	const struct text_cache_slot *slot = &cache->slots[text_cache_slot(key)];
	*ret_size = slot->size;
	/* the key of an empty slot is 0, which a caller may ask for */
	return slot->size && slot->key == key ? cache->text.data + slot->offset : NULL;
}
/* Copies a text from text_cache_find to `at`, which needs room for TEXT_CACHE_SLACK more bytes. */
static inline char *text_cache_copy(char *at, const char *text, size_t size)
{
	for (size_t done = 0; done < size; done += TEXT_CACHE_SLACK)
		memcpy(at + done, text + done, TEXT_CACHE_SLACK);
	return at + size;
}
/* Appends the text of a key. False: there is none. */
bool pd_text_cache_append(const struct text_cache *cache, uint64_t key, struct perfdata_text *out);
/* Adds a text, and returns it as text_cache_find does; NULL: too large, or without memory. */
const char *pd_text_cache_put(struct text_cache *cache, uint64_t key, const char *bytes, size_t size);

#endif
