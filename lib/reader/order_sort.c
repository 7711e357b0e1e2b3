/* SPDX-License-Identifier: MIT */
/* Records come as a few interleaved streams, one per CPU, each nearly in order. Dealing the keys to piles, each of
 * which stays sorted, finds those streams again; then the piles are merged. Where there are too many piles, natural
 * runs are merged pairwise. */
#include "config.h"
#include <string.h>
#include "base/search.h"
#include "reader/order_sort.h"

#define MIN_FOR_PILES 512
#define MAX_PILES 64

size_t pd_keys_run_end(const struct pd_key *keys, size_t from, size_t count)
{
	size_t end = from + 1;
	while (end < count && keys[end].time >= keys[end - 1].time)
		end++;
	return end;
}

/* --- natural runs --- */

/* Which of two keys comes next is as good as random: no branch here may depend on it, since the processor would guess
 * wrong half of the time. */
void pd_keys_merge(const struct pd_key *a, size_t nr_a, const struct pd_key *b, size_t nr_b, struct pd_key *out)
{
	const struct pd_key *const a_end = a + nr_a, *const b_end = b + nr_b;
	while (a < a_end && b < b_end) {
		const bool second = b->time < a->time;
		*out++ = *(second ? b : a);
		b += second;
		a += !second;
	}
	memcpy(out, a, (size_t)(a_end - a) * sizeof *a);
	out += a_end - a;
	if (out != b)
		memcpy(out, b, (size_t)(b_end - b) * sizeof *b);
}

/* One pass over all runs from keys to out; returns how many runs there are then. */
static size_t merge_pass(const struct pd_key *keys, size_t count, struct pd_key *out)
{
	size_t runs = 0;
	for (size_t a = 0; a < count; runs++) {
		const size_t b = pd_keys_run_end(keys, a, count);
		const size_t end = b < count ? pd_keys_run_end(keys, b, count) : count;
		pd_keys_merge(keys + a, b - a, keys + b, end - b, out + a);
		a = end;
	}
	return runs;
}

static bool sort_runs(struct pd_key *keys, struct pd_key *spare, size_t count)
{
	bool swapped = false;
	size_t runs;
	do {
		runs = merge_pass(swapped ? spare : keys, count, swapped ? keys : spare);
		swapped = !swapped;
	} while (runs > 1);
	return swapped;
}

/* --- piles --- */

struct piles {
	size_t count;
	uint64_t last[MAX_PILES];    /* time on top of each: descending */
	size_t size[MAX_PILES];
};

/* The pile whose top is the newest that is not newer than `time`; or a new one; MAX_PILES if there are too many. */
static size_t pile_for(struct piles *piles, uint64_t time, size_t hint)
{
	if (piles->last[hint] <= time && (!hint || piles->last[hint - 1] > time))
		return hint;
	size_t low;
	PD_COUNT_BEFORE(low, piles->count, at, piles->last[at] > time);
	if (low == piles->count && piles->count < MAX_PILES)
		piles->size[piles->count++] = 0;
	return low;
}

/* Deals the keys without moving them, to learn how large the piles would be. */
static bool count_piles(const struct pd_key *keys, size_t count, struct piles *piles)
{
	size_t pile = 0;

	*piles = (struct piles){ .count = 1, .last = { keys[0].time } };
	for (size_t i = 0; i < count; i++) {
		pile = pile_for(piles, keys[i].time, pile);
		if (pile == MAX_PILES)
			return false;
		piles->last[pile] = keys[i].time;
		piles->size[pile]++;
	}
	return true;
}

/* A pile, or the result of merged piles, while piles are merged. */
struct source {
	const struct pd_key *at, *end;
};

static bool is_before(const struct source *a, const struct source *b)
{
	if (a->at->time != b->at->time)
		return a->at->time < b->at->time;
	return (int32_t)(a->at->sequence - b->at->sequence) < 0;
}

static void sift_down(struct source *heap, size_t count, size_t at)
{
	const struct source moved = heap[at];
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

/* Merges two sources, in the order of is_before, without a branch on which is next. */
static struct pd_key *merge_two(struct source *a, struct source *b, struct pd_key *out)
{
	while (a->at < a->end && b->at < b->end) {
		const uint64_t time_a = a->at->time, time_b = b->at->time;
		const bool second = (time_b < time_a) |
				    ((time_b == time_a) & ((int32_t)(b->at->sequence - a->at->sequence) < 0));
		*out++ = *(second ? b->at : a->at);
		b->at += second;
		a->at += !second;
	}
	return out;
}

static void merge_piles(struct source *heap, size_t count, struct pd_key *out)
{
	for (size_t i = count / 2; i-- > 0;)
		sift_down(heap, count, i);
	while (count > 2) {
		*out++ = *heap[0].at++;
		if (heap[0].at == heap[0].end)
			heap[0] = heap[--count];
		sift_down(heap, count, 0);
	}
	if (count == 2) {
		out = merge_two(&heap[0], &heap[1], out);
		if (heap[0].at == heap[0].end)
			heap[0] = heap[1];
	}
	memcpy(out, heap[0].at, (size_t)(heap[0].end - heap[0].at) * sizeof *out);
}

bool pd_keys_sort(struct pd_key *keys, struct pd_key *spare, size_t count)
{
	struct piles piles;
	struct source heap[MAX_PILES];
	struct pd_key *tops[MAX_PILES];
	size_t pile = 0;

	if (count < MIN_FOR_PILES || !count_piles(keys, count, &piles))
		return sort_runs(keys, spare, count);
	const size_t nr_piles = piles.count;
	struct pd_key *at = spare;
	for (size_t i = 0; i < nr_piles; i++) {
		tops[i] = at;
		heap[i].at = at;
		at += piles.size[i];
		heap[i].end = at;
	}
	/* the same deal again */
	piles = (struct piles){ .count = 1, .last = { keys[0].time } };
	for (size_t i = 0; i < count; i++) {
		pile = pile_for(&piles, keys[i].time, pile);
		piles.last[pile] = keys[i].time;
		*tops[pile]++ = keys[i];
	}
	merge_piles(heap, nr_piles, keys);
	return false;
}
