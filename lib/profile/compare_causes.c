/* SPDX-License-Identifier: MIT */
/* Which row caused a rise? If a function costs more by itself, all its callers cost more, too. A row is the cause of
 * a caller's rise if the remaining rise of the caller, without the part that this row and other causes add, is within
 * the limits or within chance. */
#include "config.h"
#include <math.h>
#include "base/memory.h"
#include "profile/compare_impl.h"

static bool has_grown(const struct perfdata_compared *compared)
{
	return compared->change == PERFDATA_CHANGE_REGRESSED;
}

/* Rows that regressed by themselves, the largest rise first, and how much of other rows' rises they explain. */
struct causes {
	struct pd_compare_event *event;
	double *explained;                     /* by row: how much of its rise is explained */
	uint32_t *largest;                     /* by row: the cause that explains most of its rise, + 1 */
	uint32_t *seen, *list, mark;
};

static bool add_cause(struct pd_compare_work *work, struct causes *causes, uint32_t cause)
{
	const struct pd_compare_row *rows = causes->event->rows;
	const double rise = rows[cause].reported.self.delta;
	const size_t nr = pd_compare_callers(work, causes->event, cause, ++causes->mark, causes->seen,
					     causes->list);
	for (size_t i = 1; i < nr; i++) {
		const uint32_t row = causes->list[i], known = causes->largest[row];
		causes->explained[row] += rise;
		if (!known || rows[known - 1].reported.self.delta < rise)
			causes->largest[row] = cause + 1;
	}
	return nr;
}

static void mark_row(const struct perfdata_comparison *comparison, const struct causes *causes, uint32_t row)
{
	struct pd_compare_row *of = &causes->event->rows[row];
	const struct perfdata_compared *whole = &of->reported.inclusive;
	if (!causes->largest[row] || has_grown(&of->reported.self) || !has_grown(whole))
		return;
	const double left = whole->delta - causes->explained[row], before = whole->share[PD_BEFORE];
	const double passes = fmax(comparison->limits.increase, (comparison->limits.ratio - 1) * before);
	if (left < passes || left < 2 * of->error[PD_INCLUSIVE])
		of->reported.cause = causes->event->rows[causes->largest[row] - 1].reported.key;
}

bool pd_compare_find_causes(struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	const size_t room = event->nr_rows + 1;
	struct causes causes = { .event = event,
				 .explained = pd_calloc(room, sizeof(double)),
				 .largest = pd_calloc(room, sizeof(uint32_t)),
				 .seen = pd_calloc(room, sizeof(uint32_t)),
				 .list = pd_calloc(room, sizeof(uint32_t)) };
	bool fine = causes.explained && causes.largest && causes.seen && causes.list;
	for (uint32_t row = 0; fine && row < event->nr_rows; row++)
		if (has_grown(&event->rows[row].reported.self))
			fine = add_cause(comparison->work, &causes, row);
	for (uint32_t row = 0; fine && row < event->nr_rows; row++)
		mark_row(comparison, &causes, row);
	pd_free(causes.explained);
	pd_free(causes.largest);
	pd_free(causes.seen);
	pd_free(causes.list);
	return fine;
}

/* Returns the row of a cause. A comparison keeps each text once, so equal texts have one address. */
static const struct pd_compare_row *row_of_cause(const struct pd_compare_event *event, const char *cause)
{
	for (size_t i = 0; i < event->nr_rows; i++)
		if (event->rows[i].reported.key == cause && event->rows[i].reported.self.change >=
								    PERFDATA_CHANGE_ALLOWED)
			return &event->rows[i];
	return NULL;
}

bool pd_compare_allow_callers(struct pd_compare_work *work, struct pd_compare_event *event)
{
	for (size_t i = 0; i < event->nr_rows; i++) {
		struct perfdata_comparison_row *row = &event->rows[i].reported;
		if (row->cause && !pd_compare_spend(work, event->nr_rows))
			return false;
		const struct pd_compare_row *cause = row->cause ? row_of_cause(event, row->cause) : NULL;
		if (!cause || cause->reported.change != PERFDATA_CHANGE_ALLOWED || row->change !=
										       PERFDATA_CHANGE_REGRESSED)
			continue;
		row->inclusive.change = row->change = PERFDATA_CHANGE_ALLOWED;
		row->reason = cause->reported.reason;
	}
	return true;
}
