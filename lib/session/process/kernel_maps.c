/* SPDX-License-Identifier: MIT */
/* The maps of a kernel and its modules, unchanged as recorded: they may overlap. perf keeps them in an array sorted by
 * start, end and age, and finds the map of an address by bisection; where maps overlap, the steps of the bisection
 * decide which map, if any, has the address. A treap with the sizes of its subtrees gives the same answers, and its
 * work never grows with the square of the number of records. */
#include "config.h"
#include "session/state.h"

struct pd_kernel_map {
	struct pd_map map;
	uint64_t number;             /* number in the order of the records */
	uint64_t priority;
	size_t size;                 /* number of maps in the subtree */
	struct pd_kernel_map *left, *right;
};

static size_t size_of(const struct pd_kernel_map *node) { return node ? node->size : 0; }

static struct pd_kernel_map *update_size(struct pd_kernel_map *node)
{
	node->size = size_of(node->left) + 1 + size_of(node->right);
	return node;
}

static bool is_before(const struct pd_kernel_map *a, const struct pd_kernel_map *b)
{
	if (a->map.start != b->map.start)
		return a->map.start < b->map.start;
	if (a->map.end != b->map.end)
		return a->map.end < b->map.end;
	return a->number < b->number;
}

/* Splits a tree: *left gets the maps before the key, *right the other maps. */
static void split_tree(struct pd_kernel_map *node, const struct pd_kernel_map *key, struct pd_kernel_map **left,
		       struct pd_kernel_map **right)
{
	struct pd_kernel_map *part;
	*left = *right = NULL;
	if (!node)
		return;
	if (is_before(node, key)) {
		split_tree(node->right, key, &part, right);
		node->right = part;
		*left = update_size(node);
	} else {
		split_tree(node->left, key, left, &part);
		node->left = part;
		*right = update_size(node);
	}
}

static struct pd_kernel_map *merge_trees(struct pd_kernel_map *left, struct pd_kernel_map *right)
{
	if (!left || !right)
		return left ? left : right;
	if (left->priority > right->priority) {
		left->right = merge_trees(left->right, right);
		return update_size(left);
	}
	right->left = merge_trees(left, right->left);
	return update_size(right);
}

static struct pd_kernel_map *without_first(struct pd_kernel_map *node)
{
	if (!node->left)
		return node->right;
	node->left = without_first(node->left);
	return update_size(node);
}

static void insert_map(struct pd_maps *maps, struct pd_kernel_map *node)
{
	struct pd_kernel_map *left, *right;
	split_tree(maps->recorded, node, &left, &right);
	maps->recorded = merge_trees(merge_trees(left, node), right);
}

static void remove_map(struct pd_maps *maps, const struct pd_kernel_map *node)
{
	struct pd_kernel_map *left, *right;
	split_tree(maps->recorded, node, &left, &right);
	maps->recorded = merge_trees(left, without_first(right));
}

int pd_kernel_maps_add(struct pd_map_store *store, struct pd_maps *maps, const struct pd_map *map, bool is_kernel)
{
	struct pd_kernel_map *node = pd_arena_alloc(&store->arena, sizeof *node);
	if (!node)
		return -1;
	*node = (struct pd_kernel_map){
		.map = *map, .number = size_of(maps->recorded), .priority = pd_map_random(store), .size = 1
	};
	/* a machine has one kernel: the one recorded last */
	if (is_kernel && maps->kernel)
		remove_map(maps, maps->kernel);
	if (is_kernel)
		maps->kernel = node;
	insert_map(maps, node);
	pd_maps_replace_all(store, maps);
	return 0;
}

static const struct pd_kernel_map *map_at(const struct pd_kernel_map *node, size_t index)
{
	for (;;) {
		const size_t before = size_of(node->left);
		if (index == before)
			return node;
		node = index < before ? node->left : node->right;
		index -= index < before ? 0 : before + 1;
	}
}

const struct pd_map *pd_kernel_maps_find(const struct pd_maps *maps, uint64_t address)
{
	size_t low = 0, high = size_of(maps->recorded);
	while (low < high) {
		const size_t middle = (low + high) / 2;
		const struct pd_map *map = &map_at(maps->recorded, middle)->map;
		if (address < map->start)
			high = middle;
		else if (address >= map->end)
			low = middle + 1;
		else
			return map;
	}
	return NULL;
}
