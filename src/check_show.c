/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "answers.h"
#include "check_show.h"
#include "print.h"

static void spell_counts(struct perfdata_text *out, const struct messages *messages, uint64_t records)
{
	perfdata_text_printf(out, "%" PRIu64 " records, %" PRIu64 " errors, %" PRIu64 " warnings", records,
			     messages->errors, messages->warnings);
}

static void spell_findings(struct perfdata_text *out, const struct input *input, bool only_errors)
{
	const struct messages *messages = &input->messages;
	char code[8];
	size_t nr;
	const struct perfdata_finding *kept = perfdata_finding_list_get(messages->kept, &nr, NULL);
	for (size_t i = 0; i < nr; i++) {
		const struct perfdata_finding *finding = &kept[i];
		if (only_errors && finding->severity != PERFDATA_SEVERITY_ERROR)
			continue;
		answer_text(out, finding->file ? finding->file : input->file);
		if (finding->offset != PERFDATA_NO_OFFSET)
			perfdata_text_printf(out, ":0x%" PRIx64, finding->offset);
		perfdata_text_printf(out, ": %s: ", perfdata_severity_name(finding->severity));
		answer_text(out, finding->message);
		perfdata_text_printf(out, " [%s]\n", message_code(finding->severity, finding->code, code));
	}
	if (messages->total > nr && !only_errors)
		perfdata_text_printf(out, "… %" PRIu64 " more\n", messages->total - nr);
}

/* --- as text ------------------------------------------------------------------------------------------------------ */

static void show_text(struct input *input, const struct outcome *outcome, bool only_errors)
{
	struct perfdata_text out;
	perfdata_text_init(&out);
	spell_findings(&out, input, only_errors);
	if (!only_errors) {
		answer_text(&out, input->file);
		perfdata_text_literal(&out, ": ");
		spell_counts(&out, &input->messages, outcome->records);
		perfdata_text_char(&out, '\n');
	}
	answer_flush(input, &out);
}

/* --- as JSON ------------------------------------------------------------------------------------------------------ */

/* An input that could not be opened has `error` and no count of records. */
static void show_json(struct input *input, const struct outcome *outcome, bool several)
{
	const struct messages *messages = &input->messages;
	json_object *document = json_new_object(), *findings = json_new_array();
	json_add(document, "file", answer_json_text(input, input->file));
	json_add(document, "records", input->reader ? json_new_number(outcome->records) : NULL);
	json_add(document, "errors", json_new_number(messages->errors));
	json_add(document, "warnings", json_new_number(messages->warnings));
	json_add(document, "findings_total", json_new_number(messages->total));
	json_add(document, "findings", findings);
	size_t nr;
	const struct perfdata_finding *kept = perfdata_finding_list_get(messages->kept, &nr, NULL);
	for (size_t i = 0; i < nr; i++)
		json_append(findings, answer_json_finding(input, &kept[i]));
	const struct perfdata_finding failure = input_failure(input);
	json_add(document, "exit_code", json_new_integer((int32_t)input->code));
	json_add(document, "error", input->error.status ? answer_json_finding(input, &failure) : NULL);
	answer_print(input, document, several);
}

/* --- as JUnit ----------------------------------------------------------------------------------------------------- */

/* Returns the first finding of the highest severity: its code is the type of the test case. */
static const struct perfdata_finding *worst_finding(const struct messages *messages)
{
	size_t nr;
	const struct perfdata_finding *found = NULL, *kept = perfdata_finding_list_get(messages->kept, &nr, NULL);
	for (size_t i = 0; i < nr; i++)
		if (!found || kept[i].severity > found->severity)
			found = &kept[i];
	return found;
}

static void add_case(struct junit *junit, const struct input *input, uint64_t records)
{
	const struct perfdata_finding *finding = worst_finding(&input->messages);
	const bool broken = input->code != EXIT_FINE && input->code != EXIT_ANSWER_NO;
	struct perfdata_text details, message;
	char code[8];
	perfdata_text_init(&details);
	perfdata_text_init(&message);
	spell_findings(&details, input, false);
	if (broken)
		perfdata_text_string(&message, input->error.message);
	else
		spell_counts(&message, &input->messages, records);
	perfdata_text_char(&message, '\0');
	details.failed |= perfdata_text_failed(&message);
	junit_case(junit, input->file,
		   broken                          ? JUNIT_BROKEN
		   : input->code == EXIT_ANSWER_NO ? JUNIT_FAILED
						   : JUNIT_PASSED,
		   broken    ? exit_code_meaning(input->code)
		   : finding ? message_code(finding->severity, finding->code, code)
			     : NULL,
		   message.data ? message.data : "", &details);
	perfdata_text_release(&message);
	perfdata_text_release(&details);
}

/* --- as SARIF ----------------------------------------------------------------------------------------------------- */

static void add_results(struct perfdata_text *out, const struct input *input)
{
	size_t nr;
	const struct perfdata_finding *kept = perfdata_finding_list_get(input->messages.kept, &nr, NULL);
	for (size_t i = 0; i < nr; i++)
		sarif_result(out, &kept[i], input->file);
	if (input->error.status)
		sarif_failure(out, input->file, input->error.message);
}

/* --- annotations -------------------------------------------------------------------------------------------------- */

/* Escapes text for a workflow command of GitHub, where colons and commas end properties. */
static void spell_escaped(struct perfdata_text *out, const char *text, bool is_property)
{
	for (; *text; text++) {
		const bool escape = *text == '%' || *text == '\r' || *text == '\n' ||
				    (is_property && (*text == ':' || *text == ','));
		if (escape)
			perfdata_text_printf(out, "%%%02X", (unsigned)(uint8_t)*text);
		else
			perfdata_text_char(out, *text);
	}
}

static void write_annotation(struct check_show *show, struct input *input, const struct perfdata_finding *finding,
			     const char *title)
{
	static const char *const commands[] = { "notice", "warning", "error" };
	struct perfdata_text out, message;
	if (show->options->style.quiet && finding->severity != PERFDATA_SEVERITY_ERROR)
		return;
	if (show->annotated[finding->severity]++ >= ANNOTATIONS_SHOWN)
		return;
	perfdata_text_init(&out);
	perfdata_text_init(&message);
	answer_text(&message, finding->message);
	if (finding->offset != PERFDATA_NO_OFFSET)
		perfdata_text_printf(&message, " (at 0x%" PRIx64 ")", finding->offset);
	perfdata_text_char(&message, '\0');
	perfdata_text_printf(&out, "::%s file=", commands[finding->severity]);
	spell_escaped(&out, finding->file ? finding->file : input->file, true);
	perfdata_text_literal(&out, ",title=");
	spell_escaped(&out, title, true);
	perfdata_text_literal(&out, "::");
	spell_escaped(&out, message.data ? message.data : "", false);
	perfdata_text_char(&out, '\n');
	out.failed |= perfdata_text_failed(&message);
	perfdata_text_release(&message);
	answer_flush(input, &out);
}

static void annotate_input(struct check_show *show, struct input *input)
{
	size_t nr;
	const struct perfdata_finding *kept = perfdata_finding_list_get(input->messages.kept, &nr, NULL);
	char title[80], code[8];
	for (size_t i = 0; i < nr; i++) {
		const struct perfdata_finding_info *info = perfdata_finding_lookup(kept[i].code);
		snprintf(title, sizeof title, "%s %s", message_code(kept[i].severity, kept[i].code, code),
			 info ? info->name : "");
		write_annotation(show, input, &kept[i], title);
	}
	const struct perfdata_finding failure = {
		.severity = PERFDATA_SEVERITY_ERROR, .offset = PERFDATA_NO_OFFSET, .message = input->error.message,
	};
	if (input->error.status)
		write_annotation(show, input, &failure, "cannot be read");
}

static void count_what_is_not_shown(const struct check_show *show)
{
	uint64_t more = 0;
	for (size_t i = 0; i < sizeof show->annotated / sizeof *show->annotated; i++)
		more += show->annotated[i] > ANNOTATIONS_SHOWN ? show->annotated[i] - ANNOTATIONS_SHOWN : 0;
	char line[120];
	snprintf(line, sizeof line, "::notice title=perfdata::%" PRIu64 " more findings are in the log of this step",
		 more);
	if (more)
		print_line(line);
}

/* --- all forms -------------------------------------------------------------------------------------------------- */

void check_show_begin(struct check_show *show, const struct options *options)
{
	memset(show, 0, sizeof *show);
	show->options = options;
	junit_init(&show->junit, "perfdata.check");
	perfdata_text_init(&show->sarif);
}

void check_show_input(struct check_show *show, struct input *input, const struct outcome *outcome)
{
	const struct options *options = show->options;
	if (options->junit)
		add_case(&show->junit, input, outcome->records);
	else if (options->sarif)
		add_results(&show->sarif, input);
	else if (options->json)
		show_json(input, outcome, options->files.nr > 1);
	else if (input->reader)
		show_text(input, outcome, options->style.quiet);
	if (options->annotate)
		annotate_input(show, input);
	fflush(stdout);
}

bool check_show_end(struct check_show *show, size_t done, enum exit_code code)
{
	const struct options *options = show->options;
	struct perfdata_text out;
	perfdata_text_init(&out);
	for (size_t i = done; i < options->files.nr && options->junit; i++)
		junit_case(&show->junit, options->files.values[i], JUNIT_SKIPPED, NULL,
			   code == EXIT_INTERRUPTED ? "interrupted" : "not begun", NULL);
	if (options->junit)
		junit_end(&show->junit, "perfdata check", &out);
	else if (options->sarif)
		sarif_document(&out, &show->sarif, code);
	else if (options->annotate)
		count_what_is_not_shown(show);
	const bool fine = !perfdata_text_failed(&out);
	if (fine && out.size)
		print_answer(out.data, out.size);
	perfdata_text_release(&out);
	perfdata_text_release(&show->sarif);
	return fine;
}
