/* SPDX-License-Identifier: MIT */
/* A job converts one recording into one or several formats and keeps the outcome. Jobs that write a table each of the
 * same recording read it together. */
#ifndef CONVERT_JOB_H
#define CONVERT_JOB_H

#include "inputs.h"
#include "outcome.h"
#include "perfdata/output.h"

/* The most jobs that read a recording together: as many as perfdata_convert_several takes. */
#define MOST_TABLES_AT_ONCE 64

/* Where a job writes one format. */
struct job_output {
	char *path;                  /* a file that only this job writes; NULL: job.common_output */
	/* the paths of further outputs (tables, events) are head NAME tail; NULL: the library names them */
	char *head, *tail;
};
struct job {
	const struct options *options;
	const char *file, *recording;
	char *table;                 /* the table to write if --table names several; else NULL */
	struct job_output outputs[MOST_OTHER_FORMATS + 1];   /* by format: options->emitter, more_emitters */
	struct perfdata_output *common_output;   /* stdout, or the file of all inputs; borrowed; may be NULL */
	bool shares_output;          /* several inputs write to common_output */
	bool in_folder;              /* the outputs are below -o DIR/ */
	unsigned threads;            /* that this job may use; 0: one for each processor */
	unsigned at_once;            /* jobs that run in parallel; above 1 a job holds its messages until its end */
	uint64_t memory;             /* share of --max-memory in bytes; 0: all of --max-memory */
	uint64_t input_changed;      /* mtime of the recording before the job read it, ns since 1970 */
	struct outcome outcome;
};

/* Sets the members of job->outcome that are known before the job runs. `index` is the number of the job. */
void job_begin(struct job *job, size_t index);
/* Runs the job, reports its errors and sets the rest of job->outcome. */
void convert_one(struct job *job);
/* The same for jobs that write one table each of one recording, in one pass over it; what is wrong with the recording
 * is reported once, and is in all outcomes. */
void convert_tables(struct job *const *jobs, size_t nr_jobs);
/* Frees the paths, the name of the table and the outcome. */
void job_release(struct job *job);

#endif
