/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/path_tree.h"
#include "base/prefetch.h"

/* A slot holds the number of a node and four bits of its hash, which exclude most other nodes without reading them. */
#define TAG_SHIFT 28u
#define LEAST_SLOTS (PD_PAGE_BYTES / sizeof(uint32_t))

int pd_path_tree_init(struct pd_path_tree *tree, struct pd_account *account, enum pd_account_use use)
{
	*tree = (struct pd_path_tree){ .count = 1, .seed = pd_hash_seed(tree) };
	pd_paged_init(&tree->words, account, use, sizeof(uint32_t));
	pd_paged_init(&tree->slots, account, use, sizeof(uint32_t));
	return pd_paged_change(&tree->words, 0) ? 0 : -1;
}

void pd_path_tree_finish(struct pd_path_tree *tree)
{
	pd_paged_release(&tree->slots);
	tree->nr_slots = 0;
}

void pd_path_tree_release(struct pd_path_tree *tree)
{
	pd_path_tree_finish(tree);
	pd_paged_release(&tree->words);
	*tree = (struct pd_path_tree){ 0 };
}

static uint32_t fail_tree(struct pd_path_tree *tree, enum perfdata_status status)
{
	tree->status = status;
	return UINT32_MAX;
}

/* The word at `index`; NULL: none, or not in memory. */
static inline const uint32_t *peek_item(const struct pd_paged *paged, uint32_t index)
{
	const size_t page = index >> paged->shift;
	const char *bytes = page < paged->nr_pages ? paged->pages[page].bytes : NULL;
	return bytes ? (const uint32_t *)(const void *)bytes + (index & paged->mask) : NULL;
}

/* --- first nodes of runs ------------------------------------------------------------------------------------------ */

static inline uint64_t hash_of(const struct pd_path_tree *tree, uint32_t parent, uint32_t label)
{
	return pd_hash_u64((uint64_t)parent << 32 | label, tree->seed);
}

static inline uint32_t tag_of(uint64_t hash) { return (uint32_t)(hash >> 60); }

/* Puts a node into the first free slot. */
static bool put_run(struct pd_paged *slots, size_t nr_slots, uint64_t hash, uint32_t node)
{
	for (size_t at = (size_t)hash;; at++) {
		uint32_t *slot = pd_paged_at(slots, (uint32_t)(at & (nr_slots - 1)));
		if (!slot)
			return false;
		if (*slot)
			continue;
		*slot = tag_of(hash) << TAG_SHIFT | node;
		pd_paged_changed(slots, (uint32_t)(at & (nr_slots - 1)));
		return true;
	}
}

/* Runs whose slots are fetched before they are put. */
#define RUNS_FETCHED 16u
struct run_to_put {
	uint64_t hash;
	uint32_t node;
};

/* Puts all runs into a larger table. They are found in the order of their numbers, so words are read in sequence; their
 * slots are anywhere. */
static bool put_runs(struct pd_path_tree *tree, struct pd_paged *slots, size_t nr_slots)
{
	struct run_to_put waiting[RUNS_FETCHED];
	size_t nr = 0;
	for (uint32_t at = 1; at < tree->count; at++) {
		const uint32_t *parent = pd_paged_at(&tree->words, at);
		if (!parent)
			return false;
		if (!(*parent & PD_PATH_TREE_IS_PARENT))
			continue;
		const uint32_t above = *parent & ~PD_PATH_TREE_IS_PARENT, *label = pd_paged_at(&tree->words, ++at);
		if (!label)
			return false;
		struct run_to_put *run = &waiting[nr++ % RUNS_FETCHED];
		if (nr > RUNS_FETCHED && !put_run(slots, nr_slots, run->hash, run->node))
			return false;
		*run = (struct run_to_put){ hash_of(tree, above, *label), at };
		pd_prefetch(peek_item(slots, (uint32_t)(run->hash & (nr_slots - 1))));
	}
	for (size_t i = nr > RUNS_FETCHED ? nr - RUNS_FETCHED : 0; i < nr; i++)
		if (!put_run(slots, nr_slots, waiting[i % RUNS_FETCHED].hash, waiting[i % RUNS_FETCHED].node))
			return false;
	return true;
}

static bool make_slots(struct pd_path_tree *tree)
{
	const size_t nr = tree->nr_slots ? 2 * tree->nr_slots : LEAST_SLOTS;
	struct pd_paged slots;
	pd_paged_init(&slots, tree->words.account, tree->words.use, sizeof(uint32_t));
	if (!put_runs(tree, &slots, nr)) {
		tree->status = tree->words.status ? tree->words.status : slots.status;
		pd_paged_release(&slots);
		return false;
	}
	pd_paged_release(&tree->slots);
	tree->slots = slots;
	tree->nr_slots = nr;
	return true;
}

/* Announces a look-up. A path is a chain of look-ups that wait for memory, so its next slot is fetched while the node
 * of this slot is compared. */
static inline void fetch_slot(const struct pd_path_tree *tree, uint32_t parent, uint32_t label)
{
	const uint64_t hash = hash_of(tree, parent, label);
	pd_prefetch(peek_item(&tree->slots, (uint32_t)(hash & (tree->nr_slots - 1))));
}

/* Returns the child of `parent` that begins a run; 0: there is none; UINT32_MAX: see status. `next`: the label that
 * will be looked up below the child. */
static inline uint32_t find_run(struct pd_path_tree *tree, uint64_t hash, uint32_t parent, uint32_t label,
				uint32_t next)
{
	for (size_t at = (size_t)hash; tree->nr_slots; at++) {
		const uint32_t *slot = pd_paged_at(&tree->slots, (uint32_t)(at & (tree->nr_slots - 1)));
		if (!slot)
			return fail_tree(tree, tree->slots.status);
		if (!*slot)
			return 0;
		if (*slot >> TAG_SHIFT != tag_of(hash))
			continue;
		const uint32_t node = *slot & (PD_PATH_TREE_MAX_NODES - 1);
		uint32_t its_parent, its_label;
		fetch_slot(tree, node, next);
		if (pd_path_tree_get(tree, node, &its_parent, &its_label) < 0)
			return UINT32_MAX;
		if (its_parent == parent && its_label == label)
			return node;
	}
	return 0;
}

static bool append_word(struct pd_path_tree *tree, uint32_t word)
{
	uint32_t *at = pd_paged_change(&tree->words, tree->count);
	if (!at) {
		tree->status = tree->words.status;
		return false;
	}
	*at = word;
	tree->count++;
	return true;
}

static uint32_t add_run(struct pd_path_tree *tree, uint64_t hash, uint32_t parent, uint32_t label)
{
	const uint32_t node = tree->count + 1;
	if (node >= PD_PATH_TREE_MAX_NODES || label > PD_PATH_TREE_MAX_LABEL)
		return fail_tree(tree, PERFDATA_ENOMEM);
	if (2 * (tree->nr_runs + 1) > tree->nr_slots && !make_slots(tree))
		return UINT32_MAX;
	if (!put_run(&tree->slots, tree->nr_slots, hash, node))
		return fail_tree(tree, tree->slots.status);
	tree->nr_runs++;
	return append_word(tree, PD_PATH_TREE_IS_PARENT | parent) && append_word(tree, label) ? node : UINT32_MAX;
}

/* --- look-ups ----------------------------------------------------------------------------------------------------- */

static inline uint32_t look_up(struct pd_path_tree *tree, uint32_t parent, uint32_t label, uint32_t next_label)
{
	if (parent + 1 < tree->count) {
		const uint32_t *next = pd_paged_at(&tree->words, parent + 1);
		if (!next)
			return fail_tree(tree, tree->words.status);
		if (*next == label)
			return parent + 1;
	}
	const uint64_t hash = hash_of(tree, parent, label);
	const uint32_t node = find_run(tree, hash, parent, label, next_label);
	return node ? node : add_run(tree, hash, parent, label);
}

/* Adds a path below the newest node. */
static uint32_t extend_newest(struct pd_path_tree *tree, const uint32_t *labels, size_t nr)
{
	if (nr > PD_PATH_TREE_MAX_NODES - tree->count)
		return fail_tree(tree, PERFDATA_ENOMEM);
	for (size_t i = 0; i < nr; i++)
		if (labels[i] > PD_PATH_TREE_MAX_LABEL)
			return fail_tree(tree, PERFDATA_ENOMEM);
	while (nr) {
		uint32_t *words = pd_paged_change(&tree->words, tree->count);
		const size_t room = tree->words.mask + 1 - (tree->count & tree->words.mask);
		const size_t more = nr < room ? nr : room;
		if (!words)
			return fail_tree(tree, tree->words.status);
		memcpy(words, labels, more * sizeof *words);
		tree->count += (uint32_t)more;
		labels += more;
		nr -= more;
	}
	return tree->count - 1;
}

uint32_t pd_path_tree_add(struct pd_path_tree *tree, uint32_t node, const uint32_t *labels, size_t nr)
{
	for (size_t i = 0; i < nr && node != UINT32_MAX; i++) {
		if (node + 1 == tree->count)
			return extend_newest(tree, &labels[i], nr - i);
		node = look_up(tree, node, labels[i], i + 1 < nr ? labels[i + 1] : 0);
	}
	return node;
}

/* Goes on to the slot of the next label. */
static bool fetch_next_slot(const struct pd_path_tree *tree, struct pd_path_fetch *path)
{
	const uint32_t *next;
	/* the nodes of a run follow each other, mostly in one cache line */
	while (path->at < path->nr && path->node + 1 < tree->count &&
	       (next = peek_item(&tree->words, path->node + 1)) && *next == path->labels[path->at])
		path->nodes[path->at++] = ++path->node;
	if (path->at == path->nr || !tree->nr_slots || path->node + 1 == tree->count)
		return false;
	path->hash = hash_of(tree, path->node, path->labels[path->at]);
	path->slot = (size_t)path->hash;
	path->candidate = 0;
	const uint32_t *slot = peek_item(&tree->slots, (uint32_t)(path->slot & (tree->nr_slots - 1)));
	pd_prefetch(slot);
	return slot;
}

/* Whether the candidate is the child that the path needs. */
static bool is_child(const struct pd_path_tree *tree, const struct pd_path_fetch *path)
{
	const uint32_t *parent = peek_item(&tree->words, path->candidate - 1);
	const uint32_t *label = peek_item(&tree->words, path->candidate);
	return parent && label && *parent == (PD_PATH_TREE_IS_PARENT | path->node) && *label == path->labels[path->at];
}

bool pd_path_tree_fetch(const struct pd_path_tree *tree, struct pd_path_fetch *path)
{
	if (!path->is_begun) {
		path->is_begun = true;
		return fetch_next_slot(tree, path);
	}
	if (path->candidate && is_child(tree, path)) {
		path->nodes[path->at++] = path->node = path->candidate;
		return fetch_next_slot(tree, path);
	}
	for (;; path->slot++) {
		const uint32_t *slot = peek_item(&tree->slots, (uint32_t)(path->slot & (tree->nr_slots - 1)));
		if (!slot || !*slot)
			return false;
		if (*slot >> TAG_SHIFT != tag_of(path->hash))
			continue;
		path->slot++;
		path->candidate = *slot & (PD_PATH_TREE_MAX_NODES - 1);
		pd_prefetch(peek_item(&tree->words, path->candidate - 1));
		return true;
	}
}

/* Passes one run of nodes, and fetches the next one. */
static enum perfdata_status climb_run(struct pd_path_tree *tree, struct pd_path_climb *climb)
{
	const uint32_t base = climb->node & ~tree->words.mask, first = base ? 0 : 1;   /* the root has no label */
	const uint32_t *page = pd_paged_at(&tree->words, base), *before;
	uint32_t at = climb->node - base;
	if (!page)
		return tree->words.status;
	if (pd_vector_grow(&climb->labels, &climb->room, climb->nr + at, sizeof *climb->labels) < 0)
		return PERFDATA_ENOMEM;
	climb->labels[climb->nr++] = page[at];
	while (at > first && !(page[at - 1] & PD_PATH_TREE_IS_PARENT))
		climb->labels[climb->nr++] = page[--at];
	if (at == 1 && !base) {
		climb->node = 0;
		return PERFDATA_OK;
	}
	before = at ? &page[at - 1] : pd_paged_at(&tree->words, base - 1);
	if (!before)
		return tree->words.status;
	climb->node = *before & PD_PATH_TREE_IS_PARENT ? *before & ~PD_PATH_TREE_IS_PARENT : base + at - 1;
	pd_prefetch(peek_item(&tree->words, climb->node));
	return PERFDATA_OK;
}

enum perfdata_status pd_path_tree_climb(struct pd_path_tree *tree, struct pd_path_climb *climbs, size_t nr)
{
	bool more = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < nr; i++) {
			const enum perfdata_status status = climbs[i].node ? climb_run(tree, &climbs[i]) : PERFDATA_OK;
			if (status != PERFDATA_OK)
				return status;
			more |= climbs[i].node != 0;
		}
	}
	return PERFDATA_OK;
}

size_t pd_path_tree_get_run(struct pd_path_tree *tree, uint32_t node, uint32_t *ret_labels, size_t most,
			    uint32_t *ret_parent)
{
	const uint32_t base = node & ~tree->words.mask;
	const uint32_t *page = pd_paged_at(&tree->words, base), *before;
	uint32_t at = node - base;
	size_t nr = 0;
	if (!page || !most)
		return 0;
	ret_labels[nr++] = page[at];
	while (nr < most && at && node - nr && !(page[at - 1] & PD_PATH_TREE_IS_PARENT))
		ret_labels[nr++] = page[--at];
	before = at ? &page[at - 1] : pd_paged_at(&tree->words, base - 1);
	if (!before) {
		tree->status = tree->words.status;
		return 0;
	}
	*ret_parent = *before & PD_PATH_TREE_IS_PARENT ? *before & ~PD_PATH_TREE_IS_PARENT : base + at - 1;
	return nr;
}

bool pd_path_tree_fetch_up(const struct pd_path_tree *tree, uint32_t *node)
{
	const uint32_t base = *node & ~tree->words.mask, *page = *node ? peek_item(&tree->words, base) : NULL;
	uint32_t at = *node - base;
	if (!page)
		return false;
	while (at && !(page[at - 1] & PD_PATH_TREE_IS_PARENT))
		at--;
	const uint32_t *before = at ? &page[at - 1] : base ? peek_item(&tree->words, base - 1) : NULL;
	if (!before)
		return false;
	*node = *before & PD_PATH_TREE_IS_PARENT ? *before & ~PD_PATH_TREE_IS_PARENT : base - 1;
	const uint32_t *next = peek_item(&tree->words, *node);
	if (next)
		pd_prefetch(next);
	return next;
}
