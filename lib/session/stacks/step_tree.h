/* SPDX-License-Identifier: MIT */
/* Stacks as a tree of steps: stacks share the nodes of the steps that they have in common from the root on. */
#ifndef PD_STEP_TREE_H
#define PD_STEP_TREE_H

#include "base/table.h"
#include "base/path_tree.h"
#include "perfdata/session.h"

/* Origin of the only step of a sample without callchain, in a tree that is not exact. */
#define PD_STEP_ALONE 3u
/* In a tree that is not exact: origin of an unwound step whose caller is above the recorded stack memory. */
#define PD_STEP_CUT 4u

struct pd_step_tree {
	/* steps are equal only if all members are; else if their frames (without a frame, their addresses) are, and
	 * their origins as far as names depend on them */
	bool exact;
	uint64_t seed;
	struct pd_path_tree tree;
	/* struct perfdata_step; in a tree that is not exact, only steps that do not fit into a label */
	struct pd_table steps;
	struct pd_index index;
	struct pd_account *account;
	size_t accounted;
	uint32_t *labels;              /* labels of the stack that is looked up, outermost caller first */
	size_t labels_room;
	/* A cache of sequences of steps and the nodes to which they led: most sequences come back in other stacks. The
	 * cache has a fixed size; the tree finds a dropped sequence step by step, with the same result. */
	struct pd_known_steps *known;
	size_t nr_known;               /* a power of two */
	enum perfdata_status status;   /* why the last node could not be made */
};

#define PD_STEP_TREE_KNOWN ((size_t)1 << 14)
/* 0, or -1 without memory; release the tree in both cases. */
int pd_step_tree_init(struct pd_step_tree *tree, bool exact, struct pd_account *account);
void pd_step_tree_release(struct pd_step_tree *tree);
/* Frees data that only pd_step_tree_node needs. Call it when no more stacks are added. */
void pd_step_tree_finish(struct pd_step_tree *tree);
/* The node of a stack, callee first; 0 for no steps. UINT32_MAX: see status. */
uint32_t pd_step_tree_node(struct pd_step_tree *tree, const struct perfdata_step *steps, size_t nr);
/* A node's step and its caller's node. 0 or -1: see status. */
int pd_step_tree_get(struct pd_step_tree *tree, uint32_t node, uint32_t *ret_caller, struct perfdata_step *ret);

/* Ids of stacks, in the order of their first use. */
struct pd_stack_ids {
	struct pd_step_tree tree;   /* an exact tree */
	struct pd_paged ids;        /* by node: uint32_t id + 1; 0: no stack ends there */
	struct pd_paged nodes;      /* by id: uint32_t */
	uint32_t count;
	enum perfdata_status status;
};
int pd_stack_ids_init(struct pd_stack_ids *ids, struct pd_account *account);
void pd_stack_ids_release(struct pd_stack_ids *ids);
/* The id of a stack; UINT32_MAX: see status. */
uint32_t pd_stack_ids_get(struct pd_stack_ids *ids, const struct perfdata_step *steps, size_t nr);
/* The node of an id that pd_stack_ids handed out; UINT32_MAX: see status. */
uint32_t pd_stack_ids_node(struct pd_stack_ids *ids, uint32_t id);

#endif
