/* SPDX-License-Identifier: MIT */
/* Chooses the entry of a perf map for an address that several entries contain. A compiler that replaces code while it
 * runs leaves the entries of the old code in the map, and a perf map has no times.
 *
 * perf inserts the entries into a red-black tree by start, in the order of the file, and takes the first entry on the
 * way down that contains the address. The result depends on the shape of the tree, so this file builds the same tree,
 * as in Cormen et al., Introduction to Algorithms. perf may miss an entry that contains the address; this file finds
 * one, since each subtree knows the largest end of its entries. perf ignores entries whose name has one or two
 * characters; they are in a second tree, for addresses that no entry of the first tree contains. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "symbols/table/symbol_table.h"

#define NONE PD_NO_SYMBOL
#define MOST_COMPARED 64   /* limit of entries at one address whose names are compared */
#define INSERTED_AT_ONCE 4096u   /* entries between two checks for cancellation */

/* The node of the symbol with the same index. */
struct node {
	uint32_t child[2];     /* subtrees of entries before and after this one */
	union {
		uint64_t start;    /* copy of the symbol's start, so that building the tree reads only nodes */
		uint64_t reach;    /* the largest end in this subtree */
	};
};

enum { AS_PERF, SHORT_NAMES, NR_TREES };

struct pd_overlaps {
	size_t count;
	uint32_t roots[NR_TREES];
	struct node nodes[];
};

/* Returns the end of a symbol; one of unknown size contains its own address. */
static uint64_t end_of(const struct pd_symbol *s)
{
	return s->end != s->start || s->start == UINT64_MAX ? s->end : s->start + 1;
}

static bool symbol_holds(const struct pd_symbol *s, uint64_t address)
{
	return address == s->start || (address > s->start && address < s->end);
}

static bool symbols_overlap(const struct pd_symbol_table *table)
{
	for (size_t i = 1, reach = 0; i < table->count; i++) {
		if (end_of(&table->items[i - 1]) > end_of(&table->items[reach]))
			reach = i - 1;
		if (table->items[i].start == table->items[i - 1].start ||
		    table->items[i].start < end_of(&table->items[reach]))
			return true;
	}
	return false;
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

struct build {
	const struct pd_symbol *items;
	struct pd_overlaps *tree;
	uint32_t *root;        /* root of the tree that is built */
	struct above {
		uint32_t parent;
		bool red;
	} *above;
};

static void replace_child(struct build *b, uint32_t parent, uint32_t old, uint32_t new)
{
	if (parent == NONE)
		*b->root = new;
	else
		b->tree->nodes[parent].child[b->tree->nodes[parent].child[1] == old] = new;
	if (new != NONE)
		b->above[new].parent = parent;
}

/* Moves a node down to `side`; its child on the other side replaces it. */
static void rotate_node(struct build *b, uint32_t node, unsigned side)
{
	struct node *nodes = b->tree->nodes;
	const uint32_t up = nodes[node].child[!side], between = nodes[up].child[side];
	replace_child(b, b->above[node].parent, node, up);
	nodes[node].child[!side] = between;
	if (between != NONE)
		b->above[between].parent = node;
	nodes[up].child[side] = node;
	b->above[node].parent = up;
}

/* Restores the rule that no red node is below a red one. */
static void balance_node(struct build *b, uint32_t node)
{
	const struct node *nodes = b->tree->nodes;
	struct above *above = b->above;
	for (uint32_t parent; (parent = above[node].parent) != NONE && above[parent].red;) {
		const uint32_t grand = above[parent].parent;
		const unsigned side = nodes[grand].child[1] == parent;
		const uint32_t uncle = nodes[grand].child[!side];
		if (uncle != NONE && above[uncle].red) {
			above[parent].red = above[uncle].red = false;
			above[grand].red = true;
			node = grand;
			continue;
		}
		if (nodes[parent].child[!side] == node) {
			rotate_node(b, parent, side);
			node = parent;
			parent = above[node].parent;
		}
		above[parent].red = false;
		above[grand].red = true;
		rotate_node(b, grand, !side);
	}
	above[*b->root].red = false;
}

static void insert_symbol(struct build *b, uint32_t index)
{
	struct pd_overlaps *tree = b->tree;
	uint32_t parent = NONE, at = *b->root;
	unsigned side = 0;
	const uint64_t start = b->items[index].start;
	while (at != NONE) {
		parent = at;
		side = start >= tree->nodes[at].start;
		at = tree->nodes[at].child[side];
	}
	tree->nodes[index] = (struct node){ .child = { NONE, NONE }, .start = start };
	b->above[index] = (struct above){ .parent = parent, .red = true };
	if (parent == NONE)
		*b->root = index;
	else
		tree->nodes[parent].child[side] = index;
	balance_node(b, index);
}

/* Recursive: the height is at most twice the number of bits in the number of entries. */
static uint64_t set_reach(const struct build *b, uint32_t at)
{
	if (at == NONE)
		return 0;
	struct node *node = &b->tree->nodes[at];
	node->reach = end_of(&b->items[at]);
	for (unsigned side = 0; side < 2; side++) {
		const uint64_t reach = set_reach(b, node->child[side]);
		node->reach = reach > node->reach ? reach : node->reach;
	}
	return node->reach;
}

static const char *name_of(const struct pd_symbol_table *table, uint32_t index)
{
	return table->strings[PD_STRINGS_TEXT].bytes + table->items[index].name;
}

static bool has_short_name(const struct pd_symbol_table *table, uint32_t index)
{
	const size_t longest = 2;
	return strnlen(name_of(table, index), longest + 1) <= longest;
}

/* Returns 0, or -1: the work is stopped. */
static int build_trees(struct build *b, struct pd_symbol_table *table, const uint32_t *order)
{
	for (size_t i = 0; i < table->count; i++) {
		if (!(i % INSERTED_AT_ONCE) && pd_symtab_is_stopped(table, INSERTED_AT_ONCE))
			return -1;
		b->root = &b->tree->roots[has_short_name(table, order[i]) ? SHORT_NAMES : AS_PERF];
		insert_symbol(b, order[i]);
	}
	for (int i = 0; i < NR_TREES; i++)
		(void)set_reach(b, b->tree->roots[i]);
	return 0;
}

int pd_overlaps_make(struct pd_symbol_table *table)
{
	const size_t count = table->count;
	struct build b = { .items = table->items };
	if (!symbols_overlap(table))
		return 0;
	if (pd_symtab_is_full(table, count * (sizeof *b.tree->nodes + sizeof *b.above + sizeof(uint32_t))))
		return -1;
	b.tree = pd_malloc(sizeof *b.tree + count * sizeof *b.tree->nodes);
	b.above = pd_malloc(count * sizeof *b.above);
	uint32_t *order = pd_malloc(count * sizeof *order);
	if (b.tree && b.above && order) {
		*b.tree = (struct pd_overlaps){ .count = count, .roots = { NONE, NONE } };
		for (size_t i = 0; i < count; i++)
			order[table->items[i].outer] = (uint32_t)i;
		if (!build_trees(&b, table, order))
			table->overlaps = b.tree;
	}
	pd_free(order);
	pd_free(b.above);
	if (!table->overlaps)
		pd_free(b.tree);
	return table->overlaps ? 0 : -1;
}

size_t pd_overlaps_memory(const struct pd_symbol_table *table)
{
	return table->overlaps ? sizeof *table->overlaps + table->overlaps->count * sizeof *table->overlaps->nodes : 0;
}

/* --- look-up ------------------------------------------------------------------------------------------------------ */

/* Walks over the entries that contain an address, from the one that begins last. Subtrees beside the path to the
 * address begin before it, so `reach` says whether one of their entries may contain it. */
struct walk {
	const struct pd_symbol_table *table;
	uint64_t address;
	unsigned nr;
	const char *name;
	uint32_t found;
};

static bool walk_holders(struct walk *walk, uint32_t at, bool (*take)(struct walk *walk, uint32_t index))
{
	const struct pd_symbol_table *table = walk->table;
	for (; at != NONE && table->overlaps->nodes[at].reach > walk->address;
	     at = table->overlaps->nodes[at].child[0]) {
		const struct pd_symbol *s = &table->items[at];
		if (s->start > walk->address)
			continue;
		if (walk_holders(walk, table->overlaps->nodes[at].child[1], take) ||
		    (symbol_holds(s, walk->address) && take(walk, at)))
			return true;
	}
	return false;
}

static bool take_first(struct walk *walk, uint32_t index)
{
	walk->found = index;
	return true;
}

static bool has_other_name(struct walk *walk, uint32_t index)
{
	const char *name = name_of(walk->table, index);
	walk->found = walk->name && strcmp(walk->name, name) != 0 ? index : NONE;
	walk->name = name;
	return walk->found != NONE || ++walk->nr == MOST_COMPARED;
}

/* Finds the containing entry that begins last, and of several the last one in the file, for addresses that perf cannot
 * name. */
static uint32_t find_last(const struct pd_symbol_table *table, uint64_t address)
{
	uint32_t last = NONE;
	for (int i = 0; i < NR_TREES; i++) {
		struct walk walk = { .table = table, .address = address };
		if (!walk_holders(&walk, table->overlaps->roots[i], take_first))
			continue;
		const struct pd_symbol *s = &table->items[walk.found];
		const struct pd_symbol *before = last == NONE ? NULL : &table->items[last];
		if (!before || s->start > before->start || (s->start == before->start && s->outer > before->outer))
			last = walk.found;
	}
	return last;
}

struct pd_symbol *pd_overlaps_find(const struct pd_symbol_table *table, uint64_t address)
{
	for (uint32_t at = table->overlaps->roots[AS_PERF]; at != NONE;) {
		struct pd_symbol *s = &table->items[at];
		if (symbol_holds(s, address))
			return s;
		at = table->overlaps->nodes[at].child[address >= s->start];
	}
	const uint32_t last = find_last(table, address);
	return last != NONE ? &table->items[last] : NULL;
}

bool pd_overlaps_differ(const struct pd_symbol_table *table, uint64_t address)
{
	struct walk walk = { .table = table, .address = address, .found = NONE };
	for (int i = 0; table->overlaps && i < NR_TREES; i++)
		if (walk_holders(&walk, table->overlaps->roots[i], has_other_name))
			return walk.found != NONE;
	return false;
}
