/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "emit/report/report.h"
#include "emit/stacks/stack_text.h"
#include "text/shown.h"

enum { NAME_WIDTH = 60, KEY_WIDTH = 28 };

static void pad_to_width(struct perfdata_text *out, size_t have, size_t width)
{
	if (have < width)
		perfdata_text_fill(out, ' ', width - have);
}

/* --- head --------------------------------------------------------------------------------------------------------- */

static void write_warning(const struct report_options *options, struct perfdata_text *out, const char *text)
{
	pd_report_style(options, REPORT_RED, out);
	perfdata_text_string(out, text);
	pd_report_style(options, REPORT_PLAIN, out);
	perfdata_text_char(out, '\n');
}

/* Writes what makes the numbers below too small. */
void pd_report_text_head(const struct report_options *options, const struct report_head *head,
			 struct perfdata_text *out)
{
	const struct perfdata_summary *summary = head->end->summary;
	char line[160];
	if (!head->first_document)
		perfdata_text_char(out, '\n');
	if (head->file) {
		pd_report_style(options, REPORT_BOLD, out);
		perfdata_text_shortened(out, head->file, 0);
		pd_report_style(options, REPORT_PLAIN, out);
		perfdata_text_char(out, '\n');
	}
	if (head->choice) {
		perfdata_text_literal(out, "stacks: ");
		pd_stack_choice_spell(head->choice, out);
		perfdata_text_char(out, '\n');
	}
	if (summary->lost_records || summary->lost_samples) {
		snprintf(line, sizeof line,
			 "lost: the kernel could not write %" PRIu64 " records and %" PRIu64 " samples",
			 summary->lost_records, summary->lost_samples);
		write_warning(options, out, line);
	}
	if (!head->end->complete) {
		snprintf(line, sizeof line,
			 "incomplete: the recording is damaged or cut (%" PRIu64
			 " findings); the rest was read",
			 head->end->findings_total);
		write_warning(options, out, line);
	}
}

void pd_report_text_nothing(const struct pd_profile *profile, const struct report_head *head,
			    struct perfdata_text *out)
{
	uint64_t all = 0;
	for (uint32_t i = 0; i < pd_profile_nr_events(profile); i++) {
		const struct pd_profile_sums *sums = pd_profile_event_whole(profile, i);
		all += sums ? sums->samples : 0;
	}
	if (head->choice && all)
		perfdata_text_printf(out, "none of %" PRIu64 " samples has such a stack; --by symbol lists names, * "
							     "matches any text\n", all);
	else
		perfdata_text_literal(out, "no samples\n");
}

static bool is_time(const struct report_event *event) { return event->measure == PERFDATA_MEASURE_TIME; }

static bool counts_occurrences(const struct report_event *event)
{
	return event->measure == PERFDATA_MEASURE_OCCURRENCES;
}

static const char *plural_ending(uint64_t count) { return count == 1 ? "" : "s"; }

/* Whether the event is perf's dummy, which counts nothing and carries records of switches, and the weight is their
 * time: then the weight says more than the name. */
static bool is_stand_in(const struct report_event *event)
{
	static const char dummy[] = "dummy";
	const char *end = event->name + strlen(dummy);
	return event->weighs && !strncmp(event->name, dummy, strlen(dummy)) && (!*end || *end == ':');
}

/* Writes the amount of the event and its unit. */
static void write_amount(const struct report_event *event, struct perfdata_text *out)
{
	const uint64_t samples = event->all[0], weight = event->all[1];
	if (counts_occurrences(event)) {
		if (samples != weight)
			perfdata_text_printf(out, "%" PRIu64 " sample%s of ", samples, plural_ending(samples));
		perfdata_text_printf(out, "%" PRIu64 " occurrence%s (how often, not how long)", weight,
				     plural_ending(weight));
		return;
	}
	perfdata_text_printf(out, "%" PRIu64 " sample%s", samples, plural_ending(samples));
	if (is_time(event) || samples != weight) {
		perfdata_text_literal(out, ", ");
		pd_stack_text_weight(out, weight, is_time(event));
	}
	if (event->weighs && !is_stand_in(event))
		perfdata_text_printf(out, " of %s", event->weighs);
}

/* Whether the name needs no quotes in a shell and no * in --callers. */
static bool is_plain(const char *name)
{
	return *name && !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:")];
}

/* Says why rows are comms, and which options show more. */
static void comms_line(const struct report_options *options, const struct report_event *event,
		       struct perfdata_text *out)
{
	const unsigned unit = pd_report_unit_of(options);
	const bool all = event->of_function[unit] == event->all[unit];
	if (event->function) {
		if (all)
			perfdata_text_literal(out, "all in ");
		else
			perfdata_text_printf(out, "%.2f %% in ",
					     pd_stack_percent(event->of_function[unit], event->all[unit]));
		perfdata_text_shortened(out, event->function, 0);
		perfdata_text_literal(out, ": ");
	}
	perfdata_text_literal(out, "rows are comms");
	if (!event->function || !all)
		perfdata_text_literal(out, "; --by symbol lists functions");
	if (event->function && event->has_callers)
		perfdata_text_printf(out, "; --callers %s shows the callers",
				     is_plain(event->function) ? event->function : "NAME");
	else if (event->function)
		perfdata_text_literal(out, "; perf record -g records the callers too");
	perfdata_text_char(out, '\n');
}

static void broken_lines(const struct report_options *options, const struct report_event *event,
			 struct perfdata_text *out)
{
	enum { FILES_TOLD = 3 };
	struct pd_broken_file files[FILES_TOLD];
	const size_t nr = pd_broken_stacks_files(event->broken, files, FILES_TOLD);
	if (pd_broken_stacks_cut(event->broken, event->of)) {
		pd_report_style(options, REPORT_RED, out);
		pd_broken_stacks_spell_cut(event->broken, event->of, out);
		pd_report_style(options, REPORT_PLAIN, out);
		perfdata_text_char(out, '\n');
	}
	for (size_t i = 0; i < nr; i++) {
		pd_report_style(options, REPORT_RED, out);
		pd_broken_stacks_spell(&files[i], event->session, event->of, out);
		pd_report_style(options, REPORT_PLAIN, out);
		perfdata_text_char(out, '\n');
	}
}

/* Writes the share of the event's samples that have no name. */
static void share_line(const struct report_options *options, const struct report_event *event, const uint64_t sums[2],
		       const char *what, const char *where, struct perfdata_text *out)
{
	const unsigned unit = pd_report_unit_of(options);
	const double percent = pd_stack_percent(sums[unit], event->all[unit]);
	char line[160];
	if (!sums[0])
		return;
	snprintf(line, sizeof line, "%s: %s%.2f %% was executing where %s", what, percent < 0.005 ? "less than " : "",
		 percent < 0.005 ? 0.01 : percent, where);
	write_warning(options, out, line);
}

void pd_report_event_line(const struct report_options *options, const struct report_event *event,
			  struct perfdata_text *out)
{
	const unsigned unit = pd_report_unit_of(options);
	pd_report_style(options, REPORT_BOLD, out);
	perfdata_text_shortened(out, is_stand_in(event) ? event->weighs : event->name, 0);
	pd_report_style(options, REPORT_PLAIN, out);
	perfdata_text_literal(out, ": ");
	write_amount(event, out);
	perfdata_text_char(out, '\n');
	if (event->is_part)
		perfdata_text_printf(out, "these are %.2f %% of all: %" PRIu64 " of %" PRIu64 " samples\n",
				     pd_stack_percent(event->all[unit], event->whole[unit]), event->all[0],
				     event->whole[0]);
	if (event->by == REPORT_COMM && options->by_default) {
		comms_line(options, event, out);
		return;
	}
	share_line(options, event, event->nameless, "no names", "no symbol is known", out);
	share_line(options, event, event->not_in_bundle, "not in this bundle", "it has no answers", out);
	if (event->broken)
		broken_lines(options, event, out);
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

struct column_widths {
	const enum report_by *keys;  /* the key of each column */
	unsigned nr_keys;
	unsigned wide_key;           /* column that gets the remaining width */
	size_t key[REPORT_BYS];
	size_t samples, weight, file;
	bool weight_shown, file_shown, kind_shown;
	bool failed;                 /* memory for names ran out */
};

static size_t number_width(uint64_t value)
{
	char number[32];
	return (size_t)snprintf(number, sizeof number, "%" PRIu64, value);
}

/* Rows may have other keys than requested: comms or events. */
static void choose_columns(const struct report_options *options, const struct report_event *event,
			   struct column_widths *widths)
{
	const bool as_asked = event->by == options->by;
	widths->keys = as_asked ? options->keys : &event->by;
	widths->nr_keys = as_asked ? options->nr_keys : 1;
	for (unsigned i = 0; i < widths->nr_keys; i++)
		if (widths->keys[i] == event->by)
			widths->wide_key = i;
}

/* The text of a row's column; empty without memory. */
static const char *key_text(const struct report_options *options, const struct report_row *row, enum report_by key,
			    struct perfdata_text *scratch)
{
	perfdata_text_clear(scratch);
	pd_report_spell_key(options, row, key, scratch);
	return perfdata_text_failed(scratch) ? "" : scratch->data;
}

static const char *key_noun(enum report_by key)
{
	static const char *const things[REPORT_BYS] = { "function", "file",  "comm", "thread",  "process",
							"cpu",      "event", "line", "build-id", "state",
							"waker",    "wakee", "system call" };
	return things[key];
}

static void measure_rows(const struct report_options *options, const struct report_event *event,
			 struct column_widths *widths)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	for (size_t i = 0; i < pd_report_rows_shown(options, event) && !perfdata_text_failed(&text); i++) {
		const struct report_row *row = &event->rows[i];
		for (unsigned k = 0; k < widths->nr_keys; k++) {
			const size_t width = pd_text_columns(key_text(options, row, widths->keys[k], &text));
			widths->key[k] = width > widths->key[k] ? width : widths->key[k];
		}
		const size_t file = pd_text_columns(pd_stack_last_part(row->file));
		const size_t samples = number_width(row->sum.self[0]);
		widths->file = file > widths->file ? file : widths->file;
		widths->samples = samples > widths->samples ? samples : widths->samples;
		widths->file_shown |= *row->file && event->by != REPORT_DSO;
		widths->kind_shown |= *row->kind != 0;
	}
	widths->failed = perfdata_text_failed(&text);
	perfdata_text_release(&text);
}

static size_t at_most(size_t width, size_t most) { return width > most ? most : width; }

static struct column_widths widths_of(const struct report_options *options, const struct report_event *event)
{
	struct column_widths widths = { .samples = strlen("samples"), .weight = 8, .file = strlen("file") };
	choose_columns(options, event, &widths);
	for (unsigned k = 0; k < widths.nr_keys; k++)
		widths.key[k] = k == widths.wide_key ? REPORT_NAME_MIN : strlen(key_noun(widths.keys[k]));
	measure_rows(options, event, &widths);
	widths.weight_shown = is_time(event) || event->all[0] != event->all[1];
	size_t *name = &widths.key[widths.wide_key];
	if (!options->width) {
		/* names are not cut; a longer name moves the next column in its row only */
		*name = at_most(*name, NAME_WIDTH);
		return widths;
	}
	/* name and file share the width that numbers leave; a column that does not fit beside a short name is
	 * dropped */
	size_t numbers = 7u + (event->has_totals ? 8u : 0u) + 2 + widths.samples + 2 + REPORT_NAME_MIN;
	for (unsigned k = 0; k < widths.nr_keys; k++) {
		if (k == widths.wide_key)
			continue;
		widths.key[k] = at_most(widths.key[k], KEY_WIDTH);
		numbers += widths.key[k] + 2;
	}
	size_t left = options->width > numbers ? (size_t)options->width - numbers : 0;
	/* names that do not fit take the width of the column `kind`, and a part of the column `file` */
	const size_t others = (widths.weight_shown ? 2 + widths.weight : 0) +
			      (widths.file_shown ? 2 + widths.file : 0) +
			      (widths.kind_shown ? 2 + strlen("inlined") : 0);
	const bool fits = *name + others <= left + REPORT_NAME_MIN;
	widths.file = at_most(widths.file, fits ? REPORT_FILE_WIDTH : REPORT_FILE_WIDTH - 4);
	widths.kind_shown &= fits;
	widths.weight_shown &= left >= 2 + widths.weight;
	left -= widths.weight_shown ? 2 + widths.weight : 0;
	widths.file_shown &= left >= 2 + widths.file;
	left -= widths.file_shown ? 2 + widths.file : 0;
	widths.kind_shown &= widths.file_shown && left >= 2 + strlen("inlined");
	left -= widths.kind_shown ? 2 + strlen("inlined") : 0;
	*name = at_most(*name, left + REPORT_NAME_MIN);
	return widths;
}

static void header_line(const struct report_options *options, const struct report_event *event,
			const struct column_widths *widths, struct perfdata_text *out)
{
	pd_report_style(options, REPORT_DIM, out);
	perfdata_text_literal(out, "  self%");
	if (event->has_totals)
		perfdata_text_literal(out, "  total%");
	const char *weight = counts_occurrences(event) ? "count" : "weight";
	perfdata_text_printf(out, "  %*s", (int)widths->samples,
			     counts_occurrences(event) && !widths->weight_shown ? weight : "samples");
	if (widths->weight_shown)
		perfdata_text_printf(out, "  %*s", (int)widths->weight, weight);
	for (unsigned k = 0; k < widths->nr_keys; k++) {
		perfdata_text_literal(out, "  ");
		const size_t shown = perfdata_text_shortened(out, key_noun(widths->keys[k]), 0);
		if (k + 1 < widths->nr_keys || widths->file_shown)
			pad_to_width(out, shown, widths->key[k]);
	}
	if (widths->file_shown)
		perfdata_text_literal(out, "  file");
	pd_report_style(options, REPORT_PLAIN, out);
	perfdata_text_char(out, '\n');
}

static void row_line(const struct report_options *options, const struct report_event *event,
		     const struct column_widths *widths, const struct report_row *row, struct perfdata_text *scratch,
		     struct perfdata_text *out)
{
	const unsigned unit = pd_report_unit_of(options);
	const double self = pd_stack_percent(row->sum.self[unit], event->all[unit]);
	if (self >= 5)
		pd_report_style(options, REPORT_RED, out);
	perfdata_text_printf(out, "%7.2f", self);
	if (self >= 5)
		pd_report_style(options, REPORT_PLAIN, out);
	if (event->has_totals)
		perfdata_text_printf(out, " %7.2f", pd_stack_percent(row->sum.total[unit], event->all[unit]));
	perfdata_text_printf(out, "  %*" PRIu64, (int)widths->samples, row->sum.self[0]);
	if (widths->weight_shown) {
		perfdata_text_literal(out, "  ");
		perfdata_text_clear(scratch);
		pd_stack_text_weight(scratch, row->sum.self[1], is_time(event));
		pad_to_width(out, scratch->size, widths->weight);
		perfdata_text_append(out, scratch->data, scratch->size);
	}
	for (unsigned k = 0; k < widths->nr_keys; k++) {
		const char *text = key_text(options, row, widths->keys[k], scratch);
		perfdata_text_literal(out, "  ");
		const size_t shown = perfdata_text_shortened(out, text, options->width ? widths->key[k] : 0);
		if (k + 1 < widths->nr_keys || widths->file_shown)
			pad_to_width(out, shown, widths->key[k]);
	}
	if (widths->file_shown) {
		perfdata_text_literal(out, "  ");
		const size_t file = perfdata_text_shortened(out, pd_stack_last_part(row->file),
							    options->width ? widths->file : 0);
		if (widths->kind_shown) {
			pad_to_width(out, file, widths->file);
			perfdata_text_printf(out, "  %s", row->kind);
		}
	}
	perfdata_text_char(out, '\n');
}

void pd_report_text_event(const struct report_options *options, const struct report_event *event,
			  struct perfdata_text *out)
{
	const struct column_widths widths = widths_of(options, event);
	const size_t shown = pd_report_rows_shown(options, event);
	const unsigned unit = pd_report_unit_of(options);
	struct perfdata_text scratch;
	perfdata_text_char(out, '\n');
	pd_report_event_line(options, event, out);
	header_line(options, event, &widths, out);
	perfdata_text_init(&scratch);
	out->failed |= widths.failed;
	uint64_t left = event->all[unit];
	for (size_t i = 0; i < shown; i++) {
		row_line(options, event, &widths, &event->rows[i], &scratch, out);
		left -= event->rows[i].sum.self[unit] < left ? event->rows[i].sum.self[unit] : left;
	}
	out->failed |= perfdata_text_failed(&scratch);
	perfdata_text_release(&scratch);
	if (shown < event->nr_rows)
		perfdata_text_printf(out, "(%zu more rows, with %.2f %% self; --top 0 shows all)\n",
				     event->nr_rows - shown,
				     pd_stack_percent(left - event->of_small[unit], event->all[unit]));
	if (event->nr_small)
		perfdata_text_printf(out, "(%zu rows below %g %%, with %.2f %% self; --min-percent 0 shows them)\n",
				     event->nr_small, options->min_percent,
				     pd_stack_percent(event->of_small[unit], event->all[unit]));
}
