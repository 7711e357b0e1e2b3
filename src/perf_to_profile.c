/* SPDX-License-Identifier: MIT */
/* The program under the name perf_to_profile -i IN -o OUT [-f] [-j], with which pprof converts perf.data files.
 *
 * pprof opens OUT first and reads from that descriptor, so OUT must be written in place. pprof discards the profile if
 * the exit code is not 0, so it is 0 for a damaged recording, and a message on stderr reports the damage. */
#include "config.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "perfdata/registry.h"
#include "commands.h"

enum { DONE = 0, FAILED = 1 };

static int print_usage(void)
{
	static const struct message_style style;
	usage_error(&style, "usage: perf_to_profile -i PERF_DATA -o PROFILE [-f] [-j]");
	return FAILED;
}

int perf_to_profile(int argc, char **argv)
{
	char *input = NULL;
	const char *output = NULL;
	bool force = false;
	int option;
	while ((option = getopt(argc, argv, "jfi:o:")) != -1) {
		if (option == 'i')
			input = optarg;
		else if (option == 'o')
			output = optarg;
		else if (option == 'f')
			force = true;
		else if (option != 'j')   /* -j has no effect: maps of JIT code need no alignment here */
			return print_usage();
	}
	if (!input || !output || optind < argc)
		return print_usage();
	struct options options = { .max_ratio = DEFAULT_MAX_RATIO,
				   .emitter = perfdata_registry_find(NULL, "pprof"),
				   .progress = "never" };
	const int fd = open(output, O_WRONLY | O_CREAT | (force ? O_TRUNC : O_EXCL), 0666);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
		usage_error(&options.style, "%s cannot be written%s", output, force ? "" : "; -f replaces it");
		return FAILED;
	}
	close(fd);
	char in[] = "--input", *arguments[] = { in, input };
	const bool fine = options_parse(&options, command_named("convert")->groups & ~(unsigned)OPTIONS_TO, 2,
					arguments);
	const enum exit_code code = fine ? command_convert(&options) : EXIT_USAGE;
	options_release(&options);
	return code == EXIT_FINE || code == EXIT_DAMAGED ? DONE : FAILED;
}
