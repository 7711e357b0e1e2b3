/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include "base/port.h"
#include "profile/statistics.h"

/* --- sums --------------------------------------------------------------------------------------------------------- */

double pd_wide_double(struct pd_wide wide) { return ldexp((double)wide.high, 64) + (double)wide.low; }

struct pd_wide pd_wide_add(struct pd_wide a, struct pd_wide b)
{
	struct pd_wide sum = { .low = a.low + b.low };
	const uint64_t carry = sum.low < a.low;
	if (b.high > UINT64_MAX - a.high || carry > UINT64_MAX - a.high - b.high)
		return (struct pd_wide){ UINT64_MAX, UINT64_MAX };
	sum.high = a.high + b.high + carry;
	return sum;
}

static uint64_t add_saturated(uint64_t a, uint64_t b) { return b > UINT64_MAX - a ? UINT64_MAX : a + b; }

void pd_share_sums_add(struct pd_share_sums *sums, const struct pd_share_sums *more)
{
	sums->n = add_saturated(sums->n, more->n);
	sums->w = add_saturated(sums->w, more->w);
	sums->q = pd_wide_add(sums->q, more->q);
}

double pd_effective_samples(const struct pd_share_sums *all)
{
	const double w = (double)all->w, q = pd_wide_double(all->q);
	return q > 0 ? w * w / q : 0;
}

double pd_share(const struct pd_share_sums *part, const struct pd_share_sums *all)
{
	return all->w ? (double)part->w / (double)all->w : 0;
}

/* --- distributions ------------------------------------------------------------------------------------------------ */

double pd_normal_two_sided(double z) { return erfc(fabs(z) / M_SQRT2); }

/* Bisects, which always converges: 80 steps give full precision. */
double pd_normal_quantile(double upper)
{
	double low = -40, high = 40;
	for (unsigned i = 0; i < 80; i++) {
		const double middle = (low + high) / 2;
		if (erfc(middle / M_SQRT2) / 2 > upper)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Computes the continued fraction of the incomplete beta function by Lentz's method; needs x < (a + 1)/(a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double value = d;
	for (unsigned i = 1; i <= 1000; i++) {
		const double m = i;
		const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		value *= d * (fabs(c) < tiny ? tiny : c);
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		value *= d * c;
		if (fabs(d * c - 1) < 1e-15)
			break;
	}
	return value;
}

static double log_gamma(double x)
{
	int sign;
	return lgamma_r(x, &sign);   /* lgamma itself sets a global */
}

double pd_incomplete_beta(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	const double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double pd_student_two_sided(double t, double degrees)
{
	if (isinf(degrees))
		return pd_normal_two_sided(t);
	return isinf(t) ? 0 : pd_incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double pd_student_quantile(double upper, double degrees)
{
	if (isinf(degrees))
		return pd_normal_quantile(upper);
	double low = 0, high = 1;
	while (pd_student_two_sided(high, degrees) / 2 > upper && high < 1e15)
		high *= 2;
	for (unsigned i = 0; i < 60; i++) {
		const double middle = (low + high) / 2;
		if (pd_student_two_sided(middle, degrees) / 2 > upper)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* The log density of s² = prior * F(degrees, prior_degrees), without terms that depend on neither prior parameter. */
double pd_log_density_of_variance(double seen, double degrees, double prior, double prior_degrees)
{
	const double ratio = seen / prior, half = degrees / 2;
	if (isinf(prior_degrees))
		return -half * (log(prior) + ratio);
	return log_gamma(half + prior_degrees / 2) - log_gamma(prior_degrees / 2) - half * log(prior_degrees / 2) -
	       half * log(prior) - (half + prior_degrees / 2) * log1p(degrees * ratio / prior_degrees);
}

double pd_probability_of_variance(double seen, double degrees, double prior, double prior_degrees)
{
	const double other = isinf(prior_degrees) ? 1e6 : prior_degrees, part = degrees * seen / prior;
	return pd_incomplete_beta(degrees / 2, other / 2, part / (part + other));
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

/* Returns the mean of the logarithms. *ret_variance: the variance of the mean; 0 for fewer than two values. */
static double mean_of_logs(const double *values, size_t nr, double *ret_variance)
{
	double sum = 0, squares = 0;
	for (size_t i = 0; i < nr; i++)
		sum += log(values[i]);
	const double mean = nr ? sum / (double)nr : 0;
	for (size_t i = 0; i < nr; i++)
		squares += (log(values[i]) - mean) * (log(values[i]) - mean);
	*ret_variance = nr > 1 ? squares / (double)(nr - 1) / (double)nr : 0;
	return mean;
}

struct pd_welch pd_welch_of_logs(const double *first, size_t nr_first, const double *second, size_t nr_second)
{
	double variances[2];
	const double means[] = { mean_of_logs(first, nr_first, &variances[0]),
				 mean_of_logs(second, nr_second, &variances[1]) };
	struct pd_welch result = { .ratio = exp(means[1] - means[0]), .p = 1 };
	if (nr_first < 2 || nr_second < 2)
		return result;
	const double both = variances[0] + variances[1], difference = means[1] - means[0];
	if (both <= 0) {
		result.p = difference == 0 ? 1 : 0;
		result.degrees = (double)(nr_first + nr_second - 2);
		return result;
	}
	result.degrees = both * both /
			 (variances[0] * variances[0] / (double)(nr_first - 1) +
			  variances[1] * variances[1] / (double)(nr_second - 1));
	result.p = pd_student_two_sided(difference / sqrt(both), result.degrees);
	return result;
}

/* The order in which indexes are heap-sorted: by p, equal values by index. (qsort passes no context to its
 * comparison.) */
static bool is_before(const double *p, size_t a, size_t b) { return p[a] != p[b] ? p[a] < p[b] : a < b; }

static void sink_down(const double *p, size_t *order, size_t at, size_t nr)
{
	for (size_t child; (child = 2 * at + 1) < nr; at = child) {
		if (child + 1 < nr && is_before(p, order[child], order[child + 1]))
			child++;
		if (is_before(p, order[child], order[at]))
			return;
		const size_t swapped = order[at];
		order[at] = order[child];
		order[child] = swapped;
	}
}

static void sort_order(const double *p, size_t *order, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		order[i] = i;
	for (size_t i = nr / 2; i-- > 0;)
		sink_down(p, order, i, nr);
	for (size_t left = nr; left-- > 1;) {
		const size_t largest = order[0];
		order[0] = order[left];
		order[left] = largest;
		sink_down(p, order, 0, left);
	}
}

void pd_adjust(double *p, size_t nr, enum pd_adjustment how, size_t *order)
{
	if (how == PD_ADJUST_NONE)
		return;
	sort_order(p, order, nr);
	double limit = how == PD_ADJUST_HOLM ? 0 : 1;
	for (size_t i = 0; i < nr; i++) {
		/* Holm adjusts from the smallest p up, Benjamini and Hochberg from the largest down. */
		const size_t rank = how == PD_ADJUST_HOLM ? i : nr - 1 - i;
		double *value = &p[order[rank]];
		if (how == PD_ADJUST_HOLM)
			limit = fmax(limit, fmin(1, *value * (double)(nr - rank)));
		else
			limit = fmin(limit, *value * (double)nr / (double)(rank + 1));
		*value = limit;
	}
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double pd_median(double *values, size_t nr)
{
	qsort(values, nr, sizeof *values, compare_doubles);
	return nr % 2 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}
