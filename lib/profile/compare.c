/* SPDX-License-Identifier: MIT */
/* perfdata_compare: matches the events of two sides, makes their keys rows, and decides the verdict. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "profile/compare_impl.h"
#include "profile/key_name.h"

const char *perfdata_verdict_name(enum perfdata_verdict verdict)
{
	static const char *const names[] = { "pass", "fail", "inconclusive", "incomparable" };
	return names[verdict];
}

const char *perfdata_change_name(enum perfdata_change change)
{
	static const char *const names[] = { "small",    "same",  "noise",   "unmatched",
					     "improved", "moved", "allowed", "regressed" };
	return names[change];
}

/* Each event has a cell for each recording: normally few, but a stored baseline may claim any number of both. */
#define MOST_CELLS (UINT64_C(1) << 20)
#define MOST_WORK (UINT64_C(1) << 28)      /* steps, in addition to those per row, call and recording */
#define STEPS_OF_CELL 8                    /* reading a cell costs this many steps */

/* --- events ------------------------------------------------------------------------------------------------------- */

/* Returns the event with the name of `of`, or a new one. A recording may have two events of one name. names: the names
 * of the events so far, in order. NULL without memory. */
static struct pd_compare_event *event_named(struct perfdata_comparison *comparison, struct pd_intern *names,
					    const struct pd_side_event *of, size_t most)
{
	const uint32_t id = pd_intern_put(names, of->name, strlen(of->name));
	if (id == UINT32_MAX)
		comparison->status = PERFDATA_ENOMEM;
	if (id < comparison->nr_events || id == UINT32_MAX)
		return id == UINT32_MAX ? NULL : &comparison->events[id];
	if (comparison->nr_events >= MOST_CELLS / (most + 1)) {
		comparison->status = PERFDATA_ENOMEM;
		return NULL;
	}
	struct pd_compare_event *event = &comparison->events[comparison->nr_events++];
	event->reported = (struct perfdata_comparison_event){ .name = pd_compare_keep(comparison, of->name),
							  .is_time = of->is_time,
							  .scale = 1 };
	event->of = pd_calloc(most, sizeof *event->of);
	if (!event->of)
		comparison->status = PERFDATA_ENOMEM;
	return event;
}

/* Finds the events of all recordings, in the order of their first appearance. */
static bool find_events(struct perfdata_comparison *comparison)
{
	const size_t nr = pd_compare_nr(comparison);
	size_t most = 0;
	for (size_t i = 0; i < nr; i++)
		most += pd_compare_recording(comparison, i)->nr_events;
	comparison->events = pd_calloc(most + 1, sizeof *comparison->events);
	struct pd_intern *names = pd_intern_new();
	if (!comparison->events || !names)
		comparison->status = PERFDATA_ENOMEM;
	for (size_t i = 0; i < nr && comparison->status == PERFDATA_OK; i++) {
		const struct pd_side_recording *recording = pd_compare_recording(comparison, i);
		const unsigned side = i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER;
		for (size_t e = 0; e < recording->nr_events && comparison->status == PERFDATA_OK; e++) {
			const struct pd_side_event *of = &recording->events[e];
			struct pd_compare_event *event = event_named(comparison, names, of, nr);
			if (comparison->status != PERFDATA_OK || event->of[i])
				continue;
			event->of[i] = of;
			pd_share_sums_add(&event->all[side], &of->all);
			struct perfdata_compared_side *reported = &event->reported.sides[side];
			reported->recordings++;
			reported->samples = event->all[side].n;
			reported->weight = event->all[side].w;
			reported->named_weight += of->named;
		}
	}
	pd_intern_free(names);
	return comparison->status == PERFDATA_OK;
}

/* Adds up the units of all recordings that have the event. */
static void add_units(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	const struct perfdata_comparison_options *options = comparison->options;
	for (unsigned side = 0; side < 2; side++) {
		const size_t first = side == PD_BEFORE ? 0 : comparison->nr_recordings[0];
		for (size_t i = 0; options->nr_units[side] && i < comparison->nr_recordings[side]; i++)
			if (event->of[first + i])
				event->reported.sides[side].units +=
					options->units[side][options->nr_units[side] > 1 ? i : 0];
	}
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static size_t count_rows(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	size_t nr = 0;
	for (size_t i = 0; i < pd_compare_nr(comparison); i++) {
		const struct pd_side_event *of = event->of[i];
		const uint32_t *key_of = comparison->key_of[i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER];
		for (size_t s = 0; of && s < of->nr_sums; s++) {
			const uint32_t key = key_of[of->sums[s].key];
			if (key != UINT32_MAX && !event->row_of[key])
				event->row_of[key] = (uint32_t)++nr;
		}
	}
	return nr;
}

static void fill_rows(const struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	const size_t nr = pd_compare_nr(comparison);
	for (size_t i = 0; i < nr; i++) {
		const struct pd_side_event *of = event->of[i];
		const unsigned side = i < comparison->nr_recordings[0] ? PD_BEFORE : PD_AFTER;
		for (size_t s = 0; of && s < of->nr_sums; s++) {
			const struct pd_side_sum *sum = &of->sums[s];
			const uint32_t key = comparison->key_of[side][sum->key];
			if (key == UINT32_MAX)
				continue;
			struct pd_compare_row *row = &event->rows[event->row_of[key] - 1];
			row->key = key;
			row->cells = &event->cells[(event->row_of[key] - 1) * nr * PD_QUANTITIES];
			pd_share_sums_add(&row->cells[PD_SELF * nr + i], &sum->self);
			pd_share_sums_add(&row->cells[PD_INCLUSIVE * nr + i], &sum->inclusive);
			pd_share_sums_add(&row->sums[PD_SELF][side], &sum->self);
			pd_share_sums_add(&row->sums[PD_INCLUSIVE][side], &sum->inclusive);
		}
	}
}

static bool make_rows(struct perfdata_comparison *comparison, struct pd_compare_event *event)
{
	bool more[2] = { false, false };
	event->row_of = pd_calloc(comparison->nr_keys + 1, sizeof *event->row_of);
	if (!event->row_of)
		return false;
	event->nr_rows = count_rows(comparison, event);
	/* Each row has a cell for each recording; a stored baseline may claim recordings in a few bytes each. */
	pd_compare_allot(comparison->work, event->nr_rows + pd_compare_nr(comparison));
	if (!pd_compare_spend(comparison->work, (uint64_t)event->nr_rows * pd_compare_nr(comparison) * STEPS_OF_CELL))
		return false;
	event->rows = pd_calloc(event->nr_rows + 1, sizeof *event->rows);
	event->cells = pd_calloc((event->nr_rows + 1) * PD_QUANTITIES,
				 pd_compare_nr(comparison) * sizeof *event->cells);
	if (!event->rows || !event->cells)
		return false;
	fill_rows(comparison, event);
	for (size_t i = 0; i < event->nr_rows; i++) {
		struct pd_compare_row *row = &event->rows[i];
		const struct pd_compare_key *key = &comparison->keys[row->key];
		row->reported.key = key->name;
		row->reported.file = key->file;
		for (unsigned side = 0; side < 2; side++) {
			const bool is_there = row->sums[PD_INCLUSIVE][side].n != 0;
			row->reported.names[side] = is_there ? key->shown[side] : NULL;
			row->reported.raw_names[side] = is_there ? key->raw_names[side] : NULL;
			row->reported.clones[side] = is_there ? key->clones[side] : 0;
			more[side] |= row->sums[PD_INCLUSIVE][side].w > row->sums[PD_SELF][side].w;
		}
	}
	event->reported.has_stacks = more[0] && more[1];
	event->reported.nr_rows = event->nr_rows;
	return true;
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

static double change_size(const struct perfdata_comparison_row *row)
{
	return fmax(fabs(row->self.delta), fabs(row->inclusive.delta));
}

static int compare_rows(const void *left, const void *right)
{
	const struct perfdata_comparison_row *a = &((const struct pd_compare_row *)left)->reported,
					     *b = &((const struct pd_compare_row *)right)->reported;
	if (a->change != b->change)
		return a->change < b->change ? 1 : -1;
	if (!a->cause != !b->cause)
		return a->cause ? 1 : -1;
	if (change_size(a) != change_size(b))
		return change_size(a) < change_size(b) ? 1 : -1;
	const int by_file = strcmp(a->file, b->file);
	return by_file ? by_file : strcmp(a->key, b->key);
}

static int compare_notes(const void *left, const void *right)
{
	const struct perfdata_comparison_note *a = left, *b = right;
	if (a->is_reason != b->is_reason)
		return a->is_reason ? -1 : 1;
	const int by_code = strcmp(a->code, b->code);
	return by_code ? by_code : strcmp(a->message, b->message);
}

static bool has_both(const struct pd_compare_event *event)
{
	return event->reported.sides[0].recordings && event->reported.sides[1].recordings;
}

/* Adds notes about changes that the comparison cannot see. False: there may be such changes, so nothing passes. */
static bool note_unseen(struct perfdata_comparison *comparison, const struct pd_compare_event *event)
{
	const struct perfdata_compared_side *sides = event->reported.sides;
	const char *name = event->reported.name;
	const size_t before = comparison->nr_notes;
	if (!sides[0].samples && !sides[1].samples)
		return true;
	if (event->little_matches)
		return false;                  /* another note says this already */
	if (!sides[0].samples || !sides[1].samples)
		pd_compare_note(comparison, "few-samples", true, "%s: no samples %s", name,
				sides[0].samples ? "after" : "before");
	else if (event->mixed)
		pd_compare_note(comparison, "nothing-else", true,
				"%s: most functions changed, so plain shares are compared, in which cheaper functions "
				"make others look more expensive: --units compares by the work done",
				name);
	else if (event->blind > PD_MOST_BLIND && isinf(event->too_few))
		pd_compare_note(comparison, "nothing-else", true,
				"%s: for functions with %.0f %% of the weight, the other functions have too little "
				"weight to compare with: --units compares by the work done",
				name, event->unmeasured * 100);
	else if (event->blind > PD_MOST_BLIND)
		pd_compare_note(comparison, "few-samples", true,
				"%s: with %llu and %llu samples%s, a rise just beyond the limits would have been "
				"missed in %.0f %% of the weight; about %.*f times as many would show it",
				name, (unsigned long long)sides[0].samples, (unsigned long long)sides[1].samples,
				event->reported.dispersion_known ? "" : ", and no repeat runs", event->blind * 100,
				event->too_few < 10, ceil(event->too_few * 10) / 10);
	for (size_t i = 0; i < event->nr_rows; i++)
		if (event->rows[i].near_limit)
			pd_compare_note(comparison, "near-limit", true,
					"%s: %.200s costs more, so close to the limits that it may exceed them",
					name, event->rows[i].reported.key);
	return comparison->nr_notes == before;
}

static bool is_about_sight(const struct perfdata_comparison_note *note)
{
	return !strcmp(note->code, "few-samples") || !strcmp(note->code, "nothing-else") ||
	       !strcmp(note->code, "near-limit");
}

static void decide_verdict(struct perfdata_comparison *comparison)
{
	bool regressed = false, seen = true, any = false, incomparable = false;
	for (size_t i = 0; i < comparison->nr_notes; i++)
		incomparable |= comparison->notes[i].is_reason;
	for (size_t e = 0; e < comparison->nr_events; e++) {
		const struct pd_compare_event *event = &comparison->events[e];
		if (!has_both(event))
			continue;
		any = true;
		seen &= note_unseen(comparison, event);
		regressed |= event->reported.total_change == PERFDATA_CHANGE_REGRESSED;
		for (size_t i = 0; i < event->nr_rows && !regressed; i++)
			regressed = event->rows[i].reported.change == PERFDATA_CHANGE_REGRESSED;
	}
	comparison->verdict = incomparable  ? PERFDATA_VERDICT_INCOMPARABLE
			      : regressed   ? PERFDATA_VERDICT_FAIL
			      : any && seen ? PERFDATA_VERDICT_PASS
					    : PERFDATA_VERDICT_INCONCLUSIVE;
	for (size_t i = 0; i < comparison->nr_notes; i++)
		if (is_about_sight(&comparison->notes[i]))
			comparison->notes[i].is_reason = comparison->verdict == PERFDATA_VERDICT_INCONCLUSIVE;
}

/* Notes each rule OLD=NEW that matches no name before: OLD is probably misspelled. */
static void note_unused_rules(struct perfdata_comparison *comparison)
{
	const struct perfdata_comparison_options *options = comparison->options;
	const struct {
		const char *const *rules;
		size_t nr;
	} lists[] = { { options->same_files, options->nr_same_files },
		      { options->same_comms, options->nr_same_comms },
		      { options->same_symbols, options->nr_same_symbols } };
	const bool *used = comparison->rules_used;
	for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
		for (size_t i = 0; i < lists[list].nr; i++)
			if (!*used++)
				pd_compare_note(comparison, "unused-rule", false,
						"nothing before has the old name in '%.200s'", lists[list].rules[i]);
}

static enum perfdata_status compare_sides(struct perfdata_comparison *comparison, struct perfdata_error *reterr)
{
	const struct perfdata_comparison_options *options = comparison->options;
	comparison->rules_used = pd_calloc(options->nr_same_files + options->nr_same_comms + options->nr_same_symbols +
						   1,
					   sizeof *comparison->rules_used);
	bool fine = comparison->rules_used && pd_compare_unify(comparison) && find_events(comparison);
	for (size_t e = 0; fine && e < comparison->nr_events; e++) {
		add_units(comparison, &comparison->events[e]);
		fine = pd_compare_spend(comparison->work, 0) && make_rows(comparison, &comparison->events[e]);
	}
	if (fine) {
		note_unused_rules(comparison);
		pd_compare_check(comparison);
	}
	for (size_t e = 0; fine && e < comparison->nr_events; e++)
		if (has_both(&comparison->events[e]))
			fine = pd_compare_spend(comparison->work, 0) &&
			       pd_compare_check_match(comparison, &comparison->events[e]) &&
			       pd_compare_judge(comparison, &comparison->events[e]) &&
			       pd_compare_find_moved(comparison, &comparison->events[e]) &&
			       pd_compare_find_causes(comparison, &comparison->events[e]);
	if (fine && !pd_compare_allow(comparison, reterr) && comparison->status == PERFDATA_OK)
		return PERFDATA_EUSAGE;
	for (size_t e = 0; fine && e < comparison->nr_events; e++)
		fine = pd_compare_allow_callers(comparison->work, &comparison->events[e]);
	if (comparison->work->status == PERFDATA_ENOMEM)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET,
				"these sides ask for more work than functions of a program do");
	if (comparison->work->status != PERFDATA_OK)
		return pd_error(reterr, comparison->work->status, PERFDATA_NO_OFFSET, "%s",
				perfdata_status_text(comparison->work->status));
	if (!fine || comparison->status != PERFDATA_OK)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "%s",
				perfdata_status_text(PERFDATA_ENOMEM));
	decide_verdict(comparison);
	for (size_t e = 0; e < comparison->nr_events; e++)
		if (comparison->events[e].nr_rows)
			qsort(comparison->events[e].rows, comparison->events[e].nr_rows,
			      sizeof *comparison->events[e].rows, compare_rows);
	if (comparison->nr_notes)
		qsort(comparison->notes, comparison->nr_notes, sizeof *comparison->notes, compare_notes);
	return comparison->status == PERFDATA_OK
		       ? PERFDATA_OK
		       : pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
}

/* --- options ------------------------------------------------------------------------------------------------------ */

static double number_or(double given, double otherwise) { return given == 0 ? otherwise : given < 0 ? 0 : given; }

static enum perfdata_status check_units(const struct perfdata_comparison *comparison, struct perfdata_error *reterr)
{
	const struct perfdata_comparison_options *options = comparison->options;
	const bool wanted = options->normalize == PERFDATA_NORMALIZE_UNIT || options->max_total != 0;
	for (unsigned side = 0; side < 2; side++) {
		const size_t nr = options->nr_units[side];
		for (size_t i = 0; i < nr; i++)
			if (!(options->units[side][i] > 0) || !isfinite(options->units[side][i]))
				return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
						"units of work are numbers above 0");
		if (nr > 1 && nr != comparison->nr_recordings[side])
			return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					"%zu numbers of units for %zu recordings %s: give one, or one for each", nr,
					comparison->nr_recordings[side], side ? "after" : "before");
		if ((wanted || options->nr_units[!side]) && !nr)
			return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					"units of work are needed for both sides");
	}
	return PERFDATA_OK;
}

static bool is_reason(const char *code)
{
	const size_t size = strlen(code);
	for (const char *at = PERFDATA_COMPARISON_REASONS; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (strcspn(at, "|") == size && !memcmp(at, code, size))
			return true;
	return !strcmp(code, "all");
}

static enum perfdata_status check_texts(const struct perfdata_comparison_options *options,
					struct perfdata_error *reterr)
{
	const char *const *const lists[] = { options->same_symbols, options->same_files, options->same_comms };
	const size_t nrs[] = { options->nr_same_symbols, options->nr_same_files, options->nr_same_comms };
	for (size_t i = 0; i < options->nr_despite; i++)
		if (!is_reason(options->despite[i]))
			return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					"there is no reason '%.40s': reasons are %s and all", options->despite[i],
					PERFDATA_COMPARISON_REASONS);
	for (unsigned list = 0; list < 3; list++)
		for (size_t i = 0; i < nrs[list]; i++)
			if (!pd_key_is_rule(lists[list][i]))
				return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
						"a renamed key is OLD=NEW, not '%.200s'",
						lists[list][i]);
	return PERFDATA_OK;
}

static enum perfdata_status check_options(struct perfdata_comparison *comparison, struct perfdata_error *reterr)
{
	const struct perfdata_comparison_options *options = comparison->options;
	comparison->limits = (struct pd_compare_limits){
		.increase = number_or(options->max_increase, 1) / 100,
		.ratio = number_or(options->max_ratio, 1.1),
		.alpha = number_or(options->alpha, 0.01),
		.floor = number_or(options->min_share, 1) / 100,
		.dispersion = number_or(options->dispersion, 5),
		.total = options->max_total > 0 ? 1 + options->max_total / 100 : 0,
	};
	if (options->normalize > PERFDATA_NORMALIZE_UNIT || options->adjust > PERFDATA_ADJUST_NONE ||
	    options->quantities > PERFDATA_INCLUSIVE_ONLY || !(comparison->limits.ratio >= 1) ||
	    !(comparison->limits.alpha < 1) || comparison->limits.alpha <= 0 || !(comparison->limits.increase <= 1) ||
	    !(comparison->limits.floor <= 1) || !(comparison->limits.dispersion > 0))
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "a limit is out of its range");
	for (unsigned side = 0; side < 2; side++)
		if (!comparison->nr_recordings[side])
			return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "there is no recording %s",
					side ? "after" : "before");
	if (strcmp(comparison->sides[0]->by, comparison->sides[1]->by) != 0)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "one side is by %s, the other by %s",
				comparison->sides[0]->by, comparison->sides[1]->by);
	const enum perfdata_status status = check_texts(options, reterr);
	return status == PERFDATA_OK ? check_units(comparison, reterr) : status;
}

enum perfdata_status perfdata_compare(const struct perfdata_baseline *before, const struct perfdata_baseline *after,
				      const struct perfdata_comparison_options *options,
				      struct perfdata_comparison **ret, struct perfdata_error *reterr)
{
	struct perfdata_comparison_options own = { .size = sizeof own };
	enum perfdata_status status = PD_OPTIONS_COPY(&own, nr_despite, options, reterr);
	if (status != PERFDATA_OK)
		return status;
	struct perfdata_comparison *comparison = pd_calloc(1, sizeof *comparison);
	if (comparison) {
		comparison->strings = pd_intern_new();
		comparison->keys_known = pd_intern_new();
	}
	if (!comparison || !comparison->strings || !comparison->keys_known) {
		perfdata_comparison_free(comparison);
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "%s",
				perfdata_status_text(PERFDATA_ENOMEM));
	}
	comparison->sides[0] = before;
	comparison->sides[1] = after;
	comparison->nr_recordings[0] = before->nr_recordings;
	comparison->nr_recordings[1] = after->nr_recordings;
	comparison->options = &own;
	struct pd_compare_work work = { .left = MOST_WORK, .cancel = own.cancel };
	comparison->work = &work;
	status = check_options(comparison, reterr);
	if (status == PERFDATA_OK)
		status = compare_sides(comparison, reterr);
	comparison->options = NULL;
	comparison->work = NULL;
	comparison->sides[0] = comparison->sides[1] = NULL;
	if (status == PERFDATA_OK)
		*ret = comparison;
	else
		perfdata_comparison_free(comparison);
	return status;
}

void perfdata_comparison_free(struct perfdata_comparison *comparison)
{
	if (!comparison)
		return;
	for (size_t e = 0; e < comparison->nr_events; e++) {
		struct pd_compare_event *event = &comparison->events[e];
		pd_free(event->of);
		pd_free(event->rows);
		pd_free(event->cells);
		pd_free(event->row_of);
		pd_free(event->edges);
		pd_free(event->by_callee);
		pd_free(event->first_down);
		pd_free(event->first_up);
	}
	pd_free(comparison->events);
	pd_free(comparison->notes);
	pd_free(comparison->keys);
	pd_free(comparison->rules_used);
	pd_free(comparison->key_of[0]);
	pd_free(comparison->key_of[1]);
	pd_intern_free(comparison->strings);
	pd_intern_free(comparison->keys_known);
	pd_free(comparison);
}

enum perfdata_verdict perfdata_comparison_verdict(const struct perfdata_comparison *comparison)
{
	return comparison->verdict;
}

const struct perfdata_comparison_note *perfdata_comparison_note(const struct perfdata_comparison *comparison,
								size_t index)
{
	return index < comparison->nr_notes ? &comparison->notes[index] : NULL;
}

const struct perfdata_comparison_event *perfdata_comparison_event(const struct perfdata_comparison *comparison,
								  size_t index)
{
	return index < comparison->nr_events ? &comparison->events[index].reported : NULL;
}

const struct perfdata_comparison_row *perfdata_comparison_row(const struct perfdata_comparison *comparison,
							      size_t event, size_t row)
{
	return event < comparison->nr_events && row < comparison->events[event].nr_rows
		       ? &comparison->events[event].rows[row].reported
		       : NULL;
}
