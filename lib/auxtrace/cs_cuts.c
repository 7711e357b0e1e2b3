/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "auxtrace/cs_cuts.h"

#define AUX_SNAPSHOT 0x02u
#define AUX_RAW 0x100u
#define MOST_AREAS 65536u            /* limit of areas without a payload, for recordings that lost their payloads */

void pd_cs_trace_release(struct pd_cs_trace *trace)
{
	pd_free(trace->sources);
	pd_free(trace->areas);
	*trace = (struct pd_cs_trace){ 0 };
}

enum perfdata_status pd_cs_trace_info(struct pd_cs_trace *trace, const struct perfdata_list *words)
{
	pd_cs_trace_release(trace);
	return pd_cs_sources(words, &trace->sources, &trace->nr_sources);
}

bool pd_cs_trace_hw_id(struct pd_cs_trace *trace, uint32_t cpu, uint64_t hw_id)
{
	const bool first = !trace->hw_ids;
	trace->hw_ids = true;
	return pd_cs_hw_id(trace->sources, trace->nr_sources, first, cpu, hw_id);
}

enum perfdata_status pd_cs_trace_area(struct pd_cs_trace *trace, const struct perfdata_aux *aux, int32_t cpu,
				      int32_t tid)
{
	trace->raw = aux->flags & AUX_RAW;
	if (!aux->aux_size)
		return PERFDATA_OK;
	if (trace->nr_areas == MOST_AREAS) {
		trace->nr_areas /= 2;
		memmove(trace->areas, trace->areas + trace->nr_areas, trace->nr_areas * sizeof *trace->areas);
	}
	if (pd_vector_grow(&trace->areas, &trace->room_areas, trace->nr_areas, sizeof *trace->areas) < 0)
		return PERFDATA_ENOMEM;
	trace->areas[trace->nr_areas++] = (struct pd_cs_area){ .offset = aux->aux_offset,
							       .size = aux->aux_size,
							       .cpu = cpu,
							       .tid = tid,
							       .raw = trace->raw,
							       .snapshot = aux->flags & AUX_SNAPSHOT };
	return PERFDATA_OK;
}

/* Whether the area is in the payload; *ret is its part of the payload. */
static bool lies_in(const struct pd_cs_area *area, const struct perfdata_auxtrace *payload, struct pd_cs_cut *ret)
{
	uint64_t size = area->size, offset = area->offset;
	if (area->snapshot) {
		/* the offset is that of the end, and the payload may be smaller than the buffer */
		size = size < payload->size ? size : payload->size;
		if (offset < size)
			return false;
		offset -= size;
	}
	if (offset < payload->offset || offset - payload->offset > payload->size ||
	    size > payload->size - (offset - payload->offset))
		return false;
	*ret = (struct pd_cs_cut){ offset - payload->offset, offset - payload->offset + size, area->raw };
	return true;
}

static bool is_of(const struct pd_cs_area *area, const struct perfdata_auxtrace *payload)
{
	return payload->cpu < 0 ? area->tid == payload->tid : area->cpu == payload->cpu;
}

static bool is_over(const struct pd_cs_area *area, const struct perfdata_auxtrace *payload)
{
	return area->offset <= payload->offset || area->offset - payload->offset < payload->size;
}

static int by_offset(const void *a, const void *b)
{
	const struct pd_cs_cut *x = a, *y = b;
	return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->to < y->to ? -1 : x->to > y->to;
}

/* Sorts the cuts and removes overlaps. *nr is their number; the array has room for one more. */
static void arrange_cuts(struct pd_cs_cut *cuts, size_t *nr, uint64_t size, bool raw)
{
	size_t kept = 0;
	qsort(cuts, *nr, sizeof *cuts, by_offset);
	for (size_t i = 0; i < *nr; i++)
		if (!kept || cuts[i].from >= cuts[kept - 1].to)
			cuts[kept++] = cuts[i];
	const uint64_t covered = kept ? cuts[kept - 1].to : 0;
	if (covered < size) {
		cuts[kept] = (struct pd_cs_cut){ covered, size, kept ? cuts[kept - 1].raw : raw };
		kept++;
	}
	*nr = kept;
}

enum perfdata_status pd_cs_trace_cuts(struct pd_cs_trace *trace, const struct perfdata_auxtrace *payload,
				      struct pd_cs_cuts *ret)
{
	size_t left = 0;
	*ret = (struct pd_cs_cuts){ 0 };
	size_t within = 0;
	for (size_t i = 0; i < trace->nr_areas; i++)
		within += is_of(&trace->areas[i], payload);
	ret->list = pd_calloc(within + 1, sizeof *ret->list);
	if (!ret->list)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < trace->nr_areas; i++) {
		const struct pd_cs_area area = trace->areas[i];
		if (is_of(&area, payload) && lies_in(&area, payload, &ret->list[ret->nr]))
			ret->nr++;
		else if (!is_of(&area, payload) || !is_over(&area, payload))
			trace->areas[left++] = area;
	}
	trace->nr_areas = left;
	arrange_cuts(ret->list, &ret->nr, payload->size, trace->raw);
	return PERFDATA_OK;
}
