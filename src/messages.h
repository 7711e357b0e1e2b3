/* SPDX-License-Identifier: MIT */
/* Everything the program says to its user goes to stderr through here, one line at a time:
 *
 *   perfdata: FILE:0x11e08: error: record size 0; resumed at 0x11e48, 64 bytes skipped [E103]
 *
 * or, with --log-format json, one object per line. Control characters of a recording never reach the terminal. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "perfdata/base.h"
#include "perfdata/reader.h"
#include "perfdata/text.h"

/* How the program talks. */
struct message_style {
	bool json;       /* --log-format json */
	bool quiet;      /* errors only */
	bool verbose;    /* every finding of a kind, and what symbols were taken from */
	bool no_findings;   /* findings are counted and kept, and the command itself shows them */
};

struct code_counts { uint64_t of[1000]; };

/* The messages about one input. Any thread may give messages and findings; the other functions are for one thread. */
struct messages {
	struct message_style style;
	bool hold;                        /* keep the lines until messages_end: several inputs are worked on at once */
	struct perfdata_text held;
	struct perfdata_finding_list *kept;   /* for the emitters; NULL until there is one */
	struct code_counts counts;
	struct code_counts unreported;    /* of these, findings that the reader only counted */
	uint64_t total, errors, warnings;
	bool finding_lost;                /* there was no memory to keep one */
};

void messages_init(struct messages *messages, const struct message_style *style, bool hold);
void messages_release(struct messages *messages);

/* A finding: shown, counted and kept. `user` is a struct messages. */
perfdata_finding_fn messages_finding;
/* The findings kept so far, for perfdata_run_options. `user` is a struct messages. */
const struct perfdata_finding *messages_kept(void *user, size_t *ret_nr, uint64_t *ret_total);

/* A message of the program itself. file may be NULL. */
void messages_error(struct messages *messages, const char *file, uint64_t offset, const char *format, ...)
	PERFDATA_PRINTF(4, 5);
void messages_note(struct messages *messages, const char *file, const char *format, ...) PERFDATA_PRINTF(3, 4);
/* Shown with -v only. */
void messages_detail(struct messages *messages, const char *file, const char *format, ...) PERFDATA_PRINTF(3, 4);

/* Counts findings that the reader counted but did not report one by one; may be called several times. */
void messages_count(struct messages *messages, const struct perfdata_reader *reader);
/* Ends an input: prints how often folded findings came, and the lines that were held back. */
void messages_end(struct messages *messages, const char *file);

/* For wrong use, before there is an input: "perfdata: …", and where to read more. */
void usage_error(const struct message_style *style, const char *format, ...) PERFDATA_PRINTF(2, 3);

/* "E103". ret has room for 8 bytes. */
const char *message_code(enum perfdata_severity severity, unsigned code, char *ret);

#endif
