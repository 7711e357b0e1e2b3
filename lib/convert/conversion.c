/* SPDX-License-Identifier: MIT */
/* perfdata_convert: combines reader, symbols, session and run as the emitters request. Uses the public headers of these
 * four, except to ask the session for the weight of samples. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/port.h"
#include "perfdata/convert.h"
#include "profile/profile_read.h"
#include "reader/reader.h"
#include "run/run.h"
#include "session/session.h"

#define MOST_CONVERSIONS 64

/* A format: its emitter, and the values of its options. */
struct part {
	const struct perfdata_emitter *emitter;
	struct perfdata_emitter_option_value *values;
	struct perfdata_configuration configuration;
	struct perfdata_target target;
	uint64_t rows, *ret_rows;   /* rows of tables */
	struct pd_profile_read **others;   /* further recordings that options name */
	size_t nr_others;
};

struct perfdata_result {
	struct part *parts;         /* the filter of the session points into them */
	size_t nr_parts;
	struct perfdata_reader *reader;
	struct perfdata_symbols *symbols;
	struct perfdata_session *session;
	struct perfdata_summary summary;
	uint64_t written;
	/* findings for the end of documents, if the caller passes no list for them */
	struct perfdata_finding_list *findings;
	bool finding_lost;
	const struct perfdata_convert_options *options;
	/* members for perfdata_result_ask */
	const struct perfdata_registry *registry;
	enum perfdata_tristate names;
	struct perfdata_configuration asked;    /* configuration of the first part */
	uint32_t needs;
	struct pd_run_past past;
	struct pd_profile_kept kept;
};

/* The requests of all parts together. */
struct plan {
	const struct perfdata_convert_options *options;
	struct part *parts;
	size_t nr_parts;
	uint32_t needs, trace_samples;
	enum perfdata_record_order order;
	bool symbols, merge_deferred, keep_exited, no_stack_copies;
	/* a part that weighs time off the CPU, and a part that weighs the recorded samples; NULL: none */
	const struct part *off_cpu, *plain;
	uint32_t spans;
	const char *span_states;
	bool no_state_frames;
	enum perfdata_wait_frame wait_frame;
};

/* --- formats and their options ------------------------------------------------------------------------------------ */

static enum perfdata_status no_format(const struct plan *plan, const char *name, struct perfdata_error *reterr)
{
	char hint[PERFDATA_NEAREST_SIZE];
	struct perfdata_nearest nearest = { .wanted = name };
	const struct perfdata_emitter *emitter;
	for (size_t i = 0; (emitter = perfdata_registry_at(plan->options->registry, i)); i++)
		perfdata_nearest_offer(&nearest, emitter->name);
	return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "there is no format '%s'%s", name,
			perfdata_nearest_hint(&nearest, "", hint));
}

static enum perfdata_status no_option(const struct perfdata_emitter *emitter, const char *name,
				      struct perfdata_error *reterr)
{
	char hint[PERFDATA_NEAREST_SIZE];
	struct perfdata_nearest nearest = { .wanted = name };
	const struct perfdata_emitter_option *option;
	for (size_t i = 0; (option = perfdata_emitter_option_at(emitter, i)); i++)
		perfdata_nearest_offer(&nearest, option->name);
	return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "unknown option --%s%s", name,
			perfdata_nearest_hint(&nearest, "--", hint));
}

static enum perfdata_status read_settings(struct part *part, const struct perfdata_conversion *asked,
					  struct perfdata_error *reterr)
{
	part->values = pd_calloc(asked->nr_settings, sizeof *part->values);
	if (asked->nr_settings && !part->values)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	for (size_t i = 0; i < asked->nr_settings; i++) {
		const struct perfdata_setting *setting = &asked->settings[i];
		if (!setting->name)
			return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					"option number %zu has no name", i);
		const struct perfdata_emitter_option *option = perfdata_emitter_option_named(part->emitter,
											     setting->name);
		if (!option)
			return no_option(part->emitter, setting->name, reterr);
		const enum perfdata_status status = perfdata_option_parse(option, setting->text, &part->values[i],
									  reterr);
		if (status)
			return status;
	}
	return PERFDATA_OK;
}

static enum perfdata_status read_part(const struct plan *plan, struct part *part,
				      const struct perfdata_conversion *asked, struct perfdata_error *reterr)
{
	struct perfdata_conversion own;
	enum perfdata_status status = PD_OPTIONS_COPY(&own, output, asked, reterr);
	if (status)
		return status;
	if (!own.format || !own.output)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"a conversion needs a format and an output");
	part->emitter = perfdata_registry_find(plan->options->registry, own.format);
	if (!part->emitter)
		return no_format(plan, own.format, reterr);
	status = read_settings(part, &own, reterr);
	if (!status)
		status = pd_emitter_configure(part->emitter, part->values, own.nr_settings, plan->options->names,
						    &part->configuration, reterr);
	part->target = (struct perfdata_target){
		.size = sizeof part->target,
		.emitter = part->emitter,
		.options = part->values,
		.nr_options = own.nr_settings,
		.names = plan->options->names,
		.output = own.output,
		.rows = &part->rows,
	};
	part->ret_rows = own.ret_rows;
	return status;
}

/* --- requests of emitters ----------------------------------------------------------------------------------------- */

static enum perfdata_status require_same_part(const struct part *a, const struct part *b, struct perfdata_error *reterr)
{
	return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
			"%s and %s read a recording in different ways: convert to one after the other",
			a->emitter->name, b->emitter->name);
}

static enum perfdata_status join_parts(struct plan *plan, struct perfdata_error *reterr)
{
	const struct part *first = &plan->parts[0], *delivered = NULL;
	plan->no_stack_copies = true;
	for (size_t i = 0; i < plan->nr_parts; i++) {
		struct part *part = &plan->parts[i];
		const struct perfdata_configuration *asks = &part->configuration;
		/* among several formats, none may change the samples that others count */
		if (plan->nr_parts > 1 && asks->off_cpu == PERFDATA_OFF_CPU_BESIDE)
			part->configuration.off_cpu = PERFDATA_OFF_CPU_USUAL;
		if ((!plan->options->order && asks->order != first->configuration.order) ||
		    asks->keep_exited != first->configuration.keep_exited)
			return require_same_part(first, part, reterr);
		/* only deliveries depend on joining deferred chains */
		if (asks->needs & PERFDATA_NEED_DELIVERIES) {
			if (delivered && delivered->configuration.merge_deferred != asks->merge_deferred)
				return require_same_part(delivered, part, reterr);
			delivered = part;
		}
		/* if no time off the CPU was recorded, all parts weigh samples in the same way */
		if (asks->off_cpu && plan->off_cpu &&
		    (asks->off_cpu != plan->off_cpu->configuration.off_cpu ||
		     asks->no_state_frames != plan->off_cpu->configuration.no_state_frames ||
		     asks->wait_frame != plan->off_cpu->configuration.wait_frame))
			return require_same_part(plan->off_cpu, part, reterr);
		if (asks->off_cpu)
			plan->off_cpu = part;
		else if (asks->needs & PERFDATA_NEED_DELIVERIES)
			plan->plain = part;
		if (asks->span_states && plan->span_states && strcmp(asks->span_states, plan->span_states))
			return require_same_part(first, part, reterr);
		plan->span_states = asks->span_states ? asks->span_states : plan->span_states;
		plan->no_state_frames |= asks->no_state_frames;
		if (asks->off_cpu)
			plan->wait_frame = (enum perfdata_wait_frame)asks->wait_frame;
		plan->spans |= asks->spans;
		plan->needs |= asks->needs;
		plan->trace_samples |= asks->trace_samples;
		plan->symbols |= asks->symbols;
		plan->no_stack_copies &= asks->no_stack_copies;
	}
	plan->order = first->configuration.order;
	plan->keep_exited = first->configuration.keep_exited;
	plan->merge_deferred = delivered ? delivered->configuration.merge_deferred
					 : first->configuration.merge_deferred;
	if (plan->options->order)
		plan->order = plan->options->order == PERFDATA_ORDER_WISH_FILE ? PERFDATA_ORDER_FILE
									       : PERFDATA_ORDER_TIME;
	if (plan->options->names)
		plan->symbols = plan->options->names == PERFDATA_YES;
	return PERFDATA_OK;
}

/* --- findings ----------------------------------------------------------------------------------------------------- */

static void keep_finding(struct perfdata_result *result, const struct perfdata_finding *finding)
{
	result->finding_lost |= perfdata_finding_list_add(result->findings, finding) != PERFDATA_OK;
}

static void reader_finding(void *user, const struct perfdata_finding *finding)
{
	struct perfdata_result *result = user;
	const struct perfdata_reader_options *asked = result->options->reader;
	keep_finding(result, finding);
	if (asked && asked->on_finding)
		asked->on_finding(asked->user, finding);
}

static void run_finding(void *user, const struct perfdata_finding *finding)
{
	struct perfdata_result *result = user;
	keep_finding(result, finding);
	if (result->options->on_finding)
		result->options->on_finding(result->options->user, finding);
}

static const struct perfdata_finding *kept_findings(void *user, size_t *ret_nr, uint64_t *ret_total)
{
	const struct perfdata_result *result = user;
	return perfdata_finding_list_get(result->findings, ret_nr, ret_total);
}

/* --- reading and running ------------------------------------------------------------------------------------------ */

static enum perfdata_status open_reader(const struct plan *plan, const struct perfdata_input *input,
					struct perfdata_result *result, struct perfdata_error *reterr)
{
	struct perfdata_reader_options options = { .size = sizeof options };
	const struct perfdata_reader_options *asked = plan->options->reader;
	const enum perfdata_status status = PD_OPTIONS_COPY(&options, progress_user, asked, reterr);
	if (status)
		return status;
	if (!pd_input_is_whole(input))
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"the end of the input was not fed yet: perfdata_feed_end comes first");
	options.size = sizeof options;
	options.order = plan->order;
	if (!plan->options->findings) {
		options.on_finding = reader_finding;
		options.user = result;
	}
	return perfdata_reader_open(input, &options, &result->reader, reterr);
}

/* If there is only one format, its emitter may narrow the records, except if the caller has a filter. */
static void narrow_filter(const struct plan *plan, struct perfdata_filter *filter)
{
	const struct perfdata_configuration *asks = &plan->parts[0].configuration;
	if (plan->nr_parts > 1)
		return;
	if (!filter->nr_types) {
		filter->types = asks->types;
		filter->nr_types = asks->nr_types;
	}
	if (!filter->nr_events && asks->event) {
		filter->events = &asks->event;
		filter->nr_events = 1;
	}
}

static enum perfdata_status open_session(const struct plan *plan, struct perfdata_result *result,
					 struct perfdata_error *reterr)
{
	struct perfdata_session_options options = {
		.size = sizeof options,
		.needs = plan->needs,
		.limit = plan->options->limit,
		.merge_deferred = plan->merge_deferred,
		.keep_exited = plan->keep_exited,
		.off_cpu = plan->off_cpu ? (enum perfdata_off_cpu)plan->off_cpu->configuration.off_cpu : 0,
		.trace_samples = plan->trace_samples,
		.spans = plan->spans,
		.span_states = plan->span_states,
		.no_state_frames = plan->no_state_frames,
		.wait_frame = plan->wait_frame,
		.no_stack_copies = plan->no_stack_copies,
	};
	struct perfdata_filter filter = { 0 };
	enum perfdata_status status = PD_OPTIONS_COPY(&filter, nr_symbols, plan->options->filter, reterr);
	if (status == PERFDATA_OK && plan->options->on_open) {
		struct perfdata_error why = { .status = PERFDATA_OK };
		status = plan->options->on_open(plan->options->open_user, result->reader, &filter, &why);
		status = pd_error_from(reterr, status, &why);
	}
	if (status)
		return status;
	narrow_filter(plan, &filter);
	options.filter = &filter;
	const bool symbols = plan->symbols || (filter.nr_symbols && plan->options->names != PERFDATA_NO);
	if (symbols && (status = perfdata_symbols_new(plan->options->symbols, &result->symbols)))
		return pd_error_of_status(reterr, status, PERFDATA_NO_OFFSET);
	options.symbols = result->symbols;
	options.no_host = plan->options->symbols && plan->options->symbols->no_host;
	status = perfdata_session_open(result->reader, &options, &result->session, reterr);
	if (status == PERFDATA_OK && plan->plain && pd_session_off_cpu(result->session))
		return require_same_part(plan->off_cpu, plan->plain, reterr);
	return status;
}

/* Reads the recordings that the part's options name. The caller's limits apply to all of them. */
static enum perfdata_status read_others(const struct plan *plan, struct perfdata_result *result, struct part *part,
					struct perfdata_error *reterr)
{
	const struct pd_profile_others *others = part->emitter->others;
	const struct perfdata_reader_options *asked = plan->options->reader;
	struct perfdata_reader_options how = { .size = sizeof how };
	enum perfdata_status status = PD_OPTIONS_COPY(&how, progress_user, asked, reterr);
	const size_t nr = part->target.nr_options;
	part->others = pd_calloc(nr + 1, sizeof(struct pd_profile_read *));
	if (!part->others)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	how.size = sizeof how;
	how.on_progress = NULL;            /* progress is about the first recording */
	how.payloads = false;
	how.on_finding = plan->options->findings ? plan->options->on_finding : run_finding;
	how.user = plan->options->findings ? plan->options->user : result;
	for (const char *const *name = others->options; *name; name++)
		for (size_t i = 0; i < nr && status == PERFDATA_OK; i++) {
			if (strcmp(part->values[i].option->name, *name) != 0)
				continue;
			if (!PD_OPENS_OTHER_RECORDINGS)
				return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
						"--%s names another recording, which this build cannot open", *name);
			status = pd_profile_read_path(part->values[i].text, result->session, &how, &others->wanted,
						      &part->others[part->nr_others], reterr);
			part->nr_others += status == PERFDATA_OK;
		}
	if (status != PERFDATA_OK && reterr && !reterr->status)
		return pd_error_of_status(reterr, status, PERFDATA_NO_OFFSET);
	part->target.others = part->others;
	part->target.nr_others = part->nr_others;
	return status;
}

/* Copies the session's summary, which does not know of damage that formatting found. */
static void take_summary(struct perfdata_result *result)
{
	result->summary = *perfdata_session_summary(result->session);
	result->summary.complete &= !result->past.is_damaged;
}

static enum perfdata_status run_plan(const struct plan *plan, struct perfdata_result *result,
				     struct perfdata_error *reterr)
{
	const struct perfdata_target *targets[MOST_CONVERSIONS];
	for (size_t i = 0; i < plan->nr_parts; i++)
		targets[i] = &plan->parts[i].target;
	const bool own = !plan->options->findings;
	const struct perfdata_run_options options = {
		.size = sizeof options, .jobs = plan->options->jobs, .shared_output = plan->options->shared_output,
		.recording = plan->options->recording,
		.cancel = plan->options->reader ? plan->options->reader->cancel : NULL,
		.on_finding = own ? run_finding : plan->options->on_finding, .user = own ? result : plan->options->user,
		.findings = own ? kept_findings : plan->options->findings,
		.findings_user = own ? result : plan->options->findings_user,
	};
	const enum perfdata_status status = pd_run_emitters(result->session, targets, plan->nr_parts, &options,
							    &result->past, reterr);
	const struct perfdata_summary *summary = perfdata_session_summary(result->session);
	const bool tables = targets[0]->emitter->flags & PERFDATA_EMITTER_ROWS;
	for (size_t i = 0; i < plan->nr_parts; i++) {
		const struct part *part = &plan->parts[i];
		result->written += tables ? part->rows : 0;
		if (part->ret_rows)
			*part->ret_rows = part->rows;
	}
	if (!tables)
		result->written = plan->needs & PERFDATA_NEED_RECORDS ? summary->records_out : summary->deliveries_out;
	return status;
}

static void free_parts(struct part *parts, size_t nr_parts)
{
	for (size_t i = 0; i < nr_parts; i++) {
		for (size_t other = 0; other < parts[i].nr_others; other++)
			pd_profile_read_free(parts[i].others[other]);
		pd_free(parts[i].others);
		pd_free(parts[i].values);
	}
	pd_free(parts);
}

/* Converts the input, and takes over the parts. */
static enum perfdata_status convert_input(const struct plan *plan, const struct perfdata_input *input,
					  struct perfdata_result **ret, struct perfdata_error *reterr)
{
	struct perfdata_result *result = pd_calloc(1, sizeof *result);
	if (result) {
		result->options = plan->options;
		result->findings = perfdata_finding_list_new();
	}
	if (!result || !result->findings) {
		free_parts(plan->parts, plan->nr_parts);
		perfdata_result_free(result);
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	}
	result->parts = plan->parts;
	result->nr_parts = plan->nr_parts;
	result->registry = plan->options->registry;
	result->names = plan->options->names;
	result->asked = plan->parts[0].configuration;
	result->needs = plan->needs;
	if (plan->options->keep && plan->parts[0].emitter->flags & PERFDATA_EMITTER_AGAIN)
		plan->parts[0].target.kept = &result->kept;
	enum perfdata_status status = open_reader(plan, input, result, reterr);
	if (!status)
		status = open_session(plan, result, reterr);
	for (size_t i = 0; i < plan->nr_parts && !status; i++)
		if (plan->parts[i].emitter->others)
			status = read_others(plan, result, &plan->parts[i], reterr);
	if (!status)
		status = run_plan(plan, result, reterr);
	if (result->session)
		take_summary(result);
	if (!status && result->finding_lost)
		status = pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	result->options = NULL;
	if (result->reader && ret)
		*ret = result;
	else
		perfdata_result_free(result);
	return status;
}

/* --- further questions -------------------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

/* Whether the part would sum up the same samples as the conversion did. */
static bool asks_for_same(const struct perfdata_result *result, const struct perfdata_configuration *asks)
{
	const struct perfdata_configuration *had = &result->asked;
	return !(asks->needs & ~result->needs) && asks->order == had->order &&
	       asks->merge_deferred == had->merge_deferred && asks->keep_exited == had->keep_exited &&
	       asks->nr_types == had->nr_types && same_text(asks->event, had->event) &&
	       asks->trace_samples == had->trace_samples && asks->off_cpu == had->off_cpu &&
	       asks->spans == had->spans && same_text(asks->span_states, had->span_states) &&
	       asks->no_state_frames == had->no_state_frames && asks->wait_frame == had->wait_frame;
}

static enum perfdata_status answer_part(struct perfdata_result *result, const struct perfdata_ask_options *asked,
					struct part *part, struct perfdata_error *reterr)
{
	if (!result->kept.profile || !(part->emitter->flags & PERFDATA_EMITTER_AGAIN) ||
	    !asks_for_same(result, &part->configuration))
		return pd_error_of_status(reterr, PERFDATA_ABSENT, PERFDATA_NO_OFFSET);
	const struct perfdata_run_options options = {
		.size = sizeof options, .jobs = asked->jobs, .cancel = asked->cancel,
		.on_finding = asked->on_finding, .user = asked->user,
		.findings = kept_findings, .findings_user = result,
	};
	result->kept.tids = asked->tids;
	result->kept.nr_tids = asked->nr_tids;
	part->target.kept = &result->kept;
	const enum perfdata_status status = pd_run_emitters(result->session,
							    &(const struct perfdata_target *){ &part->target }, 1,
							    &options, &result->past, reterr);
	take_summary(result);   /* the run may have moved its lists */
	if (status == PERFDATA_OK && part->ret_rows)
		*part->ret_rows = part->rows;
	return status;
}

enum perfdata_status perfdata_result_ask(struct perfdata_result *result, const struct perfdata_conversion *conversion,
					 const struct perfdata_ask_options *options, struct perfdata_error *reterr)
{
	struct perfdata_ask_options own = { .size = sizeof own };
	struct part *part = pd_calloc(1, sizeof *part);
	const struct perfdata_convert_options how = { .registry = result->registry, .names = result->names };
	const struct plan plan = { .options = &how };
	enum perfdata_status status = part ? PD_OPTIONS_COPY(&own, cancel, options, reterr)
					   : pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	if (status == PERFDATA_OK)
		status = read_part(&plan, part, conversion, reterr);
	if (status == PERFDATA_OK)
		status = answer_part(result, &own, part, reterr);
	if (part)
		free_parts(part, 1);
	return status;
}

/* --- the calls ---------------------------------------------------------------------------------------------------- */

enum perfdata_status perfdata_convert_several(const struct perfdata_input *input,
					      const struct perfdata_conversion *const *conversions,
					      size_t nr_conversions, const struct perfdata_convert_options *options,
					      struct perfdata_result **ret, struct perfdata_error *reterr)
{
	struct perfdata_convert_options own = { .size = sizeof own };
	struct plan plan = { .options = &own, .nr_parts = nr_conversions };
	if (ret)
		*ret = NULL;
	enum perfdata_status status = PD_OPTIONS_COPY(&own, recording, options, reterr);
	if (status)
		return status;
	if (!nr_conversions || nr_conversions > MOST_CONVERSIONS)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET, "a conversion needs 1 to %u formats",
				MOST_CONVERSIONS);
	plan.parts = pd_calloc(nr_conversions, sizeof *plan.parts);
	if (!plan.parts)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	for (size_t i = 0; i < nr_conversions && !status; i++)
		status = read_part(&plan, &plan.parts[i], conversions[i], reterr);
	if (!status)
		status = join_parts(&plan, reterr);
	if (!status)
		return convert_input(&plan, input, ret, reterr);
	free_parts(plan.parts, nr_conversions);
	return status;
}

enum perfdata_status perfdata_convert(const struct perfdata_input *input, struct perfdata_output *output,
				      const char *format, const struct perfdata_convert_options *options,
				      struct perfdata_result **ret, struct perfdata_error *reterr)
{
	struct perfdata_convert_options own;   /* the caller's struct may be shorter than this version's */
	if (ret)
		*ret = NULL;
	const enum perfdata_status status = PD_OPTIONS_COPY(&own, recording, options, reterr);
	if (status)
		return status;
	const struct perfdata_conversion conversion = {
		.size = sizeof conversion, .format = format, .output = output,
		.settings = own.settings, .nr_settings = own.nr_settings,
	};
	return perfdata_convert_several(input, &(const struct perfdata_conversion *){ &conversion }, 1, &own, ret,
					reterr);
}

void perfdata_result_free(struct perfdata_result *result)
{
	if (!result)
		return;
	free_parts(result->parts, result->nr_parts);   /* further recordings borrow the session */
	pd_profile_kept_release(&result->kept);
	perfdata_session_close(result->session);
	perfdata_symbols_free(result->symbols);
	perfdata_reader_close(result->reader);
	perfdata_finding_list_free(result->findings);
	pd_free(result);
}

const struct perfdata_session *perfdata_result_session(const struct perfdata_result *result) { return result->session; }

const struct perfdata_reader *perfdata_result_reader(const struct perfdata_result *result) { return result->reader; }

struct perfdata_symbols *perfdata_result_symbols(const struct perfdata_result *result) { return result->symbols; }

const struct perfdata_summary *perfdata_result_summary(const struct perfdata_result *result)
{
	return result->session ? &result->summary : NULL;
}

uint64_t perfdata_result_written(const struct perfdata_result *result) { return result->written; }
