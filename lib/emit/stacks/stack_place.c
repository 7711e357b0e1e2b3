/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "emit/stacks/stack_place.h"

void pd_stack_place_release(struct stack_place *place) { pd_free(place->nodes); }

/* Finds the path to a node, and keeps the nodes of labels that it shares with the path before. */
static enum perfdata_status find_path(struct stack_place *place, uint32_t node, struct stack_path *ret,
				      uint32_t *ret_above)
{
	const enum perfdata_status status = pd_stack_route_to(place->route, node, ret);
	if (status != PERFDATA_OK)
		return status;
	if (pd_vector_grow(&place->nodes, &place->room, ret->nr_labels, sizeof *place->nodes) < 0)
		return PERFDATA_ENOMEM;
	place->nr = ret->same_labels < place->nr ? ret->same_labels : place->nr;
	*ret_above = place->nr ? place->nodes[place->nr - 1] : STACK_NO_NODE;
	return PERFDATA_OK;
}

enum perfdata_status pd_stack_place_make(struct stack_place *place, struct stack_tree *tree, uint32_t node,
					 uint32_t *ret)
{
	struct stack_path path;
	uint32_t at;
	const enum perfdata_status status = find_path(place, node, &path, &at);
	if (status != PERFDATA_OK)
		return status;
	for (; place->nr < path.nr_labels; place->nr++) {
		at = pd_stack_tree_child(tree, at, path.labels[place->nr]);
		if (at == STACK_NO_NODE)
			return pd_stack_tree_failed(tree);
		place->nodes[place->nr] = at;
	}
	*ret = at;
	return PERFDATA_OK;
}

enum perfdata_status pd_stack_place_find(struct stack_place *place, struct stack_tree *tree, uint32_t node,
					 uint32_t left_out, uint32_t *ret)
{
	struct stack_path path;
	uint32_t at;
	const enum perfdata_status status = find_path(place, node, &path, &at);
	if (status != PERFDATA_OK)
		return status;
	for (; place->nr < path.nr_labels; place->nr++) {
		const uint32_t child = pd_stack_tree_find(tree, at, path.labels[place->nr]);
		if (child == STACK_NO_NODE) {
			const uint32_t small = pd_stack_tree_find(tree, at, left_out);
			at = small == STACK_NO_NODE ? at : small;
			if (pd_stack_tree_failed(tree) != PERFDATA_OK)
				return pd_stack_tree_failed(tree);
			break;
		}
		place->nodes[place->nr] = at = child;
	}
	*ret = at;
	return PERFDATA_OK;
}
