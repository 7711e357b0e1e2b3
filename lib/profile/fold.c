/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/tree.h"
#include "profile/fold.h"
#include "session/session.h"

/* All data of a node are together, since they may have to be read from a file. */
struct node {
	struct pd_tree_node tree;
	uint64_t self;                  /* weight + 1 of the stacks that end here; 0: no stack ends here */
	uint32_t first_child, next;     /* 0: none */
};
struct node_with_totals {
	struct node node;
	uint64_t self_samples, total, total_samples, unused;
};
/* The node of the fold for a node of the tree of stacks, below the front labels with number `front`. */
struct location {
	uint32_t front, node;
};

/* A node of the tree of stacks, and the label of the node in this tree. */
struct step {
	uint32_t node, label;
};

#define KNOWN_CHILDREN_BITS 12

/* Up to this many labels stay in memory even if the account is over its limit. */
#define LEAST_LABELS 65536u

struct pd_fold {
	struct pd_profile *profile;
	struct pd_step_tree *stacks;
	struct pd_fold_options options;
	struct pd_tree tree;            /* its nodes are struct node or struct node_with_totals */
	struct pd_paged places;         /* by node of the tree of stacks: struct location */
	struct pd_paged seen;           /* only for options.choice: uint32_t per place, the bits seen up to it */
	uint32_t front, front_node;     /* number and node of the last front labels */
	struct pd_hash_map known;            /* key_of a step → index of its labels in `labels` */
	uint32_t *labels;               /* for each step: the number of labels, then the labels */
	size_t nr_labels, labels_room;
	size_t accounted;               /* bytes of `known` and `labels` that the account was charged for */
	struct step *way;               /* steps without a place, on the way to one with a place */
	size_t nr_way, way_room;
	/* A cache of children by hash: different steps often have the same labels, so the same child is found again and
	 * again. */
	struct known_child {
		uint32_t parent, label, node;   /* node 0: the slot is free */
	} known_children[1u << KNOWN_CHILDREN_BITS];
};

enum perfdata_status pd_fold_new(struct pd_profile *profile, const struct pd_fold_options *options,
				 struct pd_fold **ret)
{
	struct pd_fold *fold = pd_calloc(1, sizeof *fold);
	if (!fold)
		return PERFDATA_ENOMEM;
	struct pd_account *account = pd_session_account(pd_profile_session(profile));
	fold->profile = profile;
	fold->stacks = pd_session_nodes(pd_profile_session(profile));
	fold->options = *options;
	pd_paged_init(&fold->places, account, PD_USE_PROFILE, sizeof(struct location));
	pd_paged_init(&fold->seen, account, PD_USE_PROFILE, sizeof(uint32_t));
	const size_t size = options->totals ? sizeof(struct node_with_totals) : sizeof(struct node);
	if (pd_tree_init_with(&fold->tree, size, account, PD_USE_PROFILE) < 0) {
		pd_fold_free(fold);
		return PERFDATA_ENOMEM;
	}
	*ret = fold;
	return PERFDATA_OK;
}

void pd_fold_free(struct pd_fold *fold)
{
	if (!fold)
		return;
	pd_account_give(fold->tree.nodes.account, PD_USE_CACHES, fold->accounted);
	pd_tree_release(&fold->tree);
	pd_paged_release(&fold->places);
	pd_paged_release(&fold->seen);
	pd_hash_map_release(&fold->known);
	pd_free(fold->labels);
	pd_free(fold->way);
	pd_free(fold);
}

/* Accounts for the memory of the steps' labels. Drops the labels if the account is over its limit: they can be made
 * again. */
static void account_for_labels(struct pd_fold *fold)
{
	struct pd_account *account = fold->tree.nodes.account;
	if (fold->nr_labels > LEAST_LABELS && pd_account_is_over(account)) {
		pd_hash_map_release(&fold->known);
		fold->known = (struct pd_hash_map){ 0 };
		pd_free(fold->labels);
		fold->labels = NULL;
		fold->nr_labels = fold->labels_room = 0;
	}
	const size_t memory = fold->known.capacity * sizeof *fold->known.slots +
			      fold->labels_room * sizeof *fold->labels;
	pd_account_change(account, PD_USE_CACHES, fold->accounted, memory);
	fold->accounted = memory;
}

/* --- filling ------------------------------------------------------------------------------------------------------ */

/* Returns a number for all steps with the same labels. */
static uint64_t key_of(const struct step *step, bool is_caller) { return (uint64_t)step->label << 1 | is_caller; }

/* Finds the labels of a step; (*ret)[0] is their number. */
static enum perfdata_status find_labels(struct pd_fold *fold, const struct step *step, bool is_caller,
					const uint32_t **ret)
{
	const uint64_t key = key_of(step, is_caller);
	uint64_t at;
	if (!pd_hash_map_get(&fold->known, key, &at)) {
		struct pd_profile_node named;
		uint32_t labels[PD_FOLD_MAX_LABELS];
		size_t nr = 0;
		enum perfdata_status status = pd_profile_node(fold->profile, step->node, &named);
		if (status == PERFDATA_OK)
			status = fold->options.labels(fold->options.user, &named, is_caller, labels, &nr);
		if (status != PERFDATA_OK)
			return status;
		account_for_labels(fold);
		at = fold->nr_labels;
		if (pd_vector_grow(&fold->labels, &fold->labels_room, fold->nr_labels + nr, sizeof *fold->labels) < 0 ||
		    pd_hash_map_put(&fold->known, key, at) < 0)
			return PERFDATA_ENOMEM;
		fold->labels[at] = (uint32_t)nr;
		memcpy(&fold->labels[at + 1], labels, nr * sizeof *labels);
		fold->nr_labels += 1 + nr;
	}
	*ret = &fold->labels[at];
	return PERFDATA_OK;
}

static enum perfdata_status add_labels(struct pd_fold *fold, const uint32_t *labels, size_t nr, uint32_t *node)
{
	for (size_t i = 0; i < nr; i++) {
		const uint64_t hash = pd_hash_u64((uint64_t)*node << 32 | labels[i], 0);
		struct known_child *known = &fold->known_children[hash >> (64 - KNOWN_CHILDREN_BITS)];
		if (!known->node || known->parent != *node || known->label != labels[i]) {
			const uint32_t child = pd_tree_child(&fold->tree, *node, labels[i]);
			if (child == UINT32_MAX)
				return fold->tree.status;
			*known = (struct known_child){ *node, labels[i], child };
		}
		*node = known->node;
	}
	return PERFDATA_OK;
}

/* A node of the fold, and the bits that the choice has seen on the way there. */
struct position {
	uint32_t node;
	uint32_t seen;
};

/* Moves a position by the labels of a step. */
static enum perfdata_status add_step(struct pd_fold *fold, const struct step *step, bool is_caller,
				     struct position *at)
{
	const struct pd_fold_choice *choice = fold->options.choice;
	const uint32_t *labels;
	enum perfdata_status status = find_labels(fold, step, is_caller, &labels);
	if (status != PERFDATA_OK || !choice)
		return status == PERFDATA_OK ? add_labels(fold, labels + 1, labels[0], &at->node) : status;
	for (size_t i = 1; i <= labels[0] && status == PERFDATA_OK; i++) {
		at->seen |= choice->sees(fold->options.user, labels[i]);
		if (!choice->root || at->seen & choice->root)
			status = add_labels(fold, &labels[i], 1, &at->node);
	}
	return status;
}

/* Goes to the callers until one has a location, and returns its position; fold->way gets the nodes in between. */
static enum perfdata_status go_up(struct pd_fold *fold, uint32_t node, struct position *ret)
{
	fold->nr_way = 0;
	for (*ret = (struct position){ fold->front_node, 0 }; node;) {
		const struct location *place = pd_paged_at(&fold->places, node);
		if (!place)
			return fold->places.status;
		if (place->front == fold->front) {
			ret->node = place->node;
			const uint32_t *seen = fold->options.choice ? pd_paged_at(&fold->seen, node) : &ret->seen;
			ret->seen = seen ? *seen : 0;
			return seen ? PERFDATA_OK : fold->seen.status;
		}
		if (pd_vector_grow(&fold->way, &fold->way_room, fold->nr_way, sizeof *fold->way) < 0)
			return PERFDATA_ENOMEM;
		struct step *step = &fold->way[fold->nr_way++];
		step->node = node;
		if (pd_tree_get(&fold->stacks->tree, node, &node, &step->label) < 0)
			return fold->stacks->tree.status;
	}
	return PERFDATA_OK;
}

static enum perfdata_status keep_place(struct pd_fold *fold, uint32_t stack_node, const struct position *at)
{
	struct location *place = pd_paged_change(&fold->places, stack_node);
	if (!place)
		return fold->places.status;
	*place = (struct location){ fold->front, at->node };
	if (!fold->options.choice)
		return PERFDATA_OK;
	uint32_t *seen = pd_paged_change(&fold->seen, stack_node);
	if (!seen)
		return fold->seen.status;
	*seen = at->seen;
	return PERFDATA_OK;
}

/* Finds the place in the fold of a caller in the tree of stacks, and makes it if needed. */
static enum perfdata_status place_caller(struct pd_fold *fold, uint32_t stack_node, struct position *ret)
{
	enum perfdata_status status = go_up(fold, stack_node, ret);
	while (status == PERFDATA_OK && fold->nr_way) {
		const struct step *next = &fold->way[--fold->nr_way];
		status = add_step(fold, next, fold->options.callers, ret);
		if (status == PERFDATA_OK)
			status = keep_place(fold, next->node, ret);
	}
	return status;
}

static enum perfdata_status set_front(struct pd_fold *fold, const uint32_t *labels, size_t nr)
{
	uint32_t node = 0;
	const enum perfdata_status status = add_labels(fold, labels, nr, &node);
	if (status == PERFDATA_OK && (node != fold->front_node || !fold->front)) {
		fold->front_node = node;
		fold->front++;
	}
	return status;
}

static enum perfdata_status place_stack(struct pd_fold *fold, uint32_t node, struct position *ret)
{
	if (!node) {
		*ret = (struct position){ fold->front_node, 0 };
		return PERFDATA_OK;
	}
	if (!fold->options.callers)
		return place_caller(fold, node, ret);
	struct step leaf = { .node = node };
	uint32_t caller;
	if (pd_tree_get(&fold->stacks->tree, node, &caller, &leaf.label) < 0)
		return fold->stacks->tree.status;
	const enum perfdata_status status = place_caller(fold, caller, ret);
	return status == PERFDATA_OK ? add_step(fold, &leaf, false, ret) : status;
}

static uint64_t add_weight(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

enum perfdata_status pd_fold_add(struct pd_fold *fold, const uint32_t *front, size_t nr, uint32_t node,
				 const struct pd_profile_sums *sums)
{
	const struct pd_fold_choice *choice = fold->options.choice;
	struct position place;
	enum perfdata_status status = set_front(fold, front, nr);
	if (status == PERFDATA_OK)
		status = place_stack(fold, node, &place);
	if (status != PERFDATA_OK || (choice && !choice->takes(fold->options.user, place.seen)))
		return status;
	struct node *at = pd_tree_change(&fold->tree, place.node);
	if (!at)
		return fold->tree.status;
	at->self = add_weight(at->self ? at->self : 1, sums->weight);
	if (fold->options.totals) {
		struct node_with_totals *more = (struct node_with_totals *)at;
		more->self_samples = add_weight(more->self_samples, sums->samples);
	}
	return PERFDATA_OK;
}

/* --- totals ------------------------------------------------------------------------------------------------------- */

static uint64_t weight_of(const struct node *node) { return node->self ? node->self - 1 : 0; }

/* Adds a node's totals to its parent, which has a lower number. */
static enum perfdata_status finish_node(struct pd_fold *fold, uint32_t number)
{
	struct node *node = pd_tree_change(&fold->tree, number);
	struct node *parent = node && number ? pd_tree_change(&fold->tree, node->tree.parent) : node;
	if (!parent)
		return fold->tree.status;
	if (fold->options.totals) {
		struct node_with_totals *own = (struct node_with_totals *)node,
					*above = (struct node_with_totals *)parent;
		own->total = add_weight(own->total, weight_of(node));
		own->total_samples = add_weight(own->total_samples, own->self_samples);
		if (number) {
			above->total = add_weight(above->total, own->total);
			above->total_samples = add_weight(above->total_samples, own->total_samples);
		}
	}
	if (number) {
		node->next = parent->first_child;
		parent->first_child = number;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_fold_finish(struct pd_fold *fold)
{
	/* Only pd_fold_add needs these maps. */
	pd_paged_release(&fold->places);
	pd_paged_release(&fold->seen);
	pd_hash_map_release(&fold->known);
	enum perfdata_status status = PERFDATA_OK;
	for (uint32_t node = fold->tree.count; node-- > 0 && status == PERFDATA_OK;)
		status = finish_node(fold, node);
	return status;
}

static void describe_node(const struct pd_fold *fold, const struct node *node, struct pd_fold_node *ret)
{
	*ret = (struct pd_fold_node){
		.parent = node->tree.parent, .label = node->tree.label, .ends = node->self != 0, .self = weight_of(node)
	};
	if (fold->options.totals) {
		const struct node_with_totals *more = (const struct node_with_totals *)node;
		ret->self_samples = more->self_samples;
		ret->total = more->total;
		ret->total_samples = more->total_samples;
	}
}

/* Nodes are numbered from 0, the root, and a parent's number is lower than its children's. */
static enum perfdata_status fold_node(struct pd_fold *fold, uint32_t node, struct pd_fold_node *ret)
{
	const struct node *at = pd_tree_item(&fold->tree, node);
	if (!at)
		return fold->tree.status;
	describe_node(fold, at, ret);
	return PERFDATA_OK;
}

/* --- walking ------------------------------------------------------------------------------------------------------ */

struct item {
	uint64_t rank;
	uint32_t node;
	enum pd_fold_event event;       /* PD_FOLD_SELF or PD_FOLD_ENTER */
};
/* A node whose children the walk visits. */
struct level {
	uint32_t node;
	size_t first, at, end;          /* indexes of its items: first, next, end */
};
struct walk {
	struct pd_fold *fold;
	const struct pd_fold_walk_options *options;
	struct item *items;
	size_t nr_items, items_room;
	struct level *levels;
	size_t nr_levels, levels_room;
};

static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static enum perfdata_status add_item(struct walk *walk, uint32_t node, uint32_t label, enum pd_fold_event event)
{
	if (pd_vector_grow(&walk->items, &walk->items_room, walk->nr_items, sizeof *walk->items) < 0)
		return PERFDATA_ENOMEM;
	const uint64_t rank = walk->options->rank(walk->options->user, label, event == PD_FOLD_SELF);
	walk->items[walk->nr_items++] = (struct item){ rank, node, event };
	return PERFDATA_OK;
}

/* Enters a node: its children become items. */
static enum perfdata_status enter_node(struct walk *walk, uint32_t number)
{
	struct pd_fold *fold = walk->fold;
	const size_t first = walk->nr_items;
	const struct node *node = pd_tree_item(&fold->tree, number);
	enum perfdata_status status = node ? PERFDATA_OK : fold->tree.status;
	for (uint32_t child = node ? node->first_child : 0; child && status == PERFDATA_OK; child = node->next) {
		node = pd_tree_item(&fold->tree, child);
		if (!node)
			return fold->tree.status;
		if (node->self)
			status = add_item(walk, child, node->tree.label, PD_FOLD_SELF);
		if (status == PERFDATA_OK && node->first_child)
			status = add_item(walk, child, node->tree.label, PD_FOLD_ENTER);
	}
	if (status == PERFDATA_OK &&
	    pd_vector_grow(&walk->levels, &walk->levels_room, walk->nr_levels, sizeof *walk->levels) < 0)
		status = PERFDATA_ENOMEM;
	if (status != PERFDATA_OK)
		return status;
	if (walk->nr_items - first > 1)
		qsort(&walk->items[first], walk->nr_items - first, sizeof *walk->items, compare_items);
	walk->levels[walk->nr_levels++] = (struct level){ number, first, first, walk->nr_items };
	return PERFDATA_OK;
}

static enum perfdata_status visit_node(struct walk *walk, enum pd_fold_event event, uint32_t node, size_t depth)
{
	struct pd_fold_node at;
	const struct pd_fold_visit visit = { event, node, (unsigned)depth };
	const enum perfdata_status status = fold_node(walk->fold, node, &at);
	return status == PERFDATA_OK ? walk->options->visit(walk->options->user, &visit, &at) : status;
}

static enum perfdata_status leave_node(struct walk *walk)
{
	const struct level level = walk->levels[--walk->nr_levels];
	walk->nr_items = level.first;
	return walk->nr_levels ? visit_node(walk, PD_FOLD_LEAVE, level.node, walk->nr_levels) : PERFDATA_OK;
}

static enum perfdata_status step_walk(struct walk *walk)
{
	struct level *level = &walk->levels[walk->nr_levels - 1];
	if (level->at == level->end)
		return leave_node(walk);
	const struct item item = walk->items[level->at++];
	const enum perfdata_status status = visit_node(walk, item.event, item.node, walk->nr_levels);
	if (item.event == PD_FOLD_SELF)
		return status;
	return status == PERFDATA_OK ? enter_node(walk, item.node) : status == PERFDATA_END ? PERFDATA_OK : status;
}

enum perfdata_status pd_fold_walk(struct pd_fold *fold, const struct pd_fold_walk_options *options)
{
	struct walk walk = { .fold = fold, .options = options };
	enum perfdata_status status = enter_node(&walk, 0);
	while (status == PERFDATA_OK && walk.nr_levels)
		status = step_walk(&walk);
	pd_free(walk.items);
	pd_free(walk.levels);
	return status;
}
