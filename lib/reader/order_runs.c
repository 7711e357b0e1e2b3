/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "base/prefetch.h"
#include "reader/order_runs.h"

#define FETCH_AHEAD 16    /* records; the waiting ones exceed the caches */

static inline bool is_older(const struct pd_order_run *a, const struct pd_order_run *b)
{
	return a->time < b->time || (a->time == b->time && a->number < b->number);
}

enum perfdata_status pd_runs_add(struct pd_order_runs *runs, const struct pd_order_run *run)
{
	if (pd_vector_grow(&runs->heap, &runs->room, runs->nr, sizeof *runs->heap) < 0)
		return PERFDATA_ENOMEM;
	size_t at = runs->nr++;
	for (; at && is_older(run, &runs->heap[(at - 1) / 2]); at = (at - 1) / 2)
		runs->heap[at] = runs->heap[(at - 1) / 2];
	runs->heap[at] = *run;
	return PERFDATA_OK;
}

void pd_runs_update(struct pd_order_runs *runs)
{
	struct pd_order_run *heap = runs->heap;
	if (!heap->nr)
		heap[0] = heap[--runs->nr];
	const struct pd_order_run moved = heap[0];
	size_t at = 0;
	for (size_t child; (child = 2 * at + 1) < runs->nr; at = child) {
		child += child + 1 < runs->nr && is_older(&heap[child + 1], &heap[child]);
		if (!is_older(&heap[child], &moved))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

/* The time up to which records of the first run come before those of all other runs. */
static uint64_t end_of_turn(const struct pd_order_runs *runs)
{
	const struct pd_order_run *heap = runs->heap;
	if (runs->nr < 2)
		return UINT64_MAX;
	const struct pd_order_run *next = runs->nr > 2 && is_older(&heap[2], &heap[1]) ? &heap[2] : &heap[1];
	return next->number > heap->number ? next->time : next->time - 1;
}

uint32_t pd_parts_add(struct pd_order_parts *parts)
{
	uint32_t part = parts->free;
	if (part != PD_NO_PART) {
		parts->free = parts->items[part].next;
	} else {
		if (parts->nr == PD_NO_PART ||
		    pd_vector_grow(&parts->items, &parts->room, parts->nr, sizeof *parts->items) < 0)
			return PD_NO_PART;
		part = (uint32_t)parts->nr++;
	}
	parts->items[part] = (struct pd_order_part){ .next = PD_NO_PART };
	return part;
}

void pd_parts_recycle(struct pd_order_parts *parts, uint32_t part)
{
	parts->items[part].next = parts->free;
	parts->free = part;
}

unsigned pd_runs_take(struct pd_order_runs *runs, const struct pd_order_parts *parts, uint64_t limit,
		      struct perfdata_raw *ret, unsigned max, struct pd_order_block **ret_left)
{
	struct pd_order_run *run = runs->heap;
	const uint64_t turn = end_of_turn(runs), last = turn < limit ? turn : limit;
	const unsigned most = run->nr < max ? (unsigned)run->nr : max;
	unsigned nr = 0;
	for (; nr < most && run->at[nr].time <= last; nr++) {
		if (nr + FETCH_AHEAD < run->nr) {
			pd_prefetch(&run->at[nr + FETCH_AHEAD]);
			pd_prefetch(&run->at[nr + FETCH_AHEAD].chunk);   /* the last member */
		}
		ret[nr] = run->at[nr];
	}
	run->at += nr;
	run->nr -= nr;
	*ret_left = run->nr ? NULL : run->in.block;
	if (!run->nr && run->next_part != PD_NO_PART) {
		const struct pd_order_part *part = &parts->items[run->next_part];
		run->at = part->at;
		run->nr = part->nr;
		run->in.block = part->block;
		run->next_part = part->next;
	}
	if (run->nr)
		run->time = run->at->time;
	pd_runs_update(runs);
	return nr;
}
