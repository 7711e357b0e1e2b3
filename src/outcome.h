/* SPDX-License-Identifier: MIT */
/* The outcome of one input: a line of --summary, and with --log-format json a line on stderr. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "inputs.h"

/* Initialize it with zeros; outcome_release frees it. */
struct outcome {
	const char *file, *recording, *table;   /* borrowed; table: NULL unless the job writes one table */
	size_t index;                /* number of the job, in the order of the inputs */
	enum exit_code code;
	bool skipped;                /* --resume: an earlier run did the job; the counts are that run's */
	bool is_no;                  /* no function has the name in the options: see summary_end */
	uint64_t records, samples, lost_samples;   /* in the recording */
	uint64_t written;            /* records, deliveries or rows of tables in the output */
	uint64_t bytes_in, bytes_out, ns;
	uint64_t errors, warnings, findings_total;
	struct perfdata_text findings;      /* JSON objects of the first findings, separated by commas */
	/* JSON object of the failure, or of the first finding of severity error; empty: none */
	struct perfdata_text first_error;
	char **outputs;              /* paths, for free() */
	size_t nr_outputs, room_outputs;
	bool starved;                /* memory for a path ran out */
};

void outcome_release(struct outcome *outcome);
/* Copies exit code, findings and failure of the input. To be called after input_judge and before input_close. */
void outcome_take(struct outcome *outcome, const struct input *input);
/* Copies the counts of a session; summary may be NULL. */
void outcome_count(struct outcome *outcome, const struct perfdata_summary *summary);
/* Adds a path to `outputs`; a callback for perfdata_output_each_path. `user` is the struct outcome. */
void outcome_add_output(void *user, const char *path);
/* False if memory for a part of the outcome ran out. */
bool outcome_is_whole(const struct outcome *outcome);
/* Returns "done", "damaged", "skipped", "failed" or "interrupted". */
const char *outcome_status(const struct outcome *outcome);
/* Appends the outcome as a JSON line, with its newline. */
void outcome_spell(struct perfdata_text *out, const struct outcome *outcome);

/* Size in bytes and mtime (ns since 1970) of a file; of a directory recording the sum of sizes and the latest mtime.
 * False: there is no such file. */
bool outcome_measure(const char *path, uint64_t *ret_bytes, uint64_t *ret_changed);

#endif
