/* SPDX-License-Identifier: MIT */
/* The table of commands, from which dispatch, help, shell completion and the man page are made. The name of every
 * emitter is a command too. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "exit_codes.h"
#include "options.h"

/* The headings under which `perfdata help` lists the commands. */
enum task { TASK_LOOK, TASK_CONVERT, TASK_VIEW, TASK_MATCH, TASK_CHANGE, TASK_AUTOMATE, NR_TASKS };

struct command {
	const char *name;
	const char *arguments;   /* for the usage line */
	const char *help;        /* one line */
	unsigned groups;         /* bits of enum option_group: the options that the command takes */
	/* Runs the command. options->files has the arguments that are not options. NULL: `perf`, which parses options
	 * itself. */
	enum exit_code (*run)(struct options *options);
	enum task task;
};

/* Returns row `index` of the table; NULL after the last row. */
const struct command *command_at(size_t index);
const struct command *command_named(const char *name);
/* The task of an emitter's command, by perfdata_emitter.task. */
enum task emitter_task(const struct perfdata_emitter *emitter);

enum exit_code command_convert(struct options *options);
enum exit_code command_browse(struct options *options);
enum exit_code command_info(struct options *options);
enum exit_code command_events(struct options *options);
enum exit_code command_buildids(struct options *options);
enum exit_code command_symbolize(struct options *options);
enum exit_code command_bundle(struct options *options);
enum exit_code command_match(struct options *options);
enum exit_code command_diff(struct options *options);
enum exit_code command_check(struct options *options);
enum exit_code command_rewrite(struct options *options);
enum exit_code command_repair(struct options *options);
enum exit_code command_anonymize(struct options *options);
enum exit_code command_fields(struct options *options);
enum exit_code command_schema(struct options *options);
enum exit_code command_explain(struct options *options);
/* `perfdata FILE`: the overview; with -v as `info`. */
enum exit_code command_overview(struct options *options);
/* The program under the name `perf`, and `perfdata perf`: perf's command lines. argv[0] is the name of the program. */
int perf_main(int argc, char **argv);
/* The program under the name perf_to_profile, as pprof runs it: perf_to_profile -i IN -o OUT [-f] [-j]. */
int perf_to_profile(int argc, char **argv);
enum exit_code command_completion(struct options *options);
enum exit_code command_help(struct options *options);
enum exit_code command_version(struct options *options);

/* Prints usage and options on stdout: options of `emitter` and general options of `command`; or, if `emitter` is NULL,
 * options of `command`. Options of many commands are only named, unless `all`. */
enum exit_code help_command(const struct command *command, const struct perfdata_emitter *emitter, bool all);
/* Prints the most used commands on stdout, and how to list the others. */
enum exit_code help_overview(void);

#endif
