/* SPDX-License-Identifier: MIT */
/* A cache of the frames of addresses. The key is the address, and `through`: the maps and the mode by which it is
 * resolved. Each key has one slot; the cache grows where many addresses take slots of others. */
#ifndef PD_ADDRESS_CACHE_H
#define PD_ADDRESS_CACHE_H

#include "base/account.h"
#include "base/memory.h"
#include "base/prefetch.h"

/* A bit of `through` that is no part of the key: the caller marks addresses. */
#define PD_ADDRESS_MARK 0x200u
struct pd_address_slot {
	uint64_t ip, through;           /* through: with the mark */
	uint32_t frame;
	uint32_t alone;                 /* node of a sample that is the address alone; 0: not known */
};
struct pd_address_cache {
	struct pd_address_slot *slots;  /* NULL: there are none yet */
	unsigned shift;                 /* 64 minus the number of bits of a slot's index */
	uint32_t nr_taken;              /* slots that were taken from other addresses since the cache had its size */
	struct pd_account *account;
};

/* 0, or -1 without memory */
int pd_address_cache_make(struct pd_address_cache *cache, struct pd_account *account);
/* Puts a frame into its slot. The cache may move: slots that were found before are not valid any more. */
void pd_address_cache_put(struct pd_address_cache *cache, struct pd_address_slot *slot, uint64_t ip, uint64_t through,
			  uint32_t frame);
static inline size_t pd_address_slots(const struct pd_address_cache *cache)
{
	return cache->slots ? (size_t)1 << (64 - cache->shift) : 0;
}

/* Drops the slots; {0} is fine. */
static inline void pd_address_cache_drop(struct pd_address_cache *cache)
{
	pd_account_give(cache->account, PD_USE_CACHES, pd_address_slots(cache) * sizeof *cache->slots);
	pd_free(cache->slots);
	cache->slots = NULL;
}

/* What many look-ups through the same maps compute once. */
static inline uint64_t pd_address_spread(uint64_t through) { return through * 0x9e3779b97f4a7c15ull; }

static inline struct pd_address_slot *pd_address_slot(const struct pd_address_cache *cache, uint64_t spread,
						      uint64_t ip)
{
	return &cache->slots[((ip ^ spread) * 0xd6e8feb86659fd93ull) >> cache->shift];
}

/* Whether a slot has an address and the maps and mode by which it is looked up. */
static inline bool pd_address_slot_has(const struct pd_address_slot *slot, uint64_t through, uint64_t ip)
{
	return slot->ip == ip && (slot->through & ~(uint64_t)PD_ADDRESS_MARK) == through;
}

#endif
