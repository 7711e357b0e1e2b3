/* Chains that were resolved before: what the words of a chain, seen through a set of maps, stand for. */
#ifndef PD_CHAIN_CACHE_H
#define PD_CHAIN_CACHE_H

#include "base/arena.h"
#include "perfdata/session.h"

struct pd_chain_slot;
struct pd_chain_cache {
	struct pd_chain_slot *slots;
	size_t nr_slots;           /* a power of two, or 0 */
	size_t used;
	struct pd_arena keys;
	size_t max_bytes;          /* of keys, before all are forgotten */
};

/* What a chain is looked up by. */
struct pd_chain_key {
	const struct perfdata_list *recorded, *deferred;   /* the second may be NULL */
	uint64_t maps, kernel;    /* generations of the maps that it is seen through */
	uint64_t place;            /* pd_chain_place */
};

/* Where a key belongs in the cache: a hash of all that it is looked up by. */
uint64_t pd_chain_place(const struct pd_chain_key *key, uint64_t seed);
/* The stack that was put under the key, or PERFDATA_NONE. */
uint32_t pd_chain_cache_get(const struct pd_chain_cache *cache, const struct pd_chain_key *key);
/* May forget other chains, or not remember this one: memory for it is bounded by `max_bytes`, and there may be none. */
void pd_chain_cache_put(struct pd_chain_cache *cache, const struct pd_chain_key *key, uint32_t stack);
void pd_chain_cache_release(struct pd_chain_cache *cache);

/* A look-up waits for memory twice, one behind the other. Whoever knows what will be looked up next begins earlier. */
void pd_chain_cache_fetch_slot(const struct pd_chain_cache *cache, uint64_t place);
void pd_chain_cache_fetch_words(const struct pd_chain_cache *cache, uint64_t place);

#endif
