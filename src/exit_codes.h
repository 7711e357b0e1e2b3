/* SPDX-License-Identifier: MIT */
/* The exit codes of the program. */
#ifndef EXIT_CODES_H
#define EXIT_CODES_H

#include "perfdata/base.h"

enum exit_code {
	EXIT_FINE = 0,
	/* done, but the answer of `check`, `match`, `diff` or `bundle` is no, or no function has the name in the
	 * options of `report` */
	EXIT_ANSWER_NO = 1,
	EXIT_USAGE = 2,          /* wrong use, reported before any work; or an output that exists */
	EXIT_INPUT = 3,          /* the input cannot be opened or read, or is no perf.data */
	EXIT_DAMAGED = 4,        /* damaged or unfinished input; the output has all that could be read */
	EXIT_OUTPUT = 5,         /* the output cannot be written */
	EXIT_LIMIT = 6,          /* a limit was hit */
	EXIT_INTERRUPTED = 130,  /* output on stdout is complete and says "complete":false; output files are not kept */
};

/* Returns a line for --help and the man page; NULL for a number that is no exit code. */
const char *exit_code_meaning(enum exit_code code);
enum exit_code exit_code_of_status(enum perfdata_status status);
/* Exit code if opening or reading an input fails: a missing library makes the input unreadable, not the command line
 * wrong. */
enum exit_code exit_code_of_open(enum perfdata_status status);
/* Exit code for the errno of a call on an input, or on a file in an option. */
enum exit_code exit_code_of_errno(int code);
/* Exit code for the errno of a call that creates or writes an output: running out of descriptors or memory is a
 * limit. */
enum exit_code exit_code_of_write(int code);
/* strerror, but "out of memory" as in other messages. */
const char *error_text(int code);
/* Exit code if opening, writing or closing an output fails. */
enum exit_code exit_code_of_output(enum perfdata_status status, const struct perfdata_error *error);
/* Returns the exit code that wins where both apply. */
enum exit_code exit_code_join(enum exit_code a, enum exit_code b);

#endif
