/* SPDX-License-Identifier: MIT */
/* Annotated functions as JSON, and facts about a row that all writers of annotated functions use. */
#include "config.h"
#include <string.h>
#include "emit/report/annotated.h"
#include "text/json_quoted.h"
#include "text/spelling.h"

static void write_key(struct perfdata_text *out, const char *name)
{
	perfdata_text_literal(out, ",\"");
	perfdata_text_string(out, name);
	perfdata_text_literal(out, "\":");
}

static void write_number(struct perfdata_text *out, const char *name, uint64_t value)
{
	write_key(out, name);
	perfdata_text_u64(out, value);
}

static void write_address(struct perfdata_text *out, const char *name, uint64_t value)
{
	write_key(out, name);
	perfdata_text_literal(out, "\"0x");
	pd_text_hex(out, value);
	perfdata_text_char(out, '"');
}

/* [[samples, weight], …], by event. */
static void write_sums(struct perfdata_text *out, const uint64_t *sums, size_t nr_events)
{
	write_key(out, "sums");
	for (size_t i = 0; i < nr_events; i++) {
		perfdata_text_string(out, i ? ",[" : "[[");
		perfdata_text_u64(out, sums[2 * i]);
		perfdata_text_char(out, ',');
		perfdata_text_u64(out, sums[2 * i + 1]);
		perfdata_text_char(out, ']');
	}
	perfdata_text_string(out, nr_events ? "]" : "[]");
}

const char *pd_annotate_line_text(const struct annotate_head *head, const struct pd_annotate_row *row, size_t *ret_size)
{
	const char *text = NULL;
	if (head->sources && row->source && row->line)
		text = pd_sources_line(head->sources, row->source, row->line, ret_size);
	if (!text && row->line_text && !head->no_recorded_texts) {
		text = row->line_text;
		*ret_size = strlen(text);
	}
	return text;
}

void pd_annotate_json_head(const struct annotate_head *head, struct perfdata_text *out)
{
	perfdata_text_literal(out, "{\"schema\":\"perfdata-annotate/1\"");
	if (head->file) {
		write_key(out, "file");
		pd_json_text(out, head->file);
	}
	write_key(out, "events");
	for (size_t i = 0; i < head->nr_events; i++) {
		perfdata_text_string(out, i ? ",{\"event\":" : "[{\"event\":");
		pd_json_text(out, head->events[i].name);
		write_key(out, "unit");
		perfdata_text_string(out, head->events[i].is_time ? "\"ns\"" : "\"\"");
		write_number(out, "samples", head->events[i].all[0]);
		write_number(out, "weight", head->events[i].all[1]);
		perfdata_text_char(out, '}');
	}
	perfdata_text_string(out, head->nr_events ? "],\"functions\":[" : "[],\"functions\":[");
}

/* Writes {"runs":…} of an instruction. */
static void write_branches(struct perfdata_text *out, const struct pd_annotate_row *row,
			   const struct annotate_counts *counts)
{
	write_number(out, "runs", counts->runs);
	if (row->flow != PD_ANNOTATE_NEXT || counts->taken) {
		write_number(out, "taken", counts->taken);
		write_number(out, "not_taken", counts->runs - counts->ended);
	}
	if (counts->cycles) {
		write_number(out, "cycles", counts->cycles);
		write_number(out, "cycles_runs", counts->ended);
	}
	if (counts->back)
		write_number(out, "loop", counts->back);
}

static void write_row(struct perfdata_text *out, const struct annotate_head *head,
		      const struct pd_annotation *annotation, const struct pd_annotate_row *row)
{
	static const char *const flows[] = { "next", "jump", "condition", "call", "return" };
	size_t size;
	perfdata_text_literal(out, "{\"address\":\"0x");
	pd_text_hex(out, row->address);
	perfdata_text_char(out, '"');
	write_number(out, "offset", row->offset);
	if (row->source) {
		write_key(out, "source");
		pd_json_text(out, row->source);
	}
	if (row->line)
		write_number(out, "line", row->line);
	const char *text = pd_annotate_line_text(head, row, &size);
	if (text) {
		write_key(out, "source_text");
		perfdata_text_json_string(out, text, size);
	}
	for (uint32_t i = 0; i < row->nr_inlined; i++) {
		perfdata_text_string(out, i ? "," : ",\"inlined\":[");
		pd_json_text(out, row->inlined[i]);
	}
	perfdata_text_string(out, row->nr_inlined ? "]" : "");
	if (row->text) {
		write_key(out, "text");
		pd_json_text(out, row->text);
		write_number(out, "size", row->size);
		write_key(out, "flow");
		pd_json_text(out, flows[row->flow]);
		if (row->target != PERFDATA_NONE)
			write_address(out, "target", annotation->rows[row->target].address);
		if (row->callee) {
			write_key(out, "callee");
			pd_json_text(out, row->callee);
		}
		if (row->callee_offset)
			write_number(out, "callee_offset", row->callee_offset);
		write_number(out, "block", row->block);
		if (head->counts)
			write_branches(out, row, &head->counts[row - annotation->rows]);
	}
	write_sums(out, row->sums, head->nr_events);
	perfdata_text_char(out, '}');
}

void pd_annotate_json(const struct annotate_head *head, const struct pd_annotation *annotation, bool first,
		      struct perfdata_text *out)
{
	perfdata_text_string(out, first ? "\n{\"symbol\":" : ",\n{\"symbol\":");
	pd_json_text(out, annotation->name);
	if (annotation->inlined) {
		write_key(out, "inlined_function");
		pd_json_text(out, annotation->inlined);
	}
	write_key(out, "dso");
	pd_json_text(out, annotation->file);
	write_address(out, "start", annotation->start);
	write_number(out, "size", annotation->size);
	if (annotation->decoder) {
		write_key(out, "decoder");
		pd_json_text(out, annotation->decoder);
	}
	if (annotation->no_code) {
		write_key(out, "no_code");
		pd_json_text(out, annotation->no_code);
	}
	write_sums(out, annotation->sums, head->nr_events);
	perfdata_text_literal(out, ",\"rows\":[");
	for (size_t i = 0; i < annotation->nr_rows; i++) {
		perfdata_text_string(out, i ? ",\n" : "\n");
		write_row(out, head, annotation, &annotation->rows[i]);
	}
	perfdata_text_literal(out, "]}");
}

void pd_annotate_json_end(const struct annotate_head *head, size_t left_out, struct perfdata_text *out)
{
	perfdata_text_literal(out, "]");
	if (left_out)
		write_number(out, "left_out", left_out);
	write_number(out, "findings", head->end->findings_total);
	perfdata_text_string(out, head->end->complete ? ",\"complete\":true}\n" : ",\"complete\":false}\n");
}
