/* SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "perfdata/perf.h"
#include "schema/schema.h"
#include "reader/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emit/perf/event_names.h"

struct lost_sum {
	uint64_t samples, dropped_by_bpf;
};
struct perfdata_lost_sums {
	struct lost_sum *items;      /* by index of the event */
	size_t count;
};

struct perfdata_lost_sums *perfdata_lost_sums_new(void) { return calloc(1, sizeof(struct perfdata_lost_sums)); }

enum perfdata_status perfdata_lost_sums_add(struct perfdata_lost_sums *sums, const struct perfdata_event *event,
					    const struct perfdata_record *record)
{
	if (!event)
		return PERFDATA_OK;
	if (pd_vector_reach(&sums->items, &sums->count, event->index, sizeof *sums->items) < 0)
		return PERFDATA_ENOMEM;
	struct lost_sum *sum = &sums->items[event->index];
	*(record->misc & PERFDATA_MISC_LOST_SAMPLES_BPF ? &sum->dropped_by_bpf
							: &sum->samples) += record->u.lost_samples.lost;
	return PERFDATA_OK;
}

void perfdata_lost_sums_free(struct perfdata_lost_sums *sums)
{
	if (sums)
		free(sums->items);
	free(sums);
}

static void count_text(struct perfdata_text *out, const char *what, uint64_t count)
{
	if (count)
		perfdata_text_printf(out, "%20s events: %10" PRIu64 "\n", what, count);
}

static void event_text(struct perfdata_text *out, const struct event_names *names,
		       const struct perfdata_event_count *event, const struct lost_sum *lost)
{
	if (!event->deliveries && !lost->samples && !lost->dropped_by_bpf)
		return;
	pd_event_names_append(names, event->event, out);
	perfdata_text_literal(out, " stats:\n");
	count_text(out, "SAMPLE", event->deliveries);
	count_text(out, "LOST_SAMPLES", lost->samples);
	count_text(out, "LOST_SAMPLES (BPF)", lost->dropped_by_bpf);
}

void perfdata_perf_stats(struct perfdata_text *out, const struct perfdata_reader *reader,
			 const struct perfdata_summary *summary, const struct perfdata_lost_sums *lost)
{
	struct event_names names;
	pd_event_names_init(&names, reader, EVENT_NAMES_REPORT);
	perfdata_text_literal(out, "\nAggregated stats:");
	if (perfdata_reader_feature(reader, PERFDATA_FEATURE_AUXTRACE))
		perfdata_text_literal(out,
				      " (excludes AUX area (e.g. instruction trace) decoded / synthesized events)");
	perfdata_text_char(out, '\n');
	uint64_t total = summary->records;
	for (size_t i = 0; i < summary->nr_types; i++)
		total -= summary->types[i].dropped_by_perf;
	count_text(out, "TOTAL", total);
	for (size_t i = 0; i < summary->nr_types; i++) {
		const struct perfdata_layout *layout = perfdata_record_layout(summary->types[i].type);
		const uint64_t records = summary->types[i].records - summary->types[i].dropped_by_perf;
		if (records)
			perfdata_text_printf(out, "%20s events: %10" PRIu64 "  (%4.1f%%)\n",
					     layout ? layout->perf_name : "UNKNOWN", records,
					     100.0 * (double)records / (double)total);
	}
	for (size_t i = 0; i < summary->nr_events; i++) {
		const struct perfdata_event_count *event = &summary->events[i];
		const struct lost_sum none = { 0 };
		if (!event->event)
			continue;
		const bool has_lost = lost && event->event->index < lost->count;
		event_text(out, &names, event, has_lost ? &lost->items[event->event->index] : &none);
	}
}
