/* SPDX-License-Identifier: MIT */
/* Computes shares, and how exact their differences are; compare_judge.c has the formulas. */
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

/* Returns the key's share of both sides together. */
double pd_compare_pooled(const struct pd_compare_event *event, const struct pd_compare_row *row,
			 enum pd_quantity quantity)
{
	const double all = (double)event->all[0].w + (double)event->all[1].w;
	return all > 0 ? ((double)row->sums[quantity][0].w + (double)row->sums[quantity][1].w) / all : 0;
}

/* Returns v of compare_judge.c: from the key's samples on both sides, or from all samples if the key has few. */
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
			enum pd_quantity quantity, double before, double after)
{
	const struct pd_compare_measure *measure = &row->measures[quantity];
	const double shares[] = { before, after * measure->scale }, scales[] = { 1, measure->scale };
	const double middle = (before + after) / 2, scaled = middle * middle;
	double variance = scaled * measure->variance;
	for (unsigned side = 0; side < 2; side++)
		variance += shares[side] * (measure->apart ? 1 : fmax(0, 1 - shares[side])) *
			    unit_variance(event, row, quantity, side) / (scales[side] * scales[side]);
	return sqrt(row->dispersion[quantity] * variance + scaled * measure->fixed);
}

double pd_compare_measured_error(const struct pd_compare_event *event, const struct pd_compare_row *row,
				 enum pd_quantity quantity, double before, double after)
{
	const struct pd_share_sums *sums = row->sums[quantity];
	const bool samples_are_few = sums[0].n < FEW || sums[1].n < FEW;
	const double middle = (before + after) / 2;
	return samples_are_few ? pd_compare_error(event, row, quantity, middle, middle)
			       : pd_compare_error(event, row, quantity, before, after);
}
