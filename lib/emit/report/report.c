/* SPDX-License-Identifier: MIT */
/* `report`: where the time goes, or where and how often something happened, as text, JSON or CSV. Each event has a
 * separate block: weights of different events are never added up. */
#include "config.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "emit/emitters.h"
#include "emit/report/report_event.h"
#include "emit/report/report_spans.h"
#include "emit/stacks/stack_head.h"
#include "emit/stacks/stack_text.h"
#include "session/session.h"

/* Whether source positions are needed: they take reading debug information, and text shows them only by line. */
static bool shows_sources(const struct report_options *report)
{
	return report->by == REPORT_LINE || report->form != REPORT_TEXT;
}

/* Parts of the profile's key that the report needs besides the stack: enum pd_profile_parts. */
static uint32_t part_of(const struct report_options *options, enum report_by key)
{
	return key == REPORT_THREAD || key == REPORT_PROCESS ? PD_BY_THREAD
	       : key == REPORT_COMM			     ? (options->last_names ? PD_BY_THREAD : PD_BY_COMM)
	       : key == REPORT_CPU			     ? PD_BY_CPU
							     : 0;
}

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	struct report_state *state = pointer;
	struct pd_profile_options wanted = { .by_period = true };
	if (!pd_report_read_options(context, &state->options))
		return PERFDATA_EUSAGE;
	if (pd_report_spans_asked(context->options, context->nr_options))
		return pd_stack_asks_again(context) ? PERFDATA_ABSENT :
			pd_report_spans_new(context, &state->spans, out);
	const enum report_by by = state->options.by;
	for (unsigned i = 0; i < state->options.nr_keys; i++)
		wanted.parts |= part_of(&state->options, state->options.keys[i]);
	wanted.parts_of_occurrences = state->options.by_default ? PD_BY_COMM : 0;
	const bool no_functions = by == REPORT_DSO || by == REPORT_BUILD_ID || pd_report_is_by_wait(by);
	wanted.names = no_functions								? PD_NAMES_NONE
		       : state->options.inlines || shows_sources(&state->options) ? PD_NAMES_LINES
										  : PD_NAMES_SYMBOLS;
	state->taker = context->emitter_user;
	state->listener = pd_stack_listener_of(context);
	if (state->options.form == REPORT_CSV && !context->shared_output)
		pd_report_csv_head(&state->options, out);
	return pd_stack_gather_begin(&state->gather, context, &wanted);
}

static void release_state(void *pointer)
{
	struct report_state *state = pointer;
	if (state)
		pd_report_spans_free(state->spans);
	pd_stack_release(state);
}

STACK_BEGIN_OF(struct report_state, set_up, release_state)

static enum perfdata_status configure(void *user, struct perfdata_configuration *configuration)
{
	return pd_report_spans_asked(configuration->options, configuration->nr_options)
		       ? pd_report_spans_configure(configuration)
		       : pd_report_configure(user, configuration);
}

static enum perfdata_status format_batch(const void *pointer, const struct perfdata_batch *batch, void *value,
					 struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct report_state *state = pointer;
	return state->spans ? pd_report_spans_format(state->spans, batch, ret_part)
			    : pd_stack_gather_format(pointer, batch, value, scratch, out, ret_part);
}

static enum perfdata_status merge_part(void *pointer, void *part, struct perfdata_text *out)
{
	struct report_state *state = pointer;
	return state->spans ? pd_report_spans_merge(state->spans, part) : pd_stack_gather_merge(pointer, part, out);
}
/* --- the whole report
 * -------------------------------------------------------------------------------------------------- */

static enum perfdata_status add_entries(struct report_writer *writer, struct pd_profile_walk *walk)
{
	const struct pd_profile_entry *entry;
	const bool one_block = writer->state->options.by == REPORT_EVENT;
	enum perfdata_status status;
	bool open = false;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK) {
		if (!open || (entry->key.event != writer->index && !one_block)) {
			if (open)
				status = pd_report_write_event(writer);
			pd_report_event_release(writer);
			open = true;
			if (status == PERFDATA_OK)
				status = pd_report_event_begin(writer, entry->key.event);
		} else if (entry->key.event != writer->index) {
			const struct pd_profile_sums *sums = pd_profile_event(writer->state->gather.profile,
									      entry->key.event);
			writer->index = entry->key.event;
			pd_sum_up(&writer->event.all[0], sums->samples);
			pd_sum_up(&writer->event.whole[0],
				  pd_profile_event_whole(writer->state->gather.profile, entry->key.event)->samples);
			writer->event.name =
				perfdata_reader_event(writer->state->gather.reader, entry->key.event)->name;
		}
		if (status == PERFDATA_OK)
			status = pd_report_add_entry(writer, entry);
		if (status != PERFDATA_OK)
			return status;
	}
	if (status != PERFDATA_END)
		return status;
	if (open && one_block) {
		writer->event.name = "events";
		writer->event.measure = PERFDATA_MEASURE_COUNT;
		writer->event.all[1] = writer->event.all[0];
		writer->event.whole[1] = writer->event.whole[0];
		for (size_t i = 0; i < writer->event.nr_rows; i++)
			writer->event.rows[i].sum.self[1] = writer->event.rows[i].sum.self[0];
	}
	return open ? pd_report_write_event(writer) : PERFDATA_OK;
}

/* Writes the counts of events that count occurrences, if there are several, before the reports of events. */
static enum perfdata_status write_counts(struct report_writer *writer)
{
	const struct report_state *state = writer->state;
	const struct pd_profile *profile = state->gather.profile;
	struct report_event counts = { .name = "events",
				       .measure = PERFDATA_MEASURE_OCCURRENCES,
				       .by = REPORT_EVENT };
	size_t room = 0;
	for (uint32_t i = 0; i < pd_profile_nr_events(profile); i++) {
		const struct pd_profile_sums *sums = pd_profile_event(profile, i);
		const struct perfdata_event *event = perfdata_reader_event(state->gather.reader, i);
		if (!sums || perfdata_event_measure(event) != PERFDATA_MEASURE_OCCURRENCES)
			continue;
		if (pd_vector_grow(&counts.rows, &room, counts.nr_rows, sizeof *counts.rows) < 0) {
			pd_free(counts.rows);
			return PERFDATA_ENOMEM;
		}
		struct report_row *row = &counts.rows[counts.nr_rows++];
		*row = pd_report_plain_row(event->name);
		pd_report_add_sums(&row->sum, sums);
		pd_sum_up(&counts.all[0], sums->samples);
		pd_sum_up(&counts.all[1], sums->weight);
	}
	if (counts.nr_rows > 1) {
		pd_report_sort_rows(&state->options, counts.rows, counts.nr_rows);
		pd_report_text_event(&state->options, &counts, writer->out);
	}
	pd_free(counts.rows);
	return PERFDATA_OK;
}

static void report_absent_function(const struct report_writer *writer)
{
	const struct report_options *asked = &writer->state->options;
	pd_stack_report_name(&writer->state->listener, PERFDATA_FINDING_NO_FUNCTION,
			     asked->view == REPORT_CALLERS ? "--callers" : "--callees", asked->function,
			     "no function in the stacks has this name");
}

static enum perfdata_status write_report(struct report_writer *writer)
{
	const struct report_options *asked = &writer->state->options;
	struct pd_profile_walk *walk = NULL;
	enum perfdata_status status = pd_profile_walk_paths(writer->state->gather.profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	if (asked->form == REPORT_JSON)
		pd_report_json_head(asked, &writer->head, writer->out);
	else if (asked->form == REPORT_TEXT && !writer->state->taker)
		pd_report_text_head(asked, &writer->head, writer->out);
	if (asked->by_default)
		status = write_counts(writer);
	if (status == PERFDATA_OK)
		status = add_entries(writer, walk);
	pd_report_event_release(writer);
	pd_profile_walk_free(walk);
	if (status == PERFDATA_OK && asked->function && writer->nr_events && !writer->is_asked_for)
		report_absent_function(writer);
	if (asked->form == REPORT_JSON)
		pd_report_json_end(&writer->head, writer->out);
	else if (asked->form == REPORT_TEXT && !writer->state->taker && !writer->nr_events)
		pd_report_text_nothing(writer->state->gather.profile, &writer->head, writer->out);
	return status;
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct report_state *state = pointer;
	const enum report_by by = state->options.by;
	struct report_writer writer = { .state = state, .out = out };
	if (state->spans)
		return pd_report_spans_end(state->spans, &state->options, end, out);
	writer.head = (struct report_head){ .end = end,
					    .first_document = true,
					    .choice = state->gather.choice,
					    .file = state->gather.shared_output
							    ? perfdata_reader_header(state->gather.reader)->name
							    : NULL };
	enum perfdata_status status = pd_stack_gather_finish(&state->gather);
	writer.labels = pd_stack_gather_labels(&state->gather, by == REPORT_DSO	? STACK_BY_FILE
								: by == REPORT_LINE	? STACK_BY_LINE
								: by == REPORT_BUILD_ID ? STACK_BY_BUILD_ID
								: pd_report_is_by_wait(by) ? STACK_BY_STATE
											: STACK_BY_FUNCTION,
					 state->options.inlines, shows_sources(&state->options));
	if (!writer.labels)
		return PERFDATA_ENOMEM;
	if (status == PERFDATA_OK)
		status = write_report(&writer);
	pd_stack_route_free(writer.place.route);
	pd_stack_place_release(&writer.place);
	pd_free(writer.by_label);
	pd_free(writer.open);
	pd_free(writer.pending);
	pd_free(writer.comms);
	pd_free(writer.touched);
	pd_free(writer.process_of);
	pd_broken_stacks_release(&writer.broken);
	pd_stack_gather_leave_labels(&state->gather, writer.labels);
	return pd_stack_ended(status, out);
}

const struct perfdata_emitter pd_emitter_report = {
	.name = "report",
	.task = PERFDATA_TASK_LOOK,
	.help = "where the time goes: functions, files, threads, … with their shares",
	.needs = STACK_GATHER_NEEDS | PERFDATA_NEED_CUT_STACKS,
	.configure = configure,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_LIGHT | PERFDATA_EMITTER_AGAIN,
	.suffix = "txt",
	.option_rules = pd_report_rules,
	STACK_EMITTER_WITH(pd_report_options, release_state),
	.format = format_batch,
	.merge = merge_part,
	.free_part = pd_profile_part_free,
};
