/* SPDX-License-Identifier: MIT */
/* perf script, and modes of perf report and perf data with similar output. */
#include "config.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "filters.h"
#include "perf/perf_run.h"
#include "print.h"

/* --- headers and dumps -------------------------------------------------------------------------------------------- */

static int run_header(const struct perf_line *line)
{
	struct perf_run run = { .command = "info", .damage_is_fine = true,
				.short_header = !perf_line_has(line, "show-info") };
	perf_words_add(&run.words, "perf", NULL);
	return perf_run(&run, line);
}

/* Prints the header before the records. False after a message. */
static bool put_header(const struct perf_line *line, int *ret_code)
{
	if (strcmp(perf_input_of(line), "-") != 0) {
		*ret_code = run_header(line);
		return *ret_code == PERF_DONE_CODE;
	}
	perf_say("perf %s: --header with -D takes a file, not a stream", line->command->name);
	*ret_code = PERF_FAILED_CODE;
	return false;
}

static bool without_traces(const struct perf_line *line)
{
	const struct perf_given *itrace = perf_line_find(line, "itrace");
	return itrace && itrace->no;
}

/* --- perf script -------------------------------------------------------------------------------------------------- */

/* Whether an option has no effect on a dump. */
static bool is_of_lines(const char *word) { return !strncmp(word, "--show-", 7) && strcmp(word, "--show-kernel-path"); }

static int run_dump(const struct perf_line *line, struct perf_run *run)
{
	int code = 0;
	size_t kept = 0;
	if (perf_line_has(line, "header") && !put_header(line, &code)) {
		perf_words_release(&run->words);
		return code;
	}
	for (size_t i = 0; i < run->words.nr; i++) {
		char *word = run->words.list[i];
		if (is_of_lines(word) || !strcmp(word, "--header"))
			free(word);
		else
			run->words.list[kept++] = word;
	}
	run->words.nr = kept;
	run->command = "dump";
	if (!without_traces(line))
		perf_words_add(&run->words, "aux", NULL);
	if (perf_line_has(line, "dump-unsorted-raw-trace"))
		perf_words_add(&run->words, "order", "file");
	return perf_run(run, line);
}

/* Adds options for traces. False after a message. */
static bool add_traces(const struct perf_line *line, const struct perf_look *look, struct perf_words *words)
{
	const struct perf_given *itrace = perf_line_find(line, "itrace");
	if (without_traces(line) || (!look->tracer && (strcmp(perf_input_of(line), "-") != 0 || !itrace)))
		return true;
	if (!look->tracer || look->tracer == PERF_TRACER_SPE) {
		perf_words_add(words, "itrace", itrace && itrace->text && *itrace->text ? itrace->text : "default");
		return true;
	}
	perf_say("perf script: the recording has traces (%s) that would have to be decoded, which takes the code of "
		 "the programs: --no-itrace leaves them out",
		 perf_tracer_name(look->tracer));
	return false;
}

static bool is_directory(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The first processor in a list such as 1,4-7 that the recorded machine lacks; 0: none. */
static uint64_t find_cpu_beyond(const char *list, uint64_t nr)
{
	while (*list) {
		char *end;
		const unsigned long long first = strtoull(list, &end, 10);
		const unsigned long long last = *end == '-' ? strtoull(end + 1, &end, 10) : first;
		if (first <= last && last >= nr)
			return first > nr ? first : nr;
		list = *end ? end + 1 : end;
	}
	return 0;
}

/* Whether a list has no number or name, and so selects nothing: perf then ends successfully. */
static bool chooses_nothing(const struct perf_line *line)
{
	static const char *const numbers[] = { "pid", "tid" }, *const names[] = { "comms", "dsos" };
	for (size_t i = 0; i < 2; i++) {
		const char *list = perf_line_text(line, numbers[i]), *name = perf_line_text(line, names[i]);
		if (list && list[strspn(list, "0123456789,-")]) {
			perf_say("problems parsing %s list", numbers[i]);
			return true;
		}
		if ((list && !list[strspn(list, ",")]) || (name && !name[strspn(name, ",")]))
			return true;
	}
	return false;
}

/* Checks that depend on the values of options. Returns 0, or the exit code after a message. */
static int check_values(const struct perf_line *line, const struct perf_look *look)
{
	const char *time = perf_line_text(line, "time"), *steps = perf_line_text(line, "max-stack");
	const struct perf_given *merge = perf_line_find(line, "merge-callchains");
	const char *cpus = perf_line_text(line, "cpu");
	const uint64_t beyond = cpus && look->nr_cpus ? find_cpu_beyond(cpus, look->nr_cpus) : 0;
	bool has_source = false, no_fields = false;
	for (size_t i = 0; i < line->nr; i++) {
		const char *fields = !strcmp(line->given[i].option->name, "fields") ? line->given[i].text : NULL;
		has_source |= fields && strstr(fields, "srcline");
		no_fields |= fields && !*fields;
	}
	if (no_fields) {
		perf_say("Cannot set fields to 'none' for all event types.");
		return perf_usage(line->command, false);
	}
	if (steps && *steps == '-') {
		perf_say(" Error: option `max-stack' expects an unsigned numerical value");
		return perf_usage(line->command, false);
	}
	if (cpus && look->no_cpus)
		perf_say("File does not contain CPU events. Remove -C option to proceed.");
	else if (beyond)
		perf_say("Requested CPU %" PRIu64 " too large. Consider raising MAX_NR_CPUS", beyond);
	else if (time && (!strpbrk(time, ",%") || time[strspn(time, "0123456789.,%-/ ")])) {
		perf_say("Invalid time string");
		return PERF_INVALID_CODE;
	} else if (time && (strchr(time, ' ') || (strchr(time, '%') && strchr(time, ','))))
		perf_say("perf script: --time with several spans is refused: one span is taken");
	else if (time && !filters_time_is_valid(time)) {
		perf_say("Invalid time string");
		return PERF_INVALID_CODE;
	} else if (merge && merge->no)
		perf_say("perf script: --no-merge-callchains is refused: deferred chains are joined to their samples");
	else if (perf_line_has(line, "full-source-path") && has_source)
		perf_say("perf script: --full-source-path is refused with srcline");
	else if ((perf_line_has(line, "dump-unsorted-raw-trace") || perf_line_has(line, "show-round-events")) &&
		 is_directory(perf_input_of(line)))
		perf_say("perf script: a directory in the order of the file is refused: its files are read one by one");
	else
		return 0;
	return PERF_FAILED_CODE;
}

/* Words after the options are the name of a script. */
static int script_words(const struct perf_line *line)
{
	const char *word = line->words[0];
	if (!strcmp(word, "record") || !strcmp(word, "report")) {
		perf_say("perf script: scripts run inside perf: `perfdata flamegraph`, `folded` and `csv` take their "
			 "place");
		return PERF_FAILED_CODE;
	}
	perf_say("  Error: Couldn't find script `%s'\n\n See perf script -l for available scripts.", word);
	return PERF_USAGE_CODE;
}

static int do_script(const struct perf_line *line)
{
	const struct perf_given *refused = perf_line_refused(line);
	struct perf_look look;
	int code;
	if (refused)
		return perf_refuse(line, refused);
	if (line->nr_words)
		return script_words(line);
	if ((code = perf_input_check(line)))
		return code;
	if (perf_line_has(line, "header-only"))
		return run_header(line);
	perf_look_at(perf_input_of(line), &look);
	if ((code = check_values(line, &look)))
		return code;
	if (chooses_nothing(line))
		return PERF_DONE_CODE;
	struct perf_run run = { .command = "script", .samples_only = true, .is_stream = look.is_stream };
	const struct perf_given *demangle = perf_line_find(line, "demangle");
	run.raw_names = demangle && demangle->no;
	perf_words_translate(&run.words, line);
	if (perf_line_has(line, "dump-raw-trace") || perf_line_has(line, "dump-unsorted-raw-trace"))
		return run_dump(line, &run);
	if (!add_traces(line, &look, &run.words)) {
		perf_words_release(&run.words);
		return PERF_FAILED_CODE;
	}
	code = perf_run(&run, line);
	if (code == PERF_USAGE_CODE)
		return perf_usage(line->command, false);
	if (!run.flow_left_out || without_traces(line))
		return code;
	perf_say("perf script: the stream has traces (Intel PT) that would have to be decoded: --no-itrace leaves them "
		 "out");
	return PERF_FAILED_CODE;
}

int perf_do_script(int argc, char **argv)
{
	struct perf_line line;
	int code = perf_line_parse(&line, &perf_script, argc, argv);
	if (!code)
		code = do_script(&line);
	perf_line_release(&line);
	return code;
}

/* --- perf report -------------------------------------------------------------------------------------------------- */

static int run_stats(const struct perf_line *line)
{
	struct perf_run run = { .command = "info" };
	perf_words_add(&run.words, "perf-stats", NULL);
	return perf_run(&run, line);
}

static int run_report_dump(const struct perf_line *line)
{
	struct perf_run run = { .command = "dump" };
	int code;
	if (perf_line_has(line, "header") && !put_header(line, &code))
		return code;
	static const char hint[] =
		"# To display the perf.data header info, please use --header/--header-only options.\n#\n";
	if (!perf_line_has(line, "header"))
		print_answer(hint, sizeof hint - 1);
	if (!print_finish()) {
		perf_say("stdout cannot be written");
		return PERF_FAILED_CODE;
	}
	perf_words_translate(&run.words, line);
	perf_words_add(&run.words, "no-samples-line", NULL);
	if (!without_traces(line))
		perf_words_add(&run.words, "aux", NULL);
	if (perf_line_has(line, "disable-order"))
		perf_words_add(&run.words, "order", "file");
	return perf_run(&run, line);
}

static int do_report(const struct perf_line *line)
{
	const bool header = perf_line_has(line, "header-only"), stats = perf_line_has(line, "stats"),
		   dump = perf_line_has(line, "dump-raw-trace");
	const struct perf_given *refused = perf_line_refused(line);
	int code;
	if (!header && !stats && !dump) {
		perf_say("perf report: the histogram is not printed here: use `perfdata report` or perf itself");
		return PERF_FAILED_CODE;
	}
	if (refused)
		return perf_refuse(line, refused);
	if (stats && dump && !header) {
		perf_say("perf report: --stats with -D is refused: ask for one of them");
		return PERF_FAILED_CODE;
	}
	if ((code = perf_input_check(line)))
		return code;
	if (header)
		return run_header(line);
	if (dump)
		return run_report_dump(line);
	if (perf_line_has(line, "header") && !put_header(line, &code))
		return code;
	return run_stats(line);
}

int perf_do_report(int argc, char **argv)
{
	struct perf_line line;
	int code = perf_line_parse(&line, &perf_report, argc, argv);
	if (!code)
		code = do_report(&line);
	perf_line_release(&line);
	return code;
}

/* --- perf data ---------------------------------------------------------------------------------------------------- */

/* Makes the output stdout, since its name must not choose a compression. Returns 0, or the exit code after a
 * message. */
static int open_output(const struct perf_line *line, const char *path)
{
	struct stat status;
	if (!perf_line_has(line, "force") && stat(path, &status) == 0) {
		perf_say("Output file exists. Use --force to overwrite it.");
		return PERF_FAILED_CODE;
	}
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
		perf_say("Error opening output file %s.", path);
		return PERF_FAILED_CODE;
	}
	close(fd);
	return 0;
}

static int convert_to_json(const struct perf_line *line, const char *path)
{
	struct perf_run run = { .command = "perf-json", .samples_only = true };
	struct stat status = { 0 };
	int code = perf_input_check(line);
	if (!code)
		code = open_output(line, path);
	if (code)
		return code;
	perf_words_translate(&run.words, line);
	code = perf_run(&run, line);
	if (code)
		return code;
	(void)fstat(STDOUT_FILENO, &status);
	perf_say("[ perf data convert: Converted '%s' into JSON data '%s' ]", perf_input_of(line), path);
	perf_say("[ perf data convert: Converted and wrote %.3f MB (%" PRIu64 " samples) ]",
		 (double)status.st_size / 1024 / 1024, run.samples);
	return PERF_DONE_CODE;
}

static int do_convert(const struct perf_line *line)
{
	const char *json = perf_line_text(line, "to-json"), *ctf = perf_line_text(line, "to-ctf");
	if (line->nr_words)
		return perf_usage(line->command, false);
	if (json && ctf)
		perf_say("You cannot specify both --to-ctf and --to-json.");
	else if (ctf)
		perf_say("perf data convert: --to-ctf is refused: CTF is not written here; `perfdata perfetto` and "
			 "`perfdata parquet` are");
	else if (!json)
		perf_say("You must specify one of --to-ctf or --to-json.");
	else if (perf_line_has(line, "all"))
		perf_say("--all is currently unsupported for JSON output.");
	else if (perf_line_has(line, "tod"))
		perf_say("--tod is currently unsupported for JSON output.");
	else
		return convert_to_json(line, json);
	return PERF_FAILED_CODE;
}

int perf_do_data(int argc, char **argv)
{
	struct perf_line line;
	if (!argc || !strcmp(argv[0], "-h"))
		return perf_usage(&perf_data_convert, false);
	if (strcmp(argv[0], "convert") != 0) {
		perf_say("Unknown command: %s", argv[0]);
		return perf_usage(&perf_data_convert, false);
	}
	int code = perf_line_parse(&line, &perf_data_convert, argc - 1, argv + 1);
	if (!code)
		code = do_convert(&line);
	perf_line_release(&line);
	return code;
}
