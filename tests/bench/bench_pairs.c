/* SPDX-License-Identifier: MIT */
/* What a comparison says of real recordings: draws sides without replacement from stored baselines of one recording
 * each, and compares them as `perfdata diff` does by default. Of one command, to see how often equal pairs fail; or
 * behind `--` those of a command that does more, to see how often that is found. doc/diff.md has tables of both.
 *
 *     tests/bench/bench_pairs PAIRS BASELINE… [-- BASELINE…]
 *
 * A line for each number of recordings a side, and what regressed in equal pairs. Same arguments, same lines. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/compare.h"

static uint64_t state;

static size_t random_below(size_t limit)
{
	state += 0x9e3779b97f4a7c15u;
	uint64_t z = state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (size_t)((z ^ z >> 31) % limit);
}

struct stored { char *text; size_t size; };

static struct stored read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stored stored = { 0 };
	size_t room = 0, got = 1;
	while (file && got) {
		if (stored.size + 65536 > room && !(stored.text = realloc(stored.text, room = 2 * room + 131072)))
			exit(1);
		got = fread(stored.text + stored.size, 1, 65536, file);
		stored.size += got;
	}
	if (!file || ferror(file)) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return stored;
}

static struct perfdata_baseline *side_of(const struct stored *stored, const size_t *order, size_t nr)
{
	struct perfdata_baseline *side = perfdata_baseline_new();
	struct perfdata_error error;
	for (size_t i = 0; i < nr; i++)
		if (!side || perfdata_baseline_add(side, stored[order[i]].text, stored[order[i]].size, &error) !=
				     PERFDATA_OK) {
			fprintf(stderr, "%s\n", side ? error.message : "no memory");
			exit(1);
		}
	return side;
}

static void print_failed(const struct perfdata_comparison *comparison)
{
	const struct perfdata_comparison_event *event;
	const struct perfdata_comparison_row *row;
	for (size_t e = 0; (event = perfdata_comparison_event(comparison, e)); e++)
		for (size_t i = 0; (row = perfdata_comparison_row(comparison, e, i)); i++)
			if (row->change == PERFDATA_CHANGE_REGRESSED)
				printf("  %s: %llu and %llu samples (with callees %llu and %llu), dispersion %.2f, "
				       "p %.1e, adjusted %.1e\n",
				       row->key, (unsigned long long)row->self.samples[0],
				       (unsigned long long)row->self.samples[1],
				       (unsigned long long)row->inclusive.samples[0],
				       (unsigned long long)row->inclusive.samples[1], row->self.dispersion,
				       row->self.p, row->self.adjusted_p);
}

/* Puts `nr` of the numbers at `order`, of which there are `nr_stored`, in front. */
static void shuffle(size_t *order, size_t nr_stored, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const size_t other = i + random_below(nr_stored - i), own = order[i];
		order[i] = order[other];
		order[other] = own;
	}
}

/* The first nr[0] are of one command, the other nr[1] of another; none: pairs are equal. */
static void try_pairs(const struct stored *stored, const size_t nr[2], unsigned runs, unsigned pairs)
{
	unsigned verdicts[4] = { 0 };
	size_t *order = calloc(nr[0] + nr[1], sizeof *order);
	for (size_t i = 0; order && i < nr[0] + nr[1]; i++)
		order[i] = i;
	for (unsigned pair = 0; order && pair < pairs; pair++) {
		shuffle(order, nr[0], nr[1] ? runs : 2 * (size_t)runs);
		shuffle(order + nr[0], nr[1], nr[1] ? runs : 0);
		struct perfdata_baseline *sides[2] = { side_of(stored, order, runs),
						       side_of(stored, order + (nr[1] ? nr[0] : runs), runs) };
		struct perfdata_comparison *comparison;
		struct perfdata_error error;
		if (perfdata_compare(sides[0], sides[1], NULL, &comparison, &error) != PERFDATA_OK)
			exit(1);
		const enum perfdata_verdict verdict = perfdata_comparison_verdict(comparison);
		verdicts[verdict]++;
		if (verdict == PERFDATA_VERDICT_FAIL && !nr[1])
			print_failed(comparison);
		perfdata_comparison_free(comparison);
		perfdata_baseline_free(sides[0]);
		perfdata_baseline_free(sides[1]);
	}
	printf("%u a side: %u of %u pairs failed, %u passed, %u were inconclusive, %u incomparable\n", runs,
	       verdicts[PERFDATA_VERDICT_FAIL], pairs, verdicts[PERFDATA_VERDICT_PASS],
	       verdicts[PERFDATA_VERDICT_INCONCLUSIVE], verdicts[PERFDATA_VERDICT_INCOMPARABLE]);
	fflush(stdout);
	free(order);
}

int main(int argc, char **argv)
{
	static const unsigned runs[] = { 1, 2, 3, 6, 10 };
	const unsigned pairs = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	struct stored *stored = calloc((size_t)argc, sizeof *stored);
	size_t nr[2] = { 0 };
	unsigned side = 0;
	if (!pairs || !stored)
		return 2;
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "--") && !side)
			side = 1;
		else
			stored[nr[0] + nr[1]] = read_file(argv[i]);
		nr[side] += strcmp(argv[i], "--") != 0;
	}
	for (unsigned r = 0; r < sizeof runs / sizeof *runs; r++)
		if (nr[1] ? runs[r] <= nr[0] && runs[r] <= nr[1] : 2 * runs[r] <= nr[0])
			try_pairs(stored, nr, runs[r], pairs);
	for (size_t i = 0; i < nr[0] + nr[1]; i++)
		free(stored[i].text);
	free(stored);
	return 0;
}
