/* SPDX-License-Identifier: MIT */
/* perfdata_top: returns the rows of a report as structs. */
#include "config.h"
#include <string.h>
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "emit/emitters.h"
#include "emit/report/report.h"
#include "perfdata/convert.h"
#include "perfdata/top.h"

struct top {
	struct perfdata_top public;
	struct pd_arena arena;       /* memory of all that `public` points to */
	const char *wanted;          /* event name; NULL: all */
	uint64_t most;
	const struct perfdata_reader_options *reading;   /* options of the caller; NULL: defaults */
	bool found;
};

/* --- rows --------------------------------------------------------------------------------------------------------- */

static const char *copy_text(struct top *top, const char *text)
{
	return pd_arena_copy(&top->arena, text, strlen(text));
}

/* Returns NULL without memory. */
static const struct perfdata_top_function *copy_row(struct top *top, const struct perfdata_session *session,
						    const struct report_row *row)
{
	struct perfdata_top_function *function = pd_arena_calloc(&top->arena, 1, sizeof *function);
	struct perfdata_bytes id = { NULL, 0 };
	if (!function)
		return NULL;
	if (row->dso != PERFDATA_NONE)
		id = perfdata_session_build_id(session, row->dso, NULL);
	*function = (struct perfdata_top_function){
		.name = copy_text(top, row->name),
		.file = copy_text(top, row->file),
		.kind = row->kind,   /* kind is a static string */
		.build_id = { (const uint8_t *)pd_arena_copy(&top->arena, id.size ? (const void *)id.data : "",
							     id.size),
			      id.size },
		.self = row->sum.self[1],
		.total = row->sum.total[1],
		.self_samples = row->sum.self[0],
		.total_samples = row->sum.total[0],
	};
	return function->name && function->file && function->build_id.data ? function : NULL;
}

static enum perfdata_status take_event(void *user, const struct perfdata_session *session,
				       const struct report_event *event)
{
	struct top *top = user;
	if (top->found || (top->wanted && strcmp(top->wanted, event->name)))
		return PERFDATA_OK;
	const size_t nr = top->most && top->most < event->nr_rows ? (size_t)top->most : event->nr_rows;
	const struct perfdata_top_function **functions = pd_arena_calloc(&top->arena, nr + 1, sizeof *functions);
	if (!functions)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		functions[i] = copy_row(top, session, &event->rows[i]);
		if (!functions[i])
			return PERFDATA_ENOMEM;
	}
	top->found = true;
	top->public = (struct perfdata_top){
		.event = copy_text(top, event->name),
		.measure = event->measure,
		.weight = event->all[1],
		.samples = event->all[0],
		.functions = functions,
		.nr_functions = nr,
		.nr_left_out = event->nr_rows - nr,
	};
	return top->public.event ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* --- the report --------------------------------------------------------------------------------------------------- */

/* Reports damage inside records, which is found while their samples are summed up, like other damage. */
static void take_finding(void *user, const struct perfdata_finding *finding)
{
	struct top *top = user;
	if (top->reading && top->reading->on_finding)
		top->reading->on_finding(top->reading->user, finding);
}

/* Writer for an emitter that writes no bytes. */
static int write_nothing(void *user, const void *bytes, size_t size)
{
	(void)user, (void)bytes, (void)size;
	return 0;
}

static enum perfdata_status add_emitter(struct perfdata_registry *registry, struct report_taker *taker,
					struct perfdata_error *reterr)
{
	struct perfdata_emitter emitter = pd_emitter_report;
	emitter.name = "top";
	emitter.user = taker;
	return pd_registry_add(registry, &emitter, reterr);
}

/* Distinguishes an event without samples from one that does not exist. */
static enum perfdata_status check_event(struct top *top, const struct perfdata_reader *reader,
					struct perfdata_error *reterr)
{
	if (top->found)
		return PERFDATA_OK;
	top->public.event = copy_text(top, top->wanted ? top->wanted : "");
	top->public.functions = pd_arena_calloc(&top->arena, 1, sizeof *top->public.functions);
	if (!top->public.event || !top->public.functions)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	for (size_t i = 0; top->wanted && i < perfdata_reader_nr_events(reader); i++) {
		const struct perfdata_event *event = perfdata_reader_event(reader, i);
		if (strcmp(event->name, top->wanted))
			continue;
		top->public.measure = perfdata_event_measure(event);
		return PERFDATA_OK;
	}
	if (!top->wanted)
		return PERFDATA_OK;
	return pd_error(reterr, PERFDATA_ABSENT, PERFDATA_NO_OFFSET, "there is no event '%s'", top->wanted);
}

static enum perfdata_status report_top(struct top *top, const struct perfdata_input *input,
				   const struct perfdata_top_options *asked, const struct perfdata_registry *registry,
				       struct perfdata_output *output, struct perfdata_error *reterr)
{
	const struct perfdata_setting settings[] = { { "by", "symbol" },
						     { "inline", asked->no_inlines ? "no" : NULL } };
	const struct perfdata_convert_options options = {
		.size = sizeof options, .registry = registry, .settings = settings,
		.nr_settings = sizeof settings / sizeof *settings, .filter = asked->filter, .symbols = asked->symbols,
		.names = asked->no_names ? PERFDATA_NO : PERFDATA_YES, .reader = asked->reader, .jobs = asked->jobs,
		.on_finding = take_finding, .user = top,
	};
	struct perfdata_result *result = NULL;
	enum perfdata_status status = perfdata_convert(input, output, "top", &options, &result, reterr);
	if (status == PERFDATA_OK)
		status = check_event(top, perfdata_result_reader(result), reterr);
	if (status == PERFDATA_OK)
		top->public.complete = perfdata_result_summary(result)->complete;
	perfdata_result_free(result);
	return status;
}

static enum perfdata_status run_top(struct top *top, const struct perfdata_input *input,
				    const struct perfdata_top_options *asked, struct perfdata_error *reterr)
{
	const struct perfdata_output_callbacks callbacks = { .size = sizeof callbacks, .write = write_nothing };
	struct report_taker taker = { take_event, top };
	struct perfdata_registry *registry = perfdata_registry_new();
	struct perfdata_output *output = perfdata_output_callbacks(&callbacks, NULL);
	enum perfdata_status status = PERFDATA_OK;
	if (!registry || !output)
		status = pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	if (status == PERFDATA_OK)
		status = add_emitter(registry, &taker, reterr);
	if (status == PERFDATA_OK)
		status = report_top(top, input, asked, registry, output, reterr);
	const enum perfdata_status closed = perfdata_output_close(output, status == PERFDATA_OK,
								  status == PERFDATA_OK ? reterr : NULL);
	perfdata_registry_free(registry);
	return status != PERFDATA_OK ? status : closed;
}

/* --- the calls ---------------------------------------------------------------------------------------------------- */

enum perfdata_status perfdata_top(const char *path, const struct perfdata_top_options *options,
				  struct perfdata_top **ret, struct perfdata_error *reterr)
{
	struct perfdata_top_options own;
	enum perfdata_status status = PD_OPTIONS_COPY(&own, jobs, options, reterr);
	if (status != PERFDATA_OK)
		return status;
	if (!path == !own.input)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "a path or an input is needed, not both");
	struct perfdata_input *file = path ? perfdata_input_path(path) : NULL;
	struct top *top = pd_calloc(1, sizeof *top);
	if (!top || (path && !file)) {
		status = pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	} else {
		top->wanted = own.event;
		top->most = own.most;
		top->reading = own.reader;
		status = run_top(top, file ? file : own.input, &own, reterr);
	}
	perfdata_input_free(file);
	if (status == PERFDATA_OK)
		*ret = &top->public;
	else if (top)
		perfdata_top_free(&top->public);
	return status;
}

void perfdata_top_free(struct perfdata_top *public)
{
	if (!public)
		return;
	struct top *top = (struct top *)public;
	pd_arena_release(&top->arena);
	pd_free(top);
}
