/* SPDX-License-Identifier: MIT */
/* `firefox`: the processed format of the Firefox Profiler, version 65. It contains names, and is marked as
 * symbolicated, so that the viewer asks no server for them. A thread has the samples of the first event with samples;
 * each further event gets threads of its own. Tracepoints and records about threads are markers. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/emitters.h"
#include "emit/timelines/firefox.h"
#include "emit/stacks/stack_head.h"
#include "emit/stacks/stack_spool.h"
#include "emit/stacks/stack_text.h"
#include "reader/reader.h"
#include "run/run.h"
#include "session/session.h"
#include "text/json_quoted.h"

static const struct perfdata_emitter_option options[] = {
	STACK_OPTION_WEIGHT("weight of a sample"),
	STACK_OPTIONS_STATE,
	STACK_OPTION_INLINE,
	{ .name = "markers", .kind = PERFDATA_OPTION_FLAG,
	  .help = "add tracepoints, mappings, names, switches and losses as markers (default; --no-markers: none)" },
	STACK_OPTIONS_CHOICE,
	{ 0 },
};

struct state {
	struct stack_gather gather;
	struct timeline *timeline;
	bool inlines, markers;
};

static void release_state(void *pointer)
{
	struct state *state = pointer;
	if (!state)
		return;
	pd_stack_gather_release(&state->gather);
	pd_timeline_free(state->timeline);
	pd_free(state);
}

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	const struct pd_profile_options wanted = { .parts = 0, .by_period = true, .names = PD_NAMES_LINES };
	struct state *state = pointer;
	(void)out;
	state->inlines = perfdata_option_flag(context->options, context->nr_options, "inline", true);
	state->markers = perfdata_option_flag(context->options, context->nr_options, "markers", true);
	const enum perfdata_status status = pd_stack_gather_begin(&state->gather, context, &wanted);
	if (status != PERFDATA_OK)
		return status;
	state->timeline = pd_timeline_new(context->reader, context->session,
					  pd_profile_account(state->gather.profile),
					  pd_outputs_cancel(context->outputs));
	return state->timeline ? PERFDATA_OK : PERFDATA_ENOMEM;
}

STACK_BEGIN(set_up, release_state)

static enum perfdata_status format_batch(const void *pointer, const struct perfdata_batch *batch, void *value,
					 struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct state *state = pointer;
	void *rows = pd_timeline_collect(state->timeline, batch);
	(void)value, (void)scratch, (void)out;
	return rows ? pd_stack_pair_format(state, batch, rows, pd_timeline_part_free, ret_part) : PERFDATA_ENOMEM;
}

static enum perfdata_status add_rows(void *pointer, void *rows)
{
	const struct state *state = pointer;
	return pd_timeline_add(state->timeline, rows);
}

static enum perfdata_status merge_part(void *pointer, void *part, struct perfdata_text *out)
{
	(void)out;
	return pd_stack_pair_merge(pointer, part, add_rows);
}

/* --- the head ----------------------------------------------------------------------------------------------------- */

struct extra {
	struct perfdata_text *out;
	bool first;
};

static void put_extra(struct extra *extra, const char *label, const char *value)
{
	perfdata_text_string(extra->out, extra->first ? "{\"label\":" : ",{\"label\":");
	pd_json_text(extra->out, label);
	perfdata_text_literal(extra->out, ",\"format\":\"string\",\"value\":");
	pd_json_text(extra->out, value);
	perfdata_text_char(extra->out, '}');
	extra->first = false;
}

static void write_note(void *user, const char *line) { put_extra(user, "Note", line); }

static void put_meta(const struct state *state, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	const struct perfdata_reader *reader = state->gather.reader;
	const char *release = perfdata_reader_feature_text(reader, PERFDATA_FEATURE_OSRELEASE);
	const struct perfdata_bytes app = perfdata_reader_feature(reader, PERFDATA_FEATURE_META_INFO)
						  ? pd_reader_meta(reader, "app_package_name")
						  : (struct perfdata_bytes){ NULL, 0 };
	struct perfdata_text command, system;
	struct extra extra = { out, true };
	double interval = 1;
	for (uint32_t i = 0; i < pd_profile_nr_events(state->gather.profile); i++) {
		const struct perfdata_attr *attr = perfdata_reader_event(reader, i)->attr;
		if (!pd_profile_event(state->gather.profile, i) || !attr->sample_period)
			continue;
		if (perfdata_attr_has(attr, PERFDATA_ATTR_FREQ))
			interval = 1000.0 / (double)attr->sample_period;
		else if (pd_stack_event_is_clock(perfdata_reader_event(reader, i)))
			interval = (double)attr->sample_period / 1e6;
		break;
	}
	perfdata_text_init(&command);
	perfdata_text_init(&system);
	pd_stack_head_command(reader, &command);
	perfdata_text_printf(&system, "Linux %s", release ? release : "");
	perfdata_text_printf(out,
			     "{\"meta\":{\"preprocessedProfileVersion\":65,\"version\":24,\"processType\":0,"
			     "\"stackwalk\":1,\"interval\":%.6g,\"product\":",
			     interval);
	/* name of the app, if the recording of a device has it */
	if (!app.size || !perfdata_text_json_string(out, (const char *)app.data, app.size))
		pd_json_text(out, pd_stack_last_part(perfdata_reader_header(reader)->name));
	perfdata_text_literal(out, ",\"oscpu\":");
	perfdata_text_json_string(out, system.data, system.size);
	perfdata_text_literal(out, ",\"platform\":\"X11\",\"importedFrom\":\"perfdata\",\"arguments\":");
	perfdata_text_json_string(out, command.data, command.size);
	if (end->summary->first_time != UINT64_MAX)
		perfdata_text_printf(out, ",\"startTimeAsClockMonotonicNanosecondsSinceBoot\":\"%" PRIu64 "\"",
				     end->summary->first_time);
	perfdata_text_literal(
		out,
		",\"symbolicated\":true,\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		"\"keepProfileThreadOrder\":true,"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},\n\"categories\":");
	pd_firefox_categories(state->gather.session, out);
	perfdata_text_literal(out,
			      ",\n\"markerSchema\":[{\"name\":\"perfdata\",\"tableLabel\":\"{marker.data.text}\","
			      "\"tooltipLabel\":\"{marker.name}\","
			      "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\"fields\":[{"
			      "\"key\":\"text\",\"label\":\"What\","
			      "\"format\":\"unique-string\"}]}],\n\"extra\":[{\"label\":\"Recording\",\"entries\":[");
	for (const struct stack_fact *fact = pd_stack_facts; fact->name; fact++)
		if (perfdata_reader_feature_text(reader, fact->feature))
			put_extra(&extra, fact->name, perfdata_reader_feature_text(reader, fact->feature));
	pd_stack_head_warnings(end, write_note, &extra);
	perfdata_text_literal(out, "]}]},\n");
	out->failed |= perfdata_text_failed(&command) || perfdata_text_failed(&system);
	perfdata_text_release(&command);
	perfdata_text_release(&system);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

struct writing {
	const struct state *state;
	struct firefox_tables *tables;
	struct perfdata_text *out;
	uint64_t zero;               /* time */
	bool first;
};

/* Milliseconds since the first sample; negative before it. */
static void put_time(struct perfdata_text *out, uint64_t time, uint64_t zero)
{
	const bool before = time < zero;
	const uint64_t span = before ? zero - time : time - zero;
	if (time == UINT64_MAX) {
		perfdata_text_char(out, '0');
		return;
	}
	perfdata_text_printf(out, "%s%" PRIu64 ".%06" PRIu64, before ? "-" : "", span / 1000000, span % 1000000);
}

static void put_stack(struct perfdata_text *out, uint32_t stack)
{
	if (stack == UINT32_MAX)
		perfdata_text_literal(out, "null");
	else
		perfdata_text_u64(out, stack);
}

static void put_pid(struct perfdata_text *out, const struct timeline_thread *thread, int32_t id)
{
	perfdata_text_printf(out, "\"%" PRId32, id);
	if (thread->generation)
		perfdata_text_printf(out, ".%" PRIu32, thread->generation);
	perfdata_text_char(out, '"');
}

static bool is_of(const struct timeline_row *row, uint32_t event)
{
	return event != PERFDATA_NONE && row->event == event;
}

/* The rows of a thread. */
struct range {
	uint32_t thread;
	size_t first, end;
};

static const struct timeline_row *row_at(const struct writing *writing, size_t row)
{
	return pd_timeline_row(writing->state->timeline, row);
}

/* Writes a column's value for each row that is a sample of the event. */
typedef enum perfdata_status sample_column_fn(struct writing *writing, const struct timeline_row *row);

static enum perfdata_status put_sample_column(struct writing *writing, const struct range *range, uint32_t event,
					      sample_column_fn *put)
{
	enum perfdata_status status = PERFDATA_OK;
	bool first = true;
	perfdata_text_char(writing->out, '[');
	for (size_t i = range->first; i < range->end && status == PERFDATA_OK; i++) {
		const struct timeline_row *row = row_at(writing, i);
		if (!is_of(row, event))
			continue;
		if (!first)
			perfdata_text_char(writing->out, ',');
		first = false;
		status = put(writing, row);
		perfdata_text_cut(writing->out);
	}
	perfdata_text_char(writing->out, ']');
	return status;
}

static enum perfdata_status sample_stack(struct writing *writing, const struct timeline_row *row)
{
	uint32_t stack;
	const enum perfdata_status status = pd_firefox_stack(writing->tables, row->node, &stack);
	if (status == PERFDATA_OK)
		put_stack(writing->out, stack);
	return status;
}

static enum perfdata_status sample_time(struct writing *writing, const struct timeline_row *row)
{
	put_time(writing->out, row->time, writing->zero);
	return PERFDATA_OK;
}

static enum perfdata_status sample_weight(struct writing *writing, const struct timeline_row *row)
{
	if (pd_session_off_cpu(writing->state->gather.session) != PERFDATA_OFF_CPU_RECORDED)
		put_time(writing->out, row->weight, 0);      /* ns → ms */
	else
		perfdata_text_u64(writing->out, row->weight);
	return PERFDATA_OK;
}

static enum perfdata_status put_samples(struct writing *writing, const struct range *range, uint32_t event,
					bool weights)
{
	size_t used = 0;
	for (size_t i = range->first; i < range->end; i++)
		used += is_of(row_at(writing, i), event);
	const bool of_time = pd_session_off_cpu(writing->state->gather.session) != PERFDATA_OFF_CPU_RECORDED;
	perfdata_text_printf(writing->out, ",\n\"samples\":{\"length\":%zu,\"weightType\":\"%s\",\"stack\":", used,
			     of_time ? "tracing-ms" : "samples");
	const enum perfdata_status status = put_sample_column(writing, range, event, sample_stack);
	perfdata_text_literal(writing->out, ",\"time\":");
	(void)put_sample_column(writing, range, event, sample_time);
	perfdata_text_literal(writing->out, ",\"weight\":");
	if (weights || of_time)
		(void)put_sample_column(writing, range, event, sample_weight);
	else
		perfdata_text_literal(writing->out, "null");
	perfdata_text_char(writing->out, '}');
	return status;
}

static bool is_shown(const struct timeline_row *row) { return row->name != PERFDATA_NONE && row->time != UINT64_MAX; }

/* Whether a marker is an interval (of a span) instead of an instant. */
static bool row_lasts(const struct timeline_row *row) { return row->event == PERFDATA_NONE && row->weight; }

static enum perfdata_status put_markers(struct writing *writing, const struct range *range)
{
	struct perfdata_text *out = writing->out;
	size_t used = 0;
	enum perfdata_status status = PERFDATA_OK;
	perfdata_text_literal(out, ",\n\"markers\":{\"data\":[");
	for (size_t i = range->first; i < range->end && status == PERFDATA_OK; i++) {
		const struct timeline_row *row = row_at(writing, i);
		uint32_t stack = UINT32_MAX;
		if (!is_shown(row))
			continue;
		perfdata_text_printf(
			out, "%s{\"type\":\"perfdata\",\"text\":%" PRIu32, used++ ? "," : "",
			pd_firefox_string(writing->tables, pd_timeline_string(writing->state->timeline, row->text)));
		if (row->event != PERFDATA_NONE || row->node)
			status = pd_firefox_stack(writing->tables, row->node, &stack);
		if (stack != UINT32_MAX)
			perfdata_text_printf(out, ",\"cause\":{\"stack\":%" PRIu32 "}", stack);
		perfdata_text_char(out, '}');
		perfdata_text_cut(out);
	}
	static const char *const columns[] = { "name", "startTime", "endTime", "phase", "category" };
	perfdata_text_char(out, ']');
	for (size_t column = 0; column < sizeof columns / sizeof *columns; column++) {
		bool first = true;
		perfdata_text_printf(out, ",\"%s\":[", columns[column]);
		for (size_t i = range->first; i < range->end; i++) {
			const struct timeline_row *row = row_at(writing, i);
			if (!is_shown(row))
				continue;
			if (!first)
				perfdata_text_char(out, ',');
			first = false;
			if (column == 0)
				perfdata_text_u64(out, pd_firefox_string(writing->tables,
									 pd_timeline_string(writing->state->timeline,
											    row->name)));
			else if (column == 1 || (column == 2 && row_lasts(row)))
				put_time(out, row->time + (column == 2 ? row->weight : 0), writing->zero);
			else if (column == 3)
				perfdata_text_char(out, row_lasts(row) ? '1' : '0');
			else
				perfdata_text_char(out, '0');
			perfdata_text_cut(out);
		}
		perfdata_text_char(out, ']');
	}
	perfdata_text_printf(out, ",\"length\":%zu}", used);
	return status;
}

/* Writes a thread of the viewer: rows of a recorded thread for one event; the thread of the first event has the
 * markers. */
static enum perfdata_status put_thread(struct writing *writing, const struct range *range, uint32_t event,
				       bool is_first, bool is_main)
{
	const struct timeline_thread *thread = pd_timeline_thread(writing->state->timeline, range->thread);
	const struct range none = { 0 };
	const char *comm = thread->comm == PERFDATA_NONE
				   ? ""
				   : perfdata_session_comm(writing->state->gather.session, thread->comm);
	struct perfdata_text *out = writing->out, name;
	perfdata_text_init(&name);
	perfdata_text_string(&name, thread->tid < 0 ? "recording" : comm);
	if (!is_first && event != PERFDATA_NONE)
		perfdata_text_printf(&name, " [%s]", perfdata_reader_event(writing->state->gather.reader, event)->name);
	perfdata_text_string(out, writing->first ? "\n{\"name\":" : ",\n{\"name\":");
	writing->first = false;
	perfdata_text_json_string(out, name.data, name.size);
	perfdata_text_printf(
		out, ",\"isMainThread\":%s,\"processType\":\"default\",\"processName\":", is_main ? "true" : "false");
	pd_json_text(out, comm);
	perfdata_text_literal(out, ",\"pid\":");
	put_pid(out, thread, thread->pid);
	perfdata_text_literal(out, ",\"tid\":");
	put_pid(out, thread, thread->tid);
	perfdata_text_literal(out, ",\"registerTime\":");
	put_time(out, thread->first, writing->zero);
	perfdata_text_literal(out, ",\"unregisterTime\":null,\"processStartupTime\":");
	put_time(out, thread->first, writing->zero);
	perfdata_text_literal(out, ",\"processShutdownTime\":null,\"pausedRanges\":[],\"showMarkersInTimeline\":true");
	enum perfdata_status status = put_samples(writing, range, event, !is_first);
	if (status == PERFDATA_OK)
		status = put_markers(writing, is_first && writing->state->markers ? range : &none);
	perfdata_text_char(out, '}');
	out->failed |= perfdata_text_failed(&name);
	perfdata_text_release(&name);
	return status;
}

static bool has_samples(const struct writing *writing, const struct range *range, uint32_t event)
{
	for (size_t i = range->first; i < range->end; i++)
		if (row_at(writing, i)->event == event)
			return true;
	return false;
}

static enum perfdata_status put_events(struct writing *writing, const struct range *range, uint32_t first_event,
				       bool is_main)
{
	const struct state *state = writing->state;
	enum perfdata_status status = put_thread(writing, range, first_event, true, is_main);
	for (uint32_t i = 0; i < pd_profile_nr_events(state->gather.profile) && status == PERFDATA_OK; i++)
		if (i != first_event && pd_profile_event_whole(state->gather.profile, i) &&
		    pd_timeline_samples(state->timeline, i) && has_samples(writing, range, i))
			status = put_thread(writing, range, i, false, false);
	return status;
}

static enum perfdata_status put_threads(struct writing *writing)
{
	const struct state *state = writing->state;
	struct pd_hash_map mains = { 0 };    /* pid and generation → 1: its main thread was written */
	struct range range = { .end = 0 };
	uint32_t first = 0;
	while (first < pd_profile_nr_events(state->gather.profile) &&
	       !(pd_profile_event_whole(state->gather.profile, first) && pd_timeline_samples(state->timeline, first)))
		first++;
	first = first < pd_profile_nr_events(state->gather.profile) ? first : PERFDATA_NONE;
	enum perfdata_status status = pd_timeline_sort(state->timeline);
	if (status == PERFDATA_OK && state->gather.choice)
		status = pd_timeline_leave_out(state->timeline, state->gather.profile);
	for (uint32_t i = 0; i < pd_timeline_nr_threads(state->timeline) && status == PERFDATA_OK; i++) {
		uint64_t seen;
		const struct timeline_thread *thread = pd_timeline_thread(state->timeline, i);
		const uint64_t process = (uint64_t)(uint32_t)thread->pid << 32 | thread->generation;
		const bool is_main = !pd_hash_map_get(&mains, process, &seen);
		range = (struct range){ i, range.end, range.end + thread->nr_rows };
		if (is_main && pd_hash_map_put(&mains, process, 1) < 0)
			status = PERFDATA_ENOMEM;
		if (status == PERFDATA_OK)
			status = put_events(writing, &range, first, is_main);
	}
	pd_hash_map_release(&mains);
	return status == PERFDATA_OK ? pd_timeline_failed(state->timeline) : status;
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	struct stack_spool threads;
	enum perfdata_status status = pd_stack_gather_finish(&state->gather);
	if (status != PERFDATA_OK)
		return status;
	struct firefox_tables *tables = pd_firefox_tables_new(state->gather.profile, state->gather.session,
							      state->inlines, state->gather.choice);
	if (!tables)
		return PERFDATA_ENOMEM;
	pd_stack_spool_init(&threads, pd_profile_account(state->gather.profile));
	struct writing writing = { .state = state, .tables = tables, .out = &threads.text, .first = true,
				   .zero = end->summary->first_time == UINT64_MAX ? 0 : end->summary->first_time };
	status = put_threads(&writing);
	if (status == PERFDATA_OK) {
		put_meta(state, end, out);
		status = pd_firefox_tables_put(tables, out);
	}
	if (status == PERFDATA_OK) {
		perfdata_text_literal(out, ",\n\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n\"threads\":[");
		status = pd_stack_spool_copy(&threads, 0, pd_stack_spool_size(&threads), out);
		perfdata_text_literal(out, "]}\n");
		if (status == PERFDATA_OK && perfdata_text_failed(out))
			status = PERFDATA_ENOMEM;
	}
	pd_stack_spool_release(&threads);
	pd_firefox_tables_free(tables);
	return status;
}

/* Spans become markers, except those of running and runnable threads, which samples show. */
static enum perfdata_status configure_session(void *user, struct perfdata_configuration *configuration)
{
	if (perfdata_option_flag(configuration->options, configuration->nr_options, "markers", true))
		configuration->spans = PD_SPANS_ARGS | (((1u << PERFDATA_SPAN_KINDS) - 1) &
							~(1u << PERFDATA_SPAN_RUN | 1u << PERFDATA_SPAN_RUNQ));
	return pd_stack_configure(user, configuration);
}

const struct perfdata_emitter pd_emitter_firefox = {
	.name = "firefox",
	.task = PERFDATA_TASK_VIEW,
	.help = "a file for profiler.firefox.com: threads in time, stacks, markers",
	.needs = STACK_GATHER_NEEDS,
	.configure = configure_session,
	.option_rules = pd_stack_rules_state,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT | PERFDATA_EMITTER_LIGHT,
	.mime = "application/json",
	.suffix = "firefox.json",
	STACK_EMITTER(release_state),
	.format = format_batch,
	.merge = merge_part,
	.free_part = pd_stack_pair_free,
};
