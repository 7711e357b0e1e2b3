/* Treaps: priorities are random, so no order of inserts makes a deep tree. */
#include "config.h"
#include "session/state.h"

struct pd_area_node {
	struct pd_area area;
	struct pd_area_node *left, *right;
	uint64_t owner;
	uint64_t priority;
};

static uint64_t next_random(struct pd_area_store *store)
{
	uint64_t x = store->random ? store->random : 0x9e3779b97f4a7c15ull;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return store->random = x;
}

/* A change in progress. Without memory the set is lost: the session ends then. */
struct change {
	struct pd_area_store *store;
	uint64_t owner;
	bool failed;
};

static struct pd_area_node *new_node(struct change *change, const struct pd_area *area)
{
	struct pd_area_node *node = pd_arena_alloc(&change->store->arena, sizeof *node);
	if (!node) {
		change->failed = true;
		return NULL;
	}
	*node = (struct pd_area_node){ .area = *area, .owner = change->owner, .priority = next_random(change->store) };
	return node;
}

/* The node itself if it belongs to this set alone, else a copy that does. */
static struct pd_area_node *own(struct change *change, struct pd_area_node *node)
{
	if (node->owner == change->owner)
		return node;
	struct pd_area_node *copy = pd_arena_alloc(&change->store->arena, sizeof *copy);
	if (!copy) {
		change->failed = true;
		return NULL;
	}
	*copy = *node;
	copy->owner = change->owner;
	return copy;
}

/* Left: areas that start below key; right: the others. */
static void split(struct change *change, struct pd_area_node *node, uint64_t key, struct pd_area_node **left,
		  struct pd_area_node **right)
{
	*left = *right = NULL;
	if (!node)
		return;
	node = own(change, node);
	if (!node)
		return;
	struct pd_area_node *part;
	if (node->area.start < key) {
		split(change, node->right, key, &part, right);
		node->right = part;
		*left = node;
	} else {
		split(change, node->left, key, left, &part);
		node->left = part;
		*right = node;
	}
}

static struct pd_area_node *merge(struct change *change, struct pd_area_node *left, struct pd_area_node *right)
{
	if (!left || !right)
		return left ? left : right;
	bool left_wins = left->priority > right->priority;
	struct pd_area_node *top = own(change, left_wins ? left : right);
	if (!top)
		return NULL;
	if (left_wins)
		top->right = merge(change, top->right, right);
	else
		top->left = merge(change, left, top->left);
	return top;
}

static struct pd_area_node *last_of(struct pd_area_node *node)
{
	while (node && node->right)
		node = node->right;
	return node;
}

/* What of `area` lies behind `end`. */
static struct pd_area_node *tail_of(struct change *change, const struct pd_area *area, uint64_t end)
{
	if (area->end <= end)
		return NULL;
	struct pd_area rest = *area;
	rest.pgoff += end - rest.start;
	rest.start = end;
	return new_node(change, &rest);
}

static int finish(struct change *change, struct pd_areas *areas, struct pd_area_node *root)
{
	if (change->failed)
		return -1;
	areas->root = root;
	areas->generation = ++change->store->next_generation;
	return 0;
}

int pd_areas_insert(struct pd_area_store *store, struct pd_areas *areas, const struct pd_area *area)
{
	if (area->start >= area->end)
		return 0;
	struct change change = { .store = store, .owner = areas->owner };
	struct pd_area_node *left, *middle, *right;
	struct pd_area_node *node = new_node(&change, area);
	split(&change, areas->root, area->start, &left, &right);
	split(&change, right, area->end, &middle, &right);
	struct pd_area_node *before = last_of(left), *inside = last_of(middle), *tail = NULL;
	if (before && before->area.end > area->start) {
		tail = tail_of(&change, &before->area, area->end);
		/* the last area below a key lies on the path that the split took, so it belongs to this set */
		before->area.end = area->start;
	}
	if (inside && inside->area.end > area->end)
		tail = tail_of(&change, &inside->area, area->end);
	if (change.failed)
		return -1;
	return finish(&change, areas, merge(&change, merge(&change, merge(&change, left, node), tail), right));
}

int pd_areas_remove(struct pd_area_store *store, struct pd_areas *areas, uint64_t start)
{
	struct change change = { .store = store, .owner = areas->owner };
	struct pd_area_node *left, *middle, *right;
	if (start == UINT64_MAX)
		return 0;
	split(&change, areas->root, start, &left, &right);
	split(&change, right, start + 1, &middle, &right);
	if (change.failed)
		return -1;
	return finish(&change, areas, merge(&change, left, right));
}

static const struct pd_area *find_in(const struct pd_area_node *root, uint64_t address)
{
	const struct pd_area *best = NULL;
	for (const struct pd_area_node *node = root; node;) {
		if (node->area.start <= address) {
			best = &node->area;
			node = node->right;
		} else {
			node = node->left;
		}
	}
	return best && address < best->end ? best : NULL;
}

const struct pd_area *pd_areas_find(const struct pd_areas *areas, uint64_t address) { return find_in(areas->root, address); }

const struct pd_area *pd_areas_find_before_exec(const struct pd_areas *areas, uint64_t address)
{
	return find_in(areas->before_exec, address);
}

void pd_areas_exec(struct pd_area_store *store, struct pd_areas *areas)
{
	areas->before_exec = areas->root;
	areas->root = NULL;
	areas->owner = ++store->next_owner;
	areas->generation = ++store->next_generation;
}

void pd_areas_copy(struct pd_area_store *store, struct pd_areas *to, struct pd_areas *from)
{
	to->root = from->root;
	to->before_exec = NULL;
	to->owner = ++store->next_owner;
	from->owner = ++store->next_owner;
	to->generation = ++store->next_generation;
}
