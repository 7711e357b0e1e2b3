/* SPDX-License-Identifier: MIT */
/* perf's options of the subcommands that we support: each row says what the option becomes. Parsing, usage and
 * translation walk these rows. */
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
	PERF_NUMBER,   /* as PERF_TEXT, a whole number */
	PERF_MAYBE,    /* a value is optional, as --NAME=VALUE only */
};

enum perf_fate {
	PERF_GIVEN,     /* `what` is our option; NULL: the subcommand reads it */
	PERF_NAMES,     /* as PERF_GIVEN, a comma-separated list of names; each becomes an option */
	PERF_LISTED,    /* as PERF_GIVEN; every occurrence counts, not only the last one */
	PERF_IGNORED,   /* has no effect here; `what` says why */
	PERF_REFUSED,   /* is refused; `what` says why */
};

struct perf_option {
	char short_name;         /* or 0 */
	const char *name;
	enum perf_takes takes;
	enum perf_fate fate;
	const char *what;
};

/* A subcommand; its last option has name NULL. */
struct perf_command {
	const char *name;        /* as in "perf data convert" */
	const struct perf_option *options;
	bool stops_at_words;     /* options end at the first other word */
};

extern const struct perf_command perf_script, perf_evlist, perf_buildid_list, perf_report, perf_data_convert,
	perf_version;

/* An option on the command line; text is NULL for flags and for negated options. */
struct perf_given { const struct perf_option *option; const char *text; bool no; };
struct perf_line {
	const struct perf_command *command;
	struct perf_given *given;
	size_t nr, room;
	char **words;            /* words that are not options */
	int nr_words;
};

/* Parses argv, which begins after the subcommand's name. Returns 0, or the exit code after a message or usage. Call
 * perf_line_release in any case. */
int perf_line_parse(struct perf_line *line, const struct perf_command *command, int argc, char **argv);
void perf_line_release(struct perf_line *line);
/* The last occurrence of the option, or NULL. */
const struct perf_given *perf_line_find(const struct perf_line *line, const char *name);
/* Whether a flag is set or an option is given. */
bool perf_line_has(const struct perf_line *line, const char *name);
/* The option's value, or NULL. */
const char *perf_line_text(const struct perf_line *line, const char *name);
/* The first refused option that is set, or NULL. */
const struct perf_given *perf_line_refused(const struct perf_line *line);

/* Prints usage and options: on stderr as perf does, on stdout for --help. Returns PERF_USAGE_CODE. */
int perf_usage(const struct perf_command *command, bool on_stdout);
/* Prints to stdout. */
void perf_print(const char *format, ...) PERFDATA_PRINTF(1, 2);
/* Prints a line to stderr, without "perfdata: error:". */
void perf_say(const char *format, ...) PERFDATA_PRINTF(1, 2);

#endif
