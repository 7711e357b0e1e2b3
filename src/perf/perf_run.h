/* SPDX-License-Identifier: MIT */
/* Translates perf's command lines to ours and runs them. */
#ifndef PERF_RUN_H
#define PERF_RUN_H

#include "commands.h"
#include "perf/perf_options.h"

/* A command line of ours. */
struct perf_words { char **list; size_t nr, room; bool failed; };
/* Adds --NAME; with text, --NAME=TEXT. */
void perf_words_add(struct perf_words *words, const char *name, const char *text);
/* Adds the translation of the line's options, for those that the table translates. */
void perf_words_translate(struct perf_words *words, const struct perf_line *line);
void perf_words_release(struct perf_words *words);

/* perf's checks of the input: it exists, has content, and belongs to the user. Returns 0, or the exit code after perf's
 * message. */
int perf_input_check(const struct perf_line *line);
/* The file of -i, or perf.data; "-" for a pipe on stdin. */
const char *perf_input_of(const struct perf_line *line);

/* Facts about a recording that are needed before it is read. Unknown for stdin. */
struct perf_look {
	bool is_stream;
	uint32_t tracer;         /* type of AUXTRACE_INFO; 0: no traces */
	bool no_cpus;            /* samples were recorded without their CPU */
	uint64_t nr_cpus;        /* CPUs of the recorded machine, from the header of a file; 0: unknown */
};
void perf_look_at(const char *file, struct perf_look *ret);
/* Name of a tracer, such as "Intel PT". */
const char *perf_tracer_name(uint32_t tracer);
enum { PERF_TRACER_SPE = 4 };

/* A command of ours that runs under perf's name. */
struct perf_run {
	const char *command;         /* our command */
	struct perf_words words;     /* its options */
	/* damage of records is no failure, since only the header is printed */
	bool damage_is_fine;
	bool is_stream;              /* perf checks events while it reads, so a missing field ends the reading */
	bool samples_only, raw_names, short_header;
	unsigned event_lines;        /* enum perf_event_lines: `events --perf` */
	enum perfdata_status failed; /* set: status if it failed */
	bool flow_left_out;          /* set: a trace had to be decoded but was not */
	uint64_t samples;            /* set by conversions */
};
/* Runs the command on the line's recording, and releases the words. Returns perf's exit code. */
int perf_run(struct perf_run *run, const struct perf_line *line);

/* The subcommands. argv begins after their names. */
int perf_do_script(int argc, char **argv);
int perf_do_report(int argc, char **argv);
int perf_do_data(int argc, char **argv);
int perf_do_evlist(int argc, char **argv);
int perf_do_buildid_list(int argc, char **argv);
/* Prints that an option is refused, and why. Returns the exit code. */
int perf_refuse(const struct perf_line *line, const struct perf_given *given);

#endif
