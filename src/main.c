/* SPDX-License-Identifier: MIT */
/* perfdata COMMAND [options] FILE…: finds the command, parses its options and runs the command. */
#include "config.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "commands.h"
#include "print.h"
#include "symbol_options.h"
#include "perfdata/emit.h"
#include "chosen_emitter.h"
#include "perfdata/registry.h"
#include "terminal.h"

static enum exit_code unknown_command(const char *name)
{
	static const struct message_style style;
	char hint[PERFDATA_NEAREST_SIZE];
	struct perfdata_nearest nearest = { .wanted = name };
	const struct command *command;
	const struct perfdata_emitter *emitter;
	static const struct { const char *said, *meant;
	} others[] = {
		{ "top", "report" },
		{ "compare", "diff" },
		{ "list", "report" },
		{ "stat", "info" },
		{ "header", "info" },
		{ "flame", "flamegraph" },
		{ "svg", "flamegraph" },
		{ "html", "flamegraph" },
		{ "gecko", "firefox" },
		{ "evlist", "events" },
		{ "buildid-list", "buildids" },
		{ "collapse", "folded" },
		{ "convert-json", "perf-json" },
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (strcmp(others[i].said, name) != 0)
			continue;
		usage_error(&style,
			    "there is no command '%s'; did you mean %s? (perfdata help commands lists them)", name,
			    others[i].meant);
		return EXIT_USAGE;
	}
	for (size_t i = 0; (command = command_at(i)); i++)
		perfdata_nearest_offer(&nearest, command->name);
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++)
		perfdata_nearest_offer(&nearest, emitter->name);
	usage_error(&style, "there is no command '%s'%s (perfdata help commands lists them)", name,
		    perfdata_nearest_hint(&nearest, "", hint));
	return EXIT_USAGE;
}

/* Closes stdout. A failed write is EXIT_OUTPUT, even if the command did not notice. */
static enum exit_code finish_program(enum exit_code code, const struct options *options)
{
	if (print_finish())
		return code;
	usage_error(&options->style, "stdout cannot be written");
	return exit_code_join(code, EXIT_OUTPUT);
}

/* Raises the soft limit of descriptors to the hard limit. The soft limit protects programs that use select(2), which
 * this program does not. */
static void raise_descriptors(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	raise_descriptors();
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	/* whatever the caller ignored: SIGPIPE ends the program, and SIGXFSZ makes a write fail */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);
	if (argc && !strcmp(slash ? slash + 1 : argv[0], "perf_to_profile"))
		return perf_to_profile(argc, argv);
	if (argc && !strcmp(slash ? slash + 1 : argv[0], "perf"))
		return perf_main(argc, argv);
	struct options options = { .max_ratio = DEFAULT_MAX_RATIO };
	const char *name = argc > 1 ? argv[1] : "";
	if (!strcmp(name, "perf_to_profile"))
		return perf_to_profile(argc - 1, argv + 1);
	if (!*name) {
		help_overview();
		return EXIT_USAGE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	else if (!strcmp(name, "--version") || !strcmp(name, "-V"))
		name = "version";

	/* for `perfdata FILE` and `perfdata -- FILE`, which name no command */
	static const struct command overview = { "",
						 "[options] FILE",
						 "",
						 OPTIONS_GENERAL | OPTIONS_INPUT | OPTIONS_JSON | OPTIONS_SYMBOLS |
							 OPTIONS_PERF | OPTIONS_STATS | OPTIONS_NAMES,
						 command_overview,
						 TASK_LOOK };
	/* no command has a dot or a slash in its name, so such a word is a file that does not exist */
	const bool is_file = !command_named(name) && !perfdata_registry_find(NULL, name) &&
			     (access(name, F_OK) == 0 || strpbrk(name, "./") || !strcmp(name, "-") ||
			      !strcmp(name, "--"));
	const struct command *command = is_file ? &overview : command_named(name);
	const struct perfdata_emitter *emitter = command ? NULL : perfdata_registry_find(NULL, name);
	if (!command && !emitter)
		return (int)unknown_command(name);
	if (command && !command->run)
		return perf_main(argc - 1, argv + 1);
	unsigned groups;
	if (emitter) {
		command = command_named("convert");
		groups = command->groups & ~(unsigned)OPTIONS_TO;
		options.emitter = emitter;
	} else {
		groups = command->groups;
	}
	enum exit_code code = EXIT_USAGE;
	if ((groups & OPTIONS_TO) && !emitters_choose(&options, argc - 2, argv + 2))
		goto out;
	if (!options_parse(&options, groups, argc - (is_file ? 1 : 2), argv + (is_file ? 1 : 2)))
		goto out;
	if (options.files.nr && !options.help && !(groups & (OPTIONS_INPUT | OPTIONS_WORDS)))
		usage_error(&options.style, "%s takes no FILE, such as '%s'", command->name, options.files.values[0]);
	else if (options.help)
		code = help_command(command, options.emitter, options.style.verbose);
	else if (symbols_open(&options, &code))
		code = command->run(&options);
	symbols_close(&options);
out:
	code = finish_program(options.no_memory ? EXIT_LIMIT : options.list_unreadable ? EXIT_INPUT : code, &options);
	options_release(&options);
	perfdata_registry_free(options.registry);
	terminal_finish();
	return (int)code;
}
