/* SPDX-License-Identifier: MIT */
/* --summary FILE: a JSON line at the end of each input, and a last line with totals. --log-format json prints the same
 * lines to stderr. Each line is written at once, so that a killed program leaves a readable file. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "outcome.h"

struct summary {
	const struct options *options;
	int fd;                      /* -1: no file */
	struct perfdata_output *output;   /* to fd; NULL: no file */
	bool log;                    /* print the lines on stderr too */
	bool failed;                 /* a line could not be written */
	bool stop;                   /* --fail-fast: start no more inputs */
	uint64_t begun;              /* ns of the monotonic clock */
	size_t inputs;
	uint64_t done, damaged, skipped, broken, interrupted;
	uint64_t nos;                /* inputs that have nothing with the requested name */
	uint64_t records, samples, written, bytes_in, bytes_out;
	enum exit_code code;         /* joined exit codes of the inputs so far, after --damaged-ok */
};

/* Opens the file of --summary. An exit code other than EXIT_FINE after a message: the file cannot be created, or
 * exists. log: with --log-format json the lines also go to stderr. */
enum exit_code summary_begin(struct summary *summary, const struct options *options, bool log);
/* Adds the outcome of an input and writes its line. To be called for each input that was started. Any thread. */
void summary_add(struct summary *summary, const struct outcome *outcome);
/* Whether --fail-fast lets no more inputs start. Any thread. */
bool summary_stops(struct summary *summary);
/* Writes the totals and closes the file. Returns the exit code of all inputs, joined with `code`: EXIT_ANSWER_NO if no
 * input has the requested function. */
enum exit_code summary_end(struct summary *summary, enum exit_code code);

/* Returns the monotonic clock in ns. */
uint64_t summary_now(void);

#endif
