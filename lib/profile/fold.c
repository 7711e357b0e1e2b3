/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "profile/fold.h"
#include "profile/fold_labels.h"
#include "session/session.h"

/* Stacks whose labels are read from the tree at the same time. */
#define MOST_WAITING 16u
/* Keys that a thread takes at once, and the least number for which threads are started. */
#define KEYS_AT_ONCE 128u
#define LEAST_IN_THREADS ((size_t)512)

struct labels {
	uint32_t *items;
	size_t nr, room;
};
/* A stack that was added, but is not in the sums yet. */
struct waiting {
	uint32_t node;
	uint64_t weight;
};
/* What a thread needs to add stacks. */
struct filler {
	struct pd_fold *fold;
	unsigned thread;
	/* keys that no thread has taken. A thread takes its own first: keys that are far apart share fewer steps */
	_Atomic size_t next;
	size_t end;
	struct pd_line_sums *sums;
	struct waiting waiting[MOST_WAITING];
	struct pd_path_climb climbs[MOST_WAITING];   /* their steps, callee first */
	size_t nr_waiting;
	uint32_t event, comm;                /* of the waiting stacks */
	uint32_t front[PD_FOLD_MAX_FRONT];   /* their front labels */
	size_t nr_front;                     /* 0: no stack yet */
	struct labels line;                  /* of the current stack, root first */
	enum perfdata_status status;
};
struct pd_fold {
	struct pd_profile *profile;
	struct pd_step_tree *stacks;
	struct pd_fold_options options;
	struct pd_fold_labels labels;
	struct filler own;                   /* of the calling thread; its sums have all lines in the end */
	/* while fillers fill */
	const struct pd_profile_entry *keys;
	struct filler *fillers;
	unsigned nr_fillers;
	atomic_bool is_stopped;              /* a thread failed, or memory is short */
};

static void release_filler(struct filler *filler)
{
	pd_line_sums_free(filler->sums);
	for (size_t i = 0; i < MOST_WAITING; i++)
		pd_free(filler->climbs[i].labels);
	pd_free(filler->line.items);
}

void pd_fold_free(struct pd_fold *fold)
{
	if (!fold)
		return;
	pd_fold_labels_release(&fold->labels);
	release_filler(&fold->own);
	pd_free(fold);
}

enum perfdata_status pd_fold_new(struct pd_profile *profile, const struct pd_fold_options *options,
				 struct pd_fold **ret)
{
	struct pd_fold *fold = pd_calloc(1, sizeof *fold);
	if (!fold)
		return PERFDATA_ENOMEM;
	struct pd_account *account = pd_profile_account(profile);
	const struct pd_line_order order = { .rank = options->rank, .user = options->user };
	fold->profile = profile;
	fold->stacks = pd_session_nodes(pd_profile_session(profile));
	fold->options = *options;
	fold->own.fold = fold;
	fold->own.sums = pd_line_sums_new(account, &order);
	const uint32_t nr_steps = pd_step_tree_plain_labels(pd_session_nr_frames(pd_profile_session(profile)));
	if (!pd_fold_labels_init(&fold->labels, account, nr_steps) || !fold->own.sums) {
		pd_fold_free(fold);
		return PERFDATA_ENOMEM;
	}
	*ret = fold;
	return PERFDATA_OK;
}

/* --- a stack ------------------------------------------------------------------------------------------------------ */

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

/* The node of a step of the current stack, whose leaf is `node`. */
static enum perfdata_status node_of_step(struct pd_fold *fold, uint32_t node, size_t step, uint32_t *ret)
{
	uint32_t label;
	for (*ret = node; step > 0; step--)
		if (pd_path_tree_get(&fold->stacks->tree, *ret, ret, &label) < 0)
			return fold->stacks->tree.status;
	return PERFDATA_OK;
}

/* Requests the labels of a step of the stack that ends at `leaf`. */
static enum perfdata_status make_labels(struct filler *filler, uint32_t leaf, size_t step, uint32_t label,
					const uint32_t **ret)
{
	struct pd_fold *fold = filler->fold;
	struct pd_profile_node named;
	uint32_t node, words[1 + PD_FOLD_MAX_LABELS];
	size_t nr = 0;
	enum perfdata_status status = node_of_step(fold, leaf, step, &node);
	if (status == PERFDATA_OK)
		status = pd_profile_node(fold->profile, node, &named);
	if (status == PERFDATA_OK)
		status = fold->options.labels(fold->options.user, filler->thread, &named, words + 1, &nr);
	if (status != PERFDATA_OK)
		return status;
	words[0] = (uint32_t)nr;
	if (filler == &fold->own && pd_fold_labels_are_many(&fold->labels) &&
	    pd_account_is_over(pd_profile_account(fold->profile)) && !pd_fold_labels_drop(&fold->labels))
		return PERFDATA_ENOMEM;
	*ret = pd_fold_labels_keep(&fold->labels, filler->thread, label, words);
	return *ret ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* Appends the labels that a choice leaves of a step. */
static bool append_chosen(struct filler *filler, const uint32_t *labels, size_t nr, unsigned *seen)
{
	const struct pd_fold_choice *choice = filler->fold->options.choice;
	bool ok = true;
	for (size_t i = 0; i < nr && ok; i++) {
		*seen |= choice->sees(filler->fold->options.user, labels[i]);
		if (!choice->root || *seen & choice->root)
			ok = append_labels(&filler->line, &labels[i], 1);
	}
	return ok;
}

/* Adds a waiting stack, whose steps are known, to the sums. */
static enum perfdata_status add_stack(struct filler *filler, const struct waiting *stack,
				      const struct pd_path_climb *climb)
{
	struct pd_fold *fold = filler->fold;
	const struct pd_fold_choice *choice = fold->options.choice;
	const uint32_t *steps = climb->labels;
	unsigned seen = 0;
	filler->line.nr = 0;
	bool ok = append_labels(&filler->line, filler->front, filler->nr_front);
	for (size_t i = climb->nr; i-- > 0 && ok;) {
		const uint32_t *words = pd_fold_labels_find(&fold->labels, steps[i]);
		const enum perfdata_status status =
			words ? PERFDATA_OK : make_labels(filler, stack->node, i, steps[i], &words);
		if (status != PERFDATA_OK)
			return status;
		ok = choice ? append_chosen(filler, words + 1, words[0], &seen)
			    : append_labels(&filler->line, words + 1, words[0]);
	}
	if (!ok)
		return PERFDATA_ENOMEM;
	if (choice && !choice->takes(fold->options.user, seen))
		return PERFDATA_OK;
	return pd_line_sums_add(filler->sums, filler->line.items, filler->line.nr, stack->weight);
}

static enum perfdata_status add_waiting(struct filler *filler)
{
	struct pd_path_tree *tree = &filler->fold->stacks->tree;
	enum perfdata_status status = pd_path_tree_climb(tree, filler->climbs, filler->nr_waiting);
	for (size_t i = 0; i < filler->nr_waiting && status == PERFDATA_OK; i++)
		status = add_stack(filler, &filler->waiting[i], &filler->climbs[i]);
	filler->nr_waiting = 0;
	return status;
}

static enum perfdata_status add_key(struct filler *filler, const struct pd_profile_entry *entry)
{
	const struct pd_fold_options *options = &filler->fold->options;
	const struct pd_profile_key *key = &entry->key;
	const bool has_front = filler->nr_front && key->event == filler->event && key->comm == filler->comm;
	enum perfdata_status status = PERFDATA_OK;
	if (filler->nr_waiting == MOST_WAITING || !has_front)
		status = add_waiting(filler);
	if (status == PERFDATA_OK && !has_front) {
		filler->event = key->event;
		filler->comm = key->comm;
		status = options->front(options->user, key, filler->front, &filler->nr_front);
	}
	if (status != PERFDATA_OK)
		return status;
	filler->waiting[filler->nr_waiting] = (struct waiting){ key->node, entry->sums.weight };
	filler->climbs[filler->nr_waiting].node = key->node;
	filler->climbs[filler->nr_waiting++].nr = 0;
	return PERFDATA_OK;
}

/* --- in threads --------------------------------------------------------------------------------------------------- */

/* Takes some keys of a filler; false: none are left. */
static bool take_keys(struct filler *from, size_t *ret_first, size_t *ret_end)
{
	if (atomic_load_explicit(&from->next, memory_order_relaxed) >= from->end)
		return false;
	*ret_first = atomic_fetch_add_explicit(&from->next, KEYS_AT_ONCE, memory_order_relaxed);
	*ret_end = *ret_first + KEYS_AT_ONCE < from->end ? *ret_first + KEYS_AT_ONCE : from->end;
	return *ret_first < from->end;
}

/* Takes some keys, of the filler's own if any are left. */
static bool take_next_keys(const struct filler *filler, size_t *ret_first, size_t *ret_end)
{
	const struct pd_fold *fold = filler->fold;
	for (unsigned i = 0; i < fold->nr_fillers; i++)
		if (take_keys(&fold->fillers[(filler->thread + i) % fold->nr_fillers], ret_first, ret_end))
			return true;
	return false;
}

/* Whether the filler leaves the rest to the fold's own filler, whose lines may go to a file, and which may drop labels:
 * a thread failed, or memory is short. */
static bool leaves_rest(const struct filler *filler)
{
	const struct pd_fold *fold = filler->fold;
	return filler != &fold->own && (atomic_load_explicit(&fold->is_stopped, memory_order_relaxed) ||
					pd_account_is_over(pd_profile_account(fold->profile)));
}

static enum perfdata_status add_keys(struct filler *filler)
{
	const struct pd_fold *fold = filler->fold;
	enum perfdata_status status = PERFDATA_OK;
	size_t first, end;
	while (status == PERFDATA_OK && !leaves_rest(filler) && take_next_keys(filler, &first, &end)) {
		if (pd_profile_is_cancelled(fold->profile))
			status = PERFDATA_EINTR;
		for (; first < end && status == PERFDATA_OK; first++)
			status = add_key(filler, &fold->keys[first]);
	}
	return status == PERFDATA_OK ? add_waiting(filler) : status;
}

static void fill_in_thread(void *user, unsigned thread)
{
	struct filler *filler = (struct filler *)user + thread;
	filler->status = add_keys(filler);
	if (filler->status != PERFDATA_OK)
		atomic_store_explicit(&filler->fold->is_stopped, true, memory_order_relaxed);
}

static enum perfdata_status set_up_fillers(struct pd_fold *fold, size_t nr_keys)
{
	for (unsigned i = 0; i < fold->nr_fillers; i++) {
		struct filler *filler = &fold->fillers[i];
		filler->fold = fold;
		filler->thread = i;
		filler->next = nr_keys / fold->nr_fillers * i;
		filler->end = i + 1 < fold->nr_fillers ? nr_keys / fold->nr_fillers * (i + 1) : nr_keys;
		filler->sums = pd_line_sums_new(pd_profile_account(fold->profile), NULL);
		if (!filler->sums)
			return PERFDATA_ENOMEM;
	}
	return PERFDATA_OK;
}

static enum perfdata_status fill_in_threads(struct pd_fold *fold, const struct pd_profile_entry *keys, size_t nr_keys)
{
	const unsigned threads = fold->options.threads;
	fold->nr_fillers = threads < PD_FOLD_MAX_THREADS ? threads : PD_FOLD_MAX_THREADS;
	fold->fillers = pd_calloc(fold->nr_fillers, sizeof *fold->fillers);
	enum perfdata_status status = fold->fillers ? set_up_fillers(fold, nr_keys) : PERFDATA_ENOMEM;
	if (status == PERFDATA_OK) {
		fold->keys = keys;
		struct pd_team *team = pd_team_start(fold->nr_fillers - 1, fill_in_thread, fold->fillers + 1);
		fill_in_thread(fold->fillers, 0);
		pd_team_join(team);
	}
	for (unsigned i = 0; fold->fillers && i < fold->nr_fillers; i++) {
		struct filler *filler = &fold->fillers[i];
		status = status == PERFDATA_OK ? filler->status : status;
		if (status == PERFDATA_OK)
			status = pd_line_sums_take_over(fold->own.sums, filler->sums);
	}
	if (status == PERFDATA_OK)
		status = add_keys(&fold->own);
	fold->keys = NULL;
	for (unsigned i = 0; fold->fillers && i < fold->nr_fillers; i++)
		release_filler(&fold->fillers[i]);
	pd_free(fold->fillers);
	return status;
}

/* --- all stacks --------------------------------------------------------------------------------------------------- */

/* The keys that threads add; NULL: one thread adds all keys. */
static const struct pd_profile_entry *keys_for_threads(const struct pd_fold *fold, size_t *ret_nr)
{
	if (fold->options.threads < 2 || fold->options.choice || !pd_path_tree_is_in_memory(&fold->stacks->tree))
		return NULL;
	const struct pd_profile_entry *keys = pd_profile_entries(fold->profile, ret_nr);
	return *ret_nr >= LEAST_IN_THREADS ? keys : NULL;
}

static enum perfdata_status fill_alone(struct pd_fold *fold)
{
	struct pd_profile_walk *walk;
	const struct pd_profile_entry *entry;
	enum perfdata_status status = pd_profile_walk_new(fold->profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK)
		if ((status = add_key(&fold->own, entry)) != PERFDATA_OK)
			break;
	pd_profile_walk_free(walk);
	return status == PERFDATA_END ? add_waiting(&fold->own) : status;
}

enum perfdata_status pd_fold_fill(struct pd_fold *fold)
{
	size_t nr = 0;
	const struct pd_profile_entry *keys = keys_for_threads(fold, &nr);
	const enum perfdata_status status = keys ? fill_in_threads(fold, keys, nr) : fill_alone(fold);
	if (status != PERFDATA_OK)
		return status;
	pd_fold_labels_release(&fold->labels);
	return pd_line_sums_sort(fold->own.sums, fold->options.threads);
}

enum perfdata_status pd_fold_next(struct pd_fold *fold, struct pd_line *ret)
{
	return pd_line_sums_next(fold->own.sums, ret);
}
