/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include "emit/model/text_cache.h"

#define SLOTS (1u << TEXT_CACHE_SLOT_BITS)
/* Bytes of a full cache: a part of the limit of memory, since there is a cache for each thread. */
#define LEAST_TEXT ((size_t)256 << 10)
#define MOST_TEXT ((size_t)8 << 20)
#define PART_OF_LIMIT 32u

bool pd_text_cache_init(struct text_cache *cache, const struct pd_account *account)
{
	const uint64_t part = (account ? account->limit : PD_DEFAULT_MEMORY) / PART_OF_LIMIT;
	cache->most = part > MOST_TEXT ? MOST_TEXT : part < LEAST_TEXT ? LEAST_TEXT : (size_t)part;
	perfdata_text_init(&cache->text);
	cache->slots = calloc(SLOTS, sizeof *cache->slots);
	return cache->slots;
}

void pd_text_cache_release(struct text_cache *cache)
{
	free(cache->slots);
	perfdata_text_release(&cache->text);
}

static struct text_cache_slot *slot_of(const struct text_cache *cache, uint64_t key)
{
	return &cache->slots[key * 0x9e3779b97f4a7c15ull >> (64 - TEXT_CACHE_SLOT_BITS)];
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
	if (size > cache->most)
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
	*slot_of(cache, key) = (struct text_cache_slot){ key, (uint32_t)offset, (uint32_t)size };
	return at;
}
