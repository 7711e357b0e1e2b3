/* SPDX-License-Identifier: MIT */
/* perfdata info: header, events, feature sections, counts and losses of a recording. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "answers.h"
#include "broken_rows.h"
#include "commands.h"
#include "device.h"
#include "perfdata/perf.h"
#include "grow.h"
#include "info_names.h"
#include "span_facts.h"
#include "unwinding.h"
#include "symbol_options.h"

/* --- counters of `perf stat record` ------------------------------------------------------------------------------- */

/* A STAT record, or a STAT_ROUND, which comes after the readings of an interval or of the end. */
struct counter {
	bool round;
	uint64_t id;             /* of the event on a CPU and of a thread */
	const struct perfdata_event *event;
	const struct counter *before;   /* the same counter's reading before; NULL: none */
	int32_t cpu;
	uint32_t thread;         /* index in the thread map */
	uint64_t value, enabled, running;
	uint64_t time;           /* of a STAT_ROUND */
	bool final;
};

struct counters {
	const struct perfdata_reader *reader;
	struct counter *list;
	size_t nr, room;
	uint64_t *pids;          /* by index in the thread map */
	size_t nr_pids;
	struct perfdata_lost_sums *lost;
	struct perfdata_record *record;   /* buffer for decoded records */
	struct frame_hits hits;  /* empty without --symbols */
	struct perfdata_broken_stacks *broken;   /* NULL without --symbols */
	struct unwinding unwinding;
	bool failed;
};

static void add_counter(struct counters *counters, const struct counter *counter)
{
	if (!grow_list(&counters->list, &counters->room, counters->nr, sizeof *counters->list)) {
		counters->failed = true;
		return;
	}
	counters->list[counters->nr++] = *counter;
}

static void take_threads(struct counters *counters, const struct perfdata_thread_map *map)
{
	uint64_t *pids = calloc((size_t)map->threads.count + 1, sizeof *pids);
	if (!pids) {
		counters->failed = true;
		return;
	}
	free(counters->pids);
	counters->pids = pids;
	counters->nr_pids = (size_t)map->threads.count;
	for (uint64_t i = 0; i < map->threads.count; i++) {
		struct perfdata_thread_map_entry entry;
		perfdata_list_get(&map->threads, i, &entry, sizeof entry);
		pids[i] = entry.pid;
	}
}

static void take_record(struct counters *counters, const struct perfdata_raw *raw)
{
	const uint32_t type = perfdata_raw_type(raw);
	const bool wanted = type == PERFDATA_RECORD_LOST_SAMPLES || type == PERFDATA_RECORD_THREAD_MAP ||
			    type == PERFDATA_RECORD_STAT || type == PERFDATA_RECORD_STAT_ROUND ||
			    type == PERFDATA_RECORD_SIMPLEPERF_UNWINDING_RESULT;
	struct perfdata_record *record = counters->record;
	if (!wanted || perfdata_raw_decode(counters->reader, raw, record) != PERFDATA_OK)
		return;
	if (type == PERFDATA_RECORD_LOST_SAMPLES) {
		counters->failed |= perfdata_lost_sums_add(counters->lost, perfdata_raw_event(raw), record) !=
				    PERFDATA_OK;
	} else if (type == PERFDATA_RECORD_THREAD_MAP) {
		take_threads(counters, &record->u.thread_map);
	} else if (type == PERFDATA_RECORD_SIMPLEPERF_UNWINDING_RESULT) {
		unwinding_add(&counters->unwinding, &record->u.unwinding_result);
	} else if (type == PERFDATA_RECORD_STAT) {
		const struct perfdata_stat *stat = &record->u.stat;
		const struct counter counter = {
			.id = stat->id,
			.event = perfdata_reader_event_by_id(counters->reader, stat->id),
			.cpu = stat->cpu,
			.thread = stat->thread,
			.value = stat->val,
			.enabled = stat->ena,
			.running = stat->run,
		};
		add_counter(counters, &counter);
	} else {
		const struct counter round = {
			.round = true, .time = record->u.stat_round.time, .final = record->u.stat_round.type == 1,
		};
		add_counter(counters, &round);
	}
}

static void take_batch(void *user, const struct perfdata_batch *batch)
{
	struct counters *counters = user;
	for (size_t i = 0; i < batch->nr_records; i++)
		take_record(counters, perfdata_batch_record(batch, i));
	frame_hits_take(&counters->hits, batch);
	if (counters->broken)
		counters->failed |= perfdata_broken_stacks_take(counters->broken, batch) != PERFDATA_OK;
}

static int by_counter(const void *one, const void *other)
{
	const struct counter *a = *(const struct counter *const *)one, *b = *(const struct counter *const *)other;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Sets `before` of all readings. */
static void link_readings(struct counters *counters)
{
	struct counter **sorted = malloc((counters->nr + 1) * sizeof *sorted);
	size_t nr = 0;
	if (!sorted) {
		counters->failed = true;
		return;
	}
	for (size_t i = 0; i < counters->nr; i++)
		if (!counters->list[i].round)
			sorted[nr++] = &counters->list[i];
	qsort(sorted, nr, sizeof *sorted, by_counter);
	for (size_t i = 1; i < nr; i++)
		if (sorted[i]->id == sorted[i - 1]->id && sorted[i]->cpu == sorted[i - 1]->cpu &&
		    sorted[i]->thread == sorted[i - 1]->thread)
			sorted[i]->before = sorted[i - 1];
	free(sorted);
}

/* The pid of a counter; NULL for system-wide counters, whose thread map contains -1. */
static const uint64_t *pid_of(const struct counters *counters, const struct counter *counter)
{
	if (counter->thread >= counters->nr_pids || (int32_t)counters->pids[counter->thread] < 0)
		return NULL;
	return &counters->pids[counter->thread];
}

/* Sets *ret_nr to the number of readings before the next STAT_ROUND; returns the round, NULL after the last one. */
static const struct counter *round_after(const struct counters *counters, size_t first, size_t *ret_nr)
{
	size_t end = first;
	while (end < counters->nr && !counters->list[end].round)
		end++;
	*ret_nr = end - first;
	return end < counters->nr ? &counters->list[end] : NULL;
}

/* Whether the readings of a round count from the beginning. A recorder writes such values only; those of an interval
 * are shown as perf does: by how much they grew since the reading before. */
static bool is_total(const struct counter *round) { return !round || round->final; }

static void show_round(struct perfdata_text *out, const struct counter *round)
{
	if (!round) {
		perfdata_text_literal(out, "  totals at the last reading\n");
		return;
	}
	perfdata_text_string(out, round->final ? "  totals at the end, " : "  interval up to ");
	answer_seconds(out, round->time);
	perfdata_text_char(out, '\n');
}

static void show_growth(struct perfdata_text *out, int width, uint64_t value, uint64_t before)
{
	char number[24];
	snprintf(number, sizeof number, "%s%" PRIu64, value < before ? "-" : "",
		 value < before ? before - value : value - before);
	perfdata_text_printf(out, " %*s", width, number);
}

static void show_reading(struct perfdata_text *out, const struct counters *counters, const struct counter *counter,
			 bool total)
{
	static const struct counter none;
	const struct counter *before = total || !counter->before ? &none : counter->before;
	const uint64_t *pid = pid_of(counters, counter);
	perfdata_text_printf(out, "  %6" PRId32 " ", counter->cpu);
	if (pid)
		perfdata_text_printf(out, "%8" PRIu64, *pid);
	else
		perfdata_text_literal(out, "       -");
	show_growth(out, 20, counter->value, before->value);
	show_growth(out, 14, counter->enabled, before->enabled);
	show_growth(out, 14, counter->running, before->running);
	perfdata_text_literal(out, "  ");
	answer_text(out, counter->event ? counter->event->name : "?");
	perfdata_text_char(out, '\n');
}

static void show_counters(struct perfdata_text *out, const struct counters *counters)
{
	size_t nr;
	if (!counters->nr)
		return;
	perfdata_text_literal(
		out, "counters:\n     CPU   THREAD                VALUE     ENABLED ns     RUNNING ns  EVENT\n");
	for (size_t first = 0; first < counters->nr; first += nr + 1) {
		const struct counter *round = round_after(counters, first, &nr);
		show_round(out, round);
		for (size_t i = 0; i < nr; i++)
			show_reading(out, counters, &counters->list[first + i], is_total(round));
	}
}

static json_object *growth_json(uint64_t value, uint64_t before)
{
	return value < before ? json_new_integer(-(int64_t)(before - value)) : json_new_number(value - before);
}

static json_object *round_json(const struct counter *round)
{
	json_object *object = json_new_object();
	json_add(object, "round", json_new_string(!round ? "last" : round->final ? "final" : "interval"));
	json_add(object, "time", round ? json_new_number(round->time) : NULL);
	json_add(object, "values", json_new_string(is_total(round) ? "total" : "interval"));
	return object;
}

static json_object *reading_json(struct input *input, const struct counters *counters, const struct counter *counter,
				 bool total)
{
	static const struct counter none;
	const struct counter *before = total || !counter->before ? &none : counter->before;
	const uint64_t *pid = pid_of(counters, counter);
	json_object *object = json_new_object();
	json_add(object, "event", counter->event ? answer_json_text(input, counter->event->name) : NULL);
	json_add(object, "cpu", json_new_integer(counter->cpu));
	json_add(object, "thread", json_new_integer(counter->thread));
	json_add(object, "pid", pid ? json_new_number(*pid) : NULL);
	json_add(object, "value", growth_json(counter->value, before->value));
	json_add(object, "enabled", growth_json(counter->enabled, before->enabled));
	json_add(object, "running", growth_json(counter->running, before->running));
	return object;
}

/* Each round comes before its readings. */
static json_object *counters_json(struct input *input, const struct counters *counters)
{
	json_object *list = json_new_array();
	size_t nr;
	for (size_t first = 0; first < counters->nr; first += nr + 1) {
		const struct counter *round = round_after(counters, first, &nr);
		json_append(list, round_json(round));
		for (size_t i = 0; i < nr; i++)
			json_append(list, reading_json(input, counters, &counters->list[first + i], is_total(round)));
	}
	return list;
}

/* --- as text ------------------------------------------------------------------------------------------------------ */

static const char *container_name(enum perfdata_container container)
{
	static const char *const names[] = { "file", "pipe stream", "directory" };
	return names[container];
}

static void show_header(struct perfdata_text *out, const struct perfdata_header *header)
{
	perfdata_text_literal(out, "file: ");
	answer_text(out, header->name);
	perfdata_text_printf(out, "\nform: %s, version %u, %s-endian", container_name(header->container),
			     header->version, header->order == PERFDATA_BYTE_ORDER_BIG ? "big" : "little");
	if (strcmp(header->packing, "none") != 0)
		perfdata_text_printf(out, ", packed with %s", header->packing);
	if (header->file_size != UINT64_MAX)
		perfdata_text_printf(out, ", %" PRIu64 " bytes", header->file_size);
	perfdata_text_char(out, '\n');
	if (header->container != PERFDATA_CONTAINER_PIPE)
		perfdata_text_printf(out, "data: %" PRIu64 " bytes at 0x%" PRIx64 "\n", header->data.size,
				     header->data.offset);
	if (header->nr_files > 1)
		perfdata_text_printf(out, "data files: %u\n", header->nr_files - 1);
}

/* Appends simpleperf's time of recording; perf's CLOCK_DATA is among the sections. */
static void show_recorded(struct perfdata_text *out, const struct perfdata_reader *reader)
{
	const time_t seconds = device_seconds(reader);
	struct tm date;
	char text[64];
	if (seconds > 0 && gmtime_r(&seconds, &date) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &date))
		perfdata_text_printf(out, "recorded: %s UTC\n", text);
}

static void show_counts(struct perfdata_text *out, const struct perfdata_summary *summary)
{
	if (summary->first_time != UINT64_MAX) {
		perfdata_text_literal(out, "samples: from ");
		answer_seconds(out, summary->first_time);
		perfdata_text_literal(out, " to ");
		answer_seconds(out, summary->last_time);
		perfdata_text_literal(out, ", ");
		answer_seconds(out, summary->last_time - summary->first_time);
		perfdata_text_char(out, '\n');
	}
	perfdata_text_printf(out, "records: %" PRIu64 "\n", summary->records);
	for (size_t i = 0; i < summary->nr_types; i++) {
		const struct perfdata_type_count *type = perfdata_summary_type(summary, i);
		const struct perfdata_layout *layout = perfdata_record_layout(type->type);
		char number[24];
		snprintf(number, sizeof number, "type %" PRIu32, type->type);
		perfdata_text_printf(out, "  %-20s %12" PRIu64 "   %14" PRIu64 " bytes\n",
				     layout ? perfdata_layout_name(layout) : number, type->records, type->bytes);
	}
	perfdata_text_literal(out, "events:\n");
	for (size_t i = 0; i < summary->nr_events; i++) {
		const struct perfdata_event_count *event = perfdata_summary_event(summary, i);
		perfdata_text_printf(out, "  %12" PRIu64 " samples %12" PRIu64 " deliveries  ", event->samples,
				     event->deliveries);
		answer_text(out, event->event ? event->event->name : "(unknown event)");
		perfdata_text_char(out, '\n');
	}
}

/* Appends number and size of AUX buffers, and the number of AUX records with incomplete data. */
static void show_traces(struct perfdata_text *out, const struct perfdata_summary *summary)
{
	if (!summary->nr_traces)
		return;
	perfdata_text_literal(out, "traces:\n");
	for (size_t i = 0; i < summary->nr_traces; i++) {
		const struct perfdata_trace_count *trace = perfdata_summary_trace(summary, i);
		perfdata_text_printf(out, "  %-20s %12" PRIu64 " buffers %8" PRIu64 " bytes\n", trace->name,
				     trace->buffers, trace->bytes);
	}
	if (summary->aux_records)
		perfdata_text_printf(out,
				     "  of %" PRIu64 " AUX records: %" PRIu64 " truncated, %" PRIu64
				     " partial, %" PRIu64 " with collisions\n",
				     summary->aux_records, summary->aux_truncated, summary->aux_partial,
				     summary->aux_collisions);
}

static void show_losses(struct perfdata_text *out, const struct perfdata_summary *summary)
{
	if (!summary->lost_records && !summary->lost_samples && !summary->aux_lost) {
		perfdata_text_literal(out, "lost: nothing\n");
	} else {
		perfdata_text_printf(out, "lost: %" PRIu64 " records, %" PRIu64 " samples", summary->lost_records,
				     summary->lost_samples);
		if (summary->aux_lost)
			perfdata_text_printf(out, ", %" PRIu64 " pieces of AUX data", summary->aux_lost);
		perfdata_text_char(out, '\n');
	}
	if (summary->unknown_ids)
		perfdata_text_printf(out, "records with an unknown id: %" PRIu64 "\n", summary->unknown_ids);
}

static void show_findings(struct perfdata_text *out, struct messages *messages)
{
	const struct perfdata_finding_info *info;
	char code[8];
	if (!messages->total)
		return;
	perfdata_text_literal(out, "findings:\n");
	for (size_t i = 0; (info = perfdata_finding_at(i)); i++)
		if (messages->counts.of[info->code])
			perfdata_text_printf(out, "  %8" PRIu64 "  %s %s\n", messages->counts.of[info->code],
					     message_code(info->severity, info->code, code), info->meaning);
}

static void show_features(struct perfdata_text *out, const struct perfdata_reader *reader, bool all)
{
	const struct perfdata_feature_section *section;
	for (size_t i = 0; (section = perfdata_reader_feature_at(reader, i)); i++) {
		if (i == 0)
			perfdata_text_literal(out, "features:\n");
		if (section->id == PERFDATA_FEATURE_EVENT_DESC)
			perfdata_text_printf(out, "  event_desc: (see perfdata events)\n");
		else
			answer_feature(out, section, all);
	}
}

static void show_text(const struct options *options, struct input *input, struct perfdata_session *session,
		      const struct counters *counters, const struct name_counts *names)
{
	const struct perfdata_summary *summary = perfdata_session_summary(session);
	struct perfdata_text out;
	perfdata_text_init(&out);
	show_header(&out, perfdata_reader_header(input->reader));
	show_recorded(&out, input->reader);
	device_show(&out, input->reader);
	show_counts(&out, summary);
	show_traces(&out, summary);
	show_losses(&out, summary);
	if (symbols_wanted(options))
		span_facts_show(&out, session, false);
	else
		span_facts_show_events(&out, input->reader, input->file, summary->first_time != UINT64_MAX);
	unwinding_show(&out, &counters->unwinding);
	if (names)
		name_counts_text(&out, names);
	if (counters->broken)
		broken_rows_text(&out, counters->broken, "stacks: ");
	perfdata_text_printf(&out, "complete: %s\n", summary->complete && !input->messages.errors ? "yes" : "no");
	show_findings(&out, &input->messages);
	show_features(&out, input->reader, options->style.verbose);
	show_counters(&out, counters);
	answer_flush(input, &out);
}

/* --- as perf prints it
 * ---------------------------------------------------------------------------------------------- */

static void show_perf_stats(struct input *input, const struct perfdata_summary *summary,
			    const struct counters *counters)
{
	struct perfdata_text out;
	perfdata_text_init(&out);
	perfdata_perf_stats(&out, counters->reader, summary, counters->lost);
	answer_flush(input, &out);
}

static void show_perf_header(const struct options *options, struct input *input)
{
	struct perfdata_text out;
	perfdata_text_init(&out);
	perfdata_perf_header(&out, input->reader, !options->short_header);
	answer_flush(input, &out);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static void show_info(const struct options *options, struct input *input, struct perfdata_session *session,
		      const struct counters *counters, const struct name_counts *names)
{
	const struct perfdata_summary *summary = perfdata_session_summary(session);
	if (options->perf_stats) {
		show_perf_stats(input, summary, counters);
	} else if (options->perf) {
		show_perf_header(options, input);
	} else if (options->json) {
		json_object *document = answer_document(input, session);
		if (document && counters->nr)
			json_add(document, "counters", counters_json(input, counters));
		if (document && counters->unwinding.stacks)
			json_add(document, "unwinding", unwinding_json(&counters->unwinding));
		if (document && names)
			json_add(document, "names", name_counts_json(input, names));
		if (document && counters->broken)
			json_add(document, "broken_stacks", broken_rows_json(input, counters->broken));
		if (document)
			answer_print(input, document, options->files.nr > 1);
	} else {
		show_text(options, input, session, counters, names);
	}
}

static void answer_input(const struct options *options, struct input *input)
{
	struct perfdata_symbols *symbols;
	enum perfdata_status status = symbols_for(options, &input->messages, &symbols);
	if (status != PERFDATA_OK) {
		input_ended(input, status, NULL);
		return;
	}
	const struct perfdata_session_options session_options = {
		.size = sizeof session_options,
		/* without --symbols only counts are needed */
		.needs = symbols ? PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS |
					   PERFDATA_NEED_CUT_STACKS
				 : 0u,
		.merge_deferred = symbols,
		.symbols = symbols,
		.no_host = !symbols || options->symbols_from,
		.spans = symbols ? span_facts_kinds() : 0,
		.no_stack_copies = true,
	};
	struct counters counters = { .reader = input->reader, .lost = perfdata_lost_sums_new(),
				     .record = perfdata_record_new() };
	struct name_counts names = { 0 };
	struct perfdata_session *session = NULL;
	if (symbols && perfdata_broken_stacks_new(&counters.broken) != PERFDATA_OK)
		input_ended(input, PERFDATA_ENOMEM, NULL);
	else if (counters.lost && counters.record)
		session = input_walk(input, &session_options, take_batch, &counters);
	else
		input_ended(input, PERFDATA_ENOMEM, NULL);
	if (session) {
		link_readings(&counters);
		status = counters.failed ? PERFDATA_ENOMEM : PERFDATA_OK;
		if (!status && symbols)
			status = name_counts_make(&names, session, &counters.hits);
		if (status)
			input_ended(input, status, NULL);
		else
			show_info(options, input, session, &counters, symbols ? &names : NULL);
	}
	name_counts_release(&names);
	frame_hits_release(&counters.hits);
	free(counters.list);
	free(counters.pids);
	perfdata_lost_sums_free(counters.lost);
	perfdata_record_free(counters.record);
	perfdata_broken_stacks_free(counters.broken);
	perfdata_session_close(session);
	perfdata_symbols_free(symbols);
}

enum exit_code command_info(struct options *options)
{
	return answer_each(options, symbols_wanted(options) ? PERFDATA_ORDER_TIME : PERFDATA_ORDER_FILE, answer_input);
}
