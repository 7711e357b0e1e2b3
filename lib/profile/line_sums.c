/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/prefetch.h"
#include "profile/line_runs.h"
#include "profile/line_sums.h"

#define BLOCK_BYTES ((size_t)256 << 10)
/* Groups of at least this many lines are sorted by digits, which takes a fixed time for each group. */
#define LEAST_BY_DIGITS 256u

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
	struct group *groups;                /* groups that wait to be sorted */
	size_t nr_groups, groups_room;
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
	sums->order = *order;
	return sums;
}

static void charge(struct pd_line_sums *sums)
{
	size_t bytes = sums->room * sizeof *sums->entries * (sums->other ? 2 : 1);
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
	pd_free(sums->other);
	sums->entries = sums->other = NULL;
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
	pd_free(sums->groups);
	pd_free(sums->labels);
	pd_free(sums);
}

/* --- lines in memory ---------------------------------------------------------------------------------------------- */

static const uint32_t *words_of(const struct pd_line_sums *sums, const struct entry *entry)
{
	return sums->blocks[entry->block].words + entry->at;
}
/* Prefetches the words of an entry that comes soon, with the label at `depth`: sorted entries lie anywhere. */
static inline void fetch_words(const struct pd_line_sums *sums, size_t index, size_t depth)
{
	if (index >= sums->nr)
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
	return pd_account_is_over(sums->account) && sums->accounted > sums->account->limit / 32 + BLOCK_BYTES;
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

static int compare_keys(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	return a->key < b->key ? -1 : a->key > b->key;
}

/* Sorts by the bytes of keys, the lowest first. */
static void sort_by_digits(struct entry *entries, struct entry *other, size_t nr)
{
	enum { DIGITS = 8, VALUES = 256 };
	uint32_t counts[DIGITS][VALUES] = { 0 };
	struct entry *from = entries, *to = other;
	for (size_t i = 0; i < nr; i++)
		for (unsigned digit = 0; digit < DIGITS; digit++)
			counts[digit][entries[i].key >> 8 * digit & (VALUES - 1)]++;
	for (unsigned digit = 0; digit < DIGITS; digit++) {
		uint32_t *starts = counts[digit], sum = 0;
		if (starts[from[0].key >> 8 * digit & (VALUES - 1)] == nr)
			continue;   /* all have the same byte */
		for (unsigned value = 0; value < VALUES; value++) {
			const uint32_t count = starts[value];
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

/* Adds a group to sort, unless it is one line or its lines end here, which are then equal. */
static bool add_group(struct pd_line_sums *sums, size_t first, size_t end, size_t depth)
{
	if (end - first < 2 || nr_labels_of(words_of(sums, &sums->entries[first])) <= depth)
		return true;
	if (pd_vector_grow(&sums->groups, &sums->groups_room, sums->nr_groups, sizeof *sums->groups) < 0)
		return false;
	sums->groups[sums->nr_groups++] = (struct group){ first, end - first, depth };
	return true;
}

static bool sort_group(struct pd_line_sums *sums, const struct group *group)
{
	struct entry *entries = &sums->entries[group->first];
	for (size_t i = 0; i < group->nr; i++) {
		fetch_words(sums, group->first + i + FETCH_AHEAD, group->depth);
		entries[i].key = key_at(sums, &entries[i], group->depth);
	}
	if (group->nr >= LEAST_BY_DIGITS && group->nr <= UINT32_MAX)
		sort_by_digits(entries, sums->other, group->nr);
	else
		qsort(entries, group->nr, sizeof *entries, compare_keys);
	size_t first = 0;
	for (size_t i = 1; i <= group->nr; i++) {
		if (i < group->nr && entries[i].key == entries[first].key)
			continue;
		if (!add_group(sums, group->first + first, group->first + i, group->depth + sums->at_once))
			return false;
		first = i;
	}
	return true;
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

static enum perfdata_status sort_lines(struct pd_line_sums *sums)
{
	const enum perfdata_status status = rank_labels(sums);
	if (status != PERFDATA_OK)
		return status;
	sums->other = pd_malloc(sums->room * sizeof *sums->other);
	if (!sums->other)
		return PERFDATA_ENOMEM;
	charge(sums);
	bool ok = add_group(sums, 0, sums->nr, 0);
	while (ok && sums->nr_groups) {
		const struct group group = sums->groups[--sums->nr_groups];
		ok = sort_group(sums, &group);
	}
	pd_free(sums->other);
	sums->other = NULL;
	charge(sums);
	return ok ? PERFDATA_OK : PERFDATA_ENOMEM;
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
	fetch_words(sums, sums->next + FETCH_AHEAD, LABELS_FETCHED);
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
	enum perfdata_status status = sort_lines(sums);
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

enum perfdata_status pd_line_sums_sort(struct pd_line_sums *sums)
{
	if (!sums->runs)
		return sort_lines(sums);
	const enum perfdata_status status = write_run(sums);
	if (status != PERFDATA_OK)
		return status;
	return pd_line_runs_merge(sums->runs, &sums->ranks);
}

enum perfdata_status pd_line_sums_next(struct pd_line_sums *sums, struct pd_line *ret)
{
	return sums->runs ? pd_line_runs_next(sums->runs, ret) : take_line(sums, ret);
}
