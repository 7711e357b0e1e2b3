/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "diff_sides.h"
#include "filters.h"
#include "inputs.h"
#include "interrupt.h"
#include "kept_inputs.h"
#include "perfdata/convert.h"
#include "read_files.h"
#include "symbol_options.h"
#include "unnamed_note.h"

static enum perfdata_status convert_side(struct filtered_input *from, const char *file, bool inlines,
					 struct perfdata_output *output, struct perfdata_result **ret,
					 struct perfdata_error *reterr)
{
	const struct options *options = from->options;
	struct messages *messages = &from->input.messages;
	const struct perfdata_setting settings[] = {
		{ "by", options->by ? options->by : "symbol" },
		{ "inline", inlines ? NULL : "no" },
		{ "exact-symbols", options->exact_symbols ? NULL : "no" },
		{ "weight", options->weight },      /* last: left out if not given */
	};
	struct perfdata_reader_options reader;
	struct symbol_options symbols;
	input_prepare(&from->input, options, file, PERFDATA_ORDER_TIME, INPUT_RECORDS_AHEAD, &reader);
	symbol_options_make(options, messages, &symbols);
	struct perfdata_input *input = input_source(options, file);
	const struct perfdata_convert_options how = {
		.size = sizeof how,
		.settings = settings, .nr_settings = sizeof settings / sizeof *settings - !options->weight,
		.symbols = &symbols.options,
		.names = symbol_options_names(options),
		.limit = options->limit,
		.jobs = (unsigned)options->jobs,
		.reader = &reader,
		.on_finding = messages_finding,
		.user = messages,
		.findings = messages_kept,
		.findings_user = messages,
		.on_open = filters_opened,
		.open_user = from,
	};
	const enum perfdata_status status = input ? perfdata_convert(input, output, "baseline", &how, ret, reterr)
						  : PERFDATA_ENOMEM;
	progress_end(&from->input.progress);
	perfdata_input_free(input);
	return status;
}

static enum exit_code add_recording(const struct options *options, const char *file, bool inlines,
				    struct perfdata_baseline *side, bool *ret_fine)
{
	struct filtered_input from = { .options = options };
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct perfdata_result *result = NULL;
	struct perfdata_output *output = perfdata_output_memory();
	enum perfdata_status status = output ? convert_side(&from, file, inlines, output, &result, &error)
					     : PERFDATA_ENOMEM;
	if (status == PERFDATA_OK) {
		const struct perfdata_bytes bytes = perfdata_output_bytes(output);
		status = perfdata_baseline_add(side, bytes.data, bytes.size, &error);
	}
	*ret_fine = status == PERFDATA_OK;
	if (*ret_fine) {
		unnamed_note(&from.input, perfdata_result_session(result));
		filters_note(options, &from.input.messages, file, perfdata_result_summary(result), NULL);
	}
	if (!from.refused)
		input_ended(&from.input, status, status == PERFDATA_EINTR ? NULL : &error);
	input_judge(&from.input, options);
	from.input.reader = NULL;
	perfdata_result_free(result);
	perfdata_output_close(output, false, NULL);
	filters_release(&from.filters);
	return input_close(&from.input, options);
}

/* Memory that a comparison takes for each byte of a stored baseline, at most; measured with short names. */
#define MEMORY_OF_BYTE 20u

/* Adds a file to the side: a stored baseline, recognized by its content, or a recording. *ret_fine: the file was
 * read. */
static enum exit_code add_file(const struct options *options, const char *file, bool inlines,
			       struct perfdata_baseline *side, bool *ret_fine)
{
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	enum perfdata_status status = PERFDATA_ABSENT;
	char path[64];
	const int kept = input_kept(options, file);
	snprintf(path, sizeof path, "/proc/self/fd/%d", kept < 0 ? STDIN_FILENO : kept);
	const bool by_path = kept < 0 && strcmp(file, "-") != 0;
	status = perfdata_baseline_read(side, by_path ? file : path, max_memory_of(options) / MEMORY_OF_BYTE,
					interrupt_cancel(), &error);
	/* --save may replace a baseline that was read */
	if (status == PERFDATA_ABSENT && options->save && is_same_file(options->save, file)) {
		usage_error(&options->style, "--save %s: this recording is read, and the baseline would replace it",
			    options->save);
		*ret_fine = false;
		return EXIT_USAGE;
	}
	/* add_recording reports files that cannot be opened */
	if (status == PERFDATA_ABSENT || status == PERFDATA_EREAD)
		return add_recording(options, file, inlines, side, ret_fine);
	*ret_fine = status == PERFDATA_OK;
	if (!*ret_fine)
		usage_error(&options->style, "%s: %s", file, error.message);
	return exit_code_of_status(status);
}

struct perfdata_baseline *diff_side_read(const struct options *options, const struct text_list *files, bool inlines,
					 enum exit_code *code)
{
	struct perfdata_baseline *side = perfdata_baseline_new();
	bool fine = side;
	if (!side)
		*code = exit_code_join(*code, EXIT_LIMIT);
	for (size_t i = 0; fine && i < files->nr; i++) {
		if (was_interrupted()) {
			*code = exit_code_join(*code, EXIT_INTERRUPTED);
			fine = false;
		} else {
			*code = exit_code_join(*code, add_file(options, files->values[i], inlines, side, &fine));
		}
	}
	if (fine)
		return side;
	perfdata_baseline_free(side);
	return NULL;
}

bool diff_side_has_inlines(const struct perfdata_baseline *side)
{
	const struct perfdata_baseline_recording *recording;
	for (size_t i = 0; (recording = perfdata_baseline_recording(side, i)); i++)
		if (recording->has_inlines)
			return true;
	return false;
}

enum exit_code diff_side_save(const struct options *options, const struct perfdata_baseline *side)
{
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct perfdata_output *output = perfdata_output_path(options->save,
							      options->force ? PERFDATA_OUTPUT_FORCE : 0);
	struct perfdata_text text;
	perfdata_text_init(&text);
	perfdata_baseline_write(side, &text);
	enum perfdata_status status = output && !perfdata_text_failed(&text) ? perfdata_output_open(output, &error)
									     : PERFDATA_ENOMEM;
	if (status == PERFDATA_OK)
		status = perfdata_output_write(output, text.data, text.size);
	/* if a write failed, the output has the reason */
	const bool knows = status == PERFDATA_OK || status == PERFDATA_EWRITE;
	const enum perfdata_status closed = perfdata_output_close(output, status == PERFDATA_OK, knows ? &error : NULL);
	status = status == PERFDATA_OK ? closed : status;
	perfdata_text_release(&text);
	if (status != PERFDATA_OK)
		usage_error(&options->style, "%s: %s", options->save,
			    error.message[0] ? error.message : perfdata_status_text(status));
	return exit_code_of_status(status);
}
