/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "base/port.h"

/* --- hashing --- */

static uint64_t load_bytes(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static uint64_t load_tail(const uint8_t *p, size_t size)
{
	uint64_t v = 0;
	memcpy(&v, p, size);
	return v;
}

/* Folds the 128-bit product to 64 bits. */
static uint64_t fold_product(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
	uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), high = (a >> 32) * (b >> 32);
	uint64_t cross1 = (a >> 32) * (b & UINT32_MAX), cross2 = (a & UINT32_MAX) * (b >> 32);
	uint64_t middle = (low >> 32) + (cross1 & UINT32_MAX) + (cross2 & UINT32_MAX);
	low = (middle << 32) | (low & UINT32_MAX);
	high += (cross1 >> 32) + (cross2 >> 32) + (middle >> 32);
	return low ^ high;
#endif
}

/* Both factors of each product contain the seed. Otherwise an input could make one factor zero, and so the product
 * independent of the other factor. */
uint64_t pd_hash_bytes(const void *bytes, size_t size, uint64_t seed)
{
	const uint8_t *p = bytes;
	uint64_t key = pd_hash_u64(seed, 0x2d358dccaa6c78a5ull);
	uint64_t key2 = pd_hash_u64(key, 0x8bb84b93962eacc9ull);
	uint64_t h = key2 ^ size;
	size_t left = size;

	if (left >= 32) {
		uint64_t lane = ~h;
		for (; left >= 32; left -= 32, p += 32) {
			h = fold_product(load_bytes(p) ^ key, load_bytes(p + 8) ^ h);
			lane = fold_product(load_bytes(p + 16) ^ key2, load_bytes(p + 24) ^ lane);
		}
		h ^= lane;
	}
	if (left >= 16) {
		h = fold_product(load_bytes(p) ^ key, load_bytes(p + 8) ^ h);
		left -= 16;
		p += 16;
	}
	if (left >= 8)
		h = fold_product(load_bytes(p) ^ key, load_bytes(p + left - 8) ^ h);
	else if (left)
		h = fold_product(load_tail(p, left) ^ key, h);
	return fold_product(h ^ key, 0x9e3779b97f4a7c15ull ^ key2);
}

uint64_t pd_hash_seed(const void *salt)
{
	const uint64_t seed = pd_hash_u64((uint64_t)(uintptr_t)salt, pd_process_random());
	return seed ? seed : 1;
}

/* --- map --- */

/* Removal shifts later entries back. */
static size_t home_slot(const struct pd_hash_map *map, uint64_t key)
{
	return (size_t)pd_hash_u64(key, map->seed) & (map->capacity - 1);
}

static void place_slot(struct pd_hash_map *map, struct pd_hash_map_slot slot)
{
	size_t i = home_slot(map, slot.key);
	while (map->slots[i].key)
		i = (i + 1) & (map->capacity - 1);
	map->slots[i] = slot;
}

static void insert_new(struct pd_hash_map *map, uint64_t key, uint64_t value)
{
	map->count++;
	if (key)
		place_slot(map, (struct pd_hash_map_slot){ key, value });
	else
		map->slots[map->capacity] = (struct pd_hash_map_slot){ 1, value };
}

/* Doubles the capacity in place; the comment at grow_index in table.c says why that works. */
static int grow_map(struct pd_hash_map *map)
{
	const size_t before = map->capacity, capacity = before ? before * 2 : 16;
	size_t bytes;
	if (__builtin_mul_overflow(capacity + 1, sizeof *map->slots, &bytes))
		return -1;
	struct pd_hash_map_slot *slots = pd_realloc(map->slots, bytes);
	if (!slots)
		return -1;
	const struct pd_hash_map_slot of_zero = before ? slots[before] : (struct pd_hash_map_slot){ 0 };
	memset(&slots[before], 0, bytes - before * sizeof *slots);
	slots[capacity] = of_zero;
	map->slots = slots;
	map->capacity = capacity;
	if (!map->seed)
		map->seed = pd_hash_seed(slots);
	size_t start = 0;
	while (slots[start].key)
		start++;
	for (size_t i = 1; i < before; i++) {
		struct pd_hash_map_slot *slot = &slots[(start + i) & (before - 1)];
		const struct pd_hash_map_slot moved = *slot;
		*slot = (struct pd_hash_map_slot){ 0 };
		if (moved.key)
			place_slot(map, moved);
	}
	return 0;
}

int pd_hash_map_put(struct pd_hash_map *map, uint64_t key, uint64_t value)
{
	struct pd_hash_map_slot *slot = pd_hash_map_find(map, key);
	if (slot) {
		slot->value = value;
		return 0;
	}
	if (map->count >= map->capacity - map->capacity / 4 && grow_map(map) < 0)
		return -1;
	insert_new(map, key, value);
	return 0;
}

bool pd_hash_map_remove(struct pd_hash_map *map, uint64_t key)
{
	struct pd_hash_map_slot *slot = pd_hash_map_find(map, key);
	if (!slot)
		return false;
	map->count--;
	if (!key) {
		slot->key = 0;
		return true;
	}
	size_t mask = map->capacity - 1, gap = (size_t)(slot - map->slots);
	for (size_t i = (gap + 1) & mask; map->slots[i].key; i = (i + 1) & mask) {
		/* an entry may move back into the gap only if its home slot is not between the gap and itself */
		if (((i - home_slot(map, map->slots[i].key)) & mask) < ((i - gap) & mask))
			continue;
		map->slots[gap] = map->slots[i];
		gap = i;
	}
	map->slots[gap].key = 0;
	return true;
}

bool pd_hash_map_each(const struct pd_hash_map *map, size_t *position, uint64_t *ret_key, uint64_t *ret_value)
{
	if (!map->capacity)
		return false;
	for (size_t i = *position; i <= map->capacity; i++) {
		if (!map->slots[i].key)
			continue;
		*position = i + 1;
		*ret_key = i == map->capacity ? 0 : map->slots[i].key;
		*ret_value = map->slots[i].value;
		return true;
	}
	*position = map->capacity + 1;
	return false;
}

void pd_hash_map_release(struct pd_hash_map *map)
{
	pd_free(map->slots);
	memset(map, 0, sizeof *map);
}
