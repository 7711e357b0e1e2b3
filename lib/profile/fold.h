/* SPDX-License-Identifier: MIT */
/* The tree of stacks by name, in which stacks with the same names are one, for example stacks that differ by an offset
 * inside a function. The user of the tree names the nodes by labels: a label is a number that the user assigns to a
 * distinct text (or function). A frame may have several labels: that of the function that contains its address, then
 * those of the calls that are inlined there.
 *
 * Fill the tree with the keys of a profile, then walk it: depth first, children in the order of the user's ranks. Data
 * beyond the session's limit of memory go to temporary files. */
#ifndef PD_FOLD_H
#define PD_FOLD_H

#include "profile/profile.h"

#define PD_FOLD_MAX_LABELS 80u

struct pd_fold_options {
	/* Writes the labels of a node's frame, outermost first; *ret_nr: their number, from 1 to PD_FOLD_MAX_LABELS.
	 * Called once for each (frame, origin, address without frame, is_caller), and again if memory is short.
	 * is_caller, only true with `callers`: the address is a return address, and the call is at the address minus
	 * one (PERFDATA_FRAME_CALLER). */
	enum perfdata_status (*labels)(void *user, const struct pd_profile_node *node, bool is_caller, uint32_t *labels,
				       size_t *ret_nr);
	void *user;
	bool callers;        /* distinguish callers from leaves; else the recorded address names both */
	/* Chooses the stacks that count; NULL: all. `sees` returns bits for a label, and `takes` decides by the bits of
	 * all labels of a stack whether the stack counts. If `root` is not 0, stacks begin at the first label with this
	 * bit. `sees` does not get the front labels. */
	const struct pd_fold_choice {
		unsigned (*sees)(void *user, uint32_t label);
		bool (*takes)(void *user, unsigned seen);
		unsigned root;
	} *choice;
	/* compute totals of nodes; without totals, nodes have only `self`, and take half the memory */
	bool totals;
};

struct pd_fold;
enum perfdata_status pd_fold_new(struct pd_profile *profile, const struct pd_fold_options *options,
				 struct pd_fold **ret);
void pd_fold_free(struct pd_fold *fold);

/* Adds weight to a stack below `nr` front labels, such as an event and a thread; nr may be 0. */
enum perfdata_status pd_fold_add(struct pd_fold *fold, const uint32_t *front, size_t nr, uint32_t node,
				 const struct pd_profile_sums *sums);

struct pd_fold_node {
	uint32_t parent;     /* 0: the root, which has no label */
	uint32_t label;
	bool ends;           /* stacks end here */
	uint64_t self;       /* weight of the stacks that end here */
	/* with `totals`: samples of the stacks that end here; weight and samples of all stacks through here */
	uint64_t self_samples, total, total_samples;
};
/* Sorts children and adds up totals; call it after the last pd_fold_add. */
enum perfdata_status pd_fold_finish(struct pd_fold *fold);

enum pd_fold_event { PD_FOLD_SELF, PD_FOLD_ENTER, PD_FOLD_LEAVE };
struct pd_fold_visit {
	enum pd_fold_event event;
	uint32_t node;
	unsigned depth;      /* 1: a child of the root */
};
struct pd_fold_walk_options {
	/* Returns the rank of a label among its siblings. A child is visited up to two times: for its own weight
	 * (PD_FOLD_SELF), at rank(label, true), if stacks end there; and for its subtree (PD_FOLD_ENTER, the children,
	 * PD_FOLD_LEAVE), at rank(label, false), if it has children. */
	uint64_t (*rank)(const void *user, uint32_t label, bool self);
	/* Returns PERFDATA_OK, or a status that ends the walk; PERFDATA_END at PD_FOLD_ENTER only skips the subtree and
	 * its PD_FOLD_LEAVE. */
	enum perfdata_status (*visit)(void *user, const struct pd_fold_visit *visit, const struct pd_fold_node *node);
	void *user;          /* of rank and visit */
};
enum perfdata_status pd_fold_walk(struct pd_fold *fold, const struct pd_fold_walk_options *options);

#endif
