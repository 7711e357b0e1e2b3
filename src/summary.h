/* SPDX-License-Identifier: MIT */
/* --summary FILE: a JSON line as each input ends, and one of totals last. With --log-format json the same lines stand
 * on stderr. A program that is killed leaves a file of whole lines. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "outcome.h"

struct summary {
	const struct options *options;
	int fd;                      /* -1: no file */
	bool log;                    /* on stderr too */
	bool failed;                 /* a line could not be written */
	bool stop;                   /* --fail-fast: no more inputs are to be begun */
	uint64_t begun;              /* ns */
	size_t inputs;
	uint64_t done, damaged, skipped, broken, interrupted;
	uint64_t records, samples, written, bytes_in, bytes_out;
	enum exit_code code;         /* of all inputs so far, as the options count */
};

/* False after a message: the file cannot be made, or exists already. `log`: these inputs are told of on stderr where
 * messages are JSON. */
bool summary_begin(struct summary *summary, const struct options *options, bool log);
/* Any thread; once for each input that was begun. */
void summary_add(struct summary *summary, const struct outcome *outcome);
/* Any thread: whether --fail-fast says to begin no more. */
bool summary_stops(struct summary *summary);
/* The totals. The exit code of all, joined with `code`. */
enum exit_code summary_end(struct summary *summary, enum exit_code code);

/* Nanoseconds of the monotonic clock. */
uint64_t summary_now(void);

#endif
