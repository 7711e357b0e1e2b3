/* SPDX-License-Identifier: MIT */
/* A cache of recently resolved chains: from the words of a chain and a set of maps to a stack. The ring is limited:
 * dropping the oldest chains costs time and never changes a result. */
#ifndef PD_KNOWN_CHAINS_H
#define PD_KNOWN_CHAINS_H

#include "base/account.h"
#include "perfdata/session.h"

/* A cached chain: its key, and the parts of its stack that the session needs. */
struct pd_known_chain {
	uint64_t maps, kernel, leaf;       /* see pd_chain_key */
	uint32_t recorded, deferred;       /* number of words in each list; UINT32_MAX: no list */
	uint32_t stack, node;
	uint32_t steps;                    /* 0: steps are not kept */
	uint32_t at;                       /* index of its steps in batch number `batch` */
	uint64_t batch;
	uint64_t words[];                  /* the words of both lists, then the steps */
};

struct pd_chain_slot;
struct pd_known_chains {
	struct pd_account *account;
	size_t max_size;           /* largest size of the ring */
	char *ring;
	size_t size;               /* size of the ring: a power of two, or 0 */
	uint64_t head;             /* bytes put into it so far */
	struct pd_chain_slot *slots;
	size_t nr_slots;
	/* since the ring was last full: number of chains that were put, and of look-ups for dropped chains */
	uint64_t put, missed;
};

/* The key of a chain. */
struct pd_chain_key {
	const struct perfdata_list *recorded, *deferred;   /* the second may be NULL */
	uint64_t maps, kernel;     /* generations of the maps by which its addresses are resolved */
	uint64_t leaf;             /* the kernel's address that the chain lacks; 0: none */
	uint64_t place;            /* pd_chain_place */
};

static inline struct perfdata_step *pd_known_steps(struct pd_known_chain *chain)
{
	return (void *)(chain->words + chain->recorded + (chain->deferred == UINT32_MAX ? 0 : chain->deferred));
}

void pd_known_chains_init(struct pd_known_chains *known, struct pd_account *account);
void pd_known_chains_release(struct pd_known_chains *known);
/* Where a key belongs in the cache: a hash of the whole key. */
uint64_t pd_chain_place(const struct pd_chain_key *key, uint64_t seed);
/* The chain that was put under the key, or NULL. Valid until the next chain is put. */
struct pd_known_chain *pd_known_chains_get(struct pd_known_chains *known, const struct pd_chain_key *key);
/* An entry for the key with room for this many steps: this function fills in the words, the caller fills in the rest.
 * NULL: the chain is not cached. */
struct pd_known_chain *pd_known_chains_put(struct pd_known_chains *known, const struct pd_chain_key *key,
					   uint32_t nr_steps);

/* Prefetch for a look-up, which waits for memory twice: for the slot, then for the chain. The second returns whether
 * the cache has a chain of this place: nearly always the one that is looked up. */
void pd_known_chains_fetch_slot(const struct pd_known_chains *known, uint64_t place);
bool pd_known_chains_fetch_words(const struct pd_known_chains *known, uint64_t place);

#endif
