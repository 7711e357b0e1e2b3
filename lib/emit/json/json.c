/* SPDX-License-Identifier: MIT */
/* `ndjson` and `json`: every record with every field, as a line each or in one document. */
#include "config.h"
#include <stddef.h>
#include <stdlib.h>
#include "emit/emitters.h"
#include "emit/json/aux_json.h"
#include "emit/json/json_line.h"
#include "emit/json/meta.h"
#include "emit/json/span_json.h"
#include "emit/spell/feature_json.h"
#include "emit/spell/location_json.h"
#include "emit/values/name_options.h"
#include "emit/values/record.h"
#include "text/json_quoted.h"
#include "text/spelling.h"
#include "reader/reader.h"
#include "session/session.h"

struct json_state {
	struct record_world world;
	struct json_style style;
	struct json_members members;
	struct line_kind lines;
	struct meta_emitted emitted;
	perfdata_finding_fn *on_finding;
	void *user;
	/* the options ask for build-ids, stacks, or a document, whose first line has no comma: scan finds these */
	bool names_needed;
	struct emitted names;     /* scan's */
	/* the file in lines of stacks and packets, if several recordings share an output; or NULL */
	const char *stack_file;
	enum aux_lines aux;
	bool aux_named;        /* samples of traces have names */
	const struct perfdata_reader *reader;
	struct pd_aux_carry traces;   /* scan's */
	uint32_t span_kinds;   /* kinds of spans with lines; 0: none */
	struct thread_times *thread_times;   /* scan's; or NULL */
};

/* scan's value for a batch. */
struct json_value {
	struct emitted_batch *emitted;   /* or NULL */
	struct pd_aux_pieces pieces;
};

static const struct perfdata_emitter_option options[] = {
	{ "fields", PERFDATA_OPTION_TEXT, 'e', "LIST", "only these fields, in this order (see `perfdata fields`)" },
	{ "raw", PERFDATA_OPTION_FLAG, 0, NULL, "add the bytes of the record in hex" },
	{ "int64", PERFDATA_OPTION_CHOICE, 0, "number|string",
	  "format of 64-bit numbers; string for JavaScript" },
	{ "aux", PERFDATA_OPTION_CHOICE, 0, "packets|samples",
	  "add lines for traces: packets: each packet and each sampled operation of Arm SPE; samples: sampled "
	  "operations only" },
	{ "spans", PERFDATA_OPTION_FLAG, 0, NULL,
	  "add lines for waits, system calls, locks, disk requests and interrupts, and at the end the times of each "
	  "thread" },
	{ "with-run-spans", PERFDATA_OPTION_FLAG, 0, NULL, "with --spans: add lines for the times that threads were on "
							   "a CPU" },
	NAME_OPTIONS,
	{ 0 },
};
static const struct perfdata_option_rule rules[] = {
	{ .name = "with-run-spans", .needs = "spans" },
	{ 0 },
};

/* --- begin -------------------------------------------------------------------------------------------------------- */

static void release_state(void *state)
{
	struct json_state *json = state;
	if (!json)
		return;
	pd_record_world_release(&json->world);
	pd_emitted_release(&json->names);
	pd_aux_carry_release(&json->traces);
	pd_thread_times_free(json->thread_times);
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
			     json->members.document;
	if (context->shared_output)
		json->style.recording = json->members.recording = context->recording;
	if (context->shared_output)
		json->stack_file = pd_reader_file_name(context->reader, 0);
	json->aux = pd_aux_lines_of(context->options, context->nr_options);
	json->aux_named = pd_aux_lines_named(json->aux, &json->world);
	json->traces.records = json->aux != AUX_NO_LINES;
	json->reader = context->reader;
	json->span_kinds = pd_span_lines_of(context->options, context->nr_options);
	if (json->span_kinds && !(json->thread_times = pd_thread_times_new(context->session)))
		return PERFDATA_ENOMEM;
	json->on_finding = context->on_finding;
	json->user = context->user;
	const char *list = perfdata_option_text(context->options, context->nr_options, "fields");
	for (enum pd_record_head head = 0; head < HEAD_COUNT; head++) {
		json->members.heads[head] = (struct json_head){ head, pd_key_make(&json->world.pool,
									  pd_record_head_info(head)->name, "") };
		if (!json->members.heads[head].key.text)
			return PERFDATA_ENOMEM;
	}
	json->lines = (struct line_kind){ .make = pd_json_line_make,
					  .user = &json->members,
					  .without_chains = json->world.stacks_by_id && !list };
	json->members.select = list != NULL;
	return list ? pd_selection_parse(&json->world.pool, list, &json->members.selection, context->reterr)
		    : PERFDATA_OK;
}

static enum perfdata_status begin_output(const struct perfdata_emit_context *context, void **ret_state,
					 struct perfdata_text *out, bool document)
{
	struct json_state *json = calloc(1, sizeof *json);
	if (!json)
		return PERFDATA_ENOMEM;
	json->members.document = document;
	const enum perfdata_status status = set_up(json, context);
	if (status) {
		release_state(json);
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
	return begin_output(context, ret_state, out, false);
}

static enum perfdata_status begin_document(const struct perfdata_emit_context *context, void **ret_state,
					   struct perfdata_text *out)
{
	return begin_output(context, ret_state, out, true);
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

/* Whether the batch has lines of spans: it may have no records. */
static bool has_spans(const struct json_state *json, const struct perfdata_batch *batch)
{
	size_t nr, found = 0;
	const struct pd_span *spans = pd_batch_spans(batch, &nr);
	for (size_t i = 0; i < nr; i++)
		found += json->span_kinds >> spans[i].kind & 1;
	return found;
}

/* Finds the batch with the first line (which has no comma before it), the ids and build-ids that names depend on, and
 * pieces of traces. */
static enum perfdata_status scan_batch(void *state, const struct perfdata_batch *batch, void **ret_value)
{
	struct json_state *json = state;
	if (json->thread_times && !pd_thread_times_add(json->thread_times, batch))
		return PERFDATA_ENOMEM;
	if (!json->names_needed && json->aux == AUX_NO_LINES)
		return PERFDATA_OK;
	struct json_value *value = calloc(1, sizeof *value);
	if (!value)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = json->names_needed ? pd_emitted_scan(&json->names, batch, &value->emitted)
							 : PERFDATA_OK;
	if (status == PERFDATA_OK && value->emitted && !json->names.any && has_spans(json, batch))
		json->names.any = value->emitted->first = true;
	if (status == PERFDATA_OK && json->aux != AUX_NO_LINES)
		status = scan_traces(json, batch, &value->pieces);
	if (status == PERFDATA_OK)
		*ret_value = value;
	else
		free_value(value);
	return status;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* The position in a batch while it is formatted. */
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
	if (walk->json->members.document && walk->comma)
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
	perfdata_text_string(out, pd_json_line_end(&json->members));
	return true;
}

/* Writes the line of the sample's stack before the first use of the stack. */
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
		pd_json_spell_head(r, HEAD_RECORDING, &walk->json->members.heads[HEAD_RECORDING].key);
	if (walk->json->stack_file)
		pd_json_spell_text(out, &walk->json->members.heads[HEAD_FILE].key,
				  (struct perfdata_bytes){ (const uint8_t *)walk->json->stack_file,
							   strlen(walk->json->stack_file) });
	perfdata_text_literal(out, ",\"frames\":");
	const struct location_speller locations = pd_record_locations(r);
	pd_location_json_stack(&locations, out, walk->batch, r->delivery, true);
	perfdata_text_string(out, pd_json_line_end(&walk->json->members));
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
				  .end = pd_json_line_end(&json->members),
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

/* Writes a sample that was made from a trace: the recording has no such record. */
static void spell_made(struct walk *walk, struct record *r, const struct perfdata_raw *raw)
{
	const struct aux_json how = aux_lines(walk);
	struct pd_spe_row row;
	r->delivery = pd_emitted_delivery(walk->batch, &walk->delivery, raw);
	if (how.named && pd_spe_row_of_sample(raw, &row))
		pd_aux_json_sample(&how, &row, r);
}

static struct span_json span_lines(const struct json_state *json, struct walk *walk)
{
	return (struct span_json){ .kinds = json->span_kinds,
				   .style = &json->style,
				   .end = pd_json_line_end(&json->members),
				   .start = start_line,
				   .user = walk };
}

static enum perfdata_status format_batch(const void *state, const struct perfdata_batch *batch, void *value,
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
	const struct span_json spans = span_lines(json, &walk);
	if (json->span_kinds && status == PERFDATA_OK)
		pd_span_json(&spans, batch, r.cache, out);
	out->failed |= r.failed;
	*ret_part = found;
	return status;
}

/* --- merge and end ------------------------------------------------------------------------------------------------ */

static enum perfdata_status merge_part(void *state, void *part, struct perfdata_text *out)
{
	const struct json_state *json = state;
	(void)out;
	pd_found_report(part, json->on_finding, json->user);
	return PERFDATA_OK;
}

static void free_part(void *part) { pd_found_report(part, NULL, NULL); }

static enum perfdata_status end_output(void *state, const struct perfdata_emit_end *what, struct perfdata_text *out)
{
	const struct json_state *json = state;
	struct value_scope scope = { .world = &json->world.values };
	struct speller s = { .scope = &scope, .style = &json->style, .out = out };
	struct walk walk = { .json = json, .comma = json->names.any };
	const struct span_json spans = span_lines(json, &walk);
	if (json->thread_times)
		pd_thread_times_json(&spans, json->thread_times, out);
	if (json->members.document)
		perfdata_text_literal(out, "\n],\n\"summary\":");
	pd_summary_spell(&s, what, &json->emitted);
	perfdata_text_string(out, json->members.document ? "}\n" : "\n");
	return PERFDATA_OK;
}

static enum perfdata_status configure_session(void *user, struct perfdata_configuration *configuration)
{
	(void)user;
	configuration->needs = pd_name_options_needs(configuration->options, configuration->nr_options,
						     configuration->names);
	pd_aux_lines_configure(configuration);
	configuration->spans = pd_span_lines_need(
		pd_span_lines_of(configuration->options, configuration->nr_options));
	return PERFDATA_OK;
}

const struct perfdata_emitter pd_emitter_ndjson = {
	.name = "ndjson",
	.help = "every record with every field, one JSON object per line",
	.needs = PERFDATA_NEED_RECORDS,
	.mime = "application/x-ndjson",
	.flags = PERFDATA_EMITTER_CHECKS | PERFDATA_EMITTER_MEMORY,
	PD_EMITTER_OF(options),
	.configure = configure_session,
	.option_rules = rules,
	.begin = begin_lines,
	PD_EMITTER_STEPS,
	.free_value = free_value,
};

const struct perfdata_emitter pd_emitter_json = {
	.name = "json",
	.help = "every record with every field, in one JSON document",
	.needs = PERFDATA_NEED_RECORDS,
	.mime = "application/json",
	.flags = PERFDATA_EMITTER_ONE_DOCUMENT | PERFDATA_EMITTER_CHECKS | PERFDATA_EMITTER_MEMORY,
	PD_EMITTER_OF(options),
	.configure = configure_session,
	.option_rules = rules,
	.begin = begin_document,
	PD_EMITTER_STEPS,
	.free_value = free_value,
};
