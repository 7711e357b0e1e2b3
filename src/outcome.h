/* SPDX-License-Identifier: MIT */
/* The outcome of one input, which --summary writes as a line, and --log-format json to stderr. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "inputs.h"

/* All zero at first; released by outcome_release. */
struct outcome {
	const char *file, *recording, *table;   /* borrowed; table: NULL unless the job writes one table */
	size_t index;                /* number of the job, in the order of the inputs */
	enum exit_code code;
	bool skipped;                /* --resume: an earlier run did it, and the counts are of that run */
	bool is_no;                  /* no function is called as asked: see summary_end */
	uint64_t records, samples, lost_samples;   /* in the recording */
	uint64_t written;            /* records, deliveries or rows of tables that the output holds */
	uint64_t bytes_in, bytes_out, ns;
	uint64_t errors, warnings, findings_total;
	struct perfdata_text findings;      /* JSON objects of the first findings, separated by commas */
	/* JSON object of the failure, else of the first finding that is an error; empty: no error */
	struct perfdata_text first_error;
	char **outputs;              /* paths, for free() */
	size_t nr_outputs, room_outputs;
	bool starved;                /* memory ran out for a path */
};

void outcome_release(struct outcome *outcome);
/* Takes exit code, findings and failure of the input. Call it after input_judge and before input_close. */
void outcome_take(struct outcome *outcome, const struct input *input);
/* Takes the counts of a session; summary may be NULL. */
void outcome_count(struct outcome *outcome, const struct perfdata_summary *summary);
/* Adds a path to `outputs`; a callback for perfdata_output_each_path. `user` is the struct outcome. */
void outcome_add_output(void *user, const char *path);
/* Returns false where memory ran out for a part of the outcome. */
bool outcome_is_whole(const struct outcome *outcome);
/* Returns "done", "damaged", "skipped", "failed" or "interrupted". */
const char *outcome_status(const struct outcome *outcome);
/* Appends the outcome as a JSON line, with its newline. */
void outcome_spell(struct perfdata_text *out, const struct outcome *outcome);

/* Sets size in bytes and mtime (ns since 1970) of a file; of a directory recording the sum of the sizes and the latest
 * mtime. False: there is no such file. */
bool outcome_measure(const char *path, uint64_t *ret_bytes, uint64_t *ret_changed);

#endif
