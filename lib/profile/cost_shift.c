/* SPDX-License-Identifier: MIT */
/* Finds weight that only moved. Inlining a function moves its weight to its callers, and a build that does not inline
 * the function moves it back; the inclusive weight of the callers stays the same. So a function has not regressed if
 * its neighbours in the stacks lost what it gained:
 *
 *   its callers lost self weight, or calls that went elsewhere              the function is not inlined any more
 *   functions that it called have vanished, or are called less              they are inlined into it now
 *
 * These losses must explain most of the growth. The callers have verdicts of their own, so that a slower build is not
 * hidden. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "profile/compare_impl.h"

static const double enough = 0.7;          /* share of the growth that losses must explain */
static const double vanished = 0.1;        /* a function with less than this share of its former weight has vanished */
static const double rare = 0.5;            /* a call with less than this share of its former weight went elsewhere */
/* standard errors by which the weight of a call must fall: of many calls with few samples, some always fall by
 * chance */
static const double certain = 3;
enum { MOST_ROWS = 4096 };                 /* limit of a group of functions that appeared or vanished together */

struct shift {
	struct perfdata_comparison *comparison;
	struct pd_compare_work *work;
	struct pd_compare_event *event;
	uint32_t *group;                       /* rows that appeared or vanished together with the current row */
	size_t nr_group;
	uint32_t *seen;                        /* by row: the last search that met it */
	uint32_t search;
	double best;                           /* the loss of `partner`, the row that lost most */
	uint32_t partner;
};

static const struct perfdata_compared *self_of(const struct shift *shift, uint32_t row)
{
	return &shift->event->rows[row].reported.self;
}
static const struct perfdata_compared *whole_of(const struct shift *shift, uint32_t row)
{
	return &shift->event->rows[row].reported.inclusive;
}

static bool has_appeared(const struct shift *shift, uint32_t row)
{
	return whole_of(shift, row)->share[PD_BEFORE] < vanished * whole_of(shift, row)->compared;
}

static bool has_vanished(const struct shift *shift, uint32_t row)
{
	return whole_of(shift, row)->compared < vanished * whole_of(shift, row)->share[PD_BEFORE];
}

static double lost_weight(const struct shift *shift, uint32_t row) { return fmax(0, -self_of(shift, row)->delta); }

/* Returns the share of a call after, divided by the scale. */
static double after_of(const struct shift *shift, const struct pd_compare_edge *edge)
{
	return edge->share[PD_AFTER] / shift->event->reported.scale;
}

/* Returns how much less a call costs than before; 0: chance may explain the difference. */
static double edge_fall(const struct shift *shift, const struct pd_compare_edge *edge)
{
	const double before = edge->share[PD_BEFORE], after = after_of(shift, edge);
	const double error = sqrt(before / pd_effective_samples(&shift->event->all[PD_BEFORE]) +
				  after / pd_effective_samples(&shift->event->all[PD_AFTER]));
	return before - after > certain * error ? before - after : 0;
}

static double explain_row(struct shift *shift, uint32_t row, double part)
{
	if (part > shift->best) {
		shift->best = part;
		shift->partner = row;
	}
	return part;
}

static bool enter_row(struct shift *shift, uint32_t row)
{
	if (shift->seen[row] == shift->search)
		return false;
	shift->seen[row] = shift->search;
	return true;
}

static void add_to_group(struct shift *shift, uint32_t row)
{
	if (shift->nr_group < MOST_ROWS && enter_row(shift, row))
		shift->group[shift->nr_group++] = row;
}

static void begin_search(struct shift *shift, uint32_t row)
{
	shift->search++;
	shift->nr_group = 0;
	shift->best = 0;
	shift->partner = UINT32_MAX;
	add_to_group(shift, row);
}

/* Returns what a caller of the group lost to the group: self weight, and calls that the caller hardly makes any more.
 * Calls that cost only a little less do not count: shares add up to 1, so they shrink when others grow. */
static double taken_from(struct shift *shift, uint32_t caller, double most)
{
	double sum = lost_weight(shift, caller);
	if (!pd_compare_spend(shift->work, shift->event->first_down[caller + 1] - shift->event->first_down[caller] + 1))
		return 0;
	for (uint32_t e = shift->event->first_down[caller]; e < shift->event->first_down[caller + 1]; e++) {
		const struct pd_compare_edge *edge = &shift->event->edges[e];
		if (shift->seen[edge->callee] != shift->search && after_of(shift, edge) < rare * edge->share[PD_BEFORE])
			sum += edge_fall(shift, edge);
	}
	return explain_row(shift, caller, fmin(sum, most));
}

static bool spend_on_callers(const struct shift *shift, uint32_t row)
{
	return pd_compare_spend(shift->work, shift->event->first_up[row + 1] - shift->event->first_up[row] + 1);
}

/* Returns what the callers of a row lost, also through functions that appeared together with the row. */
static double from_callers(struct shift *shift, uint32_t row)
{
	double sum = 0;
	begin_search(shift, row);
	for (size_t i = 0; i < shift->nr_group && spend_on_callers(shift, shift->group[i]); i++) {
		const uint32_t at = shift->group[i];
		for (uint32_t e = shift->event->first_up[at]; e < shift->event->first_up[at + 1]; e++) {
			const struct pd_compare_edge *edge = &shift->event->edges[shift->event->by_callee[e]];
			if (has_appeared(shift, edge->caller))
				add_to_group(shift, edge->caller);
		}
	}
	const size_t nr = shift->nr_group;
	for (size_t i = 0; i < nr && spend_on_callers(shift, shift->group[i]); i++) {
		const uint32_t at = shift->group[i];
		for (uint32_t e = shift->event->first_up[at]; e < shift->event->first_up[at + 1]; e++) {
			const struct pd_compare_edge *edge = &shift->event->edges[shift->event->by_callee[e]];
			const double grown = after_of(shift, edge) - edge->share[PD_BEFORE];
			if (grown > 0 && enter_row(shift, edge->caller))
				sum += taken_from(shift, edge->caller, grown);
		}
	}
	return sum;
}

/* Returns what the callees of a row lost, including the callees of callees that vanished. */
static double from_callees(struct shift *shift, uint32_t row)
{
	double sum = 0;
	begin_search(shift, row);
	for (size_t i = 0; i < shift->nr_group; i++) {
		const uint32_t at = shift->group[i];
		if (!pd_compare_spend(shift->work,
				      shift->event->first_down[at + 1] - shift->event->first_down[at] + 1))
			return 0;
		for (uint32_t e = shift->event->first_down[at]; e < shift->event->first_down[at + 1]; e++) {
			const struct pd_compare_edge *edge = &shift->event->edges[e];
			const double fallen = edge_fall(shift, edge);
			if (fallen <= 0 || shift->seen[edge->callee] == shift->search)
				continue;
			sum += explain_row(shift, edge->callee, fmin(fallen, lost_weight(shift, edge->callee)));
			if (has_vanished(shift, edge->callee))
				add_to_group(shift, edge->callee);
			else
				enter_row(shift, edge->callee);
		}
	}
	return sum;
}

static void set_moved(struct shift *shift, uint32_t row, struct perfdata_compared *reported, uint32_t partner)
{
	struct pd_compare_row *of = &shift->event->rows[row];
	char reason[512];
	reported->change = PERFDATA_CHANGE_MOVED;
	of->reported.change = of->reported.self.change > of->reported.inclusive.change ? of->reported.self.change
									   : of->reported.inclusive.change;
	if (partner == UINT32_MAX)
		return;
	snprintf(reason, sizeof reason, "%s %.400s", reported->delta > 0 ? "from" : "to",
		 shift->event->rows[partner].reported.key);
	of->reported.reason = pd_compare_keep(shift->comparison, reason);
}

static void look_at(struct shift *shift, uint32_t row)
{
	struct perfdata_compared *self = &shift->event->rows[row].reported.self,
				 *whole = &shift->event->rows[row].reported.inclusive;
	const bool self_grew = self->change == PERFDATA_CHANGE_REGRESSED,
		   whole_grew = whole->change == PERFDATA_CHANGE_REGRESSED;
	const bool one_test = self->weight[0] == whole->weight[0] && self->weight[1] == whole->weight[1];
	if (!self_grew && !whole_grew)
		return;
	const double above = from_callers(shift, row);
	uint32_t partner = shift->partner;
	/* All weight of a function that appeared was part of its callers' weight before. */
	if (whole_grew && !one_test && above >= enough * whole->delta)
		set_moved(shift, row, whole, partner);
	const double best = shift->best, below = self_grew ? from_callees(shift, row) : 0;
	if (self_grew && above + below >= enough * self->delta) {
		partner = shift->best > best ? shift->partner : partner;
		set_moved(shift, row, self, partner);
		if (one_test)
			set_moved(shift, row, whole, partner);
	}
}

/* --- renames ------------------------------------------------------------------------------------------------------ */

static bool shares_caller(const struct shift *shift, uint32_t a, uint32_t b)
{
	if (!shift->event->nr_edges)
		return true;
	const uint32_t last = shift->event->first_up[a + 1];
	for (uint32_t e = shift->event->first_up[a]; e < last && spend_on_callers(shift, b); e++)
		for (uint32_t o = shift->event->first_up[b]; o < shift->event->first_up[b + 1]; o++)
			if (shift->event->edges[shift->event->by_callee[e]].caller ==
			    shift->event->edges[shift->event->by_callee[o]].caller)
				return true;
	return false;
}

/* Looks for a rename: a new function, and exactly one vanished function with the same weight and a common caller. A
 * note suggests the rename to the user, but changes no result. False if the work ends. */
static bool suggest_row(struct shift *shift, uint32_t row)
{
	const struct perfdata_compared *whole = whole_of(shift, row);
	const struct pd_compare_row *rows = shift->event->rows;
	uint32_t found = UINT32_MAX;
	/* A renamed function may count as MOVED, since its caller lost the calls of the old name. */
	const enum perfdata_change change = rows[row].reported.change;
	if (whole->samples[PD_BEFORE] || (change != PERFDATA_CHANGE_REGRESSED && change != PERFDATA_CHANGE_MOVED &&
					  change != PERFDATA_CHANGE_UNMATCHED))
		return true;
	if (!pd_compare_spend(shift->work, shift->event->nr_rows))
		return false;
	for (uint32_t i = 0; i < shift->event->nr_rows; i++) {
		const struct perfdata_compared *old = whole_of(shift, i);
		if (old->samples[PD_AFTER] || !old->samples[PD_BEFORE] ||
		    strcmp(rows[i].reported.file, rows[row].reported.file) != 0 ||
		    fabs(old->share[PD_BEFORE] - whole->compared) >
			    2 * hypot(rows[i].error[PD_INCLUSIVE], rows[row].error[PD_INCLUSIVE]) ||
		    !shares_caller(shift, i, row))
			continue;
		if (found != UINT32_MAX)
			return true;   /* of two candidates, neither is likely enough */
		found = i;
	}
	if (found != UINT32_MAX)
		pd_compare_note(shift->comparison, "renamed", false,
				"if %.80s was renamed to %.80s, pass --map-symbol '%.80s=%.80s'",
				rows[found].reported.key, rows[row].reported.key, rows[found].reported.key,
				rows[row].reported.key);
	return shift->work->status == PERFDATA_OK;
}

/* Suggests renames. The search has its own steps: if they do not suffice, only suggestions are missing, as a note says.
 * False without memory, or if the comparison is cancelled. */
static bool suggest_renames(const struct shift *shift)
{
	struct pd_compare_work work = *shift->work;
	struct shift search = *shift;
	search.work = &work;
	for (uint32_t row = 0; row < search.event->nr_rows; row++) {
		if (suggest_row(&search, row))
			continue;
		if (work.status == PERFDATA_EINTR) {
			search.comparison->work->status = work.status;
			return false;
		}
		pd_compare_note(search.comparison, "renamed", false,
				"%s: so many functions are new or gone that not all of them were searched for renames",
				search.event->reported.name);
		break;
	}
	return true;
}

bool pd_compare_find_moved(struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	struct shift shift = { .comparison = comparison, .work = comparison->work, .event = event };
	shift.group = pd_calloc(MOST_ROWS, sizeof *shift.group);
	shift.seen = pd_calloc(event->nr_rows + 1, sizeof *shift.seen);
	bool fine = shift.group && shift.seen;
	for (uint32_t row = 0; fine && row < event->nr_rows; row++) {
		look_at(&shift, row);
		fine = shift.work->status == PERFDATA_OK;
	}
	fine = fine && suggest_renames(&shift);
	pd_free(shift.group);
	pd_free(shift.seen);
	return fine;
}
