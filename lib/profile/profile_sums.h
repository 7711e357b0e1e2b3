/* SPDX-License-Identifier: MIT */
/* Sums by key: a table in memory, and sorted runs in a temporary file. */
#ifndef PD_PROFILE_SUMS_H
#define PD_PROFILE_SUMS_H

#include "base/account.h"
#include "base/hash.h"
#include "base/prefetch.h"
#include "base/spool.h"
#include "profile/profile.h"

struct pd_run {
	uint64_t offset;                   /* offset in the file */
	uint64_t entries;
};

/* pd_sums_init makes an empty table. */
struct pd_sums_table {
	struct pd_account *account;
	/* in the order of their first appearance since the last run; sorted after pd_sums_finish */
	struct pd_profile_entry *entries;
	size_t nr, room;
	struct pd_sums_slot {
		uint32_t entry;            /* index of the entry + 1; 0: free */
		uint32_t hash;
	} *slots;
	size_t nr_slots;                   /* a power of two, more than the entries */
	struct pd_spool spool;             /* the file of the runs */
	struct pd_run *runs;
	size_t nr_runs, runs_room;
	/* by index of the event: sums of the entries in runs; after pd_sums_finish, of all entries */
	struct pd_profile_sums *events;
	size_t nr_events, events_room;
};

void pd_sums_init(struct pd_sums_table *table, struct pd_account *account);
void pd_sums_release(struct pd_sums_table *table);
/* Returns the hash of a key; use one seed for all keys of a table. */
static inline uint32_t pd_sums_hash(const struct pd_profile_key *key, uint64_t seed)
{
	uint64_t hash = pd_hash_two((uint64_t)key->node << 32 | key->comm, (uint64_t)key->event << 32 | key->thread,
				    seed);
	if (key->slice || key->cpu != PERFDATA_NONE)
		hash = pd_hash_u64(hash, key->slice << 20 ^ key->cpu);
	return (uint32_t)(hash >> 32);
}
/* Sets ret to a * b: low word, high word. */
void pd_multiply(uint64_t a, uint64_t b, uint64_t ret[2]);
/* Adds a sample of this weight. Sums saturate. */
static inline void pd_profile_sums_add_weight(struct pd_profile_sums *sums, uint64_t weight)
{
	uint64_t square[2] = { weight * weight, 0 }, low, high;
	if (weight >> 32)
		pd_multiply(weight, weight, square);
	const bool carry = __builtin_add_overflow(sums->squares[0], square[0], &low);
	if (__builtin_add_overflow(sums->squares[1], square[1] + carry, &high)) {
		sums->overflow = true;
		low = high = UINT64_MAX;
	}
	sums->squares[0] = low;
	sums->squares[1] = high;
	sums->samples++;
	if (__builtin_add_overflow(sums->weight, weight, &sums->weight)) {
		sums->overflow = true;
		sums->weight = UINT64_MAX;
	}
}

static inline bool pd_sums_same_key(const struct pd_profile_key *a, const struct pd_profile_key *b)
{
	return a->node == b->node && a->event == b->event && a->thread == b->thread && a->comm == b->comm &&
	       a->cpu == b->cpu && a->slice == b->slice;
}
/* Finds the slot of a key, or a free slot for it. The table must have slots. */
static inline struct pd_sums_slot *pd_sums_slot_of(const struct pd_sums_table *table, const struct pd_profile_key *key,
						   uint32_t hash)
{
	for (size_t at = hash;; at++) {
		struct pd_sums_slot *slot = &table->slots[at & (table->nr_slots - 1)];
		if (!slot->entry ||
		    (slot->hash == hash && pd_sums_same_key(&table->entries[slot->entry - 1].key, key)))
			return slot;
	}
}
/* Adds the first sample of a key, which pd_sums_add has not found. */
enum perfdata_status pd_sums_add_new(struct pd_sums_table *table, const struct pd_profile_key *key, uint32_t hash,
				     uint64_t weight);
/* Adds a sample of this weight. PERFDATA_ENOMEM, PERFDATA_EWRITE. */
static inline enum perfdata_status pd_sums_add(struct pd_sums_table *table, const struct pd_profile_key *key,
					       uint32_t hash, uint64_t weight)
{
	const struct pd_sums_slot *slot = table->nr_slots ? pd_sums_slot_of(table, key, hash) : NULL;
	if (!slot || !slot->entry)
		return pd_sums_add_new(table, key, hash, weight);
	pd_profile_sums_add_weight(&table->entries[slot->entry - 1].sums, weight);
	return PERFDATA_OK;
}
/* Adds the sums of a key of another table with the same seed. */
enum perfdata_status pd_sums_join(struct pd_sums_table *table, const struct pd_profile_entry *entry, uint32_t hash);
/* Prefetches what pd_sums_add will read for a key with this hash: the slot, or (pd_sums_fetch_entry) the entry. */
static inline void pd_sums_fetch(const struct pd_sums_table *table, uint32_t hash)
{
	if (table->nr_slots)
		pd_prefetch(&table->slots[hash & (table->nr_slots - 1)]);
}
static inline void pd_sums_fetch_entry(const struct pd_sums_table *table, uint32_t hash)
{
	const struct pd_sums_slot *slot = table->nr_slots ? &table->slots[hash & (table->nr_slots - 1)] : NULL;
	if (slot && slot->entry) {
		const char *entry = (const char *)&table->entries[slot->entry - 1];
		pd_prefetch(entry);
		pd_prefetch(entry + sizeof *table->entries - 1);    /* an entry may be in two cache lines */
	}
}
/* Sorts the entries in memory by key, or moves them to the file if memory is short, and adds up events. Call it once,
 * after the last pd_sums_add. PERFDATA_ENOMEM, PERFDATA_EWRITE. */
enum perfdata_status pd_sums_finish(struct pd_sums_table *table);

/* A walk over all entries in the order of keys. */
struct pd_sums_walk;
enum perfdata_status pd_sums_walk_new(const struct pd_sums_table *table, struct pd_sums_walk **ret);
enum perfdata_status pd_sums_walk_next(struct pd_sums_walk *walk, const struct pd_profile_entry **ret);
/* The entry that comes after `index` others; NULL: not known yet. */
const struct pd_profile_entry *pd_sums_walk_peek(const struct pd_sums_walk *walk, size_t index);
void pd_sums_walk_free(struct pd_sums_walk *walk);

#endif
