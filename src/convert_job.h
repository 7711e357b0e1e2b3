/* SPDX-License-Identifier: MIT */
/* One conversion: a recording, the formats it is written in, and what came of it. */
#ifndef CONVERT_JOB_H
#define CONVERT_JOB_H

#include "inputs.h"
#include "outcome.h"
#include "perfdata/output.h"

/* One format's output of a job. */
struct job_output {
	char *path;                  /* a file of its own, or NULL */
	char *head, *tail;           /* of the paths of outputs beside it; NULL: as the library names them */
};
struct job {
	const struct options *options;
	const char *file, *recording;
	char *table;                 /* of --table all, or NULL */
	struct job_output outputs[MOST_OTHER_FORMATS + 1];   /* in the order of the options' formats */
	struct perfdata_output *output;   /* the shared one, or NULL */
	bool shared;                 /* several inputs write to it */
	bool in_folder;              /* its output is below -o DIR/ */
	unsigned threads;            /* of its own */
	unsigned at_once;            /* jobs that run at the same time: each keeps its messages together */
	uint64_t memory;             /* its share of the limit, in bytes; 0: all of it */
	uint64_t input_changed;      /* ns since 1970, before it was read */
	struct outcome outcome;
};

/* Sets what the outcome tells of a job before it runs. */
void job_begin(struct job *job, size_t index);
/* Sets the rest of the outcome. */
void convert(struct job *job);
/* Frees its texts. */
void job_release(struct job *job);

#endif
