/* `ndjson` and `json`: every record with every field. The same objects, as lines or in one document. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include "emitters.h"
#include "meta.h"
#include "name_options.h"
#include "record.h"
#include "selection.h"

struct json_state {
	struct record_world world;
	struct meta_told told;
	bool document;
	bool select;
	struct selection selection;
	perfdata_finding_fn *on_finding;
	void *user;
	bool names_needed;     /* or commas */
	struct told names;     /* scan's */
	const char *stack_file;/* of stack lines, where several recordings share an output; or NULL */
};

static const struct perfdata_option options[] = {
	{ "fields", PERFDATA_OPTION_TEXT, 'e', "LIST", "only these fields, in this order (see `perfdata fields`)" },
	{ "raw", PERFDATA_OPTION_FLAG, 0, NULL, "add the whole record in hex" },
	{ "int64", PERFDATA_OPTION_CHOICE, 0, "number|string", "how 64-bit numbers are written (string: for JavaScript)" },
	NAME_OPTIONS,
	{ 0 },
};

/* --- begin ---------------------------------------------------------------------------------------------------------------- */

static void release(void *state)
{
	struct json_state *json = state;
	if (!json)
		return;
	record_world_release(&json->world);
	told_release(&json->names);
	free(json);
}

static enum perfdata_status set_up(struct json_state *json, const struct perfdata_emit_context *context)
{
	if (!record_world_init(&json->world, context))
		return PERFDATA_ENOMEM;
	const char *int64 = perfdata_option_text(context->options, context->nr_options, "int64");
	json->world.spell.int64_string = int64 && !strcmp(int64, "string");
	json->world.raw = perfdata_option_flag(context->options, context->nr_options, "raw", false);
	name_options_read(&json->world, context->options, context->nr_options);
	json->names.session = context->session;
	json->names.what = json->world.stacks_by_id ? TOLD_STACKS : TOLD_NO_IDS;
	json->names_needed = (name_options_needs(context->options, context->nr_options) & PERFDATA_NEED_DELIVERIES) || json->document;
	if (context->shared_output)
		json->stack_file = perfdata_reader_file_name(context->reader, 0);
	json->on_finding = context->on_finding;
	json->user = context->user;
	const char *list = perfdata_option_text(context->options, context->nr_options, "fields");
	json->select = list != NULL;
	return list ? selection_parse(&json->world.pool, list, &json->selection, context->reterr) : PERFDATA_OK;
}

static enum perfdata_status begin(const struct perfdata_emit_context *context, void **ret_state, struct perfdata_text *out,
				  bool document)
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
	struct speller s = { .world = &json->world.spell, .out = out };
	if (document)
		perfdata_text_literal(out, "{\"meta\":");
	meta_spell(&s, context, &json->told);
	if (document)
		perfdata_text_literal(out, ",\n\"records\":[");
	perfdata_text_char(out, '\n');
	*ret_state = json;
	return PERFDATA_OK;
}

static enum perfdata_status begin_lines(const struct perfdata_emit_context *context, void **ret_state, struct perfdata_text *out)
{
	return begin(context, ret_state, out, false);
}

static enum perfdata_status begin_document(const struct perfdata_emit_context *context, void **ret_state, struct perfdata_text *out)
{
	return begin(context, ret_state, out, true);
}

/* --- scan --------------------------------------------------------------------------------------------------------- */

/* Which batch holds the first record, in front of which no comma stands; and what names of addresses depend on. */
static enum perfdata_status scan(void *state, const struct perfdata_batch *batch, void **ret_value)
{
	struct json_state *json = state;
	if (!json->names_needed)
		return PERFDATA_OK;
	struct told_batch *told = NULL;
	const enum perfdata_status status = told_scan(&json->names, batch, &told);
	*ret_value = told;
	return status;
}

/* --- format ------------------------------------------------------------------------------------------------------- */

static void free_cache(void *cache)
{
	record_cache_release(cache);
	free(cache);
}

static struct record_cache *get_cache(struct perfdata_scratch *scratch)
{
	if (scratch->cache)
		return scratch->cache;
	struct record_cache *cache = calloc(1, sizeof *cache);
	if (!cache)
		return NULL;
	if (!record_cache_init(cache)) {
		free_cache(cache);
		return NULL;
	}
	scratch->cache = cache;
	scratch->free_cache = free_cache;
	return cache;
}

static void spell_text_member(struct perfdata_text *out, const struct key *key, struct perfdata_bytes text)
{
	perfdata_text_append(out, key->text, key->size);
	if (perfdata_text_json_string(out, text.data, text.size))
		return;
	/* key: `,"name":` → `,"name_hex":` */
	perfdata_text_append(out, key->text, key->size - 2);
	perfdata_text_literal(out, "_hex\":");
	spell_bytes_string(out, text);
}

static void add_name(void *user, const char *name)
{
	struct perfdata_text *out = user;
	perfdata_text_char(out, ',');
	perfdata_text_json_string(out, name, strlen(name));
}

static void spell_frame(struct record *r, uint32_t frame)
{
	const struct place_speller places = record_places(r);
	place_json(&places, r->s.out, frame);
}

static void spell_stack(struct record *r, uint32_t stack)
{
	const struct place_speller places = record_places(r);
	place_json_stack(&places, r->s.out, stack, false);
}

/* Any head, under any key. */
static void spell_head(struct record *r, enum record_head head, const struct key *key)
{
	struct perfdata_text *out = r->s.out;
	const struct head_value value = record_head(r, head);
	if (value.kind == HEAD_IS_ABSENT)
		return;
	if (value.kind == HEAD_IS_TEXT) {
		spell_text_member(out, key, value.bytes);
		return;
	}
	perfdata_text_append(out, key->text, key->size);
	const size_t start = out->size;
	switch (value.kind) {
	case HEAD_IS_NULL: perfdata_text_literal(out, "null"); break;
	case HEAD_IS_TRUE: perfdata_text_literal(out, "true"); break;
	case HEAD_IS_S64: perfdata_text_s64(out, (int64_t)value.number); break;
	case HEAD_IS_U64:
		if (record_head_info(head)->wide)
			spell_wide(&r->s, value.number);
		else
			perfdata_text_u64(out, value.number);
		break;
	case HEAD_IS_BYTES: spell_bytes_string(out, value.bytes); break;
	case HEAD_IS_NAMES:
		record_misc_names(r, add_name, out);
		spell_close(out, start, '[', ']');
		break;
	case HEAD_IS_TRAILER: spell_object(&r->s, r->cache->trailer, r->view.sample_id.present, &r->view.sample_id); break;
	case HEAD_IS_PLACE: spell_frame(r, (uint32_t)value.number); break;
	case HEAD_IS_BRANCHES: record_spell_branches(r); break;
	case HEAD_IS_STACK: spell_stack(r, (uint32_t)value.number); break;
	case HEAD_IS_TEXT: case HEAD_IS_ABSENT: break;
	}
}

#define KEY(text_) ((struct key){ text_ "                                ", sizeof(text_) - 1 })

static inline char *number_member_to(char *at, const char *key, size_t size, uint64_t value, bool as_string)
{
	memcpy(at, key, size);
	at += size;
	if (as_string)
		*at++ = '"';
	at = perfdata_u64_to(at, value);
	if (as_string)
		*at++ = '"';
	return at;
}
#define NUMBER_MEMBER(at, key, value, as_string) number_member_to(at, key, sizeof(key) - 1, value, as_string)

static char *head_number_to(const struct record *r, char *at, enum record_head head, const char *key, size_t size, bool wide)
{
	const struct head_value value = record_head(r, head);
	if (value.kind == HEAD_IS_U64)
		return number_member_to(at, key, size, value.number, wide);
	if (value.kind == HEAD_IS_ABSENT)
		return at;
	memcpy(at, key, size);
	at += size;
	if (value.kind == HEAD_IS_S64)
		return perfdata_s64_to(at, (int64_t)value.number);
	memcpy(at, "null", 4);
	return at + 4;
}
#define HEAD_NUMBER(r, at, head, key, wide) head_number_to(r, at, head, key, sizeof(key) - 1, wide)

static void spell_names(struct record *r)
{
	static const struct key keys[] = {
		[HEAD_COMM] = { ",\"comm\":", 8 }, [HEAD_IP_AT] = { ",\"ip_at\":", 9 }, [HEAD_ADDR_AT] = { ",\"addr_at\":", 11 },
		[HEAD_BRANCH_STACK_AT] = { ",\"branch_stack_at\":", 19 }, [HEAD_STACK] = { ",\"stack\":", 9 },
		[HEAD_STACK_ID] = { ",\"stack_id\":", 12 },
	};
	for (unsigned i = HEAD_COMM; i <= HEAD_STACK_ID; i++)
		if (r->world->heads >> i & 1)
			spell_head(r, i, &keys[i]);
}

/* The rows that stand in the line: what a stack's id says is not said again. */
static uint64_t rows_of(const struct record *r)
{
	return r->view.u.present & r->plan->body & ~(r->world->stacks_by_id ? record_row_said_by_stack(r) : 0);
}

/* What record_head says of a sample, which has no trailer: most records are samples. */
static char *sample_numbers_to(const struct record *r, char *at, bool wide)
{
	const struct record_plan *plan = r->plan;
	const struct perfdata_sample *sample = &r->view.u.sample;
	if (sample->present >> plan->time & 1)
		at = NUMBER_MEMBER(at, ",\"time\":", sample->time, wide);
	if (sample->present >> plan->pid & 1) {
		memcpy(at, ",\"pid\":", 7);
		at = perfdata_s64_to(at + 7, sample->pid);
	}
	if (sample->present >> plan->tid & 1) {
		memcpy(at, ",\"tid\":", 7);
		at = perfdata_s64_to(at + 7, sample->tid);
	}
	if (sample->present >> plan->cpu & 1) {
		memcpy(at, ",\"cpu\":", 7);
		at += 7;
		if (sample->cpu != UINT32_MAX)
			return perfdata_u64_to(at, sample->cpu);
		memcpy(at, "null", 4);
		at += 4;
	}
	return at;
}

/* Everything of the record but the closing brace. */
static void spell_record(struct record *r)
{
	struct perfdata_text *out = r->s.out;
	const bool wide = r->world->spell.int64_string;
	char *at = perfdata_text_reserve(out, key_room(&r->plan->start, 160));
	if (!at)
		return;
	at = number_member_to(key_to(at, &r->plan->start), "", 0, r->raw->offset, wide);
	if (r->raw->inner != PERFDATA_NO_OFFSET)
		at = NUMBER_MEMBER(at, ",\"inner\":", r->raw->inner, wide);
	at = NUMBER_MEMBER(at, ",\"size\":", r->raw->size, false);
	if (!r->plan->plan)
		at = NUMBER_MEMBER(at, ",\"type_raw\":", r->raw->type, false);
	perfdata_text_commit(out, at);
	if (r->world->name_files)
		spell_head(r, HEAD_FILE, &KEY(",\"file\":"));
	record_spell_misc(r);
	if (r->event)
		perfdata_text_append(out, r->event->member.text, r->event->member.size);
	if (r->raw->flags) {
		spell_head(r, HEAD_EVENT_UNKNOWN, &KEY(",\"event_unknown\":"));
		spell_head(r, HEAD_LATE, &KEY(",\"late\":"));
		spell_head(r, HEAD_AFTER_GAP, &KEY(",\"after_gap\":"));
	}
	at = perfdata_text_reserve(out, 200);
	if (!at)
		return;
	if (r->view.type == PERFDATA_RECORD_SAMPLE) {
		at = sample_numbers_to(r, at, wide);
	} else {
		at = HEAD_NUMBER(r, at, HEAD_TIME, ",\"time\":", wide);
		at = HEAD_NUMBER(r, at, HEAD_PID, ",\"pid\":", false);
		at = HEAD_NUMBER(r, at, HEAD_TID, ",\"tid\":", false);
		at = HEAD_NUMBER(r, at, HEAD_CPU, ",\"cpu\":", false);
	}
	perfdata_text_commit(out, at);

	if (r->plan->plan)
		spell_members(&r->s, r->plan->plan, rows_of(r), &r->view.u);
	if (r->delivery)
		spell_names(r);
	if (r->view.sample_id.present)
		spell_head(r, HEAD_SAMPLE_ID, &KEY(",\"sample_id\":"));
	if (r->view.rest.size)
		spell_head(r, HEAD_REST, &KEY(",\"rest\":"));
	if (r->damaged)
		spell_head(r, HEAD_PROBLEM, &KEY(",\"problem\":"));
	if (r->world->raw)
		spell_head(r, HEAD_RAW_BYTES, &KEY(",\"raw_bytes\":"));
}

/* --- -e ----------------------------------------------------------------------------------------------------------- */

static void spell_trace_field(struct record *r, const struct select_step *step, struct perfdata_bytes raw)
{
	const struct trace_row *row = r->s.trace ? trace_plan_row(r->s.trace, step->trace_name) : NULL;
	if (!row)
		return;
	struct perfdata_text *out = r->s.out;
	const size_t before = out->size;
	perfdata_text_append(out, step->key.text, step->key.size);
	bool valid;
	struct perfdata_bytes text;
	if (!trace_json_value(&r->s, row, raw, &valid, &text)) {
		r->s.trace_damaged = true;
		out->size = before;
	} else if (!valid) {
		perfdata_text_append(out, step->key.text, step->key.size - 2);
		perfdata_text_literal(out, "_hex\":");
		spell_bytes_string(out, text);
	}
}

static void spell_place_part(struct record *r, const struct select_step *step)
{
	struct perfdata_text *out = r->s.out;
	const struct head_value value = record_head(r, step->head);
	if (value.kind != HEAD_IS_PLACE)
		return;
	struct place place;
	place_load(&r->told, (uint32_t)value.number, PLACE_BIT(step->part), &place);
	if (!place.present)
		return;
	perfdata_text_append(out, step->key.text, step->key.size);
	if (place_json_value(out, &place, step->part, r->world->spell.int64_string))
		return;
	perfdata_text_append(out, step->key.text, step->key.size - 2);
	perfdata_text_literal(out, "_hex\":");
	spell_bytes_string(out, place.text[step->part]);
}

/* Where the text itself is selected, its exact bytes follow it by themselves. */
static bool text_selected(const struct json_state *json, const struct select_step *step)
{
	const size_t size = strlen(step->name) - 4;
	for (size_t i = 0; i < json->selection.nr; i++)
		if (strlen(json->selection.names[i]) == size && !memcmp(json->selection.names[i], step->name, size))
			return true;
	return false;
}

static void spell_step(struct record *r, const struct json_state *json, const struct select_step *step)
{
	const struct perfdata_sample *sample = &r->view.u.sample;
	const void *view;
	switch (step->what) {
	case SELECT_NOTHING: return;
	case SELECT_HEAD: spell_head(r, step->head, &step->key); return;
	case SELECT_FIELDS: case SELECT_FIELD:
		if (!r->s.trace || !sample->raw.data)
			return;
		if (step->what == SELECT_FIELD) {
			spell_trace_field(r, step, sample->raw);
			return;
		}
		perfdata_text_append(r->s.out, step->key.text, step->key.size);
		r->s.trace_damaged |= !trace_json_object(&r->s, r->s.trace, sample->raw);
		return;
	case SELECT_PLACE: spell_place_part(r, step); return;
	case SELECT_ROW: case SELECT_RAW_NUMBER: case SELECT_EXACT_BYTES: case SELECT_TRAILER: break;
	}
	view = selection_view(r, step);
	if (!view)
		return;
	const struct row *row = &step->row;
	if (step->what == SELECT_EXACT_BYTES) {
		const struct perfdata_bytes *text = (const void *)((const char *)view + row->member);
		if (perfdata_utf8_valid(text->data, text->size) || text_selected(json, step))
			return;
		perfdata_text_append(r->s.out, step->key.text, step->key.size);
		spell_bytes_string(r->s.out, *text);
		return;
	}
	if (step->what == SELECT_RAW_NUMBER) {
		perfdata_text_append(r->s.out, step->key.text, step->key.size);
		const uint64_t value = spell_integer(row->kind, (const char *)view + row->member);
		if (row->wide)
			spell_wide(&r->s, value);
		else
			perfdata_text_u64(r->s.out, value);
		return;
	}
	/* What was asked for by name is the raw data itself. */
	const struct trace_plan *trace = r->s.trace;
	r->s.trace = NULL;
	struct perfdata_text *out = r->s.out;
	perfdata_text_append(out, step->key.text, step->key.size);
	if (!spell_value(&r->s, &step->row, view)) {
		perfdata_text_append(out, step->key.text, step->key.size - 2);
		perfdata_text_literal(out, "_hex\":");
		spell_bytes_string(out, *(const struct perfdata_bytes *)(const void *)((const char *)view + step->row.member));
	}
	r->s.trace = trace;
}

static bool spell_selected(struct record *r, const struct json_state *json)
{
	struct record_plan *plan = r->plan;
	if (!plan->selection) {
		struct select_step *steps;
		if (!selection_resolve(&r->cache->extra, &json->selection, plan->plan ? plan->plan->layout : NULL, &steps))
			return false;
		plan->selection = steps;
	}
	const struct select_step *steps = plan->selection;
	const size_t start = r->s.out->size;
	for (size_t i = 0; i < json->selection.nr; i++)
		spell_step(r, json, &steps[i]);
	/* The brace that the caller closes. */
	if (r->s.out->size == start)
		perfdata_text_char(r->s.out, '{');
	else
		r->s.out->data[start] = '{';
	return true;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Where format stands in its batch. */
struct walk {
	const struct json_state *json;
	const struct perfdata_batch *batch;
	const struct told_batch *told;  /* or NULL */
	size_t delivery;                /* see told_delivery */
	size_t stack;                   /* of told->ids */
	bool comma;
};

static void start_line(struct walk *walk, struct perfdata_text *out)
{
	if (walk->json->document && walk->comma)
		perfdata_text_literal(out, ",\n");
	walk->comma = true;
}

static void end_line(const struct walk *walk, struct perfdata_text *out)
{
	if (walk->json->document)
		perfdata_text_char(out, '}');
	else
		perfdata_text_literal(out, "}\n");
}

/* The line of the sample's stack, before its first use. */
static void spell_new_stack(struct walk *walk, struct record *r)
{
	struct perfdata_text *out = r->s.out;
	if (walk->stack == walk->told->nr_ids || walk->told->ids[walk->stack] != r->delivery->stack)
		return;
	start_line(walk, out);
	perfdata_text_literal(out, "{\"type\":\"stack\",\"stack_id\":");
	perfdata_text_u64(out, walk->told->ids[walk->stack++]);
	if (walk->json->stack_file)
		spell_text_member(out, &KEY(",\"file\":"), (struct perfdata_bytes){ (const uint8_t *)walk->json->stack_file,
				  strlen(walk->json->stack_file) });
	perfdata_text_literal(out, ",\"frames\":");
	const struct place_speller places = record_places(r);
	place_json_stack(&places, out, r->delivery->stack, true);
	end_line(walk, out);
}

static void find_delivery(struct walk *walk, struct record *r, const struct perfdata_raw *raw)
{
	r->delivery = raw->type == PERFDATA_RECORD_SAMPLE ? told_delivery(walk->batch, &walk->delivery, raw) : NULL;
	if (walk->json->world.stacks_by_id && r->delivery && r->delivery->stack != PERFDATA_NONE)
		spell_new_stack(walk, r);
}

static enum perfdata_status format(const void *state, const struct perfdata_batch *batch, void *value,
				   struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct json_state *json = state;
	struct walk walk = { .json = json, .batch = batch, .told = value };
	struct record r = { .world = &json->world, .cache = get_cache(scratch), .s = { .out = out }, .batch = batch };
	if (!r.cache)
		return PERFDATA_ENOMEM;
	struct found_batch *found = NULL;
	walk.comma = walk.told && !walk.told->first;
	if (walk.told)
		r.told = (struct told_world){ batch->session, walk.told->known };
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < batch->nr_records; i++) {
		if (batch->nr_deliveries)
			find_delivery(&walk, &r, &batch->records[i]);
		start_line(&walk, out);
		if (!record_load(&r, &batch->records[i], &found)) {
			status = PERFDATA_ENOMEM;
			break;
		}
		if (!json->select) {
			spell_record(&r);
		} else if (!spell_selected(&r, json)) {
			status = PERFDATA_ENOMEM;
			break;
		}
		end_line(&walk, out);
		record_done(&r, &found);
	}
	*ret_part = found;
	return status;
}

/* --- merge and end ------------------------------------------------------------------------------------------------ */

static enum perfdata_status merge(void *state, void *part, struct perfdata_text *out)
{
	const struct json_state *json = state;
	(void)out;
	found_report(part, json->on_finding, json->user);
	return PERFDATA_OK;
}

static void free_part(void *part) { found_report(part, NULL, NULL); }

static enum perfdata_status end(void *state, const struct perfdata_emit_end *what, struct perfdata_text *out)
{
	const struct json_state *json = state;
	struct speller s = { .world = &json->world.spell, .out = out };
	if (json->document)
		perfdata_text_literal(out, "\n],\n\"summary\":");
	summary_spell(&s, what, &json->told);
	perfdata_text_string(out, json->document ? "}\n" : "\n");
	return PERFDATA_OK;
}

const struct perfdata_emitter emitter_ndjson = {
	.abi = PERFDATA_EMITTER_ABI,
	.name = "ndjson",
	.help = "every record with every field, one JSON object per line",
	.needs = PERFDATA_NEED_RECORDS,
	.checks = true,
	.options = options,
	.needs_for = name_options_needs,
	.begin = begin_lines,
	.scan = scan,
	.format = format,
	.merge = merge,
	.end = end,
	.free_value = told_batch_free,
	.free_part = free_part,
	.release = release,
};

const struct perfdata_emitter emitter_json = {
	.abi = PERFDATA_EMITTER_ABI,
	.name = "json",
	.help = "the same objects in one JSON document",
	.needs = PERFDATA_NEED_RECORDS,
	.one_document = true,
	.checks = true,
	.options = options,
	.needs_for = name_options_needs,
	.begin = begin_document,
	.scan = scan,
	.format = format,
	.merge = merge,
	.end = end,
	.free_value = told_batch_free,
	.free_part = free_part,
	.release = release,
};
