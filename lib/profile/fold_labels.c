/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "profile/fold_labels.h"

/* Steps below this number are found by an array, others by a hash table. */
#define MOST_IN_ARRAY (UINT32_C(1) << 22)
#define BLOCK_WORDS (UINT32_C(1) << PD_FOLD_BLOCK_BITS)
/* Up to this many blocks stay in memory even if the account is over its limit. */
#define LEAST_BLOCKS 4u

static void account_for_labels(struct pd_fold_labels *labels)
{
	size_t bytes = labels->known ? labels->nr_steps * sizeof *labels->known : 0;
	bytes += labels->others.capacity * sizeof *labels->others.slots;
	pd_account_change(labels->account, PD_USE_CACHES, labels->accounted, bytes);
	labels->accounted = bytes;
}

static bool make_array(struct pd_fold_labels *labels)
{
	labels->known = pd_calloc(labels->nr_steps, sizeof *labels->known);
	account_for_labels(labels);
	return labels->known;
}

static void free_labels(struct pd_fold_labels *labels)
{
	const uint32_t nr = labels->nr_blocks < PD_FOLD_BLOCKS ? labels->nr_blocks : PD_FOLD_BLOCKS;
	pd_hash_map_release(&labels->others);
	labels->others = (struct pd_hash_map){ 0 };
	for (uint32_t i = 0; i < nr; i++) {
		if (labels->blocks[i])
			pd_account_give(labels->account, PD_USE_CACHES, BLOCK_WORDS * sizeof(uint32_t));
		pd_free(labels->blocks[i]);
		labels->blocks[i] = NULL;
	}
	labels->nr_blocks = 0;
	memset(labels->of_threads, 0, sizeof labels->of_threads);
	pd_free(labels->known);
	labels->known = NULL;
	account_for_labels(labels);
}

bool pd_fold_labels_init(struct pd_fold_labels *labels, struct pd_account *account, uint32_t nr_steps)
{
	*labels = (struct pd_fold_labels){ .account = account };
	labels->nr_steps = nr_steps < MOST_IN_ARRAY ? nr_steps + 1 : MOST_IN_ARRAY;
	labels->lock = pd_monitor_new();
	return labels->lock && make_array(labels);
}

void pd_fold_labels_release(struct pd_fold_labels *labels)
{
	free_labels(labels);
	pd_monitor_free(labels->lock);
	labels->lock = NULL;
}

bool pd_fold_labels_drop(struct pd_fold_labels *labels)
{
	free_labels(labels);
	return make_array(labels);
}

bool pd_fold_labels_are_many(const struct pd_fold_labels *labels) { return labels->nr_blocks > LEAST_BLOCKS; }

const uint32_t *pd_fold_labels_find_other(struct pd_fold_labels *labels, uint32_t step)
{
	uint64_t place;
	pd_monitor_enter_soon(labels->lock);
	const bool found = pd_hash_map_get(&labels->others, step, &place);
	pd_monitor_leave(labels->lock);
	return found ? pd_fold_labels_at(labels, (uint32_t)place - 1) : NULL;
}

/* Takes another block for a thread; false without memory. */
static bool take_block(struct pd_fold_labels *labels, unsigned thread)
{
	const uint32_t block = atomic_fetch_add_explicit(&labels->nr_blocks, 1, memory_order_relaxed);
	if (block >= PD_FOLD_BLOCKS || !(labels->blocks[block] = pd_malloc(BLOCK_WORDS * sizeof(uint32_t))))
		return false;
	pd_account_take(labels->account, PD_USE_CACHES, BLOCK_WORDS * sizeof(uint32_t));
	labels->of_threads[thread].next = block * BLOCK_WORDS;
	labels->of_threads[thread].end = (block + 1) * BLOCK_WORDS;
	return true;
}

static bool keep_other(struct pd_fold_labels *labels, uint32_t step, uint32_t place)
{
	pd_monitor_enter_soon(labels->lock);
	const bool kept = pd_hash_map_put(&labels->others, step, place) == 0;
	account_for_labels(labels);
	pd_monitor_leave(labels->lock);
	return kept;
}

const uint32_t *pd_fold_labels_keep(struct pd_fold_labels *labels, unsigned thread, uint32_t step,
				    const uint32_t *words)
{
	const uint32_t nr = 1 + words[0];
	uint32_t *next = &labels->of_threads[thread].next;
	if (labels->of_threads[thread].end - *next < nr && !take_block(labels, thread))
		return NULL;
	const uint32_t place = *next;
	*next += nr;
	memcpy(&labels->blocks[place / BLOCK_WORDS][place % BLOCK_WORDS], words, nr * sizeof *words);
	/* another thread may have kept them, too: then they are the same */
	if (step < labels->nr_steps)
		atomic_store_explicit(&labels->known[step], place + 1, memory_order_release);
	else if (!keep_other(labels, step, place + 1))
		return NULL;
	return pd_fold_labels_at(labels, place);
}
