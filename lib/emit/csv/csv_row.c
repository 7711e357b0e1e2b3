/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stddef.h>
#include "emit/csv/csv_cell.h"
#include "emit/csv/csv_row.h"
#include "emit/spell/trace_line.h"
#include "reader/reader.h"
#include "text/spelling.h"

static void other_cell(struct record *r, const void *step, struct perfdata_text *room) { pd_csv_cell(r, step, room); }

static void number_cell(struct line_maker *maker, enum perfdata_part_form form, uint32_t member)
{
	if (form == PERFDATA_PART_X64)
		perfdata_text_literal(maker->text, "0x");
	pd_line_member(maker, form, member);
}

static void head_cell(struct line_maker *maker, const struct record *r, const struct select_step *step)
{
	const int index = pd_record_row_of_head(r, step->head);
	if (index >= 0) {
		const struct row *row = &r->plan->plan->rows[index];
		if (maker->present >> index & 1)
			number_cell(maker, step->head == HEAD_CPU ? PERFDATA_PART_U32_OR_NONE : pd_line_form(row),
				    row->member);
		return;
	}
	const size_t start = maker->text->size;
	switch (step->head) {
	case HEAD_OFFSET:
		pd_line_number(maker, PERFDATA_PART_U64, LINE_RAW, offsetof(struct perfdata_raw, offset));
		return;
	case HEAD_SIZE: pd_line_number(maker, PERFDATA_PART_U32, LINE_RAW, offsetof(struct perfdata_raw, size)); return;
	case HEAD_MISC:
		pd_record_misc_names(r, pd_csv_add_name, maker->text);
		pd_csv_drop_joint(maker->text, start);
		return;
	case HEAD_MISC_RAW: perfdata_text_u64(maker->text, r->raw->misc); return;
	case HEAD_EVENT:
		if (r->event)
			pd_text_csv_cell(maker->text, r->event->event->name, strlen(r->event->event->name));
		return;
	default: pd_line_head(maker, r, step->head, other_cell, step); return;
	}
}

/* All fields of a tracepoint as JSON. */
static void fields_cell(struct line_maker *maker, struct record *r)
{
	perfdata_text_char(maker->text, '"');
	struct speller s = speller_of(r, maker->text);
	s.doubled = true;
	pd_trace_json_line(maker, &s);
	perfdata_text_char(maker->text, '"');
}

static void field_cell(struct line_maker *maker, const struct select_step *step)
{
	const struct trace_row *row = pd_trace_plan_row(maker->fields, step->trace_name);
	if (!row)
		return;
	const enum perfdata_part_form form = pd_trace_form(row);
	if (form == PERFDATA_PART_STOP) {
		pd_line_other(maker, other_cell, step);
		return;
	}
	if (row->kind == PERFDATA_TRACE_POINTER)
		perfdata_text_literal(maker->text, "0x");
	pd_line_number(maker, form, LINE_FIELDS, row->offset);
}

static void make_cell(struct line_maker *maker, struct record *r, const struct select_step *step)
{
	if (step->gate && !(step->gate & maker->present))
		return;
	switch (step->what) {
	case SELECT_NOTHING: return;
	case SELECT_HEAD: head_cell(maker, r, step); return;
	case SELECT_FIELDS: case SELECT_FIELD:
		if (!maker->fields)
			pd_line_other(maker, other_cell, step);
		else if (step->what == SELECT_FIELDS)
			fields_cell(maker, r);
		else
			field_cell(maker, step);
		return;
	case SELECT_PLACE: pd_line_other(maker, other_cell, step); return;
	case SELECT_ROW:
		if (!step->depth && pd_line_form(&step->row) != PERFDATA_PART_STOP) {
			number_cell(maker, pd_line_form(&step->row), step->row.member);
			return;
		}
		/* the column `fields` has this value */
		if (step->row.type == VALUE_RAW && r->scope.trace)
			return;
		break;
	case SELECT_RAW_NUMBER: case SELECT_EXACT_BYTES: case SELECT_TRAILER: break;
	}
	pd_line_other_of_view(maker, other_cell, step);
}

static bool make_row(struct line_maker *maker, struct record *r, const void *user)
{
	const struct selection *columns = ((const struct csv_rows *)user)->columns;
	if (!r->plan->selection) {
		struct select_step *steps;
		if (!pd_selection_resolve(&r->cache->extra, columns, r->plan->plan ? r->plan->plan->layout : NULL,
					  &steps))
			return false;
		r->plan->selection = steps;
	}
	const struct select_step *steps = r->plan->selection;
	for (size_t i = 0; i < columns->nr; i++) {
		if (i)
			perfdata_text_char(maker->text, ',');
		make_cell(maker, r, &steps[i]);
	}
	perfdata_text_literal(maker->text, CSV_NEW_LINE);
	return true;
}

void pd_csv_rows_init(struct csv_rows *rows, const struct selection *columns, bool without_chains)
{
	rows->columns = columns;
	rows->kind = (struct line_kind){ .make = make_row, .user = rows, .without_chains = without_chains };
}

bool pd_csv_row(struct record *r, const struct csv_rows *rows, const struct perfdata_raw *raw,
		struct perfdata_text *room)
{
	struct perfdata_text *out = record_out(r);
	const size_t start = out->size;
	if (!pd_line_write(r, &rows->kind, raw, NULL, room))
		return false;
	/* Many readers skip an empty line instead of reading a row. */
	if (out->size - start == strlen(CSV_NEW_LINE)) {
		out->size = start;
		perfdata_text_literal(out, "\"\"" CSV_NEW_LINE);
	}
	return true;
}
