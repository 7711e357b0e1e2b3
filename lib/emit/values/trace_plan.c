/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "emit/values/trace_plan.h"
#include "text/json_quoted.h"

/* --- names: those in the file, made valid and unique
 * ------------------------------------------------------------------ */

static bool needs_hex_key(const struct perfdata_trace_field *field) { return field->kind == PERFDATA_TRACE_STRING; }

/* Whether the name is that of an earlier row, or of its exact bytes. */
static bool name_taken(const struct trace_row *rows, size_t nr_rows, const char *name, size_t size)
{
	for (size_t i = 0; i < nr_rows; i++) {
		const size_t other = strlen(rows[i].name);
		if (other == size && !memcmp(rows[i].name, name, size))
			return true;
		if (needs_hex_key(rows[i].field) && other + 4 == size && !memcmp(rows[i].name, name, other) &&
		    !memcmp(name + other, "_hex", 4))
			return true;
		if (size + 4 == other && !memcmp(rows[i].name, name, size) && !memcmp(rows[i].name + size, "_hex", 4))
			return true;
	}
	return false;
}

/* Makes the name valid UTF-8 and escapes it for JSON. */
static bool make_name(struct pd_arena *pool, struct trace_row *rows, size_t index)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	const char *name = rows[index].field->name;
	pd_json_text(&text, name);
	bool ok = !perfdata_text_failed(&text);
	if (ok) {
		text.size--;   /* without the closing quote */
		const size_t size = text.size;
		for (unsigned n = 2; name_taken(rows, index, text.data + 1, text.size - 1); n++) {
			text.size = size;
			perfdata_text_char(&text, '_');
			perfdata_text_u64(&text, n);
		}
		perfdata_text_char(&text, '\0');
		ok = !perfdata_text_failed(&text);
	}
	if (ok) {
		rows[index].name = pd_arena_copy(pool, text.data + 1, text.size - 1);
		ok = rows[index].name != NULL;
	}
	perfdata_text_release(&text);
	if (!ok)
		return false;
	rows[index].prepared = pd_arena_calloc(pool, 1, sizeof *rows[index].prepared);
	if (!rows[index].prepared)
		return false;
	rows[index].prepared->pool = pool;
	return true;
}

/* Whether a field is a single integer at a fixed place: most are, and are read without a call of the library. */
static bool is_integer(const struct perfdata_trace_field *field)
{
	const bool integer = field->kind == PERFDATA_TRACE_UNSIGNED || field->kind == PERFDATA_TRACE_SIGNED ||
			     field->kind == PERFDATA_TRACE_POINTER;
	const bool size = field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
	return integer && size && field->place == PERFDATA_TRACE_FIXED && field->offset < UINT32_MAX - 8;
}

const struct trace_plan *pd_trace_plan_make(struct pd_arena *pool, const struct perfdata_trace_event *event)
{
	struct trace_plan *plan = pd_arena_calloc(pool, 1, sizeof *plan);
	struct trace_row *rows = pd_arena_calloc(pool, event->nr_fields + 1, sizeof *rows);
	if (!plan || !rows)
		return NULL;
	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct perfdata_trace_field *field = &event->fields[i];
		rows[i].field = field;
		rows[i].offset = field->offset;
		rows[i].size = field->size;
		rows[i].kind = field->kind;
		if (is_integer(field))
			rows[i].end = field->offset + field->size;
		if (rows[0].end && rows[i].end > plan->extent)
			plan->extent = rows[i].end;
		if (!make_name(pool, rows, i))
			return NULL;
	}
	plan->event = event;
	plan->nr_rows = event->nr_fields;
	plan->rows = rows;
	return plan;
}

const struct trace_row *pd_trace_plan_row(const struct trace_plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->nr_rows; i++)
		if (!strcmp(plan->rows[i].name, name))
			return &plan->rows[i];
	return NULL;
}

enum perfdata_part_form pd_trace_form(const struct trace_row *row)
{
	if (!row->end)
		return PERFDATA_PART_STOP;
	const enum perfdata_part_form narrow = row->kind == PERFDATA_TRACE_POINTER ? PERFDATA_PART_X8 :
					       row->kind == PERFDATA_TRACE_SIGNED ? PERFDATA_PART_S8 : PERFDATA_PART_U8;
	return narrow + (unsigned)__builtin_ctz(row->size);
}
