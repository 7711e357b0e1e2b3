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
	/* steps are equal only if all members are; else if their frames (without a frame, their addresses) and their
	 * origins are: a return address follows its call, an unwound address lies inside */
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
struct pd_steps_ahead;
/* The node of a stack, callee first; 0 for no steps. UINT32_MAX: see status. ahead: what was found of the stack
 * before, or NULL; it saves time and changes no node. */
uint32_t pd_step_tree_node(struct pd_step_tree *tree, const struct perfdata_step *steps, size_t nr,
			   const struct pd_steps_ahead *ahead);
/* All labels of frames below nr_frames, but for rare steps, are below the result, in a tree that is not exact. */
uint32_t pd_step_tree_plain_labels(uint32_t nr_frames);
/* Whether the tree has outgrown the processor's caches, and is in memory. */
bool pd_step_tree_is_slow(const struct pd_step_tree *tree);
/* Looking ahead: stacks at the same time, and the outermost steps of each. */
#define PD_STACKS_AHEAD 16u
#define PD_STEPS_AHEAD 64u
/* A stack that will be looked up soon. */
struct pd_steps_ahead {
	struct pd_path_fetch path;
	uint32_t nr_cached, cached;   /* number of steps that the cache has, and the node to which they lead */
	uint32_t labels[PD_STEPS_AHEAD], nodes[PD_STEPS_AHEAD];
};
void pd_steps_ahead_begin(struct pd_steps_ahead *ahead);
/* Appends the next steps, outermost caller first. True: the cache has all steps so far, so look at more. */
bool pd_steps_ahead_add(struct pd_steps_ahead *ahead, const struct pd_step_tree *tree,
			const struct perfdata_step *steps, size_t nr);
/* Finds known nodes of up to PD_STACKS_AHEAD stacks; their look-ups wait for memory at the same time. */
void pd_steps_ahead_find(struct pd_steps_ahead *stacks, size_t nr, const struct pd_step_tree *tree);
/* A node's step and its caller's node. 0 or -1: see status. */
int pd_step_tree_get(struct pd_step_tree *tree, uint32_t node, uint32_t *ret_caller, struct perfdata_step *ret);
/* Reads the steps of a node and of its callers, as far as their numbers follow each other: ret[i] is of node - i.
 * *ret_caller: the node after the last one. Returns their number; 0: see status. */
#define PD_STEPS_OF_RUN 32u
size_t pd_step_tree_get_run(struct pd_step_tree *tree, uint32_t node, struct perfdata_step ret[PD_STEPS_OF_RUN],
			    uint32_t *ret_caller);

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
/* The id of a stack; UINT32_MAX: see status. ahead: as in pd_step_tree_node. */
uint32_t pd_stack_ids_get(struct pd_stack_ids *ids, const struct perfdata_step *steps, size_t nr,
			  const struct pd_steps_ahead *ahead);
/* The node of an id that pd_stack_ids handed out; UINT32_MAX: see status. */
uint32_t pd_stack_ids_node(struct pd_stack_ids *ids, uint32_t id);

#endif
