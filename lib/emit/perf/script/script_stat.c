/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "emit/perf/script/script_stat.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "text/spelling.h"

/* Limit of the counters of all events, since each round prints them all; further counters are dropped. */
#define MAX_COUNTS (1u << 20)
/* A recorder writes a value for every counter of a round. Rounds without values, 24 bytes each, print at most FREE_ROWS
 * rows. */
#define FREE_ROWS (1u << 18)
#define ROWS_OF_VALUE 64u

struct count { uint64_t value, enabled, running; };

/* The counters of an event: one for each thread and CPU. */
struct event_counts {
	int32_t *cpus;
	size_t nr_cpus;
	struct count *counts;          /* [thread * nr_cpus + cpu]: recorded values; during a round, printed values */
	struct count *previous;        /* recorded values of the round before */
};

struct script_stat {
	const struct event_names *names;
	const struct perfdata_reader *reader;
	int32_t *threads, *cpus;
	size_t nr_threads, nr_cpus;
	struct event_counts *events;
	size_t nr_events, nr_counts;
	uint64_t rows_left;
	perfdata_finding_fn *on_finding;
	void *user;
	bool scale, header_reported, limit_reported;
};

struct script_stat *pd_script_stat_new(const struct event_names *names, perfdata_finding_fn *on_finding, void *user)
{
	struct script_stat *stat = calloc(1, sizeof *stat);
	if (stat)
		*stat = (struct script_stat){
			.names = names,
			.reader = names->reader,
			.rows_left = FREE_ROWS,
			.on_finding = on_finding,
			.user = user,
		};
	return stat;
}

static void report_limit(struct script_stat *stat, const struct perfdata_raw *raw, const char *message)
{
	if (!stat->limit_reported && stat->on_finding)
		stat->on_finding(stat->user, &(const struct perfdata_finding){
						     .severity = PERFDATA_SEVERITY_ERROR,
						     .code = PERFDATA_FINDING_LIMIT,
						     .file = pd_reader_file_name(stat->reader, raw->file),
						     .offset = raw->offset,
						     .record = raw->number,
						     .message = message,
					     });
	stat->limit_reported = true;
}

static void forget_events(struct script_stat *stat)
{
	for (size_t i = 0; i < stat->nr_events; i++) {
		free(stat->events[i].cpus);
		free(stat->events[i].counts);
		free(stat->events[i].previous);
	}
	free(stat->events);
	stat->events = NULL;
	stat->nr_events = 0;
}

void pd_script_stat_free(struct script_stat *stat)
{
	if (!stat)
		return;
	forget_events(stat);
	free(stat->threads);
	free(stat->cpus);
	free(stat);
}

/* Copies the CPUs to an array; NULL without memory. */
static int32_t *list_cpus(const struct perfdata_cpus *cpus, size_t *ret_nr)
{
	uint64_t position = 0;
	int32_t cpu;
	size_t nr = 0;
	while (pd_cpus_next(cpus, &position, &cpu))
		nr++;
	int32_t *list = calloc(nr ? nr : 1, sizeof *list);
	position = 0;
	for (size_t i = 0; list && i < nr && pd_cpus_next(cpus, &position, &cpu); i++)
		list[i] = cpu;
	*ret_nr = nr;
	return list;
}

static enum perfdata_status take_cpus(struct script_stat *stat, const struct perfdata_cpus *cpus)
{
	if (stat->cpus)
		return PERFDATA_OK;     /* the first map counts */
	stat->cpus = list_cpus(cpus, &stat->nr_cpus);
	return stat->cpus ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static enum perfdata_status take_threads(struct script_stat *stat, const struct perfdata_list *threads)
{
	if (stat->threads)
		return PERFDATA_OK;
	stat->nr_threads = (size_t)threads->count;   /* the record's size limits it */
	stat->threads = calloc(stat->nr_threads ? stat->nr_threads : 1, sizeof *stat->threads);
	if (!stat->threads)
		return PERFDATA_ENOMEM;
	for (uint64_t i = 0; i < threads->count; i++) {
		struct perfdata_thread_map_entry entry;
		perfdata_list_get(threads, i, &entry, sizeof entry);
		stat->threads[i] = (int32_t)entry.pid;
	}
	return PERFDATA_OK;
}

static bool is_among(const struct perfdata_cpus *cpus, int32_t wanted)
{
	uint64_t position = 0;
	int32_t cpu;
	while (pd_cpus_next(cpus, &position, &cpu))
		if (cpu == wanted)
			return true;
	return false;
}

/* The CPUs of an event: those of the recording that the event's PMU has, and "any CPU". */
static enum perfdata_status make_counts(struct script_stat *stat, const struct perfdata_event *event,
					const struct perfdata_raw *raw, struct event_counts *counts)
{
	counts->cpus = calloc(stat->nr_cpus ? stat->nr_cpus : 1, sizeof *counts->cpus);
	for (size_t i = 0; counts->cpus && i < stat->nr_cpus; i++)
		if (stat->cpus[i] < 0 || !event->has_own_cpus || is_among(&event->own_cpus, stat->cpus[i]))
			counts->cpus[counts->nr_cpus++] = stat->cpus[i];
	if (stat->nr_threads && counts->nr_cpus > (MAX_COUNTS - stat->nr_counts) / stat->nr_threads) {
		report_limit(stat, raw, "more than a million counters; counters of some events were left out");
		counts->nr_cpus = 0;
	}
	const size_t cells = counts->nr_cpus * stat->nr_threads;
	stat->nr_counts += cells;
	counts->counts = calloc(cells ? cells : 1, sizeof *counts->counts);
	counts->previous = calloc(cells ? cells : 1, sizeof *counts->previous);
	return counts->cpus && counts->counts && counts->previous ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* Makes the counters at the first value after both maps; the maps do not change later. */
static enum perfdata_status make_events(struct script_stat *stat, const struct perfdata_raw *raw)
{
	if (stat->events || !stat->cpus || !stat->threads)
		return PERFDATA_OK;
	const size_t nr = perfdata_reader_nr_events(stat->reader);
	stat->events = calloc(nr ? nr : 1, sizeof *stat->events);
	if (!stat->events)
		return PERFDATA_ENOMEM;
	stat->nr_events = nr;
	for (size_t i = 0; i < nr; i++)
		if (make_counts(stat, perfdata_reader_event(stat->reader, i), raw, &stat->events[i]) != PERFDATA_OK)
			return PERFDATA_ENOMEM;
	return PERFDATA_OK;
}

static void take_config(struct script_stat *stat, const struct perfdata_stat_config *config)
{
	const uint64_t scale = 2;
	for (uint64_t i = 0; i < config->entries.count; i++) {
		struct perfdata_stat_config_entry entry;
		perfdata_list_get(&config->entries, i, &entry, sizeof entry);
		if (entry.tag == scale)
			stat->scale = entry.val;
	}
}

static enum perfdata_status take_value(struct script_stat *stat, const struct perfdata_raw *raw,
				       const struct perfdata_stat *value)
{
	const enum perfdata_status status = make_events(stat, raw);
	stat->rows_left += ROWS_OF_VALUE;
	const struct perfdata_event *event = perfdata_reader_event_by_id(stat->reader, value->id);
	if (status != PERFDATA_OK || !event || event->index >= stat->nr_events || value->thread >= stat->nr_threads)
		return status;
	const struct event_counts *counts = &stat->events[event->index];
	for (size_t i = 0; i < counts->nr_cpus; i++) {
		if (counts->cpus[i] != value->cpu)
			continue;
		counts->counts[value->thread * counts->nr_cpus + i] = (struct count){ value->val, value->ena,
										      value->run };
		break;
	}
	return status;
}

/* Scales the count as if the counter had run all the time. A forged count may exceed the range. */
static uint64_t estimate_count(const struct count *count)
{
	const double value = (double)count->value * (double)count->enabled / (double)count->running;
	return value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
}

/* Replaces the recorded values by the growth since the round before, scaled if the counter did not run all the time. */
static void finish_count(const struct script_stat *stat, struct count *count, struct count *previous)
{
	const struct count recorded = *count;
	count->value -= previous->value;
	count->enabled -= previous->enabled;
	count->running -= previous->running;
	*previous = recorded;
	if (!stat->scale)
		return;
	if (!count->running)
		count->value = 0;
	else if (count->running < count->enabled)
		count->value = estimate_count(count);
}

static void spell_row(const struct script_stat *stat, size_t index, size_t thread, size_t cpu, uint64_t time,
		      struct perfdata_text *out)
{
	const struct event_counts *counts = &stat->events[index];
	const size_t cell = thread * counts->nr_cpus + cpu;
	struct count *count = &counts->counts[cell];
	finish_count(stat, count, &counts->previous[cell]);
	const uint64_t columns[] = { count->value, count->enabled, count->running, time };
	pd_text_s64_pad(out, counts->cpus[cpu], 3);
	perfdata_text_char(out, ' ');
	pd_text_s64_pad(out, stat->threads[thread], 8);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		perfdata_text_char(out, ' ');
		pd_text_u64_pad(out, columns[i], 15);
	}
	perfdata_text_char(out, ' ');
	pd_event_names_append(stat->names, perfdata_reader_event(stat->reader, index), out);
	perfdata_text_char(out, '\n');
}

static enum perfdata_status spell_round(struct script_stat *stat, const struct perfdata_raw *raw, uint64_t time,
					struct perfdata_text *out)
{
	const enum perfdata_status status = make_events(stat, raw);
	if (status != PERFDATA_OK)
		return status;
	if (!stat->header_reported)
		perfdata_text_literal(
			out, "CPU   THREAD             VAL             ENA             RUN            TIME EVENT\n");
	stat->header_reported = true;
	if (stat->nr_counts > stat->rows_left) {
		report_limit(stat, raw, "far more rounds than values of counters; further rounds were left out");
		return PERFDATA_OK;
	}
	stat->rows_left -= stat->nr_counts;
	for (size_t i = 0; i < stat->nr_events; i++)
		for (size_t thread = 0; thread < stat->nr_threads; thread++)
			for (size_t cpu = 0; cpu < stat->events[i].nr_cpus; cpu++)
				spell_row(stat, i, thread, cpu, time, out);
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

enum perfdata_status pd_script_stat_record(struct script_stat *stat, const struct perfdata_raw *raw,
					   const struct perfdata_record *record, struct perfdata_text *out)
{
	switch (record->type) {
	case PERFDATA_RECORD_CPU_MAP:
		return take_cpus(stat, &record->u.cpu_map.cpus);
	case PERFDATA_RECORD_THREAD_MAP:
		return take_threads(stat, &record->u.thread_map.threads);
	case PERFDATA_RECORD_STAT_CONFIG:
		take_config(stat, &record->u.stat_config);
		break;
	case PERFDATA_RECORD_STAT:
		return take_value(stat, raw, &record->u.stat);
	case PERFDATA_RECORD_STAT_ROUND:
		return spell_round(stat, raw, record->u.stat_round.time, out);
	}
	return PERFDATA_OK;
}
