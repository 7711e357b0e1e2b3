/* SPDX-License-Identifier: MIT */
/* What goes to temporary files where memory is short comes back as it was: pages, trees of labels, sums, lines,
 * rows of timelines; and the cache of chains forgets without ever telling something wrong. */
#include "config.h"
#include <stdlib.h>
#include "schema/schema.h"
#include "reader/reader.h"
#include "unit.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/path_tree.h"
#include "base/tree.h"
#include "emit/timelines/timeline.h"
#include "profile/line_sums.h"
#include "profile/profile_sums.h"
#include "session/session.h"
#include "session/stacks/known_chains.h"
#include "session/stacks/step_tree.h"

static uint64_t random_state = 1;

static uint32_t some(uint32_t below)
{
	random_state += 0x9e3779b97f4a7c15ull;
	return (uint32_t)(pd_hash_u64(random_state, 0x5851f42d4c957f2dull) % below);
}

/* Accounts that are never and always over. */
static struct pd_account *account_of(bool tight)
{
	static struct pd_account wide, narrow;
	pd_account_init(&wide, (uint64_t)1 << 40, NULL);
	pd_account_init(&narrow, 1, NULL);
	return tight ? &narrow : &wide;
}

static void check_paged(bool tight)
{
	enum { NR = 400000 };
	struct pd_account *account = account_of(tight);
	const uint64_t before = pd_account_used(account);
	uint32_t *model = calloc(NR, sizeof *model), wrong = 0;
	struct pd_paged paged;
	pd_paged_init(&paged, account, PD_USE_STACKS, sizeof *model);
	for (uint32_t i = 0; model && i < 300000; i++) {
		const uint32_t at = some(i % 3 ? 20000 : NR);
		if (i % 2) {
			const uint32_t *item = pd_paged_at(&paged, at);
			wrong += !item || *item != model[at];
		} else {
			uint32_t *item = pd_paged_change(&paged, at);
			wrong += !item;
			if (item)
				*item = model[at] = i + 1;
		}
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(paged.spool.fd >= 0, tight);
	CHECK_EQ(paged.nr_resident <= PD_PAGES_KEPT + 8, tight);
	CHECK_EQ(paged.status, PERFDATA_OK);
	pd_paged_release(&paged);
	CHECK_EQ(pd_account_used(account), before);
	free(model);
}

static void test_paged(void)
{
	check_paged(false);
	check_paged(true);
}

static void test_paged_without_folder(void)
{
	struct pd_account account = { .limit = 1 };
	struct pd_paged paged;
	pd_account_init(&account, 1, "/nowhere/at/all");
	pd_paged_init(&paged, &account, PD_USE_STACKS, 16);
	uint32_t at = 0;
	while (at < 1000 * 256 && pd_paged_change(&paged, at))
		at += 256;
	CHECK_EQ(at, (PD_PAGES_KEPT + 1) * 256);
	CHECK_EQ(paged.status, PERFDATA_EWRITE);
	pd_paged_release(&paged);
}

/* A path that shares its beginning with others; some nodes have very many children. */
static uint32_t path_of(uint32_t number, uint32_t *labels)
{
	uint32_t nr = 1 + number % 60;
	uint64_t state = number;
	for (uint32_t i = 0; i < nr; i++) {
		state = pd_hash_u64(state, i);
		labels[i] = number % 7 == 0 && i == 1 ? number : (uint32_t)(state % (i < 4 ? 3 : 5));
	}
	return nr;
}

static uint32_t walk_path(struct pd_tree *tree, uint32_t number)
{
	uint32_t labels[64], node = 0;
	const uint32_t nr = path_of(number, labels);
	for (uint32_t i = 0; i < nr && node != UINT32_MAX; i++)
		node = pd_tree_child(tree, node, labels[i]);
	return node;
}

static bool is_path(struct pd_tree *tree, uint32_t node, uint32_t number)
{
	uint32_t labels[64], label;
	for (uint32_t nr = path_of(number, labels); nr-- > 0;)
		if (pd_tree_get(tree, node, &node, &label) < 0 || label != labels[nr])
			return false;
	return node == 0;
}

enum { PATHS = 20000 };

static uint32_t check_tree(bool tight)
{
	struct pd_account *account = account_of(tight);
	static uint32_t nodes[PATHS];
	struct pd_tree tree;
	uint32_t wrong = 0;
	CHECK_EQ(pd_tree_init(&tree, account, PD_USE_STACKS), 0);
	for (uint32_t i = 0; i < PATHS; i++)
		nodes[i] = walk_path(&tree, i);
	const uint32_t count = tree.count;
	for (uint32_t i = 0; i < PATHS; i++) {
		const uint32_t number = some(PATHS);
		wrong += walk_path(&tree, number) != nodes[number] || !is_path(&tree, nodes[number], number);
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(tree.count, count);   /* what was there is found again */
	CHECK_EQ(tree.nodes.spool.fd >= 0, tight);
	pd_tree_release(&tree);
	return count;
}

static void test_tree(void) { CHECK_EQ(check_tree(false), check_tree(true)); }

static uint32_t add_path(struct pd_path_tree *tree, uint32_t number)
{
	uint32_t labels[64];
	const uint32_t nr = path_of(number, labels), first = number % (nr + 1);
	return pd_path_tree_add(tree, pd_path_tree_add(tree, 0, labels, first), &labels[first], nr - first);
}

/* Whether the labels from the node up to the root are those of the path, read one by one and run by run. */
static bool is_added_path(struct pd_path_tree *tree, uint32_t node, uint32_t number)
{
	struct pd_path_climb climb = { .node = node };
	uint32_t labels[64], label;
	const uint32_t nr = path_of(number, labels);
	bool ok = pd_path_tree_climb(tree, &climb, 1) == PERFDATA_OK && climb.nr == nr;
	for (uint32_t i = nr; i-- > 0 && ok;)
		ok = climb.labels[nr - 1 - i] == labels[i] && pd_path_tree_get(tree, node, &node, &label) == 0 &&
		     label == labels[i];
	pd_free(climb.labels);
	return ok && node == 0;
}

/* Whether a walk up by runs meets the nodes that single steps meet, and a prefetch of the way ends. */
static bool is_read_by_runs(struct pd_path_tree *tree, uint32_t node)
{
	uint32_t run[8], at = node, ahead = node, parent, label, steps = 0;
	for (size_t nr; at; at = parent) {
		nr = pd_path_tree_get_run(tree, at, run, sizeof run / sizeof *run, &parent);
		for (size_t i = 0; i < nr; i++) {
			if (pd_path_tree_get(tree, node, &node, &label) < 0 || label != run[i])
				return false;
			if (node != (i + 1 < nr ? at - (uint32_t)i - 1 : parent))
				return false;
		}
		if (!nr)
			return false;
	}
	while (pd_path_tree_fetch_up(tree, &ahead))
		steps++;
	return !node && steps <= 64 && (!ahead || ahead < tree->count);
}

static uint32_t check_path_tree(bool tight)
{
	static uint32_t nodes[PATHS];
	struct pd_path_tree tree;
	uint32_t wrong = 0;
	CHECK_EQ(pd_path_tree_init(&tree, account_of(tight), PD_USE_STACKS), 0);
	for (uint32_t i = 0; i < PATHS; i++)
		nodes[i] = add_path(&tree, i);
	const uint32_t count = tree.count, too_large = PD_PATH_TREE_MAX_LABEL + 1;
	for (uint32_t i = 0; i < PATHS; i++) {
		const uint32_t number = some(PATHS);
		wrong += add_path(&tree, number) != nodes[number] || !is_added_path(&tree, nodes[number], number);
		wrong += !is_read_by_runs(&tree, nodes[number]);
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(tree.count, count);   /* what was there is found again */
	CHECK(tree.nr_runs > PATHS / 2);
	CHECK_EQ(tree.words.spool.fd >= 0, tight);
	CHECK_EQ(pd_path_tree_add(&tree, 0, &too_large, 1), UINT32_MAX);
	CHECK_EQ(pd_path_tree_add(&tree, count - 1, &too_large, 1), UINT32_MAX);
	CHECK_EQ(tree.status, PERFDATA_ENOMEM);
	pd_path_tree_release(&tree);
	return count;
}

static void test_path_tree(void) { CHECK_EQ(check_path_tree(false), check_path_tree(true)); }

static void test_steps(void)
{
	struct pd_account *account = account_of(false);
	struct pd_step_tree exact, by_frame;
	const struct perfdata_step steps[] = {
		{ .ip = 0x10, .frame = 1, .cpumode = 2 },
		{ .ip = 0x20, .frame = 2, .cpumode = 2, .origin = PERFDATA_STEP_UNWOUND },
		{ .ip = 0x30, .frame = PERFDATA_NONE, .cpumode = 2 },
		{ .ip = 0x40, .frame = 3, .cpumode = 2, .origin = PERFDATA_STEP_BRANCH },
	};
	struct perfdata_step moved[4], at;
	uint32_t caller;
	memcpy(moved, steps, sizeof moved);
	moved[0].ip = 0x11;
	CHECK_EQ(pd_step_tree_init(&exact, true, account), 0);
	CHECK_EQ(pd_step_tree_init(&by_frame, false, account), 0);
	CHECK_EQ(pd_step_tree_node(&exact, steps, 4, NULL), 4);
	CHECK_EQ(pd_step_tree_node(&exact, moved, 4, NULL), 6);       /* the address counts */
	CHECK_EQ(pd_step_tree_node(&exact, steps + 1, 3, NULL), 3);
	CHECK_EQ(pd_step_tree_node(&by_frame, steps, 4, NULL), 4);
	CHECK_EQ(pd_step_tree_node(&by_frame, moved, 4, NULL), 4);    /* the frame is the same */
	moved[2].ip = 0x31;
	CHECK_EQ(pd_step_tree_node(&by_frame, moved, 4, NULL), 8);    /* without a frame only the address counts */
	CHECK_EQ(pd_step_tree_node(&by_frame, NULL, 0, NULL), 0);
	CHECK_EQ(pd_step_tree_get(&exact, 4, &caller, &at), 0);
	CHECK_EQ(caller, 3);
	CHECK(memcmp(&at, &steps[0], sizeof at) == 0);
	CHECK_EQ(pd_step_tree_get(&by_frame, 2, &caller, &at), 0);
	CHECK_EQ(at.ip, 0x30);
	CHECK_EQ(pd_step_tree_get(&by_frame, 3, &caller, &at), 0);
	CHECK_EQ(at.frame, 2);
	CHECK_EQ(at.origin, PERFDATA_STEP_UNWOUND);     /* no return address: views name the address itself */
	CHECK_EQ(pd_step_tree_get(&by_frame, 1, &caller, &at), 0);
	CHECK_EQ(at.origin, PERFDATA_STEP_BRANCH);
	CHECK_EQ(at.ip, 0);
	pd_step_tree_release(&exact);
	pd_step_tree_release(&by_frame);
}

enum { AHEAD = 16, MOST_STEPS = 96 };
struct deep_stack {
	struct perfdata_step steps[MOST_STEPS];   /* callee first */
	uint32_t nr;
};

/* Makes a stack that has callers in common with others, and may be longer than what is looked at ahead. */
static void make_deep_stack(struct deep_stack *ret)
{
	memset(ret, 0, sizeof *ret);
	ret->nr = 1 + some(MOST_STEPS);
	uint32_t way = 0;
	for (uint32_t depth = 0; depth < ret->nr; depth++) {
		if (depth % 8 == 7)
			way = way * 4 + some(depth < 24 ? 2 : 4);
		ret->steps[ret->nr - 1 - depth] = (struct perfdata_step){
			.ip = 16 + depth, .frame = depth * 64 + way % 64, .cpumode = 2
		};
	}
}

/* Looks at steps ahead, as the session does: by threes, so that the last look is a part. */
static bool look_ahead(const struct pd_step_tree *tree, const struct deep_stack *stack, struct pd_steps_ahead *ret)
{
	bool more = true;
	pd_steps_ahead_begin(ret);
	for (uint32_t at = 0; at < stack->nr && more; at += 3) {
		struct perfdata_step callers[3];
		uint32_t nr = 0;
		for (; nr < 3 && at + nr < stack->nr; nr++)
			callers[nr] = stack->steps[stack->nr - 1 - at - nr];
		more = pd_steps_ahead_add(ret, tree, callers, nr) || at < 24;
	}
	return ret->path.nr > 0;
}

/* Looking at steps ahead changes no node. Two stacks of a round may need the same new nodes. */
static uint32_t check_ahead(bool exact, bool tight)
{
	struct pd_step_tree plain, ahead;
	static struct deep_stack stacks[AHEAD];
	static struct pd_steps_ahead room[AHEAD];
	uint32_t wrong = 0, found = 0, looked = 0;
	CHECK_EQ(pd_step_tree_init(&plain, exact, account_of(false)), 0);
	CHECK_EQ(pd_step_tree_init(&ahead, exact, account_of(tight)), 0);
	for (uint32_t round = 0; round < 1400; round++) {
		for (uint32_t i = 0; i < AHEAD; i++) {
			make_deep_stack(&stacks[i]);
			looked += look_ahead(&ahead, &stacks[i], &room[i]);
		}
		pd_steps_ahead_find(room, AHEAD, &ahead);
		if (round % 16 == 0)
			room[0].labels[0]++;   /* is not of this stack: not used */
		for (uint32_t i = 0; i < AHEAD; i++) {
			const struct deep_stack *stack = &stacks[i];
			found += room[i].path.at;
			wrong += pd_step_tree_node(&plain, stack->steps, stack->nr, NULL) !=
				 pd_step_tree_node(&ahead, stack->steps, stack->nr, &room[i]);
		}
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(plain.tree.count, ahead.tree.count);
	CHECK_EQ(pd_step_tree_is_slow(&plain), true);
	CHECK_EQ(pd_step_tree_is_slow(&ahead), !tight);
	CHECK_EQ(looked > 0 && found > looked, true);
	pd_step_tree_release(&plain);
	pd_step_tree_release(&ahead);
	return found;
}

static void test_ahead(void)
{
	(void)check_ahead(false, false);
	(void)check_ahead(false, true);
	(void)check_ahead(true, false);
}

/* Some steps lead to the same node whether the tree knows them, has forgotten them, or knows nothing. */
static void test_known_steps(void)
{
	enum { NR = 20000, TREES = 3 };
	struct pd_step_tree trees[TREES];
	struct perfdata_step steps[64];
	uint32_t labels[64], wrong = 0;
	struct pd_path_tree model;
	CHECK_EQ(pd_path_tree_init(&model, account_of(false), PD_USE_STACKS), 0);
	for (uint32_t i = 0; i < TREES; i++)
		CHECK_EQ(pd_step_tree_init(&trees[i], i == 1, account_of(i == 2)), 0);
	trees[0].nr_known = 1;
	for (uint32_t i = 0; i < NR; i++) {
		const uint32_t nr = path_of(i % 2 ? i : some(NR), labels);
		uint32_t node = 0;
		memset(steps, 0, sizeof steps);
		for (uint32_t depth = 0; depth < nr; depth++) {
			node = pd_path_tree_add(&model, node, &labels[depth], 1);
			steps[nr - 1 - depth].ip = 16 + labels[depth];
			steps[nr - 1 - depth].frame = labels[depth];
		}
		for (uint32_t tree = 0; tree < TREES; tree++)
			wrong += pd_step_tree_node(&trees[tree], steps, nr, NULL) != node;
	}
	CHECK_EQ(wrong, 0);
	CHECK(model.count > 1000);
	for (uint32_t i = 0; i < TREES; i++) {
		CHECK_EQ(trees[i].tree.count, model.count);
		pd_step_tree_release(&trees[i]);
	}
	pd_path_tree_release(&model);
	CHECK_EQ(pd_account_used(account_of(true)), 0);
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

static struct pd_profile_key key_of(uint32_t number)
{
	return (struct pd_profile_key){
		.event = number % 2, .comm = number % 5, .cpu = PERFDATA_NONE, .node = number % 30011
	};
}

static uint64_t check_sums(bool tight)
{
	enum { SAMPLES = 200000 };
	struct pd_sums_table table;
	struct pd_sums_walk *walk;
	const struct pd_profile_entry *entry;
	struct pd_profile_key last = { 0 };
	uint64_t samples = 0, weight = 0, expected = 0, hash = 0, entries = 0, of_events[2] = { 0 };
	uint32_t unordered = 0;
	random_state = 5;
	pd_sums_init(&table, account_of(tight));
	for (uint32_t i = 0; i < SAMPLES; i++) {
		const struct pd_profile_key key = key_of(some(1000000));
		const uint64_t one = some(1000);
		expected += one;
		of_events[key.event] += one;
		CHECK_EQ(pd_sums_add(&table, &key, pd_sums_hash(&key, 3), one), PERFDATA_OK);
	}
	CHECK_EQ(table.nr_runs > 4, tight);
	CHECK_EQ(pd_sums_finish(&table), PERFDATA_OK);
	CHECK_EQ(pd_sums_walk_new(&table, &walk), PERFDATA_OK);
	while (pd_sums_walk_next(walk, &entry) == PERFDATA_OK) {
		const struct pd_profile_key *key = &entry->key;
		unordered += entries &&
			     !(last.event < key->event ||
			       (last.event == key->event &&
				(last.comm < key->comm || (last.comm == key->comm && last.node < key->node))));
		last = *key;
		entries++;
		samples += entry->sums.samples;
		weight += entry->sums.weight;
		hash = pd_hash_u64(hash ^ entry->sums.squares[0],
				   (uint64_t)key->node << 32 | key->comm << 1 | key->event);
	}
	CHECK_EQ(unordered, 0);
	CHECK_EQ(samples, SAMPLES);
	CHECK_EQ(weight, expected);
	CHECK_EQ(table.nr_events, 2);
	CHECK_EQ(table.events[0].weight, of_events[0]);
	CHECK_EQ(table.events[1].weight, of_events[1]);
	CHECK_EQ(table.events[0].samples + table.events[1].samples, SAMPLES);
	pd_sums_walk_free(walk);
	pd_sums_release(&table);
	return hash;
}

static void test_sums(void) { CHECK_EQ(check_sums(false), check_sums(true)); }

/* Sorts keys. One in `share` keys comes late; with 0, no key does. */
static void check_late(uint32_t share)
{
	enum { SAMPLES = 5000 };
	struct pd_sums_table table;
	struct pd_sums_walk *walk;
	const struct pd_profile_entry *entry, *peeked;
	uint64_t samples = 0;
	uint32_t wrong = 0, last = 0;
	pd_sums_init(&table, account_of(false));
	for (uint32_t i = 0; i < SAMPLES; i++) {
		const bool late = share && i % share == share - 1;
		const struct pd_profile_key key = { .cpu = PERFDATA_NONE, .node = 1 + (late ? some(i) : i) };
		CHECK_EQ(pd_sums_add(&table, &key, pd_sums_hash(&key, 3), 1), PERFDATA_OK);
	}
	CHECK_EQ(pd_sums_finish(&table), PERFDATA_OK);
	CHECK_EQ(pd_sums_walk_new(&table, &walk), PERFDATA_OK);
	while ((peeked = pd_sums_walk_peek(walk, 0))) {
		const uint32_t node = peeked->key.node;
		CHECK_EQ(pd_sums_walk_next(walk, &entry), PERFDATA_OK);
		wrong += entry->key.node != node || node <= last;
		last = node;
		samples += entry->sums.samples;
	}
	CHECK_EQ(pd_sums_walk_next(walk, &entry), PERFDATA_END);
	CHECK_EQ(wrong, 0);
	CHECK_EQ(samples, SAMPLES);
	pd_sums_walk_free(walk);
	pd_sums_release(&table);
}

static void test_late_sums(void)
{
	const uint32_t shares[] = { 0, 500, 20, 9, 4, 2 };
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		check_late(shares[i]);
}

/* --- lines of labels ---------------------------------------------------------------------------------------------- */

enum { LINE_LABELS = 90000 };

/* Higher labels come first. */
static uint32_t rank_of(uint32_t label, bool is_last) { return 2 * (LINE_LABELS - 1 - label) + !is_last; }

static enum perfdata_status rank_all(void *user, struct pd_label_ranks *ret)
{
	uint32_t *ranks = user;
	for (uint32_t i = 0; i < 2 * LINE_LABELS; i++)
		ranks[i] = rank_of(i / 2, i % 2);
	*ret = (struct pd_label_ranks){ LINE_LABELS, ranks };
	return PERFDATA_OK;
}

static bool comes_after(const struct pd_line *line, const uint32_t *before, size_t nr_before)
{
	size_t i = 0;
	while (i < line->nr && i < nr_before && line->labels[i] == before[i] &&
	       (i + 1 == line->nr) == (i + 1 == nr_before))
		i++;
	return i < line->nr && i < nr_before &&
	       rank_of(line->labels[i], i + 1 == line->nr) > rank_of(before[i], i + 1 == nr_before);
}

/* Lines of four sums become those of one; `threads` sort them. */
static uint64_t check_lines(bool tight, unsigned threads)
{
	enum { LINES = 60000, NUMBERS = 20000 };
	static uint32_t ranks[2 * LINE_LABELS];
	const struct pd_line_order order = { rank_all, ranks };
	struct pd_account *account = account_of(tight);
	enum { PARTS = 4 };
	struct pd_line_sums *sums = pd_line_sums_new(account, &order), *parts[PARTS];
	struct pd_line line;
	uint32_t labels[64], unordered = 0, nr_lines = 0;
	size_t nr_before = 0;
	uint64_t hash = 0, weight = 0, expected = 0;
	random_state = 7;
	CHECK(sums);
	for (unsigned i = 0; i < PARTS; i++)
		CHECK((parts[i] = pd_line_sums_new(account, NULL)));
	for (uint32_t i = 0; i < LINES; i++) {
		const uint32_t number = some(NUMBERS), nr = path_of(number, labels), one = some(1000);
		labels[0] = number % 3 ? labels[0] : LINE_LABELS - 1;   /* which needs 4 bytes */
		expected += one;
		CHECK_EQ(pd_line_sums_add(i % 5 < PARTS ? parts[i % 5] : sums, labels, nr, one), PERFDATA_OK);
	}
	for (unsigned i = 0; i < PARTS; i++) {
		CHECK_EQ(pd_line_sums_take_over(sums, parts[i]), PERFDATA_OK);
		pd_line_sums_free(parts[i]);
	}
	CHECK_EQ(pd_line_sums_sort(sums, threads), PERFDATA_OK);
	while (pd_line_sums_next(sums, &line) == PERFDATA_OK) {
		unordered += nr_lines && !comes_after(&line, labels, nr_before);
		nr_lines++;
		weight += line.weight;
		for (size_t i = 0; i < line.nr; i++)
			hash = pd_hash_two(hash, line.labels[i], line.weight);
		memcpy(labels, line.labels, line.nr * sizeof *labels);
		nr_before = line.nr;
	}
	CHECK_EQ(unordered, 0);
	CHECK_EQ(weight, expected);
	CHECK(nr_lines > NUMBERS / 3);
	pd_line_sums_free(sums);
	CHECK_EQ(pd_account_used(account), 0);
	return hash;
}

static void test_lines(void)
{
	const uint64_t lines = check_lines(false, 1);
	CHECK_EQ(check_lines(true, 1), lines);
	CHECK_EQ(check_lines(false, 2), lines);
	CHECK_EQ(check_lines(false, 3), lines);
	CHECK_EQ(check_lines(false, 8), lines);
	CHECK_EQ(check_lines(true, 8), lines);
}

static void test_lines_without_folder(void)
{
	static uint32_t ranks[2 * LINE_LABELS];
	const struct pd_line_order order = { rank_all, ranks };
	struct pd_account account = { .limit = 1 };
	pd_account_init(&account, 1, "/nowhere/at/all");
	struct pd_line_sums *sums = pd_line_sums_new(&account, &order);
	const uint32_t labels[] = { 1, 2, 3 };
	enum perfdata_status status = PERFDATA_OK;
	for (uint32_t i = 0; i < 100000 && status == PERFDATA_OK; i++)
		status = pd_line_sums_add(sums, labels, 3, 1);
	CHECK_EQ(status, PERFDATA_EWRITE);
	pd_line_sums_free(sums);
	CHECK_EQ(pd_account_used(&account), 0);
}

static struct pd_profile_sums sums_of(uint64_t weight)
{
	struct pd_profile_sums sums = { 0 };
	pd_profile_sums_add_weight(&sums, weight);
	return sums;
}

static void test_overflow(void)
{
	struct pd_profile_sums sums = sums_of(UINT64_MAX), more = sums;
	CHECK_EQ(sums.squares[0], 1);
	CHECK_EQ(sums.squares[1], UINT64_MAX - 1);
	CHECK(!sums.overflow);
	pd_profile_sums_add(&sums, &more);
	CHECK(sums.overflow);
	CHECK_EQ(sums.samples, 2);
	CHECK_EQ(sums.weight, UINT64_MAX);
	CHECK_EQ(sums.squares[1], UINT64_MAX);
	sums = more;
	pd_profile_sums_add_weight(&sums, UINT64_MAX);
	CHECK(sums.overflow);
	CHECK_EQ(sums.samples, 2);
	CHECK_EQ(sums.weight, UINT64_MAX);
	CHECK_EQ(sums.squares[0], UINT64_MAX);
	sums = sums_of(UINT64_C(1) << 33);
	more = sums_of(3);
	pd_profile_sums_add(&sums, &more);
	CHECK(!sums.overflow);
	CHECK_EQ(sums.squares[0], 9);
	CHECK_EQ(sums.squares[1], 4);
}

/* --- rows in time ------------------------------------------------------------------------------------------------- */

enum { ROWS = 60000, ROWS_AT_ONCE = 500, THREADS = 7 };

/* Most samples come in the order of time, some late, those of one thread anyhow, some without a time. */
static enum perfdata_status add_rows(struct timeline *timeline)
{
	static const struct perfdata_attr attr = { .type = PERFDATA_TYPE_SOFTWARE };
	static const struct perfdata_event event = { .attr = &attr };
	static struct perfdata_raw raws[ROWS_AT_ONCE];
	static struct perfdata_delivery deliveries[ROWS_AT_ONCE];
	enum perfdata_status status = PERFDATA_OK;
	for (uint32_t i = 0; i < ROWS && status == PERFDATA_OK; i++) {
		const uint32_t thread = some(THREADS), at = i % ROWS_AT_ONCE;
		const uint64_t time = !some(50) ? UINT64_MAX : thread == 1 ? some(ROWS / 4)
					       : i / 4 + (some(100) ? 10 : 0);
		raws[at] = (struct perfdata_raw){ .type = PERFDATA_RECORD_SAMPLE, .time = time };
		deliveries[at] = (struct perfdata_delivery){ .record = &raws[at], .event = &event, .period = i + 1,
							     .node = i % 100, .thread = thread, .tid = (int32_t)thread,
							     .comm = PERFDATA_NONE };
		if (at < ROWS_AT_ONCE - 1)
			continue;
		const struct pd_batch batch = { .public = { .deliveries = deliveries, .nr_deliveries = ROWS_AT_ONCE } };
		void *part = pd_timeline_collect(timeline, &batch.public);
		status = part ? pd_timeline_add(timeline, part) : PERFDATA_ENOMEM;
	}
	return status;
}

/* Rows of a thread come by time, those of the same time as they were recorded: their weights count. */
static uint32_t wrong_rows(struct timeline *timeline, size_t first, const struct timeline_thread *thread)
{
	struct timeline_row before = { 0 };
	uint32_t wrong = 0;
	for (size_t i = first; i < first + thread->nr_rows; i++) {
		const struct timeline_row row = *pd_timeline_row(timeline, i);
		wrong += row.time < before.time || (row.time == before.time && row.weight <= before.weight);
		wrong += row.event || row.node != (row.weight - 1) % 100 || row.name != PERFDATA_NONE;
		before = row;
	}
	return wrong;
}

static uint64_t check_rows(bool tight)
{
	struct pd_account *account = account_of(tight);
	const uint64_t before = pd_account_used(account);
	uint64_t hash = 0;
	uint32_t wrong = 0;
	size_t nr = 0;
	atomic_store(&account->peak, before);
	struct timeline *timeline = pd_timeline_new(NULL, NULL, account, NULL);
	random_state = 9;
	CHECK_EQ(add_rows(timeline), PERFDATA_OK);
	CHECK_EQ(pd_timeline_sort(timeline), PERFDATA_OK);
	CHECK_EQ(pd_timeline_nr_threads(timeline), THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		const struct timeline_thread *thread = pd_timeline_thread(timeline, i);
		wrong += wrong_rows(timeline, nr, thread);
		hash = pd_hash_u64(hash, (uint64_t)thread->tid);
		nr += thread->nr_rows;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct timeline_row *row = pd_timeline_row(timeline, i);
		hash = pd_hash_u64(hash ^ row->time, row->weight);
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(nr, ROWS);
	CHECK_EQ(pd_timeline_failed(timeline), PERFDATA_OK);
	/* three arrays while rows are sorted, whose bytes are twice as many as this */
	CHECK_EQ(atomic_load(&account->peak) - before < ROWS * sizeof(struct timeline_row), tight);
	pd_timeline_free(timeline);
	CHECK_EQ(pd_account_used(account), before);
	return hash;
}

static void test_rows(void) { CHECK_EQ(check_rows(false), check_rows(true)); }

static void test_rows_without_folder(void)
{
	struct pd_account account = { .limit = 1 };
	pd_account_init(&account, 1, "/nowhere/at/all");
	struct timeline *timeline = pd_timeline_new(NULL, NULL, &account, NULL);
	CHECK_EQ(add_rows(timeline), PERFDATA_EWRITE);
	CHECK_EQ(pd_timeline_failed(timeline), PERFDATA_EWRITE);
	pd_timeline_free(timeline);
	CHECK_EQ(pd_account_used(&account), 0);
}

/* --- chains ------------------------------------------------------------------------------------------------------- */

static void test_chains(void)
{
	struct pd_known_chains known;
	uint64_t words[40];
	uint32_t found = 0, wrong = 0;
	pd_known_chains_init(&known, account_of(false));
	for (uint32_t i = 0; i < 200000; i++) {
		/* a few come again and again, most never do */
		const uint32_t number = i % 4 ? some(1000) : 1000 + i;
		struct perfdata_list list = { .data = (const uint8_t *)words, .count = 1 + number % 40, .stride = 8 };
		for (uint64_t w = 0; w < list.count; w++)
			words[w] = number * 64 + w;
		struct pd_chain_key key = { .recorded = &list, .maps = number % 3, .kernel = 1 };
		key.place = pd_chain_place(&key, 7) % 65536;   /* places that many share */
		struct pd_known_chain *chain = pd_known_chains_get(&known, &key);
		if (chain) {
			found++;
			wrong += chain->stack != number || pd_known_steps(chain)[0].ip != number;
			continue;
		}
		chain = pd_known_chains_put(&known, &key, 1);
		if (chain) {
			chain->stack = number;
			pd_known_steps(chain)[0] = (struct perfdata_step){ .ip = number };
		}
	}
	CHECK(found > 100000);
	CHECK_EQ(wrong, 0);
	CHECK(known.size <= known.max_size);
	pd_known_chains_release(&known);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "pages that leave and come back", test_paged },
		{ "pages: no temporary file can be made", test_paged_without_folder },
		{ "a tree of labels, in memory and in a file", test_tree },
		{ "a tree of paths, in memory and in a file", test_path_tree },
		{ "sums of lines, in memory and in runs", test_lines },
		{ "lines: no temporary file can be made", test_lines_without_folder },
		{ "a tree of steps: what counts", test_steps },
		{ "a tree of steps: known steps", test_known_steps },
		{ "a tree of steps: steps that were looked at ahead", test_ahead },
		{ "sums: sorted runs are merged", test_sums },
		{ "sums: late keys are sorted apart", test_late_sums },
		{ "sums that overflow", test_overflow },
		{ "rows in time: sorted in memory and in a file", test_rows },
		{ "rows in time: no temporary file can be made", test_rows_without_folder },
		{ "known chains: forgotten, never mistaken", test_chains },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
