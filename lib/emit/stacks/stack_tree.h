/* SPDX-License-Identifier: MIT */
/* A tree of labels: finds or adds the child of a node with a given label. Parents have lower numbers than their
 * children. The tree charges the account; above the limit its pages move to a temporary file. One thread at a time. */
#ifndef PD_STACK_TREE_H
#define PD_STACK_TREE_H

#include "base/tree.h"

#define STACK_NO_NODE UINT32_MAX

struct stack_tree {
	struct pd_account *account;   /* NULL: none */
	/* node n has number n + 1 here, since 0 is the parent of all roots; made with the first node */
	struct pd_tree nodes;
	size_t nr;
};

void pd_stack_tree_release(struct stack_tree *tree);
/* STACK_NO_NODE: no such child, or a failure (pd_stack_tree_failed). */
uint32_t pd_stack_tree_find(struct stack_tree *tree, uint32_t parent, uint32_t label);
/* STACK_NO_NODE: a failure (pd_stack_tree_failed). */
uint32_t pd_stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t label);

/* The parent (STACK_NO_NODE for a root) and the label of a node. If reading the node from the file fails, it is a root
 * with label 0, and pd_stack_tree_failed says so. */
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
/* The first failure: PERFDATA_OK (none), PERFDATA_ENOMEM, PERFDATA_EWRITE, PERFDATA_EREAD. */
static inline enum perfdata_status pd_stack_tree_failed(const struct stack_tree *tree) { return tree->nodes.status; }

#endif
