/* SPDX-License-Identifier: MIT */
/* A tree of labels: (parent, label) is one node. Nodes are numbered in the order of their addition; 0 is the root, and
 * a parent's number is lower than its children's. A node has 16 bytes, in pages that may go to a temporary file.
 * Looking up a path touches few pages, since the slots for a look-up are near the node. Where numbers may have gaps and
 * paths are long, path_tree.h takes a quarter of the memory. One thread at a time. */
#ifndef PD_TREE_H
#define PD_TREE_H

#include "base/hash.h"
#include "base/paged.h"

#define PD_TREE_MAX_NODES (1u << 28)

struct pd_tree_node {
	uint32_t parent, label;
	uint32_t slots[2];          /* 2 of the slots in which the children of nearby nodes are found */
};
struct pd_tree {
	struct pd_paged nodes;
	uint32_t count;             /* number of nodes, root included */
	uint64_t seed;
	struct pd_hash_map crowded;      /* parent << 32 | label → node: children that found no free slot */
	enum perfdata_status status;   /* why there is no node */
};

/* 0, or -1 without memory. */
int pd_tree_init(struct pd_tree *tree, struct pd_account *account, enum pd_account_use use);
void pd_tree_release(struct pd_tree *tree);
/* Returns the child of `parent` with this label, and adds it if it is new. UINT32_MAX: see status. */
uint32_t pd_tree_child(struct pd_tree *tree, uint32_t parent, uint32_t label);
/* Returns the child with this label. UINT32_MAX: there is none, or see status. */
uint32_t pd_tree_find(struct pd_tree *tree, uint32_t parent, uint32_t label);
/* Returns 0; -1: see status. */
static inline int pd_tree_get(struct pd_tree *tree, uint32_t node, uint32_t *ret_parent, uint32_t *ret_label)
{
	const struct pd_tree_node *at = pd_paged_at(&tree->nodes, node);
	if (!at) {
		tree->status = tree->nodes.status;
		return -1;
	}
	*ret_parent = at->parent;
	*ret_label = at->label;
	return 0;
}

#endif
