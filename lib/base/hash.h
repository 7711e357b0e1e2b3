/* SPDX-License-Identifier: MIT */
/* Hash tables with open addressing. Since keys come from files, each table has a random seed and hashing mixes all
 * bits: no input can make a chain longer than chance would. No output may depend on the order of a table. */
#ifndef PD_HASH_H
#define PD_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The hash depends on the machine's byte order, so it is only for tables in memory. */
uint64_t pd_hash_bytes(const void *bytes, size_t size, uint64_t seed);
/* Returns a random seed other than 0, so that no input can provoke collisions; `salt` (for example an address) makes
 * the seeds of tables differ. */
uint64_t pd_hash_seed(const void *salt);
static inline uint64_t pd_hash_u64(uint64_t key, uint64_t seed)
{
	uint64_t h = (key ^ seed) * 0x9e3779b97f4a7c15ull;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ull;
	return h ^ (h >> 32);
}
/* Hashes two words. */
static inline uint64_t pd_hash_two(uint64_t first, uint64_t second, uint64_t seed)
{
	return pd_hash_u64(pd_hash_u64(first, seed), second);
}

/* Maps u64 to u64. {0} is an empty map; the first put replaces a seed of 0 by a random one. Linear probing, at most 3/4
 * full. Key 0 marks an empty slot. The entry with key 0 is in an extra slot after the others, whose key is then 1. */
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
int pd_hash_map_put(struct pd_hash_map *map, uint64_t key, uint64_t value);  /* replaces; 0, or -1 without memory */
bool pd_hash_map_remove(struct pd_hash_map *map, uint64_t key);
/* Iterates in no particular order; *position starts at 0. */
bool pd_hash_map_each(const struct pd_hash_map *map, size_t *position, uint64_t *ret_key, uint64_t *ret_value);
void pd_hash_map_release(struct pd_hash_map *map);

/* Interns byte strings: equal bytes have one id, and ids count from 0. The bytes never move, are 16-aligned and end
 * with a NUL. Only one thread may put and count. */
struct pd_intern;
struct pd_intern *pd_intern_new(void);
void pd_intern_free(struct pd_intern *intern);
/* Returns the id of the bytes, and adds them if they are new. UINT32_MAX: no memory. */
uint32_t pd_intern_put(struct pd_intern *intern, const void *bytes, size_t size);
/* Returns the bytes of an id below the count. Other threads may call it for ids that they were passed. */
const char *pd_intern_get(const struct pd_intern *intern, uint32_t id, size_t *ret_size /* may be NULL */);
uint32_t pd_intern_count(const struct pd_intern *intern);

#endif
