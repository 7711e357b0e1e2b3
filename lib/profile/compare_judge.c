/* SPDX-License-Identifier: MIT */
/* The numbers of a comparison. n, w, q: samples of a key, their weight, the sum of its squares; N, W, Q: of all keys.
 *
 *   share s = w/W        of a side; after / scale (compare_scale.c) is comparable with the share before
 *   variance             s·v if the key is measured by other samples, s·(1 - s)·v if it is measured by all samples;
 *                        v = (q/w)/W, which is 1/N for samples of one weight
 *   dispersion           variance between runs, as a multiple of that of independent samples (compare_dispersion.c)
 *   t = (after - before) / sqrt(dispersion * (variance_before + variance_after + variance_scale) + fixed_scale), with
 *       the degrees of freedom of the dispersion; both members of the scale: struct pd_compare_measure */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "profile/compare_impl.h"

static const double power = 0.8416;        /* the normal quantile of a power of 80 % */

/* --- rows --------------------------------------------------------------------------------------------------------- */

static struct perfdata_compared *reported_of(struct pd_compare_row *row, enum pd_quantity quantity)
{
	return quantity == PD_SELF ? &row->reported.self : &row->reported.inclusive;
}

static void compare_quantity(const struct pd_compare_event *event, struct pd_compare_row *row,
			     enum pd_quantity quantity)
{
	struct perfdata_compared *reported = reported_of(row, quantity);
	*reported = (struct perfdata_compared){ .p = 1, .adjusted_p = 1, .change = PERFDATA_CHANGE_NOT_JUDGED };
	for (unsigned side = 0; side < 2; side++) {
		reported->samples[side] = row->sums[quantity][side].n;
		reported->weight[side] = row->sums[quantity][side].w;
		reported->share[side] = pd_compare_share(event, row, quantity, side);
	}
	const double before = reported->share[PD_BEFORE], after = reported->share[PD_AFTER] /
								  row->measures[quantity].scale;
	reported->compared = after;
	reported->delta = after - before;
	reported->ratio = before > 0 ? after / before : after > 0 ? HUGE_VAL : 1;
	reported->dispersion = row->dispersion[quantity];
	const double error = pd_compare_measured_error(event, row, quantity, before, after);
	row->error[quantity] = error;
	if (row->judged[quantity])
		reported->p = error > 0 ? pd_student_two_sided(reported->delta / error, row->degrees[quantity])
					: reported->delta == 0;
}

/* Whether self and inclusive cost are the same test, as for a function that calls nothing. */
static bool is_same_test(const struct pd_compare_row *row)
{
	return row->sums[PD_SELF][0].w == row->sums[PD_INCLUSIVE][0].w &&
	       row->sums[PD_SELF][1].w == row->sums[PD_INCLUSIVE][1].w;
}

/* Whether the row is an address in no file, which a wrongly unwound chain contains: its weight belongs to no
 * function. */
static bool is_broken_chain(const struct pd_compare_row *row)
{
	return !*row->reported.file && !strcmp(row->reported.key, "[unknown]");
}

/* Chooses the rows to test: those whose share of both sides together is at least half of the least share. So every row
 * with the least share on one side is tested, whether it grew or not. */
static void choose_rows(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	const enum perfdata_quantities wanted = comparison->options->quantities;
	const double floor = comparison->limits.floor / 2;
	const bool inclusive = event->reported.has_stacks && !comparison->self_only && wanted != PERFDATA_SELF_ONLY;
	for (size_t i = 0; i < event->nr_rows; i++) {
		struct pd_compare_row *row = &event->rows[i];
		if (row->unmatched)
			continue;
		row->judged[PD_SELF] = (wanted != PERFDATA_INCLUSIVE_ONLY || !inclusive) &&
				       pd_compare_pooled(event, row, PD_SELF) >= floor;
		row->judged[PD_INCLUSIVE] = inclusive && !is_broken_chain(row) &&
					    pd_compare_pooled(event, row, PD_INCLUSIVE) >= floor &&
					    !(row->judged[PD_SELF] && is_same_test(row));
		event->reported.nr_judged += row->judged[PD_SELF] + row->judged[PD_INCLUSIVE];
	}
}

/* Adjusts the p values for the number of tests. */
static bool adjust_probabilities(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	static const enum pd_adjustment ways[] = {
		[PERFDATA_ADJUST_HOLM] = PD_ADJUST_HOLM,
		[PERFDATA_ADJUST_BH] = PD_ADJUST_BH,
		[PERFDATA_ADJUST_NONE] = PD_ADJUST_NONE,
	};
	double *p = pd_calloc(event->reported.nr_judged + 1, sizeof *p);
	size_t *order = pd_calloc(event->reported.nr_judged + 1, sizeof *order), nr = 0;
	for (unsigned pass = 0; p && order && pass < 2; pass++) {
		nr = 0;
		for (size_t i = 0; i < event->nr_rows; i++)
			for (unsigned quantity = 0; quantity < PD_QUANTITIES; quantity++) {
				if (!event->rows[i].judged[quantity])
					continue;
				struct perfdata_compared *reported = reported_of(&event->rows[i], quantity);
				if (pass)
					reported->adjusted_p = p[nr++];
				else
					p[nr++] = reported->p;
			}
		if (!pass)
			pd_adjust(p, nr, ways[comparison->options->adjust], order);
	}
	const bool fine = p && order;
	pd_free(p);
	pd_free(order);
	return fine;
}

/* Returns the smallest rise that counts. */
static double least_rise(const struct pd_compare_limits *limits, double before)
{
	return fmax(limits->increase, (limits->ratio - 1) * before);
}

static enum perfdata_change change_of(const struct pd_compare_limits *limits, const struct perfdata_compared *reported)
{
	const bool more = reported->delta >= limits->increase && reported->ratio >= limits->ratio;
	const bool less = -reported->delta >= limits->increase && reported->ratio * limits->ratio <= 1;
	if (fmax(reported->share[PD_BEFORE], reported->compared) < limits->floor)
		return PERFDATA_CHANGE_NOT_JUDGED;
	if (!more && !less)
		return PERFDATA_CHANGE_SAME;
	if (reported->adjusted_p >= limits->alpha)
		return PERFDATA_CHANGE_NOISE;
	return more ? PERFDATA_CHANGE_REGRESSED : PERFDATA_CHANGE_IMPROVED;
}

/* Whether a rise is likely, but uncertain to exceed the limits. This test is not adjusted for the number of rows: an
 * adjusted test would miss half of the rises that are just beyond the limits. */
static bool is_near_limit(const struct pd_compare_limits *limits, const struct perfdata_compared *reported,
			  double error, double degrees)
{
	return reported->change == PERFDATA_CHANGE_SAME && reported->delta > 0 &&
	       reported->p < limits->alpha &&
	       reported->delta + pd_student_quantile(limits->alpha, degrees) * error >=
		       least_rise(limits, reported->share[PD_BEFORE]);
}

/* Returns the smallest rise that would be significant with a power of 80 %; infinite: no rise would. */
static double visible_rise(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
			   const struct pd_compare_row *row, enum pd_quantity quantity, double errors)
{
	const double before = pd_compare_share(event, row, quantity, PD_BEFORE),
		     rise = least_rise(&comparison->limits, before);
	const bool is_share = comparison->options->normalize == PERFDATA_NORMALIZE_SHARE;
	if (row->measures[quantity].none || (is_share && before + rise >= 1))
		return HUGE_VAL;
	return errors * pd_compare_error(event, row, quantity, before, before + rise);
}

/* A cache: how many standard errors a difference needs to be significant with a power of 80 %, for two degrees of
 * freedom. Rows have few different degrees of freedom. */
struct errors { double upper, degrees[2], errors[2]; };

static double errors_of(struct errors *errors, double degrees)
{
	for (unsigned i = 0; i < 2; i++)
		if (errors->degrees[i] == degrees)
			return errors->errors[i];
	errors->degrees[1] = errors->degrees[0];
	errors->errors[1] = errors->errors[0];
	errors->degrees[0] = degrees;
	return errors->errors[0] = pd_student_quantile(errors->upper, degrees) + power;
}

struct blind_part { double weight, too_few; };

static int compare_parts(const void *left, const void *right)
{
	const struct blind_part *a = left, *b = right;
	return (a->too_few < b->too_few) - (a->too_few > b->too_few);
}

/* Adds up the shares of functions in which a rise beyond the limits could be missed. */
static void add_up_blind(struct pd_compare_event *event, struct blind_part *parts, size_t nr)
{
	double left = PD_MOST_BLIND;
	event->too_few = 1;
	if (nr)
		qsort(parts, nr, sizeof *parts, compare_parts);
	for (size_t i = 0; i < nr; i++) {
		event->blind += parts[i].weight;
		event->unmeasured += isinf(parts[i].too_few) ? parts[i].weight : 0;
		left -= parts[i].weight;
		if (left < 0 && left + parts[i].weight >= 0)
			event->too_few = parts[i].too_few;
	}
}

/* Sets the change of each row, and `visible`: the smallest rise that counts and is significant with a power of 80 %.
 * False without memory. */
static bool decide_event(struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	const struct pd_compare_limits *limits = &comparison->limits;
	const size_t tests = comparison->options->adjust == PERFDATA_ADJUST_NONE || !event->reported.nr_judged
				     ? 1
				     : event->reported.nr_judged;
	struct errors errors = { .upper = limits->alpha / 2 / (double)tests };
	struct blind_part *parts = pd_calloc(event->nr_rows + 1, sizeof *parts);
	size_t nr_parts = 0;
	for (size_t i = 0; parts && i < event->nr_rows; i++) {
		struct pd_compare_row *row = &event->rows[i];
		for (unsigned quantity = 0; quantity < PD_QUANTITIES; quantity++) {
			struct perfdata_compared *reported = reported_of(row, quantity);
			const double before = reported->share[PD_BEFORE], counts = least_rise(limits, before);
			const double visible = visible_rise(comparison, event, row, quantity,
							    errors_of(&errors, row->degrees[quantity]));
			reported->visible = row->unmatched ? HUGE_VAL : fmax(visible, counts);
			if (row->unmatched && fmax(before, reported->compared) >= limits->floor)
				reported->change = PERFDATA_CHANGE_UNMATCHED;
			const bool counts_as_blind = quantity == PD_SELF && !row->unmatched &&
						     before + counts >= limits->floor;
			if (counts_as_blind && visible > counts)
				parts[nr_parts++] = (struct blind_part){ pd_compare_pooled(event, row, PD_SELF),
									 visible / counts * (visible / counts) };
			if (!row->judged[quantity])
				continue;
			reported->change = change_of(limits, reported);
			row->near_limit |= is_near_limit(limits, reported, row->error[quantity],
							 row->degrees[quantity]);
		}
		/* Self and inclusive cost are the same test: both get its answer. */
		if (row->judged[PD_SELF] && is_same_test(row) && event->reported.has_stacks)
			row->reported.inclusive = row->reported.self;
		row->reported.change = row->reported.self.change > row->reported.inclusive.change
					       ? row->reported.self.change
					       : row->reported.inclusive.change;
	}
	if (parts)
		add_up_blind(event, parts, nr_parts);
	const bool fine = parts;
	pd_free(parts);
	return fine;
}

/* --- totals ------------------------------------------------------------------------------------------------------- */

static bool judge_total(struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	const struct perfdata_comparison_options *options = comparison->options;
	const size_t nr = pd_compare_nr(comparison);
	if (!options->nr_units[0] || !options->nr_units[1])
		return true;
	double *rates = pd_calloc(nr + 1, sizeof *rates);
	size_t used[2] = { 0 };
	if (!rates)
		return false;
	for (size_t i = 0; i < nr; i++) {
		const unsigned side = i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER;
		const size_t own = side == PD_BEFORE ? i : i - comparison->nr_recordings[0];
		if (event->of[i] && event->of[i]->all.w)
			rates[used[0] + used[1]] = (double)event->of[i]->all.w /
						   options->units[side][options->nr_units[side] > 1 ? own : 0];
		used[side] += event->of[i] && event->of[i]->all.w;
	}
	const struct pd_welch welch = pd_welch_of_logs(rates, used[0], rates + used[0], used[1]);
	pd_free(rates);
	event->reported.has_total = used[0] && used[1];
	event->reported.total_ratio = welch.ratio;
	event->reported.total_p = welch.p;
	event->reported.total_change = PERFDATA_CHANGE_NOT_JUDGED;
	if (comparison->limits.total <= 0 || !event->reported.has_total || welch.degrees <= 0)
		return true;
	const bool far = welch.ratio >= comparison->limits.total || welch.ratio * comparison->limits.total <= 1;
	event->reported.total_change = !far                                  ? PERFDATA_CHANGE_SAME
				   : welch.p >= comparison->limits.alpha ? PERFDATA_CHANGE_NOISE
				   : welch.ratio > 1                     ? PERFDATA_CHANGE_REGRESSED
									 : PERFDATA_CHANGE_IMPROVED;
	return true;
}

bool pd_compare_judge(struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	pd_compare_find_dispersion(comparison, event);
	if (!pd_compare_connect(comparison, event))
		return false;
	pd_compare_allot(comparison->work, event->nr_edges);
	if (!pd_compare_scale(comparison, event))
		return false;
	choose_rows(comparison, event);
	for (size_t i = 0; i < event->nr_rows; i++)
		for (unsigned quantity = 0; quantity < PD_QUANTITIES; quantity++)
			compare_quantity(event, &event->rows[i], quantity);
	return adjust_probabilities(comparison, event) && decide_event(comparison, event) &&
	       judge_total(comparison, event);
}
