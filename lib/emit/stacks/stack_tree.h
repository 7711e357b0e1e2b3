/* SPDX-License-Identifier: MIT */
/* A tree of labels: the child of a node that has a label is found or made. Parents have lower numbers than their
 * children. It draws from the account of memory, beyond whose limit it goes to a temporary file. One thread at a
 * time. */
#ifndef PD_STACK_TREE_H
#define PD_STACK_TREE_H

#include "base/tree.h"

#define STACK_NO_NODE UINT32_MAX

struct stack_tree {
	struct pd_account *account;   /* NULL: none */
	/* a node's number is one less than here, where 0 is above all roots; made with the first one */
	struct pd_tree nodes;
	size_t nr;
};

void pd_stack_tree_release(struct stack_tree *tree);
/* STACK_NO_NODE: it has no such child; see also pd_stack_tree_failed. */
uint32_t pd_stack_tree_find(struct stack_tree *tree, uint32_t parent, uint32_t label);
/* STACK_NO_NODE: see pd_stack_tree_failed. */
uint32_t pd_stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t label);

/* A node's parent (of a root: STACK_NO_NODE) and label. What cannot be read back is a root with label 0, and
 * pd_stack_tree_failed says so. */
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
/* Why something above did not work: PERFDATA_OK, PERFDATA_ENOMEM, PERFDATA_EWRITE, PERFDATA_EREAD. */
static inline enum perfdata_status pd_stack_tree_failed(const struct stack_tree *tree) { return tree->nodes.status; }

#endif
