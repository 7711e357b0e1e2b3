/* SPDX-License-Identifier: MIT */
/* How far the reading of an input is: one line on stderr, which is written over in place on a terminal:
 *
 *   perfdata: FILE: 123 MB of 600 MB, 20 %
 *
 * or, with --log-format json, one object per line. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "messages.h"

/* Of one input. */
struct progress {
	const char *file;        /* NULL: nothing is to be shown */
	bool json;
	bool terminal;           /* the line is written over, and gone at the end */
	bool always;             /* the last state is said at the end, however short it took */
	bool begun;              /* something was read */
	uint64_t next;           /* ns of the monotonic clock: not before */
	uint64_t bytes, total;   /* total: UINT64_MAX if unknown */
};

/* `when` is the value of --progress, NULL for its default. False if nothing is to be shown. Borrows `file`. */
bool progress_begin(struct progress *progress, const char *when, const struct message_style *style, const char *file);
/* For perfdata_reader_options.on_progress. `user` is a struct progress. */
void progress_step(void *user, uint64_t bytes, uint64_t total);
/* Nothing is shown after this; more than once is fine. */
void progress_end(struct progress *progress);
/* Before anything else is written to stderr, by whoever has locked it: takes the line off the terminal. */
void progress_hide(void);

#endif
