/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/table.h"

void *pd_table_add(struct pd_table *table, uint32_t *ret_index)
{
	uint32_t index = table->count;
	if (index >= 1u << 31)
		return NULL;
	uint32_t shifted = (index >> PD_TABLE_FIRST_SHIFT) + 1;
	unsigned segment = 31u - (unsigned)__builtin_clz(shifted);
	if (!table->segments[segment]) {
		table->segments[segment] = pd_calloc((size_t)1 << (segment + PD_TABLE_FIRST_SHIFT), table->item_size);
		if (!table->segments[segment])
			return NULL;
	}
	__atomic_store_n(&table->count, index + 1, __ATOMIC_RELAXED);
	*ret_index = index;
	return pd_table_at(table, index);
}

void pd_table_release(struct pd_table *table)
{
	for (unsigned i = 0; i < PD_TABLE_SEGMENTS; i++) {
		pd_free(table->segments[i]);
		table->segments[i] = NULL;
	}
	table->count = 0;
}

static uint32_t short_hash(uint64_t hash) { return (uint32_t)(hash ^ hash >> 32); }

uint32_t pd_index_find(const struct pd_index *index, uint64_t hash, pd_index_equal *equal, const void *user,
		       const void *key)
{
	if (!index->capacity)
		return UINT32_MAX;
	const uint32_t wanted = short_hash(hash);
	for (size_t i = wanted & (index->capacity - 1);; i = (i + 1) & (index->capacity - 1)) {
		const struct pd_index_slot slot = index->slots[i];
		if (!slot.value)
			return UINT32_MAX;
		if (slot.hash == wanted && equal(user, slot.value - 1, key))
			return slot.value - 1;
	}
}

static void place_slot(struct pd_index *index, struct pd_index_slot slot)
{
	size_t i = slot.hash & (index->capacity - 1);
	while (index->slots[i].value)
		i = (i + 1) & (index->capacity - 1);
	index->slots[i] = slot;
}

/* Doubles the capacity in place, so that a large table is never in memory twice. All slots between an entry's home slot
 * and the slot where it is are in use. Therefore, starting after a free slot, a removed entry finds its new slot at or
 * before its old one, or at the same distance in the new half, and skips no entry that is still to be moved. */
static int grow_index(struct pd_index *index)
{
	const size_t before = index->capacity, capacity = before ? before * 2 : 64;
	size_t bytes;
	if (__builtin_mul_overflow(capacity, sizeof *index->slots, &bytes))
		return -1;
	struct pd_index_slot *slots = pd_realloc(index->slots, bytes);
	if (!slots)
		return -1;
	memset(&slots[before], 0, bytes - before * sizeof *slots);
	index->slots = slots;
	index->capacity = capacity;
	size_t start = 0;
	while (slots[start].value)
		start++;
	for (size_t i = 1; i < before; i++) {
		struct pd_index_slot *slot = &slots[(start + i) & (before - 1)];
		const struct pd_index_slot moved = *slot;
		*slot = (struct pd_index_slot){ 0 };
		if (moved.value)
			place_slot(index, moved);
	}
	return 0;
}

int pd_index_add(struct pd_index *index, uint64_t hash, uint32_t value)
{
	const size_t most = index->dense ? index->capacity - index->capacity / 4 : index->capacity / 2;
	if (index->count >= most && grow_index(index) < 0)
		return -1;
	place_slot(index, (struct pd_index_slot){ short_hash(hash), value + 1 });
	index->count++;
	return 0;
}

void pd_index_release(struct pd_index *index)
{
	pd_free(index->slots);
	*index = (struct pd_index){ 0 };
}
