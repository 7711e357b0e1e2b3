/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <string.h>
#include "base/account.h"
#include "base/cancel.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/paged.h"
#include "emit/timelines/timeline.h"
#include "schema/schema.h"
#include "schema/trace.h"
#include "reader/reader.h"
#include "profile/profile.h"
#include "session/session.h"

struct timeline {
	const struct perfdata_reader *reader;
	const struct perfdata_session *session;
	const struct perfdata_cancel *cancel;
	struct pd_paged rows;            /* struct timeline_row, in the order of the recording */
	struct pd_paged row_threads;     /* uint32_t: the thread of each row */
	struct pd_paged sorted;          /* struct timeline_row, by thread and time */
	uint32_t nr;
	struct timeline_thread *threads;
	size_t nr_threads, threads_room;
	struct pd_hash_map numbers;      /* number of a thread in the session → in the timeline */
	struct pd_hash_map generations;  /* pid << 32 | tid → number of threads that had them */
	struct pd_intern *strings;
	uint64_t *samples;               /* by event */
	size_t samples_room;
};

/* A row of a batch, whose texts are offsets. */
struct part_row {
	struct timeline_row row;
	uint32_t thread;                 /* number in the session */
	int32_t pid, tid;
	uint32_t comm;
};
struct part {
	struct part_row *rows;
	size_t nr, room;
	struct perfdata_text texts;
};

struct timeline *pd_timeline_new(const struct perfdata_reader *reader, const struct perfdata_session *session,
				 struct pd_account *account, const struct perfdata_cancel *cancel)
{
	struct timeline *timeline = pd_calloc(1, sizeof *timeline);
	if (!timeline)
		return NULL;
	timeline->reader = reader;
	timeline->session = session;
	timeline->cancel = cancel;
	pd_paged_init(&timeline->rows, account, PD_USE_PROFILE, sizeof(struct timeline_row));
	pd_paged_init(&timeline->row_threads, account, PD_USE_PROFILE, sizeof(uint32_t));
	pd_paged_init(&timeline->sorted, account, PD_USE_PROFILE, sizeof(struct timeline_row));
	timeline->strings = pd_intern_new();
	if (timeline->strings && pd_intern_put(timeline->strings, "", 0) == 0)
		return timeline;
	pd_timeline_free(timeline);
	return NULL;
}

void pd_timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	pd_paged_release(&timeline->rows);
	pd_paged_release(&timeline->row_threads);
	pd_paged_release(&timeline->sorted);
	pd_free(timeline->threads);
	pd_free(timeline->samples);
	pd_hash_map_release(&timeline->numbers);
	pd_hash_map_release(&timeline->generations);
	pd_intern_free(timeline->strings);
	pd_free(timeline);
}

size_t pd_timeline_nr_threads(const struct timeline *timeline) { return timeline->nr_threads; }
const struct timeline_thread *pd_timeline_thread(const struct timeline *timeline, uint32_t thread)
{
	return &timeline->threads[thread];
}
const char *pd_timeline_string(const struct timeline *timeline, uint32_t string)
{
	return pd_intern_get(timeline->strings, string, NULL);
}

/* --- one batch ---------------------------------------------------------------------------------------------------- */

static bool is_tracepoint(const struct perfdata_event *event)
{
	return event->attr->type == PERFDATA_TYPE_TRACEPOINT;
}

static void put_name(struct part *part, struct timeline_row *row, const char *name)
{
	row->name = (uint32_t)part->texts.size;
	perfdata_text_string(&part->texts, name);
	perfdata_text_append(&part->texts, "", 1);
	row->text = (uint32_t)part->texts.size;
}

static void put_bytes(struct part *part, struct perfdata_bytes bytes)
{
	perfdata_text_append(&part->texts, bytes.data, strnlen((const char *)bytes.data, bytes.size));
}

/* Adds the fields of a tracepoint as perf prints them. */
static void add_tracepoint(const struct timeline *timeline, struct part *part, struct timeline_row *row,
			   const struct perfdata_delivery *delivery)
{
	const struct perfdata_event *event = delivery->event;
	const struct perfdata_trace_context context = { .trace = pd_reader_trace(timeline->reader),
							.order = pd_config_order(event->config) };
	put_name(part, row, event->name);
	if (event->trace)
		(void)pd_trace_print(
			event->trace,
			pd_sample_raw(event->config, delivery->record->bytes, delivery->record->size), &context,
			&part->texts);
}

/* Makes the row of a marker. False: timelines do not show such records. */
static bool add_marker(const struct timeline *timeline, struct part *part, struct timeline_row *row,
		       const struct perfdata_raw *raw)
{
	static const uint32_t shown[] = { PERFDATA_RECORD_MMAP2,   PERFDATA_RECORD_COMM,
					  PERFDATA_RECORD_FORK,    PERFDATA_RECORD_EXIT,
					  PERFDATA_RECORD_LOST,    PERFDATA_RECORD_LOST_SAMPLES,
					  PERFDATA_RECORD_SWITCH,  PERFDATA_RECORD_SWITCH_CPU_WIDE,
					  PERFDATA_RECORD_THROTTLE };
	static const char *const names[] = { "mmap",         "comm",   "fork",   "exit",    "lost records",
					     "lost samples", "switch", "switch", "throttle" };
	struct perfdata_record record;
	size_t i = 0;
	while (i < sizeof shown / sizeof *shown && shown[i] != raw->type)
		i++;
	if (i == sizeof shown / sizeof *shown || perfdata_raw_decode(timeline->reader, raw, &record) != PERFDATA_OK)
		return false;
	put_name(part, row, names[i]);
	switch (raw->type) {
	case PERFDATA_RECORD_MMAP2:
		put_bytes(part, record.u.mmap2.filename);
		break;
	case PERFDATA_RECORD_COMM:
		put_bytes(part, record.u.comm.comm);
		break;
	case PERFDATA_RECORD_FORK:
		perfdata_text_printf(&part->texts, "%" PRId32 "/%" PRId32, record.u.task.pid, record.u.task.tid);
		break;
	case PERFDATA_RECORD_LOST:
		perfdata_text_u64(&part->texts, record.u.lost.lost);
		break;
	case PERFDATA_RECORD_LOST_SAMPLES:
		perfdata_text_u64(&part->texts, record.u.lost_samples.lost);
		break;
	case PERFDATA_RECORD_SWITCH:
	case PERFDATA_RECORD_SWITCH_CPU_WIDE:
		perfdata_text_string(&part->texts, record.misc & PERFDATA_MISC_SWITCH_OUT ? "out" : "in");
		break;
	default:
		break;
	}
	return true;
}

static bool take_delivery(const struct timeline *timeline, struct part *part, const struct perfdata_delivery *delivery)
{
	const struct perfdata_raw *raw = delivery->record;
	const bool is_in_span = delivery->flags & PERFDATA_DELIVERY_IN_SPAN;
	struct part_row *taken;
	if (pd_vector_grow(&part->rows, &part->room, part->nr, sizeof *part->rows) < 0)
		return false;
	taken = &part->rows[part->nr];
	*taken = (struct part_row){
		.thread = delivery->thread, .pid = delivery->pid, .tid = delivery->tid, .comm = delivery->comm
	};
	taken->row = (struct timeline_row){ .time = raw->time, .event = PERFDATA_NONE, .name = PERFDATA_NONE };
	if (delivery->flags & PERFDATA_DELIVERY_SPAN) {
		taken->row.time = delivery->address;
		taken->row.event = delivery->event->index;
		taken->row.node = delivery->node;
		taken->row.weight = delivery->period;
		part->nr++;
	} else if (raw->type != PERFDATA_RECORD_SAMPLE) {
		part->nr += raw->time && raw->time != UINT64_MAX && delivery->flags & PERFDATA_DELIVERY_FIRST &&
			    !is_in_span && add_marker(timeline, part, &taken->row, raw);
	} else if (!(delivery->flags & PERFDATA_DELIVERY_SILENT) && delivery->event &&
		   delivery->node != PERFDATA_NONE) {
		taken->row.event = delivery->event->index;
		taken->row.node = delivery->node;
		taken->row.weight = pd_sample_weight(delivery);
		if (is_tracepoint(delivery->event) && !is_in_span)
			add_tracepoint(timeline, part, &taken->row, delivery);
		part->nr++;
	}
	perfdata_text_append(&part->texts, "", 1);
	return true;
}

/* --- spans -------------------------------------------------------------------------------------------------------- */

static void put_argument(struct perfdata_text *out, uint64_t value)
{
	perfdata_text_printf(out, value < 10 ? "%" PRIx64 : "0x%" PRIx64, value);
}

/* The arguments of a system call without its number: (3, 0x7ffc0010, 0x40), or (fd: 3, buf: 0x7ffc0010, …). */
static void put_arguments(struct perfdata_text *out, const struct pd_span *span)
{
	const struct perfdata_trace_event *trace = span->event->trace;
	const char *comma = "";
	perfdata_text_char(out, '(');
	for (size_t i = trace->nr_common; i < trace->nr_fields; i++) {
		const struct perfdata_trace_field *field = &trace->fields[i];
		struct perfdata_trace_value value;
		if (pd_spans_field_is_name(span->event, field) ||
		    pd_trace_value(field, span->args, pd_config_order(span->event->config), &value) != PERFDATA_OK)
			continue;
		if (value.kind == PERFDATA_TRACE_ARRAY) {
			for (size_t element = 0; element < value.count; element++, comma = ", ") {
				perfdata_text_string(out, comma);
				put_argument(out, pd_trace_element(&value, element));
			}
			continue;
		}
		perfdata_text_printf(out, "%s%s: ", comma, field->name);
		comma = ", ";
		if (value.kind <= PERFDATA_TRACE_POINTER)
			put_argument(out, value.u64);
		else
			(void)pd_trace_print_field(trace, field, span->args,
						   pd_config_order(span->event->config), true, out);
	}
	perfdata_text_char(out, ')');
}

static void put_waker(const struct timeline *timeline, struct perfdata_text *out, const struct pd_span *span)
{
	const uint32_t comm = span->waker_who.comm;
	perfdata_text_printf(out, ", woken by %s (%" PRId32 "/%" PRId32 ")",
			     comm == PERFDATA_NONE ? "" : perfdata_session_comm(timeline->session, comm),
			     span->waker_who.pid, span->waker);
}

static void put_span_text(const struct timeline *timeline, struct perfdata_text *out, const struct pd_span *span)
{
	perfdata_text_string(out, pd_session_span_name(timeline->session, span));
	if (span->kind == PERFDATA_SPAN_SYSCALL && span->event) {
		put_arguments(out, span);
	} else if (span->event) {
		const struct perfdata_trace_context context = { .trace = pd_reader_trace(timeline->reader),
								.order = pd_config_order(span->event->config) };
		perfdata_text_literal(out, ": ");
		(void)pd_trace_print(span->event->trace, span->args, &context, out);
	}
	if (span->has_result)
		perfdata_text_printf(out, " = %" PRId64, span->result);
	if (span->kind == PERFDATA_SPAN_OFF && span->waker > 0)
		put_waker(timeline, out, span);
}

/* A span becomes a marker with a duration; without begin or end, an instant at the time of the record. */
static bool take_span(const struct timeline *timeline, struct part *part, const struct pd_span *span)
{
	static const char *const names[PERFDATA_SPAN_KINDS] = {
		[PERFDATA_SPAN_OFF] = "off-CPU", [PERFDATA_SPAN_SYSCALL] = "system call",
		[PERFDATA_SPAN_LOCK] = "lock", [PERFDATA_SPAN_BLOCK] = "disk", [PERFDATA_SPAN_IRQ] = "interrupt",
		[PERFDATA_SPAN_SOFTIRQ] = "soft interrupt", [PERFDATA_SPAN_GUEST] = "guest",
	};
	const bool whole = pd_span_is_whole(span), has_begin = span->begin != UINT64_MAX;
	const bool is_switch = span->source == PD_SPAN_OF_SWITCH_RECORDS || span->source == PD_SPAN_OF_BOTH;
	/* samples of sched_switch are markers already */
	if (!names[span->kind] || (!whole && span->kind == PERFDATA_SPAN_OFF && !is_switch))
		return true;
	if (pd_vector_grow(&part->rows, &part->room, part->nr, sizeof *part->rows) < 0)
		return false;
	struct part_row *taken = &part->rows[part->nr++];
	*taken = (struct part_row){ .thread = span->who.thread, .pid = span->who.pid, .tid = span->tid,
				    .comm = span->who.comm };
	taken->row = (struct timeline_row){ .time = has_begin ? span->begin : span->end,
					    .weight = whole ? pd_span_duration(span) : 0,
					    .event = PERFDATA_NONE, .node = span->stack.node };
	if (!whole && span->kind == PERFDATA_SPAN_OFF) {
		put_name(part, &taken->row, "switch");
		perfdata_text_string(&part->texts, has_begin ? "out" : "in");
	} else {
		put_name(part, &taken->row, names[span->kind]);
		put_span_text(timeline, &part->texts, span);
	}
	if (!whole && span->kind != PERFDATA_SPAN_OFF)
		perfdata_text_string(&part->texts, has_begin ? ", without an end" : ", without a begin");
	perfdata_text_append(&part->texts, "", 1);
	return true;
}

void pd_timeline_part_free(void *pointer)
{
	struct part *part = pointer;
	if (!part)
		return;
	pd_free(part->rows);
	perfdata_text_release(&part->texts);
	pd_free(part);
}

void *pd_timeline_collect(const struct timeline *timeline, const struct perfdata_batch *batch)
{
	struct part *part = pd_calloc(1, sizeof *part);
	if (!part)
		return NULL;
	perfdata_text_append(&part->texts, "", 1);
	bool ok = true;
	size_t nr_spans;
	const struct pd_span *spans = pd_batch_spans(batch, &nr_spans);
	for (size_t i = 0; ok && i < batch->nr_deliveries; i++)
		ok = take_delivery(timeline, part, &batch->deliveries[i]);
	for (size_t i = 0; ok && i < nr_spans; i++)
		ok = take_span(timeline, part, &spans[i]);
	if (ok && !perfdata_text_failed(&part->texts))
		return part;
	pd_timeline_part_free(part);
	return NULL;
}

/* --- all batches -------------------------------------------------------------------------------------------------- */

static bool find_thread(struct timeline *timeline, const struct part_row *taken, uint32_t *ret)
{
	const uint64_t who = (uint64_t)(uint32_t)taken->pid << 32 | (uint32_t)taken->tid;
	/* records without a thread have no valid number of one */
	const uint64_t key = taken->tid < 0 ? UINT64_MAX : taken->thread;
	uint64_t number, generation = 0;
	if (!pd_hash_map_get(&timeline->numbers, key, &number)) {
		(void)pd_hash_map_get(&timeline->generations, who, &generation);
		number = timeline->nr_threads;
		if (pd_vector_grow(&timeline->threads, &timeline->threads_room, timeline->nr_threads,
				   sizeof *timeline->threads) < 0 ||
		    pd_hash_map_put(&timeline->numbers, key, number) < 0 ||
		    pd_hash_map_put(&timeline->generations, who, generation + 1) < 0)
			return false;
		timeline->threads[timeline->nr_threads++] = (struct timeline_thread){
			taken->pid, taken->tid, taken->comm, (uint32_t)generation, taken->row.time, taken->row.time, 0
		};
	}
	struct timeline_thread *thread = &timeline->threads[number];
	thread->nr_rows++;
	if (taken->comm != PERFDATA_NONE)
		thread->comm = taken->comm;
	if (taken->row.time != UINT64_MAX) {
		thread->first = taken->row.time < thread->first ? taken->row.time : thread->first;
		thread->last = taken->row.time > thread->last || thread->last == UINT64_MAX ? taken->row.time
											    : thread->last;
	}
	*ret = (uint32_t)number;
	return true;
}

static bool intern_string(struct timeline *timeline, const struct part *part, uint32_t *string)
{
	const char *text = part->texts.data + *string;
	*string = pd_intern_put(timeline->strings, text, strlen(text));
	return *string != UINT32_MAX;
}

static enum perfdata_status put_row(struct timeline *timeline, const struct timeline_row *row, uint32_t thread)
{
	if (timeline->nr == UINT32_MAX)
		return PERFDATA_ENOMEM;
	struct timeline_row *to = pd_paged_change(&timeline->rows, timeline->nr);
	uint32_t *of = pd_paged_change(&timeline->row_threads, timeline->nr);
	if (!to || !of)
		return pd_timeline_failed(timeline);
	*to = *row;
	*of = thread;
	timeline->nr++;
	return PERFDATA_OK;
}

static bool is_marker(const struct timeline_row *row) { return row->name != PERFDATA_NONE; }

/* Whether samples are stacks, not markers: tracepoints are only if they weigh time off the CPU. */
static bool is_time(const struct perfdata_event *event) { return event->is_time_off || !is_tracepoint(event); }

/* Samples of a tracepoint are drawn as stacks only if no earlier event has samples: see pd_timeline_samples. */
static bool is_never_shown(const struct timeline *timeline, const struct timeline_row *row)
{
	uint32_t first = 0;
	if (is_marker(row) || row->event == PERFDATA_NONE)
		return false;
	while (!timeline->samples[first])
		first++;
	return first < row->event && !is_time(perfdata_reader_event(timeline->reader, row->event));
}

static enum perfdata_status add_row(struct timeline *timeline, const struct part *part, const struct part_row *taken)
{
	struct timeline_row row = taken->row;
	uint32_t thread;
	if (!find_thread(timeline, taken, &thread) ||
	    (is_marker(&row) &&
	     (!intern_string(timeline, part, &row.name) || !intern_string(timeline, part, &row.text))) ||
	    (row.event != PERFDATA_NONE &&
	     pd_vector_reach(&timeline->samples, &timeline->samples_room, row.event, sizeof *timeline->samples) < 0))
		return PERFDATA_ENOMEM;
	if (row.event != PERFDATA_NONE)
		timeline->samples[row.event]++;
	if (is_never_shown(timeline, &row)) {
		timeline->threads[thread].nr_rows--;
		return PERFDATA_OK;
	}
	return put_row(timeline, &row, thread);
}

enum perfdata_status pd_timeline_add(struct timeline *timeline, void *pointer)
{
	struct part *part = pointer;
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < part->nr && status == PERFDATA_OK; i++)
		status = add_row(timeline, part, &part->rows[i]);
	pd_timeline_part_free(part);
	return status;
}

bool pd_timeline_samples(const struct timeline *timeline, uint32_t event)
{
	bool others = false;
	uint32_t first = UINT32_MAX;
	for (uint32_t i = 0; i < timeline->samples_room && i < perfdata_reader_nr_events(timeline->reader); i++) {
		if (!timeline->samples[i])
			continue;
		others |= is_time(perfdata_reader_event(timeline->reader, i));
		first = first == UINT32_MAX ? i : first;
	}
	return others ? is_time(perfdata_reader_event(timeline->reader, event)) : event == first;
}

/* --- order -------------------------------------------------------------------------------------------------------- */

enum perfdata_status pd_timeline_failed(const struct timeline *timeline)
{
	return pd_cancelled(timeline->cancel) ? PERFDATA_EINTR
	       : timeline->rows.status        ? timeline->rows.status
	       : timeline->row_threads.status ? timeline->row_threads.status
					      : timeline->sorted.status;
}

const struct timeline_row *pd_timeline_row(struct timeline *timeline, size_t row)
{
	static const struct timeline_row none = { .time = UINT64_MAX, .event = PERFDATA_NONE, .name = PERFDATA_NONE };
	const struct timeline_row *found =
		pd_cancelled(timeline->cancel) ? NULL : pd_paged_at(&timeline->sorted, (uint32_t)row);
	return found ? found : &none;
}

static bool copy_row(struct pd_paged *to, uint32_t to_index, struct pd_paged *from, uint32_t from_index)
{
	const struct timeline_row *source = pd_paged_at(from, from_index);
	struct timeline_row *target = source ? pd_paged_change(to, to_index) : NULL;
	if (target)
		*target = *source;
	return target;
}

/* Copies the rows sorted by thread, within a thread in the order of the recording. */
static enum perfdata_status part_threads(struct timeline *timeline)
{
	uint32_t *next = pd_calloc(timeline->nr_threads + 1, sizeof *next);
	bool ok = true;
	if (!next)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < timeline->nr_threads; i++)
		next[i + 1] = next[i] + timeline->threads[i].nr_rows;
	for (uint32_t i = 0; ok && i < timeline->nr; i++) {
		const uint32_t *thread = pd_paged_at(&timeline->row_threads, i);
		ok = thread && !pd_cancelled(timeline->cancel) &&
		     copy_row(&timeline->sorted, next[*thread]++, &timeline->rows, i);
	}
	pd_free(next);
	return ok ? PERFDATA_OK : pd_timeline_failed(timeline);
}

static bool is_in_order(struct timeline *timeline, uint32_t first, uint32_t nr)
{
	uint64_t last = 0;
	for (uint32_t i = first; i < first + nr; i++) {
		const uint64_t time = pd_timeline_row(timeline, i)->time;
		if (time < last)
			return false;
		last = time;
	}
	return true;
}

/* Merges two adjacent sorted ranges. */
static bool merge_ranges(struct timeline *timeline, uint32_t first, uint32_t middle, uint32_t end)
{
	struct pd_paged *sorted = &timeline->sorted, *left = &timeline->rows;
	bool ok = true;
	for (uint32_t i = first; ok && i < middle; i++)
		ok = copy_row(left, i, sorted, i);
	uint32_t a = first, b = middle;
	for (uint32_t i = first; ok && a < middle; i++) {
		const struct timeline_row *of_left = pd_paged_at(left, a);
		const bool is_left = b == end || !of_left || of_left->time <= pd_timeline_row(timeline, b)->time;
		ok = is_left ? copy_row(sorted, i, left, a++) : copy_row(sorted, i, sorted, b++);
		ok &= !pd_cancelled(timeline->cancel);
	}
	return ok;
}

/* Sorts the rows of a thread by time. Most are in order already, except late rows and recordings read in the order of
 * the file. Merging reuses the memory of the unsorted copies. */
static bool sort_thread(struct timeline *timeline, uint32_t first, uint32_t nr)
{
	const uint32_t half = nr / 2;
	if (nr < 2 || is_in_order(timeline, first, nr))
		return true;
	return sort_thread(timeline, first, half) && sort_thread(timeline, first + half, nr - half) &&
	       merge_ranges(timeline, first, first + half, first + nr);
}

enum perfdata_status pd_timeline_sort(struct timeline *timeline)
{
	enum perfdata_status status = part_threads(timeline);
	uint32_t at = 0;
	pd_paged_release(&timeline->row_threads);
	for (size_t i = 0; i < timeline->nr_threads && status == PERFDATA_OK; i++) {
		if (!sort_thread(timeline, at, timeline->threads[i].nr_rows))
			status = pd_timeline_failed(timeline);
		at += timeline->threads[i].nr_rows;
	}
	pd_paged_release(&timeline->rows);
	return status;
}

enum perfdata_status pd_timeline_leave_out(struct timeline *timeline, const struct pd_profile *profile)
{
	for (uint32_t i = 0; i < timeline->nr; i++) {
		const struct timeline_row *row = pd_paged_at(&timeline->sorted, i);
		if (row && (row->event == PERFDATA_NONE || pd_profile_has_node(profile, row->node)))
			continue;
		struct timeline_row *change = row ? pd_paged_change(&timeline->sorted, i) : NULL;
		if (!change)
			return pd_timeline_failed(timeline);
		change->event = change->name = PERFDATA_NONE;
	}
	return PERFDATA_OK;
}
