/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/spell/location_json.h"
#include "emit/spell/trace_json.h"
#include "emit/table/cell_value.h"
#include "schema/trace.h"
#include "text/spelling.h"

static struct value number_as(enum value_kind kind, uint64_t number)
{
	return (struct value){ .kind = kind, .number = number };
}

static struct value list_of(enum value_kind element, const struct perfdata_list *list)
{
	return (struct value){ .kind = IS_LIST, .element = element, .list = list };
}

static struct value text_value(struct record *r, const struct perfdata_text *room)
{
	r->failed |= perfdata_text_failed(room);
	return value_bytes(IS_TEXT, (struct perfdata_bytes){ (const uint8_t *)room->data, room->size });
}

static struct value json_of_row(struct record *r, const struct row *row, const void *view, struct perfdata_text *room)
{
	struct speller s = speller_of(r, room);
	perfdata_text_clear(room);
	pd_spell_value(&s, row, view);
	return text_value(r, room);
}

static struct value value_of_row(struct record *r, const struct row *row, const void *view, struct perfdata_text *room)
{
	const void *member = (const char *)view + row->member;
	const bool is_signed = row->kind == PERFDATA_KIND_S32 || row->kind == PERFDATA_KIND_S64;
	switch (row->type) {
	case VALUE_NOTHING: return number_as(IS_ABSENT, 0);
	case VALUE_U64: case VALUE_U32: case VALUE_S32: case VALUE_NUMBER:
		return number_as(is_signed ? IS_SIGNED : IS_NUMBER, pd_value_integer(row->kind, member));
	case VALUE_DOUBLE: return number_as(IS_DOUBLE, *(const uint64_t *)member);
	case VALUE_BOOL: return number_as(IS_BOOLEAN, pd_value_integer(row->kind, member));
	case VALUE_HEX64: case VALUE_HEX: return number_as(IS_WORD, pd_value_integer(row->kind, member));
	case VALUE_ENUM:
		return value_text(perfdata_name_of(row->field->names, pd_value_integer(row->kind, member)));
	case VALUE_FLAGS:
		return (struct value){ .kind = IS_NAMES,
				       .number = pd_value_integer(row->kind, member),
				       .names = row->field->names };
	case VALUE_TEXT: return value_bytes(IS_TEXT, *(const struct perfdata_bytes *)member);
	case VALUE_BYTES: case VALUE_RAW: return value_bytes(IS_BYTES, *(const struct perfdata_bytes *)member);
	case VALUE_LIST_U64: return list_of(IS_NUMBER, member);
	case VALUE_LIST_HEX: return list_of(IS_WORD, member);
	case VALUE_CALLCHAIN: return list_of(IS_ADDRESS, member);
	case VALUE_BITS: case VALUE_LIST_PARTS: case VALUE_REGS: case VALUE_STRUCT: case VALUE_CPUS: case VALUE_FEATURE:
		break;
	}
	return json_of_row(r, row, view, room);
}

/* Looks up a part, and other parts that need the same look-up: neighbouring cells want them. */
static const struct location *load_place(struct record *r, uint32_t frame, enum location_part part)
{
	const unsigned symbol = LOCATION_BIT(LOCATION_SYMBOL) | LOCATION_BIT(LOCATION_SYMBOL_OFFSET);
	const unsigned bit = LOCATION_BIT(part);
	if (r->place.frame != frame || !(r->place.loaded & bit)) {
		r->place.frame = frame;
		r->place.loaded = bit & LOCATION_LINES ? LOCATION_LINES
				  : bit & symbol       ? symbol
						       : LOCATION_NAMES & ~symbol;
		pd_location_load(&r->emitted, frame, r->place.loaded, &r->place.at);
	}
	return &r->place.at;
}

static struct value value_of_place(struct record *r, const struct select_step *step, struct perfdata_text *room)
{
	const struct head_value at = pd_record_head(r, step->head);
	if (at.kind != HEAD_IS_LOCATION)
		return number_as(IS_ABSENT, 0);
	const struct location *place = load_place(r, (uint32_t)at.number, step->part);
	if (!(place->present & LOCATION_BIT(step->part)))
		return number_as(IS_ABSENT, 0);
	switch (pd_location_part_info(step->part)->type) {
	case VALUE_TEXT: return value_bytes(IS_TEXT, place->text[step->part]);
	case VALUE_BYTES: return value_bytes(IS_BYTES, place->text[step->part]);
	case VALUE_HEX64: return number_as(IS_WORD, place->number[step->part]);
	case VALUE_LIST_PARTS:
		perfdata_text_clear(room);
		pd_location_json_calls(room, place);
		return text_value(r, room);
	default: return number_as(IS_NUMBER, place->number[step->part]);
	}
}

static struct value value_of_head(struct record *r, enum pd_record_head head, struct perfdata_text *room)
{
	const struct head_value value = pd_record_head(r, head);
	switch (value.kind) {
	case HEAD_IS_ABSENT: case HEAD_IS_NULL: return number_as(IS_ABSENT, 0);
	case HEAD_IS_U64: return number_as(IS_NUMBER, value.number);
	case HEAD_IS_S64: return number_as(IS_SIGNED, value.number);
	case HEAD_IS_TRUE: return number_as(IS_BOOLEAN, 1);
	case HEAD_IS_TEXT: return value_bytes(IS_TEXT, value.bytes);
	case HEAD_IS_BYTES: return value_bytes(IS_BYTES, value.bytes);
	case HEAD_IS_NAMES: return number_as(IS_MISC_NAMES, 0);
	case HEAD_IS_TRAILER: case HEAD_IS_LOCATION: case HEAD_IS_BRANCHES: case HEAD_IS_STACK: break;
	}
	perfdata_text_clear(room);
	pd_spell_nested_head(r, &value, room);
	return text_value(r, room);
}

/* --- tracepoint fields -------------------------------------------------------------------------------------------- */

static struct value value_of_field(struct record *r, const struct trace_row *row)
{
	struct perfdata_trace_value value;
	if (!row || !r->fields.data)
		return number_as(IS_ABSENT, 0);
	if (pd_trace_value(row->field, r->fields, r->scope.order, &value)) {
		r->scope.trace_damaged = true;
		return number_as(IS_ABSENT, 0);
	}
	switch (value.kind) {
	case PERFDATA_TRACE_UNSIGNED: return number_as(IS_NUMBER, value.u64);
	case PERFDATA_TRACE_SIGNED: return number_as(IS_SIGNED, value.u64);
	case PERFDATA_TRACE_BOOL: return number_as(IS_BOOLEAN, value.u64);
	case PERFDATA_TRACE_POINTER: return number_as(IS_WORD, value.u64);
	case PERFDATA_TRACE_STRING: return value_bytes(IS_TEXT, value.bytes);
	case PERFDATA_TRACE_BYTES: return value_bytes(IS_BYTES, value.bytes);
	case PERFDATA_TRACE_ARRAY: case PERFDATA_TRACE_BITMASK: break;
	}
	return (struct value){ .kind = IS_ELEMENTS, .row = row };
}

/* All fields of the tracepoint as JSON. */
static struct value value_of_fields(struct record *r, struct perfdata_text *room)
{
	if (!r->scope.trace || !r->fields.data)
		return number_as(IS_ABSENT, 0);
	struct speller s = speller_of(r, room);
	perfdata_text_clear(room);
	pd_trace_json_object(&s, r->fields);
	return text_value(r, room);
}

/* --- any field ---------------------------------------------------------------------------------------------------- */

struct value pd_cell_value(struct record *r, const struct select_step *step, const struct trace_row *field,
			   struct perfdata_text *room)
{
	switch (step->what) {
	case SELECT_NOTHING: return number_as(IS_ABSENT, 0);
	case SELECT_HEAD: return value_of_head(r, step->head, room);
	case SELECT_PLACE: return value_of_place(r, step, room);
	case SELECT_FIELD: return value_of_field(r, field);
	case SELECT_FIELDS: return value_of_fields(r, room);
	case SELECT_ROW: case SELECT_RAW_NUMBER: case SELECT_EXACT_BYTES: case SELECT_TRAILER: break;
	}
	const void *view = pd_selection_view(r, step);
	if (!view)
		return number_as(IS_ABSENT, 0);
	const void *member = (const char *)view + step->row.member;
	const struct perfdata_bytes *text = member;
	if (step->what == SELECT_RAW_NUMBER)
		return number_as(IS_NUMBER, pd_value_integer(step->row.kind, member));
	if (step->what == SELECT_EXACT_BYTES)
		return value_bytes(pd_utf8_valid(text->data, text->size) ? IS_ABSENT : IS_BYTES, *text);
	return value_of_row(r, &step->row, view, room);
}

/* --- elements ----------------------------------------------------------------------------------------------------- */

struct each {
	void (*add)(void *user, const struct value *element);
	void *user;
};

static void add_number(const struct each *each, enum value_kind kind, uint64_t number)
{
	const struct value element = number_as(kind, number);
	each->add(each->user, &element);
}

static void add_name(void *user, const char *name)
{
	const struct each *each = user;
	const struct value element = value_text(name);
	each->add(each->user, &element);
}

static void trace_elements(const struct record *r, const struct trace_row *row, const struct each *each)
{
	struct perfdata_trace_value value;
	if (pd_trace_value(row->field, r->fields, r->scope.order, &value))
		return;
	const enum value_kind kind = row->field->elements_are_pointers ? IS_WORD
				     : value.is_signed                 ? IS_SIGNED
								       : IS_NUMBER;
	for (size_t i = 0; i < value.count; i++) {
		uint64_t word = pd_trace_element(&value, i);
		if (value.kind != PERFDATA_TRACE_BITMASK)
			add_number(each, kind, word);
		for (; value.kind == PERFDATA_TRACE_BITMASK && word; word &= word - 1)
			add_number(each, IS_NUMBER,
				   i * value.element_size * 8 + (unsigned)__builtin_ctzll(word));
	}
}

void pd_cell_elements(const struct record *r, const struct value *value,
		      void (*add)(void *user, const struct value *element), void *user)
{
	struct each each = { add, user };
	if (value->kind == IS_ELEMENTS)
		trace_elements(r, value->row, &each);
	else if (value->kind == IS_MISC_NAMES)
		pd_record_misc_names(r, add_name, &each);
	/* a name for several bits requires all of them */
	for (const struct perfdata_name *at = value->kind == IS_NAMES ? value->names : NULL; at && at->name; at++)
		if (at->value && (value->number & at->value) == at->value)
			add_name(&each, at->name);
}
