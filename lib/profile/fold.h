/* SPDX-License-Identifier: MIT */
/* The tree of stacks by name: stacks with the same names are one, for example stacks that differ by an offset inside a
 * function. The user of the tree names the nodes: a label is a number that the user assigns, one for each distinct text
 * (or function). One frame may have several labels: the function that holds its address, then the calls that are
 * inlined there.
 *
 * Fill the tree with the keys of a profile, then walk it: depth first, children in the order of the user's ranks. What
 * exceeds the session's limit of memory goes to temporary files. */
#ifndef PD_FOLD_H
#define PD_FOLD_H

#include "profile/profile.h"

#define PD_FOLD_MAX_LABELS 80u

struct pd_fold_options {
	/* Writes the labels of a node's frame, outermost first: at least 1, at most PD_FOLD_MAX_LABELS, and how many in
	 * *ret_nr. Called once for each (frame, origin, address without frame, is_caller), and again where memory is
	 * short. is_caller is only ever true with `callers`: the address is where a call returns to, and the call is
	 * at the address minus one (PERFDATA_FRAME_CALLER). */
	enum perfdata_status (*labels)(void *user, const struct pd_profile_node *node, bool is_caller, uint32_t *labels,
				       size_t *ret_nr);
	void *user;
	bool callers;        /* distinguish callers from leaves; else all are named by the recorded address */
	/* Which stacks count; NULL: all. `sees` says in bits what a label is to the choice, and `takes` whether a stack
	 * counts in whose labels these bits were seen. Stacks begin at the first label with the bit `root`, unless that
	 * is 0. Labels above the stacks are not passed to `sees`. */
	const struct pd_fold_choice {
		unsigned (*sees)(void *user, uint32_t label);
		bool (*takes)(void *user, unsigned seen);
		unsigned root;
	} *choice;
	/* compute totals of nodes; without them only `self` is known, and nodes take half the memory */
	bool totals;
};

struct pd_fold;
enum perfdata_status pd_fold_new(struct pd_profile *profile, const struct pd_fold_options *options,
				 struct pd_fold **ret);
void pd_fold_free(struct pd_fold *fold);

/* Adds weight to a stack, below `nr` labels above the stack (an event, a thread; may be 0). */
enum perfdata_status pd_fold_add(struct pd_fold *fold, const uint32_t *front, size_t nr, uint32_t node,
				 const struct pd_profile_sums *sums);

struct pd_fold_node {
	uint32_t parent;     /* 0: the root, which has no label */
	uint32_t label;
	bool ends;           /* stacks end here */
	uint64_t self;       /* weight of those stacks */
	/* with `totals`: samples of those stacks; weight and samples of the stacks that go through here */
	uint64_t self_samples, total, total_samples;
};
/* After the last pd_fold_add: puts children into order, adds up totals. */
enum perfdata_status pd_fold_finish(struct pd_fold *fold);

enum pd_fold_event { PD_FOLD_SELF, PD_FOLD_ENTER, PD_FOLD_LEAVE };
struct pd_fold_visit {
	enum pd_fold_event event;
	uint32_t node;
	unsigned depth;      /* 1: a child of the root */
};
struct pd_fold_walk_options {
	/* A label's place among its siblings. Each child is visited up to two times: its own weight (PD_FOLD_SELF) at
	 * rank(label, true), if stacks end there, and its subtree (PD_FOLD_ENTER, its children, PD_FOLD_LEAVE) at
	 * rank(label, false), if it has children. */
	uint64_t (*rank)(const void *user, uint32_t label, bool self);
	/* Anything but PERFDATA_OK ends the walk. PERFDATA_END at PD_FOLD_ENTER: skip the subtree, and do not call
	 * PD_FOLD_LEAVE. */
	enum perfdata_status (*visit)(void *user, const struct pd_fold_visit *visit, const struct pd_fold_node *node);
	void *user;          /* of rank and visit */
};
enum perfdata_status pd_fold_walk(struct pd_fold *fold, const struct pd_fold_walk_options *options);

#endif
