/* SPDX-License-Identifier: MIT */
/* Writes formats of tracepoints as a section, and converts raw data to the other byte order. */
#include "config.h"
#include <stdlib.h>
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "schema/schema.h"
#include "schema/trace.h"
#include "reader/reader.h"
#include "rewrite/tracepoints.h"
#include "write/writing.h"

/* most bytes of padding after the fields, both of the struct and of the record */
#define MOST_PADDING 14u

/* --- formats ----------------------------------------------------------------------------------------------------- */

/* A format and the number of its system. */
struct pd_format {
	uint32_t system;
	size_t place;
	const struct perfdata_trace_event *event;
};

static int by_system(const void *a, const void *b)
{
	const struct pd_format *x = a, *y = b;

	if (x->system != y->system)
		return x->system < y->system ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static enum perfdata_status add_format(struct perfdata_rewriter *rewriter, struct pd_formats *formats,
				       const struct perfdata_trace_event *event)
{
	uint64_t known;

	if (pd_hash_map_get(&formats->ids, event->id, &known)) {
		const struct perfdata_bytes a = event->format, b = formats->items[known].event->format;
		if (a.size == b.size && !memcmp(a.data, b.data, a.size))
			return PERFDATA_OK;
		(void)pd_error(&rewriter->error, PERFDATA_EUNSUP, PERFDATA_NO_OFFSET,
			       "the tracepoints %s:%s and %s:%s have the same number: the recordings are of "
			       "different boots",
			       event->system, event->name, formats->items[known].event->system,
			       formats->items[known].event->name);
		return PERFDATA_EUNSUP;
	}
	const uint32_t system = pd_intern_put(formats->systems, event->system, strlen(event->system));
	if (system == UINT32_MAX ||
	    pd_vector_grow(&formats->items, &formats->room, formats->nr, sizeof *formats->items) < 0 ||
	    pd_hash_map_put(&formats->ids, event->id, formats->nr) < 0)
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	formats->items[formats->nr] = (struct pd_format){ system, formats->nr, event };
	formats->nr++;
	return PERFDATA_OK;
}

enum perfdata_status pd_formats_add(struct perfdata_rewriter *rewriter, struct pd_formats *formats,
				    const struct perfdata_trace *trace)
{
	enum perfdata_status status = PERFDATA_OK;
	struct perfdata_trace_info info;

	if (!trace)
		return status;
	pd_trace_info(trace, &info);
	if (!formats->systems) {
		formats->info = info;
		formats->systems = pd_intern_new();
		if (!formats->systems ||
		    pd_intern_put(formats->systems, "ftrace", strlen("ftrace")) == UINT32_MAX)
			return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	}
	for (size_t i = 0; i < info.nr_events && status == PERFDATA_OK; i++) {
		const struct perfdata_trace_event *event = pd_trace_event_at(trace, i);
		const struct perfdata_trace_event *used = event ? pd_trace_event(trace, event->id) : NULL;
		if (!used)
			status = pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
		else if (used == event)   /* readers use the last one of several formats with one id */
			status = add_format(rewriter, formats, event);
	}
	return status;
}

void pd_formats_release(struct pd_formats *formats)
{
	pd_free(formats->items);
	pd_intern_free(formats->systems);
	pd_hash_map_release(&formats->ids);
}

static void put_sized(struct perfdata_text *out, bool swap, unsigned width, struct perfdata_bytes bytes)
{
	pd_append_int(out, swap, width, bytes.size);
	perfdata_text_bytes(out, bytes);
}

/* Writes formats in the form that schema/trace_data.c reads. */
static void put_formats(const struct perfdata_rewriter *rewriter, const struct pd_formats *formats,
			struct perfdata_text *out)
{
	const struct perfdata_trace_info *info = &formats->info;
	const enum perfdata_byte_order order = pd_rewrite_changes_order(rewriter) ? rewriter->order : info->order;
	const bool swap = pd_order_is_foreign(order);
	const uint8_t order_and_long[2] = { order == PERFDATA_BYTE_ORDER_BIG, (uint8_t)info->long_size };
	const uint32_t nr_systems = pd_intern_count(formats->systems);
	size_t at = 0;

	if (formats->nr)
		qsort(formats->items, formats->nr, sizeof *formats->items, by_system);
	perfdata_text_append(out, "\x17\x08\x44tracing", 10);
	perfdata_text_append(out, info->version, strlen(info->version) + 1);
	perfdata_text_append(out, order_and_long, sizeof order_and_long);
	pd_append_int(out, swap, 4, info->page_size);
	perfdata_text_append(out, "header_page", sizeof "header_page");
	put_sized(out, swap, 8, info->header_page);
	perfdata_text_append(out, "header_event", sizeof "header_event");
	put_sized(out, swap, 8, info->header_event);
	for (uint32_t system = 0; system < nr_systems; system++) {
		size_t end = at;
		while (end < formats->nr && formats->items[end].system == system)
			end++;
		if (system == 1)
			pd_append_int(out, swap, 4, nr_systems - 1);
		if (system)
			perfdata_text_append(out, pd_intern_get(formats->systems, system, NULL),
					     strlen(pd_intern_get(formats->systems, system, NULL)) + 1);
		pd_append_int(out, swap, 4, end - at);
		for (; at < end; at++)
			put_sized(out, swap, 8, formats->items[at].event->format);
	}
	if (nr_systems == 1)
		pd_append_int(out, swap, 4, 0);
	put_sized(out, swap, 4, info->kallsyms);
	put_sized(out, swap, 4, info->printk_formats);
	if (pd_trace_has_comms(info->version))
		put_sized(out, swap, 8, info->saved_cmdlines);
}

enum perfdata_status pd_formats_put_section(struct perfdata_rewriter *rewriter, const struct pd_formats *formats)
{
	struct perfdata_text out;

	if (!formats->systems)
		return PERFDATA_OK;
	perfdata_text_init(&out);
	put_formats(rewriter, formats, &out);
	const enum perfdata_status status =
		perfdata_text_failed(&out) ? pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL)
					   : pd_rewrite_written(rewriter, pd_writer_feature(
										  rewriter->writer,
										  PERFDATA_FEATURE_TRACING_DATA,
										  out.data, out.size));
	perfdata_text_release(&out);
	return status;
}

enum perfdata_status pd_formats_anew(struct perfdata_rewriter *rewriter, struct perfdata_text *out)
{
	struct pd_formats formats = { 0 };
	enum perfdata_status status = pd_formats_add(rewriter, &formats, pd_reader_trace(rewriter->reader));

	if (status == PERFDATA_OK && formats.systems)
		put_formats(rewriter, &formats, out);
	if (rewriter->to_stream)
		pd_rewrite_tell(rewriter, "perf reads raw data of a stream on machines of its byte order only; of a "
					  "file it reads them everywhere");
	pd_formats_release(&formats);
	return status;
}

/* --- raw data ---------------------------------------------------------------------------------------------------- */

/* Returns the size of the integers that a field consists of. 1: no bytes to reverse; 0: unknown. */
static uint32_t unit_of(const struct perfdata_trace_field *field)
{
	switch (field->kind) {
	case PERFDATA_TRACE_STRING: return 1;
	case PERFDATA_TRACE_ARRAY:
	case PERFDATA_TRACE_BITMASK: return field->element_size;
	case PERFDATA_TRACE_BYTES: return field->place == PERFDATA_TRACE_FIXED && field->size <= 1;
	default: return field->size;
	}
}

bool pd_tracepoint_can_byteswap(struct perfdata_rewriter *rewriter, const struct perfdata_event *event)
{
	const struct perfdata_trace_event *trace = event->trace;
	const struct perfdata_trace *all = pd_reader_trace(rewriter->reader);
	struct perfdata_trace_info info;

	if (event->attr->type != PERFDATA_TYPE_TRACEPOINT || !(event->attr->sample_type & PERFDATA_SAMPLE_RAW))
		return true;
	if (!trace || trace->format_problem) {
		(void)pd_error(&rewriter->error, PERFDATA_EUNSUP, PERFDATA_NO_OFFSET,
			       "the byte order of raw data of %.80s cannot be changed: its format is %s", event->name,
			       trace ? "not understood" : "not there");
		return false;
	}
	pd_trace_info(all, &info);
	if (info.order != perfdata_reader_header(rewriter->reader)->order) {
		(void)pd_rewrite_failed(rewriter, PERFDATA_EUNSUP,
					"the formats of tracepoints state another byte order than the recording has");
		return false;
	}
	for (size_t i = 0; i < trace->nr_fields; i++) {
		if (unit_of(&trace->fields[i]))
			continue;
		(void)pd_error(&rewriter->error, PERFDATA_EUNSUP, PERFDATA_NO_OFFSET,
			       "the byte order of raw data of %.80s cannot be changed: its format does not say what "
			       "'%s' consists of",
			       event->name, trace->fields[i].declaration);
		return false;
	}
	return true;
}

static void reverse_bytes(uint8_t *out, const uint8_t *in, size_t size)
{
	for (size_t i = 0; i < size; i++)
		out[i] = in[size - 1 - i];
}

/* Copies a field from `raw` to `out` in the other byte order, and returns its end. Two buffers, since fields may share
 * bytes, which must not be reversed twice. */
static size_t turn_field(const struct perfdata_trace_field *field, struct perfdata_bytes raw,
			 enum perfdata_byte_order order, uint8_t *out)
{
	const uint32_t unit = unit_of(field);
	struct perfdata_trace_value value;

	if ((field->place == PERFDATA_TRACE_DATA_LOC || field->place == PERFDATA_TRACE_REL_LOC) &&
	    pd_range_ok(field->offset, field->size, raw.size))
		reverse_bytes(out + field->offset, raw.data + field->offset, field->size);
	if (pd_trace_value(field, raw, order, &value) != PERFDATA_OK)
		return field->offset + field->size;
	const size_t at = (size_t)(value.bytes.data - raw.data);
	size_t end = at + value.bytes.size;
	for (size_t i = 0; unit > 1 && i + unit <= value.bytes.size; i += unit)
		reverse_bytes(out + at + i, raw.data + at + i, unit);
	if (field->kind == PERFDATA_TRACE_STRING)   /* strings extend to the end of their field, past the NUL */
		end = field->place == PERFDATA_TRACE_REST ? raw.size
		      : field->place == PERFDATA_TRACE_FIXED ? field->offset + field->size
							     : at + pd_load32(raw.data + field->offset,
									      pd_order_is_foreign(order)) /
									    65536;
	return end;
}

enum perfdata_status pd_tracepoint_turn(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					struct perfdata_record *record)
{
	if (record->type != PERFDATA_RECORD_SAMPLE || !raw->event ||
	    raw->event->attr->type != PERFDATA_TYPE_TRACEPOINT || !PERFDATA_HAS(record, sample, raw))
		return PERFDATA_OK;
	struct perfdata_bytes *bytes = &record->u.sample.raw;
	const struct perfdata_trace_event *trace = raw->event->trace;
	if (!pd_tracepoint_can_byteswap(rewriter, raw->event))
		return rewriter->error.status;
	if (!rewriter->turned)
		rewriter->turned = pd_arena_alloc(&rewriter->arena, PD_RECORD_ROOM);
	if (!rewriter->turned)
		return pd_rewrite_failed(rewriter, PERFDATA_ENOMEM, NULL);
	if (bytes->size > PD_RECORD_ROOM)
		return pd_rewrite_failed(rewriter, PERFDATA_ELIMIT, NULL);
	if (bytes->size)
		memcpy(rewriter->turned, bytes->data, bytes->size);
	size_t end = 0;
	for (size_t i = 0; i < trace->nr_fields; i++) {
		const size_t there = turn_field(&trace->fields[i], *bytes,
						perfdata_reader_header(rewriter->reader)->order, rewriter->turned);
		end = there > end ? there : end;
	}
	if (bytes->size > end + MOST_PADDING)
		return pd_error(&rewriter->error, PERFDATA_EUNSUP, PERFDATA_NO_OFFSET,
				"the byte order of raw data of %.80s cannot be changed: after its fields they have "
				"%zu bytes that its format does not describe",
				raw->event->name, bytes->size - end);
	bytes->data = rewriter->turned;
	return PERFDATA_OK;
}
