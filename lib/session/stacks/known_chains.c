/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "session/stacks/known_chains.h"

#define FIRST_SIZE ((size_t)256 << 10)
#define LARGEST_SIZE ((size_t)32 << 20)
#define BYTES_PER_SLOT 256u  /* of the ring */
#define PROBES 8u            /* slots that a chain may stand in, from its own on */

struct pd_chain_slot {
	uint64_t place;      /* pd_chain_place */
	uint64_t position;   /* 1 above the value of `head` when it was put; 0: free */
};

void pd_known_chains_init(struct pd_known_chains *known, struct pd_account *account)
{
	*known = (struct pd_known_chains){ .account = account, .max_size = FIRST_SIZE };
	const uint64_t limit = account ? account->limit : PD_DEFAULT_MEMORY;
	while (2 * known->max_size <= limit / 8 && known->max_size < LARGEST_SIZE)
		known->max_size *= 2;
}

static size_t bytes_of(const struct pd_known_chains *known)
{
	return known->size + known->nr_slots * sizeof *known->slots;
}

static void forget(struct pd_known_chains *known)
{
	pd_account_give(known->account, PD_USE_CACHES, bytes_of(known));
	pd_free(known->ring);
	pd_free(known->slots);
	known->ring = NULL;
	known->slots = NULL;
	known->size = known->nr_slots = 0;
	known->head = known->asked = known->found = 0;
}

void pd_known_chains_release(struct pd_known_chains *known)
{
	forget(known);
	*known = (struct pd_known_chains){ 0 };
}

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
static bool is_of(const struct pd_known_chain *chain, const struct pd_chain_key *key)
{
	if (chain->maps != key->maps || chain->kernel != key->kernel || chain->recorded != length(key->recorded) ||
	    chain->deferred != length(key->deferred) || !same_words(chain->words, key->recorded))
		return false;
	return !key->deferred || same_words(chain->words + chain->recorded, key->deferred);
}

/* What a slot leads to is still in the ring. */
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
	known->asked++;
	for (unsigned i = 0; i < PROBES && known->nr_slots; i++) {
		const struct pd_chain_slot *slot = &known->slots[(key->place + i) & (known->nr_slots - 1)];
		if (!slot->position)
			break;
		if (slot->place != key->place || !is_live(known, slot) || !is_of(chain_at(known, slot), key))
			continue;
		known->found++;
		return chain_at(known, slot);
	}
	return NULL;
}

/* A slot for a chain that was put at `head`: a free one, or the oldest. */
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

static size_t size_of(const struct pd_known_chain *chain)
{
	const size_t words = chain->recorded + (chain->deferred == UINT32_MAX ? 0 : chain->deferred);
	return sizeof *chain + words * 8 + chain->steps * sizeof(struct perfdata_step);
}

/* What is known moves to a ring that has room for all of it, and for more. */
static void move_to(const struct pd_known_chains *from, struct pd_known_chains *to)
{
	for (size_t i = 0; i < from->nr_slots; i++) {
		if (!is_live(from, &from->slots[i]))
			continue;
		const struct pd_known_chain *chain = chain_at(from, &from->slots[i]);
		const size_t size = size_of(chain);
		struct pd_chain_slot *slot = slot_for(to, from->slots[i].place);
		*slot = (struct pd_chain_slot){ from->slots[i].place, to->head + 1 };
		memcpy(chain_at(to, slot), chain, size);
		to->head += size;
	}
}

/* A larger ring keeps what is known, a smaller one forgets it. */
static bool resize(struct pd_known_chains *known, size_t size)
{
	struct pd_known_chains resized = { .account = known->account, .max_size = known->max_size, .size = size, .nr_slots = size / BYTES_PER_SLOT };
	if (size < known->size)
		forget(known);
	resized.ring = pd_malloc(size);
	resized.slots = pd_calloc(resized.nr_slots, sizeof *resized.slots);
	if (!resized.ring || !resized.slots) {
		pd_free(resized.ring);
		pd_free(resized.slots);
		return known->size != 0;
	}
	pd_account_take(known->account, PD_USE_CACHES, bytes_of(&resized));
	move_to(known, &resized);
	forget(known);
	*known = resized;
	return true;
}

/* The ring is full: it becomes larger as long as it is of use and memory is there, and small again where memory is short. */
static bool go_around(struct pd_known_chains *known)
{
	const bool useful = known->found >= known->asked / 32 || known->size < 4 * FIRST_SIZE;
	known->asked = known->found = 0;
	if (!known->size)
		return resize(known, FIRST_SIZE);
	if (known->size > FIRST_SIZE && pd_account_is_over(known->account))
		return resize(known, FIRST_SIZE);
	if (useful && known->size < known->max_size && !pd_account_is_tight(known->account))
		return resize(known, 2 * known->size);
	return true;
}

/* Room in one piece; false: nothing of this size is kept. */
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
		memcpy(to, list->data, list->count * 8);
	return to + (list ? list->count : 0);
}

struct pd_known_chain *pd_known_chains_put(struct pd_known_chains *known, const struct pd_chain_key *key, uint32_t nr_steps)
{
	const size_t nr_words = key->recorded->count + (key->deferred ? key->deferred->count : 0);
	const size_t size = sizeof(struct pd_known_chain) + nr_words * 8 + nr_steps * sizeof(struct perfdata_step);
	if (!make_room(known, size))
		return NULL;
	struct pd_chain_slot *slot = slot_for(known, key->place);
	*slot = (struct pd_chain_slot){ key->place, known->head + 1 };
	struct pd_known_chain *chain = chain_at(known, slot);
	known->head += size;
	*chain = (struct pd_known_chain){
		.maps = key->maps, .kernel = key->kernel, .recorded = length(key->recorded), .deferred = length(key->deferred),
		.steps = nr_steps, .stack = PERFDATA_NONE, .node = PERFDATA_NONE, .batch = UINT64_MAX,
	};
	copy_words(copy_words(chain->words, key->recorded), key->deferred);
	return chain;
}

void pd_known_chains_fetch_slot(const struct pd_known_chains *known, uint64_t place)
{
	if (known->nr_slots)
		__builtin_prefetch(&known->slots[place & (known->nr_slots - 1)]);
}

void pd_known_chains_fetch_words(const struct pd_known_chains *known, uint64_t place)
{
	for (unsigned i = 0; i < PROBES && known->nr_slots; i++) {
		const struct pd_chain_slot *slot = &known->slots[(place + i) & (known->nr_slots - 1)];
		if (!slot->position)
			return;
		if (slot->place != place || !is_live(known, slot))
			continue;
		for (size_t line = 0; line < 4; line++)
			__builtin_prefetch((const char *)chain_at(known, slot) + 64 * line);
		return;
	}
}
