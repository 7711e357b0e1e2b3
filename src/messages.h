/* SPDX-License-Identifier: MIT */
/* All messages of the program go to stderr through these functions, one line each:
 *
 *   perfdata: FILE:0x11e08: error: record size 0; resumed at 0x11e48, 64 bytes skipped [E103]
 *
 * or, with --log-format json, one object per line. Control characters of a recording never reach the terminal. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "perfdata/base.h"
#include "perfdata/reader.h"
#include "perfdata/text.h"

/* What perf's callers are to see of messages (src/perf/): errors alone, in a line each and without a place. Findings
 * are kept here. */
struct perf_voice {
	enum perfdata_status failed;   /* how the last input ended, if it failed */
	bool flow_left_out;            /* a trace was not decoded */
	char damage[256];              /* the first finding that is an error */
	uint64_t samples;              /* in the recording: of conversions */
};

/* The options that decide which messages are printed, and how. */
struct message_style {
	bool json;       /* --log-format json */
	bool quiet;      /* errors only */
	bool verbose;    /* all findings of a kind, and details such as the files that gave symbols */
	struct perf_voice *perf;   /* under perf's name; NULL: under our own */
	bool no_findings;   /* count and keep findings without printing them: the command shows them itself */
};

struct code_counts { uint64_t of[1000]; };

/* The messages about one input. Any thread may report messages and findings; the other functions are for one thread at
 * a time. */
struct messages {
	struct message_style style;
	bool hold;                        /* keep lines until messages_end: several inputs are read in parallel */
	struct perfdata_text held;
	struct perfdata_finding_list *kept;   /* for the emitters; NULL before the first finding */
	struct perfdata_finding_list *of_files;   /* not printed yet; NULL: none */
	struct code_counts counts;
	struct code_counts unreported;    /* part of `counts`: counted, but not reported */
	uint64_t total, errors, warnings;
	bool finding_lost;                /* memory ran out while a finding was kept */
};

void messages_init(struct messages *messages, const struct message_style *style, bool hold);
void messages_release(struct messages *messages);

/* Prints, counts and keeps a finding. `user` is a struct messages. */
perfdata_finding_fn messages_finding;
/* The same for files that hold symbols. Threads read several at once; their findings are printed in the order of the
 * files' names once all are read. */
perfdata_finding_fn messages_file_finding;
void messages_print_files(struct messages *messages);
/* Prints what was found in files so far, and returns the findings kept so far; `findings` of perfdata_run_options and
 * perfdata_convert_options. `user` is a struct messages. */
const struct perfdata_finding *messages_kept(void *user, size_t *ret_nr, uint64_t *ret_total);

/* Prints a message that is no finding. file may be NULL; offset may be PERFDATA_NO_OFFSET. */
void messages_error(struct messages *messages, const char *file, uint64_t offset, const char *format, ...)
	PERFDATA_PRINTF(4, 5);
void messages_note(struct messages *messages, const char *file, const char *format, ...) PERFDATA_PRINTF(3, 4);
/* Prints a note only with -v. */
void messages_detail(struct messages *messages, const char *file, const char *format, ...) PERFDATA_PRINTF(3, 4);

/* Adds the findings that the reader counted without reporting them; may be called several times. */
void messages_count(struct messages *messages, const struct perfdata_reader *reader);
/* How many findings of a code there were. */
uint64_t messages_counted(const struct messages *messages, enum perfdata_finding_code code);
/* Ends an input: prints how many findings of each kind were not printed one by one, and the lines that `hold` kept. */
void messages_end(struct messages *messages, const char *file);

/* Prints "perfdata: error: …": for wrong use and other errors that belong to no input. */
void usage_error(const struct message_style *style, const char *format, ...) PERFDATA_PRINTF(2, 3);

/* Spells severity and code as "E103" into ret, which has room for 8 bytes. Returns ret. */
const char *message_code(enum perfdata_severity severity, unsigned code, char *ret);

#endif
