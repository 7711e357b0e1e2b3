/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/account.h"
#include "base/hash.h"
#include "base/memory.h"
#include "emit/stacks/timeline.h"
#include "profile/profile.h"

struct timeline {
	const struct perfdata_reader *reader;
	const struct perfdata_session *session;
	struct timeline_row *rows;
	size_t nr, room;
	struct pd_account *account;
	size_t accounted;                /* bytes of rows, drawn from the account */
	struct timeline_thread *threads;
	size_t nr_threads, threads_room;
	struct pd_hash_map numbers;      /* the session's number of a thread → the timeline's */
	struct pd_hash_map generations;  /* pid << 32 | tid → how many threads had them */
	struct pd_intern *strings;
	uint64_t *samples;               /* by event */
	size_t samples_room;
};

/* A row as a batch has it: texts are offsets. */
struct part_row {
	struct timeline_row row;
	int32_t pid, tid;
	uint32_t comm;
};
struct part {
	struct part_row *rows;
	size_t nr, room;
	struct perfdata_text texts;
};

struct timeline *pd_timeline_new(const struct perfdata_reader *reader, const struct perfdata_session *session,
				 struct pd_account *account)
{
	struct timeline *timeline = pd_calloc(1, sizeof *timeline);
	if (!timeline)
		return NULL;
	timeline->reader = reader;
	timeline->session = session;
	timeline->account = account;
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
	pd_account_give(timeline->account, PD_USE_PROFILE, timeline->accounted);
	pd_free(timeline->rows);
	pd_free(timeline->threads);
	pd_free(timeline->samples);
	pd_hash_map_release(&timeline->numbers);
	pd_hash_map_release(&timeline->generations);
	pd_intern_free(timeline->strings);
	pd_free(timeline);
}

size_t pd_timeline_nr(const struct timeline *timeline) { return timeline->nr; }
const struct timeline_row *pd_timeline_rows(const struct timeline *timeline) { return timeline->rows; }
size_t pd_timeline_nr_threads(const struct timeline *timeline) { return timeline->nr_threads; }
const struct timeline_thread *pd_timeline_thread(const struct timeline *timeline, uint32_t thread)
{
	return &timeline->threads[thread];
}
uint32_t pd_timeline_nr_strings(const struct timeline *timeline) { return pd_intern_count(timeline->strings); }
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

/* What a tracepoint has recorded, as perf spells it. */
static void tracepoint(const struct timeline *timeline, struct part *part, struct timeline_row *row,
		       const struct perfdata_delivery *delivery)
{
	const struct perfdata_event *event = delivery->event;
	const struct perfdata_trace_context context = { .trace = perfdata_reader_trace(timeline->reader),
							.order = perfdata_config_order(event->config) };
	put_name(part, row, event->name);
	if (event->trace)
		(void)perfdata_trace_print(
			event->trace,
			perfdata_sample_raw(event->config, delivery->record->bytes, delivery->record->size), &context,
			&part->texts);
}

/* Makes the row of a marker. False: a timeline does not show such records. */
static bool marker(const struct timeline *timeline, struct part *part, struct timeline_row *row,
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

static bool take(const struct timeline *timeline, struct part *part, const struct perfdata_delivery *delivery)
{
	const struct perfdata_raw *raw = delivery->record;
	struct part_row *taken;
	if (pd_vector_grow(&part->rows, &part->room, part->nr, sizeof *part->rows) < 0)
		return false;
	taken = &part->rows[part->nr];
	*taken = (struct part_row){ .pid = delivery->pid, .tid = delivery->tid, .comm = delivery->comm };
	taken->row = (struct timeline_row){
		.time = raw->time, .thread = delivery->thread, .event = PERFDATA_NONE, .cpu = raw->cpu
	};
	if (raw->type != PERFDATA_RECORD_SAMPLE) {
		taken->row.kind = TIMELINE_MARKER;
		part->nr += raw->time && raw->time != UINT64_MAX && delivery->flags & PERFDATA_DELIVERY_FIRST &&
			    marker(timeline, part, &taken->row, raw);
	} else if (!(delivery->flags & PERFDATA_DELIVERY_SILENT) && delivery->event &&
		   delivery->node != PERFDATA_NONE) {
		taken->row.event = delivery->event->index;
		taken->row.node = delivery->node;
		taken->row.weight = pd_sample_weight(delivery);
		if (is_tracepoint(delivery->event)) {
			taken->row.kind = TIMELINE_MARKER;
			tracepoint(timeline, part, &taken->row, delivery);
		}
		part->nr++;
	}
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
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		if (!take(timeline, part, &batch->deliveries[i]) || perfdata_text_failed(&part->texts)) {
			pd_timeline_part_free(part);
			return NULL;
		}
	}
	return part;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static bool find_thread(struct timeline *timeline, struct part_row *taken, uint32_t *ret)
{
	const uint64_t who = (uint64_t)(uint32_t)taken->pid << 32 | (uint32_t)taken->tid;
	/* records of no thread have no valid number of a thread */
	const uint64_t key = taken->tid < 0 ? UINT64_MAX : taken->row.thread;
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
			taken->pid, taken->tid, taken->comm, (uint32_t)generation, taken->row.time, taken->row.time
		};
	}
	struct timeline_thread *thread = &timeline->threads[number];
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

static bool intern(struct timeline *timeline, const struct part *part, uint32_t *string)
{
	const char *text = part->texts.data + *string;
	*string = pd_intern_put(timeline->strings, text, strlen(text));
	return *string != UINT32_MAX;
}

enum perfdata_status pd_timeline_add(struct timeline *timeline, void *pointer)
{
	struct part *part = pointer;
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < part->nr && status == PERFDATA_OK; i++) {
		struct timeline_row row = part->rows[i].row;
		const size_t before = timeline->samples_room;
		if (!find_thread(timeline, &part->rows[i], &row.thread) || !intern(timeline, part, &row.name) ||
		    !intern(timeline, part, &row.text) ||
		    pd_vector_grow(&timeline->rows, &timeline->room, timeline->nr, sizeof row) < 0 ||
		    (row.event != PERFDATA_NONE && pd_vector_grow(&timeline->samples, &timeline->samples_room,
								  row.event, sizeof *timeline->samples) < 0)) {
			status = PERFDATA_ENOMEM;
			break;
		}
		if (timeline->samples_room > before)
			memset(timeline->samples + before, 0,
			       (timeline->samples_room - before) * sizeof *timeline->samples);
		if (row.event != PERFDATA_NONE)
			timeline->samples[row.event]++;
		row.number = (uint32_t)timeline->nr;
		timeline->rows[timeline->nr++] = row;
	}
	pd_timeline_part_free(part);
	const size_t size = timeline->room * sizeof *timeline->rows;
	if (size != timeline->accounted)
		pd_account_change(timeline->account, PD_USE_PROFILE, timeline->accounted, size);
	timeline->accounted = size;
	return status;
}

bool pd_timeline_samples(const struct timeline *timeline, uint32_t event)
{
	bool others = false;
	uint32_t first = UINT32_MAX;
	for (uint32_t i = 0; i < timeline->samples_room && i < perfdata_reader_nr_events(timeline->reader); i++) {
		if (!timeline->samples[i])
			continue;
		others |= !is_tracepoint(perfdata_reader_event(timeline->reader, i));
		first = first == UINT32_MAX ? i : first;
	}
	return others ? !is_tracepoint(perfdata_reader_event(timeline->reader, event)) : event == first;
}

static int compare_rows(const void *left, const void *right)
{
	const struct timeline_row *a = left, *b = right;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

void pd_timeline_sort(struct timeline *timeline)
{
	if (timeline->nr)
		qsort(timeline->rows, timeline->nr, sizeof *timeline->rows, compare_rows);
}
