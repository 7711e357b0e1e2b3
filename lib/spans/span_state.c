/* SPDX-License-Identifier: MIT */
/* The state of threads and CPUs, and how spans leave the engine. */
#include "config.h"
#include <string.h>
#include "schema/sample_scan.h"
#include "spans/spans_impl.h"

enum perfdata_status pd_spans_account(struct pd_spans *spans)
{
	const size_t slot = sizeof(struct pd_hash_map_slot);
	const size_t size = spans->open_data + spans->events_room * sizeof *spans->events +
			    spans->threads_room * sizeof *spans->threads + spans->cpus_room * sizeof *spans->cpus +
			    spans->open_room * sizeof *spans->open +
			    slot * (spans->thread_of.capacity + spans->exited.capacity + spans->cpu_of.capacity +
				    spans->open_of.capacity + 3 * spans->number_names.capacity);
	if (size == spans->accounted)
		return PERFDATA_OK;
	pd_account_change(spans->account, PD_USE_FRAMES, spans->accounted, size);
	spans->accounted = size;
	return pd_account_is_exhausted(spans->account) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

uint32_t pd_spans_intern(struct pd_spans *spans, const char *text, size_t size)
{
	return pd_intern_put(spans->names, text, size);
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

enum perfdata_byte_order pd_spans_order(const struct pd_spans *spans)
{
	const bool little = !pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE);
	return little != spans->options.swap ? PERFDATA_BYTE_ORDER_LITTLE : PERFDATA_BYTE_ORDER_BIG;
}

/* --- threads and CPUs --------------------------------------------------------------------------------------------- */

struct pd_span_thread *pd_spans_find_thread(struct pd_spans *spans, int32_t tid, bool make)
{
	uint64_t index;
	uint32_t *recent = &spans->recent[(uint32_t)tid % PD_RECENT_THREADS];
	if (pd_hash_map_get(&spans->thread_of, (uint32_t)tid, &index)) {
		*recent = (uint32_t)index - 1;
		return &spans->threads[index - 1];
	}
	if (!make)
		return NULL;
	if (spans->free_thread != UINT32_MAX) {
		index = spans->free_thread;
		spans->free_thread = spans->threads[index].next_free;
	} else {
		index = spans->nr_threads;
		if (pd_vector_grow(&spans->threads, &spans->threads_room, spans->nr_threads,
				   sizeof *spans->threads) < 0)
			return NULL;
		spans->nr_threads++;
	}
	spans->threads[index] = (struct pd_span_thread){ .tid = tid, .who = { -1, PERFDATA_NONE, 0 } };
	if (pd_hash_map_put(&spans->thread_of, (uint32_t)tid, index + 1) < 0)
		return NULL;
	return &spans->threads[index];
}

void pd_spans_drop_thread(struct pd_spans *spans, struct pd_span_thread *thread)
{
	(void)pd_hash_map_remove(&spans->thread_of, (uint32_t)thread->tid);
	*thread = (struct pd_span_thread){ .tid = -1, .next_free = spans->free_thread };
	spans->free_thread = (uint32_t)(thread - spans->threads);
}

struct pd_span_cpu *pd_spans_cpu(struct pd_spans *spans, uint32_t cpu)
{
	uint64_t index;
	if (cpu < spans->nr_cpus && spans->cpus[cpu].cpu == cpu)   /* CPUs mostly come in their own order */
		return &spans->cpus[cpu];
	if (pd_hash_map_get(&spans->cpu_of, cpu, &index))
		return &spans->cpus[index - 1];
	index = spans->nr_cpus;
	if (pd_vector_grow(&spans->cpus, &spans->cpus_room, spans->nr_cpus, sizeof *spans->cpus) < 0 ||
	    pd_hash_map_put(&spans->cpu_of, cpu, index + 1) < 0)
		return NULL;
	spans->nr_cpus++;
	spans->cpus[index] = (struct pd_span_cpu){ .cpu = cpu, .who = { -1, PERFDATA_NONE, 0 } };
	return &spans->cpus[index];
}

/* --- spans -------------------------------------------------------------------------------------------------------- */

enum perfdata_status pd_spans_stack(struct pd_spans *spans, const struct perfdata_raw *raw, struct pd_span_stack *ret)
{
	*ret = (struct pd_span_stack){ 0, PERFDATA_NONE };
	return spans->options.stacks ? spans->options.stack(spans->options.user, raw, ret) : PERFDATA_OK;
}

const struct pd_span pd_no_span = {
	.begin = UINT64_MAX, .end = UINT64_MAX, .state_raw = UINT64_MAX, .name = UINT32_MAX, .tid = -1,
	.who = { -1, PERFDATA_NONE, 0 }, .cpu = UINT32_MAX, .end_cpu = UINT32_MAX, .blocked = UINT64_MAX,
	.queued = UINT64_MAX, .stack = { 0, PERFDATA_NONE }, .waker = -1, .waker_who = { -1, PERFDATA_NONE, 0 },
	.waker_stack = { 0, PERFDATA_NONE }, .woken = UINT64_MAX, .begins = { PERFDATA_NO_OFFSET, PERFDATA_NO_OFFSET },
	.ends = { PERFDATA_NO_OFFSET, PERFDATA_NO_OFFSET },
};

enum pd_span_unknown pd_spans_count(struct pd_spans *spans, enum perfdata_span_kind kind, uint64_t begin, uint64_t end,
				    bool at_end)
{
	struct pd_span_count *count = &spans->facts.kinds[kind];
	if (begin == UINT64_MAX) {
		count->no_begin++;
		return PD_SPAN_NO_BEGIN;
	}
	if (end == UINT64_MAX) {
		count->no_end += !at_end;
		count->open += at_end;
		return PD_SPAN_NO_END;
	}
	count->spans++;
	count->total += end < begin ? 0 : end - begin;
	/* records lost on another CPU may concern this thread, too */
	const bool lost = spans->lost > begin;
	count->with_losses += lost;
	return lost ? PD_SPAN_LOST : PD_SPAN_KNOWN;
}

enum perfdata_status pd_spans_give(struct pd_spans *spans, struct pd_span *span, const struct perfdata_raw *raw)
{
	span->unknown = pd_spans_count(spans, span->kind, span->begin, span->end, !raw);
	if (pd_span_is_whole(span) && span->end < span->begin)   /* clocks of CPUs differ */
		span->end = span->begin;
	return spans->options.take(spans->options.user, span, raw);
}
