/* SPDX-License-Identifier: MIT */
/* Comparing recordings: the statistics against known values, names across builds, the text of a baseline, and what a
 * comparison says of sides that are made here. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "alloc_fail_pieces.h"
#include "unit.h"
#include "perfdata/compare.h"
#include "profile/file_pairs.h"
#include "profile/key_name.h"
#include "profile/statistics.h"

static bool is_near(double a, double b, double tolerance) { return fabs(a - b) <= tolerance * (1 + fabs(b)); }

static void test_distributions(void)
{
	CHECK(is_near(pd_normal_two_sided(1.959964), 0.05, 1e-6));
	CHECK(is_near(pd_normal_two_sided(-4.16), 3.183e-5, 1e-6));
	CHECK(is_near(pd_normal_quantile(0.025), 1.959964, 1e-6));
	CHECK(is_near(pd_normal_quantile(0.5), 0, 1e-9));
	CHECK(is_near(pd_normal_quantile(0.975), -1.959964, 1e-6));
	CHECK(is_near(pd_normal_quantile(1e-6), 4.753424, 1e-6));
	/* I_x(1, 1) = x, I_x(2, 3) = 6x² - 8x³ + 3x⁴ */
	CHECK(is_near(pd_incomplete_beta(1, 1, 0.3), 0.3, 1e-12));
	CHECK(is_near(pd_incomplete_beta(2, 3, 0.5), 0.6875, 1e-12));
	CHECK(is_near(pd_incomplete_beta(2, 3, 0.9), 0.9963, 1e-9));
	CHECK(is_near(pd_incomplete_beta(0.5, 0.5, 0.25), 1.0 / 3, 1e-12));
	CHECK_EQ(pd_incomplete_beta(2, 3, 0) * 10, 0);
	CHECK_EQ(pd_incomplete_beta(2, 3, 1) * 10, 10);
	/* tables of Student's t */
	CHECK(is_near(pd_student_two_sided(12.7062, 1), 0.05, 1e-6));
	CHECK(is_near(pd_student_two_sided(2.776445, 4), 0.05, 1e-6));
	CHECK(is_near(pd_student_two_sided(-2.228139, 10), 0.05, 1e-6));
	CHECK(is_near(pd_student_two_sided(3.373886, 100), 0.001055, 1e-4));
	CHECK(is_near(pd_student_two_sided(0, 3), 1, 1e-12));
	CHECK(is_near(pd_student_two_sided(1.959964, HUGE_VAL), 0.05, 1e-6));
	CHECK(is_near(pd_student_quantile(0.025, 1), 12.7062, 1e-6) && pd_student_quantile(0.5, 3) < 1e-9);
	CHECK(is_near(pd_student_quantile(0.025, 10), 2.228139, 1e-6));
	CHECK(is_near(pd_student_quantile(1e-6, HUGE_VAL), 4.753424, 1e-6));
	/* a variance of 4 degrees is most likely seen where the prior is what it is; a loose prior minds less */
	for (unsigned loose = 0; loose < 2; loose++) {
		const double prior_degrees = loose ? 3 : HUGE_VAL,
			     there = pd_log_density_of_variance(2, 4, 2, prior_degrees);
		CHECK(there > pd_log_density_of_variance(2, 4, 1.9, prior_degrees) &&
		      there > pd_log_density_of_variance(2, 4, 2.1, prior_degrees));
	}
	CHECK(pd_log_density_of_variance(40, 4, 2, 3) > pd_log_density_of_variance(40, 4, 2, HUGE_VAL) + 10);
	/* tables of F and of chi square */
	CHECK(is_near(pd_probability_of_variance(6.388233, 4, 1, 4), 0.95, 1e-6));
	CHECK(is_near(pd_probability_of_variance(2 * 9.487729 / 4, 4, 2, HUGE_VAL), 0.95, 1e-5));
	CHECK(is_near(pd_log_density_of_variance(3, 4, 2, 1e7), pd_log_density_of_variance(3, 4, 2, HUGE_VAL), 1e-5));
}

static void test_adjusting(void)
{
	double holm[] = { 0.01, 0.04, 0.03, 0.5 }, bh[] = { 0.01, 0.04, 0.03, 0.5 }, none[] = { 0.2, 0.1 };
	size_t order[4];
	pd_adjust(holm, 4, PD_ADJUST_HOLM, order);
	CHECK(is_near(holm[0], 0.04, 1e-12) && is_near(holm[1], 0.09, 1e-12) && is_near(holm[2], 0.09, 1e-12) &&
	      is_near(holm[3], 0.5, 1e-12));
	pd_adjust(bh, 4, PD_ADJUST_BH, order);
	CHECK(is_near(bh[0], 0.04, 1e-12) && is_near(bh[1], 4 * 0.04 / 3, 1e-12) &&
	      is_near(bh[2], 4 * 0.04 / 3, 1e-12) && is_near(bh[3], 0.5, 1e-12));
	pd_adjust(none, 2, PD_ADJUST_NONE, order);
	CHECK(none[0] == 0.2 && none[1] == 0.1);
	double values[] = { 5, 1, 3, 2 };
	CHECK(is_near(pd_median(values, 4), 2.5, 1e-12));
	CHECK(is_near(pd_median(values, 3), 2, 1e-12));
}

static void test_sums(void)
{
	const struct pd_wide big = { UINT64_MAX, 0 }, full = { UINT64_MAX, UINT64_MAX };
	CHECK(is_near(pd_wide_double(pd_wide_add(big, big)), 2 * 18446744073709551615.0, 1e-12));
	CHECK_EQ(pd_wide_add(full, big).high == UINT64_MAX, true);
	/* equal weights */
	const struct pd_share_sums all = { 100, 1000, { 10000, 0 } };
	CHECK(is_near(pd_effective_samples(&all), 100, 1e-12));
	/* half of the weight in one sample is worth fewer */
	const struct pd_share_sums uneven = { 11, 20, { 100 + 10, 0 } };
	CHECK(is_near(pd_effective_samples(&uneven), 400.0 / 110, 1e-12));
	const double first[] = { 10, 11, 10.5 }, second[] = { 12, 12.5, 12.2 };
	const struct pd_welch welch = pd_welch_of_logs(first, 3, second, 3),
			      same = pd_welch_of_logs(first, 3, first, 3), one = pd_welch_of_logs(first, 1, second, 3);
	CHECK(is_near(welch.ratio, 1.165797, 1e-6) && welch.p < 0.02 && welch.p > 0.001 && welch.degrees > 2 &&
	      welch.degrees < 4);
	CHECK(is_near(same.ratio, 1, 1e-12) && is_near(same.p, 1, 1e-12));
	CHECK(one.p == 1 && one.degrees == 0);
}

static void check_symbol(const char *name, const char *wanted)
{
	char key[PD_KEY_NAME_MAX];
	pd_key_symbol(name, key, sizeof key);
	CHECK_STR(key, wanted);
}

static void test_symbols(void)
{
	static const char *const pairs[][2] = {
		{ "work", "work" },
		{ "work.constprop.0", "work" },
		{ "work.isra.0.part.3", "work" },
		{ "work.cold", "work" },
		{ "work.cold.17", "work" },
		{ "work.lto_priv.0", "work" },
		{ "work.localalias", "work" },
		{ "work.llvm.1234567890abcdef", "work" },
		{ "work.__uniq.123456", "work" },
		{ "work.part.0.cold", "work" },
		{ "memcpy.avx2", "memcpy.avx2" },
		{ "work._omp_fn.0", "work._omp_fn.0" },
		{ "f.resolver", "f.resolver" },
		{ "sort.cold.0/3", "sort" },
		{ "init/2", "init" },
		{ "work.bolt.org.0", "work" },
		{ "work.cfi", "work" },
		{ "core::fmt::write::h0123456789abcdef", "core::fmt::write" },
		{ "core::fmt::write::hello", "core::fmt::write::hello" },
		{ "main.work.func1", "main.work.func1" },
		{ "runtime.memmove.abi0", "runtime.memmove" },
		{ "main.(*T).Run-fm", "main.(*T).Run" },
		{ "__pfx_do_idle", "do_idle" },
		{ "~parse file.js:10", "parse file.js:10" },
		{ "LazyCompile:*parse a.js:1", "parse a.js:1" },
		{ "JS:^f a.js:1", "f a.js:1" },
		{ "void A::f()[Tier0]", "void A::f()" },
		{ "py::f:/a.py", "py::f:/a.py" },
		{ "ns::work(int) [clone .isra.0]", "ns::work(int)" },
		{ "ns::work(int) [clone .constprop.0.cold]", "ns::work(int)" },
		{ "ns::work(int) [clone .avx2]", "ns::work(int) [clone .avx2]" },
		{ "ns::work(int) [clone .part.1] [clone .cold]", "ns::work(int)" },
		{ "ns::work(int) (.cold)", "ns::work(int)" },
		{ "operator/", "operator/" },
		{ "f(char const*, int)", "f(char const*, int)" },
		{ ".cold", ".cold" },
		{ "", "" },
		{ "*", "*" },
		{ ".part.0", ".part.0" },
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		check_symbol(pairs[i][0], pairs[i][1]);
	char key[8];
	pd_key_symbol("a_very_long_name.cold", key, sizeof key);
	CHECK_STR(key, "a_very_");
	char stack[64];
	pd_key_comm("kworker/3:1-events", stack, sizeof stack);
	CHECK_STR(stack, "kworker/#:#-events");
}

static void test_files(void)
{
	static const struct { enum perfdata_dso_kind kind; const char *path, *wanted;
	} files[] = {
		{ PERFDATA_DSO_USER, "/usr/lib/x86_64-linux-gnu/libfoo.so.1.2.3", "libfoo.so.1" },
		{ PERFDATA_DSO_USER, "/lib/libc.so.6", "libc.so.6" },
		{ PERFDATA_DSO_USER, "/nix/store/abc-x/bin/prog (deleted)", "prog" },
		{ PERFDATA_DSO_USER, "lib.so", "lib.so" },
		{ PERFDATA_DSO_USER, "/a/libx-2.36.so", "libx-2.36.so" },
		{ PERFDATA_DSO_USER, "/a/liby.so.1a", "liby.so.1a" },
		{ PERFDATA_DSO_USER, "/memfd:jit (deleted)", "[jit]" },
		{ PERFDATA_DSO_USER, "/tmp/jit/jitted-18612-2183.so", "[jit]" },
		{ PERFDATA_DSO_USER, "/tmp/jit/jitted-x-1.so", "jitted-x-1.so" },
		{ PERFDATA_DSO_USER, "/tmp/jit/jitted-1-2.so.1", "jitted-1-2.so.1" },
		{ PERFDATA_DSO_USER, "/a/", "/a/" },
		{ PERFDATA_DSO_KERNEL, "[kernel.kallsyms]", "[kernel]" },
		{ PERFDATA_DSO_KERNEL, "[guest.kernel.kallsyms]", "[guest.kernel]" },
		{ PERFDATA_DSO_MODULE, "[nf-tables]", "nf_tables" },
		{ PERFDATA_DSO_MODULE, "/lib/modules/6.1/kernel/net/nf-tables.ko.xz", "nf_tables" },
		{ PERFDATA_DSO_VDSO, "[vdso]", "[vdso]" },
		{ PERFDATA_DSO_PERF_MAP, "/tmp/perf-12.map", "[jit]" },
		{ PERFDATA_DSO_NONE, "[heap]", "[heap]" },
	};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char key[256];
		pd_key_file(files[i].kind, files[i].path, key, sizeof key);
		CHECK_STR(key, files[i].wanted);
	}
}

static void test_file_pairs(void)
{
	/* by side, "NAME=BUILD-ID"; then names that both sides have for them, in the same order */
	static const struct {
		const char *files[2][3], *now[2][3];
		size_t nr_pairs;
	} cases[] = {
		{ { { "old=ab" }, { "new=ab" } }, { { "new" }, { "new" } }, 1 },
		{ { { "old=ab" }, { "new=cd" } }, { { "old" }, { "new" } }, 0 },
		{ { { "old=" }, { "new=" } }, { { "old" }, { "new" } }, 0 },
		/* a name that both sides have counts more */
		{ { { "prog=ab" }, { "prog=cd", "prog.old=ab" } }, { { "prog" }, { "prog", "prog.old" } }, 0 },
		{ { { "sh=ab", "ls=ab" }, { "busybox=ab" } }, { { "busybox", "busybox" }, { "busybox" } }, 2 },
		{ { { "busybox=ab" }, { "sh=ab", "ls=ab" } }, { { "ls" }, { "ls", "ls" } }, 1 },
		{ { { "a=ab", "b=cd" }, { "c=cd", "d=ab" } }, { { "d", "c" }, { "c", "d" } }, 2 },
		/* one name, two files */
		{ { { "prog=ab", "prog=cd" }, { "tool=cd" } }, { { "prog", "tool" }, { "tool" } }, 1 },
		/* some recordings fill build-ids up with zeros */
		{ { { "old=ab0000" }, { "new=ab" } }, { { "new" }, { "new" } }, 1 },
		{ { { "[heap]=ab" }, { "new=ab" } }, { { "[heap]" }, { "new" } }, 0 },
	};
	for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		const bool looks = i % 2;
		static struct pd_file_pairs *pairs;
		size_t nr;
		pairs = looks ? pairs : pd_file_pairs_new();
		for (unsigned f = 0; f < 6; f++) {
			const char *file = cases[i / 2].files[f / 3][f % 3], *equals = file ? strchr(file, '=') : NULL;
			char key[16];
			if (!file)
				continue;
			snprintf(key, sizeof key, "%.*s", (int)(equals - file), file);
			if (looks)
				CHECK_STR(pd_file_pairs_key(pairs, PERFDATA_DSO_USER, key, equals + 1),
					  cases[i / 2].now[f / 3][f % 3]);
			else
				CHECK(pd_file_pairs_add(pairs, f / 3, PERFDATA_DSO_USER, key, equals + 1));
		}
		if (!looks) {
			CHECK(pd_file_pairs_find(pairs));
			continue;
		}
		(void)pd_file_pairs_list(pairs, &nr);
		CHECK_EQ(nr, cases[i / 2].nr_pairs);
		CHECK_STR(pd_file_pairs_key(pairs, PERFDATA_DSO_USER, "unseen", "ab"), "unseen");
		pd_file_pairs_free(pairs);
	}
}

/* --- sides -------------------------------------------------------------------------------------------------------- */

enum { KEYS = 27 };

/* Functions f0 … f26 of weights 1; main, key 27, calls all of them. */
static void spell(struct perfdata_text *out, const unsigned *counts, const char *rate)
{
	unsigned all = 0;
	for (unsigned i = 0; i < KEYS; i++)
		all += counts[i];
	perfdata_text_literal(out, "perfdata-baseline/1\nby\tsymbol\nfile\t0\t0\tabcd\t/usr/bin/prog\n");
	for (unsigned i = 0; i < KEYS; i++)
		perfdata_text_printf(out, "key\t%u\t0\tf%u\t\t\t1\n", i, i);
	perfdata_text_printf(
		out,
		"key\t%u\t0\tmain\tmain.part.0\t\t2\nrecording\ta\\tb\\\\\t5000000\t0\t0\t1\tx86_64\tcpu\t2\t6.1\n",
		KEYS);
	perfdata_text_printf(out, "event\tcycles\t0/0/0/0\t\t%s\t0\tperiod\trecorded\t0\t%u\t%u\t%x\t%u\t0\t0\n", rate,
			     all, all, all, all);
	for (unsigned i = 0; i < KEYS; i++)
		perfdata_text_printf(out, "sum\t%u\t%u\t%u\t%x\t%u\t%u\t%x\n", i, counts[i], counts[i], counts[i],
				     counts[i], counts[i], counts[i]);
	perfdata_text_printf(out, "sum\t%u\t0\t0\t0\t%u\t%u\t%x\n", KEYS, all, all, all);
}

static void add(struct perfdata_baseline *side, const unsigned *counts, const char *rate)
{
	struct perfdata_text text;
	struct perfdata_error error;
	perfdata_text_init(&text);
	spell(&text, counts, rate);
	CHECK_EQ(perfdata_baseline_add(side, text.data, text.size, &error), PERFDATA_OK);
	perfdata_text_release(&text);
}

static void test_text(void)
{
	unsigned counts[KEYS] = { 3, 4, 5 };
	struct perfdata_text text, again, third;
	struct perfdata_error error;
	struct perfdata_baseline *side = perfdata_baseline_new(), *copy = perfdata_baseline_new();
	perfdata_text_init(&text);
	perfdata_text_init(&again);
	perfdata_text_init(&third);
	spell(&text, counts, "freq 99");
	CHECK_EQ(perfdata_baseline_add(side, text.data, text.size, &error), PERFDATA_OK);
	CHECK_STR(perfdata_baseline_by(side), "symbol");
	CHECK_STR(perfdata_baseline_recording(side, 0)->name, "a\tb\\");
	CHECK_EQ(perfdata_baseline_recording(side, 1) == NULL, true);
	perfdata_baseline_write(side, &again);
	CHECK_EQ(perfdata_baseline_add(copy, again.data, again.size, &error), PERFDATA_OK);
	perfdata_baseline_write(copy, &third);
	CHECK_EQ(again.size == third.size && !memcmp(again.data, third.data, third.size), true);
	/* two in one text */
	perfdata_text_append(&again, text.data, text.size);
	CHECK_EQ(perfdata_baseline_add(copy, again.data, again.size, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_baseline_recording(copy, 2) != NULL && !perfdata_baseline_recording(copy, 3), true);
	perfdata_baseline_free(side);
	perfdata_baseline_free(copy);
	perfdata_text_release(&again);
	perfdata_text_release(&third);
	/* each cut, and each changed byte, is an answer or an error */
	unsigned refused = 0;
	for (size_t i = 0; i < text.size; i++) {
		side = perfdata_baseline_new();
		refused += perfdata_baseline_add(side, text.data, i, &error) != PERFDATA_OK;
		perfdata_baseline_free(side);
		const char was = text.data[i];
		text.data[i] = (char)(was ^ 0x15);
		side = perfdata_baseline_new();
		refused += perfdata_baseline_add(side, text.data, text.size, &error) != PERFDATA_OK;
		perfdata_baseline_free(side);
		text.data[i] = was;
	}
	CHECK(refused > text.size);
	perfdata_text_release(&text);
}

static const struct perfdata_comparison_row *row_named(const struct perfdata_comparison *comparison, const char *key)
{
	const struct perfdata_comparison_row *row;
	for (size_t i = 0; (row = perfdata_comparison_row(comparison, 0, i)); i++)
		if (!strcmp(row->key, key))
			return row;
	return NULL;
}

/* Two recordings a side, 2,000 samples each: f0 is clearly more, f1 is over the limits and no more than noise, where
 * runs are known to differ by chance alone, and one of twenty equal pairs may fail. */
#define BY_CHANCE .alpha = 0.05, .dispersion = 1
static void fill(struct perfdata_baseline *before, struct perfdata_baseline *after)
{
	static const unsigned f0[] = { 104, 112, 150, 158 }, f1[] = { 100, 104, 121, 127 };
	for (unsigned i = 0; i < 4; i++) {
		unsigned counts[KEYS] = { f0[i], f1[i] }, rest = 2000 - f0[i] - f1[i];
		for (unsigned k = 2; k < KEYS; k++) {
			counts[k] = k + 1 < KEYS ? rest / (KEYS - k) : rest;
			rest -= counts[k];
		}
		add(i < 2 ? before : after, counts, "freq 99");
	}
}

static void test_comparison(void)
{
	struct perfdata_baseline *before = perfdata_baseline_new(), *after = perfdata_baseline_new();
	struct perfdata_comparison *comparison, *mirrored, *own;
	struct perfdata_error error;
	PERFDATA_OPTIONS(perfdata_comparison_options, options, .normalize = PERFDATA_NORMALIZE_SHARE,
			 BY_CHANCE);
	fill(before, after);
	CHECK_EQ(perfdata_compare(before, after, &options, &comparison, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_FAIL);
	const struct perfdata_comparison_row *worse = row_named(comparison, "f0"), *noisy = row_named(comparison, "f1"),
					     *root = row_named(comparison, "main");
	CHECK_EQ(worse->change, PERFDATA_CHANGE_REGRESSED);
	CHECK(is_near(worse->self.delta, 0.023, 1e-9) && is_near(worse->self.ratio, 308.0 / 216, 1e-9));
	CHECK(worse->self.p > 3.2e-5 && worse->self.p < 4e-3 && worse->self.adjusted_p < 0.04);   /* 3.2e-5: of z */
	CHECK_EQ(noisy->change, PERFDATA_CHANGE_NOISE);
	CHECK(noisy->self.p > 0.033 && noisy->self.p < 0.08 && noisy->self.adjusted_p > 0.5);
	CHECK(noisy->self.visible > 0.01 && noisy->self.visible < 0.04);
	CHECK_EQ(root->change, PERFDATA_CHANGE_SAME);
	CHECK_STR(root->names[0], "main.part.0");
	CHECK_EQ(root->clones[0], 2);
	CHECK_EQ(perfdata_compare(after, before, &options, &mirrored, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_comparison_verdict(mirrored), PERFDATA_VERDICT_INCONCLUSIVE);
	CHECK(is_near(row_named(mirrored, "f0")->self.delta, -0.023, 1e-9) &&
	      row_named(mirrored, "f0")->change == PERFDATA_CHANGE_IMPROVED);
	for (unsigned normalize = 0; normalize < 2; normalize++) {
		options.normalize = (enum perfdata_normalize)normalize;
		CHECK_EQ(perfdata_compare(before, before, &options, &own, &error), PERFDATA_OK);
		CHECK_EQ(perfdata_comparison_verdict(own), PERFDATA_VERDICT_INCONCLUSIVE);
		CHECK(row_named(own, "f0")->self.delta == 0 && perfdata_comparison_event(own, 0)->scale == 1);
		perfdata_comparison_free(own);
	}
	/* twice the work in the same time is half of the weight for each piece of it */
	const double units[] = { 1000, 2000 };
	options = (struct perfdata_comparison_options){ .size = sizeof options,
							.normalize = PERFDATA_NORMALIZE_UNIT,
							.units = { &units[0], &units[1] },
							.nr_units = { 1, 1 },
							.max_total = 3 };
	CHECK_EQ(perfdata_compare(before, before, &options, &own, &error), PERFDATA_OK);
	CHECK(is_near(row_named(own, "f0")->self.ratio, 0.5, 1e-9) &&
	      is_near(perfdata_comparison_event(own, 0)->total_ratio, 0.5, 1e-9));
	CHECK_EQ(perfdata_comparison_event(own, 0)->total_change, PERFDATA_CHANGE_IMPROVED);
	perfdata_comparison_free(own);
	options.nr_units[1] = 0;
	CHECK_EQ(perfdata_compare(before, before, &options, &own, &error), PERFDATA_EUSAGE);
	perfdata_comparison_free(comparison);
	perfdata_comparison_free(mirrored);
	perfdata_baseline_free(before);
	perfdata_baseline_free(after);
}

/* Rows are judged from the least share on, which one side has to have: what is new counts by its share after, what goes
 * away by that before. */
static void test_least_share(void)
{
	enum { NEW, SMALL, GOES, REST };
	struct perfdata_baseline *sides[2];
	for (int side = 0; side < 2; side++) {
		unsigned counts[KEYS] = { side ? 500 : 0, 400, side ? 0 : 500 };
		for (unsigned k = REST; k < KEYS; k++)
			counts[k] = (10000 - 900) / (KEYS - REST) + (k == REST ? (10000 - 900) % (KEYS - REST) : 0);
		sides[side] = perfdata_baseline_new();
		add(sides[side], counts, "freq 99");
	}
	for (int above = 0; above < 2; above++) {
		struct perfdata_comparison *comparison;
		struct perfdata_error error;
		PERFDATA_OPTIONS(perfdata_comparison_options, options, .normalize = PERFDATA_NORMALIZE_SHARE,
				 .quantities = PERFDATA_SELF_ONLY, .min_share = above ? 5.1 : 4.9, BY_CHANCE);
		CHECK_EQ(perfdata_compare(sides[0], sides[1], &options, &comparison, &error), PERFDATA_OK);
		CHECK_EQ(row_named(comparison, "f0")->self.change,
			 above ? PERFDATA_CHANGE_NOT_JUDGED : PERFDATA_CHANGE_REGRESSED);
		CHECK_EQ(row_named(comparison, "f1")->self.change, PERFDATA_CHANGE_NOT_JUDGED);
		CHECK_EQ(row_named(comparison, "f2")->self.change,
			 above ? PERFDATA_CHANGE_NOT_JUDGED : PERFDATA_CHANGE_IMPROVED);
		perfdata_comparison_free(comparison);
	}
	perfdata_baseline_free(sides[0]);
	perfdata_baseline_free(sides[1]);
}

/* Adds a recording whose f0 is a function of the kernel. */
static void add_of_kernel(struct perfdata_baseline *side, const unsigned *counts, const char *function)
{
	struct perfdata_text text, kernel;
	struct perfdata_error error;
	perfdata_text_init(&text);
	perfdata_text_init(&kernel);
	spell(&text, counts, "freq 99");
	const char *key = strstr(text.data, "key\t0\t"), *next = key ? strchr(key, '\n') : NULL;
	CHECK(next != NULL);
	perfdata_text_append(&kernel, text.data, (size_t)(key - text.data));
	perfdata_text_printf(&kernel, "file\t1\t%d\tef01\t[kernel.kallsyms]\nkey\t0\t1\t%s\t\t\t1", PERFDATA_DSO_KERNEL,
			     function);
	perfdata_text_append(&kernel, next, text.size - (size_t)(next - text.data));
	CHECK_EQ(perfdata_baseline_add(side, kernel.data, kernel.size, &error), PERFDATA_OK);
	perfdata_text_release(&text);
	perfdata_text_release(&kernel);
}

/* Of single recordings nobody knows how often other work interrupted the program: a rise of 2 points is noise in what
 * handles interrupts, and a regression elsewhere. A large rise is one everywhere. */
static void test_interrupts(void)
{
	static const struct { const char *function; unsigned after; enum perfdata_change change; } cases[] = {
		{ "do_work", 110, PERFDATA_CHANGE_REGRESSED },
		{ "irqentry_exit_to_user_mode", 110, PERFDATA_CHANGE_NOISE },
		{ "finish_task_switch", 110, PERFDATA_CHANGE_NOISE },
		{ "irqentry_exit_to_user_mode", 1000, PERFDATA_CHANGE_REGRESSED },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct perfdata_baseline *sides[2];
		struct perfdata_comparison *comparison;
		struct perfdata_error error;
		PERFDATA_OPTIONS(perfdata_comparison_options, options, .quantities = PERFDATA_SELF_ONLY);
		for (unsigned side = 0; side < 2; side++) {
			unsigned counts[KEYS] = { side ? cases[i].after : 5 };
			for (unsigned k = 1; k < KEYS; k++)
				counts[k] = 190;
			sides[side] = perfdata_baseline_new();
			add_of_kernel(sides[side], counts, cases[i].function);
		}
		CHECK_EQ(perfdata_compare(sides[0], sides[1], &options, &comparison, &error), PERFDATA_OK);
		CHECK_EQ(row_named(comparison, cases[i].function)->self.change, cases[i].change);
		perfdata_comparison_free(comparison);
		perfdata_baseline_free(sides[0]);
		perfdata_baseline_free(sides[1]);
	}
}

static const struct perfdata_comparison_note *note_of(const struct perfdata_comparison *comparison, const char *code)
{
	const struct perfdata_comparison_note *note;
	for (size_t i = 0; (note = perfdata_comparison_note(comparison, i)); i++)
		if (!strcmp(note->code, code))
			return note;
	return NULL;
}

/* A copy of a run is no further run; a run on both sides is worth a note. */
static void test_copies(void)
{
	struct perfdata_baseline *before = perfdata_baseline_new(), *after = perfdata_baseline_new();
	const unsigned counts[][KEYS] = { { 100, 104 }, { 104, 100 }, { 102, 102 }, { 101, 103 } };
	struct perfdata_comparison *comparison;
	struct perfdata_error error;
	for (unsigned i = 0; i < 4; i++)
		add(i < 2 ? before : after, counts[i], "freq 99");
	CHECK_EQ(perfdata_compare(before, after, NULL, &comparison, &error), PERFDATA_OK);
	CHECK(!note_of(comparison, "same-run"));
	perfdata_comparison_free(comparison);
	CHECK_EQ(perfdata_compare(before, before, NULL, &comparison, &error), PERFDATA_OK);
	CHECK_EQ(note_of(comparison, "same-run")->is_reason, false);
	perfdata_comparison_free(comparison);
	for (unsigned side = 0; side < 2; side++) {
		add(side ? after : before, counts[side ? 3 : 0], "freq 99");
		CHECK_EQ(perfdata_compare(before, after, NULL, &comparison, &error), PERFDATA_OK);
		CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCOMPARABLE);
		CHECK_EQ(note_of(comparison, "same-run")->is_reason, true);
		perfdata_comparison_free(comparison);
	}
	PERFDATA_OPTIONS(perfdata_comparison_options, options, .despite = &(const char *const){ "same-run" },
			 .nr_despite = 1);
	CHECK_EQ(perfdata_compare(before, after, &options, &comparison, &error), PERFDATA_OK);
	CHECK_EQ(note_of(comparison, "same-run")->is_reason, false);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCONCLUSIVE);
	perfdata_comparison_free(comparison);
	perfdata_baseline_free(before);
	perfdata_baseline_free(after);
}

static void test_verdicts(void)
{
	struct perfdata_baseline *before = perfdata_baseline_new(), *after = perfdata_baseline_new(),
				 *few = perfdata_baseline_new();
	struct perfdata_baseline *other = perfdata_baseline_new();
	const unsigned small[KEYS] = { 10, 10, 5, 5, 5 };
	struct perfdata_comparison *comparison;
	struct perfdata_error error;
	PERFDATA_OPTIONS(perfdata_comparison_options, options, BY_CHANCE);
	fill(before, after);
	add(few, small, "freq 99");
	add(other, small, "freq 4000");
	CHECK_EQ(perfdata_compare(few, few, NULL, &comparison, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCONCLUSIVE);
	CHECK_STR(perfdata_comparison_note(comparison, 0)->code, "few-samples");
	perfdata_comparison_free(comparison);
	CHECK_EQ(perfdata_compare(few, other, NULL, &comparison, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCOMPARABLE);
	CHECK_STR(perfdata_comparison_note(comparison, 0)->code, "frequency");
	CHECK_EQ(perfdata_comparison_note(comparison, 0)->is_reason, true);
	perfdata_comparison_free(comparison);
	options.despite = &(const char *const){ "frequency" };
	options.nr_despite = 1;
	CHECK_EQ(perfdata_compare(few, other, &options, &comparison, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCONCLUSIVE);
	perfdata_comparison_free(comparison);
	/* two runs a side with few functions show only a part of the variance between runs */
	CHECK_EQ(perfdata_compare(before, after, NULL, &comparison, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_FAIL);
	CHECK(row_named(comparison, "f0")->self.adjusted_p > 3e-4);
	CHECK(row_named(comparison, "f0")->self.dispersion > 1 && row_named(comparison, "f0")->self.dispersion < 2);
	perfdata_comparison_free(comparison);
	/* rules */
	options.allow = "# known\ncycles\tf0\tx1.6\tthe new parser\ncyc*\tnothing\tany\told\n";
	CHECK_EQ(perfdata_compare(before, after, &options, &comparison, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_INCONCLUSIVE);
	CHECK_EQ(row_named(comparison, "f0")->change, PERFDATA_CHANGE_ALLOWED);
	CHECK_STR(row_named(comparison, "f0")->reason, "the new parser");
	perfdata_comparison_free(comparison);
	options.allow = "cycles\tf0\t+1pp\ttoo little\n";
	CHECK_EQ(perfdata_compare(before, after, &options, &comparison, &error), PERFDATA_OK);
	CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_FAIL);
	perfdata_comparison_free(comparison);
	options.allow = "cycles\tf0\tx1.6\n";
	CHECK_EQ(perfdata_compare(before, after, &options, &comparison, &error), PERFDATA_EUSAGE);
	perfdata_baseline_free(before);
	perfdata_baseline_free(after);
	perfdata_baseline_free(few);
	perfdata_baseline_free(other);
}

static void test_cancel(void)
{
	struct perfdata_baseline *before = perfdata_baseline_new(), *after = perfdata_baseline_new();
	struct perfdata_comparison *comparison = NULL;
	struct perfdata_error error;
	struct perfdata_cancel *cancel = perfdata_cancel_new();
	PERFDATA_OPTIONS(perfdata_comparison_options, options, .cancel = cancel);
	fill(before, after);
	CHECK_EQ(perfdata_compare(before, after, &options, &comparison, &error), PERFDATA_OK);
	perfdata_comparison_free(comparison);
	perfdata_cancel_now(cancel);
	CHECK_EQ(perfdata_compare(before, after, &options, &comparison, &error), PERFDATA_EINTR);
	perfdata_cancel_free(cancel);
	perfdata_baseline_free(before);
	perfdata_baseline_free(after);
}

/* --- without memory ----------------------------------------------------------------------------------------------- */

static struct perfdata_text text_before, text_after;
static int compared;

/* Sides and their comparison, in which each allocation fails once. */
static void work(void)
{
	struct perfdata_baseline *before = perfdata_baseline_new(), *after = perfdata_baseline_new();
	struct perfdata_comparison *comparison = NULL;
	struct perfdata_error error;
	struct perfdata_text written;
	PERFDATA_OPTIONS(perfdata_comparison_options, options, BY_CHANCE);
	perfdata_text_init(&written);
	enum perfdata_status status = before && after ? PERFDATA_OK : PERFDATA_ENOMEM;
	if (!status)
		status = perfdata_baseline_add(before, text_before.data, text_before.size, &error);
	if (!status)
		status = perfdata_baseline_add(after, text_after.data, text_after.size, &error);
	if (!status)
		status = perfdata_compare(before, after, &options, &comparison, &error);
	CHECK(status == PERFDATA_OK || status == PERFDATA_ENOMEM);
	if (!status) {
		CHECK_EQ(perfdata_comparison_verdict(comparison), PERFDATA_VERDICT_FAIL);
		perfdata_baseline_write(after, &written);
		CHECK(perfdata_text_failed(&written) || written.size > 0);
		compared++;
	}
	perfdata_text_release(&written);
	perfdata_comparison_free(comparison);
	perfdata_baseline_free(before);
	perfdata_baseline_free(after);
}

static void test_allocations(void)
{
	struct perfdata_baseline *before = perfdata_baseline_new(), *after = perfdata_baseline_new();
	int failed = 0;
	fill(before, after);
	perfdata_text_init(&text_before);
	perfdata_text_init(&text_after);
	perfdata_baseline_write(before, &text_before);
	perfdata_baseline_write(after, &text_after);
	while (failed < 5000 && alloc_fail_run(failed, work))
		failed++;
	CHECK(failed > 10 && failed < 5000);
	CHECK(compared > 0);
	perfdata_text_release(&text_before);
	perfdata_text_release(&text_after);
	perfdata_baseline_free(before);
	perfdata_baseline_free(after);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "distributions against tables", test_distributions },
		{ "p values adjusted for being many; medians", test_adjusting },
		{ "sums, shares, Welch's test", test_sums },
		{ "functions across builds", test_symbols },
		{ "files across builds", test_files },
		{ "files with other names", test_file_pairs },
		{ "the text of a baseline, and what is none", test_text },
		{ "a comparison, mirrored, and with itself", test_comparison },
		{ "rows below the least share of both sides are not judged", test_least_share },
	{ "interrupts in single recordings", test_interrupts },
		{ "verdicts and allow lists", test_verdicts },
		{ "copies of a run", test_copies },
		{ "a comparison that is cancelled", test_cancel },
		{ "each allocation fails once", test_allocations },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
