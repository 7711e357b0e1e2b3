/* SPDX-License-Identifier: MIT */
/* A tree of labels: (parent, label) is one node. A parent's number is lower than its children's, and a node added later
 * has a higher number; 0 is the root. Numbers may have gaps.
 *
 * A node that is added below the newest node has the next number, so a long new path takes 4 bytes for each node. Any
 * other new node begins a run: the word before its label is its parent, and a hash table finds it by parent and label.
 * Words and hash table may go to temporary files. One thread at a time. */
#ifndef PD_PATH_TREE_H
#define PD_PATH_TREE_H

#include "base/hash.h"
#include "base/paged.h"

#define PD_PATH_TREE_MAX_NODES (1u << 28)
#define PD_PATH_TREE_MAX_LABEL (PD_PATH_TREE_IS_PARENT - 1)
/* Marks the word of a parent; the next word is the label of the first node of a run. */
#define PD_PATH_TREE_IS_PARENT (UINT32_C(1) << 31)

struct pd_path_tree {
	struct pd_paged words;      /* by node: uint32_t label; before the first node of a run: its parent */
	uint32_t count;             /* number of words, that of the root included; the newest node is count - 1 */
	uint64_t seed;
	struct pd_paged slots;      /* uint32_t: first nodes of runs, by a hash of parent and label */
	size_t nr_slots, nr_runs;   /* nr_slots: a power of two, or 0 */
	enum perfdata_status status;   /* why there is no node */
};

/* 0, or -1 without memory. */
int pd_path_tree_init(struct pd_path_tree *tree, struct pd_account *account, enum pd_account_use use);
void pd_path_tree_release(struct pd_path_tree *tree);
/* Frees what only pd_path_tree_add needs; it may not follow. */
void pd_path_tree_finish(struct pd_path_tree *tree);
/* Walks down from a node by labels of at most PD_PATH_TREE_MAX_LABEL, adds the nodes that are missing, and returns the
 * last one. UINT32_MAX: see status. */
uint32_t pd_path_tree_add(struct pd_path_tree *tree, uint32_t node, const uint32_t *labels, size_t nr);
/* A path that will be looked up soon. Begin with its labels and the node where it begins; the rest is 0. */
struct pd_path_fetch {
	const uint32_t *labels;
	uint32_t *nodes;            /* of the same number; the fetch sets those from the first `at` on */
	uint32_t nr;                /* number of labels */
	uint32_t at;                /* number of labels that the tree is known to have; they lead to `node` */
	uint32_t node;
	uint32_t candidate;         /* perhaps the child by the next label: its words are fetched; 0: none */
	bool is_begun;
	uint64_t hash;              /* of the next label below `node` */
	size_t slot;                /* where the search goes on */
};
/* Goes one memory access down a path and prefetches the next one. Paths that take turns wait for memory at the same
 * time. Reads only what is in memory, and changes nothing. False: the rest of the path is not in the tree, or in a
 * file. */
bool pd_path_tree_fetch(const struct pd_path_tree *tree, struct pd_path_fetch *path);
/* A way from a node up to the root. Begin with {0}, or the labels' memory of an earlier climb, and a `node`; free
 * `labels` at the end. */
struct pd_path_climb {
	uint32_t node;              /* the next node; 0: the root */
	uint32_t *labels;           /* labels of the nodes so far */
	size_t nr, room;
};
/* Reads all ways up to the root. They take turns: each would wait for memory at each run of nodes. While the tree is in
 * memory, several threads may climb at the same time. PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_path_tree_climb(struct pd_path_tree *tree, struct pd_path_climb *climbs, size_t nr);
/* Whether no nodes were moved to a temporary file. */
static inline bool pd_path_tree_is_in_memory(const struct pd_path_tree *tree) { return tree->words.spool.fd < 0; }
/* Reads a node other than the root and those above it as far as their numbers follow each other, at most `most`:
 * ret_labels[i] is of node - i. *ret_parent: the node above the last one. Returns their number; 0: see status. */
size_t pd_path_tree_get_run(struct pd_path_tree *tree, uint32_t node, uint32_t *ret_labels, size_t most,
			    uint32_t *ret_parent);
/* Prefetches a way up to the root, run by run; begin with the node. Ways that take turns wait for memory at the same
 * time. Reads only what is in memory. False: the root is reached, or what follows is in a file. */
bool pd_path_tree_fetch_up(const struct pd_path_tree *tree, uint32_t *node);
/* Reads a node other than the root. Returns 0; -1: see status. */
static inline int pd_path_tree_get(struct pd_path_tree *tree, uint32_t node, uint32_t *ret_parent,
				   uint32_t *ret_label)
{
	const uint32_t *label = pd_paged_at(&tree->words, node);
	const uint32_t *before = label;
	if (label)
		before = node & tree->words.mask ? label - 1 : pd_paged_at(&tree->words, node - 1);
	if (!before) {
		tree->status = tree->words.status;
		return -1;
	}
	*ret_parent = *before & PD_PATH_TREE_IS_PARENT ? *before & ~PD_PATH_TREE_IS_PARENT : node - 1;
	*ret_label = *label;
	return 0;
}

#endif
