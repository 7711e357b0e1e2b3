/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/json/trace_json.h"
#include "text/json_quoted.h"
#include "text/decimal.h"
#include "schema/trace.h"

/* --- names: those of the file, made valid and unique -------------------------------------------------------------- */

static bool needs_hex_key(const struct perfdata_trace_field *field) { return field->kind == PERFDATA_TRACE_STRING; }

/* Whether an earlier row, or the key of an earlier row's exact bytes, has the name. */
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

/* Doubles the quotes in what stands from `start` on. */
static void double_quotes(struct perfdata_text *out, size_t start)
{
	size_t quotes = 0;
	for (size_t i = start; i < out->size; i++)
		quotes += out->data[i] == '"';
	char *end = perfdata_text_reserve(out, quotes);
	if (!end)
		return;
	char *to = end + quotes;
	perfdata_text_commit(out, to);
	for (const char *from = end; to > from;) {
		*--to = *--from;
		if (*from == '"')
			*--to = '"';
	}
}

static bool make_doubled(struct pd_arena *pool, struct trace_row *row)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	perfdata_text_append(&text, row->key.text, row->key.size);
	double_quotes(&text, 0);
	if (!perfdata_text_failed(&text))
		row->key_doubled = pd_key_bytes(pool, text.data, text.size);
	perfdata_text_release(&text);
	return row->key_doubled.text;
}

/* The spelling of a name inside JSON quotes; perfdata_text_json_string makes it valid UTF-8. */
static bool make_name(struct pd_arena *pool, struct trace_row *rows, size_t index)
{
	struct perfdata_text text;
	perfdata_text_init(&text);
	const char *name = rows[index].field->name;
	pd_json_text(&text, name);
	bool ok = !perfdata_text_failed(&text);
	if (ok) {
		text.size--;   /* the closing quote */
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
		rows[index].name = pd_key_bytes(pool, text.data + 1, text.size - 1).text;
		ok = rows[index].name != NULL;
	}
	perfdata_text_release(&text);
	if (!ok)
		return false;
	rows[index].key = pd_key_make(pool, ",\"", rows[index].name, "");
	rows[index].key_hex = pd_key_make(pool, ",\"", rows[index].name, "_hex");
	return rows[index].key.text && rows[index].key_hex.text && make_doubled(pool, &rows[index]);
}

/* Most fields of most events are single integers at fixed places: they are read without a call of the library for
 * each. */
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

/* --- values ------------------------------------------------------------------------------------------------------- */

static void number(struct speller *s, uint64_t value, bool is_signed, size_t bytes)
{
	const bool as_string = bytes == 8 && s->world->int64_string;
	char *at = perfdata_text_reserve(s->out, 40);
	if (!at)
		return;
	if (as_string)
		*at++ = '"';
	at = is_signed ? pd_s64_to(at, (int64_t)value) : pd_u64_to(at, value);
	if (as_string)
		*at++ = '"';
	perfdata_text_commit(s->out, at);
}

static void array(struct speller *s, const struct trace_row *row, const struct perfdata_trace_value *value)
{
	const size_t start = s->out->size;
	for (size_t i = 0; i < value->count && !perfdata_text_failed(s->out); i++) {
		const uint64_t element = pd_trace_element(value, i);
		perfdata_text_char(s->out, ',');
		if (row->field->elements_are_pointers)
			pd_spell_hex_string(s->out, element);
		else
			number(s, element, value->is_signed, value->element_size);
	}
	pd_spell_close(s->out, start, '[', ']');
}

/* The numbers of the bits that are set. */
static void bitmask(struct speller *s, const struct perfdata_trace_value *value)
{
	const size_t start = s->out->size;
	for (size_t i = 0; i < value->count && !perfdata_text_failed(s->out); i++) {
		for (uint64_t word = pd_trace_element(value, i); word; word &= word - 1) {
			perfdata_text_char(s->out, ',');
			perfdata_text_u64(s->out, i * value->element_size * 8 + (unsigned)__builtin_ctzll(word));
		}
	}
	pd_spell_close(s->out, start, '[', ']');
}

static void spell(struct speller *s, const struct trace_row *row, const struct perfdata_trace_value *value,
		  bool *ret_valid)
{
	*ret_valid = true;
	switch (value->kind) {
	case PERFDATA_TRACE_UNSIGNED: number(s, value->u64, false, row->field->size); break;
	case PERFDATA_TRACE_SIGNED: number(s, value->u64, true, row->field->size); break;
	case PERFDATA_TRACE_BOOL: perfdata_text_string(s->out, value->u64 ? "true" : "false"); break;
	case PERFDATA_TRACE_POINTER: pd_spell_hex_string(s->out, value->u64); break;
	case PERFDATA_TRACE_STRING:
		*ret_valid = perfdata_text_json_string(s->out, value->bytes.data, value->bytes.size);
		break;
	case PERFDATA_TRACE_ARRAY: array(s, row, value); break;
	case PERFDATA_TRACE_BITMASK: bitmask(s, value); break;
	case PERFDATA_TRACE_BYTES: pd_spell_bytes_string(s->out, value->bytes); break;
	}
}

bool pd_trace_json_value(struct speller *s, const struct trace_row *row, struct perfdata_bytes raw,
			 bool *ret_valid_text, struct perfdata_bytes *ret_text)
{
	struct perfdata_trace_value value;
	if (pd_trace_value(row->field, raw, s->order, &value))
		return false;
	spell(s, row, &value, ret_valid_text);
	*ret_text = value.bytes;
	return true;
}

bool pd_trace_json_field(struct speller *s, const struct trace_row *row, struct perfdata_bytes raw)
{
	struct perfdata_text *out = s->out;
	struct perfdata_trace_value value;
	if (pd_trace_value(row->field, raw, s->order, &value))
		return false;
	const size_t before = out->size;
	char *at = perfdata_text_reserve(out, key_room(&row->key, 0));
	if (!at)
		return true;
	perfdata_text_commit(out, key_to(at, &row->key));
	bool valid;
	spell(s, row, &value, &valid);
	if (!valid) {
		perfdata_text_append(out, row->key_hex.text, row->key_hex.size);
		pd_spell_bytes_string(out, value.bytes);
	}
	if (s->doubled)
		double_quotes(out, before);
	return !value.clipped;
}

bool pd_trace_json_object(struct speller *s, const struct trace_plan *plan, struct perfdata_bytes raw)
{
	const size_t start = s->out->size;
	bool whole = true;
	for (size_t i = 0; i < plan->nr_rows; i++)
		whole &= pd_trace_json_field(s, &plan->rows[i], raw);
	pd_spell_close(s->out, start, '{', '}');
	return whole;
}

enum perfdata_part_form pd_trace_form(const struct trace_row *row)
{
	if (!row->end)
		return PERFDATA_PART_STOP;
	const enum perfdata_part_form narrow = row->kind == PERFDATA_TRACE_POINTER ? PERFDATA_PART_X8 :
					       row->kind == PERFDATA_TRACE_SIGNED ? PERFDATA_PART_S8 : PERFDATA_PART_U8;
	return narrow + (unsigned)__builtin_ctz(row->size);
}
