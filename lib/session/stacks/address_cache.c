/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "session/stacks/address_cache.h"

#define LEAST_BITS 14u
#define MOST_BITS 16u       /* 1.5 MiB */
#define GROWTH_BITS 2u

static bool allocate(struct pd_address_cache *cache, unsigned bits)
{
	cache->slots = pd_calloc_slots((size_t)1 << bits, sizeof *cache->slots);
	cache->shift = 64 - bits;
	cache->nr_taken = 0;
	if (cache->slots)
		pd_account_take(cache->account, PD_USE_CACHES, pd_address_slots(cache) * sizeof *cache->slots);
	return cache->slots;
}

int pd_address_cache_make(struct pd_address_cache *cache, struct pd_account *account)
{
	cache->account = account;
	return allocate(cache, LEAST_BITS) ? 0 : -1;
}

/* Without memory the cache keeps its size. */
static void grow(struct pd_address_cache *cache)
{
	struct pd_address_cache larger = { .account = cache->account };
	cache->nr_taken = 0;
	if (64 - cache->shift >= MOST_BITS || pd_account_is_tight(cache->account) ||
	    !allocate(&larger, 64 - cache->shift + GROWTH_BITS))
		return;
	for (size_t i = 0; i < pd_address_slots(cache); i++) {
		const struct pd_address_slot *slot = &cache->slots[i];
		const uint64_t spread = pd_address_spread(slot->through & ~(uint64_t)PD_ADDRESS_MARK);
		if (slot->ip)
			*pd_address_slot(&larger, spread, slot->ip) = *slot;
	}
	pd_address_cache_drop(cache);
	*cache = larger;
}

void pd_address_cache_put(struct pd_address_cache *cache, struct pd_address_slot *slot, uint64_t ip, uint64_t through,
			  uint32_t frame)
{
	cache->nr_taken += slot->ip && slot->ip != ip;
	*slot = (struct pd_address_slot){ .ip = ip, .through = through, .frame = frame };
	if (cache->nr_taken >= pd_address_slots(cache) / 2)
		grow(cache);
}
