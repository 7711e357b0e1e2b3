/* SPDX-License-Identifier: MIT */
/* Shares, how far repeat runs are apart, and how exact a difference is: compare_judge.c has the formulas. */
#include "config.h"
#include <math.h>
#include "base/memory.h"
#include "profile/compare_impl.h"

enum { FEW = 10 };

double pd_compare_share(const struct pd_compare_event *event, const struct pd_compare_row *row,
			enum pd_quantity quantity, unsigned side)
{
	return pd_share(&row->sums[quantity][side], &event->all[side]);
}

/* The key's share of both sides together. */
double pd_compare_pooled(const struct pd_compare_event *event, const struct pd_compare_row *row,
			 enum pd_quantity quantity)
{
	const double all = (double)event->all[0].w + (double)event->all[1].w;
	return all > 0 ? ((double)row->sums[quantity][0].w + (double)row->sums[quantity][1].w) / all : 0;
}

/* --- dispersion --------------------------------------------------------------------------------------------------- */

/* The dispersion of a key; 0 where there are no repeat runs. *ret_enough: the key has enough samples to count in the
 * mean over keys. */
static double own_dispersion(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
			    const struct pd_compare_row *row, enum pd_quantity quantity, bool *ret_enough)
{
	const size_t nr = pd_compare_nr(comparison);
	double sum = 0;
	uint64_t runs = 0, samples = 0;
	for (size_t i = 0; i < nr; i++) {
		const unsigned side = i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER;
		const double mean = pd_compare_share(event, row, quantity, side);
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

/* The dispersion of most keys: the median of theirs, as a multiple of the median that independent samples would have. A
 * few keys that vary by more, as interrupts do, have a dispersion of their own and say nothing of others. */
bool pd_compare_find_dispersion(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	size_t nr = 0, runs = 0;
	bool enough;
	event->reported.dispersion = comparison->limits.dispersion;
	for (size_t i = 0; i < pd_compare_nr(comparison); i++)
		runs += event->of[i] != NULL;
	if (pd_compare_nr(comparison) <= 2)
		return true;
	double *all = pd_calloc(event->nr_rows + 1, sizeof *all);
	if (!all)
		return false;
	for (size_t i = 0; i < event->nr_rows; i++) {
		const double own = own_dispersion(comparison, event, &event->rows[i], PD_SELF, &enough);
		if (enough && event->rows[i].sums[PD_SELF][0].n + event->rows[i].sums[PD_SELF][1].n)
			all[nr++] = own;
	}
	const double degrees = runs > 2 ? (double)(runs - 2) : 1, cube = 1 - 2 / (9 * degrees);
	event->degrees = degrees;
	event->reported.dispersion_known = true;
	event->reported.dispersion = nr ? pd_median(all, nr) / (cube * cube * cube) : 1;
	pd_free(all);
	return true;
}

/* What is assumed weighs as much as so many degrees of freedom of repeat runs: few runs see little of how far runs may
 * be apart, and a function that hardly differs among three runs may do so in the fourth. */
static const double assumed_degrees = 1;

double pd_compare_dispersion(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
			     const struct pd_compare_row *row, enum pd_quantity quantity)
{
	bool enough;
	const double assumed = comparison->limits.dispersion, degrees = event->degrees;
	const double own = own_dispersion(comparison, event, row, quantity, &enough);
	const double seen = fmax(1, fmax(event->reported.dispersion, own));
	return event->reported.dispersion_known
		       ? (assumed_degrees * assumed + degrees * seen) / (assumed_degrees + degrees)
		       : assumed;
}

/* The variance of a small share: that of both sides' samples of the key, or of all where it has few. */
static double unit_variance(const struct pd_compare_event *event, const struct pd_compare_row *row,
			    enum pd_quantity quantity, unsigned side)
{
	const struct pd_share_sums *sums = row->sums[quantity], *all = &event->all[side];
	const double w = (double)sums[0].w + (double)sums[1].w;
	const double weight = sums[0].n + sums[1].n >= FEW && w > 0
				      ? (pd_wide_double(sums[0].q) + pd_wide_double(sums[1].q)) / w
			      : all->w ? pd_wide_double(all->q) / (double)all->w
				       : 0;
	return all->w ? weight / (double)all->w : 0;
}

double pd_compare_error(const struct pd_compare_event *event, const struct pd_compare_row *row,
			enum pd_quantity quantity, double dispersion, double before, double after)
{
	const struct pd_compare_measure *measure = &row->measures[quantity];
	const double shares[] = { before, after * measure->scale }, scales[] = { 1, measure->scale };
	const double middle = (before + after) / 2, scaled = middle * middle;
	double variance = scaled * measure->variance;
	for (unsigned side = 0; side < 2; side++)
		variance += shares[side] * (measure->apart ? 1 : fmax(0, 1 - shares[side])) *
			    unit_variance(event, row, quantity, side) / (scales[side] * scales[side]);
	return sqrt(dispersion * variance + scaled * measure->fixed);
}
