/* SPDX-License-Identifier: MIT */
/* perfdata check: reports what is wrong with recordings. Damage is an answer here, not a failure: the exit code is 1
 * instead of 4, and 3 for a file that is no recording. */
#include "config.h"
#include <string.h>
#include "answers.h"
#include "check_show.h"
#include "commands.h"
#include "input_list.h"
#include "interrupt.h"
#include "summary.h"

/* Reads the whole recording with all parts of a session, so that each of them reports its findings. */
static void look_at_input(struct input *input, struct outcome *outcome)
{
	const struct perfdata_session_options session_options = {
		.size = sizeof session_options,
		.needs = PERFDATA_NEED_RECORDS | PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS |
			 PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS,
	};
	struct perfdata_session *session = input_walk(input, &session_options, NULL, NULL);
	outcome_count(outcome, session ? perfdata_session_summary(session) : NULL);
	perfdata_session_close(session);
}

static void check_input(const struct options *options, size_t index, struct check_show *show, struct summary *summary)
{
	const struct listed *listed = &options->inputs->items[index];
	struct outcome outcome = { .file = listed->file, .recording = listed->recording, .index = index };
	const uint64_t begun = summary_now();
	uint64_t changed;
	struct input input;
	if (strcmp(listed->file, "-") != 0)
		outcome_measure(listed->file, &outcome.bytes_in, &changed);
	const bool opened = input_open(&input, options, listed->file, PERFDATA_ORDER_TIME, 0);
	if (!options->json && !options->junit && !options->sarif && !options->style.quiet)
		answer_headline(&input, options);
	if (opened)
		look_at_input(&input, &outcome);
	input_judge(&input, options);
	if (input.code == EXIT_DAMAGED)
		input.code = EXIT_ANSWER_NO;
	check_show_input(show, &input, &outcome);
	outcome_take(&outcome, &input);
	const enum exit_code code = input_close(&input, options);
	outcome.code = code == EXIT_DAMAGED ? EXIT_ANSWER_NO : code;
	outcome.ns = summary_now() - begun;
	summary_add(summary, &outcome);
	outcome_release(&outcome);
}

enum exit_code command_check(struct options *options)
{
	struct check_show show;
	struct summary summary;
	if (!inputs_find(options))
		return EXIT_USAGE;
	const enum exit_code begun = summary_begin(&summary, options, options->files.nr > 1);
	if (begun != EXIT_FINE)
		return begun;
	options->style.no_findings = true;
	check_show_begin(&show, options);
	interrupt_catch();
	size_t done = 0;
	for (; done < options->files.nr && !was_interrupted() && !summary_stops(&summary); done++)
		check_input(options, done, &show, &summary);
	enum exit_code code = exit_code_join(summary.code, was_interrupted() ? EXIT_INTERRUPTED : EXIT_FINE);
	if (!check_show_end(&show, done, code)) {
		usage_error(&options->style, "%s", perfdata_status_text(PERFDATA_ENOMEM));
		code = exit_code_join(code, EXIT_LIMIT);
	}
	return summary_end(&summary, code);
}
