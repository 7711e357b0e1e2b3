/* SPDX-License-Identifier: MIT */
/* `ndjson` and `json`: every record with every field, as the same objects in lines or in one document. */
#include "config.h"
#include <stddef.h>
#include <stdlib.h>
#include "emit/emitters.h"
#include "emit/spell/line.h"
#include "emit/json/aux_json.h"
#include "emit/json/meta.h"
#include "emit/spell/feature_json.h"
#include "emit/spell/location_json.h"
#include "emit/spell/trace_line.h"
#include "emit/values/name_options.h"
#include "emit/values/record.h"
#include "emit/values/selection.h"
#include "text/json_quoted.h"
#include "text/spelling.h"
#include "reader/reader.h"

struct json_head {
	enum pd_record_head head;
	struct key key;
};

/* A field of -e, made ready for one layout. */
struct json_step {
	const struct select_step *select;
	struct key key;
};

struct json_state {
	struct record_world world;
	struct json_style style;
	struct json_head heads[HEAD_COUNT];
	struct line_kind lines;
	struct meta_emitted emitted;
	bool document;
	bool select;
	struct selection selection;
	perfdata_finding_fn *on_finding;
	void *user;
	bool names_needed;     /* scan has to find out build-ids, stacks, or where commas stand */
	struct emitted names;     /* scan's */
	const char *stack_file;/* shown in stack and packet lines, where several recordings share an output; or NULL */
	enum aux_lines aux;
	bool aux_named;        /* samples of traces come with names */
	const struct perfdata_reader *reader;
	struct pd_aux_carry traces;   /* scan's */
};

/* What scan attaches to a batch. */
struct json_value {
	struct emitted_batch *emitted;   /* or NULL */
	struct pd_aux_pieces pieces;
};

static const struct perfdata_emitter_option options[] = {
	{ "fields", PERFDATA_OPTION_TEXT, 'e', "LIST", "only these fields, in this order (see `perfdata fields`)" },
	{ "raw", PERFDATA_OPTION_FLAG, 0, NULL, "add the whole record in hex" },
	{ "int64", PERFDATA_OPTION_CHOICE, 0, "number|string",
	  "how 64-bit numbers are written (string: for JavaScript)" },
	{ "aux", PERFDATA_OPTION_CHOICE, 0, "packets|samples",
	  "also what traces hold: a line for each packet, and for each operation that Arm SPE sampled; or these only" },
	NAME_OPTIONS,
	{ 0 },
};

static bool make_line(struct line_maker *maker, struct record *r, const void *user);
static const char *line_end(const struct json_state *json) { return json->document ? "}" : "}\n"; }

/* --- begin -------------------------------------------------------------------------------------------------------- */

static void release(void *state)
{
	struct json_state *json = state;
	if (!json)
		return;
	pd_record_world_release(&json->world);
	pd_emitted_release(&json->names);
	pd_aux_carry_release(&json->traces);
	free(json);
}

static enum perfdata_status set_up(struct json_state *json, const struct perfdata_emit_context *context)
{
	if (!pd_record_world_init(&json->world, context) ||
	    !pd_json_style_init(&json->style, &json->world.pool, context->reader, pd_feature_json_payload))
		return PERFDATA_ENOMEM;
	const char *int64 = perfdata_option_text(context->options, context->nr_options, "int64");
	json->style.int64_string = int64 && !strcmp(int64, "string");
	json->world.raw = perfdata_option_flag(context->options, context->nr_options, "raw", false);
	pd_name_options_read(&json->world, context->options, context->nr_options, context->names);
	json->names.session = context->session;
	json->names.what = json->world.stacks_by_id ? EMITTED_STACKS : EMITTED_NO_IDS;
	json->names_needed = (pd_name_options_needs(context->options, context->nr_options, context->names) &
			      PERFDATA_NEED_DELIVERIES) ||
			     json->document;
	if (context->shared_output)
		json->style.recording = context->recording;
	if (context->shared_output)
		json->stack_file = pd_reader_file_name(context->reader, 0);
	json->aux = pd_aux_lines_of(context->options, context->nr_options);
	json->aux_named = pd_aux_lines_named(json->aux, &json->world);
	json->traces.records = json->aux != AUX_NO_LINES;
	json->reader = context->reader;
	json->on_finding = context->on_finding;
	json->user = context->user;
	const char *list = perfdata_option_text(context->options, context->nr_options, "fields");
	for (enum pd_record_head head = 0; head < HEAD_COUNT; head++) {
		json->heads[head] = (struct json_head){ head, pd_key_make(&json->world.pool,
									  pd_record_head_info(head)->name, "") };
		if (!json->heads[head].key.text)
			return PERFDATA_ENOMEM;
	}
	json->lines = (struct line_kind){ .make = make_line,
					  .user = json,
					  .without_chains = json->world.stacks_by_id && !list };
	json->select = list != NULL;
	return list ? pd_selection_parse(&json->world.pool, list, &json->selection, context->reterr) : PERFDATA_OK;
}

static enum perfdata_status begin(const struct perfdata_emit_context *context, void **ret_state,
				  struct perfdata_text *out, bool document)
{
	struct json_state *json = calloc(1, sizeof *json);
	if (!json)
		return PERFDATA_ENOMEM;
	json->document = document;
	const enum perfdata_status status = set_up(json, context);
	if (status) {
		release(json);
		return status;
	}
	struct value_scope scope = { .world = &json->world.values };
	struct speller s = { .scope = &scope, .style = &json->style, .out = out };
	if (document)
		perfdata_text_literal(out, "{\"meta\":");
	pd_meta_spell(&s, context, &json->emitted);
	if (document)
		perfdata_text_literal(out, ",\n\"records\":[");
	perfdata_text_char(out, '\n');
	*ret_state = json;
	return PERFDATA_OK;
}

static enum perfdata_status begin_lines(const struct perfdata_emit_context *context, void **ret_state,
					struct perfdata_text *out)
{
	return begin(context, ret_state, out, false);
}

static enum perfdata_status begin_document(const struct perfdata_emit_context *context, void **ret_state,
					   struct perfdata_text *out)
{
	return begin(context, ret_state, out, true);
}

/* --- scan --------------------------------------------------------------------------------------------------------- */

static void free_value(void *value)
{
	struct json_value *v = value;
	if (!v)
		return;
	pd_emitted_batch_free(v->emitted);
	pd_aux_pieces_release(&v->pieces);
	free(v);
}

static enum perfdata_status scan_traces(struct json_state *json, const struct perfdata_batch *batch,
					struct pd_aux_pieces *pieces)
{
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < batch->nr_records && status == PERFDATA_OK; i++)
		status = pd_aux_scan(&json->traces, json->reader, &batch->records[i], pieces);
	return status;
}

/* Finds out which batch holds the first record (no comma stands in front of that), what names of addresses depend on,
 * and the pieces of traces. */
static enum perfdata_status scan(void *state, const struct perfdata_batch *batch, void **ret_value)
{
	struct json_state *json = state;
	if (!json->names_needed && json->aux == AUX_NO_LINES)
		return PERFDATA_OK;
	struct json_value *value = calloc(1, sizeof *value);
	if (!value)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = json->names_needed ? pd_emitted_scan(&json->names, batch, &value->emitted)
							 : PERFDATA_OK;
	if (status == PERFDATA_OK && json->aux != AUX_NO_LINES)
		status = scan_traces(json, batch, &value->pieces);
	if (status == PERFDATA_OK)
		*ret_value = value;
	else
		free_value(value);
	return status;
}

/* --- format ------------------------------------------------------------------------------------------------------- */

static void append_key(struct perfdata_text *out, const struct key *key)
{
	perfdata_text_append(out, key->text, key->size);
}

/* Behind a text that is no valid UTF-8: its bytes, under the key `,"name":` as `,"name_hex":`. */
static void spell_exact_bytes(struct perfdata_text *out, const struct key *key, struct perfdata_bytes text)
{
	perfdata_text_append(out, key->text, key->size - 2);
	perfdata_text_literal(out, "_hex\":");
	pd_spell_bytes_string(out, text);
}

static void spell_text_member(struct perfdata_text *out, const struct key *key, struct perfdata_bytes text)
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

/* Any head, under any key. */
static void spell_head(struct record *r, enum pd_record_head head, const struct key *key)
{
	struct perfdata_text *out = record_out(r);
	struct speller s = speller_of(r, out);
	const struct head_value value = pd_record_head(r, head);
	if (value.kind == HEAD_IS_ABSENT)
		return;
	if (value.kind == HEAD_IS_TEXT) {
		spell_text_member(out, key, value.bytes);
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
	spell_head(r, head->head, &head->key);
}

static void other_row(struct record *r, const void *row, struct perfdata_text *room)
{
	struct speller s = speller_of(r, record_out(r));
	(void)room;
	pd_spell_member(&s, row, &r->view.u);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static bool is_hex(enum perfdata_part_form form) { return form >= PERFDATA_PART_X8 && form <= PERFDATA_PART_X64; }

/* A quote, for numbers that stand in quotes: called in front of the number and behind it. */
static void quote(struct line_maker *maker, const struct record *r, enum perfdata_part_form form)
{
	const bool wide = form == PERFDATA_PART_U64 || form == PERFDATA_PART_S64;
	if (is_hex(form) || (wide && record_style(r)->int64_string))
		perfdata_text_char(maker->text, '"');
}

static void start_number(struct line_maker *maker, const struct record *r, const struct key *key,
			 enum perfdata_part_form form)
{
	perfdata_text_append(maker->text, key->text, key->size);
	quote(maker, r, form);
	if (is_hex(form))
		perfdata_text_literal(maker->text, "0x");
}

static void make_number(struct line_maker *maker, const struct record *r, const struct key *key,
			enum perfdata_part_form form, enum line_base base, uint32_t offset)
{
	start_number(maker, r, key, form);
	pd_line_number(maker, form, base, offset);
	quote(maker, r, form);
}

static void make_member(struct line_maker *maker, const struct record *r, const struct key *key,
			enum perfdata_part_form form, uint32_t member)
{
	start_number(maker, r, key, form);
	pd_line_member(maker, form, member);
	quote(maker, r, form);
}

/* Heads that take more than constant bytes and numbers are spelled by other(record, what, …). */
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
		spell_head(r, head, key);
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

static void make_default_head(struct line_maker *maker, struct record *r, const struct json_state *json,
			      enum pd_record_head head)
{
	make_head(maker, r, head, &json->heads[head].key, other_head, &json->heads[head]);
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

/* Everything of the record. */
static void make_whole(struct line_maker *maker, struct record *r, const struct json_state *json)
{
	static const enum pd_record_head first[] = {
		HEAD_OFFSET, HEAD_INNER, HEAD_SIZE, HEAD_TYPE_RAW, HEAD_FILE, HEAD_MISC, HEAD_MISC_RAW, HEAD_EVENT,
		HEAD_EVENT_UNKNOWN, HEAD_LATE, HEAD_AFTER_GAP, HEAD_TIME, HEAD_PID, HEAD_TID, HEAD_CPU,
	};
	make_default_head(maker, r, json, HEAD_TYPE);
	if (json->style.recording)
		make_default_head(maker, r, json, HEAD_RECORDING);
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		make_default_head(maker, r, json, first[i]);
	const struct plan *plan = r->plan->plan;
	for (uint32_t i = 0; plan && i < plan->nr_rows; i++)
		if (maker->present & r->plan->body & UINT64_C(1) << i)
			make_row(maker, r, &plan->rows[i]);
	for (enum pd_record_head head = HEAD_COMM; head <= HEAD_STACK_ID && r->delivery; head++)
		if (r->world->heads >> head & 1)
			make_default_head(maker, r, json, head);
	const enum pd_record_head last = r->world->raw ? HEAD_RAW_BYTES : HEAD_PROBLEM;
	for (enum pd_record_head head = HEAD_SAMPLE_ID; head <= last; head++)
		make_default_head(maker, r, json, head);
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

/* Whether -e lists the text itself, too: then its exact bytes follow the text anyway. */
static bool text_selected(const struct json_state *json, const struct select_step *step)
{
	const size_t size = strlen(step->name) - 4;
	for (size_t i = 0; i < json->selection.nr; i++)
		if (strlen(json->selection.names[i]) == size && !memcmp(json->selection.names[i], step->name, size))
			return true;
	return false;
}

/* Bytes of a text that are no valid UTF-8, or the number of names, or the value itself. */
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
		/* -e names the raw data itself: no fields of a tracepoint in its place */
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
	case SELECT_HEAD: spell_head(r, step->head, &json->key); return;
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

static void make_step(struct line_maker *maker, struct record *r, const struct json_state *json,
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
		if (text_selected(json, step))
			return;
		break;
	case SELECT_RAW_NUMBER: case SELECT_TRAILER: break;
	}
	pd_line_other_of_view(maker, spell_step, own);
}

static bool selects(const struct json_state *json, const char *name)
{
	for (size_t i = 0; i < json->selection.nr; i++)
		if (!strcmp(json->selection.names[i], name))
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

static bool make_selected(struct line_maker *maker, struct record *r, const struct json_state *json)
{
	const struct json_step *steps = r->plan->selection ? r->plan->selection : make_steps(r, &json->selection);
	if (!steps)
		return false;
	if (json->style.recording && !selects(json, "recording"))
		make_default_head(maker, r, json, HEAD_RECORDING);
	for (size_t i = 0; i < json->selection.nr; i++)
		make_step(maker, r, json, &steps[i]);
	return true;
}

static bool make_line(struct line_maker *maker, struct record *r, const void *user)
{
	const struct json_state *json = user;
	if (json->select && !make_selected(maker, r, json))
		return false;
	if (!json->select)
		make_whole(maker, r, json);
	perfdata_text_string(maker->text, line_end(json));
	return true;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Where format stands in its batch. */
struct walk {
	const struct json_state *json;
	const struct perfdata_batch *batch;
	const struct emitted_batch *emitted;  /* or NULL */
	size_t delivery;                /* see pd_emitted_delivery */
	size_t stack;                   /* index in emitted->ids */
	size_t piece;                   /* see pd_aux_piece_of */
	bool comma;
};

static void start_line(void *user, struct perfdata_text *out)
{
	struct walk *walk = user;
	if (walk->json->document && walk->comma)
		perfdata_text_literal(out, ",\n");
	walk->comma = true;
}

static bool spell_line(const struct json_state *json, struct record *r, const struct perfdata_raw *raw,
		       struct found_batch **found, struct perfdata_text *room)
{
	struct perfdata_text *out = record_out(r);
	const size_t start = out->size;
	if (!pd_line_write(r, &json->lines, raw, found, room))
		return false;
	if (perfdata_text_failed(out))
		return true;
	/* the first member's comma */
	if (out->data[start] == ',') {
		out->data[start] = '{';
		return true;
	}
	out->size = start;
	perfdata_text_char(out, '{');
	perfdata_text_string(out, line_end(json));
	return true;
}

/* The line of the sample's stack, before its first use. */
static void spell_new_stack(struct walk *walk, struct record *r)
{
	struct perfdata_text *out = record_out(r);
	if (walk->stack == walk->emitted->nr_ids ||
	    walk->batch->deliveries[walk->emitted->ids[walk->stack]].stack != r->delivery->stack)
		return;
	walk->stack++;
	start_line(walk, out);
	perfdata_text_literal(out, "{\"type\":\"stack\",\"stack_id\":");
	perfdata_text_u64(out, r->delivery->stack);
	if (walk->json->style.recording)
		spell_head(r, HEAD_RECORDING, &walk->json->heads[HEAD_RECORDING].key);
	if (walk->json->stack_file)
		spell_text_member(out, &walk->json->heads[HEAD_FILE].key,
				  (struct perfdata_bytes){ (const uint8_t *)walk->json->stack_file,
							   strlen(walk->json->stack_file) });
	perfdata_text_literal(out, ",\"frames\":");
	const struct location_speller locations = pd_record_locations(r);
	pd_location_json_stack(&locations, out, walk->batch, r->delivery, true);
	perfdata_text_string(out, line_end(walk->json));
}

static void find_delivery(struct walk *walk, struct record *r, const struct perfdata_raw *raw)
{
	r->delivery = raw->type == PERFDATA_RECORD_SAMPLE ? pd_emitted_delivery(walk->batch, &walk->delivery, raw)
							  : NULL;
	if (walk->json->world.stacks_by_id && r->delivery && r->delivery->stack != PERFDATA_NONE)
		spell_new_stack(walk, r);
}

static struct aux_json aux_lines(struct walk *walk)
{
	const struct json_state *json = walk->json;
	return (struct aux_json){ .lines = json->aux,
				  .named = json->aux_named,
				  .int64_string = json->style.int64_string,
				  .file = json->stack_file,
				  .recording = json->style.recording,
				  .end = line_end(json),
				  .start = start_line,
				  .user = walk };
}

static void spell_piece(struct walk *walk, const struct pd_aux_pieces *pieces, const struct perfdata_raw *raw,
			struct perfdata_text *out)
{
	const struct pd_aux_piece *piece = pieces ? pd_aux_piece_of(pieces, raw, &walk->piece) : NULL;
	const struct aux_json how = aux_lines(walk);
	if (piece)
		pd_aux_json(&how, piece, out);
}

/* Samples that traces tell of are nothing that stands in the recording. */
static void spell_made(struct walk *walk, struct record *r, const struct perfdata_raw *raw)
{
	const struct aux_json how = aux_lines(walk);
	struct pd_spe_row row;
	r->delivery = pd_emitted_delivery(walk->batch, &walk->delivery, raw);
	if (how.named && pd_spe_row_of_sample(raw, &row))
		pd_aux_json_sample(&how, &row, r);
}

static enum perfdata_status format(const void *state, const struct perfdata_batch *batch, void *value,
				   struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct json_state *json = state;
	struct json_value *scanned = value;
	struct walk walk = { .json = json, .batch = batch, .emitted = scanned ? scanned->emitted : NULL };
	struct writing writing = { out, &json->style };
	struct record r = { .world = &json->world, .cache = pd_record_cache_of(scratch), .writing = &writing,
			    .batch = batch };
	if (!r.cache)
		return PERFDATA_ENOMEM;
	struct found_batch *found = NULL;
	walk.comma = walk.emitted && !walk.emitted->first;
	if (walk.emitted)
		r.emitted = (struct emitted_names){ batch->session, walk.emitted->known };
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < batch->nr_records; i++) {
		if (batch->records[i].flags & PERFDATA_RAW_PAYLOAD) {
			spell_piece(&walk, scanned ? &scanned->pieces : NULL, &batch->records[i], out);
			continue;
		}
		if (batch->records[i].flags & PERFDATA_RAW_SYNTHESIZED) {
			spell_made(&walk, &r, &batch->records[i]);
			continue;
		}
		if (batch->nr_deliveries)
			find_delivery(&walk, &r, &batch->records[i]);
		start_line(&walk, out);
		if (!spell_line(json, &r, &batch->records[i], &found, &scratch->text)) {
			status = PERFDATA_ENOMEM;
			break;
		}
		pd_record_done(&r, &found);
		perfdata_text_cut(out);
	}
	out->failed |= r.failed;
	*ret_part = found;
	return status;
}

/* --- merge and end ------------------------------------------------------------------------------------------------ */

static enum perfdata_status merge(void *state, void *part, struct perfdata_text *out)
{
	const struct json_state *json = state;
	(void)out;
	pd_found_report(part, json->on_finding, json->user);
	return PERFDATA_OK;
}

static void free_part(void *part) { pd_found_report(part, NULL, NULL); }

static enum perfdata_status end(void *state, const struct perfdata_emit_end *what, struct perfdata_text *out)
{
	const struct json_state *json = state;
	struct value_scope scope = { .world = &json->world.values };
	struct speller s = { .scope = &scope, .style = &json->style, .out = out };
	if (json->document)
		perfdata_text_literal(out, "\n],\n\"summary\":");
	pd_summary_spell(&s, what, &json->emitted);
	perfdata_text_string(out, json->document ? "}\n" : "\n");
	return PERFDATA_OK;
}

static enum perfdata_status configure(void *user, struct perfdata_configuration *configuration)
{
	(void)user;
	configuration->needs = pd_name_options_needs(configuration->options, configuration->nr_options,
						     configuration->names);
	pd_aux_lines_configure(configuration);
	return PERFDATA_OK;
}

const struct perfdata_emitter pd_emitter_ndjson = {
	.abi = PERFDATA_EMITTER_ABI,
	.name = "ndjson",
	.help = "every record with every field, one JSON object per line",
	.needs = PERFDATA_NEED_RECORDS,
	.mime = "application/x-ndjson",
	.flags = PERFDATA_EMITTER_CHECKS | PERFDATA_EMITTER_MEMORY,
	.size = sizeof(struct perfdata_emitter),
	.option_size = sizeof *options,
	.options = options,
	.configure = configure,
	.begin = begin_lines,
	.scan = scan,
	.format = format,
	.merge = merge,
	.end = end,
	.free_value = free_value,
	.free_part = free_part,
	.release = release,
};

const struct perfdata_emitter pd_emitter_json = {
	.abi = PERFDATA_EMITTER_ABI,
	.name = "json",
	.help = "the same objects in one JSON document",
	.needs = PERFDATA_NEED_RECORDS,
	.mime = "application/json",
	.flags = PERFDATA_EMITTER_ONE_DOCUMENT | PERFDATA_EMITTER_CHECKS | PERFDATA_EMITTER_MEMORY,
	.size = sizeof(struct perfdata_emitter),
	.option_size = sizeof *options,
	.options = options,
	.configure = configure,
	.begin = begin_document,
	.scan = scan,
	.format = format,
	.merge = merge,
	.end = end,
	.free_value = free_value,
	.free_part = free_part,
	.release = release,
};
