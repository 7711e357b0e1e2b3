/* SPDX-License-Identifier: MIT */
/* The calls between the rows of an event: one list of both sides, found by caller and by callee. */
#include "config.h"
#include <stdlib.h>
#include "base/memory.h"
#include "profile/compare_impl.h"

static int compare_edges(const void *left, const void *right)
{
	const struct pd_compare_edge *a = left, *b = right;
	return a->caller != b->caller ? (a->caller > b->caller) - (a->caller < b->caller)
				      : (a->callee > b->callee) - (a->callee < b->callee);
}

static void collect_edges(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	size_t nr = 0, kept = 0;
	for (size_t i = 0; i < pd_compare_nr(comparison); i++) {
		const unsigned side = i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER;
		const struct pd_side_event *of = event->of[i];
		for (size_t e = 0; of && e < of->nr_edges; e++) {
			const uint32_t caller = comparison->key_of[side][of->edges[e].caller],
				       callee = comparison->key_of[side][of->edges[e].callee];
			if (caller == UINT32_MAX || callee == UINT32_MAX || caller == callee ||
			    !event->row_of[caller] || !event->row_of[callee])
				continue;
			struct pd_compare_edge *edge = &event->edges[nr++];
			*edge = (struct pd_compare_edge){ .caller = event->row_of[caller] - 1,
							  .callee = event->row_of[callee] - 1 };
			edge->share[side] = event->all[side].w
						    ? (double)of->edges[e].w / (double)event->all[side].w
						    : 0;
		}
	}
	if (nr)
		qsort(event->edges, nr, sizeof *event->edges, compare_edges);
	for (size_t i = 0; i < nr; i++) {
		if (kept && !compare_edges(&event->edges[kept - 1], &event->edges[i])) {
			event->edges[kept - 1].share[0] += event->edges[i].share[0];
			event->edges[kept - 1].share[1] += event->edges[i].share[1];
		} else {
			event->edges[kept++] = event->edges[i];
		}
	}
	event->nr_edges = kept;
}

static void make_index(struct pd_compare_event *event)
{
	for (size_t e = 0; e < event->nr_edges; e++) {
		event->first_down[event->edges[e].caller + 1]++;
		event->first_up[event->edges[e].callee + 1]++;
	}
	for (size_t row = 0; row < event->nr_rows; row++) {
		event->first_down[row + 1] += event->first_down[row];
		event->first_up[row + 1] += event->first_up[row];
	}
	/* Filling advances first_up of each row to the value of the next row; the last loop moves it back. */
	for (size_t e = 0; e < event->nr_edges; e++)
		event->by_callee[event->first_up[event->edges[e].callee]++] = (uint32_t)e;
	for (size_t row = event->nr_rows; row-- > 0;)
		event->first_up[row + 1] = event->first_up[row];
	event->first_up[0] = 0;
}

bool pd_compare_connect(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	size_t most = 0;
	for (size_t i = 0; i < pd_compare_nr(comparison); i++)
		most += event->of[i] ? event->of[i]->nr_edges : 0;
	event->edges = pd_calloc(most + 1, sizeof *event->edges);
	event->by_callee = pd_calloc(most + 1, sizeof *event->by_callee);
	event->first_down = pd_calloc(event->nr_rows + 2, sizeof *event->first_down);
	event->first_up = pd_calloc(event->nr_rows + 2, sizeof *event->first_up);
	if (!event->edges || !event->by_callee || !event->first_down || !event->first_up)
		return false;
	collect_edges(comparison, event);
	make_index(event);
	return true;
}

size_t pd_compare_callers(struct pd_compare_work *work, const struct pd_compare_event *event, uint32_t row,
			  uint32_t mark, uint32_t *seen, uint32_t *list)
{
	size_t nr = 0;
	list[nr++] = row;
	seen[row] = mark;
	for (size_t i = 0; i < nr; i++) {
		if (!pd_compare_spend(work, event->first_up[list[i] + 1] - event->first_up[list[i]] + 1))
			return 0;
		for (uint32_t e = event->first_up[list[i]]; e < event->first_up[list[i] + 1]; e++) {
			const uint32_t caller = event->edges[event->by_callee[e]].caller;
			if (seen[caller] == mark)
				continue;
			seen[caller] = mark;
			list[nr++] = caller;
		}
	}
	return nr;
}
