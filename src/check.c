/* SPDX-License-Identifier: MIT */
/* perfdata check: what is wrong with a recording. Damage is the answer here, not a failure: 0 or 1, and 3 for what is no recording. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include "answers.h"
#include "commands.h"
#include "interrupt.h"
#include "junit.h"

static void spell_counts(struct perfdata_text *out, const struct messages *messages, uint64_t records)
{
	perfdata_text_printf(out, "%" PRIu64 " records, %" PRIu64 " errors, %" PRIu64 " warnings", records, messages->errors, messages->warnings);
}

static void spell_findings(struct perfdata_text *out, const struct input *input)
{
	const struct messages *messages = &input->messages;
	char code[8];
	size_t nr;
	const struct perfdata_finding *kept = perfdata_finding_list_get(messages->kept, &nr, NULL);
	for (size_t i = 0; i < nr; i++) {
		const struct perfdata_finding *finding = &kept[i];
		answer_text(out, finding->file ? finding->file : input->file);
		if (finding->offset != PERFDATA_NO_OFFSET)
			perfdata_text_printf(out, ":0x%" PRIx64, finding->offset);
		perfdata_text_printf(out, ": %s: ", message_level(finding->severity));
		answer_text(out, finding->message);
		perfdata_text_printf(out, " [%s]\n", message_code(finding->severity, finding->code, code));
	}
	if (messages->total > nr)
		perfdata_text_printf(out, "… %" PRIu64 " more\n", messages->total - nr);
}

/* --- as text ---------------------------------------------------------------------------------------------------------- */

static void show_text(struct input *input, uint64_t records)
{
	struct perfdata_text out;
	perfdata_text_init(&out);
	spell_findings(&out, input);
	answer_text(&out, input->file);
	perfdata_text_literal(&out, ": ");
	spell_counts(&out, &input->messages, records);
	perfdata_text_char(&out, '\n');
	answer_flush(input, &out);
}

/* --- as JSON ---------------------------------------------------------------------------------------------------------- */

static json_object *finding_json(struct input *input, const struct perfdata_finding *finding)
{
	char code[8];
	json_object *object = json_object_new_object();
	json_object_object_add(object, "level", json_object_new_string(message_level(finding->severity)));
	json_object_object_add(object, "code", json_object_new_string(message_code(finding->severity, finding->code, code)));
	if (finding->file)
		json_object_object_add(object, "file", answer_json_text(input, finding->file));
	if (finding->offset != PERFDATA_NO_OFFSET)
		json_object_object_add(object, "offset", json_object_new_uint64(finding->offset));
	if (finding->record != UINT64_MAX)
		json_object_object_add(object, "record", json_object_new_uint64(finding->record));
	json_object_object_add(object, "message", answer_json_text(input, finding->message));
	return object;
}

static void show_json(struct input *input, uint64_t records, bool several)
{
	const struct messages *messages = &input->messages;
	json_object *document = json_object_new_object(), *findings = json_object_new_array();
	json_object_object_add(document, "file", answer_json_text(input, input->file));
	json_object_object_add(document, "records", json_object_new_uint64(records));
	json_object_object_add(document, "errors", json_object_new_uint64(messages->errors));
	json_object_object_add(document, "warnings", json_object_new_uint64(messages->warnings));
	json_object_object_add(document, "findings_total", json_object_new_uint64(messages->total));
	json_object_object_add(document, "findings", findings);
	size_t nr;
	const struct perfdata_finding *kept = perfdata_finding_list_get(messages->kept, &nr, NULL);
	for (size_t i = 0; i < nr; i++)
		json_object_array_add(findings, finding_json(input, &kept[i]));
	answer_print(input, document, several);
}

/* --- as JUnit --------------------------------------------------------------------------------------------------------- */

/* The first finding of the worst kind stands for all of them. */
static const struct perfdata_finding *worst(const struct messages *messages)
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
	const struct perfdata_finding *finding = worst(&input->messages);
	const bool broken = input->code != EXIT_FINE && input->code != EXIT_DAMAGED;
	struct perfdata_text details, message;
	char code[8];
	perfdata_text_init(&details);
	perfdata_text_init(&message);
	spell_findings(&details, input);
	if (broken)
		perfdata_text_string(&message, input->error.message);
	else
		spell_counts(&message, &input->messages, records);
	perfdata_text_char(&message, '\0');
	details.failed |= perfdata_text_failed(&message);
	junit_case(junit, input->file, broken ? JUNIT_BROKEN : input->code == EXIT_DAMAGED ? JUNIT_FAILED : JUNIT_PASSED,
		   broken ? exit_code_meaning(input->code) : finding ? message_code(finding->severity, finding->code, code) : NULL,
		   message.data ? message.data : "", &details);
	perfdata_text_release(&message);
	perfdata_text_release(&details);
}

static enum exit_code print_cases(const struct options *options, struct junit *junit, size_t done)
{
	struct perfdata_text out;
	for (size_t i = done; i < options->files.nr; i++)
		junit_case(junit, options->files.values[i], JUNIT_SKIPPED, NULL, "interrupted", NULL);
	perfdata_text_init(&out);
	junit_end(junit, "perfdata check", &out);
	const bool failed = perfdata_text_failed(&out);
	if (failed)
		usage_error(&options->style, "%s", perfdata_status_text(PERFDATA_ENOMEM));
	else
		fwrite(out.data, 1, out.size, stdout);
	perfdata_text_release(&out);
	return failed ? EXIT_LIMIT : EXIT_FINE;
}

/* --- the command ------------------------------------------------------------------------------------------------------ */

/* Looks at all that can be asked for, and gives the number of records; false if there was no way to look at any. */
static bool look(struct input *input, uint64_t *ret_records)
{
	const struct perfdata_session_options session_options = {
		.size = sizeof session_options,
		.needs = PERFDATA_NEED_RECORDS | PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS,
	};
	struct perfdata_session *session = input_walk(input, &session_options, NULL, NULL);
	if (!session)
		return false;
	*ret_records = perfdata_session_summary(session)->records;
	perfdata_session_close(session);
	return true;
}

static enum exit_code check(const struct options *options, const char *file, struct junit *junit)
{
	struct input input;
	uint64_t records = 0;
	const bool opened = input_open(&input, options, file, PERFDATA_ORDER_TIME, 0);
	if (!options->json && !options->junit)
		answer_headline(&input, options);
	const bool looked = opened && look(&input, &records);
	input_judge(&input, options);
	if (options->junit)
		add_case(junit, &input, records);
	else if (looked && options->json)
		show_json(&input, records, options->files.nr > 1);
	else if (looked)
		show_text(&input, records);
	fflush(stdout);
	const enum exit_code code = input_close(&input, options);
	return code == EXIT_DAMAGED ? EXIT_ANSWER_NO : code;
}

enum exit_code command_check(struct options *options)
{
	struct junit junit;
	if (options->json && options->junit) {
		usage_error(&options->style, "--json and --junit are two forms of one answer: choose one");
		return EXIT_USAGE;
	}
	if (!inputs_find(options))
		return EXIT_USAGE;
	options->style.no_findings = true;
	junit_init(&junit);
	interrupt_catch();
	enum exit_code code = EXIT_FINE;
	size_t done = 0;
	for (; done < options->files.nr && !interrupted(); done++)
		code = exit_code_join(code, check(options, options->files.values[done], &junit));
	if (options->junit)
		code = exit_code_join(code, print_cases(options, &junit, done));
	return interrupted() ? exit_code_join(code, EXIT_INTERRUPTED) : code;
}
