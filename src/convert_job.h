/* SPDX-License-Identifier: MIT */
/* A job converts one recording into one or several formats and keeps the outcome. Jobs for tables of one recording read
 * it together. */
#ifndef CONVERT_JOB_H
#define CONVERT_JOB_H

#include "inputs.h"
#include "outcome.h"
#include "perfdata/output.h"

/* Limit of jobs that read a recording together, as in perfdata_convert_several. */
#define MOST_TABLES_AT_ONCE 64

/* The paths of a job's output in one format. */
struct job_output {
	char *path;                  /* file of this job alone; NULL: job.common_output */
	/* further outputs (tables, events) are head NAME tail; NULL: the library names them */
	char *head, *tail;
};
struct job {
	const struct options *options;
	const char *file, *recording;
	char *table;                 /* table to write if --table names several; else NULL */
	struct job_output outputs[MOST_OTHER_FORMATS + 1];   /* by format: options->emitter, more_emitters */
	struct perfdata_output *common_output;   /* stdout, or the file that all inputs share; borrowed; may be NULL */
	bool shares_output;          /* several inputs write to common_output */
	bool in_folder;              /* the outputs are below -o DIR/ */
	unsigned threads;            /* limit of this job's threads; 0: number of processors */
	/* number of jobs that run in parallel; above 1 a job holds back its messages until it ends */
	unsigned at_once;
	uint64_t memory;             /* share of --max-memory in bytes; 0: all of --max-memory */
	uint64_t input_changed;      /* mtime of the recording before the job read it, ns since 1970 */
	struct outcome outcome;
};

/* Sets the members of job->outcome that are known before the job runs. `index` is the number of the job. */
void job_begin(struct job *job, size_t index);
/* Runs the job, reports errors and sets the rest of job->outcome. */
void convert_one(struct job *job);
/* Runs jobs for one table each of one recording, in one pass. Findings are reported once, but are in all outcomes. */
void convert_tables(struct job *const *jobs, size_t nr_jobs);
/* Frees the paths, the name of the table and the outcome. */
void job_release(struct job *job);

#endif
