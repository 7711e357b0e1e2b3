/* SPDX-License-Identifier: MIT */
/* perfdata completion SHELL: prints the script with which a shell completes commands, options and their values, made
 * from the tables of commands and options. A conversion takes the options of its emitter and the options of all
 * conversions; `convert` does so when its --to is on the line. */
#include "config.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "commands.h"
#include "perfdata/registry.h"

/* --- commands and options of the tables
 * ------------------------------------------------------------------------------------------ */

/* What follows an option or a command on the command line. */
enum value_kind { VALUE_NONE, VALUE_ANY, VALUE_WORDS, VALUE_FILE, VALUE_DIR };

/* Names of formats need no quotes. */
static void print_formats(void)
{
	const struct perfdata_emitter *emitter;
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++)
		printf("%s%s", i ? " " : "", emitter->name);
}

static void print_commands(void)
{
	const struct command *command;
	print_formats();
	for (size_t i = 0; (command = command_at(i)); i++)
		printf(" %s", command->name);
}

static void print_types(void)
{
	const struct perfdata_layout *layout;
	uint32_t last = 0;
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)) && perfdata_layout_id(layout) > last; i++) {
		printf("%s%s", i ? " " : "", perfdata_layout_name(layout));
		last = perfdata_layout_id(layout);
	}
}

static void print_codes(void)
{
	const struct perfdata_finding_info *info;
	for (size_t i = 0; (info = perfdata_finding_at(i)); i++)
		printf("%sE%u", i ? " " : "", (unsigned)info->code);
}

/* Whether the argument is a list of words to choose from: "time|file". */
static bool is_choice(const char *argument)
{
	if (!strchr(argument, '|'))
		return false;
	for (const char *at = argument; *at; at++)
		if (isupper((unsigned char)*at) || strchr("[] ", *at))
			return false;
	return true;
}

static void print_choice(const char *argument)
{
	for (; *argument; argument++)
		putchar(*argument == '|' ? ' ' : *argument);
}

static enum value_kind option_takes(const struct perfdata_emitter_option *option)
{
	if (option->kind == PERFDATA_OPTION_FLAG)
		return VALUE_NONE;
	if (option->kind == PERFDATA_OPTION_CHOICE ||
	    (option->kind == PERFDATA_OPTION_TEXT && is_choice(option->argument)) || !strcmp(option->name, "to") ||
	    !strcmp(option->name, "type"))
		return VALUE_WORDS;
	if (!strncmp(option->argument, "FILE", 4) || !strcmp(option->argument, "ELF"))
		return VALUE_FILE;
	return strcmp(option->argument, "DIR") ? VALUE_ANY : VALUE_DIR;
}

static void print_option_words(const struct perfdata_emitter_option *option)
{
	if (!strcmp(option->name, "to"))
		print_formats();
	else if (!strcmp(option->name, "type"))
		print_types();
	else
		print_choice(option->argument);
}

static enum value_kind command_takes(const struct command *command)
{
	if (command->groups & OPTIONS_INPUT)
		return VALUE_FILE;
	if (strstr(command->arguments, "COMMAND") || strstr(command->arguments, "CODE") ||
	    is_choice(command->arguments))
		return VALUE_WORDS;
	return VALUE_NONE;
}

static void print_command_words(const struct command *command)
{
	if (strstr(command->arguments, "COMMAND")) {
		print_commands();
		printf(" formats");
	} else if (strstr(command->arguments, "CODE"))
		print_codes();
	else
		print_choice(command->arguments);
}

/* Returns general option `index` of the groups; NULL after the last. */
static const struct perfdata_emitter_option *group_option_at(unsigned groups, size_t index)
{
	const struct general_option *row;
	for (size_t i = 0; (row = general_option_at(i)); i++)
		if ((row->groups & groups) && !index--)
			return &row->option;
	return NULL;
}

static unsigned conversion_groups(void) { return command_named("convert")->groups & ~(unsigned)OPTIONS_TO; }

/* A list of options. */
struct option_source {
	const struct perfdata_emitter *emitter;   /* NULL: the options are those of `groups` */
	unsigned groups;
};

static const struct perfdata_emitter_option *option_at(const struct option_source *source, size_t index)
{
	return source->emitter ? perfdata_emitter_option_at(source->emitter, index)
			       : group_option_at(source->groups, index);
}

/* --- bash --------------------------------------------------------------------------------------------------------- */

static void bash_options(const struct option_source *source)
{
	const struct perfdata_emitter_option *option;
	printf("\t\toptions+='");
	for (size_t i = 0; (option = option_at(source, i)); i++) {
		if (option->short_name)
			printf(" -%c", option->short_name);
		printf(" --%s", option->name);
	}
	printf("' twins+='");
	for (size_t i = 0; (option = option_at(source, i)); i++)
		if (option->kind == PERFDATA_OPTION_FLAG)
			printf(" --no-%s", option->name);
	printf("'\n\t\tcase $option in\n");
	for (size_t i = 0; (option = option_at(source, i)); i++) {
		const enum value_kind kind = option_takes(option);
		if (kind == VALUE_NONE)
			continue;
		printf("\t\t--%s", option->name);
		if (option->short_name)
			printf("|-%c", option->short_name);
		if (kind == VALUE_WORDS) {
			printf(") takes=words words='");
			print_option_words(option);
			printf("' ;;\n");
		} else {
			printf(") takes=%s ;;\n", kind == VALUE_FILE  ? "file"
						  : kind == VALUE_DIR ? "directory"
								      : "any");
		}
	}
	printf("\t\tesac ;;\n");
}

static void print_bash(void)
{
	const struct perfdata_emitter *emitter;
	const struct command *command;
	printf("# Completions of perfdata for bash, as `perfdata completion bash` prints them.\n\n"
	       "# FORMAT: adds its own options to $options and $twins; sets $takes, and $words, if $option is one of "
	       "them\n"
	       "_perfdata_format() {\n\tcase $1 in\n");
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++) {
		printf("\t%s)\n", emitter->name);
		bash_options(&(struct option_source){ .emitter = emitter });
	}
	printf("\tesac\n}\n\n# COMMAND: the same; $operands, and $operand_words: what follows the options\n"
	       "_perfdata_command() {\n\tcase $1 in\n\t");
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++)
		printf("%s%s", i ? "|" : "", emitter->name);
	printf(")\n\t\toperands=file\n");
	bash_options(&(struct option_source){ .groups = conversion_groups() });
	for (size_t i = 0; (command = command_at(i)); i++) {
		const enum value_kind kind = command_takes(command);
		printf("\t%s)\n\t\toperands=%s", command->name,
		       kind == VALUE_FILE    ? "file"
		       : kind == VALUE_WORDS ? "words"
					     : "any");
		if (kind == VALUE_WORDS) {
			printf(" operand_words='");
			print_command_words(command);
			putchar('\'');
		}
		putchar('\n');
		bash_options(&(struct option_source){ .groups = command->groups });
	}
	printf("\tesac\n}\n\n"
	       "_perfdata() {\n"
	       "\tlocal current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
	       "\tlocal format= options= twins= takes= words= operands= operand_words= i\n"
	       "\tCOMPREPLY=()\n"
	       "\t# readline takes --order=time apart\n"
	       "\tif [[ $current == = ]]; then\n"
	       "\t\tcurrent=\n"
	       "\telif [[ $option == = && $COMP_CWORD -gt 2 ]]; then\n"
	       "\t\toption=${COMP_WORDS[COMP_CWORD-2]}\n"
	       "\tfi\n"
	       "\tif [[ $COMP_CWORD -eq 1 ]]; then\n"
	       "\t\toperands=words options='--help --version' operand_words='");
	print_commands();
	printf("'\n"
	       "\telse\n"
	       "\t\tformat=$command\n"
	       "\t\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	       "\t\t\t[[ $command == convert && ( ${COMP_WORDS[i]} == --to || ${COMP_WORDS[i]} == -t ) ]] || continue\n"
	       "\t\t\tformat=${COMP_WORDS[i+1]}\n"
	       "\t\t\t[[ $format == = ]] && format=${COMP_WORDS[i+2]}\n"
	       "\t\tdone\n"
	       "\t\t_perfdata_command \"$command\"\n"
	       "\t\tfor i in ${format//,/ }; do\n"
	       "\t\t\t_perfdata_format \"$i\"   # it has the last word about an option of both\n"
	       "\t\tdone\n"
	       "\tfi\n"
	       "\tif [[ -z $takes && $current == --no-* ]]; then\n"
	       "\t\ttakes=words words=$twins\n"
	       "\telif [[ -z $takes && $current == -* ]]; then\n"
	       "\t\ttakes=words words=$options\n"
	       "\telif [[ -z $takes ]]; then\n"
	       "\t\ttakes=$operands words=$operand_words\n"
	       "\tfi\n"
	       "\tcase $takes in\n"
	       "\twords) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\") ;;\n"
	       "\tdirectory) mapfile -t COMPREPLY < <(compgen -d -- \"$current\") ;;\n"
	       "\tesac\n"
	       "\t# a FILE alone is a command too\n"
	       "\tif [[ $takes == file || ( $COMP_CWORD -eq 1 && ${#COMPREPLY[@]} -eq 0 ) ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
	       "\t\ttakes=file\n"
	       "\tfi\n"
	       "\tif [[ $takes == file || $takes == directory ]]; then\n"
	       "\t\tcompopt -o filenames 2>/dev/null\n"
	       "\tfi\n"
	       "}\n"
	       "complete -F _perfdata perfdata\n");
}

/* --- zsh ---------------------------------------------------------------------------------------------------------- */

/* Prints text for use between single quotes, with a backslash before the characters that are special to _arguments
 * and _describe. */
static void zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\''");
		else
			printf("%s%c", strchr("[]:\\", *text) ? "\\" : "", *text);
	}
}

static void zsh_option(const struct perfdata_emitter_option *option)
{
	const enum value_kind kind = option_takes(option);
	const char *equals = kind == VALUE_NONE ? "" : "=";
	printf("\t\t\t");
	if (option->short_name)
		printf("'(-%c --%s)'{-%c%s,--%s%s}'[", option->short_name, option->name, option->short_name,
		       kind == VALUE_NONE ? "" : "+", option->name, equals);
	else
		printf("'--%s%s[", option->name, equals);
	zsh_text(option->help);
	putchar(']');
	if (kind != VALUE_NONE) {
		putchar(':');
		zsh_text(kind == VALUE_WORDS ? option->name : option->argument);
		printf(":%s", kind == VALUE_FILE    ? "_files"
			      : kind == VALUE_DIR   ? "_files -/"
			      : kind == VALUE_WORDS ? "("
						    : " ");
		if (kind == VALUE_WORDS) {
			print_option_words(option);
			putchar(')');
		}
	}
	printf("'\n");
	if (kind == VALUE_NONE)
		printf("\t\t\t'--no-%s'\n", option->name);
}

static void zsh_options(const struct option_source *source)
{
	const struct perfdata_emitter_option *option;
	printf("\t\tspecs+=(\n");
	for (size_t i = 0; (option = option_at(source, i)); i++)
		zsh_option(option);
	printf("\t\t) ;;\n");
}

static void zsh_described(const char *name, const char *help)
{
	printf("\t\t'%s:", name);
	zsh_text(help);
	printf("'\n");
}

static void print_zsh(void)
{
	const struct perfdata_emitter *emitter;
	const struct command *command;
	printf("#compdef perfdata\n# Completions of perfdata for zsh, as `perfdata completion zsh` prints them.\n\n"
	       "_perfdata() {\n\tlocal command format word\n\tlocal -a commands specs\n\tcommands=(\n");
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++)
		zsh_described(emitter->name, emitter->help);
	for (size_t i = 0; (command = command_at(i)); i++)
		zsh_described(command->name, command->help);
	printf("\t)\n"
	       "\tif (( CURRENT == 2 )); then\n"
	       "\t\t_describe -t commands command commands\n"
	       "\t\t_files\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tcommand=$words[2]\n"
	       "\tformat=$command\n"
	       "\tif [[ $command == convert ]]; then\n"
	       "\t\tfor word in ${words[3,CURRENT-1]}; do\n"
	       "\t\t\tcase $word in\n"
	       "\t\t\t--to=*) format=${word#--to=} ;;\n"
	       "\t\t\t--to|-t) format= ;;\n"
	       "\t\t\t*) [[ -n $format ]] || format=$word ;;\n"
	       "\t\t\tesac\n"
	       "\t\tdone\n"
	       "\tfi\n"
	       "\tfor word in ${(s:,:)format}; do\n"
	       "\tcase $word in\n");
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++) {
		if (!perfdata_emitter_option_at(emitter, 0))
			continue;
		printf("\t%s)\n", emitter->name);
		zsh_options(&(struct option_source){ .emitter = emitter });
	}
	printf("\tesac\n\tdone\n\tcase $command in\n\t");
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++)
		printf("%s%s", i ? "|" : "", emitter->name);
	printf(")\n\t\tspecs+=('*:recording:_files')\n");
	zsh_options(&(struct option_source){ .groups = conversion_groups() });
	for (size_t i = 0; (command = command_at(i)); i++) {
		const enum value_kind kind = command_takes(command);
		printf("\t%s)\n", command->name);
		if (kind == VALUE_FILE)
			printf("\t\tspecs+=('*:recording:_files')\n");
		if (kind == VALUE_WORDS) {
			printf("\t\tspecs+=('*:what:(");
			print_command_words(command);
			printf(")')\n");
		}
		zsh_options(&(struct option_source){ .groups = command->groups });
	}
	printf("\tesac\n"
	       "\tshift words\n"
	       "\t(( CURRENT-- ))\n"
	       "\t_arguments -s -S $specs\n"
	       "}\n\n"
	       "# read as a function by the completion system, or by source\n"
	       "if [[ $funcstack[1] == _perfdata ]]; then\n"
	       "\t_perfdata \"$@\"\n"
	       "else\n"
	       "\tcompdef _perfdata perfdata\n"
	       "fi\n");
}

/* --- fish --------------------------------------------------------------------------------------------------------- */

static void fish_text(const char *text)
{
	for (; *text; text++)
		printf("%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
}

/* Ends a `complete` line. The caller has printed the line up to its condition (-n), without the closing quote. */
static void fish_option(const struct perfdata_emitter_option *option)
{
	const enum value_kind kind = option_takes(option);
	printf("' -l %s", option->name);
	if (option->short_name)
		printf(" -s %c", option->short_name);
	if (kind == VALUE_FILE)
		printf(" -r -F");
	else if (kind == VALUE_DIR)
		printf(" -x -a '(__fish_complete_directories)'");
	else if (kind != VALUE_NONE)
		printf(" -x");
	if (kind == VALUE_WORDS) {
		printf(" -a '");
		print_option_words(option);
		putchar('\'');
	}
	printf(" -d '");
	fish_text(option->help);
	printf("'\n");
}

static void fish_first(const char *name, const char *help)
{
	printf("complete -c perfdata -n __perfdata_first -a %s -d '", name);
	fish_text(help);
	printf("'\n");
}

static void print_fish(void)
{
	const struct perfdata_emitter *emitter;
	const struct perfdata_emitter_option *option;
	const struct general_option *row;
	const struct command *command;
	printf("# Completions of perfdata for fish, as `perfdata completion fish` prints them.\n\n"
	       "function __perfdata_first\n\ttest (count (commandline -opc)) -eq 1\nend\n\n"
	       "# whether the command is one of these\n"
	       "function __perfdata_is\n"
	       "\tset -l words (commandline -opc)\n"
	       "\tset -q words[2]; and contains -- $words[2] $argv\n"
	       "end\n\n"
	       "# whether the command is this format, or convert with it\n"
	       "function __perfdata_writes\n"
	       "\tset -l words (commandline -opc)\n"
	       "\tset -q words[2]; or return 1\n"
	       "\ttest $words[2] = $argv[1]; and return 0\n"
	       "\ttest $words[2] = convert; and string match -qr -- \"(--to[ =]|-t ?)([a-z-]+,)*$argv[1](,| |\\$)\" "
	       "\"$words\"\n"
	       "end\n\n"
	       "complete -c perfdata -f\n"
	       "complete -c perfdata -n __perfdata_first -F\n");
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++)
		fish_first(emitter->name, emitter->help);
	for (size_t i = 0; (command = command_at(i)); i++)
		fish_first(command->name, command->help);
	for (size_t i = 0; (command = command_at(i)); i++) {
		const enum value_kind kind = command_takes(command);
		if (kind == VALUE_FILE)
			printf("complete -c perfdata -n '__perfdata_is %s' -F\n", command->name);
		if (kind != VALUE_WORDS)
			continue;
		printf("complete -c perfdata -n '__perfdata_is %s' -a '", command->name);
		print_command_words(command);
		printf("'\n");
	}
	printf("complete -c perfdata -n '__perfdata_is ");
	print_formats();
	printf("' -F\n");
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++) {
		for (size_t k = 0; (option = perfdata_emitter_option_at(emitter, k)); k++) {
			printf("complete -c perfdata -n '__perfdata_writes %s", emitter->name);
			fish_option(option);
		}
	}
	for (size_t i = 0; (row = general_option_at(i)); i++) {
		printf("complete -c perfdata -n '__perfdata_is");
		for (size_t k = 0; (command = command_at(k)); k++)
			if (command->groups & row->groups)
				printf(" %s", command->name);
		if (conversion_groups() & row->groups) {
			putchar(' ');
			print_formats();
		}
		fish_option(&row->option);
	}
}

/* --- the command -------------------------------------------------------------------------------------------------- */

enum exit_code command_completion(struct options *options)
{
	static const struct { const char *name; void (*print)(void); } shells[] = {
		{ "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish },
	};
	const char *name = options->files.nr == 1 ? options->files.values[0] : "";
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (!strcmp(shells[i].name, name)) {
			shells[i].print();
			return EXIT_FINE;
		}
	}
	usage_error(&options->style, "completion takes the name of a shell: bash, zsh or fish");
	return EXIT_USAGE;
}
