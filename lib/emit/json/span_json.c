/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/json/span_json.h"
#include "emit/spell/members.h"
#include "emit/spell/span_args.h"
#include "session/session.h"

uint32_t pd_span_lines_of(const struct perfdata_emitter_option_value *values, size_t nr_values)
{
	return pd_span_kinds_of(perfdata_option_flag(values, nr_values, "spans", false),
				perfdata_option_flag(values, nr_values, "with-run-spans", false), false);
}

uint32_t pd_span_lines_need(uint32_t kinds)
{
	return kinds ? kinds | pd_span_kinds_of(false, false, true) | PD_SPANS_ARGS : 0;
}

static void write_member(const struct span_json *how, struct perfdata_text *out, const struct table_column *column,
			 const struct value *value)
{
	const bool is_wide = column->type == COLUMN_INT64 || column->type == COLUMN_UINT64;
	if (value->kind == IS_TEXT)
		pd_member_text(out, column->name, (const char *)value->text.data);
	else if (value->kind != IS_ABSENT)
		pd_member_number(out, column->name, value->number, column->type != COLUMN_UINT64,
				 is_wide && how->style->int64_string);
}

static void begin_line(const struct span_json *how, struct perfdata_text *out, const char *type)
{
	how->start(how->user, out);
	perfdata_text_literal(out, "{\"type\":\"");
	perfdata_text_string(out, type);
	perfdata_text_char(out, '"');
	if (how->style->recording)
		pd_member_text(out, "recording", how->style->recording);
}

static void end_line(const struct span_json *how, struct perfdata_text *out)
{
	perfdata_text_string(out, how->end);
	perfdata_text_cut(out);
}

void pd_span_json(const struct span_json *how, const struct perfdata_batch *batch, struct record_cache *cache,
		  struct perfdata_text *out)
{
	size_t nr;
	const struct pd_span *spans = pd_batch_spans(batch, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (!(how->kinds >> spans[i].kind & 1))
			continue;
		begin_line(how, out, "span");
		for (unsigned column = 0; pd_span_columns[column].name; column++) {
			const struct value value = pd_span_value(batch->session, &spans[i], column);
			write_member(how, out, &pd_span_columns[column], &value);
			if (column == SPAN_ARGS)
				(void)pd_span_args_json(out, &spans[i], cache, how->style,
							pd_span_columns[column].name);
		}
		end_line(how, out);
	}
}

void pd_thread_times_json(const struct span_json *how, struct thread_times *times, struct perfdata_text *out)
{
	const size_t nr = pd_thread_times_finish(times);
	for (size_t i = 0; i < nr; i++) {
		begin_line(how, out, "thread_time");
		for (unsigned column = 0; pd_thread_time_columns[column].name; column++) {
			const struct value value = pd_thread_time_value(times, i, column);
			write_member(how, out, &pd_thread_time_columns[column], &value);
		}
		end_line(how, out);
	}
}
