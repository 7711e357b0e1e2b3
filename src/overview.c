/* SPDX-License-Identifier: MIT */
/* perfdata FILE: an overview of a recording on one screen: when, where and how it was recorded, what it contains and
 * lacks, and commands to continue with. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "answers.h"
#include "commands.h"
#include "device.h"
#include "grow.h"
#include "info_names.h"
#include "span_facts.h"
#include "symbol_options.h"

/* Threads (by number in the session) and frames of samples. */
struct seen {
	uint8_t *threads;
	size_t room;
	uint64_t nr;
	struct frame_hits hits;
	bool failed;
};

static void take_batch(void *user, const struct perfdata_batch *batch)
{
	struct seen *seen = user;
	frame_hits_take(&seen->hits, batch);
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = perfdata_batch_delivery(batch, i);
		const size_t number = delivery->thread;
		if (perfdata_raw_type(delivery->record) != PERFDATA_RECORD_SAMPLE || delivery->tid < 0 ||
		    delivery->thread == PERFDATA_NONE)
			continue;
		if (!grow_list(&seen->threads, &seen->room, number, sizeof *seen->threads)) {
			seen->failed = true;
			return;
		}
		seen->nr += !seen->threads[number];
		seen->threads[number] = 1;
	}
}

static void show_fact(struct perfdata_text *out, const struct perfdata_reader *reader, const char *name,
		      uint32_t feature)
{
	const char *text = perfdata_reader_feature_text(reader, feature);
	if (!text)
		return;
	perfdata_text_printf(out, "%s", name);
	answer_text(out, text);
	perfdata_text_char(out, '\n');
}

static void show_command(struct perfdata_text *out, const struct perfdata_reader *reader)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, PERFDATA_FEATURE_CMDLINE);
	const struct perfdata_node *list = section && section->feature
						   ? perfdata_node_get(perfdata_feature_root(section->feature),
								       "cmdline")
						   : NULL;
	if (!list || !list->child)
		return;
	perfdata_text_literal(out, "command:");
	for (const struct perfdata_node *node = list->child; node; node = node->next) {
		perfdata_text_char(out, ' ');
		perfdata_text_printable(out, node->v.bytes.data, node->v.bytes.size);
	}
	perfdata_text_char(out, '\n');
}

/* Appends the date of the recording, if CLOCK_DATA has the wall clock; otherwise the mtime of the file, which a copy
 * may have changed. */
static void show_date(struct perfdata_text *out, const struct perfdata_reader *reader)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, PERFDATA_FEATURE_CLOCK_DATA);
	const struct perfdata_node *root = section && section->feature ? perfdata_feature_root(section->feature) : NULL;
	const struct perfdata_node *clock = perfdata_node_get(root, "wall_clock");
	const time_t wall = clock ? (time_t)(clock->v.u / 1000000000u) : device_seconds(reader);
	const time_t seconds = wall ? wall : (time_t)perfdata_reader_header(reader)->mtime;
	struct tm date;
	char text[64];
	if (seconds > 0 && gmtime_r(&seconds, &date) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &date))
		perfdata_text_printf(out, "%s: %s UTC\n", wall ? "recorded" : "written", text);
}

/* Appends the sampling rate of an event: its frequency in Hz, or its period. */
static void show_rate(struct perfdata_text *out, const struct perfdata_event *event)
{
	const struct perfdata_attr *attr = event->attr;
	if (!attr->sample_period)
		return;
	if (perfdata_attr_has(attr, PERFDATA_ATTR_FREQ))
		perfdata_text_printf(out, ", %" PRIu64 " Hz", attr->sample_period);
	else
		perfdata_text_printf(out, ", every %" PRIu64, attr->sample_period);
}

static void show_events(struct perfdata_text *out, const struct perfdata_summary *summary)
{
	enum { SHOWN = 12 };
	const uint64_t readings = answer_readings(summary);
	size_t shown = 0, more = 0;
	perfdata_text_literal(out, "events:\n");
	for (size_t i = 0; i < summary->nr_events; i++) {
		const struct perfdata_event_count *count = perfdata_summary_event(summary, i);
		if (!count->event)
			continue;
		if (shown == SHOWN) {
			more++;
			continue;
		}
		if (readings && !count->samples)
			perfdata_text_literal(out, "             counter  ");
		else
			perfdata_text_printf(out, "%12" PRIu64 " samples  ", count->samples);
		answer_text(out, count->event->name);
		show_rate(out, count->event);
		perfdata_text_char(out, '\n');
		shown++;
	}
	if (more)
		perfdata_text_printf(out, "  … %zu more: perfdata events\n", more);
	if (readings)
		perfdata_text_printf(out, "counters: %" PRIu64 " reading%s by perf stat record\n", readings,
				     readings == 1 ? "" : "s");
}

static void show_losses(struct perfdata_text *out, const struct perfdata_summary *summary)
{
	if (summary->lost_records || summary->lost_samples)
		perfdata_text_printf(out, "lost: %" PRIu64 " records, %" PRIu64 " samples\n", summary->lost_records,
				     summary->lost_samples);
	else
		perfdata_text_literal(out, "lost: nothing\n");
	if (!summary->complete)
		perfdata_text_literal(out, "complete: no, the recording is damaged or cut: perfdata check says "
					   "where\n");
}

/* Appends the share of samples with a symbol name, and the files with most of the other samples. */
static void show_names(struct perfdata_text *out, const struct name_counts *names)
{
	enum { SHOWN = 3 };
	if (!names->samples)
		return;
	const double percent = 100.0 / (double)names->samples;
	perfdata_text_printf(out, "names: %.1f %% of samples", percent * (double)names->named);
	for (size_t i = 0; i < names->nr && i < SHOWN; i++) {
		perfdata_text_printf(out, "%s%.1f %% in ",
				     i ? ", " : "; without: ", percent * (double)names->list[i].samples);
		answer_text(out, names->list[i].filename ? names->list[i].filename : "no file");
	}
	if (names->nr > SHOWN)
		perfdata_text_printf(out, ", and %zu more files", names->nr - SHOWN);
	perfdata_text_char(out, '\n');
}

/* Questions that the recording's samples can answer. */
struct answerable {
	bool samples, time, work, occurrences, stacks, switches;
	const char *table;               /* tracepoint with most samples, if its name needs no quotes in a shell */
};

static bool is_of_time(const struct perfdata_event *event)
{
	enum { CPU_CYCLES = 0, REF_CPU_CYCLES = 9 };
	const struct perfdata_attr *attr = event->attr;
	const uint64_t counter = attr->config & UINT32_MAX;     /* the upper half is the PMU of a hybrid processor */
	if (attr->type == PERFDATA_TYPE_TRACEPOINT)
		return false;
	return perfdata_event_measure(event) == PERFDATA_MEASURE_TIME ||
	       (attr->type == PERFDATA_TYPE_HARDWARE && (counter == CPU_CYCLES || counter == REF_CPU_CYCLES)) ||
	       strstr(event->name, "cycles") != NULL;
}

static bool is_plain(const char *name)
{
	return !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:.-")];
}

static struct answerable answerable_from(const struct perfdata_summary *summary)
{
	struct answerable found = { 0 };
	uint64_t most = 0;
	for (size_t i = 0; i < summary->nr_events; i++) {
		const struct perfdata_event_count *count = perfdata_summary_event(summary, i);
		const struct perfdata_event *event = count->event;
		found.samples |= count->samples > 0;
		if (!count->samples || !event)
			continue;
		if (is_of_time(event))
			found.time = true;
		else if (perfdata_event_measure(event) == PERFDATA_MEASURE_COUNT)
			found.work = true;
		else
			found.occurrences = true;
		found.stacks |= (event->attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN) != 0;
		if (event->attr->type != PERFDATA_TYPE_TRACEPOINT)
			continue;
		found.switches |= !strcmp(event->name, "sched:sched_switch");
		if (count->samples > most && is_plain(event->name)) {
			most = count->samples;
			found.table = event->name;
		}
	}
	return found;
}

/* Appends a line of `next`: command, file, and what the command answers. */
static void show_line(struct perfdata_text *out, const char *command, const char *file, size_t width, const char *what)
{
	struct perfdata_text line;
	perfdata_text_init(&line);
	perfdata_text_printf(&line, "  perfdata %s ", command);
	answer_text(&line, file);
	perfdata_text_fill(&line, ' ', line.size < width ? width - line.size : 1);
	perfdata_text_string(&line, what);
	perfdata_text_append(out, line.data, line.size);
	perfdata_text_char(out, '\n');
	out->failed |= perfdata_text_failed(&line);
	perfdata_text_release(&line);
}

/* Commands with an answer for this recording. */
struct offers {
	struct offer { const char *command, *what; } items[16 + NR_SPAN_ANSWERS];
	size_t nr, widest;
};

static void offer_command(struct offers *offers, bool useful, const char *command, const char *what)
{
	if (!useful)
		return;
	offers->items[offers->nr++] = (struct offer){ command, what };
	offers->widest = strlen(command) > offers->widest ? strlen(command) : offers->widest;
}

/* Bits of the answers about spans that the recording has. */
static unsigned span_answers_of(const struct perfdata_session *session)
{
	struct perfdata_span_counts counts;
	unsigned found = 0;
	for (size_t i = 0; i < NR_SPAN_ANSWERS; i++) {
		perfdata_session_span_counts(session, span_answers[i].kind, &counts);
		found |= counts.spans ? 1u << i : 0;
	}
	return found;
}

static void show_next(struct perfdata_text *out, const char *file, struct perfdata_session *session,
		      const struct name_counts *names)
{
	const struct answerable can = answerable_from(perfdata_session_summary(session));
	const unsigned spans = span_answers_of(session);
	const bool profile = can.time || can.work, waits = spans & 1;
	struct offers offers = { .nr = 0 }, *next = &offers;
	char table[128];
	snprintf(table, sizeof table, "csv --table event:%.100s", can.table ? can.table : "");
	offer_command(next, answer_readings(perfdata_session_summary(session)) > 0, "info",
		      "what the counters read, in each interval");
	offer_command(next, can.time, "report", "where the time goes");
	offer_command(next, can.work && !can.time, "report", "which functions cause the counted events");
	for (size_t i = 0; i < NR_SPAN_ANSWERS; i++) {
		offer_command(next, spans >> i & 1, span_answers[i].report, span_answers[i].what);
		if (!i)
			offer_command(next, waits && can.stacks, "flamegraph --weight off-cpu -o out.html",
				      "which stacks waited, as a picture in a browser");
	}
	offer_command(next, can.occurrences && !profile && !spans, "report",
		      "how often the event happened, and where or in which programs");
	offer_command(next, can.occurrences && profile, "report --by event", "how often each event was sampled");
	offer_command(next, profile, "flamegraph -o out.html", "the same as a picture in a browser");
	offer_command(next, can.occurrences && can.stacks && !profile && !waits, "flamegraph -o out.html",
		      "the stacks of the event, as a picture in a browser");
	offer_command(next, can.switches, "perfetto -o out.pftrace",
		      "when each thread ran and waited, for ui.perfetto.dev");
	offer_command(next, can.table && !can.switches, "perfetto -o out.pftrace",
		      "events in time, for ui.perfetto.dev");
	offer_command(next, can.table, table, "fields of each occurrence, as a table");
	offer_command(next, can.switches, "parquet -o tables/",
		      "all as tables for SQL: who waited how long, for instance");
	offer_command(next, can.table && !can.switches, "parquet -o tables/", "all as tables for SQL");
	offer_command(next, can.samples, "script", "every sample as text");
	offer_command(next, names->named < names->samples, "match", "which files would give names");
	offer_command(next, true, "-v", "all facts in the recording's header");
	perfdata_text_literal(out, "next:\n");
	for (size_t i = 0; i < next->nr; i++)
		show_line(out, next->items[i].command, file, sizeof "  perfdata  " + next->widest + strlen(file) + 1,
			  next->items[i].what);
}

static void show_overview(struct input *input, struct perfdata_session *session, const struct seen *seen,
			  const struct name_counts *names)
{
	static const char *const forms[] = { "file", "pipe stream", "directory" };
	const struct perfdata_summary *summary = perfdata_session_summary(session);
	const struct perfdata_header *header = perfdata_reader_header(input->reader);
	struct perfdata_text out;
	perfdata_text_init(&out);
	answer_text(&out, input->file);
	const bool is_simpleperf = perfdata_reader_feature(input->reader, PERFDATA_FEATURE_META_INFO) ||
				   perfdata_reader_feature(input->reader, PERFDATA_FEATURE_FILE) ||
				   perfdata_reader_feature(input->reader, PERFDATA_FEATURE_FILE2);
	perfdata_text_printf(&out, ": recording of %s (%s, %s-endian", is_simpleperf ? "simpleperf" : "perf",
			     forms[header->container],
			     header->order == PERFDATA_BYTE_ORDER_BIG ? "big" : "little");
	if (header->file_size != UINT64_MAX)
		perfdata_text_printf(&out, ", %" PRIu64 " bytes", header->file_size);
	perfdata_text_literal(&out, ")\n");
	show_losses(&out, summary);
	show_date(&out, input->reader);
	show_command(&out, input->reader);
	show_fact(&out, input->reader, "host: ", PERFDATA_FEATURE_HOSTNAME);
	show_fact(&out, input->reader, "kernel: ", PERFDATA_FEATURE_OSRELEASE);
	show_fact(&out, input->reader, "machine: ", PERFDATA_FEATURE_ARCH);
	show_fact(&out, input->reader, "cpu: ", PERFDATA_FEATURE_CPUDESC);
	show_fact(&out, input->reader, "perf: ", PERFDATA_FEATURE_VERSION);
	device_show(&out, input->reader);
	if (summary->first_time != UINT64_MAX) {
		perfdata_text_literal(&out, "duration: ");
		answer_seconds(&out, summary->last_time - summary->first_time);
		perfdata_text_char(&out, '\n');
	}
	show_events(&out, summary);
	if (seen->nr)
		perfdata_text_printf(&out, "threads: %" PRIu64 " sampled\n", seen->nr);
	show_names(&out, names);
	span_facts_show(&out, session, answerable_from(summary).time);
	show_next(&out, input->file, session, names);
	answer_flush(input, &out);
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
		.needs = PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | (symbols ? PERFDATA_NEED_FRAMES : 0u),
		.symbols = symbols,
		.no_host = !symbols || options->symbols_from,
		.spans = span_facts_kinds(),
	};
	struct seen seen = { 0 };
	struct name_counts names = { 0 };
	struct perfdata_session *session = input_walk(input, &session_options, take_batch, &seen);
	status = seen.failed ? PERFDATA_ENOMEM : PERFDATA_OK;
	if (session && symbols && !status)
		status = name_counts_make(&names, session, &seen.hits);
	if (session && status)
		input_ended(input, status, NULL);
	else if (session)
		show_overview(input, session, &seen, &names);
	name_counts_release(&names);
	frame_hits_release(&seen.hits);
	free(seen.threads);
	perfdata_session_close(session);
	perfdata_symbols_free(symbols);
}

enum exit_code command_overview(struct options *options)
{
	if (options->style.verbose || options->json || options->perf || options->perf_stats)
		return command_info(options);
	if (!options->symbols)
		options->symbols = "yes";
	return answer_each(options, PERFDATA_ORDER_TIME, answer_input);
}
