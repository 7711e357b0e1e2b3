/* SPDX-License-Identifier: MIT */
/* Finds the nodes of stacks in a tree of labels. Successive stacks share the beginning of their paths. */
#ifndef PD_STACK_PLACE_H
#define PD_STACK_PLACE_H

#include "emit/stacks/stack_route.h"
#include "emit/stacks/stack_tree.h"

struct stack_place {
	struct stack_route *route;
	uint32_t *nodes;             /* by label of the path: its node in the tree */
	size_t nr, room;
};

void pd_stack_place_release(struct stack_place *place);   /* keeps the route */
/* The tree's node for a node of the profile; adds missing nodes. */
enum perfdata_status pd_stack_place_make(struct stack_place *place, struct stack_tree *tree, uint32_t node,
					 uint32_t *ret);
/* As pd_stack_place_make, in a tree without small nodes: returns the last existing node of the path, or its child with
 * the label `left_out` if there is one. */
enum perfdata_status pd_stack_place_find(struct stack_place *place, struct stack_tree *tree, uint32_t node,
					 uint32_t left_out, uint32_t *ret);

#endif
