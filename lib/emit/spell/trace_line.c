/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/spell/trace_line.h"
#include "emit/spell/line.h"

static void other_field(struct record *r, const void *what, struct perfdata_text *room)
{
	struct speller s = speller_of(r, record_out(r));
	(void)room;
	pd_trace_json_field(&s, what, r->fields);
}

static void other_field_doubled(struct record *r, const void *what, struct perfdata_text *room)
{
	struct speller s = speller_of(r, record_out(r));
	(void)room;
	s.doubled = true;
	pd_trace_json_field(&s, what, r->fields);
}

void pd_trace_json_line(struct line_maker *maker, const struct speller *s)
{
	struct perfdata_text *text = maker->text;
	const struct trace_plan *plan = maker->fields;
	const char *quote = s->doubled ? "\"\"" : "\"";
	const size_t start = text->size;
	for (size_t i = 0; i < plan->nr_rows; i++) {
		const struct trace_row *row = &plan->rows[i];
		if (!row->end) {
			pd_line_other(maker, s->doubled ? other_field_doubled : other_field, row);
			continue;
		}
		const struct trace_keys *keys = pd_trace_keys(row);
		if (!keys) {
			text->failed = true;
			return;
		}
		const bool quoted = row->kind == PERFDATA_TRACE_POINTER || (row->size == 8 && s->style->int64_string);
		const struct key *key = s->doubled ? &keys->doubled : &keys->key;
		perfdata_text_append(text, key->text, key->size);
		perfdata_text_string(text, quoted ? quote : "");
		perfdata_text_string(text, row->kind == PERFDATA_TRACE_POINTER ? "0x" : "");
		pd_line_number(maker, pd_trace_form(row), LINE_FIELDS, row->offset);
		perfdata_text_string(text, quoted ? quote : "");
	}
	/* the brace replaces the comma of the first key */
	if (!perfdata_text_failed(text))
		text->data[start] = '{';
	perfdata_text_char(text, '}');
}
