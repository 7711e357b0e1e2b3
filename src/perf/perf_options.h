/* SPDX-License-Identifier: MIT */
/* perf's options of the subcommands that we answer: a row each says what becomes of it. Parsing, usage and translation
 * walk these rows. */
#ifndef PERF_OPTIONS_H
#define PERF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "messages.h"

/* Exit codes of perf. */
enum {
	PERF_DONE_CODE = 0, PERF_UNKNOWN_CODE = 1, PERF_USAGE_CODE = 129, PERF_LISTED_CODE = 130,
	PERF_INVALID_CODE = 234, PERF_FAILED_CODE = 255,
};

enum perf_takes {
	PERF_FLAG,
	PERF_TEXT,     /* a value, in the same word or in the next one */
	PERF_NUMBER,   /* the same, a whole number */
	PERF_MAYBE,    /* a value only as --NAME=VALUE */
};

enum perf_fate {
	PERF_GIVEN,     /* `what` is our option, or NULL: the subcommand looks at it */
	PERF_NAMES,     /* as PERF_GIVEN: a list of names separated by commas; each becomes an option of ours */
	PERF_LISTED,    /* as PERF_GIVEN, but every occurrence counts, not only the last one */
	PERF_IGNORED,   /* changes nothing here; `what` says why */
	PERF_REFUSED,   /* `what` says why */
};

struct perf_option {
	char short_name;         /* or 0 */
	const char *name;
	enum perf_takes takes;
	enum perf_fate fate;
	const char *what;
};

/* A subcommand; the last of its options has no name. */
struct perf_command {
	const char *name;        /* as in "perf data convert" */
	const struct perf_option *options;
	bool stops_at_words;     /* options end at the first word that is none */
};

extern const struct perf_command perf_script, perf_evlist, perf_buildid_list, perf_report, perf_data_convert,
	perf_version;

/* An option on the command line; text is NULL for flags and for those that are unset. */
struct perf_given { const struct perf_option *option; const char *text; bool no; };
struct perf_line {
	const struct perf_command *command;
	struct perf_given *given;
	size_t nr, room;
	char **words;            /* what is left over */
	int nr_words;
};

/* Parses argv, which begins after the name of the subcommand, by perf's rules. Returns 0, or the exit code after a
 * message or a usage. perf_line_release in any case. */
int perf_line_parse(struct perf_line *line, const struct perf_command *command, int argc, char **argv);
void perf_line_release(struct perf_line *line);
/* Returns the last time that the option was given, or NULL. */
const struct perf_given *perf_line_find(const struct perf_line *line, const char *name);
/* Whether a flag is set, or an option given. */
bool perf_line_has(const struct perf_line *line, const char *name);
/* The value, or NULL. */
const char *perf_line_text(const struct perf_line *line, const char *name);
/* The first refused option that is set, or NULL. */
const struct perf_given *perf_line_refused(const struct perf_line *line);

/* Prints usage and options: on stderr as perf does, on stdout for --help. Returns PERF_USAGE_CODE. */
int perf_usage(const struct perf_command *command, bool on_stdout);
/* Prints on stdout. */
void perf_print(const char *format, ...) PERFDATA_PRINTF(1, 2);
/* Prints a line on stderr, as it is. */
void perf_say(const char *format, ...) PERFDATA_PRINTF(1, 2);

#endif
