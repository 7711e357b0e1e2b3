/* SPDX-License-Identifier: MIT */
/* The labels of steps, kept by step of the tree of stacks. Threads find and keep them without a lock, but for a few
 * steps. */
#ifndef PD_FOLD_LABELS_H
#define PD_FOLD_LABELS_H

#include "base/account.h"
#include "base/hash.h"
#include "base/threads.h"
#include "profile/fold.h"

#define PD_FOLD_BLOCK_BITS 14u
#define PD_FOLD_BLOCKS 4096u

struct pd_fold_labels {
	struct pd_account *account;
	uint32_t nr_steps;                   /* steps below this number are in `known` */
	_Atomic uint32_t *known;             /* by step: place + 1 of its labels; 0: not known */
	struct pd_monitor *lock;             /* of `others` */
	struct pd_hash_map others;           /* the same for other steps */
	/* for each step: the number of its labels, then the labels; a block never moves, and one thread fills it */
	uint32_t *blocks[PD_FOLD_BLOCKS];
	_Atomic uint32_t nr_blocks;
	struct { uint32_t next, end; } of_threads[PD_FOLD_MAX_THREADS];   /* places that are left in a thread's block */
	size_t accounted;
};

/* nr_steps: plain steps have lower numbers. False without memory; release the labels in both cases. */
bool pd_fold_labels_init(struct pd_fold_labels *labels, struct pd_account *account, uint32_t nr_steps);
void pd_fold_labels_release(struct pd_fold_labels *labels);
/* Drops all labels, which can be made again; no other thread may use them. False without memory. */
bool pd_fold_labels_drop(struct pd_fold_labels *labels);
/* Whether so many labels are kept that dropping them helps where memory is short. */
bool pd_fold_labels_are_many(const struct pd_fold_labels *labels);

static inline const uint32_t *pd_fold_labels_at(const struct pd_fold_labels *labels, uint32_t place)
{
	return &labels->blocks[place >> PD_FOLD_BLOCK_BITS][place & ((UINT32_C(1) << PD_FOLD_BLOCK_BITS) - 1)];
}
const uint32_t *pd_fold_labels_find_other(struct pd_fold_labels *labels, uint32_t step);
/* Returns the number of labels of a step, followed by the labels; NULL: not known. Valid until they are dropped. */
static inline const uint32_t *pd_fold_labels_find(struct pd_fold_labels *labels, uint32_t step)
{
	if (step >= labels->nr_steps)
		return pd_fold_labels_find_other(labels, step);
	const uint32_t place = atomic_load_explicit(&labels->known[step], memory_order_acquire);
	return place ? pd_fold_labels_at(labels, place - 1) : NULL;
}
/* Keeps words[1…] as the labels of a step; words[0] is their number, at most 255. `thread` is below
 * PD_FOLD_MAX_THREADS. Returns them as pd_fold_labels_find does. NULL without memory. */
const uint32_t *pd_fold_labels_keep(struct pd_fold_labels *labels, unsigned thread, uint32_t step,
				    const uint32_t *words);

#endif
