/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "schema/layout.h"
#include "session/session.h"

#define NR_TYPES (sizeof ((struct pd_counts *)0)->types / sizeof(struct perfdata_type_count))

static struct perfdata_type_count *type_slot(struct pd_counts *counts, uint32_t type)
{
	if (type < NR_TYPES)
		return &counts->types[type];
	uint64_t index;
	if (pd_hash_map_get(&counts->other_types, type, &index))
		return &counts->others[index];
	/* a damaged input can have any number of types: beyond 4096, they share the last slot */
	if (counts->nr_others >= 4096)
		return &counts->others[4095];
	if (pd_vector_grow(&counts->others, &counts->others_room, counts->nr_others, sizeof *counts->others) < 0 ||
	    pd_hash_map_put(&counts->other_types, type, counts->nr_others) < 0)
		return NULL;
	counts->others[counts->nr_others] = (struct perfdata_type_count){ .type = type };
	return &counts->others[counts->nr_others++];
}

static struct perfdata_event_count *new_event_slot(struct pd_counts *counts, const struct perfdata_event *event)
{
	while (counts->nr_events <= event->index) {
		if (pd_vector_grow(&counts->events, &counts->events_room, counts->nr_events, sizeof *counts->events) <
		    0)
			return NULL;
		counts->events[counts->nr_events++] = (struct perfdata_event_count){ 0 };
	}
	counts->events[event->index].event = event;   /* the newest version */
	return &counts->events[event->index];
}

static inline struct perfdata_event_count *event_slot(struct pd_counts *counts, const struct perfdata_event *event)
{
	if (!event)
		return &counts->unknown;
	if (event->index < counts->nr_events && counts->events[event->index].event == event)
		return &counts->events[event->index];
	return new_event_slot(counts, event);
}

static void count_aux(struct perfdata_summary *summary, uint64_t flags)
{
	enum { TRUNCATED = 1, PARTIAL = 4, COLLISION = 8 };
	summary->aux_records++;
	summary->aux_truncated += flags & TRUNCATED ? 1 : 0;
	summary->aux_partial += flags & PARTIAL ? 1 : 0;
	summary->aux_collisions += flags & COLLISION ? 1 : 0;
	summary->aux_lost += flags & (TRUNCATED | PARTIAL | COLLISION) ? 1 : 0;
}

/* LOST, LOST_SAMPLES and AUX state losses of the recording; they are rare, so they are decoded whole. */
static void count_loss(struct perfdata_summary *summary, const struct perfdata_raw *raw)
{
	struct perfdata_record record;
	if (!raw->event || perfdata_decode(raw->event->config, raw->bytes, raw->size, &record) != PERFDATA_OK)
		return;
	if (raw->type == PERFDATA_RECORD_LOST)
		summary->lost_records += record.u.lost.lost;
	else if (raw->type == PERFDATA_RECORD_LOST_SAMPLES && !(raw->misc & PERFDATA_MISC_LOST_SAMPLES_BPF))
		summary->lost_samples += record.u.lost_samples.lost;
	else if (raw->type == PERFDATA_RECORD_AUX)
		count_aux(summary, record.u.aux.flags);
}

/* The name of a tracer; NULL: unknown, or too many tracers for a counter each. */
static const char *tracer_name(uint32_t type)
{
	return type < PD_NR_TRACERS ? perfdata_name_of(pd_names_auxtrace_type, type) : NULL;
}

/* Counts a record about traces: buffers belong to the tracer of the last AUXTRACE_INFO. */
static void count_trace(struct pd_counts *counts, const struct perfdata_raw *raw, bool swap)
{
	if (raw->type == PERFDATA_RECORD_AUXTRACE_INFO && raw->size >= 12) {
		const uint32_t type = pd_load32(raw->bytes + 8, swap);
		counts->tracer = tracer_name(type) ? type : 0;
	} else if (raw->type == PERFDATA_RECORD_AUXTRACE) {
		counts->traces[counts->tracer].buffers++;
		counts->traces[counts->tracer].bytes += raw->payload;
	}
}

static void count_flags(struct perfdata_summary *summary, unsigned flags)
{
	summary->late += flags & PERFDATA_RAW_LATE ? 1 : 0;
	summary->unknown_ids += flags & PERFDATA_RAW_UNKNOWN_ID ? 1 : 0;
}

static void count_time(struct perfdata_summary *summary, uint64_t time)
{
	if (time == UINT64_MAX)
		return;
	if (time < summary->first_time)
		summary->first_time = time;
	if (time > summary->last_time || summary->last_time == UINT64_MAX)
		summary->last_time = time;
}

static bool perf_drops(const struct perfdata_raw *raw)
{
	const struct perfdata_layout *layout = raw->type >= PERFDATA_RECORD_USER_FIRST
						       ? perfdata_record_layout(raw->type)
						       : NULL;
	return layout && raw->size < layout->perf_min_size;
}

enum perfdata_status pd_count_record(struct pd_counts *counts, const struct perfdata_raw *raw)
{
	struct perfdata_summary *summary = &counts->summary;
	struct perfdata_type_count *type = type_slot(counts, raw->type);
	if (!type)
		return PERFDATA_ENOMEM;
	type->records++;
	type->bytes += raw->size;
	type->dropped_by_perf += perf_drops(raw) ? 1 : 0;
	summary->records++;
	count_flags(summary, raw->flags);
	if (raw->type == PERFDATA_RECORD_SAMPLE) {
		struct perfdata_event_count *event = event_slot(counts, raw->event);
		if (!event)
			return PERFDATA_ENOMEM;
		event->samples++;
		count_time(summary, raw->time);
	} else if (raw->type == PERFDATA_RECORD_LOST || raw->type == PERFDATA_RECORD_LOST_SAMPLES ||
		   raw->type == PERFDATA_RECORD_AUX) {
		count_loss(summary, raw);
	} else if (raw->type == PERFDATA_RECORD_AUXTRACE || raw->type == PERFDATA_RECORD_AUXTRACE_INFO) {
		count_trace(counts, raw, counts->swap);
	}
	return PERFDATA_OK;
}

/* The first and last time of samples. Adding 1 turns a time that is not recorded into 0, which is never the last. */
struct times {
	uint64_t first, after_last;
};

static inline struct times times_of(const struct perfdata_summary *summary)
{
	return (struct times){ summary->first_time, summary->last_time + 1 };
}

static inline void set_times(struct perfdata_summary *summary, const struct times *times)
{
	summary->first_time = times->first;
	summary->last_time = times->after_last - 1;
}

/* Counts a sample that has one delivery; false without memory. */
static inline bool count_sample(struct pd_counts *counts, const struct perfdata_event *event, uint64_t time,
				struct times *times)
{
	struct perfdata_event_count *slot = event_slot(counts, event);
	if (!slot)
		return false;
	slot->samples++;
	slot->deliveries++;
	times->first = time < times->first ? time : times->first;
	times->after_last = time + 1 > times->after_last ? time + 1 : times->after_last;
	return true;
}

/* Adds to the counts that all samples share. */
static void add_samples(struct pd_counts *counts, uint64_t nr, uint64_t bytes)
{
	struct perfdata_type_count *type = &counts->types[PERFDATA_RECORD_SAMPLE];
	type->records += nr;
	type->bytes += bytes;
	counts->summary.records += nr;
}

enum perfdata_status pd_count_samples(struct pd_counts *counts, const struct perfdata_raw *raws, unsigned nr)
{
	struct perfdata_summary *summary = &counts->summary;
	struct times times = times_of(summary);
	uint64_t bytes = 0;
	for (unsigned i = 0; i < nr; i++) {
		if (!count_sample(counts, raws[i].event, raws[i].time, &times))
			return PERFDATA_ENOMEM;
		bytes += raws[i].size;
		if (raws[i].flags)
			count_flags(summary, raws[i].flags);
	}
	set_times(summary, &times);
	add_samples(counts, nr, bytes);
	return PERFDATA_OK;
}

enum perfdata_status pd_count_summaries(struct pd_counts *counts, const struct pd_sample_summary *summaries,
					unsigned nr, size_t *bytes)
{
	struct perfdata_summary *summary = &counts->summary;
	struct times times = times_of(summary);
	uint64_t sum = 0;
	for (unsigned i = 0; i < nr; i++) {
		if (!count_sample(counts, summaries[i].event, summaries[i].time, &times))
			return PERFDATA_ENOMEM;
		sum += summaries[i].size;
	}
	set_times(summary, &times);
	add_samples(counts, nr, sum);
	summary->records_out += nr;
	summary->samples_out += nr;
	*bytes += (size_t)sum;
	return PERFDATA_OK;
}

enum perfdata_status pd_count_delivery(struct pd_counts *counts, const struct perfdata_event *event)
{
	struct perfdata_event_count *slot = event_slot(counts, event);
	if (!slot)
		return PERFDATA_ENOMEM;
	slot->deliveries++;
	return PERFDATA_OK;
}

static int by_type(const void *a, const void *b)
{
	uint32_t x = ((const struct perfdata_type_count *)a)->type, y = ((const struct perfdata_type_count *)b)->type;
	return (x > y) - (x < y);
}

/* Adds the losses that simpleperf's META_INFO states and no LOST record reports. */
static void add_meta_losses(struct perfdata_session *session)
{
	struct pd_counts *counts = &session->counts;
	struct perfdata_summary *summary = &counts->summary;
	struct pd_meta_losses losses;

	pd_reader_meta_losses(session->reader, &losses);
	const uint64_t by_records = summary->lost_records - counts->meta_only_records;
	counts->meta_only_records = (losses.kernel_records > by_records ? losses.kernel_records - by_records : 0) +
				 losses.user_records;
	summary->lost_records = by_records + counts->meta_only_records;
	summary->lost_samples += losses.user_samples - counts->meta_only_samples;
	counts->meta_only_samples = losses.user_samples;
}

void pd_counts_report_losses(struct perfdata_session *session)
{
	const struct perfdata_summary *summary = &session->counts.summary;
	char message[200];

	add_meta_losses(session);
	if (summary->lost_records || summary->lost_samples) {
		snprintf(message, sizeof message, "lost: %" PRIu64 " records, %" PRIu64 " samples",
			 summary->lost_records, summary->lost_samples);
		pd_reader_tell(session->reader, PERFDATA_FINDING_LOST, message);
	}
	if (summary->aux_lost) {
		snprintf(message, sizeof message,
			 "lost: data of %" PRIu64 " of %" PRIu64 " AUX records (%" PRIu64 " truncated, %" PRIu64
			 " with gaps, %" PRIu64 " with collisions)",
			 summary->aux_lost, summary->aux_records, summary->aux_truncated, summary->aux_partial,
			 summary->aux_collisions);
		pd_reader_tell(session->reader, PERFDATA_FINDING_AUX_LOST, message);
	}
}

/* Adds the samples that the reader passed over since the last call: spans need none of them. */
static enum perfdata_status add_passed(struct perfdata_session *session)
{
	struct pd_counts *counts = &session->counts;
	struct perfdata_summary *summary = &counts->summary;
	const struct pd_passed_sum sum = pd_reader_take_passed_sum(session->reader);
	const struct perfdata_event *event;
	uint64_t all = 0;
	count_time(summary, sum.first_time);
	count_time(summary, sum.last_time);
	for (uint32_t i = 0; (event = perfdata_reader_event(session->reader, i)); i++) {
		const uint64_t nr = pd_reader_take_passed(session->reader, i);
		struct perfdata_event_count *slot = nr ? event_slot(counts, event) : NULL;
		if (!nr)
			continue;
		if (!slot)
			return PERFDATA_ENOMEM;
		slot->samples += nr;
		slot->deliveries += nr;
		all += nr;
	}
	add_samples(counts, all, sum.bytes);
	summary->records_out += all;
	summary->samples_out += all;
	summary->deliveries_out += all;
	return PERFDATA_OK;
}

enum perfdata_status pd_counts_publish(struct perfdata_session *session)
{
	struct pd_counts *counts = &session->counts;
	struct perfdata_summary *summary = &counts->summary;
	size_t nr = 0;

	add_meta_losses(session);
	if (add_passed(session) != PERFDATA_OK)
		return PERFDATA_ENOMEM;
	for (uint32_t type = 0; type < NR_TYPES + counts->nr_others; type++) {
		struct perfdata_type_count *slot = type < NR_TYPES ? &counts->types[type]
								   : &counts->others[type - NR_TYPES];
		if (type < NR_TYPES)
			slot->type = type;
		if (!slot->records)
			continue;
		if (pd_vector_grow(&counts->type_list, &counts->type_list_room, nr, sizeof *slot) < 0)
			return PERFDATA_ENOMEM;
		counts->type_list[nr++] = *slot;
	}
	if (nr)
		qsort(counts->type_list, nr, sizeof *counts->type_list, by_type);
	summary->types = counts->type_list;
	summary->nr_types = nr;

	nr = 0;
	size_t nr_events = perfdata_reader_nr_events(session->reader);
	for (size_t i = 0; i <= nr_events; i++) {
		struct perfdata_event_count slot = { 0 };
		if (i == nr_events)
			slot = counts->unknown;
		else if (i < counts->nr_events)
			slot = counts->events[i];
		if (i < nr_events)
			slot.event = perfdata_reader_event(session->reader, i);
		else if (!slot.samples && !slot.deliveries)
			continue;
		if (pd_vector_grow(&counts->event_list, &counts->event_list_room, nr, sizeof slot) < 0)
			return PERFDATA_ENOMEM;
		counts->event_list[nr++] = slot;
	}
	summary->events = counts->event_list;
	summary->nr_events = nr;
	nr = 0;
	for (uint32_t type = 0; type < PD_NR_TRACERS; type++) {
		if (!counts->traces[type].buffers)
			continue;
		counts->trace_list[nr] = counts->traces[type];
		counts->trace_list[nr].type = type;
		counts->trace_list[nr++].name = tracer_name(type);
	}
	summary->traces = counts->trace_list;
	summary->nr_traces = nr;
	summary->complete = session->end == PERFDATA_END && perfdata_reader_complete(session->reader);
	return PERFDATA_OK;
}

void pd_counts_release(struct pd_counts *counts)
{
	pd_hash_map_release(&counts->other_types);
	pd_free(counts->others);
	pd_free(counts->events);
	pd_free(counts->type_list);
	pd_free(counts->event_list);
}

const struct perfdata_type_count *perfdata_summary_type(const struct perfdata_summary *summary, size_t index)
{
	return &summary->types[index];
}

const struct perfdata_event_count *perfdata_summary_event(const struct perfdata_summary *summary, size_t index)
{
	return &summary->events[index];
}

const struct perfdata_trace_count *perfdata_summary_trace(const struct perfdata_summary *summary, size_t index)
{
	return &summary->traces[index];
}
