/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "base/prefetch.h"
#include "session/stacks/known_chains.h"

#define FIRST_SIZE ((size_t)512 << 10)
#define GROWTH 4u
#define ALWAYS_SIZE ((size_t)8 << 20)   /* below this size, the ring grows whenever it is full */
#define LARGEST_SIZE ((size_t)32 << 20)
#define BYTES_PER_SLOT 128u  /* bytes of the ring for each slot: slots also remember dropped chains */
#define PROBES 8u            /* slots in which a chain may be, from its own slot on */

struct pd_chain_slot {
	uint64_t place;      /* result of pd_chain_place */
	uint64_t position;   /* value of `head` when the chain was put, plus 1; 0: free */
};

void pd_known_chains_init(struct pd_known_chains *known, struct pd_account *account)
{
	*known = (struct pd_known_chains){ .account = account, .max_size = FIRST_SIZE };
	const uint64_t limit = account ? account->limit : PD_DEFAULT_MEMORY;
	while (GROWTH * known->max_size <= limit / 8 && known->max_size < LARGEST_SIZE)
		known->max_size *= GROWTH;
}

static size_t bytes_of(const struct pd_known_chains *known)
{
	return known->size + known->nr_slots * sizeof *known->slots;
}

static void forget_chains(struct pd_known_chains *known)
{
	pd_account_give(known->account, PD_USE_CACHES, bytes_of(known));
	pd_free(known->ring);
	pd_free(known->slots);
	known->ring = NULL;
	known->slots = NULL;
	known->size = known->nr_slots = 0;
	known->head = known->put = known->missed = 0;
}

void pd_known_chains_release(struct pd_known_chains *known)
{
	forget_chains(known);
	*known = (struct pd_known_chains){ 0 };
}

/* Bytes of a chain, which is part of one record. */
static size_t size_of(const struct perfdata_list *list) { return list ? (size_t)list->count * 8 : 0; }

uint64_t pd_chain_place(const struct pd_chain_key *key, uint64_t seed)
{
	uint64_t hash = pd_hash_bytes(key->recorded->data, size_of(key->recorded), seed);
	if (key->deferred)
		hash = pd_hash_bytes(key->deferred->data, size_of(key->deferred), hash);
	if (key->leaf)
		hash = pd_hash_u64(key->leaf, hash);
	return pd_hash_u64(hash, key->maps ^ key->kernel << 32);
}

static uint32_t list_length(const struct perfdata_list *list) { return list ? (uint32_t)list->count : UINT32_MAX; }

static bool same_words(const uint64_t *words, const struct perfdata_list *list)
{
	return !list->count || !memcmp(words, list->data, size_of(list));
}

/* Whether the entry is of the key, compared as a whole: equal hashes do not suffice. */
static bool is_of(const struct pd_known_chain *chain, const struct pd_chain_key *key)
{
	if (chain->maps != key->maps || chain->kernel != key->kernel || chain->leaf != key->leaf ||
	    chain->recorded != list_length(key->recorded) || chain->deferred != list_length(key->deferred) ||
	    !same_words(chain->words, key->recorded))
		return false;
	return !key->deferred || same_words(chain->words + chain->recorded, key->deferred);
}

/* Whether the chain of a slot is still in the ring. */
static inline bool is_live(const struct pd_known_chains *known, const struct pd_chain_slot *slot)
{
	return slot->position && slot->position - 1 + known->size >= known->head;
}

static inline struct pd_known_chain *chain_at(const struct pd_known_chains *known, const struct pd_chain_slot *slot)
{
	return (void *)(known->ring + ((slot->position - 1) & (known->size - 1)));
}

struct pd_known_chain *pd_known_chains_get(struct pd_known_chains *known, const struct pd_chain_key *key)
{
	bool missed = false;
	for (unsigned i = 0; i < PROBES && known->nr_slots; i++) {
		const struct pd_chain_slot *slot = &known->slots[(key->place + i) & (known->nr_slots - 1)];
		if (!slot->position)
			break;
		if (slot->place != key->place)
			continue;
		if (!is_live(known, slot))
			missed = true;
		else if (is_of(chain_at(known, slot), key))
			return chain_at(known, slot);
	}
	known->missed += missed;
	return NULL;
}

/* The slot for a new chain: a free slot, or the one with the oldest chain. */
static struct pd_chain_slot *slot_for(const struct pd_known_chains *known, uint64_t place)
{
	struct pd_chain_slot *oldest = &known->slots[place & (known->nr_slots - 1)];
	for (unsigned i = 0; i < PROBES; i++) {
		struct pd_chain_slot *slot = &known->slots[(place + i) & (known->nr_slots - 1)];
		if (slot->position < oldest->position)
			oldest = slot;
		if (!slot->position || !is_live(known, slot))
			return slot;
	}
	return oldest;
}

/* Allocates empty slots for a ring of this size. */
static struct pd_chain_slot *new_slots(size_t size)
{
	return pd_calloc_slots(size / BYTES_PER_SLOT, sizeof(struct pd_chain_slot));
}

/* Starts with an empty ring, the first time or after the ring was dropped. */
static bool start_chains(struct pd_known_chains *known, size_t size)
{
	forget_chains(known);
	known->ring = pd_malloc(size);
	known->slots = new_slots(size);
	if (!known->ring || !known->slots) {
		pd_free(known->ring);
		pd_free(known->slots);
		known->ring = NULL;
		known->slots = NULL;
		return false;
	}
	known->size = size;
	known->nr_slots = size / BYTES_PER_SLOT;
	pd_account_take(known->account, PD_USE_CACHES, bytes_of(known));
	return true;
}

/* Makes the ring larger; known chains keep their place at its beginning. Call it when the ring is full to its end. */
static bool make_larger(struct pd_known_chains *known)
{
	struct pd_known_chains larger = *known;
	const uint64_t oldest = known->head - known->size;
	larger.size *= GROWTH;
	larger.nr_slots = larger.size / BYTES_PER_SLOT;
	larger.slots = new_slots(larger.size);
	char *ring = larger.slots ? pd_realloc(known->ring, larger.size) : NULL;
	if (!ring) {
		pd_free(larger.slots);
		return true;
	}
	known->ring = larger.ring = ring;
	larger.head = known->size;
	for (size_t i = 0; i < known->nr_slots; i++) {
		const struct pd_chain_slot *slot = &known->slots[i];
		if (is_live(known, slot))
			*slot_for(&larger, slot->place) = (struct pd_chain_slot){ slot->place,
										  slot->position - oldest };
	}
	pd_account_change(known->account, PD_USE_CACHES, bytes_of(known), bytes_of(&larger));
	pd_free(known->slots);
	*known = larger;
	return true;
}

/* Called when the ring is full. It grows if there is memory and dropped chains often come back, and shrinks where
 * memory is short. "Often" relates to the chains that were put, not to all look-ups: resolving a chain takes as long as
 * finding it a hundred times. */
static bool go_around(struct pd_known_chains *known)
{
	const bool useful = known->missed > known->put / 32 || known->size < ALWAYS_SIZE;
	known->put = known->missed = 0;
	if (!known->size || (known->size > FIRST_SIZE && pd_account_is_over(known->account)))
		return start_chains(known, FIRST_SIZE);
	if (useful && known->size < known->max_size && !pd_account_is_tight(known->account))
		return make_larger(known);
	return true;
}

/* Makes contiguous room; false: a chain of this size is not kept. */
static bool make_room(struct pd_known_chains *known, size_t size)
{
	if (size > FIRST_SIZE / 4)
		return false;
	const size_t used = known->size ? (size_t)(known->head & (known->size - 1)) : 0;
	if (known->size && known->size - used >= size)
		return true;
	known->head += known->size - used;
	return go_around(known) && known->size - (known->head & (known->size - 1)) >= size;
}

static uint64_t *copy_words(uint64_t *to, const struct perfdata_list *list)
{
	if (list && list->count)
		memcpy(to, list->data, size_of(list));
	return to + (list ? list->count : 0);
}

struct pd_known_chain *pd_known_chains_put(struct pd_known_chains *known, const struct pd_chain_key *key,
					   uint32_t nr_steps)
{
	const size_t size = sizeof(struct pd_known_chain) + size_of(key->recorded) + size_of(key->deferred) +
			    nr_steps * sizeof(struct perfdata_step);
	if (!make_room(known, size))
		return NULL;
	struct pd_chain_slot *slot = slot_for(known, key->place);
	*slot = (struct pd_chain_slot){ key->place, known->head + 1 };
	struct pd_known_chain *chain = chain_at(known, slot);
	known->head += size;
	known->put++;
	*chain = (struct pd_known_chain){
		.maps = key->maps,
		.kernel = key->kernel,
		.leaf = key->leaf,
		.recorded = list_length(key->recorded),
		.deferred = list_length(key->deferred),
		.steps = nr_steps,
		.stack = PERFDATA_NONE,
		.node = PERFDATA_NONE,
		.batch = UINT64_MAX,
	};
	copy_words(copy_words(chain->words, key->recorded), key->deferred);
	return chain;
}

void pd_known_chains_fetch_slot(const struct pd_known_chains *known, uint64_t place)
{
	if (known->nr_slots)
		pd_prefetch(&known->slots[place & (known->nr_slots - 1)]);
}

bool pd_known_chains_fetch_words(const struct pd_known_chains *known, uint64_t place)
{
	for (unsigned i = 0; i < PROBES && known->nr_slots; i++) {
		const struct pd_chain_slot *slot = &known->slots[(place + i) & (known->nr_slots - 1)];
		if (!slot->position)
			return false;
		if (slot->place != place || !is_live(known, slot))
			continue;
		for (size_t line = 0; line < 4; line++)
			pd_prefetch((const char *)chain_at(known, slot) + 64 * line);
		return true;
	}
	return false;
}
