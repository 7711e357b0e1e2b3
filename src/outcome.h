/* SPDX-License-Identifier: MIT */
/* What came of one input, as --summary and --log-format json tell it. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "inputs.h"

/* All zero at first; released by outcome_release. */
struct outcome {
	const char *file, *recording, *table;   /* borrowed; table: NULL where it is not about one */
	size_t index;                /* in the order of the inputs */
	enum exit_code code;
	bool skipped;                /* --resume: it was done before; the rest is from then */
	uint64_t records, samples, lost_samples;   /* of the recording */
	uint64_t written;            /* records that are in the output, or deliveries */
	uint64_t bytes_in, bytes_out, ns;
	uint64_t errors, warnings, findings_total;
	struct perfdata_text findings;      /* the first ones: JSON objects with commas between them */
	/* the same of the failure, else of the first finding that is an error; empty: there is none */
	struct perfdata_text first_error;
	char **outputs;              /* paths */
	size_t nr_outputs;
};

void outcome_release(struct outcome *outcome);
/* What the input can tell, behind input_judge and before input_close. */
void outcome_take(struct outcome *outcome, const struct input *input);
/* What a session counted; summary may be NULL. */
void outcome_count(struct outcome *outcome, const struct perfdata_summary *summary);
/* For perfdata_output_each_path: `user` is the outcome. */
void outcome_add_output(void *user, const char *path);
/* "done", "damaged", "skipped", "failed", "interrupted". */
const char *outcome_status(const struct outcome *outcome);
/* One line with its newline. */
void outcome_spell(struct perfdata_text *out, const struct outcome *outcome);

/* Bytes and time of the last change (ns since 1970) of a file, or of all files of a directory recording. False: there
 * is none. */
bool outcome_measure(const char *path, uint64_t *ret_bytes, uint64_t *ret_changed);

#endif
