/* SPDX-License-Identifier: MIT */
/* The program under the name `perf`. */
#include "config.h"
#include <string.h>
#include "perf/perf_run.h"
#include "perfdata/convert.h"
#include "print.h"

/* The version of perf whose command lines and texts we follow. Programs read "MAJOR.MINOR", or the text before the
 * first '-'. */
#define PERF_FOLLOWED "7.3.4"

static int do_version(int argc, char **argv);
static int do_help(int argc, char **argv);

static const char recording[] = "use perf itself: perfdata reads recordings, and makes none";

/* perf's commands: which are supported, and what to use instead of the others. */
static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *instead;
} commands[] = {
	{ "annotate", NULL, "use `perfdata annotate`" },
	{ "archive", NULL, "use `perfdata bundle`" },
	{ "bench", NULL, recording },
	{ "buildid-cache", NULL, "use perf itself, or `perfdata bundle`" },
	{ "buildid-list", perf_do_buildid_list, NULL },
	{ "c2c", NULL, "use perf itself: perfdata has no such report" },
	{ "check", NULL, "use perf itself: it is about how perf was built" },
	{ "config", NULL, "perfdata reads no configuration" },
	{ "daemon", NULL, recording },
	{ "data", perf_do_data, NULL },
	{ "diff", NULL, "use `perfdata diff`" },
	{ "evlist", perf_do_evlist, NULL },
	{ "ftrace", NULL, recording },
	{ "help", do_help, NULL },
	{ "inject", NULL, "use `perfdata rewrite`" },
	{ "iostat", NULL, recording },
	{ "kallsyms", NULL, "use perf itself: it is about the running kernel" },
	{ "kmem", NULL, "use perf itself: perfdata has no such report" },
	{ "kvm", NULL, "use `perfdata report --spans guest`, or perf itself" },
	{ "kwork", NULL, "use `perfdata report --spans irq` or `softirq`, or perf itself" },
	{ "list", NULL, "use perf itself: it is about the events of the machine here" },
	{ "lock", NULL, "use `perfdata report --spans lock`, or perf itself" },
	{ "mem", NULL, "use perf itself: perfdata has no such report" },
	{ "probe", NULL, recording },
	{ "record", NULL, recording },
	{ "report", perf_do_report, NULL },
	{ "sched", NULL, "use `perfdata report --spans off` or `runq`, or perf itself" },
	{ "script", perf_do_script, NULL },
	{ "stat", NULL, recording },
	{ "test", NULL, "use perf itself" },
	{ "timechart", NULL, "use `perfdata perfetto` or `flamegraph`, or perf itself" },
	{ "top", NULL, recording },
	{ "trace", NULL, "use `perfdata report --spans syscall` for a summary, or perf itself" },
	{ "version", do_version, NULL },
};
#define NR_COMMANDS (sizeof commands / sizeof *commands)

static void put_version(void) { perf_print("perf version %s-perfdata-%s\n", PERF_FOLLOWED, perfdata_version()); }

/* Prints perf's build options with values that are true for this program: callers check what recording supports. */
static void put_build_options(void)
{
	static const char *const off[] = { "aio", "bpf", "bpf_skeletons", "libtraceevent", "numa_num_possible_cpus" };
	const bool zstd = strstr(perfdata_build_info(), "zstd") != NULL;
	perf_print("%22s: [ %s ]\n", "zstd", zstd ? "on " : "OFF");
	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		perf_print("%22s: [ OFF ]\n", off[i]);
}

static int do_version(int argc, char **argv)
{
	struct perf_line line;
	const int code = perf_line_parse(&line, &perf_version, argc, argv);
	if (!code) {
		put_version();
		if (perf_line_has(&line, "build-options"))
			put_build_options();
	}
	perf_line_release(&line);
	return code;
}

static void put_commands(void)
{
	perf_print("\n usage: perf [--version] [--help] [OPTIONS] COMMAND [ARGS]\n\n"
		   " perfdata %s under the name perf answers what reads recordings:\n",
		   perfdata_version());
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (commands[i].run)
			perf_print("   %s\n", commands[i].name);
	perf_print("\n See 'perf COMMAND -h', and 'perfdata help commands' for all that perfdata does.\n\n");
}

static int do_help(int argc, char **argv)
{
	static const struct perf_command *const with_options[] = { &perf_script, &perf_evlist, &perf_buildid_list,
								   &perf_report, &perf_version };
	for (size_t i = 0; argc && i < sizeof with_options / sizeof *with_options; i++) {
		if (strcmp(argv[0], with_options[i]->name) != 0)
			continue;
		(void)perf_usage(with_options[i], true);
		return PERF_DONE_CODE;
	}
	put_commands();
	return PERF_DONE_CODE;
}

static void list_commands(void)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (commands[i].run)
			perf_print("%s ", commands[i].name);
	perf_print("\n");
}

static int wrong_option(const char *message, const char *word)
{
	perf_say("%s%s\n\n Usage: perf [--version] [--help] [OPTIONS] COMMAND [ARGS]", message, word);
	return PERF_USAGE_CODE;
}

/* Parses perf's options before the command. Returns the number of words; below 0 if the program has to end with
 * *code. */
static int main_options(int argc, char **argv, int *code)
{
	static const char *const with_value[] = { "--buildid-dir", "--debugfs-dir", "--tracefs-dir", "--debug",
						  "--debug-file" };
	int at = 0;
	for (; at < argc && argv[at][0] == '-'; at++) {
		const char *word = argv[at];
		bool known = false;
		*code = PERF_DONE_CODE;
		if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "--version") || !strcmp(word, "-v"))
			break;
		if (!strcmp(word, "-vv")) {
			put_version();
			put_build_options();
			return -1;
		}
		if (!strcmp(word, "--list-cmds")) {
			list_commands();
			return -1;
		}
		if (!strcmp(word, "--list-opts")) {
			perf_print("--help --version --paginate --no-pager --buildid-dir --debugfs-dir --tracefs-dir "
				   "--list-cmds --list-opts --debug --debug-file \n");
			return -1;
		}
		if (!strcmp(word, "--paginate") || !strcmp(word, "-p") || !strcmp(word, "--no-pager"))
			continue;
		for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++)
			known |= !strcmp(word, with_value[i]);
		if (!known)
			*code = wrong_option("Unknown option: ", word);
		else if (at + 1 == argc)
			*code = wrong_option("No value given for ", word);
		if (*code)
			return -1;
		at++;
	}
	return at;
}

static int run_perf(int argc, char **argv)
{
	int code = PERF_DONE_CODE;
	const int at = main_options(argc, argv, &code);
	if (at < 0)
		return code;
	const char *name = at < argc ? argv[at] : NULL;
	if (!name) {
		put_commands();
		return PERF_UNKNOWN_CODE;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-v"))
		name = "version";
	else if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(commands[i].name, name) != 0)
			continue;
		if (commands[i].run)
			return commands[i].run(argc - at - 1, argv + at + 1);
		perf_say("perf %s is not answered here: %s", name, commands[i].instead);
		return PERF_FAILED_CODE;
	}
	perf_say("perf: '%s' is not a perf-command. See 'perf --help'.", name);
	return PERF_UNKNOWN_CODE;
}

int perf_main(int argc, char **argv)
{
	const int code = run_perf(argc - 1, argv + 1);
	/* -1: --help was printed */
	const int end = code < 0 ? PERF_DONE_CODE : code;
	if (print_finish())
		return end;
	perf_say("stdout cannot be written");
	return PERF_FAILED_CODE;
}
