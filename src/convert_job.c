/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "perfdata/convert.h"
#include "convert_job.h"
#include "filters.h"
#include "output_rights.h"
#include "summary.h"
#include "symbol_options.h"
#include "unnamed_note.h"

static enum perfdata_order_wish order_wish(const struct options *options)
{
	if (!options->order)
		return PERFDATA_ORDER_UNSAID;
	return strcmp(options->order, "file") ? PERFDATA_ORDER_WISH_TIME : PERFDATA_ORDER_WISH_FILE;
}

/* Whether only sums of spans are asked for: nothing looks up addresses, and hardly anything is formatted. */
static bool sums_spans(const struct options *options)
{
	const char *table = perfdata_option_text(options->values, options->nr_values, "table");
	return perfdata_option_text(options->values, options->nr_values, "spans") ||
	       (table && !strcmp(table, "threads_time"));
}

/* Flags for input_prepare: if formatting leaves processors idle, threads read ahead. */
static unsigned use_of(const struct job *job)
{
	if (job->at_once > 1)
		return INPUT_HOLD;
	const unsigned threads = job->threads ? job->threads : perfdata_processors();
	if (threads < 2)
		return 0;
	if (threads > 2 || sums_spans(job->options))
		return INPUT_BYTES_AHEAD | INPUT_RECORDS_AHEAD;
	return job->options->emitter->flags & PERFDATA_EMITTER_LIGHT ? INPUT_RECORDS_AHEAD : INPUT_BYTES_AHEAD;
}

/* The user data of callbacks while a recording is converted. */
struct conversion {
	struct job *const *jobs;
	size_t nr_jobs;
	struct filtered_input from;
};

/* One format of a job, and its output. */
struct format {
	struct job *job;
	const struct job_output *where;
	uint64_t rows;
	const struct perfdata_emitter *emitter;
	struct perfdata_setting *settings;
	struct perfdata_output *output;
	struct perfdata_conversion conversion;
};

/* Passes on the given options that the emitter has. False without memory. */
static bool format_settings(struct format *format)
{
	const struct job *job = format->job;
	const struct options *options = job->options;
	format->settings = calloc(options->nr_values + 1, sizeof *format->settings);
	format->conversion = (struct perfdata_conversion){
		.size = sizeof format->conversion,
		.format = format->emitter->name,
		.settings = format->settings,
		.output = format->output,
		.ret_rows = &format->rows,
	};
	for (size_t i = 0; format->settings && i < options->nr_values; i++) {
		const char *name = options->values[i].option->name;
		const bool is_file = !strcmp(name, "base") || !strcmp(name, "repeat");
		const char *text = job->table && !strcmp(name, "table") ? job->table : options->values[i].text;
		/* "-" means stdin to the program, but a path to the library */
		if (is_file && !strcmp(text, "-"))
			text = "/dev/stdin";
		if (perfdata_emitter_option_named(format->emitter, name))
			format->settings[format->conversion.nr_settings++] = (struct perfdata_setting){ name, text };
	}
	return format->settings && format->output;
}

/* Makes the output; the library opens its file later. False without memory. */
static bool format_open(struct format *format)
{
	const struct job *job = format->job;
	const struct job_output *where = format->where;
	const struct options *options = job->options;
	const bool has_memory = format->emitter->flags & PERFDATA_EMITTER_MEMORY;
	const unsigned flags = (options->force ? PERFDATA_OUTPUT_FORCE : 0u) |
			       (job->in_folder ? PERFDATA_OUTPUT_FOLDERS : 0u) |
			       (has_memory ? output_rights_of(&job->file, 1) : 0u);
	format->output = where->path ? perfdata_output_path(where->path, flags) : job->common_output;
	if (!format->output ||
	    (where->head && perfdata_output_beside(format->output, where->head, where->tail) != PERFDATA_OK))
		return false;
	if (job->in_folder && options->pack)
		perfdata_output_pack(format->output, options_packing(options));
	return true;
}

static bool format_make(struct format *format, struct job *job, size_t number)
{
	format->job = job;
	format->where = &job->outputs[number];
	format->emitter = number ? job->options->more_emitters[number - 1] : job->options->emitter;
	return format_open(format) && format_settings(format);
}

/* Closes the output of the format. keep: the file gets its name; otherwise it is removed. */
static enum perfdata_status format_end(struct format *format, bool keep, struct perfdata_error *reterr)
{
	free(format->settings);
	return format->where->path ? perfdata_output_close(format->output, keep, reterr) : PERFDATA_OK;
}

static enum perfdata_status convert_input(struct conversion *conversion,
					  const struct perfdata_conversion *const *formats, size_t nr_formats,
					  struct perfdata_result **ret, struct perfdata_error *reterr)
{
	const struct job *job = conversion->jobs[0];
	const struct options *options = job->options;
	struct messages *messages = &conversion->from.input.messages;
	struct perfdata_reader_options reader;
	struct symbol_options symbols;
	input_prepare(&conversion->from.input, options, job->file, PERFDATA_ORDER_TIME, use_of(job), &reader);
	symbol_options_make(options, messages, &symbols);
	struct perfdata_input *input = input_source(options, job->file);
	const struct perfdata_convert_options how = {
		.size = sizeof how,
		.registry = options->registry,
		.symbols = &symbols.options,
		.names = symbol_options_names(options),
		.order = order_wish(options),
		.limit = options->limit,
		.jobs = job->threads,
		.shared_output = job->shares_output,
		.recording = job->recording,
		.reader = &reader,
		.on_finding = messages_finding,
		.user = messages,
		.findings = messages_kept,
		.findings_user = messages,
		.on_open = filters_opened,
		.open_user = &conversion->from,
	};
	const enum perfdata_status status =
		input ? perfdata_convert_several(input, formats, nr_formats, &how, ret, reterr) : PERFDATA_ENOMEM;
	progress_end(&conversion->from.input.progress);
	perfdata_input_free(input);
	return status;
}

/* Notes once for each input that the output contains user stacks, which may hold secrets of the recorded programs. No
 * note if the user chose the fields. */
static void memory_note(struct conversion *conversion)
{
	const struct options *options = conversion->jobs[0]->options;
	struct input *input = &conversion->from.input;
	const struct perfdata_event *event;
	bool writes = options->emitter->flags & PERFDATA_EMITTER_MEMORY, recorded = false, samples = false;
	for (size_t i = 0; i < options->nr_more_emitters; i++)
		writes |= options->more_emitters[i]->flags & PERFDATA_EMITTER_MEMORY;
	for (size_t i = 0; i < conversion->nr_jobs; i++) {
		const char *table = conversion->jobs[i]->table;
		if (!table)
			table = perfdata_option_text(options->values, options->nr_values, "table");
		samples |= !table || !strcmp(table, "samples");
	}
	for (size_t i = 0; writes && (event = perfdata_reader_event(input->reader, i)); i++)
		recorded |= event->attr->sample_type & PERFDATA_SAMPLE_STACK_USER;
	const char *fields = perfdata_option_text(options->values, options->nr_values, "fields");
	if (samples && recorded && !input->messages.style.quiet && (!fields || strstr(fields, "user_stack")))
		messages_note(&input->messages, input->file,
			      "the output contains memory of the recorded programs (user_stack); `perfdata anonymize` "
			      "makes a recording without it");
}

/* The path of the output that failed; if an output exists already, that one. */
static const char *refused_output(const struct conversion *conversion, const struct perfdata_error *error)
{
	uint64_t bytes, changed;
	const struct job *job = conversion->jobs[0];
	for (size_t i = 0; error->os_error == EEXIST && i < conversion->nr_jobs; i++)
		if (conversion->jobs[i]->outputs[0].path &&
		    outcome_measure(conversion->jobs[i]->outputs[0].path, &bytes, &changed))
			return conversion->jobs[i]->outputs[0].path;
	return job->outputs[0].path ? job->outputs[0].path : job->options->output;
}

static void say_how_it_ended(struct conversion *conversion, enum perfdata_status status,
			     const struct perfdata_error *error)
{
	struct input *input = &conversion->from.input;
	if (conversion->from.refused)
		return;
	/* the output failed, so the message names the output */
	if (status == PERFDATA_EWRITE || (status == PERFDATA_EUSAGE && error->os_error == EEXIST)) {
		messages_error(&input->messages, refused_output(conversion, error), PERFDATA_NO_OFFSET, "%s",
			       error->message);
		input->error = *error;
		input->error.status = status;
		input->code = exit_code_join(input->code, exit_code_of_output(status, error));
		return;
	}
	input_ended(input, status, status == PERFDATA_EINTR && input->reader ? NULL : error);
}

static void take_outcome(struct job *job, const struct input *input, const struct perfdata_result *result,
			 uint64_t written, bool kept)
{
	struct outcome *outcome = &job->outcome;
	uint64_t bytes, changed;
	outcome_take(outcome, input);
	outcome_count(outcome, result ? perfdata_result_summary(result) : NULL);
	outcome->written = written;
	for (size_t i = 0; i < outcome->nr_outputs && !kept; i++)
		free(outcome->outputs[i]);
	outcome->nr_outputs = kept ? outcome->nr_outputs : 0;
	for (size_t i = 0; i < outcome->nr_outputs; i++)
		outcome->bytes_out += outcome_measure(outcome->outputs[i], &bytes, &changed) ? bytes : 0;
}

/* Notes that nothing passed the filters. */
static void note_filters(struct conversion *conversion, const struct perfdata_result *result)
{
	const struct options *options = conversion->from.options;
	const uint64_t rows = perfdata_result_written(result);
	const bool of_rows = options->emitter->flags & PERFDATA_EMITTER_ROWS && !options->nr_more_emitters;
	filters_note(options, &conversion->from.input.messages, conversion->from.input.file,
		     perfdata_result_summary(result), of_rows ? &rows : NULL);
}

static void convert_jobs(struct job *const *jobs, size_t nr_jobs)
{
	const struct options *options = jobs[0]->options;
	struct conversion conversion = { .jobs = jobs, .nr_jobs = nr_jobs, .from.options = options };
	struct perfdata_result *result = NULL;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct format formats[MOST_TABLES_AT_ONCE] = { 0 };
	const struct perfdata_conversion *conversions[MOST_TABLES_AT_ONCE];
	/* either several jobs with a table each, or one job with all its formats */
	const size_t nr = nr_jobs + options->nr_more_emitters;
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < nr; i++) {
		if (!format_make(&formats[i], jobs[nr_jobs > 1 ? i : 0], nr_jobs > 1 ? 0 : i))
			status = PERFDATA_ENOMEM;
		conversions[i] = &formats[i].conversion;
	}
	if (status == PERFDATA_OK)
		status = convert_input(&conversion, conversions, nr, &result, &error);
	else
		messages_init(&conversion.from.input.messages, &options->style, jobs[0]->at_once > 1);
	if (result && input_is_cut(perfdata_result_reader(result), status))
		status = PERFDATA_OK;
	/* an incomplete output gets no name */
	bool keep = status == PERFDATA_OK;
	for (size_t i = 0; i < nr && keep; i++)
		if (formats[i].where->path)
			perfdata_output_each_path(formats[i].output, outcome_add_output, &formats[i].job->outcome);
	for (size_t i = 0; i < nr; i++) {
		const enum perfdata_status closed = format_end(&formats[i], keep, keep ? &error : NULL);
		status = keep && closed != PERFDATA_OK ? closed : status;
		keep &= closed == PERFDATA_OK;
	}
	if (status == PERFDATA_OK && symbols_wanted(options))
		unnamed_note(&conversion.from.input, perfdata_result_session(result));
	bool is_no = false;
	if (status == PERFDATA_OK) {
		memory_note(&conversion);
		note_filters(&conversion, result);
		is_no = messages_counted(&conversion.from.input.messages, PERFDATA_FINDING_NO_FUNCTION);
	}
	say_how_it_ended(&conversion, status, &error);
	input_judge(&conversion.from.input, options);
	const uint64_t written = result ? perfdata_result_written(result) : 0;
	for (size_t i = 0; i < nr_jobs; i++)
		take_outcome(jobs[i], &conversion.from.input, result, nr_jobs > 1 ? formats[i].rows : written, keep);
	conversion.from.input.reader = NULL;
	perfdata_result_free(result);
	filters_release(&conversion.from.filters);
	const enum exit_code code = input_close(&conversion.from.input, options);
	for (size_t i = 0; i < nr_jobs; i++) {
		jobs[i]->outcome.code = code;
		jobs[i]->outcome.is_no = is_no;
	}
}

/* Gives a job its own account, so that it cannot fail because other jobs take the memory. */
static bool share_memory(struct options *one, uint64_t share)
{
	one->max_memory = share;
	return perfdata_memory_new(one->max_memory, one->tmpdir, &one->memory) == PERFDATA_OK;
}

void job_begin(struct job *job, size_t index)
{
	job->outcome.file = job->file;
	job->outcome.recording = job->recording;
	job->outcome.table = job->table;
	job->outcome.index = index;
}

void convert_tables(struct job *const *jobs, size_t nr_jobs)
{
	const struct options *asked = jobs[0]->options;
	struct options one = *asked;
	const uint64_t begun = summary_now();
	const bool has_memory = !jobs[0]->memory || share_memory(&one, jobs[0]->memory);
	for (size_t i = 0; i < nr_jobs; i++) {
		if (strcmp(jobs[i]->file, "-") != 0)
			outcome_measure(jobs[i]->file, &jobs[i]->outcome.bytes_in, &jobs[i]->input_changed);
		jobs[i]->options = &one;
		jobs[i]->outcome.code = EXIT_LIMIT;
	}
	if (has_memory)
		convert_jobs(jobs, nr_jobs);
	else
		usage_error(&asked->style, "out of memory");
	for (size_t i = 0; i < nr_jobs; i++) {
		jobs[i]->options = asked;
		jobs[i]->outcome.ns = summary_now() - begun;
	}
	if (has_memory && one.memory != asked->memory)
		perfdata_memory_free(one.memory);
}

void convert_one(struct job *job) { convert_tables(&(struct job *){ job }, 1); }

void job_release(struct job *job)
{
	for (size_t i = 0; i < sizeof job->outputs / sizeof *job->outputs; i++) {
		free(job->outputs[i].path);
		free(job->outputs[i].head);
		free(job->outputs[i].tail);
	}
	free(job->table);
	outcome_release(&job->outcome);
}
