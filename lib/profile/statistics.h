/* SPDX-License-Identifier: MIT */
/* The statistics of a comparison: pure functions of numbers. */
#ifndef PD_STATISTICS_H
#define PD_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of 128 bits: a sum of squared weights. */
struct pd_wide {
	uint64_t low, high;
};
double pd_wide_double(struct pd_wide wide);
/* Adds; the sum saturates. */
struct pd_wide pd_wide_add(struct pd_wide a, struct pd_wide b);

/* The probability that a standard normal variable is further from 0 than z. */
double pd_normal_two_sided(double z);
/* The value that a standard normal variable exceeds with probability `upper`, 0 < upper < 1. */
double pd_normal_quantile(double upper);
/* The regularized incomplete beta function I_x(a, b), for a, b > 0 and x from 0 to 1. */
double pd_incomplete_beta(double a, double b, double x);
/* The probability that Student's t with `degrees` > 0 degrees of freedom, which need not be whole and may be infinite,
 * is further from 0 than t. */
double pd_student_two_sided(double t, double degrees);
/* The value that Student's t exceeds with probability `upper`, 0 < upper <= 1/2. */
double pd_student_quantile(double upper, double degrees);
/* The log density of an observed variance with `degrees` degrees of freedom, if true variances are distributed around
 * `prior` with `prior_degrees`; without the terms that are the same for all priors. */
double pd_log_density_of_variance(double seen, double degrees, double prior, double prior_degrees);
/* As pd_log_density_of_variance, but the probability of an observed variance up to `seen`. */
double pd_probability_of_variance(double seen, double degrees, double prior, double prior_degrees);

/* Samples, their weight, and the sum of squared weights, of a key or of all keys. */
struct pd_share_sums {
	uint64_t n, w;
	struct pd_wide q;
};
void pd_share_sums_add(struct pd_share_sums *sums, const struct pd_share_sums *more);
/* The number of equally weighted samples with the same information (Kish's effective sample size): W²/Q; 0 without
 * samples. */
double pd_effective_samples(const struct pd_share_sums *all);
/* part / all; 0 if `all` is empty. */
double pd_share(const struct pd_share_sums *part, const struct pd_share_sums *all);

/* Welch's test of two means of logarithms: `values` > 0. */
struct pd_welch {
	double ratio;      /* geometric mean of the second values / that of the first */
	double p;          /* two-sided; 1 if unknown: a side has fewer than two values */
	double degrees;    /* degrees of freedom; 0 if unknown */
};
struct pd_welch pd_welch_of_logs(const double *first, size_t nr_first, const double *second, size_t nr_second);

enum pd_adjustment { PD_ADJUST_HOLM, PD_ADJUST_BH, PD_ADJUST_NONE };
/* Adjusts p values for multiple comparisons, in place. order: room for `nr` numbers. */
void pd_adjust(double *p, size_t nr, enum pd_adjustment how, size_t *order);

/* The median of nr > 0 values, which are sorted in place. */
double pd_median(double *values, size_t nr);

#endif
