/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/tree.h"

/* A node's child is looked for in this many slots from slot number 2 * node on. There are two slots for each node and
 * on average at most one child, so nearly all children are found there. A slot holds the child's number and four bits
 * of its hash, which exclude most other children without reading them. */
#define WINDOW 24u
#define SPREAD 8u
#define TAG_SHIFT 28u

int pd_tree_init(struct pd_tree *tree, struct pd_account *account, enum pd_account_use use)
{
	*tree = (struct pd_tree){ .count = 1, .seed = pd_hash_seed(tree) };
	pd_paged_init(&tree->nodes, account, use, sizeof(struct pd_tree_node));
	return pd_paged_change(&tree->nodes, 0) ? 0 : -1;
}

void pd_tree_release(struct pd_tree *tree)
{
	pd_account_give(tree->nodes.account, tree->nodes.use, tree->crowded.capacity * sizeof *tree->crowded.slots);
	pd_hash_map_release(&tree->crowded);
	pd_paged_release(&tree->nodes);
	*tree = (struct pd_tree){ 0 };
}

static uint32_t fail_tree(struct pd_tree *tree, enum perfdata_status status)
{
	tree->status = status;
	return UINT32_MAX;
}

static uint32_t add_node(struct pd_tree *tree, uint32_t parent, uint32_t label)
{
	if (tree->count >= PD_TREE_MAX_NODES)
		return fail_tree(tree, PERFDATA_ENOMEM);
	struct pd_tree_node *node = pd_paged_change(&tree->nodes, tree->count);
	if (!node)
		return fail_tree(tree, tree->nodes.status);
	node->parent = parent;
	node->label = label;
	return tree->count++;
}

static uint32_t crowded_child(struct pd_tree *tree, uint32_t parent, uint32_t label, bool add)
{
	const uint64_t key = (uint64_t)parent << 32 | label;
	uint64_t value;
	if (pd_hash_map_get(&tree->crowded, key, &value))
		return (uint32_t)value;
	if (!add)
		return UINT32_MAX;
	const uint32_t child = add_node(tree, parent, label);
	const size_t before = tree->crowded.capacity;
	if (child != UINT32_MAX && pd_hash_map_put(&tree->crowded, key, child) < 0)
		return fail_tree(tree, PERFDATA_ENOMEM);
	pd_account_change(tree->nodes.account, tree->nodes.use, before * sizeof *tree->crowded.slots,
			  tree->crowded.capacity * sizeof *tree->crowded.slots);
	return child;
}

/* Returns the node with this index; `before` is the previous node, on the same page. */
static inline struct pd_tree_node *next_node(struct pd_tree *tree, struct pd_tree_node *before, uint32_t index)
{
	return index & tree->nodes.mask ? before + 1 : pd_paged_at(&tree->nodes, index);
}

/* Inlined into each caller, since every step of a stack is looked up here. */
static inline __attribute__((always_inline)) uint32_t look_up(struct pd_tree *tree, uint32_t parent, uint32_t label,
							      bool add)
{
	const uint64_t hash = pd_hash_u64((uint64_t)parent << 32 | label, tree->seed);
	const uint32_t tag = (uint32_t)(hash >> 60), first = 2 * parent + (uint32_t)(hash % SPREAD);
	struct pd_tree_node *home = pd_paged_at(&tree->nodes, first / 2);
	for (uint32_t at = first; at < first + WINDOW; at++) {
		if (at > first && at % 2 == 0)
			home = next_node(tree, home, at / 2);
		if (!home)
			return fail_tree(tree, tree->nodes.status);
		const uint32_t slot = home->slots[at % 2];
		if (!slot && !add)
			return UINT32_MAX;
		if (!slot) {
			const uint32_t child = add_node(tree, parent, label);
			if (child == UINT32_MAX)
				return child;
			/* the page is still in memory, since only the new node's page was requested after it */
			home->slots[at % 2] = tag << TAG_SHIFT | child;
			pd_paged_changed(&tree->nodes, at / 2);
			return child;
		}
		if (slot >> TAG_SHIFT != tag)
			continue;
		const uint32_t candidate = slot & (PD_TREE_MAX_NODES - 1);
		const struct pd_tree_node *node = pd_paged_at(&tree->nodes, candidate);
		if (!node)
			return fail_tree(tree, tree->nodes.status);
		if (node->parent == parent && node->label == label)
			return candidate;
		home = pd_paged_at(&tree->nodes, at / 2);    /* reading the candidate may have evicted this page */
	}
	return crowded_child(tree, parent, label, add);
}

uint32_t pd_tree_child(struct pd_tree *tree, uint32_t parent, uint32_t label)
{
	return look_up(tree, parent, label, true);
}
uint32_t pd_tree_find(struct pd_tree *tree, uint32_t parent, uint32_t label)
{
	return look_up(tree, parent, label, false);
}
