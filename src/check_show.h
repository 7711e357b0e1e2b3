/* SPDX-License-Identifier: MIT */
/* The forms in which `check` answers: text, JSON, JUnit, SARIF, and annotations of a pipeline beside the text. */
#ifndef CHECK_SHOW_H
#define CHECK_SHOW_H

#include "inputs.h"
#include "junit.h"
#include "outcome.h"

/* Annotations of each kind that GitHub shows of a step. */
#define ANNOTATIONS_SHOWN 10

struct check_show {
	const struct options *options;
	struct junit junit;
	struct perfdata_text sarif;      /* results, with commas between them */
	uint64_t annotated[3];           /* by severity */
	bool failed;                     /* memory ran out */
};

void check_show_begin(struct check_show *show, const struct options *options);
/* Shows the result of one input, which was read or could not be: input->code is its exit code, as `check` counts. */
void check_show_input(struct check_show *show, struct input *input, const struct outcome *outcome);
/* Ends the documents; `check` did not look at inputs from number `done` on. False without memory. */
bool check_show_end(struct check_show *show, size_t done, enum exit_code code);

/* sarif.c: a result of SARIF 2.1.0, behind what is in `out`; and the document around the results. */
void sarif_result(struct perfdata_text *out, const struct perfdata_finding *finding, const char *file);
/* The input could not be read. */
void sarif_failure(struct perfdata_text *out, const char *file, const char *message);
void sarif_document(struct perfdata_text *out, const struct perfdata_text *results, enum exit_code code);

#endif
