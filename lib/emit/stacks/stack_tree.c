/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/stacks/stack_tree.h"

void pd_stack_tree_release(struct stack_tree *tree)
{
	pd_free(tree->parents);
	pd_free(tree->labels);
	pd_free(tree->slots);
	memset(tree, 0, sizeof *tree);
}

/* Where the node stands, or would stand. */
static size_t slot_of(const struct stack_tree *tree, uint32_t parent, uint32_t label)
{
	size_t at = (size_t)pd_hash_u64((uint64_t)parent << 32 | label, tree->seed) & (tree->nr_slots - 1);
	for (; tree->slots[at]; at = (at + 1) & (tree->nr_slots - 1)) {
		const uint32_t node = tree->slots[at] - 1;
		if (tree->parents[node] == parent && tree->labels[node] == label)
			break;
	}
	return at;
}

static bool grow_slots(struct stack_tree *tree)
{
	const size_t nr = tree->nr_slots ? tree->nr_slots * 2 : 256;
	uint32_t *slots = pd_calloc(nr, sizeof *slots);
	if (!slots)
		return false;
	pd_free(tree->slots);
	tree->slots = slots;
	tree->nr_slots = nr;
	if (!tree->seed)
		tree->seed = pd_hash_seed(tree);
	for (size_t i = 0; i < tree->nr; i++)
		slots[slot_of(tree, tree->parents[i], tree->labels[i])] = (uint32_t)i + 1;
	return true;
}

static bool grow_nodes(struct stack_tree *tree)
{
	const size_t room = tree->room ? tree->room * 2 : 128;
	uint32_t *parents = room < STACK_NO_NODE ? pd_realloc(tree->parents, room * sizeof *parents) : NULL;
	if (!parents)
		return false;
	tree->parents = parents;
	uint32_t *labels = pd_realloc(tree->labels, room * sizeof *labels);
	if (!labels)
		return false;
	tree->labels = labels;
	tree->room = room;
	return true;
}

uint32_t pd_stack_tree_find(const struct stack_tree *tree, uint32_t parent, uint32_t label)
{
	return tree->nr_slots ? tree->slots[slot_of(tree, parent, label)] - 1 : STACK_NO_NODE;
}

uint32_t pd_stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t label)
{
	if (tree->nr * 2 >= tree->nr_slots && !grow_slots(tree))
		return STACK_NO_NODE;
	const size_t at = slot_of(tree, parent, label);
	if (tree->slots[at])
		return tree->slots[at] - 1;
	if (tree->nr == tree->room && !grow_nodes(tree))
		return STACK_NO_NODE;
	tree->parents[tree->nr] = parent;
	tree->labels[tree->nr] = label;
	tree->slots[at] = (uint32_t)tree->nr + 1;
	return (uint32_t)tree->nr++;
}
