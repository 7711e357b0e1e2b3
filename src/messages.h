/* SPDX-License-Identifier: MIT */
/* Functions that write all messages of the program to stderr, one line each:
 *
 *   perfdata: FILE:0x11e08: error: record size 0; resumed at 0x11e48, 64 bytes skipped [E103]
 *
 * or, with --log-format json, one object per line. Control characters of a recording never reach the terminal. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "perfdata/base.h"
#include "perfdata/reader.h"
#include "perfdata/text.h"

/* How messages appear under perf's name (src/perf/): only errors, one line each, without the place. Findings are kept
 * here. */
struct perf_voice {
	enum perfdata_status failed;   /* status of the last input if it failed */
	bool flow_left_out;            /* a trace was not decoded */
	char damage[256];              /* the first finding of severity error */
	uint64_t samples;              /* of a conversion: samples in the recording */
};

/* Options for messages: which are printed, and how. */
struct message_style {
	bool json;       /* --log-format json */
	bool quiet;      /* errors only */
	bool verbose;    /* all findings of a kind, and details such as files that names came from */
	struct perf_voice *perf;   /* under perf's name; NULL: under our name */
	bool no_findings;   /* count and keep findings without printing them, since the command prints them */
};

struct code_counts { uint64_t of[1000]; };

/* The messages about one input. Any thread may report messages and findings; other functions are for one thread at a
 * time. */
struct messages {
	struct message_style style;
	/* hold back lines until messages_end, since several inputs are read in parallel */
	bool hold;
	struct perfdata_text held;
	struct perfdata_finding_list *kept;   /* for the emitters; NULL before the first finding */
	struct perfdata_finding_list *of_files;   /* findings about files that are not printed yet; NULL: none */
	struct code_counts counts;
	struct code_counts unreported;    /* part of `counts`: counted, but not reported */
	uint64_t total, errors, warnings;
	bool finding_lost;                /* memory ran out while a finding was kept */
};

void messages_init(struct messages *messages, const struct message_style *style, bool hold);
void messages_release(struct messages *messages);

/* Prints, counts and keeps a finding. `user` is a struct messages. */
perfdata_finding_fn messages_finding;
/* For findings about symbol files, which several threads read at once: they are printed in the order of file names
 * after all were read. */
perfdata_finding_fn messages_file_finding;
void messages_print_files(struct messages *messages);
/* Prints the findings about symbol files so far, and returns all kept findings: `findings` of perfdata_run_options and
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
/* Number of findings of a code. */
uint64_t messages_counted(const struct messages *messages, enum perfdata_finding_code code);
/* Ends an input: prints, for each kind of finding, how many were not printed, and prints lines that `hold` kept. */
void messages_end(struct messages *messages, const char *file);

/* Prints "perfdata: error: …": for wrong use, and for errors that belong to no input. */
void usage_error(const struct message_style *style, const char *format, ...) PERFDATA_PRINTF(2, 3);

/* Writes severity and code, such as "E103", to ret, which has 8 bytes. Returns ret. */
const char *message_code(enum perfdata_severity severity, unsigned code, char *ret);

#endif
