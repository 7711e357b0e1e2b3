/* SPDX-License-Identifier: MIT */
/* Sets of maps as treaps: priorities are random, so no order of insertions makes a deep tree. */
#include "config.h"
#include "session/state.h"

struct pd_map_node {
	struct pd_map map;
	struct pd_map_node *left, *right;
	uint64_t owner;
	uint64_t priority;
};

uint64_t pd_map_random(struct pd_map_store *store)
{
	uint64_t x = store->random ? store->random : 0x9e3779b97f4a7c15ull;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return store->random = x;
}

/* A change in progress. If memory runs out, the set is lost and the session ends. */
struct change {
	struct pd_map_store *store;
	uint64_t owner;
	bool failed;
};

/* Memory for a node, or NULL. */
static struct pd_map_node *take_node(struct change *change)
{
	struct pd_map_node *node = change->store->released;
	if (node)
		change->store->released = node->left;
	else if (!(node = pd_arena_alloc(&change->store->arena, sizeof *node)))
		change->failed = true;
	return node;
}

static struct pd_map_node *new_node(struct change *change, const struct pd_map *map)
{
	struct pd_map_node *node = take_node(change);
	if (!node)
		return NULL;
	*node = (struct pd_map_node){ .map = *map, .owner = change->owner, .priority = pd_map_random(change->store) };
	return node;
}

/* Returns the node itself if it belongs to this set alone, else a copy for this set. */
static struct pd_map_node *own_node(struct change *change, struct pd_map_node *node)
{
	if (node->owner == change->owner)
		return node;
	struct pd_map_node *copy = take_node(change);
	if (!copy)
		return NULL;
	*copy = *node;
	copy->owner = change->owner;
	return copy;
}

/* Splits a tree: *left gets the maps that start below key, *right the others. */
static void split_tree(struct change *change, struct pd_map_node *node, uint64_t key, struct pd_map_node **left,
		       struct pd_map_node **right)
{
	*left = *right = NULL;
	if (!node)
		return;
	node = own_node(change, node);
	if (!node)
		return;
	struct pd_map_node *part;
	if (node->map.start < key) {
		split_tree(change, node->right, key, &part, right);
		node->right = part;
		*left = node;
	} else {
		split_tree(change, node->left, key, left, &part);
		node->left = part;
		*right = node;
	}
}

static struct pd_map_node *merge_trees(struct change *change, struct pd_map_node *left, struct pd_map_node *right)
{
	if (!left || !right)
		return left ? left : right;
	bool left_wins = left->priority > right->priority;
	struct pd_map_node *top = own_node(change, left_wins ? left : right);
	if (!top)
		return NULL;
	if (left_wins)
		top->right = merge_trees(change, top->right, right);
	else
		top->left = merge_trees(change, left, top->left);
	return top;
}

static struct pd_map_node *last_of(struct pd_map_node *node)
{
	while (node && node->right)
		node = node->right;
	return node;
}

/* Makes a node for the part of `map` after `end`. */
static struct pd_map_node *tail_of(struct change *change, const struct pd_map *map, uint64_t end)
{
	if (map->end <= end)
		return NULL;
	struct pd_map rest = *map;
	rest.pgoff += end - rest.start;
	rest.start = end;
	return new_node(change, &rest);
}

/* Whether an address in both maps has the same address in the same dso. */
static bool is_alike(const struct pd_map *a, const struct pd_map *b)
{
	return a->dso == b->dso && a->identity == b->identity &&
	       (a->identity || a->start - a->pgoff == b->start - b->pgoff);
}

static bool are_alike(const struct pd_map_node *tree, const struct pd_map *map)
{
	return !tree || (is_alike(&tree->map, map) && are_alike(tree->left, map) && are_alike(tree->right, map));
}

/* Notes a change of the maps in [low, high). */
static void note_change(struct pd_map_store *store, struct pd_maps *maps, uint64_t low, uint64_t high, bool replaces)
{
	maps->generation = ++store->next_generation;
	if (replaces)
		maps->replaced = maps->generation;
	maps->low = low < maps->low ? low : maps->low;
	maps->high = high > maps->high ? high : maps->high;
}

void pd_maps_check(struct pd_maps *maps, uint64_t since, uint64_t *low, uint64_t *high)
{
	const bool is_known = since >= maps->checked;
	*low = is_known ? maps->low : 0;
	*high = is_known ? maps->high : UINT64_MAX;
	maps->checked = maps->generation;
	maps->low = UINT64_MAX;
	maps->high = 0;
}

int pd_maps_insert(struct pd_map_store *store, struct pd_maps *maps, const struct pd_map *map)
{
	if (map->start >= map->end)
		return 0;
	struct change change = { .store = store, .owner = maps->owner };
	struct pd_map_node *left, *middle, *right;
	struct pd_map_node *node = new_node(&change, map);
	split_tree(&change, maps->root, map->start, &left, &right);
	split_tree(&change, right, map->end, &middle, &right);
	struct pd_map_node *before = last_of(left), *inside = last_of(middle), *tail = NULL;
	/* where a kernel's tree has no map, one of `recorded` may have the address */
	bool replaces = maps->recorded || !are_alike(middle, map);
	uint64_t low = map->start, high = map->end;
	if (inside && inside->map.end > high)
		high = inside->map.end;
	if (before && before->map.end > map->start) {
		replaces |= !is_alike(&before->map, map);
		low = before->map.start;
		high = before->map.end > high ? before->map.end : high;
		tail = tail_of(&change, &before->map, map->end);
		/* the last map below a key lies on the path that the split took, so it belongs to this set */
		before->map.end = map->start;
	}
	if (inside && inside->map.end > map->end)
		tail = tail_of(&change, &inside->map, map->end);
	if (!change.failed)
		right = merge_trees(&change, merge_trees(&change, merge_trees(&change, left, node), tail), right);
	if (change.failed)
		return -1;
	maps->root = right;
	note_change(store, maps, low, high, replaces);
	return 0;
}

int pd_maps_remove(struct pd_map_store *store, struct pd_maps *maps, uint64_t start)
{
	struct change change = { .store = store, .owner = maps->owner };
	struct pd_map_node *left, *middle, *right;
	if (start == UINT64_MAX)
		return 0;
	split_tree(&change, maps->root, start, &left, &right);
	split_tree(&change, right, start + 1, &middle, &right);
	if (!change.failed)
		right = merge_trees(&change, left, right);
	if (change.failed)
		return -1;
	maps->root = right;
	pd_maps_replace_all(store, maps);
	return 0;
}

static const struct pd_map *find_in(const struct pd_map_node *root, uint64_t address)
{
	const struct pd_map *best = NULL;
	for (const struct pd_map_node *node = root; node;) {
		if (node->map.start <= address) {
			best = &node->map;
			node = node->right;
		} else {
			node = node->left;
		}
	}
	return best && address < best->end ? best : NULL;
}

const struct pd_map *pd_maps_find(const struct pd_maps *maps, uint64_t address)
{
	const struct pd_map *map = find_in(maps->root, address);
	return map || !maps->recorded ? map : pd_kernel_maps_find(maps, address);
}

const struct pd_map *pd_maps_next(const struct pd_maps *maps, uint64_t address)
{
	const struct pd_map *best = NULL;
	for (const struct pd_map_node *node = maps->root; node;) {
		/* maps do not overlap, so they end in the order in which they start */
		if (node->map.end > address) {
			best = &node->map;
			node = node->left;
		} else {
			node = node->right;
		}
	}
	return best;
}

const struct pd_map *pd_maps_find_before_exec(const struct pd_maps *maps, uint64_t address)
{
	return find_in(maps->before_exec, address);
}

void pd_maps_exec(struct pd_map_store *store, struct pd_maps *maps)
{
	maps->before_exec = maps->root;
	maps->root = NULL;
	maps->owner = ++store->next_owner;
	pd_maps_replace_all(store, maps);
}

void pd_maps_copy(struct pd_map_store *store, struct pd_maps *to, struct pd_maps *from)
{
	to->root = from->root;
	to->before_exec = NULL;
	to->owner = ++store->next_owner;
	from->owner = ++store->next_owner;
	pd_maps_replace_all(store, to);
}

/* Nodes above a node of the set alone are the set's alone, too: a change copies the path to what it changes. */
static void release_nodes(struct pd_map_store *store, struct pd_map_node *node, uint64_t owner)
{
	if (!node || node->owner != owner)
		return;
	release_nodes(store, node->left, owner);
	release_nodes(store, node->right, owner);
	node->left = store->released;
	store->released = node;
}

void pd_maps_release(struct pd_map_store *store, struct pd_maps *maps)
{
	release_nodes(store, maps->root, maps->owner);
	maps->root = maps->before_exec = NULL;
	pd_maps_replace_all(store, maps);
}
