/* Spans of text by key, such as the lines of a stack by its id: what one thread has spelled, to be copied when it comes again. */
#ifndef TEXT_CACHE_H
#define TEXT_CACHE_H

#include "perfdata_text.h"

#define TEXT_CACHE_SLOT_BITS 16u

struct text_cache {
	struct text_cache_slot {
		uint64_t key;
		uint32_t offset, size;
	} *slots;
	struct perfdata_text text;
};

/* False without memory. To be released either way. */
bool text_cache_init(struct text_cache *cache);
void text_cache_release(struct text_cache *cache);
/* The text of a key other than 0, valid until the next text is kept; NULL: it is not there. */
static inline const char *text_cache_find(const struct text_cache *cache, uint64_t key, size_t *ret_size)
{
	const struct text_cache_slot *slot = &cache->slots[key * 0x9e3779b97f4a7c15ull >> (64 - TEXT_CACHE_SLOT_BITS)];
	*ret_size = slot->size;
	/* an empty slot has key 0, which somebody may ask for */
	return slot->size && slot->key == key ? cache->text.data + slot->offset : NULL;
}
/* Appends it; false: it is not there. */
bool text_cache_append(const struct text_cache *cache, uint64_t key, struct perfdata_text *out);
/* Keeps a text, for a while at least. */
void text_cache_put(struct text_cache *cache, uint64_t key, const char *bytes, size_t size);

#endif
