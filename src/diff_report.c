/* SPDX-License-Identifier: MIT */
/* Answers of `diff` for build servers: JUnit, and Markdown for comments on pull requests. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "diff_show.h"
#include "junit.h"

/* GitHub refuses comments of more than 65,536 characters */
enum { DEFAULT_TOP = 20, MOST_NAME = 80, MOST_BYTES = 60000 };

/* --- JUnit -------------------------------------------------------------------------------------------------------- */

static bool is_undecided(const struct diff_answer *answer)
{
	const enum perfdata_verdict verdict = perfdata_comparison_verdict(answer->comparison);
	return verdict == PERFDATA_VERDICT_INCOMPARABLE || verdict == PERFDATA_VERDICT_INCONCLUSIVE;
}

static enum junit_result result_of(const struct diff_answer *answer, enum perfdata_change change)
{
	if (is_undecided(answer) || change == PERFDATA_CHANGE_ALLOWED)
		return JUNIT_SKIPPED;
	return change == PERFDATA_CHANGE_REGRESSED ? JUNIT_FAILED : JUNIT_PASSED;
}

static void row_case(struct junit *junit, const struct diff_answer *answer, const struct perfdata_comparison_row *row)
{
	struct perfdata_text name, message;
	bool inclusive;
	const struct perfdata_compared *reported = diff_decisive(row, &inclusive);
	perfdata_text_init(&name);
	perfdata_text_init(&message);
	diff_spell_key(&name, row);
	perfdata_text_char(&name, 0);
	perfdata_text_printf(&message, "%s: %s %.3f %% before, %.3f %% after (", perfdata_change_name(row->change),
			     inclusive ? "inclusive" : "self", reported->share[0] * 100, reported->compared * 100);
	diff_spell_delta(&message, reported->delta);
	perfdata_text_literal(&message, " points, ratio ");
	diff_spell_ratio(&message, reported->ratio);
	perfdata_text_literal(&message, ", p ");
	diff_spell_p(&message, reported);
	perfdata_text_char(&message, ')');
	perfdata_text_string(&message, row->reason || row->cause ? ": " : "");
	diff_spell_reason(&message, row);
	perfdata_text_char(&message, 0);
	const bool fine = !perfdata_text_failed(&name) && !perfdata_text_failed(&message);
	struct perfdata_text details = { .data = message.data, .size = fine ? message.size - 1 : 0 };
	if (fine)
		junit_case(junit, name.data, result_of(answer, row->change), perfdata_change_name(row->change),
			   message.data, &details);
	junit->cases.failed |= !fine;
	perfdata_text_release(&name);
	perfdata_text_release(&message);
}

/* event: NULL where the recordings have no events. */
static void verdict_case(struct junit *junit, const struct diff_answer *answer,
			 const struct perfdata_comparison_event *event)
{
	struct perfdata_text message;
	const char *verdict = perfdata_verdict_name(perfdata_comparison_verdict(answer->comparison));
	const bool is_failure = answer->options->strict && is_undecided(answer);
	const enum perfdata_change change = event ? event->total_change : PERFDATA_CHANGE_NOT_JUDGED;
	const enum junit_result result = is_failure ? JUNIT_FAILED : result_of(answer, change);
	perfdata_text_init(&message);
	if (change == PERFDATA_CHANGE_REGRESSED)
		perfdata_text_printf(&message, "weight per unit of work x%.3f", event->total_ratio);
	else
		diff_spell_verdict(&message, answer);
	perfdata_text_char(&message, 0);
	junit->cases.failed |= perfdata_text_failed(&message);
	struct perfdata_text details = { .data = message.data,
					 .size = perfdata_text_failed(&message) ? 0 : message.size - 1 };
	if (!perfdata_text_failed(&message))
		junit_case(junit, "total", result, verdict, message.data, &details);
	perfdata_text_release(&message);
}

void diff_show_junit(const struct diff_answer *answer, struct perfdata_text *out)
{
	struct junit junit;
	const struct perfdata_comparison_event *event;
	const struct perfdata_comparison_row *row;
	junit_init(&junit, "perfdata.diff");
	for (size_t e = 0; (event = perfdata_comparison_event(answer->comparison, e)); e++) {
		verdict_case(&junit, answer, event);
		for (size_t i = 0; (row = perfdata_comparison_row(answer->comparison, e, i)); i++)
			if (row->change != PERFDATA_CHANGE_NOT_JUDGED)
				row_case(&junit, answer, row);
		junit_suite(&junit, event->name);
	}
	/* a document without cases would be green, whatever the verdict */
	if (!perfdata_comparison_event(answer->comparison, 0)) {
		verdict_case(&junit, answer, NULL);
		junit_suite(&junit, "no events");
	}
	junit_inputs(&junit, answer->inputs);
	junit_end(&junit, answer->inputs != EXIT_FINE ? "inputs" : NULL, out);
}

/* --- Markdown ----------------------------------------------------------------------------------------------------- */

/* Appends the name of a row as a Markdown code span, with a longer run of backticks than in the name. Long names lose
 * their middle. | is escaped, since it would end the table's cell. */
static void code_span(struct perfdata_text *out, const struct perfdata_comparison_row *row)
{
	struct perfdata_text name;
	size_t run = 0, longest = 0;
	perfdata_text_init(&name);
	diff_spell_key(&name, row);
	out->failed |= perfdata_text_failed(&name);
	const size_t size = perfdata_text_failed(&name) ? 0 : name.size, head = size > MOST_NAME ? MOST_NAME / 2 : size;
	const size_t tail = size > MOST_NAME ? size - MOST_NAME / 2 : size;
	for (size_t i = 0; i < size; i++) {
		run = name.data[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	perfdata_text_fill(out, '`', longest + 1);
	perfdata_text_string(out, longest ? " " : "");
	for (size_t i = 0; i < size; i++) {
		if (i == head && head < tail) {
			perfdata_text_literal(out, "…");
			i = tail;
			while (i < size && ((unsigned char)name.data[i] & 0xc0) == 0x80)
				i++;   /* moves to the start of a UTF-8 character */
		}
		if (i < size && name.data[i] == '|')
			perfdata_text_char(out, '\\');
		if (i < size && !(i < head && i + 4 > head && head < tail && (unsigned char)name.data[i] >= 0x80))
			perfdata_text_char(out, name.data[i]);
	}
	perfdata_text_string(out, longest ? " " : "");
	perfdata_text_fill(out, '`', longest + 1);
	perfdata_text_release(&name);
}

static void write_plain(struct perfdata_text *out, const char *text)
{
	struct perfdata_text printable;
	perfdata_text_init(&printable);
	perfdata_text_printable(&printable, text, strlen(text));
	out->failed |= perfdata_text_failed(&printable);
	for (size_t i = 0; i < printable.size; i++) {
		if (strchr("\\`*_{}[]<>#|~", printable.data[i]))
			perfdata_text_char(out, '\\');
		perfdata_text_char(out, printable.data[i]);
	}
	perfdata_text_release(&printable);
}

static void table_head(struct perfdata_text *out)
{
	perfdata_text_literal(out, "| | what | of | before | after | points | ratio | p | visible "
				   "|\n|---|---|---|---:|---:|---:|---:|---:|---:|\n");
}

static void table_row(struct perfdata_text *out, const struct perfdata_comparison_row *row)
{
	bool inclusive;
	const struct perfdata_compared *reported = diff_decisive(row, &inclusive);
	perfdata_text_printf(out, "| %s | ", perfdata_change_name(row->change));
	code_span(out, row);
	if (row->cause) {
		perfdata_text_literal(out, " calls ");
		write_plain(out, row->cause);
	}
	if (row->reason) {
		perfdata_text_literal(out, " ");
		write_plain(out, row->reason);
	}
	perfdata_text_printf(out, " | %s | %.2f %% | %.2f %% | ", inclusive ? "inclusive" : "self",
			     reported->share[0] * 100, reported->compared * 100);
	diff_spell_delta(out, reported->delta);
	perfdata_text_literal(out, " | ");
	diff_spell_ratio(out, reported->ratio);
	perfdata_text_literal(out, " | ");
	diff_spell_p(out, reported);
	perfdata_text_literal(out, " | ");
	diff_spell_visible(out, reported->visible);
	perfdata_text_literal(out, " |\n");
}

/* Rows with any change are shown, cheaper ones too; rows without a change are folded. */
static bool is_news(const struct perfdata_comparison_row *row) { return row->change > PERFDATA_CHANGE_SAME; }

static void event_table(const struct diff_answer *answer, size_t number, const struct perfdata_comparison_event *event,
			struct perfdata_text *out)
{
	const size_t top = answer->options->top ? (size_t)answer->options->top : DEFAULT_TOP;
	const struct perfdata_comparison_row *row;
	size_t shown = 0;
	perfdata_text_literal(out, "\n**");
	write_plain(out, event->name);
	perfdata_text_literal(out, "**: ");
	diff_spell_event(out, event);
	perfdata_text_literal(out, "\n\n");
	size_t i = 0;
	for (; (row = perfdata_comparison_row(answer->comparison, number, i)) && is_news(row) && shown < top; i++) {
		if (!shown++)
			table_head(out);
		table_row(out, row);
	}
	if (!shown)
		perfdata_text_literal(out, "Nothing changed by more than the limits.\n");
	shown = 0;
	for (; (row = perfdata_comparison_row(answer->comparison, number, i)) &&
	       row->change != PERFDATA_CHANGE_NOT_JUDGED && out->size < MOST_BYTES - 6000;
	     i++) {
		if (!shown++) {
			perfdata_text_literal(out, "\n<details><summary>The rest</summary>\n\n");
			table_head(out);
		}
		table_row(out, row);
	}
	if (row && row->change != PERFDATA_CHANGE_NOT_JUDGED)
		perfdata_text_literal(out, "| … | | | | | | | | |\n");
	if (shown)
		perfdata_text_literal(out, "\n</details>\n");
}

void diff_show_markdown(const struct diff_answer *answer, struct perfdata_text *out)
{
	const struct perfdata_comparison_event *event;
	const struct perfdata_comparison_note *note;
	struct perfdata_text verdict;
	perfdata_text_init(&verdict);
	diff_spell_verdict(&verdict, answer);
	perfdata_text_char(&verdict, 0);
	out->failed |= perfdata_text_failed(&verdict);
	perfdata_text_literal(out, "<!-- perfdata-diff");
	for (size_t e = 0; (event = perfdata_comparison_event(answer->comparison, e)); e++) {
		perfdata_text_char(out, ' ');
		for (const char *at = event->name; *at; at++)
			perfdata_text_char(out, *at > ' ' && *at < 127 && *at != '-' && *at != '>' ? *at : '_');
	}
	perfdata_text_literal(out, " -->\n**");
	write_plain(out, perfdata_text_failed(&verdict) ? "" : verdict.data);
	perfdata_text_literal(out, "**\n");
	perfdata_text_release(&verdict);
	for (size_t e = 0; (event = perfdata_comparison_event(answer->comparison, e)) && out->size < MOST_BYTES - 10000;
	     e++)
		event_table(answer, e, event, out);
	for (size_t i = 0; (note = perfdata_comparison_note(answer->comparison, i)) && out->size < MOST_BYTES - 2000;
	     i++) {
		perfdata_text_string(out, i ? "- " : "\n- ");
		write_plain(out, note->message);
		perfdata_text_char(out, '\n');
	}
}
