/* SPDX-License-Identifier: MIT */
/* Places of stacks in a tree of labels, one after the other. */
#ifndef PD_STACK_PLACE_H
#define PD_STACK_PLACE_H

#include "emit/stacks/stack_route.h"
#include "emit/stacks/stack_tree.h"

struct stack_place {
	struct stack_route *route;
	uint32_t *nodes;             /* the node of the tree for each label of the path */
	size_t nr, room;
};

void pd_stack_place_release(struct stack_place *place);   /* not the route */
/* The tree's node for a node of the profile; makes the nodes on the path that are not there yet. */
enum perfdata_status pd_stack_place_make(struct stack_place *place, struct stack_tree *tree, uint32_t node,
					 uint32_t *ret);
/* The same in a tree that lacks small nodes: the last node of the path that is there, or that node's child with the
 * label `left_out`, if it has one. */
enum perfdata_status pd_stack_place_find(struct stack_place *place, struct stack_tree *tree, uint32_t node,
					 uint32_t left_out, uint32_t *ret);

#endif
