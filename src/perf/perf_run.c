/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "grow.h"
#include "perf/perf_run.h"
#include "perfdata/registry.h"
#include "print.h"
#include "symbol_options.h"
#include "terminal.h"

/* --- words -------------------------------------------------------------------------------------------------------- */

void perf_words_add(struct perf_words *words, const char *name, const char *text)
{
	const size_t size = strlen(name) + (text ? strlen(text) : 0) + 4;
	char *word = malloc(size);
	if (!word || !grow_list(&words->list, &words->room, words->nr, sizeof *words->list)) {
		free(word);
		words->failed = true;
		return;
	}
	snprintf(word, size, "--%s%s%s", name, text ? "=" : "", text ? text : "");
	words->list[words->nr++] = word;
}

static void add_names(struct perf_words *words, const char *name, const char *list)
{
	char *names = strdup(list), *rest = names, *one;
	words->failed |= !names;
	while (rest && (one = strsep(&rest, ",")))
		if (*one)
			perf_words_add(words, name, one);
	free(names);
}

static bool is_taken(const struct perf_option *option)
{
	return option->what && option->fate != PERF_IGNORED && option->fate != PERF_REFUSED;
}

void perf_words_translate(struct perf_words *words, const struct perf_line *line)
{
	for (size_t i = 0; i < line->nr; i++) {
		const struct perf_given *given = &line->given[i];
		const struct perf_option *option = given->option;
		char name[64];
		if (!is_taken(option) ||
		    (option->fate != PERF_LISTED && perf_line_find(line, option->name) != given))
			continue;
		if (option->fate == PERF_NAMES && given->text) {
			add_names(words, option->what, given->text);
			continue;
		}
		/* perf ignores empty values */
		if (given->text && !*given->text)
			continue;
		snprintf(name, sizeof name, "%s%s", given->no ? "no-" : "", option->what);
		if (!given->no || option->takes == PERF_FLAG)
			perf_words_add(words, name, given->text);
	}
}

void perf_words_release(struct perf_words *words)
{
	for (size_t i = 0; i < words->nr; i++)
		free(words->list[i]);
	free(words->list);
	*words = (struct perf_words){ 0 };
}

/* --- the input ---------------------------------------------------------------------------------------------------- */

const char *perf_input_of(const struct perf_line *line)
{
	const char *file = perf_line_text(line, "input");
	struct stat status;
	if (file && *file)
		return file;
	return fstat(STDIN_FILENO, &status) == 0 && S_ISFIFO(status.st_mode) ? "-" : "perf.data";
}

int perf_input_check(const struct perf_line *line)
{
	const char *file = perf_input_of(line), *named = perf_line_text(line, "input");
	char data[4200];
	struct stat status;
	if (!strcmp(file, "-"))
		return 0;
	if (stat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
		snprintf(data, sizeof data, "%s/data", file);
		file = data;
	}
	if (stat(file, &status) || access(file, R_OK)) {
		const int error = errno;
		perf_say("failed to open %s: %s%s", file, strerror(error),
			 error == ENOENT && !named ? "  (try 'perf record' first)" : "");
		return PERF_FAILED_CODE;
	}
	if (!perf_line_has(line, "force") && status.st_uid && status.st_uid != geteuid()) {
		perf_say("File %s not owned by current user or root (use -f to override)", file);
		return PERF_FAILED_CODE;
	}
	if (S_ISREG(status.st_mode) && !status.st_size) {
		perf_say("zero-sized data (%s), nothing to do!", file);
		return PERF_FAILED_CODE;
	}
	return 0;
}

static bool traces_may_come(const struct perfdata_reader *reader)
{
	return perfdata_reader_header(reader)->container == PERFDATA_CONTAINER_PIPE ||
	       perfdata_reader_feature(reader, PERFDATA_FEATURE_AUXTRACE);
}

/* Finds the type of the tracer: AUXTRACE_INFO comes before all samples. */
static uint32_t find_tracer(struct perfdata_reader *reader)
{
	struct perfdata_record *record = perfdata_record_new();
	const struct perfdata_raw *raw;
	uint32_t tracer = 0;
	while (record && !tracer && perfdata_reader_next(reader, &raw) == PERFDATA_OK) {
		const uint32_t type = perfdata_raw_type(raw);
		if (type == PERFDATA_RECORD_SAMPLE || type == PERFDATA_RECORD_AUXTRACE)
			break;
		if (type != PERFDATA_RECORD_AUXTRACE_INFO)
			continue;
		(void)perfdata_raw_decode(reader, raw, record);
		tracer = record->u.auxtrace_info.type;
	}
	perfdata_record_free(record);
	return tracer;
}

/* Whether samples lack CPUs: perf looks at the first event of each type of the kernel. */
static bool lacks_cpus(const struct perfdata_reader *reader)
{
	const struct perfdata_event *event;
	uint32_t seen = 0;
	bool lacks = false;
	for (size_t i = 0; (event = perfdata_reader_event(reader, i)); i++) {
		const uint32_t type = event->attr->type;
		if (type > PERFDATA_TYPE_BREAKPOINT || seen >> type & 1)
			continue;
		seen |= 1u << type;
		lacks |= !(event->attr->sample_type & PERFDATA_SAMPLE_CPU);
	}
	return lacks;
}

static uint64_t count_cpus(const struct perfdata_reader *reader)
{
	const struct perfdata_feature_section *nrcpus = perfdata_reader_feature(reader, PERFDATA_FEATURE_NRCPUS);
	const struct perfdata_node *available = NULL;
	if (nrcpus && nrcpus->feature)
		available = perfdata_node_get(perfdata_feature_root(nrcpus->feature), "available");
	return available ? available->v.u : 0;
}

void perf_look_at(const char *file, struct perf_look *ret)
{
	const struct perfdata_reader_options options = { .size = sizeof options, .order = PERFDATA_ORDER_FILE };
	struct perfdata_reader *reader;
	struct stat status;
	*ret = (struct perf_look){ .is_stream = true };
	/* bytes of a pipe cannot be read twice */
	if (!strcmp(file, "-") || stat(file, &status) || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
		return;
	if (perfdata_reader_open_path(file, &options, &reader, NULL) != PERFDATA_OK)
		return;
	ret->is_stream = perfdata_reader_header(reader)->container == PERFDATA_CONTAINER_PIPE;
	ret->no_cpus = !ret->is_stream && lacks_cpus(reader);
	ret->nr_cpus = count_cpus(reader);
	if (traces_may_come(reader))
		ret->tracer = find_tracer(reader);
	perfdata_reader_close(reader);
}

const char *perf_tracer_name(uint32_t tracer)
{
	static const char *const names[] = { "",        "Intel PT", "Intel BTS",    "CoreSight",
					     "Arm SPE", "s390",     "HiSilicon PTT" };
	return tracer < sizeof names / sizeof *names ? names[tracer] : "an unknown tracer";
}

/* --- running ------------------------------------------------------------------------------------------------------ */

static int code_of(const struct perf_run *run, const char *file, const struct perf_voice *voice, enum exit_code code)
{
	switch (code) {
	case EXIT_FINE:
		return PERF_DONE_CODE;
	case EXIT_DAMAGED:
		if (run->damage_is_fine)
			return PERF_DONE_CODE;
		perf_say("%s: the recording is damaged%s%s", file, voice->damage[0] ? ": " : "", voice->damage);
		return PERF_FAILED_CODE;
	case EXIT_USAGE:
		if (run->failed == PERFDATA_EUNSUP && run->is_stream)
			return PERF_INVALID_CODE;
		return run->failed == PERFDATA_EUSAGE ? PERF_USAGE_CODE : PERF_FAILED_CODE;
	case EXIT_INTERRUPTED:
		return EXIT_INTERRUPTED;
	default:
		return PERF_FAILED_CODE;
	}
}

static enum exit_code run_command(const struct perf_run *run, struct options *options)
{
	const struct command *command = command_named(run->command);
	unsigned groups = command ? command->groups : 0;
	enum exit_code code = EXIT_USAGE;
	if (!command) {
		command = command_named("convert");
		groups = command->groups & ~(unsigned)OPTIONS_TO;
		options->emitter = perfdata_registry_find(NULL, run->command);
	}
	if (options_parse(options, groups, (int)run->words.nr, run->words.list) && symbols_open(options, &code))
		code = command->run(options);
	symbols_close(options);
	return options->no_memory ? EXIT_LIMIT : code;
}

int perf_run(struct perf_run *run, const struct perf_line *line)
{
	const char *file = perf_input_of(line);
	struct perf_voice voice = { 0 };
	struct options options = {
		.style = { .quiet = true, .perf = &voice },
		.recorded_names = "no",      /* perf does not know recorded names */
		.max_ratio = DEFAULT_MAX_RATIO,
		.progress = "never",
		.samples_only = run->samples_only,
		.raw_names = run->raw_names,
		.short_header = run->short_header,
		.event_lines = run->event_lines,
	};
	perf_words_add(&run->words, "input", file);
	/* options_parse needs a NULL after the last word */
	if (!grow_list(&run->words.list, &run->words.room, run->words.nr, sizeof *run->words.list))
		run->words.failed = true;
	else
		run->words.list[run->words.nr] = NULL;
	enum exit_code code = run->words.failed ? EXIT_LIMIT : run_command(run, &options);
	if (run->words.failed)
		perf_say("%s", perfdata_status_text(PERFDATA_ENOMEM));
	if (!print_finish()) {
		perf_say("stdout cannot be written");
		code = exit_code_join(code, EXIT_OUTPUT);
	}
	run->failed = voice.failed;
	run->flow_left_out = voice.flow_left_out;
	run->samples = voice.samples;
	options_release(&options);
	perf_words_release(&run->words);
	terminal_finish();
	return code_of(run, file, &voice, code);
}

int perf_refuse(const struct perf_line *line, const struct perf_given *given)
{
	perf_say("perf %s: --%s is refused: %s", line->command->name, given->option->name, given->option->what);
	return PERF_FAILED_CODE;
}
