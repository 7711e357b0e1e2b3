/* SPDX-License-Identifier: MIT */
/* What a comparison says of sides whose samples are as their costs want them: what it finds, what it admits that it
 * cannot see, what it measures a function by, and whose rise a rise is. */
#include "config.h"
#include <math.h>
#include "unit.h"
#include "perfdata/compare.h"

enum { FUNCTIONS = 20, MOST_RUNS = 6 };

/* main calls parse, and that f0; main calls the others. */
struct program {
	const char *file;
	double work[FUNCTIONS];
	double units;                    /* of work in a recording: samples are `units` times as many */
	const char *first;           /* the name of the first function, in a library; or NULL */
	double broken;               /* part of the stacks that goes through addresses of no file */
};

/* f0 has `share` of the weight, the others have parts of the rest that differ. */
static struct program program_of(double share)
{
	struct program program = { .file = "/a/prog", .units = 1 };
	double sum = 0;
	program.work[0] = share;
	for (unsigned i = 1; i < FUNCTIONS; i++)
		sum += 1.0 / (3 + i);
	for (unsigned i = 1; i < FUNCTIONS; i++)
		program.work[i] = (1 - share) / (3 + i) / sum;
	return program;
}

static unsigned nr_spelt;   /* each is a run of its own, which took another time */

static void spell(struct perfdata_text *out, const struct program *program, const unsigned *counts)
{
	const unsigned parse = FUNCTIONS, root = FUNCTIONS + 1;
	unsigned all = 0;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		all += counts[i];
	perfdata_text_printf(out, "perfdata-baseline/1\nby\tsymbol\nfile\t0\t0\t\t%s\n", program->file);
	if (program->first)
		perfdata_text_printf(out, "file\t1\t0\t\t/lib/libdemo.so\nkey\t0\t1\t%s\t\t\t1\n", program->first);
	for (unsigned i = program->first != NULL; i < FUNCTIONS; i++)
		perfdata_text_printf(out, "key\t%u\t0\tf%u\t\t\t1\n", i, i);
	perfdata_text_printf(out,
			     "key\t%u\t0\tparse\t\t\t1\nkey\t%u\t0\tmain\t\t\t1\n"
			     "recording\trun\t%u\t0\t0\t1\tx86_64\tcpu\t2\t6.1\n"
			     "event\tcycles\t0/0/0/0\t\tfreq 99\t0\tperiod\trecorded\t0\t%u\t%u\t%x\t%u\t0\t0\n",
			     parse, root, 5000000 + nr_spelt++, all, all, all, all);
	if (program->broken > 0)
		perfdata_text_printf(out, "key\t%u\t\t[unknown]\t\t\t1\nsum\t%u\t0\t0\t0\t%u\t%u\t%x\n", root + 1,
				     root + 1, (unsigned)(program->broken * all), (unsigned)(program->broken * all),
				     (unsigned)(program->broken * all));
	for (unsigned i = 0; i < FUNCTIONS; i++)
		perfdata_text_printf(out, "sum\t%u\t%u\t%u\t%x\t%u\t%u\t%x\n", i, counts[i], counts[i], counts[i],
				     counts[i], counts[i], counts[i]);
	perfdata_text_printf(out, "sum\t%u\t0\t0\t0\t%u\t%u\t%x\nsum\t%u\t0\t0\t0\t%u\t%u\t%x\n", parse, counts[0],
			     counts[0], counts[0], root, all, all, all);
	perfdata_text_printf(out, "edge\t%u\t%u\t%u\t%u\nedge\t%u\t0\t%u\t%u\n", root, parse, counts[0], counts[0],
			     parse, counts[0], counts[0]);
	for (unsigned i = 1; i < FUNCTIONS; i++)
		perfdata_text_printf(out, "edge\t%u\t%u\t%u\t%u\n", root, i, counts[i], counts[i]);
}

/* Recordings of so many samples. `spread`: how far functions, and `drift`: how far whole runs, are off from run to
 * run. */
static struct perfdata_baseline *side_of(const struct program *program, unsigned runs, unsigned samples,
					 double spread, double drift)
{
	struct perfdata_baseline *side = perfdata_baseline_new();
	double all = 0;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		all += program->work[i];
	for (unsigned run = 0; run < runs; run++) {
		struct perfdata_text text;
		struct perfdata_error error;
		unsigned counts[FUNCTIONS];
		const double off = run % 2 ? 1 : -1, scale = program->units > 1 ? program->units * samples
										 : samples / all;
		for (unsigned i = 0; i < FUNCTIONS; i++)
			counts[i] = (unsigned)(program->work[i] * scale * (1 + off * drift) *
					       (1 + (i % 2 ? off : -off) * spread) + 0.5);
		perfdata_text_init(&text);
		spell(&text, program, counts);
		CHECK_EQ(perfdata_baseline_add(side, text.data, text.size, &error), PERFDATA_OK);
		perfdata_text_release(&text);
	}
	return side;
}

static struct perfdata_comparison *compare(struct perfdata_baseline *before, struct perfdata_baseline *after,
					   const struct perfdata_comparison_options *options)
{
	struct perfdata_comparison *comparison = NULL;
	struct perfdata_error error;
	CHECK_EQ(perfdata_compare(before, after, options, &comparison, &error), PERFDATA_OK);
	perfdata_baseline_free(before);
	perfdata_baseline_free(after);
	return comparison;
}

static struct perfdata_comparison *grow(double share, double growth, unsigned runs, unsigned samples)
{
	struct program before = program_of(share), after = before;
	after.work[0] *= growth;
	return compare(side_of(&before, runs, samples, 0, 0), side_of(&after, runs, samples, 0, 0), NULL);
}

static const struct perfdata_comparison_row *row_of(const struct perfdata_comparison *comparison, const char *key)
{
	const struct perfdata_comparison_row *row;
	for (size_t i = 0; (row = perfdata_comparison_row(comparison, 0, i)); i++)
		if (!strcmp(row->key, key))
			return row;
	return NULL;
}

static bool has_note(const struct perfdata_comparison *comparison, const char *code, const char *with)
{
	const struct perfdata_comparison_note *note;
	for (size_t i = 0; (note = perfdata_comparison_note(comparison, i)); i++)
		if (!strcmp(note->code, code) && strstr(note->message, with))
			return true;
	return false;
}

static double distance(double a, double b) { return fabs(a - b); }

static void check_verdict(double share, double growth, unsigned runs, unsigned samples, enum perfdata_verdict verdict)
{
	struct perfdata_comparison *comparison = grow(share, growth, runs, samples);
	CHECK_EQ(perfdata_comparison_verdict(comparison), verdict);
	perfdata_comparison_free(comparison);
}

static void test_sight(void)
{
	/* nothing changed: that is certain with many samples only */
	check_verdict(0.37, 1, 3, 3000, PERFDATA_VERDICT_INCONCLUSIVE);
	check_verdict(0.37, 1, 3, 100000, PERFDATA_VERDICT_PASS);
	/* just beyond the limit: seen or admitted to be unseen */
	check_verdict(0.37, 1.101, 3, 1000, PERFDATA_VERDICT_INCONCLUSIVE);
	check_verdict(0.37, 1.101, 3, 5000, PERFDATA_VERDICT_INCONCLUSIVE);
	check_verdict(0.37, 1.101, 3, 20000, PERFDATA_VERDICT_FAIL);
	check_verdict(0.37, 1.101, 6, 100000, PERFDATA_VERDICT_FAIL);
	/* certain to be more, and not certain to be below the limit */
	check_verdict(0.37, 1.095, 3, 30000, PERFDATA_VERDICT_INCONCLUSIVE);
	check_verdict(0.37, 1.05, 6, 100000, PERFDATA_VERDICT_PASS);
	struct perfdata_comparison *comparison = grow(0.37, 1.095, 3, 30000);
	CHECK(has_note(comparison, "near-limit", "f0"));
	perfdata_comparison_free(comparison);
	comparison = grow(0.37, 1, 3, 3000);
	CHECK(has_note(comparison, "few-samples", "times as many would show it"));
	const struct perfdata_comparison_row *row = row_of(comparison, "f0");
	CHECK(row->self.visible > 0.037);
	perfdata_comparison_free(comparison);
	/* a function that is new is judged from the least share on, though it has half of that in the mean */
	struct program before = program_of(0), after = program_of(0.013);
	comparison = compare(side_of(&before, 3, 50000, 0, 0), side_of(&after, 3, 50000, 0, 0), NULL);
	CHECK_EQ(row_of(comparison, "f0")->change, PERFDATA_CHANGE_REGRESSED);
	perfdata_comparison_free(comparison);
}

static void test_work(void)
{
	/* 10 % more work in 37 % are 1.06 as a share, and the rows say 1.10 and add up */
	struct perfdata_comparison *comparison = grow(0.37, 1.1, 3, 50000);
	const struct perfdata_comparison_row *row;
	for (size_t i = 0; (row = perfdata_comparison_row(comparison, 0, i)); i++) {
		CHECK(distance(row->self.share[0] + row->self.delta, row->self.compared) < 1e-12);
		CHECK(distance(row->inclusive.share[0] + row->inclusive.delta, row->inclusive.compared) < 1e-12);
		if (!strcmp(row->key, "f0"))
			CHECK(distance(row->self.ratio, 1.1) < 1e-3 && row->self.share[1] < 0.4);
		else if (row->self.share[0] > 0)
			CHECK(distance(row->self.ratio, 1) < 1e-2);
	}
	CHECK(distance(perfdata_comparison_event(comparison, 0)->scale, 1 / 1.037) < 1e-3);
	perfdata_comparison_free(comparison);
	/* as exact as shares are: a change of one function has the same p by both */
	struct program before = program_of(0.37), after = before;
	after.work[0] *= 1.1;
	PERFDATA_OPTIONS(perfdata_comparison_options, scaled, .dispersion = 1);
	PERFDATA_OPTIONS(perfdata_comparison_options, options, .normalize = PERFDATA_NORMALIZE_SHARE, .dispersion = 1);
	comparison = compare(side_of(&before, 3, 3300, 0, 0), side_of(&after, 3, 3300, 0, 0), &scaled);
	struct perfdata_comparison *share = compare(side_of(&before, 3, 3300, 0, 0), side_of(&after, 3, 3300, 0, 0),
						    &options);
	const double p = row_of(comparison, "f0")->self.p, other = row_of(share, "f0")->self.p;
	CHECK(p < 3e-3 && log(p) / log(other) > 0.85);
	perfdata_comparison_free(comparison);
	perfdata_comparison_free(share);
	/* a function that leaves next to nothing is measured by nothing */
	comparison = grow(0.99, 1.5, 3, 50000);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCONCLUSIVE);
	CHECK(has_note(comparison, "nothing-else", "--units") && isinf(row_of(comparison, "f0")->self.visible));
	perfdata_comparison_free(comparison);
	/* what halved makes nothing else a regression, however large it was */
	comparison = grow(0.4, 0.5, 3, 50000);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_PASS);
	CHECK_EQ(row_of(comparison, "f0")->change, PERFDATA_CHANGE_IMPROVED);
	perfdata_comparison_free(comparison);
}

/* A side's recordings, in which f0 has so many of 2,000 samples each. */
static struct perfdata_baseline *side_with(const unsigned *first, unsigned runs)
{
	struct perfdata_baseline *side = perfdata_baseline_new();
	for (unsigned run = 0; run < runs; run++) {
		struct program program = program_of(first[run] / 2000.0);
		struct perfdata_baseline *one = side_of(&program, 1, 2000, 0, 0);
		struct perfdata_text text;
		struct perfdata_error error;
		perfdata_text_init(&text);
		perfdata_baseline_write(one, &text);
		CHECK_EQ(perfdata_baseline_add(side, text.data, text.size, &error), PERFDATA_OK);
		perfdata_text_release(&text);
		perfdata_baseline_free(one);
	}
	return side;
}

/* Variance that few runs do not show: zeroing of pages takes a fourteenth of one run, and none of the next. */
static void test_few_runs(void)
{
	static const unsigned none[] = { 10, 8, 9, 10, 8, 9 }, some[] = { 160, 60, 70, 150, 140, 150 };
	for (unsigned runs = 1; runs <= 2; runs++) {
		const unsigned first[] = { 10, 30 }, second[] = { 60, 95 };
		struct perfdata_comparison *comparison = compare(side_with(first, runs), side_with(second, runs), NULL);
		CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCONCLUSIVE);
		CHECK(row_of(comparison, "f0")->self.dispersion == 5 || runs > 1);
		perfdata_comparison_free(comparison);
	}
	/* six runs that agree say enough */
	struct perfdata_comparison *comparison = compare(side_with(none, 6), side_with(some, 6), NULL);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_FAIL);
	CHECK_EQ(row_of(comparison, "f0")->change, PERFDATA_CHANGE_REGRESSED);
	perfdata_comparison_free(comparison);
}

/* Each function says little of its spread in three runs; all of them say enough. */
static void test_spread_of_all(void)
{
	check_verdict(0.1, 1.4, 3, 1000, PERFDATA_VERDICT_FAIL);
	check_verdict(0.1, 1.4, 2, 1000, PERFDATA_VERDICT_INCONCLUSIVE);
	check_verdict(0.1, 1.4, 1, 3000, PERFDATA_VERDICT_INCONCLUSIVE);
	/* the same rise where the work of all functions varies by a tenth from run to run */
	struct program before = program_of(0.1), after = program_of(0.1);
	after.work[0] *= 1.4;
	struct perfdata_comparison *comparison = compare(side_of(&before, 4, 10000, 0, 0),
							 side_of(&after, 4, 10000, 0, 0), NULL);
	const double quiet = row_of(comparison, "f0")->self.adjusted_p;
	perfdata_comparison_free(comparison);
	comparison = compare(side_of(&before, 4, 10000, 0.1, 0), side_of(&after, 4, 10000, 0.1, 0), NULL);
	CHECK(row_of(comparison, "f0")->self.adjusted_p > 100 * quiet);
	/* what varies by a part of its work does so more visibly where it is large */
	CHECK(row_of(comparison, "f0")->self.dispersion > 2 * row_of(comparison, "f19")->self.dispersion);
	perfdata_comparison_free(comparison);
	/* one that varies by much more than all others says nothing of them, nor they of it */
	static const unsigned first[] = { 10, 160, 30 }, second[] = { 140, 20, 250 };
	comparison = compare(side_with(first, 3), side_with(second, 3), NULL);
	CHECK(row_of(comparison, "f0")->self.dispersion > 20);
	CHECK(row_of(comparison, "f1")->self.dispersion < 2);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCONCLUSIVE);
	perfdata_comparison_free(comparison);
}

static void test_spread(void)
{
	/* what varies by a fifth from run to run, and is a tenth more after, may be chance */
	struct program before = program_of(0.2), after = before;
	after.work[0] *= 1.2;
	struct perfdata_comparison *comparison = compare(side_of(&before, 4, 20000, 0.2, 0),
							 side_of(&after, 4, 20000, 0.2, 0), NULL);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCONCLUSIVE);
	CHECK(perfdata_comparison_event(comparison, 0)->dispersion > 10);
	perfdata_comparison_free(comparison);
	/* so may what is a fifth more by units, if whole runs vary by as much */
	const double units[] = { 1000 };
	PERFDATA_OPTIONS(perfdata_comparison_options, options, .normalize = PERFDATA_NORMALIZE_UNIT,
			 .units = { units, units }, .nr_units = { 1, 1 });
	for (unsigned drifts = 0; drifts < 2; drifts++) {
		before.units = after.units = 2;
		comparison = compare(side_of(&before, 4, 20000, 0, drifts * 0.2),
				     side_of(&after, 4, 20000, 0, drifts * 0.2), &options);
		CHECK(distance(row_of(comparison, "f0")->self.ratio, 1.2) < 1e-3);
		CHECK_EQ(row_of(comparison, "f0")->change,
			 drifts ? PERFDATA_CHANGE_NOISE : PERFDATA_CHANGE_REGRESSED);
		perfdata_comparison_free(comparison);
	}
}

static void test_causes(void)
{
	struct perfdata_comparison *comparison = grow(0.2, 2, 3, 50000);
	const struct perfdata_comparison_row *first = perfdata_comparison_row(comparison, 0, 0),
					     *second = perfdata_comparison_row(comparison, 0, 1);
	CHECK_STR(first->key, "f0");
	CHECK(!first->cause && first->change == PERFDATA_CHANGE_REGRESSED);
	CHECK(second->change == PERFDATA_CHANGE_REGRESSED && second->cause && !strcmp(second->cause, "f0"));
	CHECK_STR(row_of(comparison, "parse")->cause, "f0");
	CHECK_STR(row_of(comparison, "main")->cause, "f0");
	perfdata_comparison_free(comparison);
	/* what is allowed to cost more lets its callers cost more */
	struct program before = program_of(0.2), after = before;
	after.work[0] *= 2;
	PERFDATA_OPTIONS(perfdata_comparison_options, options, .allow = "cycles\tf0\tany\tknown\n");
	comparison = compare(side_of(&before, 3, 100000, 0, 0), side_of(&after, 3, 100000, 0, 0), &options);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_PASS);
	CHECK_EQ(row_of(comparison, "parse")->change, PERFDATA_CHANGE_ALLOWED);
	CHECK_STR(row_of(comparison, "main")->reason, "known");
	perfdata_comparison_free(comparison);
}

/* In few samples, chance decides how much is left beside a function with nearly all weight. */
static void test_few_others(void)
{
	struct program before = program_of(0.7), after = before;
	for (unsigned i = 1; i < FUNCTIONS; i++)
		after.work[i] *= 0.4;
	struct perfdata_comparison *comparison = compare(side_of(&before, 1, 60, 0, 0), side_of(&after, 1, 60, 0, 0),
							 NULL);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCONCLUSIVE);
	const struct perfdata_comparison_row *row;
	for (size_t i = 0; (row = perfdata_comparison_row(comparison, 0, i)); i++)
		CHECK(row->self.compared <= 1.001 && row->inclusive.compared <= 1.001);
	CHECK(row_of(comparison, "f0")->self.visible > 1);
	perfdata_comparison_free(comparison);
	/* what shows all the same is measured by the rest */
	before = after = program_of(0.9);
	after.work[0] *= 2;
	comparison = compare(side_of(&before, 3, 2000, 0, 0), side_of(&after, 3, 2000, 0, 0), NULL);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_FAIL);
	CHECK(distance(row_of(comparison, "f0")->self.ratio, 2) < 0.1);
	perfdata_comparison_free(comparison);
}

/* Stacks that go through addresses of no file were recorded wrong, and more of them are no cost. */
static void test_broken_stacks(void)
{
	struct program before = program_of(0.2), after = before;
	before.broken = 0.1;
	after.broken = 0.9;
	struct perfdata_comparison *comparison = compare(side_of(&before, 3, 100000, 0, 0),
							 side_of(&after, 3, 100000, 0, 0), NULL);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_PASS);
	CHECK_EQ(row_of(comparison, "[unknown]")->change, PERFDATA_CHANGE_NOT_JUDGED);
	perfdata_comparison_free(comparison);
}

static void test_matching(void)
{
	struct program before = program_of(0.2), after = before;
	after.file = "/b/renamed";
	struct perfdata_comparison *comparison = compare(side_of(&before, 3, 20000, 0, 0),
							 side_of(&after, 3, 20000, 0, 0), NULL);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCOMPARABLE);
	CHECK(has_note(comparison, "matched", "0.0 % of the weight before and 0.0 % after"));
	CHECK(has_note(comparison, "renamed-file", "--map-dso 'prog=renamed'"));
	/* nothing is said to have changed, and each row adds up */
	const struct perfdata_comparison_row *row;
	for (size_t i = 0; (row = perfdata_comparison_row(comparison, 0, i)); i++) {
		CHECK(row->change <= PERFDATA_CHANGE_UNMATCHED);
		CHECK(row->self.compared <= 1 + 1e-9 && row->inclusive.compared <= 1 + 1e-9);
		CHECK(distance(row->self.share[0] + row->self.delta, row->self.compared) < 1e-12);
	}
	CHECK_EQ(row_of(comparison, "f0")->change, PERFDATA_CHANGE_UNMATCHED);
	CHECK(!has_note(comparison, "nothing-else", "") && !has_note(comparison, "few-samples", ""));
	perfdata_comparison_free(comparison);
	PERFDATA_OPTIONS(perfdata_comparison_options, options, .same_files = &(const char *const){ "prog=renamed" },
			 .nr_same_files = 1);
	comparison = compare(side_of(&before, 3, 100000, 0, 0), side_of(&after, 3, 100000, 0, 0), &options);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_PASS);
	CHECK(!has_note(comparison, "matched", ""));
	perfdata_comparison_free(comparison);
	/* what two programs have in common is no measure for the rest, also where that is allowed */
	struct program one = program_of(0.5), other = program_of(0.74);
	one.first = "alpha";
	other.first = "beta";
	PERFDATA_OPTIONS(perfdata_comparison_options, allowed, .despite = &(const char *const){ "all" },
			 .nr_despite = 1);
	comparison = compare(side_of(&one, 1, 300, 0, 0), side_of(&other, 1, 600, 0, 0), &allowed);
	CHECK(has_note(comparison, "matched", ""));
	CHECK(row_of(comparison, "beta")->self.share[1] > 0.7);
	for (size_t i = 0; (row = perfdata_comparison_row(comparison, 0, i)); i++)
		CHECK(row->self.compared <= 1 + 1e-9 && row->inclusive.compared <= 1 + 1e-9);
	perfdata_comparison_free(comparison);
	/* another folder is the same file */
	after.file = "/b/prog";
	comparison = compare(side_of(&before, 3, 20000, 0, 0), side_of(&after, 3, 20000, 0, 0), NULL);
	CHECK(!has_note(comparison, "matched", ""));
	perfdata_comparison_free(comparison);
}

/* A key for which one side has no names is neither new nor gone. */
static void test_names_of_one_side(void)
{
	struct program before = program_of(0.2), after = before;
	before.first = "demo_read";
	after.first = "(unnamed)";
	struct perfdata_comparison *comparison = compare(side_of(&before, 3, 100000, 0, 0),
							 side_of(&after, 3, 100000, 0, 0), NULL);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_PASS);
	CHECK_EQ(row_of(comparison, "demo_read")->change, PERFDATA_CHANGE_UNMATCHED);
	CHECK_EQ(row_of(comparison, "(unnamed)")->change, PERFDATA_CHANGE_UNMATCHED);
	CHECK(has_note(comparison, "named-on-one-side", "only the recordings before have names for libdemo.so"));
	perfdata_comparison_free(comparison);
	comparison = compare(side_of(&after, 3, 100000, 0, 0), side_of(&before, 3, 100000, 0, 0), NULL);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_PASS);
	CHECK(has_note(comparison, "named-on-one-side", "only the recordings after have names for libdemo.so"));
	perfdata_comparison_free(comparison);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what is seen, and what is not seen never passes", test_sight },
		{ "a function is measured by the rest that did not change", test_work },
		{ "what few runs cannot say of their spread is assumed", test_few_runs },
		{ "all functions show the spread of each", test_spread_of_all },
		{ "the spread of repeat runs counts", test_spread },
		{ "causes come first, and their callers are marked", test_causes },
		{ "names of one side alone", test_names_of_one_side },
		{ "broken stacks are no cost", test_broken_stacks },
		{ "few samples of all others", test_few_others },
		{ "sides that have little in common", test_matching },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
