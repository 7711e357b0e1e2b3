/* SPDX-License-Identifier: MIT */
/* The profile of functions, lines and inlined calls. For LLVM it equals that of llvm-profgen. It is a tree of nodes: a
 * node is a function, or an inlined call. A node has sites (line and discriminator). A site has a count, the targets of
 * calls, and the nodes inlined at it. */
#include "config.h"
#include "branches/line_profile.h"

#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"
#include "branches/branches.h"
#include "branches/function_map.h"
#include "symbols/symbols.h"

#define MOST_FRAMES 64u
#define NONE UINT32_MAX

struct node {
	uint32_t site;            /* site where it was inlined; NONE: not inlined */
	uint32_t name;
	uint64_t total, head;
};
struct site {
	uint32_t node, line, discriminator;
	bool is_line;             /* has code other than inlined calls */
	uint64_t count;
};
struct target {
	uint32_t site, name;
	uint64_t count;
};
/* A change of the count at `address`: by more - less. */
struct step {
	uint64_t address, more, less;
};
struct piece {
	uint64_t start, count;    /* count of the code up to the start of the next piece */
};
/* A node, site or target in the order of the output: its sort keys, and its index. */
struct place {
	uint32_t parent, line, discriminator, index;
	uint64_t count;
	const char *name;
};
struct places {
	struct place *items;
	size_t nr;
};

struct pd_line_profile {
	const struct pd_code_file *file;
	struct pd_code_ranges *ranges;
	enum pd_line_rule rule;
	struct pd_account *account;
	struct pd_intern *names;
	struct pd_function_map *functions;
	struct step *steps;
	size_t nr_steps, steps_room;
	struct piece *pieces;
	size_t nr_pieces;
	struct node *nodes;
	size_t nr_nodes, nodes_room;
	struct site *sites;
	size_t nr_sites, sites_room;
	struct target *targets;
	size_t nr_targets, targets_room;
	/* index by (line, discriminator); (node, location); (site, name) for nodes; (site, name) for targets */
	struct pd_hash_map locations, sites_by, nodes_by, targets_by;
	struct places sorted_nodes, sorted_sites, sorted_targets;
	bool has_flow_discriminators;    /* discriminators come from LLVM's later passes, and are used unchanged */
	size_t accounted;
};

/* --- the tree ----------------------------------------------------------------------------------------------------- */

static size_t memory_of(const struct pd_line_profile *p)
{
	return p->steps_room * sizeof *p->steps + p->nr_pieces * sizeof *p->pieces + p->nodes_room * sizeof *p->nodes +
	       p->sites_room * sizeof *p->sites + p->targets_room * sizeof *p->targets +
	       (p->locations.capacity + p->sites_by.capacity + p->nodes_by.capacity + p->targets_by.capacity) *
		       sizeof(struct pd_hash_map_slot) +
	       (p->sorted_nodes.nr + p->sorted_sites.nr + p->sorted_targets.nr) * sizeof(struct place);
}

static enum perfdata_status charge_profile(struct pd_line_profile *p)
{
	const size_t memory = memory_of(p);
	pd_account_change(p->account, PD_USE_PROFILE, p->accounted, memory);
	p->accounted = memory;
	return pd_account_is_exhausted(p->account) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* Looks up the key; if it is new, adds it with the value nr. -1: no memory. */
static int index_of(struct pd_hash_map *map, uint64_t key, size_t nr, uint32_t *ret, bool *ret_is_new)
{
	uint64_t value;
	*ret_is_new = !pd_hash_map_get(map, key, &value);
	*ret = *ret_is_new ? (uint32_t)nr : (uint32_t)value;
	return *ret_is_new ? nr >= NONE ? -1 : pd_hash_map_put(map, key, nr) : 0;
}

static enum perfdata_status find_node(struct pd_line_profile *p, uint32_t site, uint32_t name, uint32_t *ret)
{
	bool is_new;
	if (pd_vector_grow(&p->nodes, &p->nodes_room, p->nr_nodes, sizeof *p->nodes) < 0 ||
	    index_of(&p->nodes_by, (uint64_t)site << 32 | name, p->nr_nodes, ret, &is_new) < 0)
		return PERFDATA_ENOMEM;
	if (is_new)
		p->nodes[p->nr_nodes++] = (struct node){ .site = site, .name = name };
	return PERFDATA_OK;
}

static enum perfdata_status find_site(struct pd_line_profile *p, uint32_t node, uint32_t line, uint32_t discriminator,
				      uint32_t *ret)
{
	bool is_new;
	uint32_t location;
	if (pd_vector_grow(&p->sites, &p->sites_room, p->nr_sites, sizeof *p->sites) < 0 ||
	    index_of(&p->locations, (uint64_t)line << 32 | discriminator, p->locations.count, &location, &is_new) < 0 ||
	    index_of(&p->sites_by, (uint64_t)node << 32 | location, p->nr_sites, ret, &is_new) < 0)
		return PERFDATA_ENOMEM;
	if (is_new)
		p->sites[p->nr_sites++] =
			(struct site){ .node = node, .line = line, .discriminator = discriminator };
	return PERFDATA_OK;
}

static enum perfdata_status add_target(struct pd_line_profile *p, uint32_t site, uint32_t name, uint64_t count)
{
	bool is_new;
	uint32_t index;
	if (pd_vector_grow(&p->targets, &p->targets_room, p->nr_targets, sizeof *p->targets) < 0 ||
	    index_of(&p->targets_by, (uint64_t)site << 32 | name, p->nr_targets, &index, &is_new) < 0)
		return PERFDATA_ENOMEM;
	if (is_new)
		p->targets[p->nr_targets++] = (struct target){ .site = site, .name = name };
	p->targets[index].count += count;
	return PERFDATA_OK;
}

/* --- names and discriminators ------------------------------------------------------------------------------------- */

/* Returns the length of a function's name without suffixes that a compiler appends to the names of copies. */
static size_t length_of_name(const char *name, enum pd_line_rule rule)
{
	static const char *const suffixes[] = { ".llvm.", ".part." };
	size_t length = strlen(name);
	if (rule == PD_LINES_GCC)
		return *name ? 1 + strcspn(name + 1, ".") : 0;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		const size_t size = strlen(suffixes[i]);
		size_t dot = length;
		while (dot && name[dot - 1] != '.')
			dot--;
		if (dot >= size && !memcmp(name + dot - size, suffixes[i], size))
			length = dot - size;
	}
	return length;
}

static enum perfdata_status intern_name(struct pd_line_profile *p, const char *name, uint32_t *ret)
{
	*ret = pd_intern_put(p->names, name, length_of_name(name, p->rule));
	return *ret == NONE ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* Takes one of three numbers that LLVM packs into a discriminator: 1 bit for 0, 7 bits for numbers below 32, else
 * 14. */
static uint32_t take_number(uint32_t *discriminator)
{
	const uint32_t d = *discriminator, bits = d >> 1;
	if (d & 1) {
		*discriminator = d >> 1;
		return 0;
	}
	*discriminator = d & 0x40 ? d >> 14 : d >> 7;
	return bits & 0x20 ? (bits >> 1 & 0xfe0) | (bits & 0x1f) : bits & 0x1f;
}

/* Returns the number of a block in its line. *ret_copies: how many copies loop unrolling made of its code. */
static uint32_t block_of(const struct pd_line_profile *p, uint32_t discriminator, uint32_t *ret_copies)
{
	*ret_copies = 1;
	if (p->rule == PD_LINES_GCC)
		return 0;
	if (p->has_flow_discriminators)
		return discriminator;
	const uint32_t block = take_number(&discriminator), copies = take_number(&discriminator);
	if (copies)
		*ret_copies = copies;
	return block;
}

/* --- code --------------------------------------------------------------------------------------------------------- */

/* Finds or makes the innermost site at an address and the nodes around it, and adds `total` to each node. *ret: NONE if
 * no function is known. *ret_copies: see block_of. */
static enum perfdata_status find_leaf(struct pd_line_profile *p, uint64_t address, uint64_t total, uint32_t *ret,
				      uint32_t *ret_copies)
{
	struct perfdata_source_line frames[MOST_FRAMES];
	uint32_t discriminators[MOST_FRAMES] = { 0 };
	size_t nr = 0;
	*ret = NONE;
	enum perfdata_status status =
		pd_symbols_blocks(p->file->dso, address, frames, discriminators, MOST_FRAMES, &nr);
	if (status)
		return status == PERFDATA_ABSENT ? PERFDATA_OK : status;
	/* the code of more deeply inlined calls counts for the calls around them */
	for (size_t i = nr < MOST_FRAMES ? nr : 0; i-- > 0 && frames[i].function && !status;) {
		uint32_t name, node;
		status = intern_name(p, frames[i].function, &name);
		if (!status)
			status = find_node(p, *ret, name, &node);
		if (status)
			return status;
		p->nodes[node].total += total;
		status = find_site(p, node, (frames[i].line - frames[i].first_line) & 0xffff,
				   block_of(p, discriminators[i], ret_copies), ret);
	}
	return status;
}

static const struct piece *piece_at(const struct pd_line_profile *p, uint64_t address)
{
	size_t low;
	PD_COUNT_BEFORE(low, p->nr_pieces, at, p->pieces[at].start <= address);
	return low ? &p->pieces[low - 1] : NULL;
}

struct visit {
	struct pd_line_profile *profile;
	bool is_whole;       /* take code that did not run, too */
	enum perfdata_status status;
};

static bool visit_instruction(void *user, const struct pd_instruction *instruction)
{
	struct visit *visit = user;
	struct pd_line_profile *p = visit->profile;
	const struct piece *piece = piece_at(p, instruction->address);
	const uint64_t count = piece ? piece->count : 0;
	uint32_t leaf, copies = 1;
	if (!count && !visit->is_whole)
		return true;
	visit->status = find_leaf(p, instruction->address, count * instruction->size, &leaf, &copies);
	if (visit->status)
		return false;
	if (leaf != NONE) {
		struct site *site = &p->sites[leaf];
		site->is_line = true;
		if (count * copies > site->count)
			site->count = count * copies;
	}
	return true;
}

/* Whether any code in [start, end) ran. */
static bool did_run(const struct pd_line_profile *p, uint64_t start, uint64_t end)
{
	const struct piece *piece = piece_at(p, start);
	for (piece = piece ? piece : p->pieces; piece < p->pieces + p->nr_pieces && piece->start < end; piece++)
		if (piece->count)
			return true;
	return false;
}

static int compare_steps(const void *left, const void *right)
{
	const struct step *a = left, *b = right;
	return a->address < b->address ? -1 : a->address > b->address;
}

/* Computes how often the code of each piece ran. */
static enum perfdata_status make_pieces(struct pd_line_profile *p)
{
	if (!p->nr_steps)
		return PERFDATA_OK;
	p->pieces = pd_malloc(p->nr_steps * sizeof *p->pieces);
	if (!p->pieces)
		return PERFDATA_ENOMEM;
	qsort(p->steps, p->nr_steps, sizeof *p->steps, compare_steps);
	uint64_t count = 0;
	for (size_t i = 0; i < p->nr_steps; i++) {
		count += p->steps[i].more - p->steps[i].less;
		if (!p->nr_pieces || p->pieces[p->nr_pieces - 1].start != p->steps[i].address)
			p->nr_pieces++;
		p->pieces[p->nr_pieces - 1] = (struct piece){ p->steps[i].address, count };
	}
	pd_free(p->steps);
	p->steps = NULL;
	p->nr_steps = p->steps_room = 0;
	return charge_profile(p);
}

enum perfdata_status pd_line_profile_find_lines(struct pd_line_profile *p)
{
	struct pd_function_extent extent;
	struct visit visit = { .profile = p };
	enum perfdata_status status = make_pieces(p);
	uint64_t visited = 0;
	for (size_t i = 0; !status && pd_function_map_at(p->functions, i, &extent); i++) {
		const uint64_t start = extent.start > visited ? extent.start : visited;
		visit.is_whole = extent.is_hit;
		if (start >= extent.end || (!extent.is_hit && !did_run(p, start, extent.end)))
			continue;
		status = pd_code_ranges_walk(p->ranges, start, extent.end, visit_instruction, &visit);
		visited = extent.end;
		if (!status)
			status = visit.status ? visit.status : charge_profile(p);
	}
	return status;
}

static enum perfdata_status add_step(struct pd_line_profile *p, uint64_t address, uint64_t more, uint64_t less)
{
	if (pd_vector_grow(&p->steps, &p->steps_room, p->nr_steps, sizeof *p->steps) < 0)
		return PERFDATA_ENOMEM;
	p->steps[p->nr_steps++] = (struct step){ address, more, less };
	return p->nr_steps % 4096 ? PERFDATA_OK : charge_profile(p);
}

enum perfdata_status pd_line_profile_add_range(struct pd_line_profile *p, uint64_t from, uint64_t to, uint64_t count)
{
	pd_function_map_hit(p->functions, from);
	const enum perfdata_status status = add_step(p, from, count, 0);
	return status ? status : add_step(p, to + 1, 0, count);
}

enum perfdata_status pd_line_profile_add_branch(struct pd_line_profile *p, uint64_t from, uint64_t to, uint64_t count)
{
	const char *callee = pd_function_map_entry(p->functions, to);
	uint32_t name, leaf = NONE, copies, node;
	if (!callee)
		return PERFDATA_OK;
	enum perfdata_status status = intern_name(p, callee, &name);
	if (!status && from != PD_OUTSIDE)
		status = find_leaf(p, from, 0, &leaf, &copies);
	if (!status && leaf != NONE) {
		p->sites[leaf].is_line = true;
		status = add_target(p, leaf, name, count);
	}
	if (!status)
		status = find_node(p, NONE, name, &node);
	if (!status)
		p->nodes[node].head += count;
	return status ? status : charge_profile(p);
}

/* --- sorting ------------------------------------------------------------------------------------------------------ */

static int compare_numbers(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

/* Orders by parent, line, count (largest first), name. */
static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = compare_numbers(a->parent, b->parent);
	if (!order)
		order = compare_numbers(a->line, b->line);
	if (!order)
		order = compare_numbers(a->discriminator, b->discriminator);
	if (!order)
		order = compare_numbers(b->count, a->count);
	return order || !a->name ? order : strcmp(a->name, b->name);
}

static enum perfdata_status make_places(struct places *places, size_t nr)
{
	places->items = pd_calloc(nr ? nr : 1, sizeof *places->items);
	places->nr = places->items ? nr : 0;
	return places->items ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static void sort_places(struct places *places)
{
	if (places->nr)
		qsort(places->items, places->nr, sizeof *places->items, compare_places);
}

/* Raises the count of a line to the sum of its calls, since it ran at least as often. Only for functions that are not
 * inlined, as llvm-profgen does. */
static void raise_lines(struct pd_line_profile *p)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < p->sorted_targets.nr; i++) {
		const struct place *at = &p->sorted_targets.items[i];
		const bool is_first = !i || p->sorted_targets.items[i - 1].parent != at->parent;
		struct site *site = &p->sites[at->parent];
		sum = (is_first ? 0 : sum) + at->count;
		if (p->nodes[site->node].site == NONE && sum > site->count)
			site->count = sum;
	}
}

/* Whether many files have functions of this name, so that the name identifies none. */
static bool is_ambiguous(const char *name)
{
	return !strncmp(name, "__cxx_global_var_init", 21) || !strncmp(name, "__tls_init", 10);
}

enum perfdata_status pd_line_profile_finish(struct pd_line_profile *p)
{
	enum perfdata_status status = make_places(&p->sorted_nodes, p->nr_nodes);
	if (!status)
		status = make_places(&p->sorted_sites, p->nr_sites);
	if (!status)
		status = make_places(&p->sorted_targets, p->nr_targets);
	if (!status)
		status = charge_profile(p);
	if (status)
		return status;
	for (size_t i = 0; i < p->nr_nodes; i++)
		p->sorted_nodes.items[i] = (struct place){
			.parent = p->nodes[i].site, .index = (uint32_t)i,
			.count = p->nodes[i].site == NONE ? p->nodes[i].total : 0,
			.name = pd_intern_get(p->names, p->nodes[i].name, NULL),
		};
	for (size_t i = 0; i < p->nr_sites; i++)
		p->sorted_sites.items[i] = (struct place){
			.parent = p->sites[i].node, .line = p->sites[i].line,
			.discriminator = p->sites[i].discriminator, .index = (uint32_t)i,
		};
	for (size_t i = 0; i < p->nr_targets; i++)
		p->sorted_targets.items[i] = (struct place){
			.parent = p->targets[i].site, .index = (uint32_t)i, .count = p->targets[i].count,
			.name = pd_intern_get(p->names, p->targets[i].name, NULL),
		};
	sort_places(&p->sorted_nodes);
	sort_places(&p->sorted_sites);
	sort_places(&p->sorted_targets);
	raise_lines(p);
	return PERFDATA_OK;
}

/* Returns the first place with the parent. */
static const struct place *first_of(const struct places *places, uint32_t parent)
{
	size_t low;
	PD_COUNT_BEFORE(low, places->nr, at, places->items[at].parent < parent);
	return places->items + low;
}

static bool is_of(const struct places *places, const struct place *place, uint32_t parent)
{
	return place < places->items + places->nr && place->parent == parent;
}

static void write_line(const struct pd_line_profile *p, uint32_t index, unsigned depth,
		       const struct pd_line_writer *writer, void *user)
{
	const struct site *site = &p->sites[index];
	writer->line(user, depth, site->line, site->discriminator, site->count);
	for (const struct place *at = first_of(&p->sorted_targets, index); is_of(&p->sorted_targets, at, index); at++)
		writer->target(user, at->name, at->count);
	writer->end_line(user);
}

/* Recursive: as deep as calls are inlined, at most MOST_FRAMES. */
static void write_node(const struct pd_line_profile *p, const struct place *place, unsigned depth,
		       const struct pd_line_writer *writer, void *user)
{
	const struct node *node = &p->nodes[place->index];
	const struct site *site = node->site == NONE ? NULL : &p->sites[node->site];
	const struct place *first = first_of(&p->sorted_sites, place->index);
	writer->function(user, depth, site ? site->line : 0, site ? site->discriminator : 0, place->name, node->total,
			 node->head);
	for (const struct place *at = first; is_of(&p->sorted_sites, at, place->index); at++)
		if (p->sites[at->index].is_line)
			write_line(p, at->index, depth, writer, user);
	for (const struct place *at = first; is_of(&p->sorted_sites, at, place->index); at++)
		for (const struct place *inlined = first_of(&p->sorted_nodes, at->index);
		     is_of(&p->sorted_nodes, inlined, at->index); inlined++)
			if (!is_ambiguous(inlined->name))
				write_node(p, inlined, depth + 1, writer, user);
}

void pd_line_profile_write(const struct pd_line_profile *p, const struct pd_line_writer *writer, void *user)
{
	for (const struct place *at = first_of(&p->sorted_nodes, NONE); is_of(&p->sorted_nodes, at, NONE); at++)
		if (!is_ambiguous(at->name))
			write_node(p, at, 0, writer, user);
}

/* --- making a profile --------------------------------------------------------------------------------------------- */

static bool look_for_flow(void *user, const struct pd_code_symbol *symbol)
{
	bool *found = user;
	*found = symbol->is_placed && !symbol->is_code && !strcmp(symbol->name, "__llvm_fs_discriminator__");
	return !*found;
}

enum perfdata_status pd_line_profile_new(const struct pd_code_file *file, struct pd_code_ranges *ranges,
					 enum pd_line_rule rule, struct pd_account *account,
					 struct pd_line_profile **ret, struct perfdata_error *reterr)
{
	struct pd_line_profile *p = pd_calloc(1, sizeof *p);
	if (!p)
		return PERFDATA_ENOMEM;
	p->file = file;
	p->ranges = ranges;
	p->rule = rule;
	p->account = account;
	p->names = pd_intern_new();
	enum perfdata_status status = p->names ? PERFDATA_OK : PERFDATA_ENOMEM;
	if (!status)
		status = pd_code_file_symbols(file, look_for_flow, &p->has_flow_discriminators);
	if (!status || status == PERFDATA_ABSENT)
		status = pd_function_map_new(file, account, &p->functions);
	if (status == PERFDATA_ABSENT)
		status = pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				  "this format needs debug information of the program (-g), and none is at hand");
	else if (status == PERFDATA_EUNSUP)
		status = pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				  "this format cannot use debug information of this form: compile with -g, without "
				  "dwz");
	if (status)
		pd_line_profile_free(p);
	else
		*ret = p;
	return status;
}

void pd_line_profile_free(struct pd_line_profile *p)
{
	if (!p)
		return;
	pd_function_map_free(p->functions);
	pd_account_give(p->account, PD_USE_PROFILE, p->accounted);
	pd_hash_map_release(&p->locations);
	pd_hash_map_release(&p->sites_by);
	pd_hash_map_release(&p->nodes_by);
	pd_hash_map_release(&p->targets_by);
	pd_free(p->sorted_nodes.items);
	pd_free(p->sorted_sites.items);
	pd_free(p->sorted_targets.items);
	pd_free(p->steps);
	pd_free(p->pieces);
	pd_free(p->nodes);
	pd_free(p->sites);
	pd_free(p->targets);
	pd_intern_free(p->names);
	pd_free(p);
}
