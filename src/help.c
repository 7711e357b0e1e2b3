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

/* Titles for groups of options. */
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

/* The group under which the manual lists an option of several groups. */
static size_t group_of(const struct general_option *row)
{
	size_t g = 0;
	while (!(row->groups & group_masks[g]))
		g++;
	return g;
}

/* Groups whose options `help COMMAND` only names. */
#define COMMON_GROUPS                                                                           \
	((unsigned)(OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_LIST | OPTIONS_FILTER |             \
		    OPTIONS_SYMBOLS | OPTIONS_OUTPUT | OPTIONS_BATCH | OPTIONS_REPORT))

enum { TEXT_COLUMN = 29, NAMES_COLUMN = 21, LAST_COLUMN = 100 };

static size_t columns_of(const char *text, size_t size)
{
	size_t columns = 0;
	for (size_t i = 0; i < size; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;   /* counts UTF-8 characters */
	return columns;
}

/* Prints a word at `*column`, or on a new line at column `begin` if it does not fit. */
static void show_word(const char *word, size_t size, size_t *column, size_t begin)
{
	const size_t columns = columns_of(word, size);
	if (*column > begin && *column + 1 + columns > LAST_COLUMN) {
		printf("\n%*s", (int)begin, "");
		*column = begin;
	} else if (*column > begin) {
		putchar(' ');
		++*column;
	}
	fwrite(word, 1, size, stdout);
	*column += columns;
}

static void show_text(const char *text)
{
	size_t column = TEXT_COLUMN;
	for (const char *at = text; *at; at += strspn(at, " ")) {
		const size_t size = strcspn(at, " ");
		show_word(at, size, &column, TEXT_COLUMN);
		at += size;
	}
	putchar('\n');
}

static void show_option(const struct perfdata_emitter_option *option)
{
	const char *argument = option->kind == PERFDATA_OPTION_FLAG ? NULL : option->argument;
	if (option->short_name)
		printf("  -%c, --%s", option->short_name, option->name);
	else
		printf("      --%s", option->name);
	size_t columns = strlen("  -x, --") + strlen(option->name);
	if (argument) {
		printf(" %s", argument);
		columns += 1 + columns_of(argument, strlen(argument));
	}
	if (columns < TEXT_COLUMN)
		printf("%*s", TEXT_COLUMN - (int)columns, "");
	else
		printf("\n%*s", TEXT_COLUMN, "");
	show_text(option->help);
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

/* Prints the names of common options in `groups`, one paragraph for each group. */
static void name_common(unsigned groups, const struct perfdata_emitter *emitter)
{
	const unsigned own = groups & ~COMMON_GROUPS;
	printf("\nCommon options (perfdata help options explains them):\n");
	for (size_t g = 0; g < sizeof group_masks / sizeof *group_masks; g++) {
		size_t column = 0;
		const struct general_option *row;
		for (size_t i = 0; (row = general_option_at(i)); i++) {
			char name[64];
			if (!(row->groups & groups & COMMON_GROUPS & group_masks[g]) || row->groups & own ||
			    has_own(emitter, row->option.name))
				continue;
			if (!column) {
				printf("  %-*s", NAMES_COLUMN - 2, group_titles[g]);
				column = NAMES_COLUMN;
			}
			const int size = snprintf(name, sizeof name, "--%s", row->option.name);
			show_word(name, (size_t)size, &column, NAMES_COLUMN);
		}
		if (column)
			putchar('\n');
	}
}

enum exit_code help_command(const struct command *command, const struct perfdata_emitter *emitter, bool all)
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
	show_groups(all ? groups : groups & ~COMMON_GROUPS, emitter);
	if (!all && groups & COMMON_GROUPS)
		name_common(groups, emitter);
	printf("\nFlags have a --no- twin.\n");
	return EXIT_FINE;
}

static const char *const task_titles[NR_TASKS] = {
	[TASK_LOOK] = "Look at a recording", [TASK_CONVERT] = "Convert it",
	[TASK_VIEW] = "Open it in a viewer", [TASK_MATCH] = "Match files and names",
	[TASK_CHANGE] = "Change it",         [TASK_AUTOMATE] = "For scripts, and about this program",
};

/* Lists the emitters, then the commands of a task. */
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

/* the most used commands */
static const char *const common_commands[] = { "info", "report", "annotate", "browse", "flamegraph", "script",
					       "csv", "ndjson", "diff", "check", "match", "bundle" };

static void show_usage(void)
{
	printf("Usage: perfdata COMMAND [options] FILE…\n"
	       "       perfdata FILE                       overview of a recording on one screen\n\n"
	       "Reads perf.data recordings: files, pipes, directories, compressed, damaged. - is stdin.\n");
}

enum exit_code help_overview(void)
{
	show_usage();
	putchar('\n');
	for (size_t i = 0; i < sizeof common_commands / sizeof *common_commands; i++) {
		const struct command *command = command_named(common_commands[i]);
		const struct perfdata_emitter *emitter =
			command ? NULL : perfdata_registry_find(NULL, common_commands[i]);
		printf("  %-10s %s\n", common_commands[i], command ? command->help : emitter->help);
	}
	printf("\nperfdata help commands   all commands, and exit codes\n"
	       "perfdata help COMMAND    options of a command; with -v all options\n"
	       "perfdata help options    options that most commands take\n"
	       "perfdata explain CODE    meaning of a message's code\n");
	return EXIT_FINE;
}

static enum exit_code help_commands(void)
{
	show_usage();
	for (enum task task = TASK_LOOK; task < NR_TASKS; task++) {
		printf("\n%s:\n", task_titles[task]);
		show_task(task);
	}
	printf("\nExit codes:\n");
	for (int code = 0; code <= EXIT_INTERRUPTED; code++)
		if (exit_code_meaning((enum exit_code)code))
			printf("  %-10d %s\n", code, exit_code_meaning((enum exit_code)code));
	return EXIT_FINE;
}

static enum exit_code help_options(void)
{
	printf("Options that most commands take; perfdata help COMMAND lists those of a command\n");
	show_groups(COMMON_GROUPS, NULL);
	printf("\nFlags have a --no- twin.\n");
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
		return options->style.verbose ? help_commands() : help_overview();
	const char *name = options->files.values[0];
	if (!strcmp(name, "man-parts")) {
		man_parts();
		return EXIT_FINE;
	}
	if (!strcmp(name, "formats"))
		return help_formats();
	if (!strcmp(name, "commands"))
		return help_commands();
	if (!strcmp(name, "options"))
		return help_options();
	const struct command *command = command_named(name);
	const struct perfdata_emitter *emitter = command ? NULL : perfdata_registry_find(NULL, name);
	if (command || emitter)
		return help_command(command ? command : command_named("convert"), emitter,
				    options->style.verbose);
	usage_error(&options->style, "there is no command '%s' (perfdata help commands lists them)", name);
	return EXIT_USAGE;
}

/* Prints which disassembler is loaded. Only for `version -v`, since LLVM takes long to load. */
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
