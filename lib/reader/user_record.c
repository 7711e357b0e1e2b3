/* SPDX-License-Identifier: MIT */
/* The facts that the reader takes from perf's own records: events and their names, features, tracing data, and payloads
 * that follow records. */
#include "config.h"
#include "base/checked.h"
#include "base/memory.h"
#include "reader/reader_impl.h"

#define MAX_PAYLOAD (1ull << 40)     /* of a record; a larger size is damage, also in a stream of unknown length */

static enum perfdata_status take_attr(struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	struct perfdata_attr attr;
	size_t size;

	/* a file has its attrs in its table */
	if (reader->has_attr_table || raw->size <= 8)
		return PERFDATA_OK;
	if (perfdata_attr_decode(raw->bytes + 8, raw->size - 8u, reader->header.order, &attr, &size) != PERFDATA_OK ||
	    size > raw->size - 8u)
		size = raw->size - 8u;
	const struct perfdata_bytes bytes = { raw->bytes + 8, size };
	const struct perfdata_bytes ids = { raw->bytes + 8 + size, raw->size - 8u - size };
	return pd_event_add(reader, bytes, ids, raw->offset);
}

static enum perfdata_status take_event_type(struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	if (raw->size <= 16)
		return PERFDATA_OK;
	const char *name = (const char *)raw->bytes + 16;
	return pd_events_take_type(reader, pd_load64(raw->bytes + 8, reader->config.swap), name,
				   strnlen(name, raw->size - 16u));
}

static enum perfdata_status take_cpus(struct perfdata_reader *reader, struct perfdata_event *event,
				      const struct perfdata_cpus *cpus)
{
	event->own_cpus = *cpus;
	event->own_cpus.data.data = (const uint8_t *)pd_arena_copy(&reader->arena, cpus->data.data, cpus->data.size);
	event->has_own_cpus = event->own_cpus.data.data != NULL;
	return event->has_own_cpus ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static enum perfdata_status take_event_update(struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	struct perfdata_record record;

	if (perfdata_decode(&reader->config, raw->bytes, raw->size, &record) != PERFDATA_OK)
		return PERFDATA_OK;
	const struct perfdata_event_update *update = &record.u.event_update;
	const struct perfdata_event *known = perfdata_reader_event_by_id(reader, update->id);
	if (!known || update->type > 3)
		return PERFDATA_OK;
	if (update->type == PERFDATA_EVENT_UPDATE_NAME)
		return pd_event_set_name(reader, known->index, update->name.data, update->name.size,
					 PERFDATA_NAME_EVENT_UPDATE);
	if (!pd_event_may_revise(reader))
		return PERFDATA_OK;
	struct perfdata_event *event = pd_event_revise(reader, known->index);
	if (!event)
		return PERFDATA_ENOMEM;
	if (update->type == 3)
		return take_cpus(reader, event, &update->cpus);
	if (update->type == 1) {
		event->scale = update->scale;
		return PERFDATA_OK;
	}
	const char *unit = pd_arena_copy(&reader->arena, update->unit.data, update->unit.size);
	if (!unit)
		return PERFDATA_ENOMEM;
	event->unit = unit;
	return PERFDATA_OK;
}

static enum perfdata_status take_feature(struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	if (raw->size <= 16)
		return PERFDATA_OK;   /* the record that ends the features */
	const uint64_t id = pd_load64(raw->bytes + 8, reader->config.swap);
	enum perfdata_status status = pd_feature_take(reader, id < UINT32_MAX ? (uint32_t)id : UINT32_MAX,
						      raw->bytes + 16, raw->size - 16u, raw->offset + 16);
	if (status == PERFDATA_OK && id == PERFDATA_FEATURE_EVENT_DESC)
		status = pd_events_take_names(reader);
	if (status == PERFDATA_OK && id == PERFDATA_FEATURE_GROUP_DESC)
		status = pd_events_take_groups(reader);
	return status;
}

/* Whether bytes may be missing because the input was cut: the header of a file states more bytes than there are. A
 * stream has no such header, so the reader believes the size in the record as long as that size is possible. */
static bool is_cut(const struct perfdata_reader *reader, const struct pd_window *window)
{
	const struct perfdata_header *header = &reader->header;
	return !window->is_inner && (header->container == PERFDATA_CONTAINER_PIPE ||
				     header->data.size > window->limit - header->data.offset);
}

/* The bytes that follow the record belong to it: the window passes over them, or returns them, before the next
 * record. */
static void pass_payload(struct pd_window *window, struct perfdata_raw *raw, uint64_t size)
{
	const struct perfdata_reader *reader = window->stream->reader;
	const uint64_t left = window->limit == UINT64_MAX ? UINT64_MAX : window->limit - window->offset;
	const bool wanted = (reader->options.payloads || pd_trace_samples_come(reader)) &&
			    raw->type == PERFDATA_RECORD_AUXTRACE;

	raw->payload = size;
	if (wanted && size > left && size < MAX_PAYLOAD && !reader->drops_cut_payloads && is_cut(reader, window)) {
		pd_reader_finding(window->stream->reader, PERFDATA_FINDING_TRUNCATED, raw->file, raw->offset,
				  "the payload of this record has %llu bytes, of which %llu are there",
				  (unsigned long long)size, (unsigned long long)left);
		raw->payload = size = left;
	}
	if (size <= left && size < MAX_PAYLOAD) {
		window->payload.active = wanted;
		window->payload.left = size;
		window->payload.overlap = 0;
		window->skip = window->payload.active ? 0 : size;
		return;
	}
	/* either the file was cut or the stated size is wrong: search for records */
	pd_search_begin(window, PERFDATA_FINDING_RECORD_SIZE, true,
			"the payload of a record reaches beyond the end of the records");
	raw->payload = left == UINT64_MAX ? 0 : left;
}

/* Collects the `size` bytes after the record. Memory grows with the bytes that are there, not with the stated size. */
static enum perfdata_status collect_bytes(struct pd_window *window, size_t size)
{
	struct pd_stream *stream = window->stream;

	while (stream->collected.used < size && (pd_window_left(window) || pd_window_fill(window))) {
		const size_t used = stream->collected.used, left = pd_window_left(window),
			     step = size - used < left ? size - used : left;
		if (pd_vector_grow(&stream->collected.bytes, &stream->collected.room, used + step, 1) < 0)
			return PERFDATA_ENOMEM;
		memcpy(stream->collected.bytes + used, window->at, step);
		stream->collected.used += step;
		pd_window_move(window, step);
	}
	return stream->collected.used < size && window->waits ? PERFDATA_AGAIN : PERFDATA_OK;
}

/* Takes the formats of tracepoints, and keeps their bytes as a section. Bytes that are no tracing data make no section,
 * since a later record may have the formats. */
static enum perfdata_status take_formats(struct perfdata_reader *reader, struct perfdata_bytes bytes, uint64_t offset)
{
	enum perfdata_status status = pd_features_take_trace(reader, bytes.data, bytes.size, offset);

	if (status == PERFDATA_OK && reader->trace)
		status = pd_feature_take(reader, PERFDATA_FEATURE_TRACING_DATA, bytes.data, bytes.size, offset);
	return status == PERFDATA_OK ? pd_events_take_trace(reader) : status;
}

/* Decodes the collected bytes as the formats of tracepoints; bytes beyond `stated` are padding. */
static enum perfdata_status take_collected(struct perfdata_reader *reader, struct pd_stream *stream,
					   const struct perfdata_raw *raw, uint64_t stated)
{
	const uint64_t offset = stream->collected.offset;
	const size_t there = stream->collected.used, size = there < stated ? there : (size_t)stated;
	uint8_t *bytes = stream->collected.bytes;

	memset(&stream->collected, 0, sizeof stream->collected);
	if (there < raw->payload)
		pd_reader_finding(reader, PERFDATA_FINDING_TRUNCATED, raw->file, offset + there,
				  "the tracing data lacks %llu bytes", (unsigned long long)(raw->payload - there));
	const enum perfdata_status status = take_formats(reader, (struct perfdata_bytes){ bytes, size }, offset);
	pd_free(bytes);
	return status;
}

/* Whether the bytes after a record begin like tracing data. False with window->waits: not known yet. */
static bool begins_tracing_data(struct pd_window *window)
{
	static const uint8_t magic[10] = "\x17\x08\x44tracing";
	return pd_window_need(window, sizeof magic) && !memcmp(window->at, magic, sizeof magic);
}

struct perfdata_bytes pd_reader_inner_trace(const struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	const uint32_t stated = raw->size >= 12 ? pd_load32(raw->bytes + 8, reader->config.swap) : 0;
	const size_t there = raw->size >= 12 ? raw->size - 12u : 0;

	return (struct perfdata_bytes){ raw->bytes + raw->size - there, stated < there ? stated : there };
}

/* Takes the formats of tracepoints from a record of simpleperf. */
static enum perfdata_status take_inner_tracing_data(struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	const struct perfdata_bytes bytes = pd_reader_inner_trace(reader, raw);

	if (reader->trace || !bytes.size)
		return PERFDATA_OK;
	return take_formats(reader, bytes, raw->offset + 12);
}

static enum perfdata_status take_more_ids(struct perfdata_reader *reader, const struct perfdata_raw *raw)
{
	struct perfdata_record record;

	if (perfdata_decode(&reader->config, raw->bytes, raw->size, &record) != PERFDATA_OK)
		return PERFDATA_OK;
	const struct perfdata_list *list = &record.u.event_id.entries;
	for (uint64_t i = 0; i < list->count; i++) {
		struct perfdata_event_id_entry entry;
		perfdata_list_get(list, i, &entry, sizeof entry);
		const enum perfdata_status status = pd_event_add_id(reader, entry.event_index, entry.id);
		if (status != PERFDATA_OK)
			return status;
	}
	return PERFDATA_OK;
}

static enum perfdata_status take_tracing_data(struct perfdata_reader *reader, struct pd_window *window,
					      struct perfdata_raw *raw)
{
	struct pd_stream *stream = window->stream;

	if (raw->size > PD_TRACING_DATA_ALONE)
		return take_inner_tracing_data(reader, raw);
	if (raw->size < 12 || window->is_inner)
		return PERFDATA_OK;
	const uint64_t stated = pd_load32(raw->bytes + 8, reader->config.swap);
	/* the record must stay in place while the bytes after it are fetched */
	pd_reader_hold(reader, raw->chunk);
	window->waits = false;
	if (!stream->collected.used && (!stated || !begins_tracing_data(window))) {
		if (stated && window->waits)
			return PERFDATA_AGAIN;
		if (stated)
			pd_reader_finding(reader, PERFDATA_FINDING_TRACING_DATA, raw->file, raw->offset,
					  "no tracing data follows the record that announces %llu bytes",
					  (unsigned long long)stated);
		return PERFDATA_OK;
	}
	raw->payload = pd_align8(stated);
	if (reader->trace || stated > PD_MAX_BLOB) {
		pass_payload(window, raw, raw->payload);
		return PERFDATA_OK;
	}
	if (!stream->collected.used)
		stream->collected.offset = window->offset;
	const enum perfdata_status status = collect_bytes(window, (size_t)raw->payload);
	return status == PERFDATA_OK ? take_collected(reader, stream, raw, stated) : status;
}

/* Skips the payload of a trace, or returns it in pieces. Where simpleperf compresses records, it also compresses
 * payloads. */
static enum perfdata_status take_auxtrace(struct perfdata_reader *reader, struct pd_window *window,
					  struct perfdata_raw *raw)
{
	struct pd_stream *stream = window->stream;
	const uint64_t stated = pd_load64(raw->bytes + 8, reader->config.swap);
	const uint64_t left = window->limit == UINT64_MAX ? UINT64_MAX : window->limit - raw->offset - raw->size;
	const bool wanted = reader->options.payloads || pd_trace_samples_come(reader);

	if (!wanted || window->is_inner || !stream->unpack.decoder || stated > left || stated > PD_MAX_BLOB ||
	    !pd_reader_is_simpleperf(reader)) {
		pass_payload(window, raw, stated);
		return PERFDATA_OK;
	}
	/* the record must stay in place while the bytes after it are fetched */
	pd_reader_hold(reader, raw->chunk);
	window->waits = false;
	if (!stream->collected.used &&
	    (stated < 4 || !pd_window_need(window, 4) || !pd_frame_begins(window->at, pd_window_left(window)))) {
		if (window->waits)
			return PERFDATA_AGAIN;
		pass_payload(window, raw, stated);
		return PERFDATA_OK;
	}
	enum perfdata_status status = collect_bytes(window, (size_t)stated);
	if (status != PERFDATA_OK)
		return status;
	const struct perfdata_bytes bytes = { stream->collected.bytes, stream->collected.used };
	memset(&stream->collected, 0, sizeof stream->collected);
	status = pd_trace_unpack(window, raw, bytes);
	pd_free((void *)(uintptr_t)bytes.data);
	return status;
}

enum perfdata_status pd_user_record(struct perfdata_reader *reader, struct pd_window *window, struct perfdata_raw *raw)
{
	switch (raw->type) {
	case PERFDATA_RECORD_ATTR:
	case PERFDATA_RECORD_EVENT_TYPE:
	case PERFDATA_RECORD_TRACING_DATA:
	case PERFDATA_RECORD_BUILD_ID:
	case PERFDATA_RECORD_EVENT_UPDATE:
	case PERFDATA_RECORD_FEATURE:
	case PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA:
	case PERFDATA_RECORD_SIMPLEPERF_EVENT_ID:
		pd_ahead_settle(reader->ahead);
		break;
	default:
		break;
	}
	switch (raw->type) {
	case PERFDATA_RECORD_FINISHED_INIT:
	case PERFDATA_RECORD_FINISHED_ROUND:
		/* the features of a stream, which name the machine, came before these records */
		if (reader->header.container == PERFDATA_CONTAINER_PIPE && !reader->arch_noted)
			pd_arch_note(reader);
		reader->arch_noted = true;
		return PERFDATA_OK;
	case PERFDATA_RECORD_ATTR:
		return take_attr(reader, raw);
	case PERFDATA_RECORD_EVENT_TYPE:
		return take_event_type(reader, raw);
	case PERFDATA_RECORD_TRACING_DATA:
		return take_tracing_data(reader, window, raw);
	case PERFDATA_RECORD_BUILD_ID:
		return pd_build_id_take(reader, raw);
	case PERFDATA_RECORD_EVENT_UPDATE:
		return take_event_update(reader, raw);
	case PERFDATA_RECORD_FEATURE:
		return take_feature(reader, raw);
	case PERFDATA_RECORD_AUXTRACE:
		if (raw->size >= 16)
			return take_auxtrace(reader, window, raw);
		return PERFDATA_OK;
	case PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA:
		return take_inner_tracing_data(reader, raw);
	case PERFDATA_RECORD_SIMPLEPERF_EVENT_ID:
		return take_more_ids(reader, raw);
	case PERFDATA_RECORD_COMPRESSED:
	case PERFDATA_RECORD_COMPRESSED2:
		return window->is_inner ? PERFDATA_OK : pd_unpack_begin(window->stream, raw);
	default:
		return PERFDATA_OK;
	}
}
