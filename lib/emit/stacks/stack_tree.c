/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/stacks/stack_tree.h"

_Static_assert(STACK_NO_NODE + 1 == 0, "what is above a root is the root of the tree below");

void pd_stack_tree_release(struct stack_tree *tree)
{
	if (tree->nodes.count)
		pd_tree_release(&tree->nodes);
	*tree = (struct stack_tree){ .account = tree->account };
}

uint32_t pd_stack_tree_find(struct stack_tree *tree, uint32_t parent, uint32_t label)
{
	const uint32_t node = tree->nodes.count ? pd_tree_find(&tree->nodes, parent + 1, label) : STACK_NO_NODE;
	return node == STACK_NO_NODE ? node : node - 1;
}

uint32_t pd_stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t label)
{
	if (!tree->nodes.count && pd_tree_init(&tree->nodes, tree->account, PD_USE_PROFILE) < 0) {
		tree->nodes.status = PERFDATA_ENOMEM;
		return STACK_NO_NODE;
	}
	const uint32_t node = pd_tree_child(&tree->nodes, parent + 1, label);
	if (node == STACK_NO_NODE)
		return node;
	tree->nr = tree->nodes.count - 1;
	return node - 1;
}
