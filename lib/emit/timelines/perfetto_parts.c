/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/timelines/perfetto_events.h"
#include "emit/timelines/perfetto_parts.h"
#include "emit/stacks/protobuf.h"
#include "emit/stacks/stack_text.h"
#include "schema/schema.h"
#include "schema/trace.h"
#include "reader/reader.h"
#include "profile/profile.h"
#include "session/session.h"

enum { TRACE_PACKET = 1 };
enum { STATE_RUNNABLE = 2, STATE_RUNNING = 3, STATE_SLEEPING = 4 };
enum { TRACK_EVENT_ANNOTATION = 4, TRACK_EVENT_TYPE = 9, TRACK_EVENT_NAME = 23 };
enum { TYPE_SLICE_BEGIN = 1, TYPE_INSTANT = 3 };
enum { ANNOTATION_UINT = 3, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10 };

void pd_perfetto_packet(struct perfdata_text *out, uint32_t sequence, uint64_t time, unsigned field,
			const struct perfdata_text *message)
{
	struct perfdata_text packet;
	perfdata_text_init(&packet);
	if (time != UINT64_MAX)
		pd_protobuf_present(&packet, PACKET_TIMESTAMP, time);
	pd_protobuf_number(&packet, PACKET_SEQUENCE, sequence);
	pd_protobuf_message(&packet, field, message);
	pd_protobuf_message(out, TRACE_PACKET, &packet);
	perfdata_text_release(&packet);
}

/* Writes a string field, converted to UTF-8. */
static void put_name(struct perfdata_text *out, unsigned field, const void *bytes, size_t size,
		     struct perfdata_text *room)
{
	perfdata_text_clear(room);
	perfdata_text_append(room, bytes, strnlen(bytes, size));
	perfdata_text_char(room, '\0');
	/* U+FFFD has three bytes; reserving them keeps the text from moving while it is read */
	const size_t start = room->size;
	if (perfdata_text_reserve(room, 3 * start))
		pd_stack_text_utf8(room, room->data);
	if (!perfdata_text_failed(room))
		pd_protobuf_bytes(out, field, room->data + start, room->size - start);
	out->failed |= perfdata_text_failed(room);
}

/* --- tracepoints -------------------------------------------------------------------------------------------------- */

enum {
	GENERIC_EVENT = 327,
	GENERIC_NAME = 1,
	GENERIC_FIELD = 2,
	FIELD_NAME = 1,
	FIELD_STRING = 3,
	FIELD_INT = 4,
	FIELD_UINT = 5
};

/* Omits a value whose type differs from the message's field, since kernels change types. */
static void put_known(struct perfdata_text *out, const struct perfetto_event *known,
		      const struct perfdata_trace_event *event, struct perfdata_bytes raw,
		      enum perfdata_byte_order order, struct perfdata_text *room)
{
	for (const struct perfetto_field *into = known->fields; *into->name; into++) {
		const struct perfdata_trace_field *field = pd_trace_field_named(event, into->name);
		struct perfdata_trace_value value;
		if (!field || pd_trace_value(field, raw, order, &value) != PERFDATA_OK)
			continue;
		switch (value.kind) {
		case PERFDATA_TRACE_UNSIGNED:
		case PERFDATA_TRACE_SIGNED:
		case PERFDATA_TRACE_BOOL:
		case PERFDATA_TRACE_POINTER:
			if (into->type == PERFETTO_NUMBER)
				pd_protobuf_present(out, into->number, value.u64);
			break;
		case PERFDATA_TRACE_STRING:
			if (into->type == PERFETTO_TEXT)
				put_name(out, into->number, value.bytes.data, value.bytes.size, room);
			break;
		case PERFDATA_TRACE_ARRAY:
			for (size_t i = 0; i < value.count && into->type == PERFETTO_NUMBERS; i++)
				pd_protobuf_present(out, into->number, pd_trace_element(&value, i));
			break;
		default:
			break;
		}
	}
}

static void put_field(struct perfdata_text *out, const struct perfdata_trace_event *event,
		      const struct perfdata_trace_field *field, struct perfdata_bytes raw,
		      enum perfdata_byte_order order, struct perfdata_text *room)
{
	struct perfdata_trace_value value;
	struct perfdata_text message;
	if (pd_trace_value(field, raw, order, &value) != PERFDATA_OK)
		return;
	perfdata_text_init(&message);
	put_name(&message, FIELD_NAME, field->name, strlen(field->name), room);
	switch (value.kind) {
	case PERFDATA_TRACE_UNSIGNED:
	case PERFDATA_TRACE_BOOL:
	case PERFDATA_TRACE_POINTER:
		pd_protobuf_present(&message, FIELD_UINT, value.u64);
		break;
	case PERFDATA_TRACE_SIGNED:
		pd_protobuf_present(&message, FIELD_INT, value.u64);
		break;
	case PERFDATA_TRACE_STRING:
		put_name(&message, FIELD_STRING, value.bytes.data, value.bytes.size, room);
		break;
	case PERFDATA_TRACE_ARRAY:
	case PERFDATA_TRACE_BITMASK:
	case PERFDATA_TRACE_BYTES: {
		struct perfdata_text text;
		perfdata_text_init(&text);
		(void)pd_trace_print_field(event, field, raw, order, true, &text);
		put_name(&message, FIELD_STRING, text.size ? text.data : "", text.size, room);
		message.failed |= perfdata_text_failed(&text);
		perfdata_text_release(&text);
		break;
	}
	}
	pd_protobuf_message(out, GENERIC_FIELD, &message);
	perfdata_text_release(&message);
}

/* Adds an event to the events of its processor. */
static void put_event(struct perfdata_text *bundle, const struct perfdata_delivery *delivery, unsigned number,
		      const struct perfdata_text *fields)
{
	enum { BUNDLE_EVENT = 2, EVENT_TIME = 1, EVENT_THREAD = 2 };
	struct perfdata_text message;
	perfdata_text_init(&message);
	pd_protobuf_present(&message, EVENT_TIME, delivery->record->time);
	pd_protobuf_present(&message, EVENT_THREAD, (uint32_t)(delivery->tid < 0 ? 0 : delivery->tid));
	pd_protobuf_message(&message, number, fields);
	pd_protobuf_message(bundle, BUNDLE_EVENT, &message);
	perfdata_text_release(&message);
}

static void put_tracepoint(struct perfetto_part *part, const struct perfdata_delivery *delivery,
			   struct perfdata_text *room)
{
	enum { BUNDLE_CPU = 1 };
	const struct perfdata_raw *record = delivery->record;
	const struct perfdata_trace_event *event = delivery->event->trace;
	const struct perfdata_bytes raw = pd_sample_raw(delivery->event->config, record->bytes, record->size);
	const enum perfdata_byte_order order = pd_config_order(delivery->event->config);
	const struct perfetto_event *known = pd_perfetto_event(event),
				    *call = part->has_raw_calls ? NULL : pd_perfetto_syscall(event);
	struct perfdata_text fields, bundle;
	perfdata_text_init(&fields);
	perfdata_text_init(&bundle);
	pd_protobuf_present(&bundle, BUNDLE_CPU, record->cpu == UINT32_MAX ? 0 : record->cpu);
	if (call) {
		put_known(&fields, call, event, raw, order, room);
		put_event(&bundle, delivery, call->number, &fields);
		perfdata_text_clear(&fields);
	}
	if (known) {
		put_known(&fields, known, event, raw, order, room);
	} else {
		put_name(&fields, GENERIC_NAME, event->name, strlen(event->name), room);
		for (size_t i = event->nr_common; i < event->nr_fields; i++)
			put_field(&fields, event, &event->fields[i], raw, order, room);
	}
	put_event(&bundle, delivery, known ? known->number : GENERIC_EVENT, &fields);
	pd_perfetto_packet(&part->bytes, PERFETTO_FTRACE, UINT64_MAX, PACKET_FTRACE_EVENTS, &bundle);
	perfdata_text_release(&fields);
	perfdata_text_release(&bundle);
}

/* --- other records ------------------------------------------------------------------------------------------------ */

static void begin_instant(struct perfdata_text *out, const char *name)
{
	pd_protobuf_present(out, TRACK_EVENT_TYPE, TYPE_INSTANT);
	pd_protobuf_bytes(out, TRACK_EVENT_NAME, name, strlen(name));
}
static void write_annotation(struct perfdata_text *out, const char *name, const struct perfdata_bytes *text,
			     uint64_t number, struct perfdata_text *room)
{
	struct perfdata_text message;
	perfdata_text_init(&message);
	pd_protobuf_bytes(&message, ANNOTATION_NAME, name, strlen(name));
	if (text)
		put_name(&message, ANNOTATION_STRING, text->data, text->size, room);
	else
		pd_protobuf_present(&message, ANNOTATION_UINT, number);
	pd_protobuf_message(out, TRACK_EVENT_ANNOTATION, &message);
	perfdata_text_release(&message);
}

/* False: timelines do not show such records. */
static bool put_record(struct perfdata_text *out, struct perfetto_row *row, const struct perfdata_reader *reader,
		       const struct perfdata_raw *raw, struct perfdata_text *room)
{
	struct perfdata_record record;
	row->kind = PERFETTO_INSTANT;
	switch (raw->type) {
	case PERFDATA_RECORD_MMAP2:
	case PERFDATA_RECORD_MMAP:
	case PERFDATA_RECORD_COMM:
	case PERFDATA_RECORD_FORK:
	case PERFDATA_RECORD_EXIT:
	case PERFDATA_RECORD_LOST:
	case PERFDATA_RECORD_LOST_SAMPLES:
	case PERFDATA_RECORD_THROTTLE:
	case PERFDATA_RECORD_UNTHROTTLE:
	case PERFDATA_RECORD_SWITCH:
	case PERFDATA_RECORD_SWITCH_CPU_WIDE:
		break;
	default:
		return false;
	}
	if (perfdata_raw_decode(reader, raw, &record) != PERFDATA_OK)
		return false;
	switch (raw->type) {
	case PERFDATA_RECORD_MMAP2:
		begin_instant(out, "mmap");
		write_annotation(out, "file", &record.u.mmap2.filename, 0, room);
		write_annotation(out, "size", NULL, record.u.mmap2.len, room);
		break;
	case PERFDATA_RECORD_MMAP:
		begin_instant(out, "mmap");
		write_annotation(out, "file", &record.u.mmap.filename, 0, room);
		write_annotation(out, "size", NULL, record.u.mmap.len, room);
		break;
	case PERFDATA_RECORD_COMM:
		begin_instant(out, record.misc & PERFDATA_MISC_COMM_EXEC ? "exec" : "comm");
		write_annotation(out, "comm", &record.u.comm.comm, 0, room);
		break;
	case PERFDATA_RECORD_FORK:
	case PERFDATA_RECORD_EXIT:
		begin_instant(out, raw->type == PERFDATA_RECORD_FORK ? "fork" : "exit");
		write_annotation(out, "pid", NULL, (uint32_t)record.u.task.pid, room);
		write_annotation(out, "tid", NULL, (uint32_t)record.u.task.tid, room);
		break;
	case PERFDATA_RECORD_LOST:
		begin_instant(out, "lost records");
		write_annotation(out, "lost", NULL, record.u.lost.lost, room);
		break;
	case PERFDATA_RECORD_LOST_SAMPLES:
		begin_instant(out, "lost samples");
		write_annotation(out, "lost", NULL, record.u.lost_samples.lost, room);
		break;
	case PERFDATA_RECORD_THROTTLE:
	case PERFDATA_RECORD_UNTHROTTLE:
		begin_instant(out, raw->type == PERFDATA_RECORD_THROTTLE ? "throttle" : "unthrottle");
		break;
	default:
		row->kind = PERFETTO_STATE;
		row->state = !(record.misc & PERFDATA_MISC_SWITCH_OUT) ? STATE_RUNNING :
			     record.misc & PERFDATA_MISC_SWITCH_OUT_PREEMPT ? STATE_RUNNABLE : STATE_SLEEPING;
		break;
	}
	return true;
}

/* --- a batch ------------------------------------------------------------------------------------------------------ */

static struct perfetto_row *add_row(struct perfetto_part *part, const struct perfdata_delivery *delivery)
{
	if (pd_vector_grow(&part->rows, &part->room, part->nr, sizeof *part->rows) < 0)
		return NULL;
	struct perfetto_row *row = &part->rows[part->nr++];
	*row = (struct perfetto_row){ .time = delivery->record->time,
				      .bytes = part->bytes.size,
				      .pid = delivery->pid,
				      .tid = delivery->tid,
				      .thread = delivery->thread,
				      .comm = delivery->comm,
				      .cpu = delivery->record->cpu };
	return row;
}

static bool add_part_step(struct perfetto_part *part, const struct perfdata_step *step)
{
	if (pd_vector_grow(&part->steps, &part->steps_room, part->nr_steps, sizeof *part->steps) < 0)
		return false;
	part->steps[part->nr_steps++] = *step;
	return true;
}

/* Copies the stack as profiles count it, unless an earlier row of the event in this batch has it: ids of stacks are per
 * event. */
static bool take_stack(struct perfetto_part *part, struct perfetto_row *row, const struct perfdata_batch *batch,
		       const struct perfdata_delivery *delivery, struct pd_hash_map *seen)
{
	const uint64_t key = (uint64_t)row->event << 32 | row->node;
	uint64_t known;
	size_t nr;
	const struct perfdata_step *steps = perfdata_batch_stack(batch, delivery, &nr);
	const unsigned cpumode = delivery->record->misc & PERFDATA_CPUMODE_MASK;
	struct perfdata_step own = { .ip = delivery->address, .frame = delivery->ip, .cpumode = (uint16_t)cpumode };
	if (!row->node || pd_hash_map_get(seen, key, &known))
		return true;
	row->steps = (uint32_t)part->nr_steps;
	if (!nr)
		own.origin = PD_ORIGIN_ALONE;
	if (!nr || pd_steps_lack_leaf(steps, cpumode, delivery->address)) {
		if (!add_part_step(part, &own))
			return false;
		if (nr && steps->ip == delivery->address) {
			steps++;
			nr--;
		}
	}
	for (size_t i = 0; i < nr; i++)
		if (!add_part_step(part, &steps[i]))
			return false;
	row->nr_steps = (uint32_t)part->nr_steps - row->steps;
	return pd_hash_map_put(seen, key, 1) == 0;
}

bool pd_perfetto_has_event(const struct perfdata_reader *reader, const char *system, const char *name)
{
	for (uint32_t i = 0; i < perfdata_reader_nr_events(reader); i++) {
		const struct perfdata_trace_event *trace = perfdata_reader_event(reader, i)->trace;
		if (trace && !strcmp(trace->system, system) && !strcmp(trace->name, name))
			return true;
	}
	return false;
}

enum perfetto_switches pd_perfetto_switches(const struct perfdata_reader *reader)
{
	const struct perfdata_bytes traced = pd_reader_meta(reader, "trace_offcpu");
	const struct perfdata_event *event = perfdata_reader_event(reader, 0);
	if (traced.size != 4 || memcmp(traced.data, "true", 4) != 0 || !event)
		return PERFETTO_SWITCHES_ARE_EVENTS;
	return perfdata_attr_has(event->attr, PERFDATA_ATTR_CONTEXT_SWITCH) ? PERFETTO_SWITCHES_ARE_RECORDS
									    : PERFETTO_SWITCHES_ARE_SAMPLES;
}

static bool is_switch(const struct perfdata_trace_event *event)
{
	return !strcmp(event->system, "sched") && !strcmp(event->name, "sched_switch");
}

/* The state of a thread after its sample: after a switch, its fields say whether the thread is runnable. */
static uint8_t state_from(const struct perfdata_delivery *delivery)
{
	enum { WAITS = 0xff };
	const struct perfdata_trace_event *trace = delivery->event->trace;
	const struct perfdata_config *config = delivery->event->config;
	struct perfdata_trace_value value;
	if (!trace || !is_switch(trace))
		return STATE_RUNNING;
	const struct perfdata_trace_field *field = pd_trace_field_named(trace, "prev_state");
	const struct perfdata_bytes raw = pd_sample_raw(config, delivery->record->bytes, delivery->record->size);
	return field && pd_trace_value(field, raw, pd_config_order(config), &value) == PERFDATA_OK &&
			       !(value.u64 & WAITS)
		       ? STATE_RUNNABLE
		       : STATE_SLEEPING;
}

/* Adds a tracepoint as an event with fields. Samples of other events, and tracepoints with stacks, are samples too. */
static bool take_sample(struct perfetto_part *part, const struct perfdata_batch *batch,
			const struct perfdata_delivery *delivery, struct pd_hash_map *seen, struct perfdata_text *room)
{
	const struct perfdata_event *event = delivery->event;
	struct perfetto_row *row;
	if (delivery->flags & PERFDATA_DELIVERY_SILENT || !event)
		return true;
	if (event->trace && delivery->record->time != UINT64_MAX &&
	    !(part->switches && is_switch(event->trace))) {
		if (!(row = add_row(part, delivery)))
			return false;
		put_tracepoint(part, delivery, room);
		row->nr_bytes = part->bytes.size - row->bytes;
	}
	if (part->switches == PERFETTO_SWITCHES_ARE_SAMPLES && delivery->record->time != UINT64_MAX) {
		if (!(row = add_row(part, delivery)))
			return false;
		row->kind = PERFETTO_STATE;
		row->state = state_from(delivery);
	}
	if (event->attr->type == PERFDATA_TYPE_TRACEPOINT && !delivery->node)
		return true;
	if (!(row = add_row(part, delivery)))
		return false;
	row->kind = PERFETTO_SAMPLE;
	row->event = event->index;
	row->node = delivery->node;
	row->weight = pd_sample_weight(delivery);
	row->state = delivery->record->misc & PERFDATA_CPUMODE_MASK;
	return take_stack(part, row, batch, delivery, seen);
}

static bool take_record(struct perfetto_part *part, const struct perfdata_reader *reader,
			const struct perfdata_delivery *delivery, struct perfdata_text *room)
{
	const uint64_t time = delivery->record->time;
	if (!time || time == UINT64_MAX || !(delivery->flags & PERFDATA_DELIVERY_FIRST))
		return true;
	struct perfetto_row *row = add_row(part, delivery);
	if (!row)
		return false;
	if (put_record(&part->bytes, row, reader, delivery->record, room))
		row->nr_bytes = part->bytes.size - row->bytes;
	else
		part->nr--;
	return true;
}

static struct perfetto_row *add_row_of_span(struct perfetto_part *part, const struct pd_span *span,
					    enum perfetto_kind kind)
{
	if (pd_vector_grow(&part->rows, &part->room, part->nr, sizeof *part->rows) < 0)
		return NULL;
	struct perfetto_row *row = &part->rows[part->nr++];
	*row = (struct perfetto_row){ .time = span->begin, .weight = pd_span_duration(span), .bytes = part->bytes.size,
				      .pid = span->who.pid, .tid = span->tid, .thread = span->who.thread,
				      .comm = span->who.comm, .cpu = span->cpu, .kind = (uint8_t)kind };
	return row;
}

/* Adds slices of locks and disk requests. Perfetto itself makes those of system calls and interrupts. */
static bool take_slice(struct perfetto_part *part, const struct perfdata_session *session, const struct pd_span *span,
		       struct perfdata_text *room)
{
	const bool lock = span->kind == PERFDATA_SPAN_LOCK;
	struct perfetto_row *row = add_row_of_span(part, span, lock ? PERFETTO_SLICE : PERFETTO_REQUEST);
	if (!row)
		return false;
	const char *name = pd_session_span_name(session, span), *what = lock ? "lock" : "disk";
	const struct perfdata_bytes text = { (const uint8_t *)name, strlen(name) };
	pd_protobuf_present(&part->bytes, TRACK_EVENT_TYPE, TYPE_SLICE_BEGIN);
	pd_protobuf_bytes(&part->bytes, TRACK_EVENT_NAME, what, strlen(what));
	write_annotation(&part->bytes, lock ? "kind" : "request", &text, 0, room);
	if (span->has_result)
		write_annotation(&part->bytes, "result", NULL, (uint64_t)span->result, room);
	row->nr_bytes = part->bytes.size - row->bytes;
	return true;
}

/* Adds instants of the wakeup and of when the woken thread gets a CPU, which a flow connects. Interrupts wake from the
 * idle thread, which gets none. */
static bool take_wake(struct perfetto_part *part, const struct pd_span *span)
{
	if (span->waker <= 0)
		return true;
	struct perfetto_row *row = add_row_of_span(part, span, PERFETTO_WAKER);
	if (!row)
		return false;
	row->pid = span->waker_who.pid;
	row->tid = span->waker;
	row->thread = span->waker_who.thread;
	row->comm = span->waker_who.comm;
	begin_instant(&part->bytes, "wakes");
	row->nr_bytes = part->bytes.size - row->bytes;
	if (!(row = add_row_of_span(part, span, PERFETTO_WOKEN)))
		return false;
	row->time = span->end;
	row->cpu = span->end_cpu;
	begin_instant(&part->bytes, "woken");
	row->nr_bytes = part->bytes.size - row->bytes;
	return true;
}

static bool take_span(struct perfetto_part *part, const struct perfdata_session *session, const struct pd_span *span,
		      struct perfdata_text *room)
{
	if (!pd_span_is_whole(span))
		return true;
	switch (span->kind) {
	case PERFDATA_SPAN_LOCK:
	case PERFDATA_SPAN_BLOCK: return take_slice(part, session, span, room);
	case PERFDATA_SPAN_RUNQ: return take_wake(part, span);
	default: return true;
	}
}

void pd_perfetto_part_free(void *pointer)
{
	struct perfetto_part *part = pointer;
	if (!part)
		return;
	pd_free(part->rows);
	pd_free(part->steps);
	perfdata_text_release(&part->bytes);
	pd_free(part);
}

struct perfetto_part *pd_perfetto_collect(const struct perfdata_reader *reader, const struct perfdata_batch *batch)
{
	struct perfetto_part *part = pd_calloc(1, sizeof *part);
	struct pd_hash_map seen = { 0 };
	struct perfdata_text room;
	bool ok = part;
	perfdata_text_init(&room);
	if (part) {
		part->switches = pd_perfetto_switches(reader);
		part->has_raw_calls = pd_perfetto_has_event(reader, "raw_syscalls", "sys_enter");
	}
	for (size_t i = 0; ok && i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		ok = delivery->record->type == PERFDATA_RECORD_SAMPLE ? take_sample(part, batch, delivery, &seen, &room)
								      : take_record(part, reader, delivery, &room);
	}
	size_t nr_spans;
	const struct pd_span *spans = pd_batch_spans(batch, &nr_spans);
	for (size_t i = 0; ok && i < nr_spans; i++)
		ok = take_span(part, batch->session, &spans[i], &room);
	pd_hash_map_release(&seen);
	perfdata_text_release(&room);
	if (ok && !perfdata_text_failed(&part->bytes))
		return part;
	pd_perfetto_part_free(part);
	return NULL;
}
