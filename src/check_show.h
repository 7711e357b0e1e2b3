/* SPDX-License-Identifier: MIT */
/* The output forms of `check`: text, JSON, JUnit, SARIF, and text with annotations for GitHub workflows. */
#ifndef CHECK_SHOW_H
#define CHECK_SHOW_H

#include "inputs.h"
#include "junit.h"
#include "outcome.h"

/* GitHub shows this many annotations of each severity per step of a workflow. */
#define ANNOTATIONS_SHOWN 10

struct check_show {
	const struct options *options;
	struct junit junit;
	struct perfdata_text sarif;      /* result objects, separated by commas */
	uint64_t annotated[3];           /* annotations printed, by severity */
	bool failed;                     /* memory ran out */
};

void check_show_begin(struct check_show *show, const struct options *options);
/* Shows the result of one input, also of an input that could not be read. input->code is the exit code of `check` for
 * this input: damage is EXIT_ANSWER_NO. */
void check_show_input(struct check_show *show, struct input *input, const struct outcome *outcome);
/* Ends the documents. `check` did not read the inputs from index `done` on. False without memory. */
bool check_show_end(struct check_show *show, size_t done, enum exit_code code);

/* In sarif.c. sarif_result and sarif_failure append one result object of SARIF 2.1.0 to `out`; sarif_document appends
 * the document around the results. `file` is the name of the input. */
void sarif_result(struct perfdata_text *out, const struct perfdata_finding *finding, const char *file);
/* Appends the result for an input that could not be read. */
void sarif_failure(struct perfdata_text *out, const char *file, const char *message);
void sarif_document(struct perfdata_text *out, const struct perfdata_text *results, enum exit_code code);

#endif
