/* SPDX-License-Identifier: MIT */
/* The exit codes of the program. */
#ifndef EXIT_CODES_H
#define EXIT_CODES_H

#include "perfdata/base.h"

enum exit_code {
	EXIT_FINE = 0,
	/* done, and the answer of `check`, `match`, `diff` or `bundle` is no; or no function has the name that `report`
	 * was asked about */
	EXIT_ANSWER_NO = 1,
	EXIT_USAGE = 2,          /* wrong use, reported before any work; or an output that exists */
	EXIT_INPUT = 3,          /* cannot open or read, or no perf.data at all */
	EXIT_DAMAGED = 4,        /* damaged or unfinished input; all that could be read is in the output */
	EXIT_OUTPUT = 5,         /* cannot write */
	EXIT_LIMIT = 6,          /* a limit was hit */
	EXIT_INTERRUPTED = 130,  /* output on stdout was ended and says "complete":false; output files are not kept */
};

/* Returns a line for --help and the man page; NULL for a number that is no exit code. */
const char *exit_code_meaning(enum exit_code code);
enum exit_code exit_code_of_status(enum perfdata_status status);
/* The same for the failure to open an input: if the build lacks a library that the input needs, the input is unreadable
 * and the command line is right. */
enum exit_code exit_code_of_open(enum perfdata_status status);
/* For the errno value of a call on an input, or on a file that an option names. */
enum exit_code exit_code_of_errno(int code);
/* For the errno value of a call that makes or writes an output: descriptors and memory that run out are limits. */
enum exit_code exit_code_of_write(int code);
/* The words for a code of errno: strerror's, but "out of memory" as everywhere in messages. */
const char *error_text(int code);
/* The same for what opens, writes or closes an output. */
enum exit_code exit_code_of_output(enum perfdata_status status, const struct perfdata_error *error);
/* Returns the exit code that wins where both apply. */
enum exit_code exit_code_join(enum exit_code a, enum exit_code b);

#endif
