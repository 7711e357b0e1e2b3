/* SPDX-License-Identifier: MIT */
/* Shows the progress of reading an input: one line on stderr, which is overwritten on a terminal:
 *
 *   perfdata: FILE: 123 MB of 600 MB, 20 %, 34 MiB held
 *
 * or, with --log-format json, one object per line. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "messages.h"

/* The progress of one input. */
struct progress {
	const char *file;        /* NULL: show nothing */
	bool json;
	bool terminal;           /* overwrite the line, and clear it at the end */
	bool always;             /* show the last state at the end, even after a short reading */
	bool begun;              /* progress_step was called */
	uint64_t next;           /* time of the next line, ns of the monotonic clock */
	uint64_t bytes, total;   /* total: UINT64_MAX if unknown */
	const struct perfdata_memory *memory;   /* memory in use is shown; borrowed; NULL: not shown */
};

/* `when` is the value of --progress; NULL is its default. Borrows `file`. False if nothing will be shown. */
bool progress_begin(struct progress *progress, const char *when, const struct message_style *style, const char *file);
/* Callback for perfdata_reader_options.on_progress. `user` is a struct progress. */
void progress_step(void *user, uint64_t bytes, uint64_t total);
/* Ends the display; may be called several times. */
void progress_end(struct progress *progress);
/* Clears the line on the terminal. Call it with stderr locked (flockfile) before writing to stderr. */
void progress_hide(void);

#endif
