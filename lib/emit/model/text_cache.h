/* SPDX-License-Identifier: MIT */
/* Spans of text by key, such as the name of a frame by its id: what one thread has spelled, to be copied when the key
 * comes again. Texts of whole stacks do not belong here: they fill the caches of the machine, and their frames are
 * copied as fast. */
#ifndef TEXT_CACHE_H
#define TEXT_CACHE_H

#include "base/account.h"
#include "perfdata/text.h"

#define TEXT_CACHE_SLOT_BITS 16u

struct text_cache {
	struct text_cache_slot {
		uint64_t key;
		uint32_t offset, size;
	} *slots;
	struct perfdata_text text;
	size_t most;                 /* bytes of it; a fuller cache starts anew, empty */
};

/* The account, which may be NULL, says how much the cache may hold. False without memory. The caller releases the cache
 * either way. */
bool pd_text_cache_init(struct text_cache *cache, const struct pd_account *account);
void pd_text_cache_release(struct text_cache *cache);
/* The text of a key other than 0, valid until the next pd_text_cache_put; NULL: the cache has none. */
static inline const char *text_cache_find(const struct text_cache *cache, uint64_t key, size_t *ret_size)
{
	const struct text_cache_slot *slot = &cache->slots[key * 0x9e3779b97f4a7c15ull >> (64 - TEXT_CACHE_SLOT_BITS)];
	*ret_size = slot->size;
	/* an empty slot has key 0, and a caller may ask for that key */
	return slot->size && slot->key == key ? cache->text.data + slot->offset : NULL;
}
/* Copies a text that text_cache_find gave to where there is room for TEXT_CACHE_SLACK bytes more, most of them without
 * a loop. */
#define TEXT_CACHE_SLACK 64u
static inline char *text_cache_copy(char *at, const char *text, size_t size)
{
	memcpy(at, text, TEXT_CACHE_SLACK);
	if (size > TEXT_CACHE_SLACK)
		memcpy(at + TEXT_CACHE_SLACK, text + TEXT_CACHE_SLACK, size - TEXT_CACHE_SLACK);
	return at + size;
}
/* Appends the text of a key; false: the cache has none. */
bool pd_text_cache_append(const struct text_cache *cache, uint64_t key, struct perfdata_text *out);
/* Keeps a text, for a while at least. Returns the kept text, as text_cache_find does; NULL: too large, or
 * no memory. */
const char *pd_text_cache_put(struct text_cache *cache, uint64_t key, const char *bytes, size_t size);

#endif
