/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/prefetch.h"
#include "base/threads.h"
#include "profile/line_runs.h"
#include "profile/line_sums.h"

#define BLOCK_BYTES ((size_t)256 << 10)
/* Groups of up to this many lines are sorted by insertion, larger ones by digits, which takes a fixed time for each. */
#define MOST_BY_INSERTION 48u
/* Fewer lines are sorted by one thread. */
#define LEAST_IN_THREADS ((size_t)2048)

/* Distance of prefetching, in entries. */
#define FETCH_AHEAD 8u
/* The label of a line that is fetched besides the first ones: the processor fetches the lines between. */
#define LABELS_FETCHED 32u

/* A line in a block begins with this, in words of 4 bytes: the weight in two words, then 2 * number of labels + 1 if
 * labels have 4 bytes; else labels have 2 bytes. */
#define HEAD_WORDS 3u

struct block {
	uint32_t *words;
	size_t used, room;           /* in words */
};
/* A line, and the ranks of some of its labels, the first in the highest bits. */
struct entry {
	uint64_t key;
	uint32_t block, at;
};
/* Entries that are equal up to a label. */
struct group {
	size_t first, nr, depth;
};

struct pd_line_sums {
	struct pd_account *account;
	struct pd_line_order order;
	struct block *blocks;
	size_t nr_blocks, blocks_room;
	struct entry *entries, *other;       /* other: for sorting, of the same size */
	size_t nr, room;
	size_t accounted;                    /* bytes for which the account was charged */
	/* while entries are sorted: labels that an entry surely shares with the one before it */
	uint32_t *shared, *other_shared;
	struct pd_label_ranks ranks;
	unsigned rank_bits, at_once;         /* bits of a rank; labels in a key */
	struct pd_line_runs *runs;           /* or NULL */
	size_t next;                         /* the next entry of the walk */
	uint32_t *labels;                    /* of the current line */
	size_t labels_room;
};

struct pd_line_sums *pd_line_sums_new(struct pd_account *account, const struct pd_line_order *order)
{
	struct pd_line_sums *sums = pd_calloc(1, sizeof *sums);
	if (!sums)
		return NULL;
	sums->account = account;
	if (order)
		sums->order = *order;
	return sums;
}

static void charge(struct pd_line_sums *sums)
{
	size_t bytes = sums->room * sizeof *sums->entries;
	bytes += sums->other ? sums->nr * (sizeof *sums->other + 2 * sizeof *sums->shared) : 0;
	for (size_t i = 0; i < sums->nr_blocks; i++)
		bytes += sums->blocks[i].room * sizeof(uint32_t);
	pd_account_change(sums->account, PD_USE_PROFILE, sums->accounted, bytes);
	sums->accounted = bytes;
}

static void free_lines(struct pd_line_sums *sums)
{
	for (size_t i = 0; i < sums->nr_blocks; i++)
		pd_free(sums->blocks[i].words);
	pd_free(sums->entries);
	sums->entries = NULL;
	sums->nr_blocks = sums->nr = sums->room = 0;
	charge(sums);
}

void pd_line_sums_free(struct pd_line_sums *sums)
{
	if (!sums)
		return;
	free_lines(sums);
	pd_line_runs_free(sums->runs);
	pd_free(sums->blocks);
	pd_free(sums->labels);
	pd_free(sums);
}

/* --- lines in memory ---------------------------------------------------------------------------------------------- */

static const uint32_t *words_of(const struct pd_line_sums *sums, const struct entry *entry)
{
	return sums->blocks[entry->block].words + entry->at;
}
/* Prefetches the words of an entry below `end` that comes soon, with the label at `depth`: sorted entries lie anywhere.
 * Entries from `end` on may be another thread's. */
static inline void fetch_words(const struct pd_line_sums *sums, size_t index, size_t end, size_t depth)
{
	if (index >= end)
		return;
	const uint32_t *words = words_of(sums, &sums->entries[index]);
	pd_prefetch(words);
	pd_prefetch(words + HEAD_WORDS + depth / 2);
}
static size_t nr_labels_of(const uint32_t *words) { return words[2] >> 1; }
static uint64_t weight_of(const uint32_t *words) { return (uint64_t)words[1] << 32 | words[0]; }

static inline uint32_t label_at(const uint32_t *words, size_t index)
{
	uint16_t label;
	if (words[2] & 1)
		return words[HEAD_WORDS + index];
	memcpy(&label, (const char *)(words + HEAD_WORDS) + index * sizeof label, sizeof label);
	return label;
}

static void copy_labels(const uint32_t *words, size_t nr, uint32_t *ret)
{
	const uint16_t *narrow = (const uint16_t *)(words + HEAD_WORDS);
	if (words[2] & 1)
		memcpy(ret, words + HEAD_WORDS, nr * sizeof *ret);
	else
		for (size_t i = 0; i < nr; i++)
			ret[i] = narrow[i];
}

static size_t size_in_words(size_t nr, bool wide)
{
	return HEAD_WORDS + (wide ? nr : (nr + 1) / 2);
}

/* Returns a block with room for as many words. NULL without memory. */
static struct block *block_for(struct pd_line_sums *sums, size_t words)
{
	struct block *last = sums->nr_blocks ? &sums->blocks[sums->nr_blocks - 1] : NULL;
	if (last && last->room - last->used >= words)
		return last;
	if (pd_vector_grow(&sums->blocks, &sums->blocks_room, sums->nr_blocks, sizeof *sums->blocks) < 0)
		return NULL;
	const size_t least = BLOCK_BYTES / sizeof(uint32_t), room = words > least ? words : least;
	struct block block = { .words = pd_malloc(room * sizeof *block.words), .room = room };
	if (!block.words)
		return NULL;
	sums->blocks[sums->nr_blocks++] = block;
	charge(sums);
	return &sums->blocks[sums->nr_blocks - 1];
}

static enum perfdata_status write_run(struct pd_line_sums *sums);

/* Whether the lines in memory should become a run. Other data may fill the memory, so a run has a least size. */
static bool should_write_run(const struct pd_line_sums *sums)
{
	return sums->order.rank && pd_account_is_over(sums->account) &&
	       sums->accounted > sums->account->limit / 32 + BLOCK_BYTES;
}

enum perfdata_status pd_line_sums_add(struct pd_line_sums *sums, const uint32_t *labels, size_t nr, uint64_t weight)
{
	uint32_t all = 0;
	for (size_t i = 0; i < nr; i++)
		all |= labels[i];
	const bool wide = all > UINT16_MAX;
	const size_t size = size_in_words(nr, wide);
	if (nr > UINT32_MAX >> 1 || sums->nr_blocks >= UINT32_MAX)
		return PERFDATA_ENOMEM;
	if (should_write_run(sums)) {
		const enum perfdata_status status = write_run(sums);
		if (status != PERFDATA_OK)
			return status;
	}
	struct block *block = block_for(sums, size);
	if (!block || pd_vector_grow(&sums->entries, &sums->room, sums->nr, sizeof *sums->entries) < 0)
		return PERFDATA_ENOMEM;
	sums->entries[sums->nr++] = (struct entry){ 0, (uint32_t)(sums->nr_blocks - 1), (uint32_t)block->used };
	uint32_t *words = block->words + block->used;
	block->used += size;
	words[0] = (uint32_t)weight;
	words[1] = (uint32_t)(weight >> 32);
	words[2] = (uint32_t)nr << 1 | wide;
	if (wide) {
		memcpy(words + HEAD_WORDS, labels, nr * sizeof *labels);
		return PERFDATA_OK;
	}
	uint16_t *narrow = (uint16_t *)(words + HEAD_WORDS);
	for (size_t i = 0; i < nr; i++)
		narrow[i] = (uint16_t)labels[i];
	return PERFDATA_OK;
}

enum perfdata_status pd_line_sums_take_over(struct pd_line_sums *sums, struct pd_line_sums *more)
{
	if (sums->nr_blocks + more->nr_blocks >= UINT32_MAX ||
	    pd_vector_grow(&sums->blocks, &sums->blocks_room, sums->nr_blocks + more->nr_blocks,
			   sizeof *sums->blocks) < 0 ||
	    pd_vector_grow(&sums->entries, &sums->room, sums->nr + more->nr, sizeof *sums->entries) < 0)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < more->nr; i++) {
		struct entry *entry = &sums->entries[sums->nr++];
		*entry = more->entries[i];
		entry->block += (uint32_t)sums->nr_blocks;
	}
	for (size_t i = 0; i < more->nr_blocks; i++)
		sums->blocks[sums->nr_blocks++] = more->blocks[i];
	more->nr_blocks = 0;
	free_lines(more);
	charge(sums);
	return PERFDATA_OK;
}

/* --- sorting ------------------------------------------------------------------------------------------------------ */

static uint64_t key_at(const struct pd_line_sums *sums, const struct entry *entry, size_t depth)
{
	const uint32_t *words = words_of(sums, entry);
	const size_t nr = nr_labels_of(words);
	uint64_t key = 0;
	for (size_t i = depth; i < depth + sums->at_once; i++) {
		const uint32_t rank = i < nr ? sums->ranks.ranks[2 * label_at(words, i) + (i + 1 == nr)] : 0;
		key = key << sums->rank_bits | rank;
	}
	return key;
}

/* Sorts by the bytes of keys, the lowest first, that have a bit in `differ`. */
static void sort_by_digits(struct entry *entries, struct entry *other, size_t nr, uint64_t differ)
{
	enum { DIGITS = 8, VALUES = 256 };
	struct entry *from = entries, *to = other;
	for (unsigned digit = 0; digit < DIGITS; digit++) {
		size_t starts[VALUES] = { 0 }, sum = 0;
		if (!(differ >> 8 * digit & (VALUES - 1)))
			continue;   /* all have the same byte */
		for (size_t i = 0; i < nr; i++)
			starts[from[i].key >> 8 * digit & (VALUES - 1)]++;
		for (unsigned value = 0; value < VALUES; value++) {
			const size_t count = starts[value];
			starts[value] = sum;
			sum += count;
		}
		for (size_t i = 0; i < nr; i++)
			to[starts[from[i].key >> 8 * digit & (VALUES - 1)]++] = from[i];
		struct entry *swap = from;
		from = to;
		to = swap;
	}
	if (from != entries)
		memcpy(entries, from, nr * sizeof *entries);
}

static void sort_by_insertion(struct entry *entries, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		const struct entry entry = entries[i];
		size_t to = i;
		for (; to && entries[to - 1].key > entry.key; to--)
			entries[to] = entries[to - 1];
		entries[to] = entry;
	}
}

/* The part of the entries that one thread sorts, and its groups that wait to be sorted. */
struct sorting {
	struct pd_line_sums *sums;
	size_t first, nr;
	unsigned threads;
	struct group *groups;
	size_t nr_groups, room;
	bool ok;
};

/* Adds a group to sort, unless it is one line or its lines end here, which are then equal. */
static bool add_group(struct sorting *sorting, size_t first, size_t end, size_t depth)
{
	const struct pd_line_sums *sums = sorting->sums;
	if (end - first < 2)
		return true;
	const size_t nr_labels = nr_labels_of(words_of(sums, &sums->entries[first]));
	if (nr_labels <= depth) {
		for (size_t i = first + 1; i < end; i++)
			sums->shared[i] = (uint32_t)nr_labels;
		return true;
	}
	if (pd_vector_grow(&sorting->groups, &sorting->room, sorting->nr_groups, sizeof *sorting->groups) < 0)
		return false;
	sorting->groups[sorting->nr_groups++] = (struct group){ first, end - first, depth };
	return true;
}

static bool sort_group(struct sorting *sorting, const struct group *group)
{
	struct pd_line_sums *sums = sorting->sums;
	struct entry *entries = &sums->entries[group->first];
	uint64_t differ = 0;   /* bits in which keys differ */
	for (size_t i = 0; i < group->nr; i++) {
		fetch_words(sums, group->first + i + FETCH_AHEAD, group->first + group->nr, group->depth);
		entries[i].key = key_at(sums, &entries[i], group->depth);
		differ |= entries[i].key ^ entries[0].key;
	}
	if (group->nr <= MOST_BY_INSERTION)
		sort_by_insertion(entries, group->nr);
	else
		sort_by_digits(entries, &sums->other[group->first], group->nr, differ);
	size_t first = 0;
	for (size_t i = 1; i <= group->nr; i++) {
		if (i < group->nr && entries[i].key == entries[first].key)
			continue;
		if (i < group->nr)
			sums->shared[group->first + i] = (uint32_t)group->depth;
		if (!add_group(sorting, group->first + first, group->first + i, group->depth + sums->at_once))
			return false;
		first = i;
	}
	return true;
}

static bool sort_alone(struct sorting *sorting)
{
	bool ok = add_group(sorting, sorting->first, sorting->first + sorting->nr, 0);
	while (ok && sorting->nr_groups) {
		const struct group group = sorting->groups[--sorting->nr_groups];
		ok = sort_group(sorting, &group);
	}
	pd_free(sorting->groups);
	return ok;
}

/* --- in threads --------------------------------------------------------------------------------------------------- */

static uint32_t rank_at(const struct pd_line_sums *sums, const uint32_t *words, size_t at)
{
	return sums->ranks.ranks[2 * label_at(words, at) + (at + 1 == nr_labels_of(words))];
}

/* Whether line b comes before line a. *at: labels that they surely share; set to the number that they share. */
static bool comes_before(const struct pd_line_sums *sums, const struct entry *of_b, const struct entry *of_a,
			 size_t *at)
{
	const uint32_t *a = words_of(sums, of_a), *b = words_of(sums, of_b);
	const size_t nr_a = nr_labels_of(a), nr_b = nr_labels_of(b), nr = nr_a < nr_b ? nr_a : nr_b;
	for (; *at < nr; ++*at) {
		const uint32_t rank_a = rank_at(sums, a, *at), rank_b = rank_at(sums, b, *at);
		if (rank_a != rank_b)
			return rank_b < rank_a;
	}
	return false;   /* equal: no line is the beginning of another one */
}

/* The entries of a half that are not merged yet. */
struct half { size_t at, end; };

/* Merges two sorted neighbours. Lines share most of their labels: only those are compared that the first lines of both
 * may not share. */
static void merge_halves(struct pd_line_sums *sums, size_t first, size_t middle, size_t end)
{
	struct half a = { first, middle }, b = { middle, end }, *last = NULL;
	size_t same = 0;   /* labels that the first lines of both halves surely share */
	size_t met = 0;    /* labels that they shared when one of them was taken last */
	for (size_t out = first; out < end; out++) {
		struct half *next = a.at < a.end ? &a : &b;
		if (a.at < a.end && b.at < b.end) {
			fetch_words(sums, a.at + FETCH_AHEAD, a.end, same);
			fetch_words(sums, b.at + FETCH_AHEAD, b.end, same);
			if (comes_before(sums, &sums->entries[b.at], &sums->entries[a.at], &same))
				next = &b;
		}
		sums->other[out] = sums->entries[next->at];
		sums->other_shared[out] = last && last != next ? (uint32_t)met : sums->shared[next->at];
		last = next;
		met = same;
		if (++next->at < next->end && sums->shared[next->at] < same)
			same = sums->shared[next->at];
	}
	memcpy(&sums->entries[first], &sums->other[first], (end - first) * sizeof *sums->entries);
	memcpy(&sums->shared[first], &sums->other_shared[first], (end - first) * sizeof *sums->shared);
}

static void sort_in_threads(void *user, unsigned thread)
{
	struct sorting *sorting = user;
	struct pd_line_sums *sums = sorting->sums;
	(void)thread;
	if (sorting->threads < 2 || sorting->nr < LEAST_IN_THREADS) {
		sorting->ok = sort_alone(sorting);
		return;
	}
	const size_t half = sorting->nr / 2, middle = sorting->first + half, end = sorting->first + sorting->nr;
	struct sorting left = { .sums = sums, .first = sorting->first, .nr = half,
				.threads = sorting->threads - sorting->threads / 2 };
	struct sorting right = { .sums = sums, .first = middle, .nr = sorting->nr - half,
				 .threads = sorting->threads / 2 };
	struct pd_team *team = pd_team_start(1, sort_in_threads, &right);
	sort_in_threads(&left, 0);
	if (!team)
		sort_in_threads(&right, 0);
	pd_team_join(team);
	sorting->ok = left.ok && right.ok;
	if (sorting->ok)
		merge_halves(sums, sorting->first, middle, end);
}

static enum perfdata_status rank_labels(struct pd_line_sums *sums)
{
	const enum perfdata_status status = sums->order.rank(sums->order.user, &sums->ranks);
	if (status != PERFDATA_OK)
		return status;
	for (sums->rank_bits = 1; sums->rank_bits < 32 && 2 * (uint64_t)sums->ranks.nr_labels >> sums->rank_bits;)
		sums->rank_bits++;
	sums->at_once = 64 / sums->rank_bits;
	return PERFDATA_OK;
}

static enum perfdata_status sort_lines(struct pd_line_sums *sums, unsigned threads)
{
	const enum perfdata_status status = rank_labels(sums);
	if (status != PERFDATA_OK || !sums->nr)
		return status;
	struct sorting all = { .sums = sums, .nr = sums->nr, .threads = threads };
	sums->other = pd_malloc(sums->nr * sizeof *sums->other);
	sums->shared = pd_malloc(2 * sums->nr * sizeof *sums->shared);
	if (sums->other && sums->shared) {
		sums->other_shared = sums->shared + sums->nr;
		charge(sums);
		sort_in_threads(&all, 0);
	}
	pd_free(sums->other);
	pd_free(sums->shared);
	sums->other = NULL;
	sums->shared = NULL;
	charge(sums);
	return all.ok ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* --- lines in order ----------------------------------------------------------------------------------------------- */

static bool are_equal(const uint32_t *a, const uint32_t *b)
{
	return a[2] == b[2] && memcmp(a + HEAD_WORDS, b + HEAD_WORDS,
				      nr_labels_of(a) * (a[2] & 1 ? sizeof(uint32_t) : sizeof(uint16_t))) == 0;
}

/* Takes the next line from memory; its entries, one or several, follow each other. */
static enum perfdata_status take_line(struct pd_line_sums *sums, struct pd_line *ret)
{
	if (sums->next == sums->nr)
		return PERFDATA_END;
	fetch_words(sums, sums->next + FETCH_AHEAD, sums->nr, LABELS_FETCHED);
	const uint32_t *words = words_of(sums, &sums->entries[sums->next++]);
	const size_t nr = nr_labels_of(words);
	uint64_t weight = weight_of(words);
	for (; sums->next < sums->nr; sums->next++) {
		const uint32_t *next = words_of(sums, &sums->entries[sums->next]);
		if (!are_equal(words, next))
			break;
		if (__builtin_add_overflow(weight, weight_of(next), &weight))
			weight = UINT64_MAX;
	}
	if (pd_vector_grow(&sums->labels, &sums->labels_room, nr, sizeof *sums->labels) < 0)
		return PERFDATA_ENOMEM;
	copy_labels(words, nr, sums->labels);
	*ret = (struct pd_line){ sums->labels, nr, weight };
	return PERFDATA_OK;
}

/* Writes the lines in memory to a run, and frees them. */
static enum perfdata_status write_run(struct pd_line_sums *sums)
{
	struct pd_line line;
	enum perfdata_status status = sort_lines(sums, 1);
	if (!sums->runs && !(sums->runs = pd_line_runs_new(sums->account)))
		status = PERFDATA_ENOMEM;
	if (status == PERFDATA_OK)
		status = pd_line_runs_begin(sums->runs);
	sums->next = 0;
	while (status == PERFDATA_OK && (status = take_line(sums, &line)) == PERFDATA_OK)
		status = pd_line_runs_add(sums->runs, &line);
	if (status == PERFDATA_END)
		status = pd_line_runs_end(sums->runs);
	free_lines(sums);
	sums->next = 0;
	return status;
}

enum perfdata_status pd_line_sums_sort(struct pd_line_sums *sums, unsigned threads)
{
	if (!sums->runs)
		return sort_lines(sums, threads);
	const enum perfdata_status status = write_run(sums);
	if (status != PERFDATA_OK)
		return status;
	return pd_line_runs_merge(sums->runs, &sums->ranks);
}

enum perfdata_status pd_line_sums_next(struct pd_line_sums *sums, struct pd_line *ret)
{
	return sums->runs ? pd_line_runs_next(sums->runs, ret) : take_line(sums, ret);
}
