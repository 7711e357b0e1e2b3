/* SPDX-License-Identifier: MIT */
/* perfdata convert --to NAME, and commands named after emitters: write recordings in another format.
 *
 * Without -o DIR/ all inputs go to one output, one input after the other. With -o DIR/ each input has its own output,
 * and inputs are converted in parallel. */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "convert_many.h"
#include "commands.h"
#include "convert_job.h"
#include "filters.h"
#include "input_list.h"
#include "interrupt.h"
#include "kept_inputs.h"
#include "output_name.h"
#include "output_rights.h"
#include "read_files.h"
#include "summary.h"
#include "table_option.h"
#include "terminal.h"

/* --- one output for all ------------------------------------------------------------------------------------------- */

/* Removes temporary files of killed runs beside the output. */
static void clean_beside(const char *path)
{
	char *folder = output_folder(path);
	if (folder)
		perfdata_output_clean(folder);
	free(folder);
}

static enum exit_code cannot_write(const struct options *options, enum perfdata_status status,
				   const struct perfdata_error *error)
{
	const bool to_file = options->output && strcmp(options->output, "-") != 0;
	usage_error(&options->style, "%s: %s", to_file ? options->output : "stdout",
		    error->message[0] ? error->message : perfdata_status_text(status));
	return exit_code_of_output(status, error);
}

static enum exit_code close_output(const struct options *options, struct perfdata_output *output, bool to_file,
				   enum exit_code code)
{
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct messages messages;
	/* an incomplete file gets no name; bytes written to a stream cannot be undone */
	const bool keep = code != EXIT_OUTPUT && !(to_file && was_interrupted());
	messages_init(&messages, &options->style, false);
	const enum perfdata_status status = perfdata_output_close(output, keep, &error);
	if (status && code != EXIT_OUTPUT) {
		messages_error(&messages, to_file ? options->output : NULL, PERFDATA_NO_OFFSET, "%s", error.message);
		code = exit_code_of_status(status);
	}
	messages_release(&messages);
	return code;
}

/* Converts a single input to a file. The job creates the file after it has opened the recording, so that an unreadable
 * recording leaves no file. */
static enum exit_code convert_to_file(const struct options *options, struct summary *summary)
{
	const struct listed *input = &options->inputs->items[0];
	struct job job = {
		.options = options,
		.file = input->file,
		.recording = input->recording,
		.threads = (unsigned)options->jobs,
		.outputs = { { .path = strdup(options->output) } },
	};
	if (!job.outputs[0].path)
		return cannot_write(options, PERFDATA_ENOMEM, &(struct perfdata_error){ 0 });
	job_begin(&job, 0);
	convert_one(&job);
	summary_add(summary, &job.outcome);
	job_release(&job);
	return EXIT_FINE;
}

static enum exit_code convert_to_one(const struct options *options, struct summary *summary)
{
	const bool to_file = options->output && strcmp(options->output, "-") != 0;
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	if (to_file)
		clean_beside(options->output);
	if (to_file && options->inputs->nr == 1)
		return convert_to_file(options, summary);
	const unsigned rights = options->emitter->flags & PERFDATA_EMITTER_MEMORY
					? output_rights_of(options->files.values, options->files.nr)
					: 0u;
	const unsigned flags = rights | (options->force ? PERFDATA_OUTPUT_FORCE : 0u);
	struct perfdata_output *output = to_file ? perfdata_output_path(options->output, flags)
						 : perfdata_output_fd(STDOUT_FILENO);
	const enum perfdata_status status = output ? perfdata_output_open(output, &error) : PERFDATA_ENOMEM;
	if (status != PERFDATA_OK) {
		perfdata_output_close(output, false, NULL);
		return cannot_write(options, status, &error);
	}
	for (size_t i = 0;
	     i < options->inputs->nr && !was_interrupted() && summary->code != EXIT_OUTPUT && !summary->stop; i++) {
		struct job job = {
			.options = options,
			.file = options->inputs->items[i].file,
			.recording = options->inputs->items[i].recording,
			.common_output = output,
			.shares_output = options->inputs->nr > 1,
			.threads = (unsigned)options->jobs,
		};
		job_begin(&job, i);
		convert_one(&job);
		summary_add(summary, &job.outcome);
		job_release(&job);
	}
	return close_output(options, output, to_file, summary->code);
}

/* Converts all to one output, and sums up the inputs. */
static enum exit_code convert_with_summary(const struct options *options)
{
	struct summary summary;
	const enum exit_code begun = summary_begin(&summary, options, options->inputs->nr > 1);
	if (begun != EXIT_FINE)
		return begun;
	const enum exit_code code = convert_to_one(options, &summary);
	if (options->style.perf)
		options->style.perf->samples = summary.samples;
	return summary_end(&summary, was_interrupted() ? exit_code_join(code, EXIT_INTERRUPTED) : code);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static bool is_directory(const char *path)
{
	struct stat status;
	return path[0] && (path[strlen(path) - 1] == '/' || (stat(path, &status) == 0 && S_ISDIR(status.st_mode)));
}

/* Whether the output is a folder: an existing folder, a name that ends with a slash, or a new name for several
 * files. */
static bool output_is_folder(const struct options *options)
{
	struct stat status;
	const char *output = options->output;
	if (!output || is_directory(output))
		return output != NULL;
	const bool several = options->nr_more_emitters || options->emitter->flags & PERFDATA_EMITTER_ONLY_NAMED ||
			     tables_are_several(options);
	return several && strcmp(output, "-") != 0 && stat(output, &status) != 0 && errno == ENOENT;
}

/* Rejects wrong use before any recording is read. False after a message. */
static bool check_outputs(const struct options *options, bool many)
{
	struct stat status;
	const char *output = options->output;
	const struct message_style *style = &options->style;
	if (options->nr_more_emitters && !many) {
		usage_error(style, "several formats need -o DIR/");
		return false;
	}
	if (options->emitter->flags & PERFDATA_EMITTER_ONLY_NAMED && !many) {
		usage_error(style, "%s writes several files: use -o DIR/", options->emitter->name);
		return false;
	}
	if (options->nr_more_emitters && tables_are_several(options)) {
		usage_error(style,
			    "several tables cannot be combined with other formats: convert to these separately");
		return false;
	}
	if (tables_are_several(options) && !many) {
		usage_error(style, "--table all, or a list, writes several files: use -o DIR/");
		return false;
	}
	for (size_t i = 0; tables_are_several(options) && i < options->files.nr; i++) {
		if (input_is_stream(options->files.values[i])) {
			usage_error(style, "several tables may need to read the input twice, but %s can be read only "
					   "once",
				    strcmp(options->files.values[i], "-") ? "a pipe" : "stdin");
			return false;
		}
	}
	if (options->files.nr > 1 && options->emitter->flags & PERFDATA_EMITTER_ONE_DOCUMENT && !many) {
		usage_error(style, "an output of %s holds one recording: for several FILEs use -o "
				   "DIR/", options->emitter->name);
		return false;
	}
	if (many)
		return output_name_check(options);
	if (options->name || options->pack || options->resume) {
		usage_error(style, "--%s applies to files in a folder: use -o DIR/",
			    options->name   ? "name"
			    : options->pack ? "pack"
					    : "resume");
		return false;
	}
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	if (output && perfdata_output_check_path(output, &error) != PERFDATA_OK) {
		usage_error(style, "-o %s: %s", output, error.message);
		return false;
	}
	if (output && strcmp(output, "-") != 0 && !options->force && stat(output, &status) == 0 &&
	    S_ISREG(status.st_mode)) {
		usage_error(style, "%s exists already; --force replaces it", output);
		return false;
	}
	return !output || output_is_apart(options, "-o", output);
}

/* Whether stdout is a terminal, or a pipe, which may lead to a pager. Progress lines would mix with the output there,
 * so they need --progress always. */
static bool output_is_watched(const struct options *options)
{
	struct stat status;
	if (options->output && strcmp(options->output, "-") != 0)
		return false;
	return isatty(STDOUT_FILENO) || (fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode));
}

enum exit_code command_convert(struct options *options)
{
	/* with a folder, an input that is named twice would have one output twice: read it once */
	const bool many = output_is_folder(options);
	if (!input_list_make(options, many) || !filters_check(options))
		return EXIT_USAGE;
	if (!check_outputs(options, many))
		return EXIT_USAGE;
	/* --resume replaces outdated outputs */
	options->force |= options->resume;
	if ((!options->progress || !strcmp(options->progress, "auto")) && output_is_watched(options))
		options->progress = "never";
	if (!terminal_prepare(options))
		return EXIT_LIMIT;
	interrupt_catch();
	return many ? convert_to_many(options) : convert_with_summary(options);
}
