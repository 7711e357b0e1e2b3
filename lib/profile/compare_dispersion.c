/* SPDX-License-Identifier: MIT */
/* How much more do repeat runs vary than independent samples would? Each row shows its own dispersion: the variance of
 * its share between the runs of a side, as a multiple of s(1 - s)/N. Three runs a side estimate it badly for one
 * function, but well for all functions together. So the estimate of a function is drawn towards that of all functions
 * (empirical Bayes, as in limma and edgeR, whose genes pose the same problem: counts, many tests, few repeats):
 *
 *   expected    1 + variation * N*s(1 - s): the work of all functions varies between runs by the same relative
 *               amount, which only functions with many samples show
 *   dispersion  (prior degrees * expected + degrees * own) / (prior degrees + degrees), at least 1
 *
 * The difference of two sides then has Student's t distribution, with the sum of both degrees of freedom. `variation`
 * and the prior degrees (how alike functions are) are means over all possible values, weighed by the likelihood of the
 * observed runs. Some functions, such as the zeroing of pages, cost much in one run and nothing in the next: a function
 * of this kind keeps its own dispersion. One function in twenty is expected to be of this kind.
 *
 * For single recordings the value of --dispersion is the only estimate; with repeat runs it counts as one degree of
 * freedom, added to those of all functions. Single recordings cannot show how much the work of other programs varies,
 * which interrupts and preempts this one: kernel functions that handle interrupts get a larger estimate. */
#include "config.h"
#include <math.h>
#include <string.h>
#include "profile/compare_impl.h"

enum {
	FEW = 10, STEPS = 21,
	MOST_FUNCTIONS = 200   /* functions from which the common dispersion is estimated: more take time and hardly
			      * change the estimate */
};
static const double least_share = 0.001;       /* least share of these functions */
static const double usual = 0.02;              /* the median relative variation of a function's work between runs */
static const double strange = 0.05, strangeness = 8, strange_degrees = 2;

static const double interrupts = 5;            /* factor of the dispersion of functions that handle interrupts */

struct seen {
	double dispersion;
	double size;                           /* mean of N·s(1 - s) over runs */
};

/* How similar the variances of an event's functions are. */
struct alike {
	double variation, prior_degrees;
	double degrees;                        /* degrees of freedom of a row */
	double all_degrees;                    /* degrees of freedom of all rows together */
};

static double variation_of(unsigned step) { return 1e-6 * pow(2, step); }
static double expected_of(double variation, double size) { return 1 + variation * size; }

static struct seen observe_row(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
			       const struct pd_compare_row *row, enum pd_quantity quantity)
{
	const size_t nr = pd_compare_nr(comparison);
	struct seen seen = { 0 };
	size_t runs = 0;
	for (size_t i = 0; i < nr; i++) {
		const unsigned side = i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER;
		const double mean = pd_compare_share(event, row, quantity, side);
		if (!event->of[i])
			continue;
		runs++;
		if (mean <= 0 || mean >= 1)
			continue;
		const double off = pd_share(&row->cells[(size_t)quantity * nr + i], &event->of[i]->all) - mean;
		const double samples = pd_effective_samples(&event->of[i]->all);
		seen.dispersion += samples * off * off / (mean * (1 - mean));
		seen.size += samples * mean * (1 - mean);
	}
	seen.dispersion /= runs > 2 ? (double)(runs - 2) : 1;
	seen.size /= runs ? (double)runs : 1;
	return seen;
}

/* Returns the median dispersion of independent samples, to which smaller values are raised: recordings of steady work
 * may vary less than chance, which says nothing about how much functions differ. */
static double even_of(double degrees)
{
	const double cube = 1 - 2 / (9 * degrees);
	return cube * cube * cube;
}

/* Returns the log likelihood of the observed dispersion if dispersions are distributed around `expected` like variances
 * with `prior_degrees` degrees of freedom, without terms that do not depend on the parameters. */
static double log_of(const struct seen *seen, double degrees, double expected, double prior_degrees)
{
	const double even = even_of(degrees);
	return seen->dispersion > even
		       ? pd_log_density_of_variance(seen->dispersion, degrees, expected, prior_degrees)
		       : log(pd_probability_of_variance(even, degrees, expected, prior_degrees));
}

/* As log_of, for a function like most others (log_common) and for one of another kind (log_strange). */
static double log_common(const struct seen *seen, double degrees, double variation, double prior_degrees)
{
	return log(1 - strange) + log_of(seen, degrees, expected_of(variation, seen->size), prior_degrees);
}

static double log_strange(const struct seen *seen, double degrees, double variation)
{
	return log(strange) + log_of(seen, degrees, strangeness * expected_of(variation, seen->size), strange_degrees);
}

/* Returns the log likelihood of all functions. others: log_strange of each function. */
static double log_likelihood(const struct seen *seen, const double *others, size_t nr, double degrees, double variation,
			     double prior_degrees)
{
	double sum = 0;
	for (size_t i = 0; i < nr; i++) {
		const double common = log_common(&seen[i], degrees, variation, prior_degrees);
		sum += fmax(common, others[i]) + log1p(exp(-fabs(common - others[i])));
	}
	return sum;
}

/* Computes the means of the parameters over all values, weighed by the likelihood of the observed runs. If functions or
 * runs are few, the range of likely values is wide, so a grid is exact enough. */
static void find_alike(const struct seen *seen, size_t nr, struct alike *alike)
{
	double others[MOST_FUNCTIONS];
	static const double priors[] = { 2, 4, 8, 16, 32, 64, 128, HUGE_VAL };
	enum { PRIORS = sizeof priors / sizeof *priors };
	double logs[STEPS][PRIORS], most = -HUGE_VAL, sum = 0, variations = 0, inverses = 0;
	for (unsigned step = 0; step < STEPS; step++) {
		const double variation = variation_of(step), relative = variation / (usual * usual);
		/* the prior: a half-Cauchy distribution of the square root, on a logarithmic scale */
		const double before = log(relative) / 2 - log1p(relative);
		for (size_t i = 0; i < nr; i++)
			others[i] = log_strange(&seen[i], alike->degrees, variation);
		for (unsigned p = 0; p < PRIORS; p++) {
			logs[step][p] = before + log_likelihood(seen, others, nr, alike->degrees, variation, priors[p]);
			most = fmax(most, logs[step][p]);
		}
	}
	for (unsigned step = 0; step < STEPS; step++)
		for (unsigned p = 0; p < PRIORS; p++) {
			const double weight = exp(logs[step][p] - most);
			sum += weight;
			variations += weight * variation_of(step);
			inverses += weight / priors[p];
		}
	alike->variation = variations / sum;
	/* The functions of an event cannot show more degrees than all of them have together. */
	alike->prior_degrees = fmin(sum / inverses, alike->all_degrees + 1);
}

/* Whether a kernel function handles what interrupts or preempts the program: it is an entry of interrupts on x86 or
 * arm64, or belongs to timer ticks, soft interrupts or the scheduler. */
static bool handles_interrupts(const struct perfdata_comparison_row *row)
{
	static const char *const beginnings[] = {
		"asm_sysvec_", "sysvec_", "__sysvec_", "asm_common_interrupt", "common_interrupt", "irqentry_",
		"irq_enter", "irq_exit", "__irq_exit", "exit_to_user_mode", "el0t_64_irq", "el1h_64_irq",
		"el0_interrupt", "el1_interrupt", "gic_handle_irq", "handle_softirqs", "__do_softirq",
		"__softirqentry_text_start", "hrtimer_interrupt", "__hrtimer_run_queues", "update_process_times",
		"scheduler_tick", "sched_tick", "schedule", "__schedule", "preempt_schedule", "finish_task_switch",
	};
	if (strcmp(row->file, "[kernel]") != 0)
		return false;
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (!strncmp(row->key, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static void set_row(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
		    struct pd_compare_row *row, const struct alike *alike)
{
	for (unsigned quantity = 0; quantity < PD_QUANTITIES; quantity++) {
		const double assumed = comparison->limits.dispersion, degrees = alike->degrees;
		double *dispersion = &row->dispersion[quantity], *freedom = &row->degrees[quantity];
		*dispersion = handles_interrupts(&row->reported) ? assumed * interrupts : assumed;
		*freedom = HUGE_VAL;
		if (!event->reported.dispersion_known)
			continue;
		const struct seen seen = observe_row(comparison, event, row, quantity);
		const bool other = log_strange(&seen, degrees, alike->variation) >
				   log_common(&seen, degrees, alike->variation, alike->prior_degrees);
		const double prior_degrees = other ? 0 : alike->prior_degrees,
			     expected = (assumed + alike->all_degrees * expected_of(alike->variation, seen.size)) /
					(1 + alike->all_degrees);
		*freedom = prior_degrees + degrees;
		*dispersion = fmax(1, (prior_degrees * expected + degrees * seen.dispersion) / *freedom);
	}
}

static bool tells_spread(const struct pd_compare_event *event, const struct pd_compare_row *row, size_t runs)
{
	const struct pd_share_sums *sums = row->sums[PD_SELF];
	return sums[0].n + sums[1].n && sums[0].n + sums[1].n >= FEW * runs &&
	       pd_compare_pooled(event, row, PD_SELF) >= least_share;
}

void pd_compare_find_dispersion(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	struct seen seen[MOST_FUNCTIONS];
	double all[MOST_FUNCTIONS];
	struct alike alike = { 0 };
	size_t nr = 0, runs = 0;
	for (size_t i = 0; i < pd_compare_nr(comparison); i++)
		runs += event->of[i] != NULL;
	event->reported.dispersion = comparison->limits.dispersion;
	event->reported.dispersion_known = runs > 2;
	for (size_t i = 0; runs > 2 && nr < MOST_FUNCTIONS && i < event->nr_rows; i++)
		if (tells_spread(event, &event->rows[i], runs)) {
			seen[nr] = observe_row(comparison, event, &event->rows[i], PD_SELF);
			all[nr] = seen[nr].dispersion;
			nr++;
		}
	if (runs > 2) {
		/* the median dispersion, relative to that of independent samples */
		const double degrees = (double)(runs - 2);
		event->reported.dispersion = nr ? pd_median(all, nr) / even_of(degrees) : 1;
		alike.degrees = degrees;
		alike.all_degrees = degrees * (double)nr;
		find_alike(seen, nr, &alike);
	}
	for (size_t i = 0; i < event->nr_rows; i++)
		set_row(comparison, event, &event->rows[i], &alike);
}
