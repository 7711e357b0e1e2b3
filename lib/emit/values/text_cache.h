/* SPDX-License-Identifier: MIT */
/* Spans of text by key, such as the name of a frame by its id: formatted once, and copied when the key comes again. The
 * threads of a run share a pool, which only grows: its texts are found without a lock. What comes when it is full, each
 * thread keeps in a cache of its own, and forgets when that is full. Texts of whole stacks do not belong here: they
 * fill the caches of the machine, and their frames are copied as fast. */
#ifndef TEXT_CACHE_H
#define TEXT_CACHE_H

#include <stdatomic.h>
#include "base/account.h"
#include "perfdata/text.h"

#define TEXT_CACHE_SLOT_BITS 16u
#define TEXT_POOL_SLOTS (1u << 17)
/* Texts are copied in steps of this size: a cache can be read, and a copy is written, so far past a text's end. */
#define TEXT_CACHE_SLACK 32u

struct text_pool {
	_Atomic(struct text_pool_item *) *slots;
	struct pd_monitor *monitor;  /* for adding; guards the members below */
	char *block, *block_end;     /* where the next text goes */
	struct text_pool_block *blocks;
	size_t size, most;
};
/* Starts on a multiple of 8 bytes; zeros follow the text, up to a multiple of TEXT_CACHE_SLACK. */
struct text_pool_item {
	uint64_t key;
	size_t size;
	char text[];
};

/* The account, which may be NULL, says how much the pool may hold. NULL without memory. */
struct text_pool *pd_text_pool_new(const struct pd_account *account);
void pd_text_pool_free(struct text_pool *pool);   /* NULL is fine */

struct text_cache {
	struct text_pool *pool;      /* or NULL */
	struct text_cache_slot {
		uint64_t key;
		uint32_t offset, size;
	} *slots;                    /* NULL: nothing was put yet that the pool did not take */
	struct perfdata_text text;
	size_t most;                 /* bytes of it; a fuller cache starts anew, empty */
};

/* The account, which may be NULL, says how much the cache may hold. The pool must outlive it. */
void pd_text_cache_init(struct text_cache *cache, struct text_pool *pool, const struct pd_account *account);
void pd_text_cache_release(struct text_cache *cache);

/* Keys are ids with a few bits on top that say what of the thing is meant: ids that follow each other have slots that
 * follow each other. */
static inline uint32_t text_pool_slot(uint64_t key)
{
	const uint32_t apart = (uint32_t)(key >> 32) * 0x9e3779b1u >> 15;
	return ((uint32_t)key ^ apart) & (TEXT_POOL_SLOTS - 1);
}
static inline size_t text_cache_slot(uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15ull >> (64 - TEXT_CACHE_SLOT_BITS));
}
/* The text of a key other than 0, valid until the next pd_text_cache_put; NULL: there is none. */
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
	/* an empty slot has key 0, and a caller may ask for that key */
	return slot->size && slot->key == key ? cache->text.data + slot->offset : NULL;
}
/* Copies a text that text_cache_find gave to where there is room for TEXT_CACHE_SLACK bytes more. */
static inline char *text_cache_copy(char *at, const char *text, size_t size)
{
	for (size_t done = 0; done < size; done += TEXT_CACHE_SLACK)
		memcpy(at + done, text + done, TEXT_CACHE_SLACK);
	return at + size;
}
/* Appends the text of a key; false: the cache has none. */
bool pd_text_cache_append(const struct text_cache *cache, uint64_t key, struct perfdata_text *out);
/* Keeps a text, for a while at least. Returns the kept text, as text_cache_find does; NULL: too large, or
 * no memory. */
const char *pd_text_cache_put(struct text_cache *cache, uint64_t key, const char *bytes, size_t size);

#endif
