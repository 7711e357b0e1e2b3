/* SPDX-License-Identifier: MIT */
/* A JUnit document: suites of cases, as build servers read it. It has no times and no host names, so that the same
 * inputs give the same bytes. */
#ifndef JUNIT_H
#define JUNIT_H

#include "perfdata/text.h"

/* How a case ended. */
enum junit_result {
	JUNIT_PASSED,
	JUNIT_FAILED,    /* it was looked at, and the answer is no */
	JUNIT_BROKEN,    /* it could not be looked at, or not to its end */
	JUNIT_SKIPPED,   /* it was not looked at */
	JUNIT_RESULTS,
};

struct junit {
	struct perfdata_text cases, suites;
	const char *classname;   /* of the cases */
	uint64_t counts[JUNIT_RESULTS];
};

void junit_init(struct junit *junit);
/* name: any bytes; type: a short word for what is wrong; message: one line; details: lines of printable text, which are
 * output of a case that passed and the body of any other result. */
void junit_case(struct junit *junit, const char *name, enum junit_result result, const char *type, const char *message,
		const struct perfdata_text *details);
/* Makes a suite of the cases since the last one. */
void junit_suite(struct junit *junit, const char *suite);
/* The whole document, behind what is in `out`, with the cases since the last suite as one more, unless `suite` is NULL;
 * fails as perfdata_text does. Releases the cases. */
void junit_end(struct junit *junit, const char *suite, struct perfdata_text *out);

#endif
