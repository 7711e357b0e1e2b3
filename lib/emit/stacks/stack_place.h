/* SPDX-License-Identifier: MIT */
/* Places of stacks in a tree of labels, one after the other. */
#ifndef PD_STACK_PLACE_H
#define PD_STACK_PLACE_H

#include "emit/stacks/stack_route.h"
#include "emit/stacks/stack_tree.h"

struct stack_place {
	struct stack_route *route;
	uint32_t *nodes;             /* of the tree, for each label of the way */
	size_t nr, room;
};

void pd_stack_place_release(struct stack_place *place);   /* not the route */
/* What is below the node of the profile in the tree: makes what is not there yet. */
enum perfdata_status pd_stack_place_make(struct stack_place *place, struct stack_tree *tree, uint32_t node,
					 uint32_t *ret);
/* Of a tree from which small nodes are left out: the last node that is there, or its child with the label `left_out`,
 * if it has one. */
enum perfdata_status pd_stack_place_find(struct stack_place *place, struct stack_tree *tree, uint32_t node,
					 uint32_t left_out, uint32_t *ret);

#endif
