/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "exit_codes.h"

/* Sorted: when codes are joined, the first one in the table wins. */
static const struct {
	enum exit_code code;
	const char *meaning;
} codes[] = {
	{ EXIT_INTERRUPTED,
	  "interrupted; output on stdout is complete and says \"complete\":false, output files are not kept" },
	{ EXIT_OUTPUT, "cannot write" },
	{ EXIT_LIMIT, "a limit was hit" },
	{ EXIT_INPUT, "an input cannot be opened or read, or is no perf.data" },
	/* also for an input: its output exists, or it lacks requested data */
	{ EXIT_USAGE, "wrong use, reported before any work; or an output exists already" },
	{ EXIT_DAMAGED, "damaged or unfinished input; the output has all that could be read" },
	{ EXIT_ANSWER_NO, "done, and the answer is no" },
	{ EXIT_FINE, "done, and nothing was wrong with the input" },
};
#define NR_CODES (sizeof codes / sizeof *codes)

const char *exit_code_meaning(enum exit_code code)
{
	for (size_t i = 0; i < NR_CODES; i++)
		if (codes[i].code == code)
			return codes[i].meaning;
	return NULL;
}

enum exit_code exit_code_join(enum exit_code a, enum exit_code b)
{
	for (size_t i = 0; i < NR_CODES; i++)
		if (codes[i].code == a || codes[i].code == b)
			return codes[i].code;
	return a;
}

enum exit_code exit_code_of_status(enum perfdata_status status)
{
	switch (status) {
	case PERFDATA_OK:
	case PERFDATA_END:
	case PERFDATA_ABSENT:
		return EXIT_FINE;
	case PERFDATA_DAMAGED:
		return EXIT_DAMAGED;
	case PERFDATA_ENOMEM:
	case PERFDATA_ELIMIT:
		return EXIT_LIMIT;
	case PERFDATA_EREAD:
	case PERFDATA_EFORMAT:
	case PERFDATA_AGAIN:   /* the program does not feed inputs */
		return EXIT_INPUT;
	case PERFDATA_EUSAGE:
	case PERFDATA_EUNSUP:
		return EXIT_USAGE;
	case PERFDATA_EWRITE:
		return EXIT_OUTPUT;
	case PERFDATA_EINTR:
		return EXIT_INTERRUPTED;
	}
	return EXIT_INPUT;
}

enum exit_code exit_code_of_open(enum perfdata_status status)
{
	return status == PERFDATA_EUNSUP ? EXIT_INPUT : exit_code_of_status(status);
}

const char *error_text(int code)
{
	return code == ENOMEM ? perfdata_status_text(PERFDATA_ENOMEM) : strerror(code);
}

enum exit_code exit_code_of_write(int code)
{
	return code == EMFILE || code == ENFILE || code == ENOMEM ? EXIT_LIMIT : EXIT_OUTPUT;
}

enum exit_code exit_code_of_output(enum perfdata_status status, const struct perfdata_error *error)
{
	return status == PERFDATA_EWRITE ? exit_code_of_write(error->os_error) : exit_code_of_status(status);
}

enum exit_code exit_code_of_errno(int code)
{
	return code == EMFILE || code == ENFILE || code == ENOMEM || code == ENOSPC ? EXIT_LIMIT : EXIT_INPUT;
}
