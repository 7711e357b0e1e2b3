/* SPDX-License-Identifier: MIT */
/* Samples that the reader counts but does not return, since their reader needs nothing else of them. */
#include "config.h"
#include "base/memory.h"
#include "reader/reader_impl.h"

static struct pd_passing *passing_of(struct perfdata_reader *reader, const struct perfdata_event *event)
{
	if (!reader->passing) {
		reader->passing = pd_calloc(reader->nr_events, sizeof *reader->passing);
		if (!reader->passing)
			return NULL;
		reader->nr_passing = reader->nr_events;
		for (size_t i = 0; i < reader->nr_passing; i++)
			atomic_init(&reader->passing[i].first_time, UINT64_MAX);
	}
	return &reader->passing[event->index];
}

bool pd_reader_may_pass_over(const struct perfdata_reader *reader)
{
	return reader->has_attr_table && !reader->formats_come;
}

enum perfdata_status pd_reader_pass_over(struct perfdata_reader *reader, const struct perfdata_event *event,
					 const struct perfdata_event *after)
{
	struct pd_passing *passing = passing_of(reader, event);
	if (!passing)
		return PERFDATA_ENOMEM;
	passing->is_allowed = true;
	passing->after = after ? after->index : PD_AFTER_ANY;
	return PERFDATA_OK;
}

static uint64_t value_of(const _Atomic uint64_t *count) { return atomic_load_explicit(count, memory_order_relaxed); }

/* One thread counts and any thread reads, so a sum needs no atomic addition. */
static void set_count(_Atomic uint64_t *count, uint64_t value)
{
	atomic_store_explicit(count, value, memory_order_relaxed);
}

void pd_passing_count(struct pd_passing *passing, const struct perfdata_raw *raw)
{
	set_count(&passing->samples, value_of(&passing->samples) + 1);
	set_count(&passing->bytes, value_of(&passing->bytes) + raw->size);
	if (raw->inner == PERFDATA_NO_OFFSET)
		set_count(&passing->file_bytes, value_of(&passing->file_bytes) + raw->size);
	if (raw->time < value_of(&passing->first_time))
		set_count(&passing->first_time, raw->time);
	if (raw->time > value_of(&passing->last_time))
		set_count(&passing->last_time, raw->time);
}

struct pd_passed pd_reader_take_passed(struct perfdata_reader *reader, size_t event)
{
	if (event >= reader->nr_passing)
		return (struct pd_passed){ 0 };
	struct pd_passing *passing = &reader->passing[event];
	const struct pd_passed ret = { .samples = value_of(&passing->samples) - passing->taken_samples,
				       .bytes = value_of(&passing->bytes) - passing->taken_bytes,
				       .first_time = value_of(&passing->first_time),
				       .last_time = value_of(&passing->last_time) };
	passing->taken_samples += ret.samples;
	passing->taken_bytes += ret.bytes;
	return ret;
}

uint64_t pd_passing_bytes(const struct perfdata_reader *reader)
{
	uint64_t ret = 0;
	for (size_t i = 0; i < reader->nr_passing; i++)
		ret += value_of(&reader->passing[i].file_bytes);
	return ret;
}
