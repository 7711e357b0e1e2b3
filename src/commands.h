/* SPDX-License-Identifier: MIT */
/* The commands: one table, from which dispatch, help and the man page come. Every emitter's name is a command too. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "exit_codes.h"
#include "options.h"

/* What a user wants to do: the groups of `perfdata help`. */
enum task { TASK_LOOK, TASK_CONVERT, TASK_VIEW, TASK_MATCH, TASK_CHANGE, TASK_AUTOMATE, NR_TASKS };

struct command {
	const char *name;
	const char *arguments;   /* as the usage line shows them */
	const char *help;        /* one line */
	unsigned groups;         /* enum option_group */
	/* Options are parsed; what is no option is in options->files. */
	enum exit_code (*run)(struct options *options);
	enum task task;
};

/* Row number `index`, or NULL behind the last. */
const struct command *command_at(size_t index);
const struct command *command_named(const char *name);
/* Emitters are formats to convert to, but for a few. */
enum task emitter_task(const struct perfdata_emitter *emitter);

enum exit_code command_convert(struct options *options);
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
/* What stands behind a FILE alone: the first screen about it; with -v what info says. */
enum exit_code command_overview(struct options *options);
/* The program as pprof calls it: perf_to_profile -i IN -o OUT -f. */
int perf_to_profile(int argc, char **argv);
enum exit_code command_completion(struct options *options);
enum exit_code command_help(struct options *options);
enum exit_code command_version(struct options *options);

/* Usage and options of a command, on stdout; of an emitter with emitter set. */
enum exit_code help_command(const struct command *command, const struct perfdata_emitter *emitter);
/* All commands, on stdout. */
enum exit_code help_all(void);

#endif
