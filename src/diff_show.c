/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "diff_show.h"
#include "terminal.h"

enum { DEFAULT_TOP = 20, LEAST_NAME = 60 };

/* --- words -------------------------------------------------------------------------------------------------------- */

const struct perfdata_compared *diff_decisive(const struct perfdata_comparison_row *row, bool *ret_inclusive)
{
	*ret_inclusive = row->self.change != row->change;
	return *ret_inclusive ? &row->inclusive : &row->self;
}

void diff_spell_key(struct perfdata_text *out, const struct perfdata_comparison_row *row)
{
	const char *key = *row->key ? row->key : *row->file ? row->file : "(nothing)";
	perfdata_text_printable(out, key, strlen(key));
	if (!*row->key || !*row->file)
		return;
	perfdata_text_literal(out, " (");
	perfdata_text_printable(out, row->file, strlen(row->file));
	perfdata_text_char(out, ')');
}

void diff_spell_delta(struct perfdata_text *out, double delta)
{
	perfdata_text_printf(out, "%+.2f", delta * 100 + 0.0);
}

void diff_spell_ratio(struct perfdata_text *out, double ratio)
{
	if (isinf(ratio))
		perfdata_text_literal(out, "new");
	else if (ratio <= 0)
		perfdata_text_literal(out, "gone");
	else
		perfdata_text_printf(out, "%.2f", ratio);
}

bool diff_is_judged(const struct perfdata_compared *reported)
{
	return reported->change != PERFDATA_CHANGE_NOT_JUDGED && reported->change != PERFDATA_CHANGE_UNMATCHED;
}

void diff_spell_p(struct perfdata_text *out, const struct perfdata_compared *reported)
{
	const double p = reported->adjusted_p;
	if (!diff_is_judged(reported))
		perfdata_text_char(out, '-');
	else if (p < 1e-99)
		perfdata_text_literal(out, "0");
	else
		perfdata_text_printf(out, p < 0.001 ? "%.1e" : "%.2g", p);
}

void diff_spell_visible(struct perfdata_text *out, double visible)
{
	if (isinf(visible))
		perfdata_text_char(out, '-');
	else
		perfdata_text_printf(out, "±%.2f", visible * 100);
}

void diff_spell_reason(struct perfdata_text *out, const struct perfdata_comparison_row *row)
{
	if (row->cause) {
		perfdata_text_literal(out, "calls ");
		perfdata_text_printable(out, row->cause, strlen(row->cause));
		perfdata_text_string(out, row->reason ? "; " : "");
	}
	if (row->reason)
		perfdata_text_printable(out, row->reason, strlen(row->reason));
}

size_t diff_count(const struct diff_answer *answer, size_t event, enum perfdata_change change, bool callers)
{
	const struct perfdata_comparison_row *row;
	size_t nr = 0;
	for (size_t i = 0; (row = perfdata_comparison_row(answer->comparison, event, i)); i++)
		nr += row->change == change && !row->cause == !callers;
	return nr;
}

static const char *kind_of(const struct diff_answer *answer, size_t nr)
{
	static const struct { const char *by, *one, *many;
	} kinds[] = {
		{ "symbol", "function", "functions" }, { "dso", "file", "files" },  { "comm", "comm", "comms" },
		{ "thread", "thread", "threads" },     { "line", "line", "lines" }, { "stack", "stack", "stacks" },
	};
	const char *by = perfdata_baseline_by(answer->sides[0]);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(by, kinds[i].by, strlen(kinds[i].by)))
			return nr == 1 ? kinds[i].one : kinds[i].many;
	return nr == 1 ? "key" : "keys";
}

/* Appends the function whose own cost rose most, which readers look for first. */
static void spell_first_cause(struct perfdata_text *out, const struct diff_answer *answer, size_t worse)
{
	const struct perfdata_comparison_row *row;
	for (size_t e = 0; worse && perfdata_comparison_event(answer->comparison, e); e++) {
		bool inclusive;
		row = perfdata_comparison_row(answer->comparison, e, 0);
		if (!row || row->change != PERFDATA_CHANGE_REGRESSED || row->cause)
			continue;
		perfdata_text_string(out, worse == 1 ? ": " : ", most of all ");
		diff_spell_key(out, row);
		const double ratio = diff_decisive(row, &inclusive)->ratio;
		if (isinf(ratio))
			perfdata_text_literal(out, ", which is new");
		else
			perfdata_text_printf(out, ", x%.2f", ratio);
		return;
	}
}

void diff_spell_verdict(struct perfdata_text *out, const struct diff_answer *answer)
{
	const struct perfdata_comparison_event *event;
	size_t worse = 0, callers = 0, better = 0;
	bool total = false;
	for (size_t e = 0; (event = perfdata_comparison_event(answer->comparison, e)); e++) {
		worse += diff_count(answer, e, PERFDATA_CHANGE_REGRESSED, false);
		callers += diff_count(answer, e, PERFDATA_CHANGE_REGRESSED, true);
		better += diff_count(answer, e, PERFDATA_CHANGE_IMPROVED, false);
		total |= event->total_change == PERFDATA_CHANGE_REGRESSED;
	}
	perfdata_text_printf(out, "%s: ", perfdata_verdict_name(perfdata_comparison_verdict(answer->comparison)));
	if (perfdata_comparison_verdict(answer->comparison) == PERFDATA_VERDICT_INCOMPARABLE) {
		perfdata_text_string(out, perfdata_comparison_note(answer->comparison, 0)->message);
	} else if (!worse && !total) {
		perfdata_text_printf(out, "nothing regressed%s",
				     perfdata_comparison_verdict(answer->comparison) == PERFDATA_VERDICT_PASS
					     ? ""
					     : ", but a rise beyond the limits could have been missed");
	} else {
		if (worse)
			perfdata_text_printf(out, "%zu %s regressed", worse, kind_of(answer, worse));
		spell_first_cause(out, answer, worse);
		if (callers)
			perfdata_text_printf(out, ", and %zu that call%s %s", callers, callers == 1 ? "s" : "",
					     worse == 1 ? "it" : "them");
		if (total)
			perfdata_text_printf(out, "%sthe total grew", worse ? ", " : "");
	}
	if (better)
		perfdata_text_printf(out, "; %zu %s improved", better, kind_of(answer, better));
}

static const char *plural_ending(uint64_t nr) { return nr == 1 ? "" : "s"; }

void diff_spell_event(struct perfdata_text *out, const struct perfdata_comparison_event *event)
{
	const struct perfdata_compared_side *sides = event->sides;
	if (!sides[0].recordings || !sides[1].recordings) {
		perfdata_text_printf(out, "recorded %s only", sides[0].recordings ? "before" : "after");
		return;
	}
	perfdata_text_printf(
		out, "%" PRIu64 " recording%s with %" PRIu64 " samples before, %" PRIu64 " with %" PRIu64 " after",
		sides[0].recordings, plural_ending(sides[0].recordings), sides[0].samples, sides[1].recordings,
		sides[1].samples);
	if (event->scale != 1)
		perfdata_text_printf(
			out,
			"; values after are in %% of the weight before (shares of unchanged functions: x%.3f)",
			event->scale);
	perfdata_text_printf(out, "; dispersion %.2f%s", event->dispersion,
			     event->dispersion_known ? "" : " (assumed: no repeat runs)");
	if (event->has_total) {
		perfdata_text_printf(out, "; weight per unit of work x%.3f", event->total_ratio);
		if (event->total_change == PERFDATA_CHANGE_NOT_JUDGED)
			perfdata_text_literal(out, " (not judged)");
		else
			perfdata_text_printf(out, " (%s)", perfdata_change_name(event->total_change));
	}
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static void pad_to_width(struct perfdata_text *out, size_t start, size_t width)
{
	const size_t used = out->size - start;
	perfdata_text_fill(out, ' ', used < width ? width - used : 0);
}

static void write_percent(struct perfdata_text *out, double share) { perfdata_text_printf(out, "%8.3f", share * 100); }

static const char *table_head(const struct perfdata_comparison_event *event)
{
	return event->has_stacks ? "state       before   after   b.incl  a.incl  points      ratio  p        "
				   "visible   what\n"
				 : "state       before   after  points      ratio  p        visible   what\n";
}

/* Width of the column of names; 0: no limit. It is the last column, but a reason may follow a name. */
static size_t name_columns(const struct diff_answer *answer, const struct perfdata_comparison_event *event)
{
	const size_t before = strlen(table_head(event)) - strlen("what\n"), line = terminal_columns();
	return answer->options->wide ? 0 : line > before + LEAST_NAME ? line - before : LEAST_NAME;
}

static void text_row(struct perfdata_text *out, const struct perfdata_comparison_event *event,
		     const struct perfdata_comparison_row *row, size_t columns)
{
	struct perfdata_text name;
	bool inclusive;
	const struct perfdata_compared *reported = diff_decisive(row, &inclusive);
	size_t start = out->size;
	perfdata_text_string(out, perfdata_change_name(row->change));
	pad_to_width(out, start, 10);
	write_percent(out, row->self.share[0]);
	write_percent(out, row->self.compared);
	if (event->has_stacks) {
		write_percent(out, row->inclusive.share[0]);
		write_percent(out, row->inclusive.compared);
	}
	start = out->size;
	perfdata_text_string(out, inclusive ? "  incl" : "  self");
	diff_spell_delta(out, reported->delta);
	pad_to_width(out, start, 14);
	start = out->size;
	diff_spell_ratio(out, reported->ratio);
	pad_to_width(out, start, 7);
	start = out->size;
	diff_spell_p(out, reported);
	pad_to_width(out, start, 9);
	start = out->size;
	diff_spell_visible(out, reported->visible);
	pad_to_width(out, start, isinf(reported->visible) ? 10 : 11);
	perfdata_text_init(&name);
	diff_spell_key(&name, row);
	perfdata_text_char(&name, 0);
	out->failed |= perfdata_text_failed(&name);
	if (!perfdata_text_failed(&name))
		perfdata_text_shortened(out, name.data, columns);
	perfdata_text_release(&name);
	perfdata_text_string(out, row->reason || row->cause ? ": " : "");
	diff_spell_reason(out, row);
	perfdata_text_char(out, '\n');
}

static void text_event(const struct diff_answer *answer, size_t number, const struct perfdata_comparison_event *event,
		       struct perfdata_text *out)
{
	const size_t top = answer->options->top ? (size_t)answer->options->top : DEFAULT_TOP;
	const struct perfdata_comparison_row *row;
	size_t shown = 0, more = 0;
	perfdata_text_char(out, '\n');
	perfdata_text_printable(out, event->name, strlen(event->name));
	perfdata_text_literal(out, ": ");
	diff_spell_event(out, event);
	perfdata_text_char(out, '\n');
	if (!event->nr_judged)
		return;
	perfdata_text_string(out, table_head(event));
	const size_t columns = name_columns(answer, event);
	for (size_t i = 0; (row = perfdata_comparison_row(answer->comparison, number, i)); i++) {
		if (row->change == PERFDATA_CHANGE_NOT_JUDGED)
			continue;
		if (shown < top) {
			text_row(out, event, row, columns);
			shown++;
		} else {
			more++;
		}
	}
	if (more)
		perfdata_text_printf(out, "… %zu more (--top, --tsv)\n", more);
}

void diff_show_text(const struct diff_answer *answer, struct perfdata_text *out)
{
	const struct perfdata_comparison_event *event;
	const struct perfdata_comparison_note *note;
	diff_spell_verdict(out, answer);
	perfdata_text_char(out, '\n');
	for (size_t i = 0; (note = perfdata_comparison_note(answer->comparison, i)); i++) {
		perfdata_text_printf(out, "%s: ", note->is_reason ? "reason" : "note");
		perfdata_text_printable(out, note->message, strlen(note->message));
		perfdata_text_printf(out, " [%s]\n", note->code);
	}
	for (size_t e = 0; (event = perfdata_comparison_event(answer->comparison, e)); e++)
		text_event(answer, e, event, out);
}

/* --- TSV ---------------------------------------------------------------------------------------------------------- */

/* Appends a TSV cell with tab, newline and backslash escaped. */
static void write_cell(struct perfdata_text *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\t' || *text == '\n' || *text == '\\') {
			perfdata_text_char(out, '\\');
			perfdata_text_char(out, *text == '\t' ? 't' : *text == '\n' ? 'n' : '\\');
		} else {
			perfdata_text_char(out, *text);
		}
	}
	perfdata_text_char(out, '\t');
}

static void tsv_row(struct perfdata_text *out, const struct perfdata_comparison_event *event,
		    const struct perfdata_comparison_row *row)
{
	bool inclusive;
	const struct perfdata_compared *reported = diff_decisive(row, &inclusive);
	write_cell(out, event->name);
	write_cell(out, perfdata_change_name(row->change));
	perfdata_text_printf(out, "%.3f\t%.3f\t%+.3f\t", row->self.share[0] * 100, row->self.compared * 100,
			     reported->delta * 100 + 0.0);
	if (isinf(reported->ratio))
		perfdata_text_literal(out, "-\t");
	else
		perfdata_text_printf(out, "%.3f\t", reported->ratio);
	diff_spell_p(out, reported);
	perfdata_text_printf(out, "\t%.3f\t%.3f\t%" PRIu64 "\t%" PRIu64 "\t", row->inclusive.share[0] * 100,
			     row->inclusive.compared * 100, reported->samples[0], reported->samples[1]);
	if (isinf(reported->visible))
		perfdata_text_literal(out, "-\t");
	else
		perfdata_text_printf(out, "%.3f\t", reported->visible * 100);
	write_cell(out, row->file);
	write_cell(out, row->key);
	perfdata_text_printf(out, "%u\t%u\t%s\t", row->clones[0], row->clones[1], inclusive ? "inclusive" : "self");
	write_cell(out, row->reason ? row->reason : "");
	write_cell(out, row->cause ? row->cause : "");
	out->size -= !perfdata_text_failed(out);
	perfdata_text_char(out, '\n');
}

void diff_show_tsv(const struct diff_answer *answer, struct perfdata_text *out)
{
	const struct perfdata_comparison_event *event;
	const struct perfdata_comparison_row *row;
	perfdata_text_literal(out, "event\tstate\tself_before\tself_after\tdelta\tratio\tadj_p\tincl_before\t"
				   "incl_after\tn_before\tn_after\tsmallest_visible\tfile\tsymbol\tclones_before\t"
				   "clones_after\tquantity\treason\tcause\n");
	for (size_t e = 0; (event = perfdata_comparison_event(answer->comparison, e)); e++)
		for (size_t i = 0; (row = perfdata_comparison_row(answer->comparison, e, i)); i++)
			tsv_row(out, event, row);
}
