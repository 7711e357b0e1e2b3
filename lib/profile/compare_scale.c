/* SPDX-License-Identifier: MIT */
/* What is the cost of a key measured by? Shares add up to 1, so one key that costs more makes all others look cheaper.
 * Therefore the cost of a key is a multiple of the cost of the rest, which did not change:
 *
 *   the rest     all self weight, except that of keys that changed clearly and of the key itself
 *   scale        share of the rest after / before; shares after are divided by the scale
 *
 * A key changed clearly if its ratio to the rest changed by more than CLEAR standard errors, and by enough to matter
 * for others. The rest depends on which keys changed, so it is found in steps. The first step takes the median of the
 * ratios, which is right if most keys did not change, be they small or large.
 *
 * An inclusive cost contains the cost of other keys. If all keys that changed are inside it, the keys outside measure
 * it; else the rest of all keys does. If most keys changed, shares are compared, and nothing passes.
 *
 * If a key has nearly all weight, few samples are left to measure it, and one side may by chance have twice as many of
 * them as the other. If they are so inexact and nothing shows that the key changed, the scale of all keys measures it;
 * its smallest visible change is still computed from the few samples. */
#include "config.h"
#include <math.h>
#include "base/memory.h"
#include "profile/compare_impl.h"

enum { CLEAR = 3, MOST_STEPS = 12, FEWEST_KEYS = 3 };
static const double doubtful = 0.6931;     /* logarithm of 2: a scale that may be wrong by this factor is a guess */
static const double least_rest = 0.02;     /* share of the weight: a smaller rest measures nothing */
/* Start and end of a program, and other users of the machine, move this share of a key's weight to or from the rest.
 * More samples do not reduce this share. */
static const double unsteady = 0.01;

struct rest {
	double share[2], variance[2];
};

static double variance_of(const struct pd_share_sums *sums, const struct pd_share_sums *all)
{
	const double w = (double)all->w;
	return w > 0 ? pd_wide_double(sums->q) / (w * w) : 0;
}

/* Returns all weight of the event except that of changed keys. */
static struct rest rest_of(const struct pd_compare_event *event)
{
	struct rest rest;
	for (unsigned side = 0; side < 2; side++) {
		const struct pd_share_sums *all = &event->all[side];
		rest.share[side] = 1;
		rest.variance[side] = variance_of(all, all);
		for (size_t i = 0; i < event->nr_rows; i++)
			if (event->rows[i].changed || event->rows[i].unmatched) {
				rest.share[side] -= pd_compare_share(event, &event->rows[i], PD_SELF, side);
				rest.variance[side] -= variance_of(&event->rows[i].sums[PD_SELF][side], all);
			}
	}
	return rest;
}

static struct rest rest_without(const struct rest *rest, const struct pd_compare_event *event,
				const struct pd_share_sums sums[2])
{
	struct rest less = *rest;
	for (unsigned side = 0; side < 2; side++) {
		less.share[side] -= pd_share(&sums[side], &event->all[side]);
		less.variance[side] = fmax(0, less.variance[side] - variance_of(&sums[side], &event->all[side]));
	}
	return less;
}

/* Measures by a rest without the key itself. False: the rest has too little weight. */
static bool measure_apart(const struct rest *rest, struct pd_compare_measure *ret)
{
	const double before = rest->share[PD_BEFORE], after = rest->share[PD_AFTER];
	if (before < least_rest || after < least_rest)
		return false;
	const double steady = unsteady * (1 - (before + after) / 2) / ((before + after) / 2);
	*ret = (struct pd_compare_measure){ .scale = after / before,
					    .variance = rest->variance[PD_BEFORE] / (before * before) +
							rest->variance[PD_AFTER] / (after * after),
					    .fixed = steady * steady,
					    .apart = true };
	return true;
}

/* Measures by the rest of all keys, including the key itself. */
static struct pd_compare_measure measure_with(const struct rest *rest, const struct pd_compare_event *event, bool any)
{
	struct pd_compare_measure measure = { .scale = 1 };
	for (unsigned side = 0; any && side < 2; side++) {
		const double share = rest->share[side], all = pd_effective_samples(&event->all[side]);
		measure.variance += all > 0 ? (1 - share) / (all * share) : 0;
	}
	if (any)
		measure.scale = rest->share[PD_AFTER] / rest->share[PD_BEFORE];
	return measure;
}

/* --- who changed -------------------------------------------------------------------------------------------------- */

static bool has_both(const struct pd_compare_row *row)
{
	return row->sums[PD_SELF][0].n && row->sums[PD_SELF][1].n;
}

/* Whether the key has enough weight to be judged: at least half of the least share. */
static bool is_large(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
		     const struct pd_compare_row *row)
{
	return !row->unmatched && pd_compare_pooled(event, row, PD_SELF) >= comparison->limits.floor / 2;
}

/* Whether a ratio to the scale matters for others: it exceeds half of the limit. */
static bool ratio_matters(const struct perfdata_comparison *comparison, double ratio)
{
	return !(ratio > 0) || isinf(ratio) || fabs(log(ratio)) > log(comparison->limits.ratio) / 2;
}

static double ratio_of(const struct pd_compare_event *event, const struct pd_compare_row *row)
{
	return pd_compare_share(event, row, PD_SELF, PD_AFTER) / pd_compare_share(event, row, PD_SELF, PD_BEFORE);
}

/* Does the first step: finds keys whose ratio clearly differs from the median. False without memory. */
static bool start_with_median(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	double *logs = pd_calloc(event->nr_rows + 1, sizeof *logs), *variances = pd_calloc(event->nr_rows + 1,
											     sizeof *variances);
	size_t nr = 0;
	for (size_t i = 0; logs && variances && i < event->nr_rows; i++) {
		struct pd_compare_row *row = &event->rows[i];
		if (!has_both(row) || !is_large(comparison, event, row))
			continue;
		variances[nr] = row->dispersion[PD_SELF] *
				(1 / (double)row->sums[PD_SELF][0].n + 1 / (double)row->sums[PD_SELF][1].n);
		logs[nr++] = log(ratio_of(event, row));
	}
	const bool fine = logs && variances;
	if (fine && nr >= FEWEST_KEYS) {
		const double median = pd_median(logs, nr), chance = 1.5708 * pd_median(variances, nr) / (double)nr;
		for (size_t i = 0; i < event->nr_rows; i++) {
			struct pd_compare_row *row = &event->rows[i];
			if (!has_both(row) || !is_large(comparison, event, row))
				continue;
			const double off = log(ratio_of(event, row)) - median;
			const double variance = row->dispersion[PD_SELF] * (1 / (double)row->sums[PD_SELF][0].n +
							       1 / (double)row->sums[PD_SELF][1].n);
			row->changed = fabs(off) > CLEAR * sqrt(variance + chance) &&
				       ratio_matters(comparison, exp(off));
		}
	}
	pd_free(logs);
	pd_free(variances);
	return fine;
}

static bool changed_clearly(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
			    struct pd_compare_row *row, const struct rest *rest)
{
	const struct rest own = row->changed ? *rest : rest_without(rest, event, row->sums[PD_SELF]);
	struct pd_compare_measure *measure = &row->measures[PD_SELF];
	if (!is_large(comparison, event, row))
		return false;
	if (!measure_apart(&own, measure))
		return row->changed;
	const double before = pd_compare_share(event, row, PD_SELF, PD_BEFORE),
		     after = pd_compare_share(event, row, PD_SELF, PD_AFTER) / measure->scale;
	const double error = pd_compare_measured_error(event, row, PD_SELF, before, after);
	return fabs(after - before) > CLEAR * error &&
	       ratio_matters(comparison, before > 0 ? after / before : HUGE_VAL);
}

/* Does a step: decides which keys changed, measured by the rest of the previous step. False: the step decided as the
 * previous one, for all keys. */
static bool step_scale(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	const struct rest rest = rest_of(event);
	bool any = false;
	for (size_t i = 0; i < event->nr_rows; i++) {
		struct pd_compare_row *row = &event->rows[i];
		row->changes = changed_clearly(comparison, event, row, &rest);
		any |= row->changes != row->changed;
	}
	for (size_t i = 0; i < event->nr_rows; i++)
		event->rows[i].changed = event->rows[i].changes;
	return any;
}

/* Counts for each row the changed rows inside it. False without memory, or if the work ends. */
static bool count_changed(struct pd_compare_work *work, struct pd_compare_event *event, uint32_t *ret_nr)
{
	uint32_t *seen = pd_calloc(event->nr_rows + 1, sizeof *seen), *list = pd_calloc(event->nr_rows + 1,
											  sizeof *list);
	bool fine = seen && list;
	*ret_nr = 0;
	for (uint32_t i = 0; fine && i < event->nr_rows; i++) {
		if (!event->rows[i].changed)
			continue;
		const size_t nr = pd_compare_callers(work, event, i, ++*ret_nr, seen, list);
		fine = nr != 0;
		for (size_t at = 0; at < nr; at++)
			event->rows[list[at]].nr_changed++;
	}
	pd_free(seen);
	pd_free(list);
	return fine;
}

/* Whether most keys changed, as in builds that inline other functions: then the unchanged keys are no measure. */
static bool most_changed(const struct perfdata_comparison *comparison, const struct pd_compare_event *event)
{
	size_t changed = 0, large = 0;
	for (size_t i = 0; i < event->nr_rows; i++) {
		const struct pd_compare_row *row = &event->rows[i];
		const bool counts = row->sums[PD_SELF][0].n + row->sums[PD_SELF][1].n &&
				    is_large(comparison, event, row);
		large += counts;
		changed += counts && row->changed;
	}
	return 2 * changed > large;
}

static void use_shares(struct pd_compare_event *event)
{
	event->reported.scale = 1;
	for (size_t i = 0; i < event->nr_rows; i++)
		event->rows[i].measures[PD_SELF] = event->rows[i].measures[PD_INCLUSIVE] =
			(struct pd_compare_measure){ .scale = 1, .none = true };
}

/* Whether the keys outside of this key give nearly the same scale as the rest of all keys. If not, a key outside
 * changed unnoticed. */
static bool measure_agrees(const struct perfdata_comparison *comparison, const struct rest *outside,
			   const struct pd_compare_measure *with)
{
	struct pd_compare_measure measure;
	return !measure_apart(outside, &measure) ||
	       fabs(log(measure.scale / with->scale)) <= log(comparison->limits.ratio) +
								 CLEAR * sqrt(measure.variance + with->variance);
}

static void replace_guess(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
			  struct pd_compare_row *row, enum pd_quantity quantity, double scale)
{
	struct pd_compare_measure *measure = &row->measures[quantity];
	const double before = pd_compare_share(event, row, quantity, PD_BEFORE),
		     after = pd_compare_share(event, row, quantity, PD_AFTER) / measure->scale;
	const double off = sqrt(row->dispersion[quantity] * measure->variance + measure->fixed);
	if (!measure->apart || CLEAR * off <= doubtful)
		return;
	const double error = pd_compare_error(event, row, quantity, before, after);
	if (pd_student_two_sided((after - before) / error, row->degrees[quantity]) >= comparison->limits.alpha)
		measure->scale = scale;
}

static bool scale_by_rest(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	uint32_t nr_changed;
	/* If programs have few keys in common, these keys are no measure for the others. */
	if (event->shares_little) {
		use_shares(event);
		return true;
	}
	if (!start_with_median(comparison, event))
		return false;
	for (unsigned i = 0; i < MOST_STEPS && step_scale(comparison, event); i++)
		;
	const struct rest rest = rest_of(event);
	event->mixed = most_changed(comparison, event) || rest.share[0] < least_rest || rest.share[1] < least_rest;
	if (event->mixed) {
		use_shares(event);
		return true;
	}
	if (!count_changed(comparison->work, event, &nr_changed))
		return false;
	const struct pd_compare_measure with = measure_with(&rest, event, nr_changed);
	event->reported.scale = with.scale;
	for (size_t i = 0; i < event->nr_rows; i++) {
		struct pd_compare_row *row = &event->rows[i];
		const struct rest own = row->changed ? rest : rest_without(&rest, event, row->sums[PD_SELF]);
		const struct rest all = { { 1, 1 },
					  { variance_of(&event->all[0], &event->all[0]),
					    variance_of(&event->all[1], &event->all[1]) } };
		const struct rest outside = rest_without(&all, event, row->sums[PD_INCLUSIVE]);
		const struct pd_compare_measure by_itself = { .scale = 1 };
		row->measures[PD_SELF] = row->measures[PD_INCLUSIVE] = row->unmatched ? by_itself : with;
		if (row->unmatched)
			continue;
		row->measures[PD_SELF].none = !measure_apart(&own, &row->measures[PD_SELF]);
		if (row->nr_changed == nr_changed && measure_agrees(comparison, &outside, &with))
			row->measures[PD_INCLUSIVE].none = !measure_apart(&outside, &row->measures[PD_INCLUSIVE]);
		replace_guess(comparison, event, row, PD_SELF, with.scale);
		replace_guess(comparison, event, row, PD_INCLUSIVE, with.scale);
	}
	return true;
}

/* --- other scales ------------------------------------------------------------------------------------------------- */

/* Returns the relative variance of a side's mean weight per unit of work; 0: unknown, since there are no repeat
 * runs. */
static double rate_variance(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
			    unsigned side)
{
	const struct perfdata_comparison_options *options = comparison->options;
	const size_t first = side == PD_BEFORE ? 0 : comparison->nr_recordings[0];
	double sum = 0, squares = 0;
	size_t nr = 0;
	for (size_t i = 0; i < comparison->nr_recordings[side]; i++) {
		const struct pd_side_event *of = event->of[first + i];
		if (!of || !of->all.w)
			continue;
		const double rate = log((double)of->all.w / options->units[side][options->nr_units[side] > 1 ? i : 0]);
		sum += rate;
		squares += rate * rate;
		nr++;
	}
	const double mean = nr ? sum / (double)nr : 0;
	return nr > 1 ? fmax(0, squares / (double)nr - mean * mean) / (double)(nr - 1) : 0;
}

static struct pd_compare_measure measure_by_units(const struct perfdata_comparison *comparison,
						  const struct pd_compare_event *event)
{
	const struct perfdata_compared_side *sides = event->reported.sides;
	struct pd_compare_measure measure = { .scale = 1 };
	const double scale = (double)sides[0].weight / sides[0].units / ((double)sides[1].weight / sides[1].units);
	if (isfinite(scale) && scale > 0)
		measure.scale = scale;
	measure.fixed = rate_variance(comparison, event, PD_BEFORE) + rate_variance(comparison, event, PD_AFTER);
	return measure;
}

bool pd_compare_scale(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	struct pd_compare_measure measure = { .scale = 1 };
	if (comparison->options->normalize == PERFDATA_NORMALIZE_SCALED)
		return scale_by_rest(comparison, event);
	if (comparison->options->normalize == PERFDATA_NORMALIZE_UNIT)
		measure = measure_by_units(comparison, event);
	event->reported.scale = measure.scale;
	for (size_t i = 0; i < event->nr_rows; i++)
		event->rows[i].measures[PD_SELF] = event->rows[i].measures[PD_INCLUSIVE] = measure;
	return true;
}
