#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "session/chain_cache.h"

#define FIRST_SLOTS ((size_t)4096)
#define PROBES 8u            /* slots that a chain may stand in, from its own on */

/* A copy of what a chain was looked up by, in one piece, so that one look at memory decides. */
struct words {
	uint64_t maps, kernel;
	uint32_t stack;
	uint32_t recorded, deferred;       /* words of each; UINT32_MAX: there is no such list */
	uint32_t unused;
	uint64_t words[];
};

struct pd_chain_slot {
	uint64_t place;                    /* pd_chain_place */
	const struct words *words;         /* NULL: free */
};

uint64_t pd_chain_place(const struct pd_chain_key *key, uint64_t seed)
{
	uint64_t hash = pd_hash_bytes(key->recorded->data, key->recorded->count * 8, seed);
	if (key->deferred)
		hash = pd_hash_bytes(key->deferred->data, key->deferred->count * 8, hash);
	return pd_hash_u64(hash, key->maps ^ key->kernel << 32);
}

static uint32_t length(const struct perfdata_list *list) { return list ? (uint32_t)list->count : UINT32_MAX; }

static bool same_words(const uint64_t *words, const struct perfdata_list *list)
{
	return !list->count || !memcmp(words, list->data, list->count * 8);
}

/* Hashes alone never decide. */
static bool is_of(const struct words *words, const struct pd_chain_key *key)
{
	if (words->maps != key->maps || words->kernel != key->kernel || words->recorded != length(key->recorded) ||
	    words->deferred != length(key->deferred) || !same_words(words->words, key->recorded))
		return false;
	return !key->deferred || same_words(words->words + words->recorded, key->deferred);
}

uint32_t pd_chain_cache_get(const struct pd_chain_cache *cache, const struct pd_chain_key *key)
{
	for (unsigned i = 0; i < PROBES && cache->nr_slots; i++) {
		const struct pd_chain_slot *slot = &cache->slots[(key->place + i) & (cache->nr_slots - 1)];
		if (!slot->words)
			break;
		if (slot->place == key->place && is_of(slot->words, key))
			return slot->words->stack;
	}
	return PERFDATA_NONE;
}

/* A free slot for a chain, or its own one. */
static struct pd_chain_slot *slot_for(struct pd_chain_slot *slots, size_t nr_slots, uint64_t place)
{
	for (unsigned i = 0; i < PROBES; i++) {
		struct pd_chain_slot *slot = &slots[(place + i) & (nr_slots - 1)];
		if (!slot->words)
			return slot;
	}
	return &slots[place & (nr_slots - 1)];
}

/* Keeps at least half of the slots free. */
static bool has_room(struct pd_chain_cache *cache)
{
	if (cache->used < cache->nr_slots / 2)
		return true;
	const size_t nr_slots = cache->nr_slots ? 4 * cache->nr_slots : FIRST_SLOTS;
	struct pd_chain_slot *slots = pd_calloc(nr_slots, sizeof *slots);
	if (!slots)
		return false;
	for (size_t i = 0; i < cache->nr_slots; i++)
		if (cache->slots[i].words)
			*slot_for(slots, nr_slots, cache->slots[i].place) = cache->slots[i];
	pd_free(cache->slots);
	cache->slots = slots;
	cache->nr_slots = nr_slots;
	return true;
}

static void copy_words(uint64_t *to, const struct perfdata_list *list)
{
	if (list && list->count)
		memcpy(to, list->data, list->count * 8);
}

void pd_chain_cache_put(struct pd_chain_cache *cache, const struct pd_chain_key *key, uint32_t stack)
{
	const size_t nr_words = key->recorded->count + (key->deferred ? key->deferred->count : 0);
	if (cache->keys.total > cache->max_bytes)
		pd_chain_cache_release(cache);
	if (!has_room(cache))
		return;
	struct words *words = pd_arena_alloc(&cache->keys, sizeof *words + nr_words * 8);
	if (!words)
		return;
	*words = (struct words){ .maps = key->maps, .kernel = key->kernel, .stack = stack, .recorded = length(key->recorded),
				 .deferred = length(key->deferred) };
	copy_words(words->words, key->recorded);
	copy_words(words->words + words->recorded, key->deferred);
	struct pd_chain_slot *slot = slot_for(cache->slots, cache->nr_slots, key->place);
	cache->used += slot->words ? 0 : 1;
	*slot = (struct pd_chain_slot){ key->place, words };
}

void pd_chain_cache_release(struct pd_chain_cache *cache)
{
	const size_t max_bytes = cache->max_bytes;
	pd_free(cache->slots);
	pd_arena_release(&cache->keys);
	*cache = (struct pd_chain_cache){ .max_bytes = max_bytes };
}

void pd_chain_cache_fetch_slot(const struct pd_chain_cache *cache, uint64_t place)
{
	if (cache->nr_slots)
		__builtin_prefetch(&cache->slots[place & (cache->nr_slots - 1)]);
}

void pd_chain_cache_fetch_words(const struct pd_chain_cache *cache, uint64_t place)
{
	for (unsigned i = 0; i < PROBES && cache->nr_slots; i++) {
		const struct pd_chain_slot *slot = &cache->slots[(place + i) & (cache->nr_slots - 1)];
		if (!slot->words)
			return;
		if (slot->place != place)
			continue;
		for (size_t line = 0; line < 4; line++)
			__builtin_prefetch((const char *)slot->words + 64 * line);
		return;
	}
}
