/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "reader/passed_samples.h"
#include "reader/reader_impl.h"

#define SPARSE 4u                        /* times as many bytes passed over as returned */
#define MOST_GATHERED ((size_t)64 << 10)     /* bytes of records that are copied together */

void pd_passed_gather(struct perfdata_reader *reader, struct perfdata_raw *raws, unsigned nr)
{
	struct pd_passed_samples *passed = reader->passed;
	uint64_t bytes = 0;
	if (!passed || !nr || raws->payload || raws->flags & PERFDATA_RAW_PAYLOAD)
		return;
	for (unsigned i = 0; i < nr; i++) {
		if (raws[i].left_out)
			return;   /* the rest is read into the record's own chunk */
		bytes += raws[i].size;
	}
	passed->recently_returned += bytes;
	const bool is_sparse = passed->recently_passed / SPARSE > passed->recently_returned;
	if (passed->recently_passed + passed->recently_returned >= (uint64_t)(2 * SPARSE) * PD_CHUNK_SIZE) {
		passed->recently_passed /= 2;
		passed->recently_returned /= 2;
	}
	if (!is_sparse || bytes > MOST_GATHERED)
		return;
	if (!passed->gathered || PD_CHUNK_SIZE - passed->gathered->size < bytes) {
		pd_chunk_drop(passed->gathered);
		passed->gathered = pd_chunk_get(reader->pool);
	}
	struct pd_chunk *chunk = passed->gathered;
	for (unsigned i = 0; i < nr && chunk; i++) {
		memcpy(chunk->data + chunk->size, raws[i].bytes, raws[i].size);
		raws[i].bytes = chunk->data + chunk->size;
		raws[i].chunk = chunk;
		chunk->size += raws[i].size;
	}
}

void pd_passed_free(struct pd_passed_samples *passed)
{
	if (!passed)
		return;
	pd_chunk_drop(passed->gathered);
	pd_free(passed);
}

void pd_passed_forget_threads(struct pd_passed_samples *passed)
{
	for (size_t i = 0; passed && i < PD_SEEN_THREADS; i++)
		passed->seen[i].time = UINT64_MAX;
}

static struct pd_passed_samples *make_passed(struct perfdata_reader *reader)
{
	struct pd_passed_samples *passed = pd_calloc(1, sizeof *passed + reader->nr_events * sizeof *passed->events);
	if (!passed)
		return NULL;
	passed->nr_events = reader->nr_events;
	pd_passed_forget_threads(passed);
	for (size_t i = 0; i < passed->nr_events; i++)
		passed->events[i].since = UINT64_MAX;
	atomic_init(&passed->first_time, UINT64_MAX);
	return passed;
}

bool pd_reader_may_pass_over(const struct perfdata_reader *reader)
{
	return reader->has_attr_table && !reader->formats_come;
}

enum perfdata_status pd_reader_pass_over(struct perfdata_reader *reader, const struct perfdata_event *event,
					 const struct perfdata_event *after)
{
	const struct perfdata_config *config = event->config;
	const uint64_t raw = UINT64_C(1) << PD_SAMPLE_RAW_ROW;
	if (!config->has_attr || !config->sample_is_plain || config->sample_rows & ~raw || config->sample_time_at < 0 ||
	    config->sample_tid_at < 0)
		return PERFDATA_OK;      /* the reader returns all its samples */
	if (!reader->passed && !(reader->passed = make_passed(reader)))
		return PERFDATA_ENOMEM;
	reader->passed->events[event->index].layout = (struct pd_passed_layout){
		.end = (uint16_t)(8 + 8 * config->sample_fixed),
		.time_at = (uint16_t)(8 + 8 * config->sample_time_at),
		.tid_at = (uint16_t)(8 + 8 * config->sample_tid_at),
		.cpu_at = config->sample_cpu_at < 0 ? 0 : (uint16_t)(8 + 8 * config->sample_cpu_at),
		.after = after ? after->index : PD_AFTER_NONE,
		.has_raw = config->sample_rows,
	};
	return PERFDATA_OK;
}

static uint64_t value_of(const _Atomic uint64_t *count) { return atomic_load_explicit(count, memory_order_relaxed); }

uint64_t pd_reader_take_passed(struct perfdata_reader *reader, size_t index)
{
	if (!reader->passed || index >= reader->passed->nr_events)
		return 0;
	struct pd_passed_event *event = &reader->passed->events[index];
	const uint64_t ret = value_of(&event->nr_passed) - event->nr_taken;
	event->nr_taken += ret;
	return ret;
}

struct pd_passed_sum pd_reader_take_passed_sum(struct perfdata_reader *reader)
{
	struct pd_passed_samples *passed = reader->passed;
	if (!passed)
		return (struct pd_passed_sum){ 0, UINT64_MAX, UINT64_MAX };
	const uint64_t bytes = value_of(&passed->bytes), last = value_of(&passed->last_time);
	const struct pd_passed_sum ret = { bytes - passed->taken_bytes, value_of(&passed->first_time),
					   bytes ? last : UINT64_MAX };
	passed->taken_bytes = bytes;
	return ret;
}
