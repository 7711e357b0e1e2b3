/* SPDX-License-Identifier: MIT */
/* Reports as JSON and CSV. */
#include "config.h"
#include <inttypes.h>
#include <string.h>
#include "emit/report/report.h"
#include "text/json_quoted.h"
#include "text/spelling.h"

/* "ns", "occurrences", or "" for counters. */
static const char *report_unit(const struct report_event *event)
{
	switch (event->measure) {
	case PERFDATA_MEASURE_TIME: return "ns";
	case PERFDATA_MEASURE_OCCURRENCES: return "occurrences";
	case PERFDATA_MEASURE_COUNT: break;
	}
	return "";
}

static void write_key(struct perfdata_text *out, const char *name)
{
	perfdata_text_literal(out, ",\"");
	perfdata_text_string(out, name);
	perfdata_text_literal(out, "\":");
}

static void json_number(struct perfdata_text *out, const char *name, uint64_t value)
{
	write_key(out, name);
	perfdata_text_u64(out, value);
}

static void json_choice(const struct stack_choice *choice, struct perfdata_text *out)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	pd_stack_choice_spell(choice, &text);
	perfdata_text_json_string(out, text.data, text.size);
	out->failed |= perfdata_text_failed(&text);
	perfdata_text_release(&text);
}

void pd_report_json_head(const struct report_options *options, const struct report_head *head,
			 struct perfdata_text *out)
{
	const struct perfdata_summary *summary = head->end->summary;
	perfdata_text_literal(out, "{\"schema\":\"perfdata-report/1\"");
	if (head->file) {
		write_key(out, "file");
		pd_json_text(out, head->file);
	}
	write_key(out, "by");
	pd_json_text(out, options->by_text);
	if (head->choice) {
		write_key(out, "stacks");
		json_choice(head->choice, out);
	}
	json_number(out, "lost_records", summary->lost_records);
	json_number(out, "lost_samples", summary->lost_samples);
	if (summary->first_time != UINT64_MAX) {
		json_number(out, "first_time", summary->first_time);
		json_number(out, "last_time", summary->last_time);
	}
	perfdata_text_literal(out, ",\"events\":[");
}

/* The JSON key for a key of rows. */
static const char *json_key(enum report_by by)
{
	return by == REPORT_BUILD_ID ? "build_id" : by == REPORT_LINE ? "symbol" : pd_report_by_name(by);
}

/* Writes the keys of a row; for symbols also file and source. */
static void json_row(const struct report_options *options, const struct report_event *event,
		     const struct report_row *row, struct perfdata_text *out)
{
	for (unsigned i = 0; i < options->nr_keys; i++) {
		perfdata_text_string(out, i ? ",\"" : "{\"");
		perfdata_text_string(out, json_key(options->keys[i]));
		perfdata_text_literal(out, "\":");
		pd_json_text(out, pd_report_key_name(options, row, options->keys[i]));
	}
	if (row->pid >= 0 || row->tid >= 0) {
		write_key(out, "pid");
		perfdata_text_s64(out, row->pid);
	}
	if (row->tid >= 0) {
		write_key(out, "tid");
		perfdata_text_s64(out, row->tid);
	}
	if (*row->file && options->by != REPORT_DSO) {
		write_key(out, "dso");
		pd_json_text(out, row->file);
	}
	if (*row->source) {
		write_key(out, "source");
		pd_json_text(out, row->source);
	}
	if (row->line)
		json_number(out, "line", row->line);
	if (*row->kind) {
		write_key(out, "kind");
		pd_json_text(out, row->kind);
	}
	json_number(out, "self_samples", row->sum.self[0]);
	json_number(out, "self_weight", row->sum.self[1]);
	if (event->has_totals) {
		json_number(out, "total_samples", row->sum.total[0]);
		json_number(out, "total_weight", row->sum.total[1]);
	}
	perfdata_text_char(out, '}');
}

/* Writes the number of cut stacks, and the files with stacks that end too early, if there are enough of them. */
static void json_broken(const struct report_event *event, struct perfdata_text *out)
{
	enum { FILES_TOLD = 8 };
	struct pd_broken_file files[FILES_TOLD];
	const size_t nr = event->broken ? pd_broken_stacks_files(event->broken, files, FILES_TOLD) : 0;
	const uint64_t cut = event->broken ? pd_broken_stacks_cut(event->broken, event->of) : 0;
	if (cut)
		json_number(out, "cut_stacks", cut);
	if (!nr)
		return;
	write_key(out, "broken_stacks");
	for (size_t i = 0; i < nr; i++) {
		perfdata_text_string(out, i ? ",{\"dso\":" : "[{\"dso\":");
		pd_json_text(out, perfdata_session_dso(event->session, files[i].dso)->name);
		json_number(out, "stacks", files[i].stacks);
		json_number(out, "single", files[i].single);
		json_number(out, "outside", files[i].outside);
		perfdata_text_char(out, '}');
	}
	perfdata_text_char(out, ']');
}

void pd_report_json_event(const struct report_options *options, const struct report_event *event, bool first,
			  struct perfdata_text *out)
{
	perfdata_text_string(out, first ? "\n{\"event\":" : ",\n{\"event\":");
	pd_json_text(out, event->name);
	write_key(out, "unit");
	pd_json_text(out, report_unit(event));
	json_number(out, "samples", event->all[0]);
	json_number(out, "weight", event->all[1]);
	if (event->is_part) {
		json_number(out, "all_samples", event->whole[0]);
		json_number(out, "all_weight", event->whole[1]);
	}
	json_number(out, "nameless_samples", event->nameless[0]);
	json_number(out, "nameless_weight", event->nameless[1]);
	if (event->not_in_bundle[0]) {
		json_number(out, "not_in_bundle_samples", event->not_in_bundle[0]);
		json_number(out, "not_in_bundle_weight", event->not_in_bundle[1]);
	}
	json_broken(event, out);
	json_number(out, "rows_left_out", event->nr_rows - pd_report_rows_shown(options, event) + event->nr_small);
	perfdata_text_literal(out, ",\"rows\":[");
	for (size_t i = 0; i < pd_report_rows_shown(options, event); i++) {
		perfdata_text_string(out, i ? ",\n" : "\n");
		json_row(options, event, &event->rows[i], out);
	}
	perfdata_text_literal(out, "]}");
}

void pd_report_json_end(const struct report_head *head, struct perfdata_text *out)
{
	perfdata_text_literal(out, "]");
	json_number(out, "findings", head->end->findings_total);
	perfdata_text_string(out, head->end->complete ? ",\"complete\":true}\n" : ",\"complete\":false}\n");
}

/* --- CSV ---------------------------------------------------------------------------------------------------------- */

void pd_report_csv_head(const struct report_options *options, struct perfdata_text *out)
{
	perfdata_text_literal(out, "file,event,unit,");
	/* several keys have a column each; the column of the file is in all reports */
	for (unsigned i = 0; options->nr_keys > 1 && i < options->nr_keys; i++)
		if (options->keys[i] != REPORT_DSO)
			perfdata_text_printf(out, "%s,", json_key(options->keys[i]));
	perfdata_text_string(out, options->nr_keys > 1 ? "" : "name,");
	perfdata_text_literal(
		out, "pid,tid,dso,source,line,kind,self_samples,self_weight,total_samples,total_weight,event_samples,"
		     "event_weight\n");
}

static void write_cell(struct perfdata_text *out, const char *text)
{
	pd_text_csv_cell(out, text, strlen(text));
	perfdata_text_char(out, ',');
}

static void number_cell(struct perfdata_text *out, bool known, uint64_t number, char separator)
{
	if (known)
		perfdata_text_u64(out, number);
	perfdata_text_char(out, separator);
}

void pd_report_csv_event(const struct report_options *options, const struct report_head *head,
			 const struct report_event *event, struct perfdata_text *out)
{
	for (size_t i = 0; i < pd_report_rows_shown(options, event); i++) {
		const struct report_row *row = &event->rows[i];
		write_cell(out, head->file ? head->file : "");
		write_cell(out, event->name);
		write_cell(out, report_unit(event));
		for (unsigned k = 0; k < options->nr_keys; k++)
			if (options->nr_keys == 1 || options->keys[k] != REPORT_DSO)
				write_cell(out, pd_report_key_name(options, row, options->keys[k]));
		number_cell(out, row->pid >= 0, (uint64_t)row->pid, ',');
		number_cell(out, row->tid >= 0, (uint64_t)row->tid, ',');
		write_cell(out, row->file);
		write_cell(out, row->source);
		number_cell(out, row->line, row->line, ',');
		write_cell(out, row->kind);
		number_cell(out, true, row->sum.self[0], ',');
		number_cell(out, true, row->sum.self[1], ',');
		number_cell(out, event->has_totals, row->sum.total[0], ',');
		number_cell(out, event->has_totals, row->sum.total[1], ',');
		number_cell(out, true, event->all[0], ',');
		number_cell(out, true, event->all[1], '\n');
	}
}
