/* SPDX-License-Identifier: MIT */
/* Prints help texts and parts of the man page from the tables of commands and options. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "screen.h"
#include "perfdata/emit.h"
#include "perfdata/registry.h"

/* Each group of options is in one of these. */
static const char *const group_titles[] = { "Output",  "The new recording", "Files at hand", "Comparison", "Bundle",
					    "Filters", "Symbols",           "Input",         "General" };
static const unsigned group_masks[] = {
	OPTIONS_OUTPUT | OPTIONS_BATCH | OPTIONS_REPORT | OPTIONS_CHECK | OPTIONS_TO | OPTIONS_JSON | OPTIONS_JUNIT |
		OPTIONS_PERF | OPTIONS_STATS | OPTIONS_HITS | OPTIONS_COLUMNS | OPTIONS_TSV,
	OPTIONS_RECORDING | OPTIONS_REWRITE | OPTIONS_ANONYMIZE,
	OPTIONS_MATCH,
	OPTIONS_DIFF,
	OPTIONS_BUNDLE,
	OPTIONS_FILTER,
	OPTIONS_SYMBOLS,
	OPTIONS_INPUT | OPTIONS_LIST,
	OPTIONS_GENERAL,
};

/* The group under which the manual lists an option that several groups have. */
static size_t group_of(const struct general_option *row)
{
	size_t g = 0;
	while (!(row->groups & group_masks[g]))
		g++;
	return g;
}

static void show_option(const struct perfdata_emitter_option *option)
{
	char name[80];
	const char *argument = option->kind == PERFDATA_OPTION_FLAG ? NULL : option->argument;
	snprintf(name, sizeof name, "--%s%s%s", option->name, argument ? " " : "", argument ? argument : "");
	if (option->short_name)
		printf("  -%c, %-22s %s\n", option->short_name, name, option->help);
	else
		printf("      %-22s %s\n", name, option->help);
}

static bool has_own(const struct perfdata_emitter *emitter, const char *name)
{
	if (emitter && perfdata_emitter_option_named(emitter, name))
			return true;
	return false;
}

static void show_groups(unsigned groups, const struct perfdata_emitter *emitter)
{
	for (size_t g = 0; g < sizeof group_masks / sizeof *group_masks; g++) {
		bool titled = false;
		const struct general_option *row;
		for (size_t i = 0; (row = general_option_at(i)); i++) {
			if (!(row->groups & groups & group_masks[g]) || has_own(emitter, row->option.name))
				continue;
			if (!titled)
				printf("\n%s:\n", group_titles[g]);
			titled = true;
			show_option(&row->option);
		}
	}
}

enum exit_code help_command(const struct command *command, const struct perfdata_emitter *emitter)
{
	unsigned groups = command->groups;
	if (emitter) {
		printf("Usage: perfdata %s [options] FILE…\n\n%s\n", emitter->name, emitter->help);
		groups &= ~(unsigned)OPTIONS_TO;
		if (perfdata_emitter_option_at(emitter, 0))
			printf("\nOptions of %s:\n", emitter->name);
		const struct perfdata_emitter_option *own;
		for (size_t i = 0; (own = perfdata_emitter_option_at(emitter, i)); i++)
			show_option(own);
	} else {
		printf("Usage: perfdata %s %s\n\n%s\n", command->name, command->arguments, command->help);
	}
	show_groups(groups, emitter);
	printf("\nFlags have a --no- twin.\n");
	return EXIT_FINE;
}

static const char *const task_titles[NR_TASKS] = {
	[TASK_LOOK] = "Look at a recording", [TASK_CONVERT] = "Convert it",
	[TASK_VIEW] = "Open it in a viewer", [TASK_MATCH] = "Match files and names",
	[TASK_CHANGE] = "Change it",         [TASK_AUTOMATE] = "For scripts, and about this program",
};

/* Lists the emitters and commands of a task: emitters first, as everywhere. */
static void show_task(enum task task)
{
	const struct perfdata_emitter *emitter;
	const struct command *command;
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++)
		if (emitter_task(emitter) == task)
			printf("  %-10s %s\n", emitter->name, emitter->help);
	for (size_t i = 0; (command = command_at(i)); i++)
		if (command->task == task)
			printf("  %-10s %s\n", command->name, command->help);
}

static enum exit_code help_formats(void)
{
	const struct perfdata_emitter *emitter;
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++)
		printf("%-10s %s\n", emitter->name, emitter->help);
	return EXIT_FINE;
}

enum exit_code help_all(void)
{
	printf("Usage: perfdata COMMAND [options] FILE…\n"
	       "       perfdata FILE\n\n"
	       "Reads perf.data recordings: files, pipes, directories, packed, damaged. - is stdin. A FILE alone is "
	       "asked what it is.\n");
	for (enum task task = TASK_LOOK; task < NR_TASKS; task++) {
		printf("\n%s:\n", task_titles[task]);
		show_task(task);
	}
	printf("\nExit codes:\n");
	for (int code = 0; code <= EXIT_INTERRUPTED; code++)
		if (exit_code_meaning((enum exit_code)code))
			printf("  %-10d %s\n", code, exit_code_meaning((enum exit_code)code));
	printf("\nperfdata help COMMAND shows the options of one; perfdata help formats lists what convert --to "
	       "takes.\n");
	return EXIT_FINE;
}

/* --- the generated parts of perfdata.1, for tests/cli/generated_docs.py ------------------------------------------- */

static void man_text(const char *s)
{
	for (; *s; s++) {
		if (*s == '-' || *s == '\\')
			putchar('\\');
		putchar(*s == '\\' ? 'e' : *s);
	}
}

static void man_option(const struct perfdata_emitter_option *option)
{
	printf(".TP\n");
	if (option->short_name)
		printf("\\fB\\-%c\\fR, ", option->short_name);
	printf("\\fB\\-\\-");
	man_text(option->name);
	printf("\\fR");
	if (option->kind != PERFDATA_OPTION_FLAG && option->argument) {
		printf(" \\fI");
		man_text(option->argument);
		printf("\\fR");
	}
	putchar('\n');
	man_text(option->help);
	putchar('\n');
}

static void man_named(const char *name, const char *help)
{
	printf(".TP\n\\fB");
	man_text(name);
	printf("\\fR\n");
	man_text(help);
	putchar('\n');
}

static void man_parts(void)
{
	const struct perfdata_emitter *emitter;
	const struct command *command;
	const struct general_option *row;
	printf(".SS Conversions\n");
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++)
		man_named(emitter->name, emitter->help);
	printf(".SS Other commands\n");
	for (size_t i = 0; (command = command_at(i)); i++)
		man_named(command->name, command->help);
	printf(".SH OPTIONS\nFlags have a \\fB\\-\\-no\\-\\fR twin.\n");
	for (size_t g = 0; g < sizeof group_masks / sizeof *group_masks; g++) {
		printf(".SS %s\n", group_titles[g]);
		for (size_t i = 0; (row = general_option_at(i)); i++)
			if (group_of(row) == g)
				man_option(&row->option);
	}
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++) {
		if (!perfdata_emitter_option_at(emitter, 0))
			continue;
		printf(".SS Options of %s\n", emitter->name);
		const struct perfdata_emitter_option *own;
		for (size_t k = 0; (own = perfdata_emitter_option_at(emitter, k)); k++)
			man_option(own);
	}
	printf(".SH EXIT STATUS\n");
	for (int code = 0; code <= EXIT_INTERRUPTED; code++) {
		char number[16];
		if (!exit_code_meaning((enum exit_code)code))
			continue;
		snprintf(number, sizeof number, "%d", code);
		man_named(number, exit_code_meaning((enum exit_code)code));
	}
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

enum exit_code command_help(struct options *options)
{
	if (!options->files.nr)
		return help_all();
	const char *name = options->files.values[0];
	if (!strcmp(name, "man-parts")) {
		man_parts();
		return EXIT_FINE;
	}
	if (!strcmp(name, "formats"))
		return help_formats();
	const struct command *command = command_named(name);
	const struct perfdata_emitter *emitter = command ? NULL : perfdata_registry_find(NULL, name);
	if (command || emitter)
		return help_command(command ? command : command_named("convert"), emitter);
	usage_error(&options->style, "there is no command '%s' (perfdata help lists them)", name);
	return EXIT_USAGE;
}

/* Which library it is, is known once it is loaded, and LLVM is large. */
static void print_disassembler(void)
{
	struct perfdata_symbols *symbols = NULL;
	const char *disassembler = NULL;
	enum perfdata_status status = perfdata_symbols_new(NULL, &symbols);
	if (!status)
		status = perfdata_symbols_disassembler(symbols, &disassembler);
	printf("disassembler: %s\n", !status			  ? disassembler
				     : status == PERFDATA_ABSENT ? "none is installed (LLVM or capstone would do)"
								 : perfdata_status_text(status));
	perfdata_symbols_free(symbols);
}

enum exit_code command_version(struct options *options)
{
	printf("perfdata %s\nbuilt with: %s\nOpenTelemetry profiles: %s\n", perfdata_version(), perfdata_build_info(),
	       PERFDATA_OTLP_PROFILES);
	if (options->style.verbose)
		print_disassembler();
	const char *curses = options->style.verbose ? screen_library() : NULL;
	if (options->style.verbose)
		printf("curses, for browse: %s\n", curses ? curses : "none is installed (libncursesw.so.6)");
	return EXIT_FINE;
}
