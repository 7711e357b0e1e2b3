/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stddef.h>
#include <string.h>
#include "emit/json/json_line.h"
#include "emit/spell/location_json.h"
#include "emit/spell/trace_line.h"
#include "text/json_quoted.h"
#include "text/spelling.h"

/* A field of -e, prepared for one layout. */
struct json_step {
	const struct select_step *select;
	struct key key;
};

/* --- heads and rows ----------------------------------------------------------------------------------------------- */

static void append_key(struct perfdata_text *out, const struct key *key)
{
	perfdata_text_append(out, key->text, key->size);
}

/* Writes the bytes of a text that is not valid UTF-8: after the key `,"name":` it adds `,"name_hex":`. */
static void spell_exact_bytes(struct perfdata_text *out, const struct key *key, struct perfdata_bytes text)
{
	perfdata_text_append(out, key->text, key->size - 2);
	perfdata_text_literal(out, "_hex\":");
	pd_spell_bytes_string(out, text);
}

void pd_json_spell_text(struct perfdata_text *out, const struct key *key, struct perfdata_bytes text)
{
	append_key(out, key);
	if (!perfdata_text_json_string(out, text.data, text.size))
		spell_exact_bytes(out, key, text);
}

static void add_name(void *user, const char *name)
{
	struct perfdata_text *out = user;
	perfdata_text_char(out, ',');
	pd_json_text(out, name);
}

void pd_json_spell_head(struct record *r, enum pd_record_head head, const struct key *key)
{
	struct perfdata_text *out = record_out(r);
	struct speller s = speller_of(r, out);
	const struct head_value value = pd_record_head(r, head);
	if (value.kind == HEAD_IS_ABSENT)
		return;
	if (value.kind == HEAD_IS_TEXT) {
		pd_json_spell_text(out, key, value.bytes);
		return;
	}
	append_key(out, key);
	const size_t start = out->size;
	switch (value.kind) {
	case HEAD_IS_NULL: perfdata_text_literal(out, "null"); break;
	case HEAD_IS_TRUE: perfdata_text_literal(out, "true"); break;
	case HEAD_IS_S64: perfdata_text_s64(out, (int64_t)value.number); break;
	case HEAD_IS_U64:
		if (pd_record_head_info(head)->wide)
			pd_spell_wide(&s, value.number);
		else
			perfdata_text_u64(out, value.number);
		break;
	case HEAD_IS_BYTES: pd_spell_bytes_string(out, value.bytes); break;
	case HEAD_IS_NAMES:
		pd_record_misc_names(r, add_name, out);
		pd_spell_close(out, start, '[', ']');
		break;
	case HEAD_IS_TRAILER: case HEAD_IS_LOCATION: case HEAD_IS_BRANCHES: case HEAD_IS_STACK:
		pd_spell_nested_head(r, &value, out);
		break;
	case HEAD_IS_TEXT: case HEAD_IS_ABSENT: break;
	}
}

static void other_head(struct record *r, const void *what, struct perfdata_text *room)
{
	const struct json_head *head = what;
	(void)room;
	pd_json_spell_head(r, head->head, &head->key);
}

static void other_row(struct record *r, const void *row, struct perfdata_text *room)
{
	struct speller s = speller_of(r, record_out(r));
	(void)room;
	pd_spell_member(&s, row, &r->view.u);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static bool is_hex(enum perfdata_part_form form) { return form >= PERFDATA_PART_X8 && form <= PERFDATA_PART_X64; }

/* Writes a quote if the part's numbers are quoted: call it before and after the number. */
static void quote_part(struct line_maker *maker, const struct record *r, enum perfdata_part_form form)
{
	const bool wide = form == PERFDATA_PART_U64 || form == PERFDATA_PART_S64;
	if (is_hex(form) || (wide && record_style(r)->int64_string))
		perfdata_text_char(maker->text, '"');
}

static void start_number(struct line_maker *maker, const struct record *r, const struct key *key,
			 enum perfdata_part_form form)
{
	perfdata_text_append(maker->text, key->text, key->size);
	quote_part(maker, r, form);
	if (is_hex(form))
		perfdata_text_literal(maker->text, "0x");
}

static void make_number(struct line_maker *maker, const struct record *r, const struct key *key,
			enum perfdata_part_form form, enum line_base base, uint32_t offset)
{
	start_number(maker, r, key, form);
	pd_line_number(maker, form, base, offset);
	quote_part(maker, r, form);
}

static void make_member(struct line_maker *maker, const struct record *r, const struct key *key,
			enum perfdata_part_form form, uint32_t member)
{
	start_number(maker, r, key, form);
	pd_line_member(maker, form, member);
	quote_part(maker, r, form);
}

/* Prepares a head. Calls other(record, what, …) for heads that are neither constant bytes nor numbers. */
static void make_head(struct line_maker *maker, struct record *r, enum pd_record_head head, const struct key *key,
		      line_spell_fn *other, const void *what)
{
	const int index = pd_record_row_of_head(r, head);
	if (index >= 0) {
		const struct row *row = &r->plan->plan->rows[index];
		if (maker->present >> index & 1)
			make_member(maker, r, key, head == HEAD_CPU ? PERFDATA_PART_U32_OR_NULL : pd_line_form(row),
				    row->member);
		return;
	}
	switch (head) {
	case HEAD_TYPE:
	case HEAD_RECORDING:
	case HEAD_MISC:
	case HEAD_MISC_RAW:
	case HEAD_EVENT:
		pd_json_spell_head(r, head, key);
		return;
	case HEAD_OFFSET:
		make_number(maker, r, key, PERFDATA_PART_U64, LINE_RAW, offsetof(struct perfdata_raw, offset));
		return;
	case HEAD_SIZE:
		make_number(maker, r, key, PERFDATA_PART_U32, LINE_RAW, offsetof(struct perfdata_raw, size));
		return;
	default: break;
	}
	pd_line_head(maker, r, head, other, what);
}

static void make_default_head(struct line_maker *maker, struct record *r, const struct json_members *members,
			      enum pd_record_head head)
{
	make_head(maker, r, head, &members->heads[head].key, other_head, &members->heads[head]);
}

static void make_row(struct line_maker *maker, struct record *r, const struct row *row)
{
	const enum perfdata_part_form form = pd_line_form(row);
	const struct row_keys *keys = form == PERFDATA_PART_STOP ? NULL : pd_row_keys(row);
	if (keys) {
		make_member(maker, r, &keys->key, form, row->member);
	} else if (form != PERFDATA_PART_STOP) {
		maker->text->failed = true;
	} else if (row->type == VALUE_RAW && maker->fields) {
		const struct speller s = speller_of(r, maker->text);
		perfdata_text_literal(maker->text, ",\"fields\":");
		pd_trace_json_line(maker, &s);
	} else if (row->type != VALUE_NOTHING) {
		pd_line_other_of_view(maker, other_row, row);
	}
}

/* Prepares the line of a record with all its fields. */
static void make_whole(struct line_maker *maker, struct record *r, const struct json_members *members)
{
	static const enum pd_record_head first[] = {
		HEAD_OFFSET, HEAD_INNER, HEAD_SIZE, HEAD_TYPE_RAW, HEAD_FILE, HEAD_MISC, HEAD_MISC_RAW, HEAD_EVENT,
		HEAD_EVENT_UNKNOWN, HEAD_LATE, HEAD_AFTER_GAP, HEAD_TIME, HEAD_PID, HEAD_TID, HEAD_CPU,
	};
	make_default_head(maker, r, members, HEAD_TYPE);
	if (members->recording)
		make_default_head(maker, r, members, HEAD_RECORDING);
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		make_default_head(maker, r, members, first[i]);
	const struct plan *plan = r->plan->plan;
	for (uint32_t i = 0; plan && i < plan->nr_rows; i++)
		if (maker->present & r->plan->body & UINT64_C(1) << i)
			make_row(maker, r, &plan->rows[i]);
	for (enum pd_record_head head = HEAD_COMM; head <= HEAD_STACK_ID && r->delivery; head++)
		if (r->world->heads >> head & 1)
			make_default_head(maker, r, members, head);
	const enum pd_record_head last = r->world->raw ? HEAD_RAW_BYTES : HEAD_PROBLEM;
	for (enum pd_record_head head = HEAD_SAMPLE_ID; head <= last; head++)
		make_default_head(maker, r, members, head);
}

/* --- -e ----------------------------------------------------------------------------------------------------------- */

static void spell_trace_field(struct record *r, const struct json_step *json, struct perfdata_bytes raw)
{
	const struct trace_row *row = pd_trace_plan_row(r->scope.trace, json->select->trace_name);
	if (!row)
		return;
	struct perfdata_text *out = record_out(r);
	struct speller s = speller_of(r, out);
	const size_t before = out->size;
	append_key(out, &json->key);
	bool valid;
	struct perfdata_bytes text;
	if (!pd_trace_json_value(&s, row, raw, &valid, &text)) {
		r->scope.trace_damaged = true;
		out->size = before;
	} else if (!valid) {
		spell_exact_bytes(out, &json->key, text);
	}
}

static void spell_place_part(struct record *r, const struct json_step *json)
{
	const struct select_step *step = json->select;
	const struct head_value value = pd_record_head(r, step->head);
	if (value.kind != HEAD_IS_LOCATION)
		return;
	struct location place;
	pd_location_load(&r->emitted, (uint32_t)value.number, LOCATION_BIT(step->part), &place);
	if (!place.present)
		return;
	append_key(record_out(r), &json->key);
	if (!pd_location_json_value(record_out(r), &place, step->part, record_style(r)->int64_string))
		spell_exact_bytes(record_out(r), &json->key, place.text[step->part]);
}

/* Whether -e also selects the text itself, which then writes its exact bytes. */
static bool text_selected(const struct json_members *members, const struct select_step *step)
{
	const size_t size = strlen(step->name) - 4;
	for (size_t i = 0; i < members->selection.nr; i++) {
		const char *name = members->selection.names[i];
		if (strlen(name) == size && !memcmp(name, step->name, size))
			return true;
	}
	return false;
}

/* Writes the exact bytes of a text that is not valid UTF-8, or the number of a named value, or the value. */
static void spell_row_of_step(struct record *r, const struct json_step *json, const void *view)
{
	const struct select_step *step = json->select;
	const void *member = (const char *)view + step->row.member;
	struct perfdata_text *out = record_out(r);
	struct speller s = speller_of(r, out);
	const struct perfdata_bytes *text = member;
	if (step->what == SELECT_EXACT_BYTES && pd_utf8_valid(text->data, text->size))
		return;
	append_key(out, &json->key);
	if (step->what == SELECT_EXACT_BYTES) {
		pd_spell_bytes_string(out, *text);
	} else if (step->what == SELECT_RAW_NUMBER) {
		const uint64_t value = pd_value_integer(step->row.kind, member);
		if (step->row.wide)
			pd_spell_wide(&s, value);
		else
			perfdata_text_u64(out, value);
	} else {
		/* -e selects the raw data, not the fields of the tracepoint */
		const struct trace_plan *trace = r->scope.trace;
		r->scope.trace = NULL;
		if (!pd_spell_value(&s, &step->row, view))
			spell_exact_bytes(out, &json->key, *text);
		r->scope.trace = trace;
	}
}

static void spell_step(struct record *r, const void *what, struct perfdata_text *room)
{
	const struct json_step *json = what;
	const struct select_step *step = json->select;
	struct speller s = speller_of(r, record_out(r));
	const void *view;
	(void)room;
	switch (step->what) {
	case SELECT_NOTHING: return;
	case SELECT_HEAD: pd_json_spell_head(r, step->head, &json->key); return;
	case SELECT_FIELDS: case SELECT_FIELD:
		if (!r->scope.trace || !r->fields.data)
			return;
		if (step->what == SELECT_FIELD) {
			spell_trace_field(r, json, r->fields);
			return;
		}
		append_key(record_out(r), &json->key);
		pd_trace_json_object(&s, r->fields);
		return;
	case SELECT_PLACE: spell_place_part(r, json); return;
	case SELECT_ROW: case SELECT_RAW_NUMBER: case SELECT_EXACT_BYTES: case SELECT_TRAILER: break;
	}
	view = pd_selection_view(r, step);
	if (view)
		spell_row_of_step(r, json, view);
}

static void make_field(struct line_maker *maker, struct record *r, const struct json_step *step)
{
	const struct trace_row *row = pd_trace_plan_row(maker->fields, step->select->trace_name);
	const enum perfdata_part_form form = row ? pd_trace_form(row) : PERFDATA_PART_STOP;
	if (form != PERFDATA_PART_STOP)
		make_number(maker, r, &step->key, form, LINE_FIELDS, row->offset);
	else if (row)
		pd_line_other(maker, spell_step, step);
}

static void make_step(struct line_maker *maker, struct record *r, const struct json_members *members,
		      const struct json_step *own)
{
	const struct select_step *step = own->select;
	if (step->gate && !(step->gate & maker->present))
		return;
	switch (step->what) {
	case SELECT_NOTHING: return;
	case SELECT_HEAD: make_head(maker, r, step->head, &own->key, spell_step, own); return;
	case SELECT_FIELD:
		if (maker->fields)
			make_field(maker, r, own);
		else
			pd_line_other(maker, spell_step, own);
		return;
	case SELECT_FIELDS:
		if (maker->fields) {
			const struct speller s = speller_of(r, maker->text);
			append_key(maker->text, &own->key);
			pd_trace_json_line(maker, &s);
		} else {
			pd_line_other(maker, spell_step, own);
		}
		return;
	case SELECT_PLACE: pd_line_other(maker, spell_step, own); return;
	case SELECT_ROW:
		if (!step->depth && pd_line_form(&step->row) != PERFDATA_PART_STOP) {
			make_member(maker, r, &own->key, pd_line_form(&step->row), step->row.member);
			return;
		}
		break;
	case SELECT_EXACT_BYTES:
		if (text_selected(members, step))
			return;
		break;
	case SELECT_RAW_NUMBER: case SELECT_TRAILER: break;
	}
	pd_line_other_of_view(maker, spell_step, own);
}

static bool members_select(const struct json_members *members, const char *name)
{
	for (size_t i = 0; i < members->selection.nr; i++)
		if (!strcmp(members->selection.names[i], name))
			return true;
	return false;
}

/* NULL without memory. */
static const struct json_step *make_steps(struct record *r, const struct selection *selection)
{
	struct pd_arena *pool = &r->cache->extra;
	struct json_step *steps = pd_arena_calloc(pool, selection->nr + 1, sizeof *steps);
	struct select_step *selected;
	if (!steps ||
	    !pd_selection_resolve(pool, selection, r->plan->plan ? r->plan->plan->layout : NULL, &selected))
		return NULL;
	for (size_t i = 0; i < selection->nr; i++) {
		steps[i] = (struct json_step){ &selected[i], pd_key_make(pool, selection->names[i], "") };
		if (!steps[i].key.text)
			return NULL;
	}
	return r->plan->selection = steps;
}

static bool make_selected(struct line_maker *maker, struct record *r, const struct json_members *members)
{
	const struct json_step *steps = r->plan->selection ? r->plan->selection : make_steps(r, &members->selection);
	if (!steps)
		return false;
	if (members->recording && !members_select(members, "recording"))
		make_default_head(maker, r, members, HEAD_RECORDING);
	for (size_t i = 0; i < members->selection.nr; i++)
		make_step(maker, r, members, &steps[i]);
	return true;
}

bool pd_json_line_make(struct line_maker *maker, struct record *r, const void *user)
{
	const struct json_members *members = user;
	if (members->select && !make_selected(maker, r, members))
		return false;
	if (!members->select)
		make_whole(maker, r, members);
	perfdata_text_string(maker->text, pd_json_line_end(members));
	return true;
}
