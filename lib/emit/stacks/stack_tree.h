/* SPDX-License-Identifier: MIT */
/* A tree of labels: functions find or make the child of a node with a given label. Parents have lower numbers than
 * their children. The tree draws from the account of memory; beyond the limit its pages go to a temporary file. One
 * thread at a time. */
#ifndef PD_STACK_TREE_H
#define PD_STACK_TREE_H

#include "base/tree.h"

#define STACK_NO_NODE UINT32_MAX

struct stack_tree {
	struct pd_account *account;   /* NULL: none */
	/* numbers here are one more than the nodes' numbers, since 0 is the parent of all roots; made with the first
	 * node */
	struct pd_tree nodes;
	size_t nr;
};

void pd_stack_tree_release(struct stack_tree *tree);
/* STACK_NO_NODE: the parent has no such child, or see pd_stack_tree_failed. */
uint32_t pd_stack_tree_find(struct stack_tree *tree, uint32_t parent, uint32_t label);
/* STACK_NO_NODE: see pd_stack_tree_failed. */
uint32_t pd_stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t label);

/* A node's parent (of a root: STACK_NO_NODE) and label. If a node cannot be read back from the file, the function
 * returns a root with label 0, and pd_stack_tree_failed returns true. */
static inline uint32_t pd_stack_tree_parent(struct stack_tree *tree, uint32_t node)
{
	uint32_t parent, label;
	return pd_tree_get(&tree->nodes, node + 1, &parent, &label) < 0 ? STACK_NO_NODE : parent - 1;
}
static inline uint32_t pd_stack_tree_label(struct stack_tree *tree, uint32_t node)
{
	uint32_t parent, label;
	return pd_tree_get(&tree->nodes, node + 1, &parent, &label) < 0 ? 0 : label;
}
/* Why a function above failed: PERFDATA_OK (none did), PERFDATA_ENOMEM, PERFDATA_EWRITE, PERFDATA_EREAD. */
static inline enum perfdata_status pd_stack_tree_failed(const struct stack_tree *tree) { return tree->nodes.status; }

#endif
