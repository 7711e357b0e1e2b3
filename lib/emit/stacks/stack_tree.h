/* SPDX-License-Identifier: MIT */
/* A tree of labels: the child of a node that has a label is found or made. Parents have lower numbers than their children. */
#ifndef PD_STACK_TREE_H
#define PD_STACK_TREE_H

#include "perfdata/base.h"

#define STACK_NO_NODE UINT32_MAX

struct stack_tree {
	uint32_t *parents, *labels;   /* STACK_NO_NODE: the parent of a root */
	size_t nr, room;
	uint32_t *slots;              /* node + 1; 0: free */
	size_t nr_slots;              /* a power of two */
	uint64_t seed;
};

void pd_stack_tree_release(struct stack_tree *tree);
/* STACK_NO_NODE: it has no such child. */
uint32_t pd_stack_tree_find(const struct stack_tree *tree, uint32_t parent, uint32_t label);
/* STACK_NO_NODE without memory. */
uint32_t pd_stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t label);

#endif
