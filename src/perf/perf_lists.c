/* SPDX-License-Identifier: MIT */
/* perf evlist and perf buildid-list. */
#include "config.h"
#include <string.h>
#include <sys/stat.h>
#include "perf/perf_events.h"
#include "perf/perf_run.h"
#include "perfdata/symbols.h"
#include "print.h"

static int do_evlist(const struct perf_line *line)
{
	static const struct { const char *name; enum perf_event_lines lines;
	} flags[] = {
		{ "verbose", PERF_EVENTS_ATTR },
		{ "freq", PERF_EVENTS_FREQUENCY },
		{ "group", PERF_EVENTS_GROUPS },
		{ "trace-fields", PERF_EVENTS_FIELDS },
	};
	struct perf_run run = { .command = "events", .damage_is_fine = true, .event_lines = PERF_EVENTS_NAMES };
	if (line->nr_words)
		return perf_usage(line->command, false);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (perf_line_has(line, flags[i].name))
			run.event_lines |= flags[i].lines;
	if (run.event_lines & PERF_EVENTS_GROUPS && run.event_lines & (PERF_EVENTS_ATTR | PERF_EVENTS_FREQUENCY)) {
		perf_say("  Error: --group option is not compatible with other options\n");
		return perf_usage(line->command, false);
	}
	const int code = perf_input_check(line);
	if (code)
		return code;
	perf_words_add(&run.words, "perf", NULL);
	return perf_run(&run, line);
}

int perf_do_evlist(int argc, char **argv)
{
	struct perf_line line;
	int code = perf_line_parse(&line, &perf_evlist, argc, argv);
	if (!code)
		code = do_evlist(&line);
	perf_line_release(&line);
	return code;
}

/* If the input is a program or library, prints its build-id, as perf does. */
static bool put_id_of_program(const char *file)
{
	uint8_t id[PERFDATA_BUILD_ID_MAX];
	size_t size;
	struct perfdata_text text;
	struct stat status;
	if (!strcmp(file, "-") || stat(file, &status) || !S_ISREG(status.st_mode) ||
	    perfdata_file_build_id(file, id, &size) != PERFDATA_OK)
		return false;
	perfdata_text_init(&text);
	perfdata_text_bytes_hex(&text, id, size);
	perfdata_text_char(&text, '\n');
	if (!perfdata_text_failed(&text))
		print_answer(text.data, text.size);
	perfdata_text_release(&text);
	return true;
}

static int do_buildid_list(const struct perf_line *line)
{
	struct perf_run run = { .command = "buildids", .damage_is_fine = true };
	const struct perf_given *refused = perf_line_refused(line);
	int code;
	if (refused)
		return perf_refuse(line, refused);
	if ((code = perf_input_check(line)))
		return code;
	if (put_id_of_program(perf_input_of(line)))
		return PERF_DONE_CODE;
	perf_words_add(&run.words, "perf", NULL);
	if (perf_line_has(line, "with-hits"))
		perf_words_add(&run.words, "with-hits", NULL);
	return perf_run(&run, line);
}

int perf_do_buildid_list(int argc, char **argv)
{
	struct perf_line line;
	int code = perf_line_parse(&line, &perf_buildid_list, argc, argv);
	if (!code)
		code = do_buildid_list(&line);
	perf_line_release(&line);
	return code;
}
