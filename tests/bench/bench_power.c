/* SPDX-License-Identifier: MIT */
/* What a comparison finds: draws samples of a program whose costs are known, before and after a change of one function,
 * compares them as `perfdata diff` does by default, and prints tables of how often it finds what, and how often that is
 * possible. doc/diff.md has them.
 *
 *     tests/bench/bench_power [TRIALS [SPREAD [SAMPLES]]]
 *
 * TRIALS pairs a cell (default 200). SPREAD: the standard deviation of the logarithm by which the work of each function
 * varies from run to run (default 0: runs do the same work). SAMPLES: of a recording (default: 1000 and 10000). Same
 * arguments, same tables. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/compare.h"

enum { OTHERS = 30, LEAVES = OTHERS + 1, GROUPS = 3 };

static uint64_t state;

static double random_part(void)
{
	state += 0x9e3779b97f4a7c15u;
	uint64_t z = state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static double random_normal(void)
{
	return sqrt(-2 * log(1 - random_part())) * cos(6.283185307179586 * random_part());
}

/* Work of each function: number 0 is the one that changes, with `share` of the whole before; the others are of
 * decreasing size. */
static void make_work(double share, double *work)
{
	double sum = 0;
	for (unsigned i = 1; i < LEAVES; i++)
		sum += work[i] = 1.0 / (i + 2);
	for (unsigned i = 1; i < LEAVES; i++)
		work[i] *= (1 - share) / sum;
	work[0] = share;
}

static void draw(const double *work, double spread, unsigned samples, unsigned *counts)
{
	double sums[LEAVES], sum = 0;
	for (unsigned i = 0; i < LEAVES; i++)
		sums[i] = sum += work[i] * (spread > 0 ? exp(spread * random_normal()) : 1);
	memset(counts, 0, LEAVES * sizeof *counts);
	for (unsigned s = 0; s < samples; s++) {
		const double at = random_part() * sum;
		unsigned low = 0, high = LEAVES - 1;
		while (low < high) {
			const unsigned middle = (low + high) / 2;
			if (sums[middle] > at)
				high = middle;
			else
				low = middle + 1;
		}
		counts[low]++;
	}
}

/* A recording as the emitter `baseline` writes it: leaf i is called by group i % GROUPS, groups by main. */
static void spell(struct perfdata_text *out, const unsigned *counts, unsigned samples)
{
	unsigned groups[GROUPS] = { 0 };
	perfdata_text_clear(out);
	perfdata_text_literal(out, "perfdata-baseline/1\nby\tsymbol\nfile\t0\t0\tabcd\t/usr/bin/prog\n");
	for (unsigned i = 0; i < LEAVES; i++)
		perfdata_text_printf(out, "key\t%u\t0\tf%u\t\t\t1\n", i, i);
	for (unsigned i = 0; i < GROUPS; i++)
		perfdata_text_printf(out, "key\t%u\t0\tgroup%u\t\t\t1\n", LEAVES + i, i);
	perfdata_text_printf(out,
			     "key\t%u\t0\tmain\t\t\t1\nrecording\trun\t1000000000\t0\t0\t1\tx86_64\tcpu\t2\t6.1\n"
			     "event\tcycles\t0/0/0/0\t\tfreq 999\t0\tperiod\trecorded\t0\t%u\t%u\t%x\t%u\t0\t0\n",
			     LEAVES + GROUPS, samples, samples, samples, samples);
	for (unsigned i = 0; i < LEAVES; i++) {
		const unsigned n = counts[i];
		groups[i % GROUPS] += n;
		if (n)
			perfdata_text_printf(out, "sum\t%u\t%u\t%u\t%x\t%u\t%u\t%x\n", i, n, n, n, n, n, n);
	}
	for (unsigned i = 0; i <= GROUPS; i++) {
		const unsigned n = i < GROUPS ? groups[i] : samples;
		perfdata_text_printf(out, "sum\t%u\t0\t0\t0\t%u\t%u\t%x\n", LEAVES + i, n, n, n);
	}
	for (unsigned i = 0; i < LEAVES; i++)
		if (counts[i])
			perfdata_text_printf(out, "edge\t%u\t%u\t%u\t%u\n", LEAVES + i % GROUPS, i, counts[i],
					     counts[i]);
	for (unsigned i = 0; i < GROUPS; i++)
		perfdata_text_printf(out, "edge\t%u\t%u\t%u\t%u\n", LEAVES + GROUPS, LEAVES + i, groups[i], groups[i]);
}

static struct perfdata_baseline *make_side(const double *work, double spread, unsigned runs, unsigned samples,
					   struct perfdata_text *text)
{
	struct perfdata_baseline *side = perfdata_baseline_new();
	struct perfdata_error error;
	unsigned counts[LEAVES];
	for (unsigned run = 0; run < runs; run++) {
		draw(work, spread, samples, counts);
		spell(text, counts, samples);
		if (!side || perfdata_text_failed(text) ||
		    perfdata_baseline_add(side, text->data, text->size, &error) != PERFDATA_OK)
			exit(1);
	}
	return side;
}

/* What could be found: the part of pairs in which a test that knows how far runs are apart would find the change, with
 * the same limits, the same alpha and as many functions tested. */
static double possible(double share, double growth, unsigned runs, unsigned samples, double spread, unsigned tests)
{
	double work[LEAVES], squares = 0, least;
	make_work(share, work);
	for (unsigned i = 1; i < LEAVES; i++)
		squares += work[i] * work[i] / ((1 - share) * (1 - share));
	const double n = (double)runs * samples, rise = share * (growth - 1), whole = 1 + rise;
	const double middle = share + rise / 2;
	const double variance = share / n + share * growth * whole / n +
				middle * middle * ((1 + whole) / (n * (1 - share)) +
						   2 * spread * spread * (1 + squares) / runs);
	/* how many standard errors are needed for the adjusted p, by bisection */
	double low = 0, high = 40;
	for (unsigned i = 0; i < 60; i++) {
		const double at = (low + high) / 2;
		if (erfc(at / sqrt(2)) * tests > 0.01)
			low = at;
		else
			high = at;
	}
	least = fmax(fmax(0.01, 0.1 * share), low * sqrt(variance));
	return erfc((least - rise) / sqrt(2 * variance)) / 2;
}

struct cell { unsigned found, other, tests, verdicts[4]; };

static void count(const struct perfdata_comparison *comparison, struct cell *cell)
{
	const struct perfdata_comparison_row *row;
	bool found = false, other = false;
	for (size_t i = 0; (row = perfdata_comparison_row(comparison, 0, i)); i++) {
		const bool regressed = row->change == PERFDATA_CHANGE_REGRESSED;
		const bool above = !strcmp(row->key, "main") || !strcmp(row->key, "group0");
		found |= regressed && !strcmp(row->key, "f0");
		other |= regressed && strcmp(row->key, "f0") != 0 && !above;
	}
	cell->tests = (unsigned)perfdata_comparison_event(comparison, 0)->nr_judged;
	cell->found += found;
	cell->other += other;
	cell->verdicts[perfdata_comparison_verdict(comparison)]++;
}

static struct cell try_pairs(double share, double growth, unsigned runs, unsigned samples, unsigned trials,
			     double spread)
{
	struct cell cell = { 0 };
	struct perfdata_text text;
	double before[LEAVES], after[LEAVES];
	perfdata_text_init(&text);
	make_work(share, before);
	memcpy(after, before, sizeof after);
	after[0] *= growth;
	for (unsigned i = 0; i < trials; i++) {
		struct perfdata_baseline *sides[2] = { make_side(before, spread, runs, samples, &text),
						       make_side(after, spread, runs, samples, &text) };
		struct perfdata_comparison *comparison;
		struct perfdata_error error;
		if (perfdata_compare(sides[0], sides[1], NULL, &comparison, &error) != PERFDATA_OK)
			exit(1);
		count(comparison, &cell);
		perfdata_comparison_free(comparison);
		perfdata_baseline_free(sides[0]);
		perfdata_baseline_free(sides[1]);
	}
	perfdata_text_release(&text);
	return cell;
}

static void print_table(unsigned samples, unsigned trials, double spread)
{
	static const unsigned runs[] = { 1, 3, 6, 10 };
	static const double shares[] = { 0.02, 0.1, 0.4 }, growths[] = { 1, 1.05, 1.1, 1.2, 1.5 };
	printf("\n%u samples a recording", samples);
	if (spread > 0)
		printf("; the work of each function varies by %g %% from run to run", spread * 100);
	printf("\n\n| a function of | does more work | points | 1 recording a side | 3 | 6 | 10 |\n"
	       "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
	for (unsigned g = 0; g < 5; g++)
		for (unsigned s = 0; s < 3; s++) {
			printf("| %g %% | ", shares[s] * 100);
			if (growths[g] > 1)
				printf("%.0f %% | +%.1f |", (growths[g] - 1) * 100, shares[s] * (growths[g] - 1) * 100);
			else
				printf("none | 0 |");
			for (unsigned r = 0; r < 4; r++) {
				const struct cell cell = try_pairs(shares[s], growths[g], runs[r], samples, trials,
								   spread);
				const unsigned fails = cell.verdicts[PERFDATA_VERDICT_FAIL];
				const double part = 100.0 / trials;
				printf(" %.3g; %.3g; %.3g", part * (growths[g] > 1 ? cell.found : fails),
				       part * cell.verdicts[PERFDATA_VERDICT_INCONCLUSIVE],
				       part * cell.verdicts[PERFDATA_VERDICT_PASS]);
				if (growths[g] > 1)
					printf("; %g", round(1000 * possible(shares[s], growths[g], runs[r], samples,
									     spread, cell.tests)) / 10);
				if (cell.other && growths[g] > 1)
					printf(" (another: %.3g)", part * cell.other);
				printf(" |");
				fflush(stdout);
			}
			printf("\n");
		}
}

int main(int argc, char **argv)
{
	const unsigned trials = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 200;
	const double spread = argc > 2 ? strtod(argv[2], NULL) : 0;
	const unsigned samples = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	if (!trials)
		return 2;
	if (samples) {
		print_table(samples, trials, spread);
	} else {
		print_table(1000, trials, spread);
		print_table(10000, trials, spread);
	}
	return 0;
}
