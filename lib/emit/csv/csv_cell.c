/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/csv/csv_cell.h"
#include "emit/spell/location_json.h"
#include "emit/spell/trace_json.h"
#include "auxtrace/auxtrace.h"
#include "schema/schema.h"
#include "schema/trace.h"
#include "text/decimal.h"
#include "text/spelling.h"

void pd_csv_drop_joint(struct perfdata_text *out, size_t start)
{
	if (out->size == start || perfdata_text_failed(out))
		return;
	memmove(out->data + start, out->data + start + 1, out->size - start - 1);
	out->size--;
}

void pd_csv_word_cell(struct perfdata_text *out, uint64_t value)
{
	char *at = perfdata_text_reserve(out, 40);
	if (!at)
		return;
	memcpy(at, "0x", 2);
	perfdata_text_commit(out, pd_hex_to(at + 2, value));
}

static void address_cell(struct perfdata_text *out, uint64_t value)
{
	const char *name = value >= PERFDATA_CONTEXT_MAX ? pd_callchain_marker_name(value) : NULL;
	if (name)
		perfdata_text_string(out, name);
	else
		pd_csv_word_cell(out, value);
}

/* Events of Arm SPE. */
static void bits_cell(struct perfdata_text *out, uint64_t bits)
{
	unsigned nr_names;
	const char *const *names = pd_spe_event_names(&nr_names), *before = "";
	for (; bits; bits &= bits - 1, before = " ") {
		const unsigned bit = (unsigned)__builtin_ctzll(bits);
		const bool named = bit < nr_names && names[bit];
		perfdata_text_string(out, before);
		perfdata_text_string(out, named ? names[bit] : "bit");
		if (!named)
			perfdata_text_u64(out, bit);
	}
}

void pd_csv_value_cell(struct perfdata_text *out, const struct value *value)
{
	switch (value->kind) {
	case IS_ABSENT: break;
	case IS_NUMBER: perfdata_text_u64(out, value->number); break;
	case IS_WORD: pd_csv_word_cell(out, value->number); break;
	case IS_ADDRESS: address_cell(out, value->number); break;
	case IS_BITS: bits_cell(out, value->number); break;
	case IS_TEXT: pd_text_csv_cell(out, value->text.data, value->text.size); break;
	}
}

void pd_csv_add_name(void *out_text, const char *name)
{
	struct perfdata_text *out = out_text;
	perfdata_text_char(out, CSV_JOINT);
	perfdata_text_string(out, name);
}

static void flag_names(struct perfdata_text *out, const struct perfdata_name *names, uint64_t value)
{
	const size_t start = out->size;
	for (; names && names->name; names++)
		if (names->value && (value & names->value) == names->value)
			pd_csv_add_name(out, names->name);
	pd_csv_drop_joint(out, start);
}

static char *word_to(char *at, uint64_t value, enum value_type op)
{
	if (op == VALUE_LIST_U64)
		return pd_u64_to(at, value);
	memcpy(at, "0x", 2);
	return pd_hex_to(at + 2, value);
}

/* One call makes room for so many elements. */
#define GROUP 64
#define WORD_ROOM 40

static void words(struct perfdata_text *out, const struct perfdata_list *list, enum value_type op)
{
	for (uint64_t i = 0; i < list->count;) {
		char *at = perfdata_text_reserve(out, (size_t)GROUP * WORD_ROOM);
		if (!at)
			return;
		const uint64_t end = list->count - i > GROUP ? i + GROUP : list->count;
		for (; i < end; i++) {
			const uint64_t value = perfdata_list_u64(list, i);
			if (i)
				*at++ = CSV_JOINT;
			const char *name = op == VALUE_CALLCHAIN && value >= PERFDATA_CONTEXT_MAX
						   ? pd_callchain_marker_name(value)
						   : NULL;
			const size_t size = name ? strlen(name) : 0;
			if (!name || size >= WORD_ROOM) {
				at = word_to(at, value, op);
				continue;
			}
			memcpy(at, name, size);
			at += size;
		}
		perfdata_text_commit(out, at);
	}
}

/* The JSON of a value is written to `room`, then quoted as a cell. */
static void json_cell(struct record *r, const struct row *row, const void *view, struct perfdata_text *room)
{
	struct speller s = speller_of(r, room);
	perfdata_text_clear(room);
	pd_spell_value(&s, row, view);
	pd_text_csv_cell(record_out(r), room->data, room->size);
}

static void row_cell(struct record *r, const struct row *row, const void *view, struct perfdata_text *room)
{
	struct perfdata_text *out = record_out(r);
	const void *member = (const char *)view + row->member;
	struct speller s = speller_of(r, out);
	const char *name;
	switch (row->type) {
	case VALUE_NOTHING: return;
	case VALUE_U64: case VALUE_U32: case VALUE_S32: case VALUE_NUMBER: case VALUE_DOUBLE: case VALUE_BOOL:
		pd_spell_value(&s, row, view);
		return;
	case VALUE_HEX64: case VALUE_HEX: pd_csv_word_cell(out, pd_value_integer(row->kind, member)); return;
	case VALUE_ENUM:
		name = perfdata_name_of(row->field->names, pd_value_integer(row->kind, member));
		if (name)
			pd_text_csv_cell(out, name, strlen(name));
		return;
	case VALUE_FLAGS: flag_names(out, row->field->names, pd_value_integer(row->kind, member)); return;
	case VALUE_TEXT: {
		const struct perfdata_bytes *text = member;
		pd_text_csv_cell(out, text->data, text->size);
		return;
	}
	case VALUE_BYTES: case VALUE_RAW: {
		const struct perfdata_bytes *bytes = member;
		perfdata_text_bytes_hex(out, bytes->data, bytes->size);
		return;
	}
	case VALUE_LIST_U64: case VALUE_LIST_HEX: case VALUE_CALLCHAIN: words(out, member, row->type); return;
	case VALUE_BITS: case VALUE_LIST_PARTS: case VALUE_REGS: case VALUE_STRUCT: case VALUE_CPUS: case VALUE_FEATURE:
		json_cell(r, row, view, room);
		return;
	}
}

static void location_cell(struct perfdata_text *out, const struct location *place, enum location_part part,
			  struct perfdata_text *room)
{
	const struct perfdata_bytes text = place->text[part];
	if (!(place->present & LOCATION_BIT(part)))
		return;
	switch (pd_location_part_info(part)->type) {
	case VALUE_TEXT: pd_text_csv_cell(out, text.data, text.size); return;
	case VALUE_BYTES: perfdata_text_bytes_hex(out, text.data, text.size); return;
	case VALUE_LIST_PARTS:
		perfdata_text_clear(room);
		pd_location_json_calls(room, place);
		out->failed |= perfdata_text_failed(room);
		pd_text_csv_cell(out, room->data, room->size);
		return;
	case VALUE_HEX64:
		pd_csv_word_cell(out, place->number[part]);
		return;
	default: perfdata_text_u64(out, place->number[part]); return;
	}
}

static void place_cell(struct record *r, const struct select_step *step, struct perfdata_text *room)
{
	const struct head_value value = pd_record_head(r, step->head);
	if (value.kind != HEAD_IS_LOCATION)
		return;
	struct location place;
	pd_location_load(&r->emitted, (uint32_t)value.number, LOCATION_BIT(step->part), &place);
	location_cell(record_out(r), &place, step->part, room);
}

static void head_cell(struct record *r, enum pd_record_head head, struct perfdata_text *room)
{
	struct perfdata_text *out = record_out(r);
	const struct head_value value = pd_record_head(r, head);
	const size_t start = out->size;
	switch (value.kind) {
	case HEAD_IS_ABSENT: case HEAD_IS_NULL: return;
	case HEAD_IS_TRUE: perfdata_text_literal(out, "true"); return;
	case HEAD_IS_U64: perfdata_text_u64(out, value.number); return;
	case HEAD_IS_S64: perfdata_text_s64(out, (int64_t)value.number); return;
	case HEAD_IS_TEXT: pd_text_csv_cell(out, value.bytes.data, value.bytes.size); return;
	case HEAD_IS_BYTES: perfdata_text_bytes_hex(out, value.bytes.data, value.bytes.size); return;
	case HEAD_IS_NAMES:
		pd_record_misc_names(r, pd_csv_add_name, out);
		pd_csv_drop_joint(out, start);
		return;
	case HEAD_IS_TRAILER: case HEAD_IS_LOCATION: case HEAD_IS_BRANCHES: case HEAD_IS_STACK: break;
	}
	perfdata_text_clear(room);
	pd_spell_nested_head(r, &value, room);
	pd_text_csv_cell(out, room->data, room->size);
}

/* --- tracepoint fields -------------------------------------------------------------------------------------------- */

static void trace_elements(struct perfdata_text *out, const struct trace_row *row,
			   const struct perfdata_trace_value *value)
{
	const size_t start = out->size;
	for (size_t i = 0; i < value->count && !perfdata_text_failed(out); i++) {
		const uint64_t element = pd_trace_element(value, i);
		if (value->kind == PERFDATA_TRACE_BITMASK) {
			for (uint64_t word = element; word; word &= word - 1) {
				perfdata_text_char(out, CSV_JOINT);
				perfdata_text_u64(out, i * value->element_size * 8 + (unsigned)__builtin_ctzll(word));
			}
			continue;
		}
		perfdata_text_char(out, CSV_JOINT);
		if (row->field->elements_are_pointers)
			pd_csv_word_cell(out, element);
		else if (value->is_signed)
			perfdata_text_s64(out, (int64_t)element);
		else
			perfdata_text_u64(out, element);
	}
	pd_csv_drop_joint(out, start);
}

static void trace_cell(struct record *r, const struct select_step *step)
{
	const struct trace_row *row = r->scope.trace ? pd_trace_plan_row(r->scope.trace, step->trace_name) : NULL;
	struct perfdata_trace_value value;
	if (!row)
		return;
	struct perfdata_text *out = record_out(r);
	if (pd_trace_value(row->field, r->fields, r->scope.order, &value)) {
		r->scope.trace_damaged = true;
		return;
	}
	switch (value.kind) {
	case PERFDATA_TRACE_UNSIGNED: perfdata_text_u64(out, value.u64); return;
	case PERFDATA_TRACE_SIGNED: perfdata_text_s64(out, value.s64); return;
	case PERFDATA_TRACE_BOOL: perfdata_text_string(out, value.u64 ? "true" : "false"); return;
	case PERFDATA_TRACE_POINTER: pd_csv_word_cell(out, value.u64); return;
	case PERFDATA_TRACE_STRING: pd_text_csv_cell(out, value.bytes.data, value.bytes.size); return;
	case PERFDATA_TRACE_BYTES: perfdata_text_bytes_hex(out, value.bytes.data, value.bytes.size); return;
	case PERFDATA_TRACE_ARRAY: case PERFDATA_TRACE_BITMASK: trace_elements(out, row, &value); return;
	}
}

/* All fields of a tracepoint as JSON. */
static void fields_cell(struct record *r)
{
	struct perfdata_text *out = record_out(r);
	const size_t start = out->size;
	perfdata_text_char(out, '"');
	struct speller s = speller_of(r, out);
	s.doubled = true;
	pd_trace_json_object(&s, r->fields);
	perfdata_text_char(out, '"');
	if (out->size - start != 4)
		return;
	/* no character that needs quotes */
	out->size = start;
	perfdata_text_literal(out, "{}");
}

void pd_csv_cell(struct record *r, const struct select_step *step, struct perfdata_text *room)
{
	struct perfdata_text *out = record_out(r);
	switch (step->what) {
	case SELECT_NOTHING: return;
	case SELECT_HEAD: head_cell(r, step->head, room); return;
	case SELECT_FIELD:
		if (r->scope.trace && r->fields.data)
			trace_cell(r, step);
		return;
	case SELECT_FIELDS:
		if (r->scope.trace && r->fields.data)
			fields_cell(r);
		return;
	case SELECT_PLACE: place_cell(r, step, room); return;
	case SELECT_ROW: case SELECT_RAW_NUMBER: case SELECT_EXACT_BYTES: case SELECT_TRAILER: break;
	}
	const void *view = pd_selection_view(r, step);
	if (!view)
		return;
	const void *member = (const char *)view + step->row.member;
	if (step->what == SELECT_RAW_NUMBER) {
		perfdata_text_u64(out, pd_value_integer(step->row.kind, member));
	} else if (step->what == SELECT_EXACT_BYTES) {
		const struct perfdata_bytes *text = member;
		if (!pd_utf8_valid(text->data, text->size))
			perfdata_text_bytes_hex(out, text->data, text->size);
	} else if (step->row.type != VALUE_RAW || !r->scope.trace) {
		/* Raw data whose fields are known is in `fields`. */
		row_cell(r, &step->row, view, room);
	}
}
