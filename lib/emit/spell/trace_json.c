/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/spell/trace_json.h"
#include "text/decimal.h"
#include "schema/trace.h"

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* Doubles the quotes in the text from `start` on. */
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

const struct trace_keys *pd_trace_keys_make(const struct trace_row *row)
{
	struct pd_arena *pool = row->prepared->pool;
	struct trace_keys *keys = pd_arena_calloc(pool, 1, sizeof *keys);
	if (!keys)
		return NULL;
	keys->key = pd_key_make(pool, row->name, "");
	keys->hex = pd_key_make(pool, row->name, "_hex");
	if (!keys->key.text || !keys->hex.text)
		return NULL;
	struct perfdata_text text;
	perfdata_text_init(&text);
	perfdata_text_append(&text, keys->key.text, keys->key.size);
	double_quotes(&text, 0);
	if (!perfdata_text_failed(&text))
		keys->doubled = pd_key_bytes(pool, text.data, text.size);
	perfdata_text_release(&text);
	return keys->doubled.text ? row->prepared->made = keys : NULL;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static void write_number(struct speller *s, uint64_t value, bool is_signed, size_t bytes)
{
	const bool as_string = bytes == 8 && s->style->int64_string;
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

static void write_array(struct speller *s, const struct trace_row *row, const struct perfdata_trace_value *value)
{
	const size_t start = s->out->size;
	for (size_t i = 0; i < value->count && !perfdata_text_failed(s->out); i++) {
		const uint64_t element = pd_trace_element(value, i);
		perfdata_text_char(s->out, ',');
		if (row->field->elements_are_pointers)
			pd_spell_hex_string(s->out, element);
		else
			write_number(s, element, value->is_signed, value->element_size);
	}
	pd_spell_close(s->out, start, '[', ']');
}

/* Writes the numbers of the set bits. */
static void write_bitmask(struct speller *s, const struct perfdata_trace_value *value)
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

static void write_value(struct speller *s, const struct trace_row *row, const struct perfdata_trace_value *value,
			bool *ret_valid)
{
	*ret_valid = true;
	switch (value->kind) {
	case PERFDATA_TRACE_UNSIGNED: write_number(s, value->u64, false, row->field->size); break;
	case PERFDATA_TRACE_SIGNED: write_number(s, value->u64, true, row->field->size); break;
	case PERFDATA_TRACE_BOOL: perfdata_text_string(s->out, value->u64 ? "true" : "false"); break;
	case PERFDATA_TRACE_POINTER: pd_spell_hex_string(s->out, value->u64); break;
	case PERFDATA_TRACE_STRING:
		*ret_valid = perfdata_text_json_string(s->out, value->bytes.data, value->bytes.size);
		break;
	case PERFDATA_TRACE_ARRAY: write_array(s, row, value); break;
	case PERFDATA_TRACE_BITMASK: write_bitmask(s, value); break;
	case PERFDATA_TRACE_BYTES: pd_spell_bytes_string(s->out, value->bytes); break;
	}
}

bool pd_trace_json_value(struct speller *s, const struct trace_row *row, struct perfdata_bytes raw,
			 bool *ret_valid_text, struct perfdata_bytes *ret_text)
{
	struct perfdata_trace_value value;
	if (pd_trace_value(row->field, raw, s->scope->order, &value))
		return false;
	write_value(s, row, &value, ret_valid_text);
	*ret_text = value.bytes;
	return true;
}

void pd_trace_json_field(struct speller *s, const struct trace_row *row, struct perfdata_bytes raw)
{
	struct perfdata_text *out = s->out;
	struct perfdata_trace_value value;
	if (pd_trace_value(row->field, raw, s->scope->order, &value)) {
		s->scope->trace_damaged = true;
		return;
	}
	const size_t before = out->size;
	const struct trace_keys *keys = pd_trace_keys(row);
	char *at = keys ? perfdata_text_reserve(out, key_room(&keys->key, 0)) : NULL;
	if (!at) {
		out->failed = true;
		return;
	}
	perfdata_text_commit(out, key_to(at, &keys->key));
	bool valid;
	write_value(s, row, &value, &valid);
	if (!valid) {
		perfdata_text_append(out, keys->hex.text, keys->hex.size);
		pd_spell_bytes_string(out, value.bytes);
	}
	if (s->doubled)
		double_quotes(out, before);
	s->scope->trace_damaged |= value.clipped;
}

void pd_trace_json_object(struct speller *s, struct perfdata_bytes raw)
{
	const struct trace_plan *plan = s->scope->trace;
	const size_t start = s->out->size;
	for (size_t i = 0; i < plan->nr_rows; i++)
		pd_trace_json_field(s, &plan->rows[i], raw);
	pd_spell_close(s->out, start, '{', '}');
}
