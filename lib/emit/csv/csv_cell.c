/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/csv/csv_cell.h"
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

void pd_csv_address_cell(struct perfdata_text *out, uint64_t value)
{
	const char *name = value >= PERFDATA_CONTEXT_MAX ? pd_callchain_marker_name(value) : NULL;
	if (name)
		perfdata_text_string(out, name);
	else
		pd_csv_word_cell(out, value);
}

static void add_name(void *user, const char *name)
{
	struct perfdata_text *out = user;
	perfdata_text_char(out, CSV_JOINT);
	perfdata_text_string(out, name);
}

static void flag_names(struct perfdata_text *out, const struct perfdata_name *names, uint64_t value)
{
	const size_t start = out->size;
	for (; names && names->name; names++)
		if (names->value && (value & names->value) == names->value)
			add_name(out, names->name);
	pd_csv_drop_joint(out, start);
}

static char *word_to(char *at, uint64_t value, enum spell_op op)
{
	if (op == SPELL_LIST_U64)
		return pd_u64_to(at, value);
	memcpy(at, "0x", 2);
	return pd_hex_to(at + 2, value);
}

/* One call makes room for so many elements. */
#define GROUP 64
#define WORD_ROOM 40

static void words(struct perfdata_text *out, const struct perfdata_list *list, enum spell_op op)
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
			const char *name = op == SPELL_CALLCHAIN && value >= PERFDATA_CONTEXT_MAX
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
	struct perfdata_text *out = r->s.out;
	perfdata_text_clear(room);
	r->s.out = room;
	pd_spell_value(&r->s, row, view);
	r->s.out = out;
	pd_text_csv_cell(out, room->data, room->size);
}

static void row_cell(struct record *r, const struct row *row, const void *view, struct perfdata_text *room)
{
	struct perfdata_text *out = r->s.out;
	const void *member = (const char *)view + row->member;
	const char *name;
	switch (row->op) {
	case SPELL_NOTHING: return;
	case SPELL_U64: case SPELL_U32: case SPELL_S32: case SPELL_NUMBER: case SPELL_DOUBLE: case SPELL_BOOL:
		pd_spell_value(&r->s, row, view);
		return;
	case SPELL_HEX64: case SPELL_HEX: pd_csv_word_cell(out, pd_spell_integer(row->kind, member)); return;
	case SPELL_ENUM:
		name = perfdata_name_of(row->field->names, pd_spell_integer(row->kind, member));
		if (name)
			pd_text_csv_cell(out, name, strlen(name));
		return;
	case SPELL_FLAGS: flag_names(out, row->field->names, pd_spell_integer(row->kind, member)); return;
	case SPELL_TEXT: {
		const struct perfdata_bytes *text = member;
		pd_text_csv_cell(out, text->data, text->size);
		return;
	}
	case SPELL_BYTES: case SPELL_RAW: {
		const struct perfdata_bytes *bytes = member;
		perfdata_text_bytes_hex(out, bytes->data, bytes->size);
		return;
	}
	case SPELL_LIST_U64: case SPELL_LIST_HEX: case SPELL_CALLCHAIN: words(out, member, row->op); return;
	case SPELL_BITS: case SPELL_LIST_PARTS: case SPELL_REGS: case SPELL_STRUCT: case SPELL_CPUS: case SPELL_FEATURE:
		json_cell(r, row, view, room);
		return;
	}
}

/* Spells values with parts as JSON. */
static void spell_compound(struct record *r, const struct head_value *value)
{
	if (value->kind == HEAD_IS_TRAILER) {
		pd_spell_object(&r->s, r->cache->trailer, r->view.sample_id.present, &r->view.sample_id);
		return;
	}
	if (value->kind == HEAD_IS_BRANCHES) {
		pd_record_spell_branches(r);
		return;
	}
	const struct location_speller locations = pd_record_locations(r);
	if (value->kind == HEAD_IS_LOCATION)
		pd_location_json(&locations, r->s.out, (uint32_t)value->number);
	else
		pd_location_json_stack(&locations, r->s.out, r->batch, r->delivery, false);
}

static void place_cell(struct record *r, const struct select_step *step)
{
	const struct head_value value = pd_record_head(r, step->head);
	if (value.kind != HEAD_IS_LOCATION)
		return;
	struct location place;
	pd_location_load(&r->emitted, (uint32_t)value.number, LOCATION_BIT(step->part), &place);
	pd_location_csv_cell(r->s.out, &place, step->part);
}

static void head_cell(struct record *r, enum pd_record_head head, struct perfdata_text *room)
{
	struct perfdata_text *out = r->s.out;
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
		pd_record_misc_names(r, add_name, out);
		pd_csv_drop_joint(out, start);
		return;
	case HEAD_IS_TRAILER: case HEAD_IS_LOCATION: case HEAD_IS_BRANCHES: case HEAD_IS_STACK: break;
	}
	perfdata_text_clear(room);
	r->s.out = room;
	spell_compound(r, &value);
	r->s.out = out;
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
	const struct trace_row *row = r->s.trace ? pd_trace_plan_row(r->s.trace, step->trace_name) : NULL;
	struct perfdata_trace_value value;
	if (!row)
		return;
	struct perfdata_text *out = r->s.out;
	if (pd_trace_value(row->field, r->fields, r->s.order, &value)) {
		r->s.trace_damaged = true;
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
	struct perfdata_text *out = r->s.out;
	const size_t start = out->size;
	perfdata_text_char(out, '"');
	r->s.doubled = true;
	r->s.trace_damaged |= !pd_trace_json_object(&r->s, r->s.trace, r->fields);
	r->s.doubled = false;
	perfdata_text_char(out, '"');
	if (out->size - start != 4)
		return;
	/* no character that needs quotes */
	out->size = start;
	perfdata_text_literal(out, "{}");
}

void pd_csv_cell(struct record *r, const struct select_step *step, struct perfdata_text *room)
{
	struct perfdata_text *out = r->s.out;
	switch (step->what) {
	case SELECT_NOTHING: return;
	case SELECT_HEAD: head_cell(r, step->head, room); return;
	case SELECT_FIELD:
		if (r->s.trace && r->fields.data)
			trace_cell(r, step);
		return;
	case SELECT_FIELDS:
		if (r->s.trace && r->fields.data)
			fields_cell(r);
		return;
	case SELECT_PLACE: place_cell(r, step); return;
	case SELECT_ROW: case SELECT_RAW_NUMBER: case SELECT_EXACT_BYTES: case SELECT_TRAILER: break;
	}
	const void *view = pd_selection_view(r, step);
	if (!view)
		return;
	const void *member = (const char *)view + step->row.member;
	if (step->what == SELECT_RAW_NUMBER) {
		perfdata_text_u64(out, pd_spell_integer(step->row.kind, member));
	} else if (step->what == SELECT_EXACT_BYTES) {
		const struct perfdata_bytes *text = member;
		if (!pd_utf8_valid(text->data, text->size))
			perfdata_text_bytes_hex(out, text->data, text->size);
	} else if (step->row.op != SPELL_RAW || !r->s.trace) {
		/* Raw data whose fields are known is in `fields`. */
		row_cell(r, &step->row, view, room);
	}
}
