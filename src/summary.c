/* SPDX-License-Identifier: MIT */
/* The lock of stderr (flockfile) guards the counts, like messages. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "print.h"
#include "perfdata/output.h"
#include "progress.h"
#include "read_files.h"
#include "summary.h"

uint64_t summary_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Creates the folders of the path: the summary may be in the output folder, which is created later. */
static void make_folders(const char *path)
{
	char *copy = strdup(path);
	for (char *at = copy && *copy ? strchr(copy + 1, '/') : NULL; at; at = strchr(at + 1, '/')) {
		*at = '\0';
		(void)!mkdir(copy, 0777);
		*at = '/';
	}
	free(copy);
}

/* Opens the file of --summary. An existing file is replaced, not truncated, since another run may still write to it. */
static int open_file(const struct options *options)
{
	struct stat status;
	const char *path = options->summary;
	if (!strcmp(path, "-"))
		return STDOUT_FILENO;
	const bool exists = !stat(path, &status);
	if (exists && !S_ISREG(status.st_mode))
		return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (exists && !options->force && !options->resume) {
		errno = EEXIST;
		return -1;
	}
	if (exists && unlink(path))
		return -1;
	make_folders(path);
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
}

/* Makes the output for the file; EXIT_FINE, or an exit code after a message. */
static enum exit_code make_output(struct summary *summary)
{
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	summary->output = perfdata_output_fd(summary->fd);
	const enum perfdata_status status =
		summary->output ? perfdata_output_open(summary->output, &error) : PERFDATA_ENOMEM;
	if (status == PERFDATA_OK)
		return EXIT_FINE;
	usage_error(&summary->options->style, "--summary %s: %s", summary->options->summary,
		    summary->output ? error.message : perfdata_status_text(status));
	return status == PERFDATA_ENOMEM ? EXIT_LIMIT : EXIT_USAGE;
}

enum exit_code summary_begin(struct summary *summary, const struct options *options, bool log)
{
	*summary = (struct summary){
		.options = options, .fd = -1, .inputs = options->files.nr, .begun = summary_now(), .code = EXIT_FINE
	};
	summary->log = log && options->style.json && !options->style.quiet;
	if (!options->summary)
		return EXIT_FINE;
	if (!strcmp(options->summary, "-") && (!options->output || !strcmp(options->output, "-")))
		usage_error(&options->style, "--summary -: stdout is used by the output");
	else if (!output_is_apart(options, "--summary", options->summary))
		return EXIT_USAGE;
	else if ((summary->fd = open_file(options)) >= 0)
		return make_output(summary);
	else if (errno == EEXIST)
		usage_error(&options->style, "--summary %s exists already; --force replaces it", options->summary);
	else if (errno == EINTR)
		return EXIT_INTERRUPTED;
	else
		usage_error(&options->style, "--summary %s: %s", options->summary, error_text(errno));
	return EXIT_USAGE;
}

/* Writes a line with one write() (outputs without compression do), so that a killed process leaves complete lines. */
static void put_line(struct summary *summary, const struct perfdata_text *line)
{
	if (summary->fd >= 0 && !summary->failed)
		summary->failed = perfdata_output_write(summary->output, line->data, line->size) != PERFDATA_OK;
	if (summary->log) {
		progress_hide();
		print_words(line->data, line->size);
	}
}

static void count_outcome(struct summary *summary, const struct outcome *outcome)
{
	uint64_t *counts[] = { &summary->done, &summary->damaged, &summary->skipped, &summary->broken,
			       &summary->interrupted };
	static const char *const names[] = { "done", "damaged", "skipped", "failed", "interrupted" };
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*counts[i] += !strcmp(names[i], outcome_status(outcome));
	summary->nos += outcome->is_no;
	summary->records += outcome->records;
	summary->samples += outcome->samples;
	summary->written += outcome->written;
	summary->bytes_in += outcome->bytes_in;
	summary->bytes_out += outcome->bytes_out;
}

void summary_add(struct summary *summary, const struct outcome *outcome)
{
	const struct options *options = summary->options;
	const enum exit_code code = outcome->code == EXIT_DAMAGED && options->damaged_ok ? EXIT_FINE : outcome->code;
	struct perfdata_text line;
	perfdata_text_init(&line);
	const bool wanted = summary->fd >= 0 || summary->log;
	if (wanted)
		outcome_spell(&line, outcome);
	const bool starved = wanted && (perfdata_text_failed(&line) || !outcome_is_whole(outcome));
	flockfile(stderr);
	count_outcome(summary, outcome);
	summary->code = exit_code_join(summary->code, starved ? exit_code_join(code, EXIT_LIMIT) : code);
	summary->stop |= options->fail_fast && code != EXIT_FINE;
	if (starved)
		usage_error(&options->style, "%s: %s", outcome->file, perfdata_status_text(PERFDATA_ENOMEM));
	else
		put_line(summary, &line);
	funlockfile(stderr);
	perfdata_text_release(&line);
}

bool summary_stops(struct summary *summary)
{
	flockfile(stderr);
	const bool stop = summary->stop;
	funlockfile(stderr);
	return stop;
}

static void spell_totals(struct perfdata_text *out, const struct summary *summary, enum exit_code code)
{
	const uint64_t ended = summary->done + summary->damaged + summary->skipped + summary->broken +
			       summary->interrupted;
	const uint64_t ns = summary_now() - summary->begun;
	perfdata_text_printf(out,
			     "{\"level\":\"summary\",\"type\":\"totals\",\"inputs\":%zu,\"done\":%" PRIu64
			     ",\"damaged\":%" PRIu64 ",\"skipped\":%" PRIu64 ",\"failed\":%" PRIu64
			     ",\"interrupted\":%" PRIu64 ",\"not_begun\":%" PRIu64,
			     summary->inputs, summary->done, summary->damaged, summary->skipped, summary->broken,
			     summary->interrupted, summary->inputs > ended ? summary->inputs - ended : 0);
	perfdata_text_printf(out,
			     ",\"records\":%" PRIu64 ",\"samples\":%" PRIu64 ",\"records_out\":%" PRIu64
			     ",\"bytes_in\":%" PRIu64 ",\"bytes_out\":%" PRIu64 ",\"seconds\":%" PRIu64 ".%06" PRIu64
			     ",\"exit_code\":%d}\n",
			     summary->records, summary->samples, summary->written, summary->bytes_in,
			     summary->bytes_out, ns / 1000000000, ns / 1000 % 1000000, (int)code);
}

enum exit_code summary_end(struct summary *summary, enum exit_code code)
{
	struct perfdata_text line;
	code = exit_code_join(code == EXIT_DAMAGED && summary->options->damaged_ok ? EXIT_FINE : code, summary->code);
	if (summary->nos && summary->nos == summary->done + summary->damaged + summary->skipped)
		code = exit_code_join(code, EXIT_ANSWER_NO);
	perfdata_text_init(&line);
	if (summary->fd >= 0 || summary->log)
		spell_totals(&line, summary, code);
	if (perfdata_text_failed(&line)) {
		usage_error(&summary->options->style, "%s", perfdata_status_text(PERFDATA_ENOMEM));
		code = exit_code_join(code, EXIT_LIMIT);
	} else {
		put_line(summary, &line);
	}
	perfdata_text_release(&line);
	summary->failed |= perfdata_output_close(summary->output, true, NULL) != PERFDATA_OK;
	if (summary->fd > STDERR_FILENO && close(summary->fd))
		summary->failed = true;
	if (!summary->failed)
		return code;
	usage_error(&summary->options->style, "--summary %s cannot be written", summary->options->summary);
	return exit_code_join(code, EXIT_OUTPUT);
}
