/* SPDX-License-Identifier: MIT */
/* Are two sides comparable? Notes say what differs between them besides their functions: machine, set-up of events,
 * lost samples, missing names, duplicate runs. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "profile/compare_impl.h"

enum { CLEAR = 3 };                        /* standard errors */

/* Returns the text that a check compares for a recording, or for an event of a recording. */
typedef const char *text_fn(const struct pd_side_recording *recording, const struct pd_side_event *event);

static const char *arch_of(const struct pd_side_recording *recording, const struct pd_side_event *event)
{
	(void)event;
	return recording->arch;
}
static const char *cpu_of(const struct pd_side_recording *recording, const struct pd_side_event *event)
{
	(void)event;
	return recording->cpu;
}
static const char *cpus_of(const struct pd_side_recording *recording, const struct pd_side_event *event)
{
	(void)event;
	return recording->cpus;
}
static const char *release_of(const struct pd_side_recording *recording, const struct pd_side_event *event)
{
	(void)event;
	return recording->release;
}
static const char *config_of(const struct pd_side_recording *recording, const struct pd_side_event *event)
{
	(void)recording;
	return event->setup.config;
}
static const char *exclude_of(const struct pd_side_recording *recording, const struct pd_side_event *event)
{
	(void)recording;
	return event->setup.exclude;
}
static const char *rate_of(const struct pd_side_recording *recording, const struct pd_side_event *event)
{
	(void)recording;
	return event->setup.rate;
}
static const char *precise_of(const struct pd_side_recording *recording, const struct pd_side_event *event)
{
	(void)recording;
	return event->setup.precise;
}
static const char *weight_of(const struct pd_side_recording *recording, const struct pd_side_event *event)
{
	(void)recording;
	return event->setup.weight;
}
static const char *chains_of(const struct pd_side_recording *recording, const struct pd_side_event *event)
{
	(void)recording;
	return event->setup.chains;
}

static const struct check {
	const char *code, *what;
	text_fn *text;
	bool of_event, is_reason;
	bool empty_counts;               /* an empty text is a value; if false, it means unknown */
} checks[] = {
	{ "event", "setup of the event (type and config)", config_of, true, true, false },
	{ "modifiers", "exclusions of the event", exclude_of, true, true, true },
	{ "weight", "weight of a sample", weight_of, true, true, false },
	{ "frequency", "frequency or period", rate_of, true, true, false },
	{ "machine", "architecture", arch_of, false, true, false },
	{ "machine", "processor", cpu_of, false, true, false },
	{ "machine", "number of processors", cpus_of, false, true, false },
	{ "kernel", "release of the kernel", release_of, false, true, false },
	{ "precise", "precision of addresses", precise_of, true, false, false },
	{ "chains", "kind of call chains", chains_of, true, false, false },
};

static const char *value_of(const struct perfdata_comparison *comparison, const struct check *check,
			    const struct pd_compare_event *event, size_t i)
{
	if (check->of_event && !event->of[i])
		return NULL;
	const char *text = check->text(pd_compare_recording(comparison, i), check->of_event ? event->of[i] : NULL);
	return *text || check->empty_counts ? text : NULL;
}

static bool side_has(const struct perfdata_comparison *comparison, const struct check *check,
		     const struct pd_compare_event *event, unsigned side, const char *value)
{
	bool any = false;
	for (size_t i = 0; i < comparison->nr_recordings[side]; i++) {
		const char *own = value_of(comparison, check, event,
					   side == PD_BEFORE ? i : comparison->nr_recordings[0] + i);
		any |= own != NULL;
		if (own && !strcmp(own, value))
			return true;
	}
	return !any;   /* a side with only unknown values does not differ */
}

static void run_check(struct perfdata_comparison *comparison, const struct check *check,
		      const struct pd_compare_event *event)
{
	const char *of_name = event ? event->reported.name : "";
	for (size_t i = 0; i < pd_compare_nr(comparison); i++) {
		const unsigned side = i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER;
		const char *value = value_of(comparison, check, event, i);
		if (!value || side_has(comparison, check, event, !side, value))
			continue;
		const char *other = NULL;
		const size_t first = side == PD_BEFORE ? comparison->nr_recordings[0] : 0;
		for (size_t o = 0; !other && o < comparison->nr_recordings[!side]; o++)
			other = value_of(comparison, check, event, first + o);
		pd_compare_note(comparison, check->code, check->is_reason,
				"%s%s%s differs: '%.60s' before, '%.60s' after", of_name, *of_name ? ": " : "",
				check->what, side == PD_BEFORE ? value : other, side == PD_BEFORE ? other : value);
		return;
	}
}

struct event_sums {
	double named, lost;            /* shares, from 0 to 1 */
	uint64_t samples, kernel_samples;
	bool some_inlined;
};

static struct event_sums sum_up(const struct perfdata_comparison *comparison, const struct pd_compare_event *event,
				unsigned side)
{
	struct event_sums sums = { 0 };
	double all = 0;
	for (size_t i = 0; i < pd_compare_nr(comparison); i++) {
		const struct pd_side_event *of = event->of[i];
		if (!of || (i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER) != side)
			continue;
		all += (double)of->all.w;
		sums.named += (double)of->named;
		sums.samples += of->all.n;
		sums.kernel_samples += of->kernel;
		sums.some_inlined |= of->inlined != 0;
		sums.lost += (double)pd_compare_recording(comparison, i)->reported.lost_samples;
	}
	sums.named = all > 0 ? sums.named / all : 1;
	sums.lost = sums.samples ? sums.lost / (sums.lost + (double)sums.samples) : 0;
	return sums;
}

/* Whether the shares of the weight that have names differ by more than chance. */
static bool names_differ(const struct perfdata_comparison *comparison, const struct event_sums sides[2])
{
	if (!sides[0].samples || !sides[1].samples)
		return false;
	const double first = (double)sides[0].samples, second = (double)sides[1].samples;
	const double part = (sides[0].named * first + sides[1].named * second) / (first + second);
	const double error = sqrt(comparison->limits.dispersion * part * fmax(0, 1 - part) * (1 / first + 1 / second));
	const double difference = fabs(sides[0].named - sides[1].named);
	return difference > 0.05 && difference > CLEAR * error;
}

static void check_event(struct perfdata_comparison *comparison, const struct pd_compare_event *event)
{
	const struct event_sums sides[2] = { sum_up(comparison, event, PD_BEFORE),
					     sum_up(comparison, event, PD_AFTER) };
	const char *name = event->reported.name;
	for (unsigned side = 0; side < 2; side++) {
		const struct event_sums *one = &sides[side], *other = &sides[!side];
		const double part = one->samples ? (double)one->kernel_samples / (double)one->samples : 0;
		if (!other->kernel_samples && part >= 0.01 && part * (double)other->samples >= 10)
			pd_compare_note(comparison, "kernel-samples", true,
					"%s: %.1f %% of the samples %s are in the kernel, but none %s", name,
					part * 100, side ? "after" : "before", side ? "before" : "after");
		if (one->lost > 0.01)
			pd_compare_note(comparison, "lost", false, "%s: %.1f %% of the samples %s were lost", name,
					one->lost * 100, side ? "after" : "before");
	}
	if (names_differ(comparison, sides))
		pd_compare_note(comparison, "names", true,
				"%s: %.1f %% of the weight before has names, %.1f %% after: files for names are "
				"missing on one side",
				name, sides[0].named * 100, sides[1].named * 100);
	if (sides[0].some_inlined != sides[1].some_inlined)
		pd_compare_note(
			comparison, "inlines", false,
			"%s: only one side has inlined functions; --inlines no leaves them out on both",
			name);
}

static void check_durations(struct perfdata_comparison *comparison)
{
	double sums[2] = { 0 };
	for (size_t i = 0; i < pd_compare_nr(comparison); i++)
		sums[i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER] +=
			(double)pd_compare_recording(comparison, i)->reported.duration;
	for (unsigned side = 0; side < 2; side++)
		sums[side] /= (double)comparison->nr_recordings[side];
	if (sums[0] > 3 * sums[1] || sums[1] > 3 * sums[0])
		pd_compare_note(comparison, "duration", false,
				"recordings took %.3g s before and %.3g s after, so start and end of the program have "
				"different shares",
				sums[0] / 1e9, sums[1] / 1e9);
}

/* Adds a note if all build-ids of user space are on both sides, so nothing was rebuilt. */
static void check_rebuilt(struct perfdata_comparison *comparison)
{
	size_t nr = 0, same = 0;
	for (unsigned side = 0; side < 2; side++) {
		const struct perfdata_baseline *of = comparison->sides[side];
		bool *is_same = pd_compare_same_files(comparison, side);
		if (!is_same)
			comparison->status = PERFDATA_ENOMEM;
		for (size_t i = 0; is_same && i < of->nr_files; i++) {
			const bool counts = of->files[i].kind == PERFDATA_DSO_USER && *of->files[i].build_id;
			nr += counts;
			same += counts && is_same[i];
		}
		pd_free(is_same);
	}
	if (nr && nr == same)
		pd_compare_note(comparison, "same-files", false,
				"nothing was rebuilt: each file has the same build-id on both sides");
}

/* --- runs that are given twice ------------------------------------------------------------------------------------ */

struct run {
	const struct pd_side_recording *recording;
	unsigned side;
};

static int compare_numbers(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_sums(const struct pd_share_sums *a, const struct pd_share_sums *b)
{
	const int order = compare_numbers(a->n, b->n);
	return order ? order : compare_numbers(a->w, b->w);
}

static int compare_events(const struct pd_side_event *a, const struct pd_side_event *b)
{
	int order = compare_sums(&a->all, &b->all);
	if (!order)
		order = compare_numbers(a->nr_sums, b->nr_sums);
	for (size_t i = 0; !order && i < a->nr_sums; i++) {
		order = compare_sums(&a->sums[i].self, &b->sums[i].self);
		if (!order)
			order = compare_sums(&a->sums[i].inclusive, &b->sums[i].inclusive);
	}
	return order;
}

/* Orders recordings by all that a baseline states about a run, except keys, whose ids differ between sides. 0: the same
 * run. */
static int compare_runs(const void *left, const void *right)
{
	const struct pd_side_recording *a = ((const struct run *)left)->recording,
				       *b = ((const struct run *)right)->recording;
	int order = compare_numbers(a->reported.duration, b->reported.duration);
	if (!order)
		order = compare_numbers(a->nr_events, b->nr_events);
	for (size_t e = 0; !order && e < a->nr_events; e++)
		order = compare_events(&a->events[e], &b->events[e]);
	return order;
}

/* Notes copies of a run, once per kind: a run that a side has twice makes runs seem more alike than they are. */
static void note_copies(struct perfdata_comparison *comparison, const struct run *run, const size_t copies[2],
			bool noted[3])
{
	const char *name = run->recording->reported.name;
	for (unsigned side = 0; side < 2; side++) {
		if (copies[side] > 1 && !noted[side])
			pd_compare_note(comparison, "same-run", true,
					"%.200s is named %zu times %s: copies do not show how much runs vary",
					name, copies[side], side ? "after" : "before");
		noted[side] |= copies[side] > 1;
	}
	const bool on_both = copies[PD_BEFORE] && copies[PD_AFTER];
	if (on_both && !noted[2])
		pd_compare_note(comparison, "same-run", false, "%.200s is on both sides", name);
	noted[2] |= on_both;
}

static void check_copies(struct perfdata_comparison *comparison)
{
	const size_t nr = pd_compare_nr(comparison);
	struct run *runs = nr ? pd_calloc(nr, sizeof *runs) : NULL;
	if (nr && !runs) {
		comparison->status = PERFDATA_ENOMEM;
		return;
	}
	size_t nr_runs = 0;
	for (size_t i = 0; i < nr; i++) {
		const struct pd_side_recording *recording = pd_compare_recording(comparison, i);
		const unsigned side = i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER;
		/* Runs without times may be equal by chance. */
		if (recording->reported.duration)
			runs[nr_runs++] = (struct run){ recording, side };
	}
	if (nr_runs)
		qsort(runs, nr_runs, sizeof *runs, compare_runs);
	bool noted[3] = { false };
	for (size_t first = 0, end; first < nr_runs; first = end) {
		size_t copies[2] = { 0 };
		for (end = first; end < nr_runs && !compare_runs(&runs[first], &runs[end]); end++)
			copies[runs[end].side]++;
		note_copies(comparison, &runs[first], copies, noted);
	}
	pd_free(runs);
}

static bool is_on(const struct perfdata_comparison *comparison, const struct pd_compare_event *event, unsigned side)
{
	const size_t first = side == PD_BEFORE ? 0 : comparison->nr_recordings[0];
	for (size_t i = 0; i < comparison->nr_recordings[side]; i++)
		if (event->of[first + i])
			return true;
	return false;
}

void pd_compare_check(struct perfdata_comparison *comparison)
{
	bool common = false;
	for (size_t e = 0; e < comparison->nr_events; e++)
		common |= is_on(comparison, &comparison->events[e], PD_BEFORE) &&
			  is_on(comparison, &comparison->events[e], PD_AFTER);
	if (!common)
		pd_compare_note(comparison, "no-common-event", true,
				comparison->nr_events ? "the sides have no event in common" : "there are no samples");
	for (size_t c = 0; c < sizeof checks / sizeof *checks; c++)
		if (!checks[c].of_event)
			run_check(comparison, &checks[c], NULL);
	for (size_t e = 0; e < comparison->nr_events; e++) {
		const struct pd_compare_event *event = &comparison->events[e];
		const bool before = is_on(comparison, event, PD_BEFORE), after = is_on(comparison, event, PD_AFTER);
		if (!before || !after) {
			pd_compare_note(comparison, "one-sided-event", false, "%s was recorded %s only",
					event->reported.name, before ? "before" : "after");
			continue;
		}
		for (size_t c = 0; c < sizeof checks / sizeof *checks; c++)
			if (checks[c].of_event)
				run_check(comparison, &checks[c], event);
		check_event(comparison, event);
	}
	for (size_t i = 0; i < comparison->nr_notes; i++)
		comparison->self_only |= !strcmp(comparison->notes[i].code, "chains");
	check_durations(comparison);
	check_copies(comparison);
	check_rebuilt(comparison);
}
