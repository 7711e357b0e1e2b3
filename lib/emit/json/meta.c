/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include "emit/spell/feature_json.h"
#include "emit/json/meta.h"
#include "emit/spell/members.h"
#include "schema/schema.h"
#include "schema/trace.h"
#include "reader/reader.h"
#include "text/decimal.h"

/* --- small things ------------------------------------------------------------------------------------------------- */

static void text_member(struct perfdata_text *out, const char *key, const char *value)
{
	const size_t size = strlen(value);
	pd_member_key(out, key, "");
	if (perfdata_text_json_string(out, value, size))
		return;
	pd_member_key(out, key, "_hex");
	pd_spell_bytes_string(out, (struct perfdata_bytes){ (const uint8_t *)value, size });
}

static void recording_member(struct speller *s)
{
	if (s->style->recording)
		text_member(s->out, "recording", s->style->recording);
}

static void wide_member(struct speller *s, const char *key, uint64_t value)
{
	pd_member_key(s->out, key, "");
	pd_spell_wide(s, value);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static const char *name_source(enum perfdata_name_source source)
{
	switch (source) {
	case PERFDATA_NAME_EVENT_DESC: return "event_desc";
	case PERFDATA_NAME_EVENT_UPDATE: return "event_update";
	case PERFDATA_NAME_EVENT_TYPE: return "event_type";
	case PERFDATA_NAME_TRACE: return "tracing_data";
	case PERFDATA_NAME_META_INFO: return "meta_info";
	case PERFDATA_NAME_GENERATED: break;
	}
	return "attr";
}

static const char *trace_type(const struct perfdata_trace_field *field)
{
	switch (field->kind) {
	case PERFDATA_TRACE_UNSIGNED: case PERFDATA_TRACE_SIGNED: return "number";
	case PERFDATA_TRACE_BOOL: return "boolean";
	case PERFDATA_TRACE_POINTER: return "address";
	case PERFDATA_TRACE_STRING: return "string";
	case PERFDATA_TRACE_ARRAY: case PERFDATA_TRACE_BITMASK: return "array";
	case PERFDATA_TRACE_BYTES: break;
	}
	return "hex";
}

static void spell_trace(struct perfdata_text *out, const struct perfdata_trace_event *trace)
{
	perfdata_text_literal(out, ",\"tracepoint\":");
	const size_t start = out->size;
	pd_member_number(out, "id", trace->id, false, false);
	text_member(out, "system", trace->system);
	text_member(out, "name", trace->name);
	perfdata_text_literal(out, ",\"fields\":");
	const size_t fields = out->size;
	for (size_t i = 0; i < trace->nr_fields; i++) {
		const struct perfdata_trace_field *field = &trace->fields[i];
		perfdata_text_char(out, ',');
		const size_t object = out->size;
		text_member(out, "name", field->name);
		text_member(out, "type", field->type);
		text_member(out, "json_type", trace_type(field));
		pd_member_number(out, "offset", field->offset, false, false);
		pd_member_number(out, "size", field->size, false, false);
		pd_member_flag(out, "signed", field->is_signed);
		pd_spell_close(out, object, '{', '}');
	}
	pd_spell_close(out, fields, '[', ']');
	perfdata_text_literal(out, ",\"print\":");
	perfdata_text_json_string(out, trace->print.data, trace->print.size);
	pd_spell_close(out, start, '{', '}');
}

/* Appends an event as in meta: index, name, attr, ids, … */
static void meta_spell_event(struct speller *s, const struct plan *attr, const struct perfdata_event *event)
{
	struct perfdata_text *out = s->out;
	const size_t start = out->size;
	pd_member_number(out, "index", event->index, false, false);
	text_member(out, "name", event->name);
	text_member(out, "name_source", name_source(event->name_source));
	pd_member_number(out, "group_leader", event->group_leader, false, false);
	if (event->unit && *event->unit)
		text_member(out, "unit", event->unit);
	if (event->scale < 1 || event->scale > 1) {
		pd_member_key(out, "scale", "");
		perfdata_text_double(out, event->scale);
	}
	if (event->config->has_attr) {
		pd_member_key(out, "attr", "");
		pd_spell_object(s, attr, event->attr->present, event->attr);
	}
	pd_member_key(out, "ids", "");
	const size_t ids = out->size;
	for (size_t i = 0; i < event->nr_ids; i++) {
		perfdata_text_char(out, ',');
		pd_spell_wide(s, event->ids[i]);
	}
	pd_spell_close(out, ids, '[', ']');
	if (event->trace)
		spell_trace(out, event->trace);
	pd_spell_close(out, start, '{', '}');
}

static void spell_events(struct speller *s, const char *key, uint32_t first_version)
{
	const struct perfdata_reader *reader = s->scope->world->reader;
	struct pd_arena pool = { 0 };
	const struct plan *attr = pd_plan_make(&pool, perfdata_attr_layout(), true);
	if (!attr)
		s->out->failed = true;
	pd_member_key(s->out, key, "");
	const size_t start = s->out->size;
	for (size_t i = 0; attr && i < perfdata_reader_nr_events(reader); i++) {
		const struct perfdata_event *event = perfdata_reader_event(reader, i);
		if (event->version < first_version)
			continue;
		perfdata_text_char(s->out, ',');
		meta_spell_event(s, attr, event);
	}
	pd_spell_close(s->out, start, '[', ']');
	pd_arena_release(&pool);
}

/* --- features ----------------------------------------------------------------------------------------------------- */

/* Only size, version and the like of tracing data: its megabytes of formats are written with their events. */
static void spell_tracing_data(struct speller *s, const struct perfdata_feature_section *section)
{
	struct perfdata_text *out = s->out;
	pd_member_key(out, "tracing_data", "");
	const size_t start = out->size;
	wide_member(s, "size", section->size);
	const struct perfdata_trace *trace = pd_reader_trace(s->scope->world->reader);
	if (trace) {
		struct perfdata_trace_info info;
		pd_trace_info(trace, &info);
		text_member(out, "version", info.version);
		text_member(out, "byte_order", info.order == PERFDATA_BYTE_ORDER_BIG ? "big" : "little");
		pd_member_number(out, "long_size", info.long_size, false, false);
		pd_member_number(out, "page_size", info.page_size, false, false);
		pd_member_number(out, "nr_events", info.nr_events, false, false);
	}
	pd_spell_close(out, start, '{', '}');
}

static bool id_is_emitted(const uint64_t *bits, uint32_t id) { return id < 256 && bits[id / 64] >> id % 64 & 1; }

/* Writes the features that are not in the bit set `before`, and adds them to it. */
static void spell_features(struct speller *s, const char *key, uint64_t *before)
{
	struct perfdata_text *out = s->out;
	pd_member_key(out, key, "");
	const size_t start = out->size;
	const struct perfdata_feature_section *section;
	for (size_t i = 0; (section = perfdata_reader_feature_at(s->scope->world->reader, i)); i++) {
		if (id_is_emitted(before, section->id))
			continue;
		if (section->id < 256)
			before[section->id / 64] |= UINT64_C(1) << section->id % 64;
		if (section->id == PERFDATA_FEATURE_TRACING_DATA)
			spell_tracing_data(s, section);
		else if (section->feature)
			pd_feature_json_member(s, section->id, section->feature);
	}
	pd_spell_close(out, start, '{', '}');
}

/* --- meta --------------------------------------------------------------------------------------------------------- */

static void spell_section(struct speller *s, const char *key, const struct perfdata_section *section)
{
	pd_member_key(s->out, key, "");
	const size_t start = s->out->size;
	wide_member(s, "offset", section->offset);
	wide_member(s, "size", section->size);
	pd_spell_close(s->out, start, '{', '}');
}

static void spell_header(struct speller *s, const struct perfdata_header *header)
{
	struct perfdata_text *out = s->out;
	pd_member_key(out, "header", "");
	const size_t start = out->size;
	pd_member_number(out, "version", header->version, false, false);
	wide_member(s, "header_size", header->header_size);
	if (header->container != PERFDATA_CONTAINER_PIPE) {
		wide_member(s, "attr_size", header->attr_size);
		spell_section(s, "attrs", &header->attrs);
		spell_section(s, "data", &header->data);
		spell_section(s, "event_types", &header->event_types);
	}
	pd_member_key(out, "file_size", "");
	if (header->file_size == UINT64_MAX)
		perfdata_text_literal(out, "null");
	else
		pd_spell_wide(s, header->file_size);
	pd_member_number(out, "files", header->nr_files, false, false);
	pd_spell_close(out, start, '{', '}');
}

static const char *container_name(enum perfdata_container container)
{
	switch (container) {
	case PERFDATA_CONTAINER_PIPE: return "pipe";
	case PERFDATA_CONTAINER_DIRECTORY: return "directory";
	case PERFDATA_CONTAINER_FILE: break;
	}
	return "file";
}

void pd_meta_spell(struct speller *s, const struct perfdata_emit_context *context, struct meta_emitted *ret_emitted)
{
	const struct perfdata_header *header = perfdata_reader_header(context->reader);
	struct perfdata_text *out = s->out;
	perfdata_text_literal(out, "{\"type\":\"meta\",\"schema\":\"" EMIT_SCHEMA "\"");
	recording_member(s);
	text_member(out, "file", header->name);
	text_member(out, "container", container_name(header->container));
	text_member(out, "byte_order", header->order == PERFDATA_BYTE_ORDER_BIG ? "big" : "little");
	text_member(out, "packing", header->packing);
	spell_header(s, header);
	pd_meta_spell_device(s);
	spell_events(s, "events", 0);
	memset(ret_emitted, 0, sizeof *ret_emitted);
	spell_features(s, "features", ret_emitted->features);
	for (size_t i = 0; i < perfdata_reader_nr_events(context->reader); i++) {
		const uint32_t version = perfdata_reader_event(context->reader, i)->version;
		if (version >= ret_emitted->nr_versions)
			ret_emitted->nr_versions = version + 1;
	}
	ret_emitted->pipe = header->container == PERFDATA_CONTAINER_PIPE;
	perfdata_text_char(out, '}');
}

/* --- summary ------------------------------------------------------------------------------------------------------ */

static void spell_types(struct speller *s, const struct perfdata_summary *summary)
{
	struct perfdata_text *out = s->out;
	pd_member_key(out, "types", "");
	const size_t start = out->size;
	for (size_t i = 0; i < summary->nr_types; i++) {
		const struct perfdata_layout *layout = perfdata_record_layout(summary->types[i].type);
		char number[40] = "unknown_";
		*pd_u64_to(number + strlen(number), summary->types[i].type) = '\0';
		wide_member(s, layout ? layout->name : number, summary->types[i].records);
	}
	pd_spell_close(out, start, '{', '}');
}

static void spell_event_counts(struct speller *s, const struct perfdata_summary *summary)
{
	struct perfdata_text *out = s->out;
	pd_member_key(out, "events", "");
	const size_t start = out->size;
	for (size_t i = 0; i < summary->nr_events; i++) {
		const struct perfdata_event_count *count = &summary->events[i];
		perfdata_text_char(out, ',');
		const size_t object = out->size;
		if (count->event) {
			pd_member_number(out, "index", count->event->index, false, false);
			text_member(out, "event", count->event->name);
		} else {
			perfdata_text_literal(out, ",\"index\":null,\"event\":null");
		}
		wide_member(s, "samples", count->samples);
		wide_member(s, "deliveries", count->deliveries);
		pd_spell_close(out, object, '{', '}');
	}
	pd_spell_close(out, start, '[', ']');
}

static void spell_findings(struct speller *s, const struct perfdata_emit_end *end)
{
	struct perfdata_text *out = s->out;
	pd_member_key(out, "findings", "");
	const size_t start = out->size;
	for (size_t i = 0; i < end->nr_findings; i++) {
		perfdata_text_char(out, ',');
		perfdata_text_finding(out, &end->findings[i], s->style->int64_string);
	}
	pd_spell_close(out, start, '[', ']');
	wide_member(s, "findings_total", end->findings_total);
}

static void time_member(struct speller *s, const char *key, uint64_t value)
{
	if (value != UINT64_MAX) {
		wide_member(s, key, value);
		return;
	}
	pd_member_key(s->out, key, "");
	perfdata_text_literal(s->out, "null");
}

void pd_summary_spell(struct speller *s, const struct perfdata_emit_end *end, const struct meta_emitted *before)
{
	const struct perfdata_summary *summary = end->summary;
	struct perfdata_text *out = s->out;
	perfdata_text_literal(out, "{\"type\":\"summary\"");
	recording_member(s);
	wide_member(s, "records", summary->records);
	spell_types(s, summary);
	spell_event_counts(s, summary);
	time_member(s, "first_time", summary->first_time);
	time_member(s, "last_time", summary->last_time);
	wide_member(s, "lost_records", summary->lost_records);
	wide_member(s, "lost_samples", summary->lost_samples);
	wide_member(s, "aux_lost", summary->aux_lost);
	wide_member(s, "late", summary->late);
	wide_member(s, "unknown_ids", summary->unknown_ids);
	wide_member(s, "records_out", summary->records_out);
	if (before->pipe) {
		struct meta_emitted now = *before;
		spell_events(s, "new_events", before->nr_versions);
		spell_features(s, "features", now.features);
	}
	spell_findings(s, end);
	if (end->status)
		text_member(out, "stopped", perfdata_status_text(end->status));
	pd_member_flag(out, "complete", end->complete);
	perfdata_text_char(out, '}');
}
