/* SPDX-License-Identifier: MIT */
/* Hash tables with open addressing. Keys come from files, so hashing is seeded at random per table and mixes all bits:
 * no input makes a chain longer than chance does. No output may depend on the order of a table. */
#ifndef PD_HASH_H
#define PD_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Depends on the machine's byte order: for tables in memory only. */
uint64_t pd_hash_bytes(const void *bytes, size_t size, uint64_t seed);
/* Returns a random seed, never 0, so that no input can provoke collisions; `salt` (such as an address) makes the seeds
 * of tables differ. */
uint64_t pd_hash_seed(const void *salt);
static inline uint64_t pd_hash_u64(uint64_t key, uint64_t seed)
{
	uint64_t h = (key ^ seed) * 0x9e3779b97f4a7c15ull;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ull;
	return h ^ (h >> 32);
}
/* The same for two words. */
static inline uint64_t pd_hash_two(uint64_t first, uint64_t second, uint64_t seed)
{
	return pd_hash_u64(pd_hash_u64(first, seed), second);
}

/* u64 -> u64. {0} is a valid empty map; a seed of 0 is replaced by a random one at the first put. Linear probing, at
 * most 3/4 full. Key 0 marks an empty slot; the entry whose key is 0 is in one more slot after the others, whose key
 * then is 1. */
struct pd_hash_map_slot {
	uint64_t key, value;
};
struct pd_hash_map {
	struct pd_hash_map_slot *slots;
	size_t count, capacity;
	uint64_t seed;
};
static inline struct pd_hash_map_slot *pd_hash_map_find(const struct pd_hash_map *map, uint64_t key)
{
	if (!map->capacity)
		return NULL;
	if (!key)
		return map->slots[map->capacity].key ? &map->slots[map->capacity] : NULL;
	for (size_t i = (size_t)pd_hash_u64(key, map->seed);; i++) {
		struct pd_hash_map_slot *slot = &map->slots[i & (map->capacity - 1)];
		if (slot->key == key)
			return slot;
		if (!slot->key)
			return NULL;
	}
}
static inline bool pd_hash_map_get(const struct pd_hash_map *map, uint64_t key, uint64_t *ret_value)
{
	const struct pd_hash_map_slot *slot = pd_hash_map_find(map, key);
	if (!slot)
		return false;
	*ret_value = slot->value;
	return true;
}
int pd_hash_map_put(struct pd_hash_map *map, uint64_t key, uint64_t value);  /* replaces; 0 or -1 without memory */
bool pd_hash_map_remove(struct pd_hash_map *map, uint64_t key);
/* Iterates in no stated order: *position starts at 0. */
bool pd_hash_map_each(const struct pd_hash_map *map, size_t *position, uint64_t *ret_key, uint64_t *ret_value);
void pd_hash_map_release(struct pd_hash_map *map);

/* Interned byte strings: equal bytes have one id, ids count from 0. The bytes never move, are 16-aligned and end with
 * a NUL. One thread puts and counts. */
struct pd_intern;
struct pd_intern *pd_intern_new(void);
void pd_intern_free(struct pd_intern *intern);
/* The id of the bytes, added if new; UINT32_MAX without memory. */
uint32_t pd_intern_put(struct pd_intern *intern, const void *bytes, size_t size);
/* Valid for ids below the count; may be called by other threads for ids that they were handed. */
const char *pd_intern_get(const struct pd_intern *intern, uint32_t id, size_t *ret_size /* may be NULL */);
uint32_t pd_intern_count(const struct pd_intern *intern);

#endif
