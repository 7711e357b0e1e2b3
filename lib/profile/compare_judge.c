/* SPDX-License-Identifier: MIT */
/* The numbers of a comparison. With n, w, q: samples of a key, their weight, its squares; N, W, Q those of all:
 *
 *   share s = w/W        variance as pd_share_variance, of both sides' common share where a side has few samples
 *   dispersion           how much more repeat runs differ than independent samples would: the largest of 1, the mean
 *                        over keys, and the key's own
 *   z = (s_after / scale - s_before) / sqrt(dispersion * (variance_before + variance_after / scale²) + error²),
 *       where error is what the scale's own error makes of s_after / scale */
#include "config.h"
#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "profile/compare_impl.h"

/* SCALE_ERRORS is large since most keys are small: the median of a dozen of them is off by more than its estimated
 * error. The ratios of fewer than SCALE_KEYS keys scale nothing; from FEW_KEYS on they can speak against a change. */
enum { FEW = 10, FEW_KEYS = 3, SCALE_KEYS = 8, SCALE_ERRORS = 3 };
static const double power = 0.8416;        /* the normal quantile of a power of 80 % */

static double share_of(const struct pd_compare_event *event, const struct pd_compare_row *row,
		       enum pd_quantity quantity, unsigned side)
{
	return pd_share(&row->sums[quantity][side], &event->all[side]);
}

/* The key's share of both sides together. */
static double pooled(const struct pd_compare_event *event, const struct pd_compare_row *row, enum pd_quantity quantity)
{
	const double all = (double)event->all[0].w + (double)event->all[1].w;
	return all > 0 ? ((double)row->sums[quantity][0].w + (double)row->sums[quantity][1].w) / all : 0;
}

/* --- scale -------------------------------------------------------------------------------------------------------- */

/* By which factor most shares changed because other keys did: the median of their ratios, or 1 where chance alone may
 * explain the median. The median and its error stay with the event: a change has to be one by the median too. */
static double median_scale(const struct perfdata_comparison *comparison, struct pd_compare_event *event, double *logs)
{
	size_t nr = 0;
	for (size_t i = 0; i < event->nr_rows; i++) {
		const struct pd_compare_row *row = &event->rows[i];
		if (row->sums[PD_SELF][0].n && row->sums[PD_SELF][1].n &&
		    pooled(event, row, PD_SELF) >= comparison->limits.floor)
			logs[nr++] = log(share_of(event, row, PD_SELF, PD_AFTER) /
					 share_of(event, row, PD_SELF, PD_BEFORE));
	}
	if (nr < FEW_KEYS)
		return 1;
	const double median = pd_median(logs, nr);
	for (size_t i = 0; i < nr; i++)
		logs[i] = fabs(logs[i] - median);
	const double error = 1.2533 * 1.4826 * pd_median(logs, nr) / sqrt((double)nr);
	/* where a handful moved by more than a factor of two, they changed themselves */
	if (nr < SCALE_KEYS && fabs(median) > log(2))
		return 1;
	/* nor do a handful tell how far off their median is */
	event->scale_error = nr < SCALE_KEYS ? 0 : error;
	event->likely_scale = exp(median);
	return nr < SCALE_KEYS || fabs(median) < SCALE_ERRORS * error ? 1 : event->likely_scale;
}

static double scale_of(struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	const struct perfdata_compared_side *sides = event->reported.sides;
	double scale = 1;
	event->scale_error = event->likely_scale = 0;
	if (comparison->options->normalize == PERFDATA_NORMALIZE_SHARE)
		return 1;
	if (comparison->options->normalize == PERFDATA_NORMALIZE_UNIT) {
		scale = (double)sides[0].weight / sides[0].units / ((double)sides[1].weight / sides[1].units);
	} else {
		double *logs = pd_calloc(event->nr_rows + 1, sizeof *logs);
		if (!logs)
			comparison->status = PERFDATA_ENOMEM;
		else
			scale = median_scale(comparison, event, logs);
		pd_free(logs);
	}
	return isfinite(scale) && scale > 0 ? scale : 1;
}

/* --- dispersion --------------------------------------------------------------------------------------------------- */

/* The dispersion of a key; 0 where there are no repeat runs. *ret_enough: the key has enough samples to count in the
 * mean over keys. */
static double dispersion_of(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
			    const struct pd_compare_row *row, enum pd_quantity quantity, bool *ret_enough)
{
	const size_t nr = pd_compare_nr(comparison);
	double sum = 0;
	size_t runs = 0, samples = 0;
	for (size_t i = 0; i < nr; i++) {
		const unsigned side = i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER;
		const double mean = share_of(event, row, quantity, side);
		const struct pd_share_sums *cell = &row->cells[(size_t)quantity * nr + i];
		if (!event->of[i])
			continue;
		runs++;
		samples += cell->n;
		if (mean <= 0 || mean >= 1)
			continue;
		const double off = pd_share(cell, &event->of[i]->all) - mean;
		sum += pd_effective_samples(&event->of[i]->all) * off * off / (mean * (1 - mean));
	}
	*ret_enough = samples >= FEW * runs;
	return runs > 2 ? sum / (double)(runs - 2) : 0;
}

static void find_dispersion(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	double sum = 0;
	size_t nr = 0;
	bool enough;
	event->reported.dispersion = comparison->limits.dispersion;
	if (pd_compare_nr(comparison) <= 2)
		return;
	for (size_t i = 0; i < event->nr_rows; i++) {
		const double own = dispersion_of(comparison, event, &event->rows[i], PD_SELF, &enough);
		sum += enough ? own : 0;
		nr += enough;
	}
	event->reported.dispersion_known = true;
	event->reported.dispersion = nr ? sum / (double)nr : 1;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static struct perfdata_compared *reported_of(struct pd_compare_row *row, enum pd_quantity quantity)
{
	return quantity == PD_SELF ? &row->reported.self : &row->reported.inclusive;
}

static double variance_of(const struct pd_compare_event *event, const struct pd_compare_row *row,
			  enum pd_quantity quantity, unsigned side)
{
	const struct pd_share_sums *sums = row->sums[quantity];
	const double all = pd_effective_samples(&event->all[side]), p = pooled(event, row, quantity);
	if (sums[0].n < FEW || sums[1].n < FEW)
		return all > 0 ? p * (1 - p) / all : 0;
	return pd_share_variance(&sums[side], &event->all[side]);
}

/* The delta by the scale that is shown or by the median of ratios, whichever makes less of it: 0 where they disagree
 * about its sign. */
static double sure_delta(const struct pd_compare_event *event, const struct perfdata_compared *reported)
{
	const double likely = event->likely_scale > 0 ? event->likely_scale : event->reported.scale;
	const double other = reported->share[PD_AFTER] / likely - reported->share[PD_BEFORE];
	if (reported->delta * other <= 0)
		return 0;
	return fabs(other) < fabs(reported->delta) ? other : reported->delta;
}

static void compare(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
		    struct pd_compare_row *row, enum pd_quantity quantity)
{
	struct perfdata_compared *reported = reported_of(row, quantity);
	const double scale = event->reported.scale;
	bool enough;
	const double own = dispersion_of(comparison, event, row, quantity, &enough);
	*reported = (struct perfdata_compared){ .p = 1, .adjusted_p = 1, .change = PERFDATA_CHANGE_NOT_JUDGED };
	for (unsigned side = 0; side < 2; side++) {
		reported->samples[side] = row->sums[quantity][side].n;
		reported->weight[side] = row->sums[quantity][side].w;
		reported->share[side] = share_of(event, row, quantity, side);
	}
	reported->compared = reported->share[PD_AFTER] / scale;
	reported->delta = reported->compared - reported->share[PD_BEFORE];
	reported->ratio = reported->share[PD_BEFORE] > 0 ? reported->compared / reported->share[PD_BEFORE]
		      : reported->compared > 0       ? HUGE_VAL
						 : 1;
	reported->dispersion = fmax(event->reported.dispersion, event->reported.dispersion_known ? fmax(1, own) : 0);
	const double by_scale = reported->compared * event->scale_error;
	row->error[quantity] = sqrt(reported->dispersion * (variance_of(event, row, quantity, PD_BEFORE) +
							variance_of(event, row, quantity, PD_AFTER) / (scale * scale)) +
				    by_scale * by_scale);
	row->sure[quantity] = sure_delta(event, reported);
	if (!row->judged[quantity])
		return;
	const double error = row->error[quantity], sure = row->sure[quantity];
	reported->p = error > 0 ? pd_normal_two_sided(sure / error) : sure == 0 ? 1 : 0;
}

/* The self and the inclusive weight of a function that calls nothing are one test, not two. */
static bool is_same_test(const struct pd_compare_row *row)
{
	return row->sums[PD_SELF][0].w == row->sums[PD_INCLUSIVE][0].w &&
	       row->sums[PD_SELF][1].w == row->sums[PD_INCLUSIVE][1].w;
}

static void choose(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	const enum perfdata_quantities wanted = comparison->options->quantities;
	const bool inclusive = event->reported.has_stacks && !comparison->self_only && wanted != PERFDATA_SELF_ONLY;
	for (size_t i = 0; i < event->nr_rows; i++) {
		struct pd_compare_row *row = &event->rows[i];
		row->judged[PD_SELF] = (wanted != PERFDATA_INCLUSIVE_ONLY || !inclusive) &&
				       pooled(event, row, PD_SELF) >= comparison->limits.floor;
		row->judged[PD_INCLUSIVE] = inclusive && pooled(event, row, PD_INCLUSIVE) >= comparison->limits.floor &&
					    !(row->judged[PD_SELF] && is_same_test(row));
		event->reported.nr_judged += row->judged[PD_SELF] + row->judged[PD_INCLUSIVE];
	}
}

/* Adjusts the p values for the number of tests. */
static bool adjust(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
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

static enum perfdata_change change_of(const struct pd_compare_limits *limits, const struct perfdata_compared *reported,
				      double sure)
{
	const bool more = reported->delta >= limits->increase && reported->ratio >= limits->ratio;
	const bool less = -reported->delta >= limits->increase && reported->ratio * limits->ratio <= 1;
	if (!more && !less)
		return PERFDATA_CHANGE_SAME;
	const double before = reported->share[PD_BEFORE], ratio = before > 0 ? (before + sure) / before : HUGE_VAL;
	const bool is_sure = fabs(sure) >= limits->increase &&
			     (more ? ratio >= limits->ratio : ratio * limits->ratio <= 1);
	if (!is_sure || reported->adjusted_p >= limits->alpha)
		return PERFDATA_CHANGE_NOISE;
	return more ? PERFDATA_CHANGE_REGRESSED : PERFDATA_CHANGE_IMPROVED;
}

/* Sets the change of each row, and `visible`: the delta that would have been significant with a power of 80 %, and
 * large enough to count. */
static void decide(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	const struct pd_compare_limits *limits = &comparison->limits;
	const size_t tests = comparison->options->adjust == PERFDATA_ADJUST_NONE || !event->reported.nr_judged
				     ? 1
				     : event->reported.nr_judged;
	const double errors = pd_normal_quantile(limits->alpha / 2 / (double)tests) + power;
	for (size_t i = 0; i < event->nr_rows; i++) {
		struct pd_compare_row *row = &event->rows[i];
		for (unsigned quantity = 0; quantity < PD_QUANTITIES; quantity++) {
			struct perfdata_compared *reported = reported_of(row, quantity);
			const double counts = fmax(limits->increase, (limits->ratio - 1) * reported->share[PD_BEFORE]);
			const double visible = errors * row->error[quantity];
			reported->visible = fmax(visible, counts);
			if (!row->judged[quantity])
				continue;
			reported->change = change_of(limits, reported, row->sure[quantity]);
			if (quantity == PD_SELF)
				*(visible > 2 * counts ? &event->blind : &event->seen) += pooled(event, row, PD_SELF);
		}
		/* one test has one answer for both quantities */
		if (row->judged[PD_SELF] && is_same_test(row) && event->reported.has_stacks)
			row->reported.inclusive = row->reported.self;
		row->reported.change = row->reported.self.change > row->reported.inclusive.change
					       ? row->reported.self.change
					       : row->reported.inclusive.change;
	}
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
	event->reported.scale = scale_of(comparison, event);
	if (comparison->status != PERFDATA_OK)
		return false;
	find_dispersion(comparison, event);
	choose(comparison, event);
	for (size_t i = 0; i < event->nr_rows; i++)
		for (unsigned quantity = 0; quantity < PD_QUANTITIES; quantity++)
			compare(comparison, event, &event->rows[i], quantity);
	if (!adjust(comparison, event))
		return false;
	decide(comparison, event);
	return judge_total(comparison, event);
}
