/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "session/stacks/step_tree.h"

/* In a tree that is not exact, a label is a frame and bits for the origin; with this bit set, an index of `steps`. */
#define LABEL_IS_INDEX (UINT32_C(1) << 30)
#define ORIGIN_BITS 2
#define MAX_PLAIN_FRAME (LABEL_IS_INDEX >> ORIGIN_BITS)

/* A tree of fewer words stays in the processor's caches. */
#define LEAST_FETCHED (UINT32_C(1) << 16)

#define STEPS_AT_ONCE 4u
struct pd_known_steps {
	uint64_t labels[STEPS_AT_ONCE / 2];   /* outermost caller first */
	uint32_t callers, node;        /* node 0: the slot is free */
};

int pd_step_tree_init(struct pd_step_tree *tree, bool exact, struct pd_account *account)
{
	*tree = (struct pd_step_tree){
		.exact = exact, .account = account, .seed = pd_hash_seed(tree), .nr_known = PD_STEP_TREE_KNOWN
	};
	tree->steps.item_size = sizeof(struct perfdata_step);
	return pd_path_tree_init(&tree->tree, account, PD_USE_STACKS);
}

void pd_step_tree_finish(struct pd_step_tree *tree)
{
	const size_t size = tree->index.capacity * sizeof *tree->index.slots;
	pd_path_tree_finish(&tree->tree);
	if (tree->accounted >= size) {
		pd_account_give(tree->account, PD_USE_FRAMES, size);
		tree->accounted -= size;
	}
	pd_index_release(&tree->index);
	if (tree->known)
		pd_account_give(tree->account, PD_USE_CACHES, tree->nr_known * sizeof *tree->known);
	pd_free(tree->known);
	tree->known = NULL;
	pd_free(tree->labels);
	tree->labels = NULL;
	tree->labels_room = 0;
}

void pd_step_tree_release(struct pd_step_tree *tree)
{
	pd_step_tree_finish(tree);
	pd_path_tree_release(&tree->tree);
	pd_table_release(&tree->steps);
	pd_account_give(tree->account, PD_USE_FRAMES, tree->accounted);
	*tree = (struct pd_step_tree){ 0 };
}

static int same_step(const void *user, uint32_t index, const void *wanted)
{
	const struct pd_step_tree *tree = user;
	return memcmp(pd_table_at(&tree->steps, index), wanted, sizeof(struct perfdata_step)) == 0;
}

static uint32_t fail_tree(struct pd_step_tree *tree, enum perfdata_status status)
{
	tree->status = status;
	return UINT32_MAX;
}

static uint64_t hash_of_step(const struct pd_step_tree *tree, const struct perfdata_step *step)
{
	const uint64_t rest = (uint64_t)step->frame << 32 | (uint64_t)step->cpumode << 16 | step->origin;
	return pd_hash_two(step->ip, rest, tree->seed);
}

static uint32_t intern_step(struct pd_step_tree *tree, const struct perfdata_step *step)
{
	const uint64_t hash = hash_of_step(tree, step);
	uint32_t index = pd_index_find(&tree->index, hash, same_step, tree, step);
	if (index != UINT32_MAX)
		return index;
	if (pd_account_is_exhausted(tree->account))
		return fail_tree(tree, PERFDATA_ENOMEM);
	tree->index.dense = pd_account_is_tight(tree->account);
	struct perfdata_step *added = pd_table_add(&tree->steps, &index);
	if (!added || pd_index_add(&tree->index, hash, index) < 0)
		return fail_tree(tree, PERFDATA_ENOMEM);
	*added = *step;
	const size_t size = (size_t)tree->steps.count * sizeof *step + tree->index.capacity * sizeof *tree->index.slots;
	pd_account_change(tree->account, PD_USE_FRAMES, tree->accounted, size);
	tree->accounted = size;
	return index;
}

/* The step, reduced to what distinguishes steps in this tree. */
static struct perfdata_step normal_step(const struct pd_step_tree *tree, const struct perfdata_step *step)
{
	struct perfdata_step result = *step;
	if (tree->exact)
		return result;
	if (result.frame != PERFDATA_NONE)
		result.ip = result.cpumode = 0;
	return result;
}

/* The label of a step that needs no index, as nearly all do in a tree that is not exact; else UINT32_MAX. */
static inline uint32_t plain_label_of(const struct pd_step_tree *tree, const struct perfdata_step *step)
{
	const bool is_plain = !tree->exact && step->frame < MAX_PLAIN_FRAME && !(step->origin >> ORIGIN_BITS);
	return is_plain ? step->frame << ORIGIN_BITS | step->origin : UINT32_MAX;
}

uint32_t pd_step_tree_plain_labels(uint32_t nr_frames)
{
	return (nr_frames < MAX_PLAIN_FRAME ? nr_frames : MAX_PLAIN_FRAME) << ORIGIN_BITS;
}

static uint32_t label_of_index(const struct pd_step_tree *tree, uint32_t index)
{
	return index == UINT32_MAX || tree->exact ? index : index | LABEL_IS_INDEX;
}

static inline uint32_t label_of(struct pd_step_tree *tree, const struct perfdata_step *step)
{
	const uint32_t plain = plain_label_of(tree, step);
	if (plain != UINT32_MAX)
		return plain;
	const struct perfdata_step normal = normal_step(tree, step);
	return label_of_index(tree, intern_step(tree, &normal));
}

/* As label_of, for steps that the tree has; UINT32_MAX: it has none. */
static inline uint32_t known_label_of(const struct pd_step_tree *tree, const struct perfdata_step *step)
{
	const uint32_t plain = plain_label_of(tree, step);
	if (plain != UINT32_MAX)
		return plain;
	const struct perfdata_step normal = normal_step(tree, step);
	const uint64_t hash = hash_of_step(tree, &normal);
	return label_of_index(tree, pd_index_find(&tree->index, hash, same_step, tree, &normal));
}

static struct perfdata_step step_of(const struct pd_step_tree *tree, uint32_t label)
{
	if (tree->exact)
		return *(const struct perfdata_step *)pd_table_at(&tree->steps, label);
	if (label & LABEL_IS_INDEX)
		return *(const struct perfdata_step *)pd_table_at(&tree->steps, label & ~LABEL_IS_INDEX);
	return (struct perfdata_step){ .frame = label >> ORIGIN_BITS, .origin = label & ((1u << ORIGIN_BITS) - 1) };
}

/* Allocates the cache; without memory the tree works without one. */
static void make_known(struct pd_step_tree *tree)
{
	tree->known = pd_calloc_slots(tree->nr_known, sizeof *tree->known);
	if (tree->known)
		pd_account_take(tree->account, PD_USE_CACHES, tree->nr_known * sizeof *tree->known);
}

/* The slot of STEPS_AT_ONCE labels below a node. *ret_node: the node to which they lead; 0: not known. */
static inline struct pd_known_steps *find_known(const struct pd_step_tree *tree, uint32_t callers,
						const uint32_t *labels, uint32_t *ret_node)
{
	uint64_t wanted[STEPS_AT_ONCE / 2];
	memcpy(wanted, labels, sizeof wanted);
	const uint64_t hash = pd_hash_two(wanted[0], wanted[1], tree->seed + callers);
	struct pd_known_steps *known = &tree->known[hash & (tree->nr_known - 1)];
	const bool is_same = known->labels[0] == wanted[0] && known->labels[1] == wanted[1] &&
			     known->callers == callers;
	*ret_node = is_same ? known->node : 0;
	return known;
}

static inline void set_known(struct pd_known_steps *known, uint32_t callers, const uint32_t *labels, uint32_t node)
{
	memcpy(known->labels, labels, sizeof known->labels);
	known->callers = callers;
	known->node = node;
}

/* Adds STEPS_AT_ONCE steps at once if they are known, else one by one. */
static inline uint32_t pass_steps(struct pd_step_tree *tree, uint32_t callers, const uint32_t *labels)
{
	uint32_t node;
	struct pd_known_steps *known = find_known(tree, callers, labels, &node);
	if (node)
		return node;
	node = pd_path_tree_add(&tree->tree, callers, labels, STEPS_AT_ONCE);
	if (node != UINT32_MAX)
		set_known(known, callers, labels, node);
	return node;
}

/* --- what comes soon ---------------------------------------------------------------------------------------------- */

bool pd_step_tree_is_slow(const struct pd_step_tree *tree)
{
	return tree->tree.count >= LEAST_FETCHED && tree->tree.words.spool.fd < 0 && tree->tree.slots.spool.fd < 0;
}

void pd_steps_ahead_begin(struct pd_steps_ahead *ahead)
{
	ahead->path = (struct pd_path_fetch){ .labels = ahead->labels, .nodes = ahead->nodes };
	ahead->nr_cached = ahead->cached = 0;
}

bool pd_steps_ahead_add(struct pd_steps_ahead *ahead, const struct pd_step_tree *tree,
			const struct perfdata_step *steps, size_t nr)
{
	struct pd_path_fetch *path = &ahead->path;
	for (size_t i = 0; i < nr; i++) {
		const uint32_t label = path->nr < PD_STEPS_AHEAD ? known_label_of(tree, &steps[i]) : UINT32_MAX;
		if (label == UINT32_MAX)
			return false;
		ahead->labels[path->nr++] = label;
	}
	uint32_t node = 1;
	for (; tree->known && path->at + STEPS_AT_ONCE <= path->nr; path->at += STEPS_AT_ONCE) {
		(void)find_known(tree, path->node, &ahead->labels[path->at], &node);
		if (!node)
			return false;
		ahead->cached = path->node = node;
		ahead->nr_cached = path->at + STEPS_AT_ONCE;
	}
	return tree->known;
}

void pd_steps_ahead_find(struct pd_steps_ahead *stacks, size_t nr, const struct pd_step_tree *tree)
{
	struct pd_path_fetch *open[PD_STACKS_AHEAD];
	for (size_t i = 0; i < nr; i++)
		open[i] = &stacks[i].path;
	while (nr) {
		const size_t count = nr;
		nr = 0;
		for (size_t i = 0; i < count; i++)
			if (pd_path_tree_fetch(&tree->tree, open[i]))
				open[nr++] = open[i];
	}
}

/* --- nodes -------------------------------------------------------------------------------------------------------- */

static int find_labels(struct pd_step_tree *tree, const struct perfdata_step *steps, size_t nr)
{
	if (pd_vector_grow(&tree->labels, &tree->labels_room, nr - 1, sizeof *tree->labels) < 0) {
		tree->status = PERFDATA_ENOMEM;
		return -1;
	}
	for (size_t i = 0; i < nr; i++)
		if ((tree->labels[i] = label_of(tree, &steps[nr - 1 - i])) == UINT32_MAX)
			return -1;
	return 0;
}

/* Takes over the nodes that were found before; the cache remembers those that it lacks. Returns the number of steps. */
static size_t take_ahead(struct pd_step_tree *tree, const struct pd_steps_ahead *ahead, size_t nr, uint32_t *ret_node)
{
	const struct pd_path_fetch *path = &ahead->path;
	*ret_node = 0;
	if (path->at > nr || memcmp(tree->labels, ahead->labels, path->at * sizeof *tree->labels) != 0)
		return 0;
	*ret_node = path->node;
	uint32_t callers = ahead->cached;
	for (size_t at = ahead->nr_cached; tree->known && at + STEPS_AT_ONCE <= path->at; at += STEPS_AT_ONCE) {
		uint32_t known;
		const uint32_t node = ahead->nodes[at + STEPS_AT_ONCE - 1];
		set_known(find_known(tree, callers, &tree->labels[at], &known), callers, &tree->labels[at], node);
		callers = node;
	}
	return path->at;
}

uint32_t pd_step_tree_node(struct pd_step_tree *tree, const struct perfdata_step *steps, size_t nr,
			   const struct pd_steps_ahead *ahead)
{
	if (!nr)
		return 0;
	if (find_labels(tree, steps, nr) < 0)
		return UINT32_MAX;
	if (!tree->known && nr >= STEPS_AT_ONCE)
		make_known(tree);
	uint32_t node = 0;
	size_t at = ahead ? take_ahead(tree, ahead, nr, &node) : 0;
	const bool ends = at && at < ahead->path.nr;   /* the tree had no more of its steps */
	/* stop at a new node: it has no children, and most sequences below it do not come back */
	while (!ends && tree->known && at + STEPS_AT_ONCE <= nr && node < tree->tree.count - 1) {
		node = pass_steps(tree, node, &tree->labels[at]);
		at += STEPS_AT_ONCE;
	}
	if (node != UINT32_MAX)
		node = pd_path_tree_add(&tree->tree, node, &tree->labels[at], nr - at);
	return node == UINT32_MAX ? fail_tree(tree, tree->tree.status) : node;
}

int pd_step_tree_get(struct pd_step_tree *tree, uint32_t node, uint32_t *ret_caller, struct perfdata_step *ret)
{
	uint32_t label;
	if (pd_path_tree_get(&tree->tree, node, ret_caller, &label) < 0) {
		tree->status = tree->tree.status;
		return -1;
	}
	*ret = step_of(tree, label);
	return 0;
}

size_t pd_step_tree_get_run(struct pd_step_tree *tree, uint32_t node, struct perfdata_step ret[PD_STEPS_OF_RUN],
			    uint32_t *ret_caller)
{
	uint32_t labels[PD_STEPS_OF_RUN];
	const size_t nr = pd_path_tree_get_run(&tree->tree, node, labels, PD_STEPS_OF_RUN, ret_caller);
	for (size_t i = 0; i < nr; i++)
		ret[i] = step_of(tree, labels[i]);
	if (!nr)
		tree->status = tree->tree.status;
	return nr;
}

/* --- ids ---------------------------------------------------------------------------------------------------------- */

int pd_stack_ids_init(struct pd_stack_ids *ids, struct pd_account *account)
{
	*ids = (struct pd_stack_ids){ 0 };
	pd_paged_init(&ids->ids, account, PD_USE_STACKS, sizeof(uint32_t));
	pd_paged_init(&ids->nodes, account, PD_USE_STACKS, sizeof(uint32_t));
	return pd_step_tree_init(&ids->tree, true, account);
}

void pd_stack_ids_release(struct pd_stack_ids *ids)
{
	pd_step_tree_release(&ids->tree);
	pd_paged_release(&ids->ids);
	pd_paged_release(&ids->nodes);
}

static uint32_t ids_failed(struct pd_stack_ids *ids, enum perfdata_status status)
{
	ids->status = status;
	return UINT32_MAX;
}

uint32_t pd_stack_ids_get(struct pd_stack_ids *ids, const struct perfdata_step *steps, size_t nr,
			  const struct pd_steps_ahead *ahead)
{
	const uint32_t node = pd_step_tree_node(&ids->tree, steps, nr, ahead);
	if (node == UINT32_MAX)
		return ids_failed(ids, ids->tree.status);
	uint32_t *id = pd_paged_change(&ids->ids, node);
	if (!id)
		return ids_failed(ids, ids->ids.status);
	if (*id)
		return *id - 1;
	uint32_t *back = pd_paged_change(&ids->nodes, ids->count);
	if (!back)
		return ids_failed(ids, ids->nodes.status);
	*back = node;
	*id = ++ids->count;
	return *id - 1;
}

uint32_t pd_stack_ids_node(struct pd_stack_ids *ids, uint32_t id)
{
	const uint32_t *node = pd_paged_at(&ids->nodes, id);
	return node ? *node : ids_failed(ids, ids->nodes.status);
}
