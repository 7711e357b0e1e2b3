/* perfdata check: what is wrong with a recording. Damage is the answer here, not a failure: 0 or 1, and 3 for what is no recording. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include "answers.h"
#include "commands.h"

static void show_text(const struct input *input, const struct perfdata_summary *summary)
{
	const struct messages *messages = &input->messages;
	struct perfdata_text out;
	char code[8];
	perfdata_text_init(&out);
	for (size_t i = 0; i < messages->nr_kept; i++) {
		const struct perfdata_finding *finding = &messages->kept[i];
		answer_text(&out, finding->file ? finding->file : input->file);
		if (finding->offset != PERFDATA_NO_OFFSET)
			perfdata_text_printf(&out, ":0x%" PRIx64, finding->offset);
		perfdata_text_printf(&out, ": %s: ", message_level(finding->severity));
		answer_text(&out, finding->message);
		perfdata_text_printf(&out, " [%s]\n", message_code(finding->severity, finding->code, code));
	}
	if (messages->total > messages->nr_kept)
		perfdata_text_printf(&out, "… %" PRIu64 " more\n", messages->total - messages->nr_kept);
	answer_text(&out, input->file);
	perfdata_text_printf(&out, ": %" PRIu64 " records, %" PRIu64 " errors, %" PRIu64 " warnings\n", summary->records, messages->errors,
			     messages->warnings);
	answer_flush(&out);
}

static json_object *finding_json(const struct perfdata_finding *finding)
{
	char code[8];
	json_object *object = json_object_new_object();
	json_object_object_add(object, "level", json_object_new_string(message_level(finding->severity)));
	json_object_object_add(object, "code", json_object_new_string(message_code(finding->severity, finding->code, code)));
	if (finding->file)
		json_object_object_add(object, "file", answer_json_text(finding->file));
	if (finding->offset != PERFDATA_NO_OFFSET)
		json_object_object_add(object, "offset", json_object_new_uint64(finding->offset));
	if (finding->record != UINT64_MAX)
		json_object_object_add(object, "record", json_object_new_uint64(finding->record));
	json_object_object_add(object, "message", answer_json_text(finding->message));
	return object;
}

static void show_json(const struct input *input, const struct perfdata_summary *summary, bool several)
{
	const struct messages *messages = &input->messages;
	json_object *document = json_object_new_object(), *findings = json_object_new_array();
	json_object_object_add(document, "file", answer_json_text(input->file));
	json_object_object_add(document, "records", json_object_new_uint64(summary->records));
	json_object_object_add(document, "errors", json_object_new_uint64(messages->errors));
	json_object_object_add(document, "warnings", json_object_new_uint64(messages->warnings));
	json_object_object_add(document, "findings_total", json_object_new_uint64(messages->total));
	json_object_object_add(document, "findings", findings);
	for (size_t i = 0; i < messages->nr_kept; i++)
		json_object_array_add(findings, finding_json(&messages->kept[i]));
	answer_print(document, several);
}

static void answer(const struct options *options, struct input *input)
{
	/* all that can be asked for is looked at */
	const struct perfdata_session_options session_options = {
		.size = sizeof session_options,
		.needs = PERFDATA_NEED_RECORDS | PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS,
	};
	struct perfdata_session *session = input_walk(input, &session_options, NULL, NULL);
	if (!session)
		return;
	const struct perfdata_summary *summary = perfdata_session_summary(session);
	if (options->json)
		show_json(input, summary, options->files.nr > 1);
	else
		show_text(input, summary);
	perfdata_session_close(session);
}

enum exit_code command_check(struct options *options)
{
	options->style.no_findings = true;
	const enum exit_code code = answer_each(options, PERFDATA_ORDER_TIME, answer);
	return code == EXIT_DAMAGED ? EXIT_ANSWER_NO : code;
}
