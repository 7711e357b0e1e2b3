/* SPDX-License-Identifier: MIT */
/* Writes a JUnit XML document (suites of test cases) for build servers. The document has no times and no host names, so
 * that the same inputs give the same bytes. */
#ifndef JUNIT_H
#define JUNIT_H

#include "exit_codes.h"
#include "perfdata/text.h"

/* The result of a test case. */
enum junit_result {
	JUNIT_PASSED,
	JUNIT_FAILED,    /* the check ran, and its answer is no */
	JUNIT_BROKEN,    /* the check could not run, or was not completed */
	JUNIT_SKIPPED,   /* the check did not run */
	JUNIT_RESULTS,
};

struct junit {
	struct perfdata_text cases, suites;
	const char *classname;   /* of the cases; borrowed */
	uint64_t counts[JUNIT_RESULTS];
};

void junit_init(struct junit *junit, const char *classname);
/* Appends a case. name: any bytes; type: a short word for the failure; message: one line; details: lines of printable
 * text, written as system-out of a passed case and as the body of other results. */
void junit_case(struct junit *junit, const char *name, enum junit_result result, const char *type, const char *message,
		const struct perfdata_text *details);
/* Appends an error unless `code` is EXIT_FINE: what was wrong with the inputs of the answer. */
void junit_inputs(struct junit *junit, enum exit_code code);
/* Makes a suite of all cases since the previous suite. */
void junit_suite(struct junit *junit, const char *suite);
/* Appends the document to `out`, and releases the cases. suite: name of a suite for the cases since the previous suite;
 * or NULL. Test perfdata_text_failed(out) for failed allocations. */
void junit_end(struct junit *junit, const char *suite, struct perfdata_text *out);
/* Prints a document with one error for a command that has no answer, since build servers read documents, not exit
 * codes. Prints nothing after wrong use. Returns the exit code. */
enum exit_code junit_without_answer(const char *classname, enum exit_code code);

#endif
