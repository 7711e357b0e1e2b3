/* SPDX-License-Identifier: MIT */
/* perf's command lines, made into ours and run. */
#ifndef PERF_RUN_H
#define PERF_RUN_H

#include "commands.h"
#include "perf/perf_options.h"

/* A command line of ours. */
struct perf_words { char **list; size_t nr, room; bool failed; };
/* Adds --NAME, or --NAME=TEXT unless text is NULL. */
void perf_words_add(struct perf_words *words, const char *name, const char *text);
/* Adds what the options of the line become, where the table says it. */
void perf_words_translate(struct perf_words *words, const struct perf_line *line);
void perf_words_release(struct perf_words *words);

/* What perf looks at before it reads: that the file is there, has content and is the user's own. Returns 0, or the exit
 * code after a message in perf's words. */
int perf_input_check(const struct perf_line *line);
/* The file of -i, else perf.data; "-" for a pipe on stdin. */
const char *perf_input_of(const struct perf_line *line);

/* What decides about a recording before it is read. Nothing is known of stdin. */
struct perf_look {
	bool is_stream;
	uint32_t tracer;         /* type of AUXTRACE_INFO; 0: no traces */
	bool no_cpus;            /* samples were recorded without their CPU */
	uint64_t nr_cpus;        /* the recorded machine's processors, by the header of a file; 0: unknown */
};
void perf_look_at(const char *file, struct perf_look *ret);
/* "Intel PT" and others. */
const char *perf_tracer_name(uint32_t tracer);
enum { PERF_TRACER_SPE = 4 };

/* What a command of ours does under perf's name. */
struct perf_run {
	const char *command;         /* our command */
	struct perf_words words;     /* its options */
	/* damage of records is no failure: what is printed comes from the header */
	bool damage_is_fine;
	bool is_stream;              /* perf meets events as it reads, so that what they lack ends the reading */
	bool samples_only, raw_names, short_header;
	unsigned event_lines;        /* enum perf_event_lines: `events --perf` */
	enum perfdata_status failed; /* set: how it failed */
	bool flow_left_out;          /* set: of a trace that would have to be decoded */
	uint64_t samples;            /* set by conversions */
};
/* Runs the command over the line's recording and releases the words. Returns perf's exit code. */
int perf_run(struct perf_run *run, const struct perf_line *line);

/* The subcommands. argv begins after their names. */
int perf_do_script(int argc, char **argv);
int perf_do_report(int argc, char **argv);
int perf_do_data(int argc, char **argv);
int perf_do_evlist(int argc, char **argv);
int perf_do_buildid_list(int argc, char **argv);
/* Says that an option is refused, and why. Returns the exit code. */
int perf_refuse(const struct perf_line *line, const struct perf_given *given);

#endif
