/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "profile/fold.h"
#include "session/session.h"

/* Labels of steps below this number are found by an array, others by a hash table. */
#define MOST_IN_ARRAY (UINT32_C(1) << 22)
/* Stacks whose labels are read from the tree at the same time. */
#define MOST_WAITING 16u
/* Up to this many labels stay in memory even if the account is over its limit. */
#define LEAST_LABELS 65536u

struct labels {
	uint32_t *items;
	size_t nr, room;
};
/* A stack that was added, but is not in the sums yet. */
struct waiting {
	uint32_t node;
	uint64_t weight;
	struct pd_path_climb climb;          /* its steps, callee first */
};
struct pd_fold {
	struct pd_profile *profile;
	struct pd_step_tree *stacks;
	struct pd_fold_options options;
	struct pd_line_sums *sums;
	/* by the label of a step in the tree of stacks: index + 1 of its labels in `labels`; 0: not known */
	uint32_t *known;
	size_t known_room;
	struct pd_hash_map known_others;     /* the same for MOST_IN_ARRAY and above */
	struct labels labels;                /* for each step: the number of labels, then the labels */
	size_t accounted;                    /* bytes of the last three that the account was charged for */
	struct waiting waiting[MOST_WAITING];
	size_t nr_waiting;
	struct labels front;                 /* front labels of the waiting stacks */
	struct labels line;                  /* of the current stack, root first */
};

enum perfdata_status pd_fold_new(struct pd_profile *profile, const struct pd_fold_options *options,
				 struct pd_fold **ret)
{
	struct pd_fold *fold = pd_calloc(1, sizeof *fold);
	if (!fold)
		return PERFDATA_ENOMEM;
	fold->profile = profile;
	fold->stacks = pd_session_nodes(pd_profile_session(profile));
	fold->options = *options;
	const struct pd_line_order order = { .rank = options->rank, .user = options->user };
	fold->sums = pd_line_sums_new(pd_profile_account(profile), &order);
	if (!fold->sums) {
		pd_fold_free(fold);
		return PERFDATA_ENOMEM;
	}
	*ret = fold;
	return PERFDATA_OK;
}

static void account_for_labels(struct pd_fold *fold)
{
	const size_t memory = fold->known_others.capacity * sizeof *fold->known_others.slots +
			      fold->known_room * sizeof *fold->known +
			      fold->labels.room * sizeof *fold->labels.items;
	pd_account_change(pd_profile_account(fold->profile), PD_USE_CACHES, fold->accounted, memory);
	fold->accounted = memory;
}

/* Drops the labels, which can be made again. */
static void drop_labels(struct pd_fold *fold)
{
	pd_hash_map_release(&fold->known_others);
	fold->known_others = (struct pd_hash_map){ 0 };
	pd_free(fold->known);
	pd_free(fold->labels.items);
	fold->known = NULL;
	fold->known_room = 0;
	fold->labels = (struct labels){ 0 };
	account_for_labels(fold);
}

void pd_fold_free(struct pd_fold *fold)
{
	if (!fold)
		return;
	drop_labels(fold);
	pd_line_sums_free(fold->sums);
	for (size_t i = 0; i < MOST_WAITING; i++)
		pd_free(fold->waiting[i].climb.labels);
	pd_free(fold->front.items);
	pd_free(fold->line.items);
	pd_free(fold);
}

/* --- labels of steps ---------------------------------------------------------------------------------------------- */

static inline uint32_t find_known(const struct pd_fold *fold, uint32_t step)
{
	uint64_t at;
	if (step < MOST_IN_ARRAY)
		return step < fold->known_room ? fold->known[step] : 0;
	return pd_hash_map_get(&fold->known_others, step, &at) ? (uint32_t)at : 0;
}

static bool keep_known(struct pd_fold *fold, uint32_t step, uint32_t at)
{
	if (step >= MOST_IN_ARRAY)
		return pd_hash_map_put(&fold->known_others, step, at) == 0;
	if (pd_vector_reach(&fold->known, &fold->known_room, step, sizeof *fold->known) < 0)
		return false;
	fold->known[step] = at;
	return true;
}

static inline bool append_labels(struct labels *to, const uint32_t *labels, size_t nr)
{
	if (pd_vector_grow(&to->items, &to->room, to->nr + nr, sizeof *to->items) < 0)
		return false;
	/* nearly all steps have one label: no call */
	if (nr == 1)
		to->items[to->nr] = *labels;
	else
		memcpy(&to->items[to->nr], labels, nr * sizeof *labels);
	to->nr += nr;
	return true;
}

/* Requests the labels of a step. */
static enum perfdata_status make_labels(struct pd_fold *fold, uint32_t node, uint32_t step, uint32_t *ret_at)
{
	struct pd_profile_node named;
	uint32_t labels[1 + PD_FOLD_MAX_LABELS];
	size_t nr = 0;
	enum perfdata_status status = pd_profile_node(fold->profile, node, &named);
	if (status == PERFDATA_OK)
		status = fold->options.labels(fold->options.user, &named, labels + 1, &nr);
	if (status != PERFDATA_OK)
		return status;
	if (fold->labels.nr > LEAST_LABELS && pd_account_is_over(pd_profile_account(fold->profile)))
		drop_labels(fold);
	labels[0] = (uint32_t)nr;
	*ret_at = (uint32_t)fold->labels.nr + 1;
	const bool kept = append_labels(&fold->labels, labels, 1 + nr) && keep_known(fold, step, *ret_at);
	account_for_labels(fold);
	return kept ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* --- filling ------------------------------------------------------------------------------------------------------ */

/* The node of a step of the current stack, whose leaf is `node`. */
static enum perfdata_status node_of_step(struct pd_fold *fold, uint32_t node, size_t step, uint32_t *ret)
{
	uint32_t label;
	for (*ret = node; step > 0; step--)
		if (pd_path_tree_get(&fold->stacks->tree, *ret, ret, &label) < 0)
			return fold->stacks->tree.status;
	return PERFDATA_OK;
}

/* Appends the labels that a choice leaves of a step. */
static bool append_chosen(struct pd_fold *fold, const uint32_t *labels, size_t nr, unsigned *seen)
{
	const struct pd_fold_choice *choice = fold->options.choice;
	bool ok = true;
	for (size_t i = 0; i < nr && ok; i++) {
		*seen |= choice->sees(fold->options.user, labels[i]);
		if (!choice->root || *seen & choice->root)
			ok = append_labels(&fold->line, &labels[i], 1);
	}
	return ok;
}

/* Adds a waiting stack, whose steps are known, to the sums. */
static enum perfdata_status add_stack(struct pd_fold *fold, const struct waiting *stack)
{
	const struct pd_fold_choice *choice = fold->options.choice;
	const uint32_t *steps = stack->climb.labels;
	unsigned seen = 0;
	fold->line.nr = 0;
	bool ok = append_labels(&fold->line, fold->front.items, fold->front.nr);
	for (size_t i = stack->climb.nr; i-- > 0 && ok;) {
		uint32_t at = find_known(fold, steps[i]), of_step;
		enum perfdata_status status = PERFDATA_OK;
		if (!at && (status = node_of_step(fold, stack->node, i, &of_step)) == PERFDATA_OK)
			status = make_labels(fold, of_step, steps[i], &at);
		if (status != PERFDATA_OK)
			return status;
		const uint32_t *labels = &fold->labels.items[at - 1];
		ok = choice ? append_chosen(fold, labels + 1, labels[0], &seen)
			    : append_labels(&fold->line, labels + 1, labels[0]);
	}
	if (!ok)
		return PERFDATA_ENOMEM;
	if (choice && !choice->takes(fold->options.user, seen))
		return PERFDATA_OK;
	return pd_line_sums_add(fold->sums, fold->line.items, fold->line.nr, stack->weight);
}

/* Reads the steps of all waiting stacks. Their climbs take turns: each would wait for memory at each run. */
static enum perfdata_status climb_stacks(struct pd_fold *fold)
{
	bool more = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < fold->nr_waiting; i++) {
			struct pd_path_climb *climb = &fold->waiting[i].climb;
			if (climb->node && pd_path_tree_climb(&fold->stacks->tree, climb) < 0)
				return fold->stacks->tree.status;
			more |= climb->node != 0;
		}
	}
	return PERFDATA_OK;
}

static enum perfdata_status add_waiting(struct pd_fold *fold)
{
	enum perfdata_status status = climb_stacks(fold);
	for (size_t i = 0; i < fold->nr_waiting && status == PERFDATA_OK; i++)
		status = add_stack(fold, &fold->waiting[i]);
	fold->nr_waiting = 0;
	return status;
}

static bool is_front(const struct pd_fold *fold, const uint32_t *front, size_t nr)
{
	return nr == fold->front.nr && memcmp(front, fold->front.items, nr * sizeof *front) == 0;
}

enum perfdata_status pd_fold_add(struct pd_fold *fold, const uint32_t *front, size_t nr, uint32_t node,
				 const struct pd_profile_sums *sums)
{
	if (fold->nr_waiting == MOST_WAITING || !is_front(fold, front, nr)) {
		const enum perfdata_status status = add_waiting(fold);
		if (status != PERFDATA_OK)
			return status;
		fold->front.nr = 0;
		if (!append_labels(&fold->front, front, nr))
			return PERFDATA_ENOMEM;
	}
	struct waiting *stack = &fold->waiting[fold->nr_waiting++];
	stack->node = stack->climb.node = node;
	stack->climb.nr = 0;
	stack->weight = sums->weight;
	return PERFDATA_OK;
}

enum perfdata_status pd_fold_sort(struct pd_fold *fold)
{
	const enum perfdata_status status = add_waiting(fold);
	if (status != PERFDATA_OK)
		return status;
	drop_labels(fold);
	return pd_line_sums_sort(fold->sums);
}

enum perfdata_status pd_fold_next(struct pd_fold *fold, struct pd_line *ret)
{
	return pd_line_sums_next(fold->sums, ret);
}
