/* SPDX-License-Identifier: MIT */
/* perfdata convert --to NAME, and every emitter's name: recordings in another format.
 *
 * One output for all inputs is written one input after the other; with -o DIR/ each input has an output of its own, and the inputs share the
 * threads. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "perfdata/convert.h"
#include "commands.h"
#include "filters.h"
#include "inputs.h"
#include "interrupt.h"
#include "symbol_options.h"
#include "table_option.h"
#include "terminal.h"
#include "unnamed_note.h"

/* One conversion: an input and where it goes. */
struct job {
	const struct options *options;
	const char *file;
	char *table;                 /* of --table all, or NULL */
	char *path;                  /* of an output of its own, or NULL */
	struct perfdata_output *output;   /* the shared one, or NULL */
	bool shared;                 /* several inputs write to it */
	bool hold;                   /* several jobs run at once: keep messages together */
	unsigned threads;
	enum exit_code code;
	uint64_t records;            /* that were written, or deliveries */
};

static enum perfdata_wish names_wish(const struct options *options)
{
	if (!options->symbols)
		return PERFDATA_UNSAID;
	return strcmp(options->symbols, "yes") ? PERFDATA_NO : PERFDATA_YES;
}

static enum perfdata_order_wish order_wish(const struct options *options)
{
	if (!options->order)
		return PERFDATA_ORDER_UNSAID;
	return strcmp(options->order, "file") ? PERFDATA_ORDER_WISH_TIME : PERFDATA_ORDER_WISH_FILE;
}

/* Reading takes threads of its own as far as those that format leave processors idle. */
static unsigned use_of(const struct job *job)
{
	if (job->hold)
		return INPUT_HOLD;
	const unsigned threads = job->threads ? job->threads : perfdata_processors();
	if (threads < 2)
		return 0;
	if (threads > 2)
		return INPUT_BYTES_AHEAD | INPUT_RECORDS_AHEAD;
	return job->options->emitter->flags & PERFDATA_EMITTER_LIGHT ? INPUT_RECORDS_AHEAD : INPUT_BYTES_AHEAD;
}

/* A recording while it is converted. */
struct conversion {
	struct job *job;
	struct input input;
	struct filters filters;
	bool refused;                /* it does not fit the filters; that was said */
};

static enum perfdata_status opened(void *user, struct perfdata_reader *reader, struct perfdata_filter *filter, struct perfdata_error *reterr)
{
	struct conversion *conversion = user;
	(void)reterr;
	conversion->input.reader = reader;
	conversion->refused = !filters_make(conversion->job->options, &conversion->input, &conversion->filters);
	*filter = conversion->filters.filter;
	return conversion->refused ? PERFDATA_EUSAGE : PERFDATA_OK;
}

/* One format of a job, and where it goes. */
struct format {
	const struct perfdata_emitter *emitter;
	struct perfdata_setting *settings;
	char *path;                  /* NULL: that of the job, if it has one */
	struct perfdata_output *output;
	struct perfdata_conversion conversion;
};

/* The emitter's own options, as texts. False without memory. */
static bool format_settings(struct format *format, const struct options *options)
{
	format->settings = calloc(options->nr_values + 1, sizeof *format->settings);
	format->conversion = (struct perfdata_conversion){
		.size = sizeof format->conversion, .format = format->emitter->name, .settings = format->settings, .output = format->output,
	};
	for (size_t i = 0; format->settings && i < options->nr_values; i++) {
		const char *name = options->values[i].option->name;
		if (perfdata_emitter_option_named(format->emitter, name))
			format->settings[format->conversion.nr_settings++] = (struct perfdata_setting){ name, options->values[i].text };
	}
	return format->settings && format->output;
}

/* The first format of a job goes to its path or output, others beside that: "DIR/NAME.FORMAT". False without memory. */
static bool format_make(struct format *format, const struct job *job, size_t number)
{
	const struct options *options = job->options;
	const unsigned flags = options->force ? PERFDATA_OUTPUT_FORCE : 0;
	format->emitter = number ? options->more_emitters[number - 1] : options->emitter;
	if (number) {
		const size_t stem = strlen(job->path) - strlen(options->emitter->name);
		if (asprintf(&format->path, "%.*s%s", (int)stem, job->path, format->emitter->name) < 0)
			format->path = NULL;
		format->output = format->path ? perfdata_output_path(format->path, flags) : NULL;
	} else {
		format->output = job->path ? perfdata_output_path(job->path, flags) : job->output;
	}
	return format_settings(format, options);
}

/* The output closed: what is written is kept if `keep`, unless that fails. */
static enum perfdata_status format_end(struct format *format, const struct job *job, bool keep, struct perfdata_error *reterr)
{
	enum perfdata_status status = PERFDATA_OK;
	if (job->path)
		status = perfdata_output_close(format->output, keep, reterr);
	free(format->settings);
	free(format->path);
	return status;
}

static enum perfdata_status convert_input(struct conversion *conversion, const struct perfdata_conversion *const *formats, size_t nr_formats,
					  struct perfdata_result **ret, struct perfdata_error *reterr)
{
	const struct job *job = conversion->job;
	const struct options *options = job->options;
	struct messages *messages = &conversion->input.messages;
	struct perfdata_reader_options reader;
	struct symbol_options symbols;
	input_prepare(&conversion->input, options, job->file, PERFDATA_ORDER_TIME, use_of(job), &reader);
	symbol_options_make(options, messages, &symbols);
	struct perfdata_input *input = strcmp(job->file, "-") ? perfdata_input_path(job->file) : perfdata_input_fd(STDIN_FILENO, "-");
	const struct perfdata_convert_options how = {
		.size = sizeof how,
		.registry = options->registry,
		.symbols = &symbols.options,
		.names = names_wish(options),
		.order = order_wish(options),
		.limit = options->limit,
		.jobs = job->threads,
		.shared_output = job->shared,
		.reader = &reader,
		.on_finding = messages_finding,
		.findings = messages_kept,
		.user = messages,
		.on_open = opened,
		.open_user = conversion,
	};
	const enum perfdata_status status = input ? perfdata_convert_several(input, formats, nr_formats, &how, ret, reterr) : PERFDATA_ENOMEM;
	progress_end(&conversion->input.progress);
	perfdata_input_free(input);
	return status;
}

static void say_how_it_ended(struct conversion *conversion, enum perfdata_status status, const struct perfdata_error *error)
{
	const struct job *job = conversion->job;
	struct input *input = &conversion->input;
	if (conversion->refused)
		return;
	/* of an output, the message names its path; the input is not at fault */
	if (status == PERFDATA_EWRITE) {
		messages_error(&input->messages, job->path ? job->path : job->options->output, PERFDATA_NO_OFFSET, "%s", error->message);
		input->code = exit_code_join(input->code, EXIT_OUTPUT);
		return;
	}
	input_ended(input, status, status == PERFDATA_EINTR && input->reader ? NULL : error);
	/* a package that is missing in this build makes the input unreadable; nothing was wrong with the command */
	if (status == PERFDATA_EUNSUP && !input->reader)
		input->code = EXIT_INPUT;
}

static void convert_job(struct job *job)
{
	const struct options *options = job->options;
	struct conversion conversion = { .job = job };
	struct perfdata_result *result = NULL;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct format formats[MOST_OTHER_FORMATS + 1] = { 0 };
	const struct perfdata_conversion *conversions[MOST_OTHER_FORMATS + 1];
	const size_t nr = options->nr_more_emitters + 1;
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < nr; i++) {
		if (!format_make(&formats[i], job, i))
			status = PERFDATA_ENOMEM;
		conversions[i] = &formats[i].conversion;
	}
	if (status == PERFDATA_OK)
		status = convert_input(&conversion, conversions, nr, &result, &error);
	else
		messages_init(&conversion.input.messages, &options->style, job->hold);
	bool keep = status == PERFDATA_OK || status == PERFDATA_EINTR;
	for (size_t i = 0; i < nr; i++) {
		const enum perfdata_status closed = format_end(&formats[i], job, keep, keep ? &error : NULL);
		status = keep && closed != PERFDATA_OK ? closed : status;
		keep &= closed == PERFDATA_OK;
	}
	if (status == PERFDATA_OK && symbols_wanted(options))
		unnamed_note(&conversion.input, perfdata_result_session(result));
	say_how_it_ended(&conversion, status, &error);
	job->records = result ? perfdata_result_written(result) : 0;
	input_judge(&conversion.input, options);
	conversion.input.reader = NULL;
	perfdata_result_free(result);
	filters_release(&conversion.filters);
	job->code = input_close(&conversion.input, options);
}

/* One of all tables is as if it had been asked for alone: the last value of an option counts. */
static void convert(struct job *job)
{
	const struct options *asked = job->options;
	struct options one = *asked;
	if (!job->table) {
		convert_job(job);
		return;
	}
	one.values = calloc(asked->nr_values + 1, sizeof *one.values);
	if (!one.values) {
		usage_error(&asked->style, "out of memory");
		job->code = EXIT_LIMIT;
		return;
	}
	memcpy(one.values, asked->values, asked->nr_values * sizeof *one.values);
	for (size_t i = 0; i < asked->nr_values; i++)
		if (!strcmp(asked->values[i].option->name, "table"))
			one.values[i].text = job->table;
	one.nr_values = asked->nr_values;
	job->options = &one;
	convert_job(job);
	job->options = asked;
	free(one.values);
}

static void convert_nth(void *user, size_t index)
{
	struct job *job = &((struct job *)user)[index];
	if (interrupted())
		job->code = EXIT_INTERRUPTED;
	else
		convert(job);
}

/* --- one output for all ------------------------------------------------------------------------------------------- */

static enum exit_code convert_to_one(const struct options *options)
{
	const bool to_file = options->output && strcmp(options->output, "-") != 0;
	struct perfdata_output *output = NULL;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct messages messages;
	enum exit_code code = EXIT_FINE;
	if (options->files.nr == 1) {
		struct job job = { .options = options, .file = options->files.values[0], .threads = (unsigned)options->jobs };
		enum perfdata_status status = PERFDATA_OK;
		job.path = to_file ? strdup(options->output) : NULL;
		if (!to_file)
			output = perfdata_output_fd(STDOUT_FILENO);
		if (output)
			status = perfdata_output_open(output, &error);
		else if (!job.path)
			status = PERFDATA_ENOMEM;
		job.output = output;
		if (status == PERFDATA_OK)
			convert(&job);
		else
			usage_error(&options->style, "%s: %s", to_file ? options->output : "stdout",
				    error.message[0] ? error.message : perfdata_status_text(status));
		code = exit_code_join(job.code, exit_code_of_status(status));
		free(job.path);
	} else {
		output = to_file ? perfdata_output_path(options->output, options->force ? PERFDATA_OUTPUT_FORCE : 0) :
				   perfdata_output_fd(STDOUT_FILENO);
		const enum perfdata_status status = output ? perfdata_output_open(output, &error) : PERFDATA_ENOMEM;
		code = exit_code_of_status(status);
		if (status != PERFDATA_OK)
			usage_error(&options->style, "%s: %s", options->output ? options->output : "stdout",
				    error.message[0] ? error.message : perfdata_status_text(status));
		for (size_t i = 0; status == PERFDATA_OK && i < options->files.nr && !interrupted() && code != EXIT_OUTPUT; i++) {
			struct job job = {
				.options = options, .file = options->files.values[i], .output = output, .shared = true,
				.threads = (unsigned)options->jobs,
			};
			convert(&job);
			code = exit_code_join(code, job.code);
		}
	}
	if (!output)
		return code;
	messages_init(&messages, &options->style, false);
	if (perfdata_output_close(output, code != EXIT_OUTPUT, &error) != PERFDATA_OK && code != EXIT_OUTPUT) {
		messages_error(&messages, to_file ? options->output : NULL, PERFDATA_NO_OFFSET, "%s", error.message);
		code = EXIT_OUTPUT;
	}
	messages_release(&messages);
	return code;
}

/* --- one output for each ------------------------------------------------------------------------------------------- */

/* "DIR/" + the input's own name + "." + the table, if it is one of all + "." + the format. */
static char *output_path(const struct options *options, const char *file, const char *table)
{
	size_t size = strlen(file);
	while (size > 1 && file[size - 1] == '/')
		size--;
	const char *name = memrchr(file, '/', size);
	name = name ? name + 1 : file;
	const char *slash = options->output[strlen(options->output) - 1] == '/' ? "" : "/";
	char *path = NULL;
	const bool is_stdin = !strcmp(file, "-");
	if (asprintf(&path, "%s%s%.*s%s%s.%s", options->output, slash, is_stdin ? 5 : (int)(size - (size_t)(name - file)),
		     is_stdin ? "stdin" : name, table ? "." : "", table ? table : "", options->emitter->name) < 0)
		return NULL;
	/* names of events may hold slashes */
	for (char *at = table ? path + strlen(path) - strlen(table) - strlen(options->emitter->name) - 1 : NULL; at && *at; at++)
		if (*at == '/')
			*at = '_';
	return path;
}

/* Two inputs of one name would write one file. */
static bool outputs_differ(const struct options *options, const struct job *jobs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		for (size_t j = 0; j < i; j++) {
			if (strcmp(jobs[i].path, jobs[j].path) != 0)
				continue;
			usage_error(&options->style, "%s and %s would both be written to %s", jobs[j].file, jobs[i].file, jobs[i].path);
			return false;
		}
	}
	return true;
}

static void report(const struct options *options, const struct job *jobs, size_t nr)
{
	struct messages messages;
	messages_init(&messages, &options->style, false);
	for (size_t i = 0; i < nr; i++) {
		const struct job *job = &jobs[i];
		if (job->code == EXIT_FINE)
			messages_note(&messages, job->file, "%" PRIu64 " records written to %s", job->records, job->path);
		else if (job->code == EXIT_DAMAGED || job->code == EXIT_INTERRUPTED)
			messages_note(&messages, job->file, "%s: %" PRIu64 " records written to %s",
				      job->code == EXIT_DAMAGED ? "damaged" : "interrupted", job->records, job->path);
		else
			messages_note(&messages, job->file, "nothing was written");
	}
	messages_release(&messages);
}

/* The jobs of all inputs: one each, or one for each table of each. */
struct job_list {
	struct job *jobs;
	size_t nr, room;
	enum exit_code code;
};

/* Takes over the table. */
static void add_job(struct job_list *list, const struct options *options, const char *file, char *table)
{
	if (list->nr == list->room) {
		const size_t room = list->room ? 2 * list->room : 16;
		struct job *grown = realloc(list->jobs, room * sizeof *grown);
		if (!grown) {
			free(table);
			list->code = EXIT_LIMIT;
			return;
		}
		list->jobs = grown;
		list->room = room;
	}
	struct job *job = &list->jobs[list->nr++];
	*job = (struct job){ .options = options, .file = file, .table = table, .path = output_path(options, file, table) };
	if (!job->path)
		list->code = EXIT_LIMIT;
}

static void add_tables(struct job_list *list, const struct options *options, const char *file)
{
	size_t nr;
	enum exit_code code;
	char **tables = tables_of(options, file, &nr, &code);
	list->code = exit_code_join(list->code, code);
	for (size_t i = 0; i < nr; i++)
		add_job(list, options, file, tables[i]);
	free(tables);
}

static enum exit_code run_jobs(const struct options *options, struct job_list *list)
{
	const unsigned threads = options->jobs ? (unsigned)options->jobs : perfdata_processors();
	const unsigned at_once = threads < list->nr ? threads : (unsigned)list->nr;
	for (size_t i = 0; i < list->nr; i++) {
		list->jobs[i].threads = threads / at_once;
		list->jobs[i].hold = at_once > 1;
	}
	if (!outputs_differ(options, list->jobs, list->nr))
		return EXIT_USAGE;
	enum exit_code code = exit_code_of_status(perfdata_parallel(list->nr, at_once, convert_nth, list->jobs));
	for (size_t i = 0; i < list->nr; i++)
		code = exit_code_join(code, list->jobs[i].code);
	report(options, list->jobs, list->nr);
	return code;
}

static enum exit_code convert_to_many(const struct options *options)
{
	struct job_list list = { 0 };
	for (size_t i = 0; i < options->files.nr; i++) {
		if (tables_are_all(options))
			add_tables(&list, options, options->files.values[i]);
		else
			add_job(&list, options, options->files.values[i], NULL);
	}
	enum exit_code code = list.code;
	if (code == EXIT_LIMIT)
		usage_error(&options->style, "out of memory");
	else if (list.nr)
		code = exit_code_join(code, run_jobs(options, &list));
	for (size_t i = 0; i < list.nr; i++) {
		free(list.jobs[i].path);
		free(list.jobs[i].table);
	}
	free(list.jobs);
	return code;
}

/* --- the command ----------------------------------------------------------------------------------------------------- */

static bool is_directory(const char *path)
{
	struct stat status;
	return path[0] && (path[strlen(path) - 1] == '/' || (stat(path, &status) == 0 && S_ISDIR(status.st_mode)));
}

/* What can be known to go wrong before the first byte is read. */
static bool check(const struct options *options, bool many)
{
	struct stat status;
	const char *output = options->output;
	const struct message_style *style = &options->style;
	if (options->jobs > 4096) {
		usage_error(style, "--jobs %" PRIu64 " is more than 4096", options->jobs);
		return false;
	}
	if (options->nr_more_emitters && !many) {
		usage_error(style, "several formats go to several files: give -o DIR/");
		return false;
	}
	if (options->nr_more_emitters && tables_are_all(options)) {
		usage_error(style, "--table all reads the recording several times: convert to other formats apart from that");
		return false;
	}
	if (tables_are_all(options) && !many) {
		usage_error(style, "--table all writes several files: give -o DIR/");
		return false;
	}
	for (size_t i = 0; tables_are_all(options) && i < options->files.nr; i++) {
		if (!strcmp(options->files.values[i], "-")) {
			usage_error(style, "--table all reads the recording several times: it cannot be stdin");
			return false;
		}
	}
	if (options->files.nr > 1 && options->emitter->flags & PERFDATA_EMITTER_ONE_DOCUMENT && !many) {
		usage_error(style, "%s holds one recording: with several files give -o DIR/", options->emitter->name);
		return false;
	}
	if (many) {
		if (stat(output, &status) == 0 ? S_ISDIR(status.st_mode) : mkdir(output, 0777) == 0)
			return true;
		usage_error(style, "-o %s: no such folder, and it cannot be made", output);
		return false;
	}
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	if (output && perfdata_output_check_path(output, &error) != PERFDATA_OK) {
		usage_error(style, "-o %s: %s", output, error.message);
		return false;
	}
	if (output && strcmp(output, "-") != 0 && !options->force && stat(output, &status) == 0 && S_ISREG(status.st_mode)) {
		usage_error(style, "%s exists already; --force replaces it", output);
		return false;
	}
	return true;
}

/* A terminal, or a pager behind a pipe, shows the output itself: a line between its lines is in the way, unless it was asked for. */
static bool output_is_watched(const struct options *options)
{
	struct stat status;
	if (options->output && strcmp(options->output, "-") != 0)
		return false;
	return isatty(STDOUT_FILENO) || (fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode));
}

enum exit_code command_convert(struct options *options)
{
	if (!inputs_find(options) || !filters_check(options))
		return EXIT_USAGE;
	const bool many = options->output && is_directory(options->output);
	if (!check(options, many))
		return EXIT_USAGE;
	if ((!options->progress || !strcmp(options->progress, "auto")) && output_is_watched(options))
		options->progress = "never";
	if (!terminal_prepare(options))
		return EXIT_LIMIT;
	interrupt_catch();
	return many ? convert_to_many(options) : convert_to_one(options);
}
