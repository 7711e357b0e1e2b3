/* SPDX-License-Identifier: MIT */
/* The index of an output folder, DIR/.perfdata-index: a JSON line for each job that was done, with its input, its
 * options and the sizes of its outputs. Several processes may append to it at the same time. --resume reads the index
 * and skips jobs whose outputs are whole, newer than their input, and made with the same options by the same
 * version. */
#ifndef RESUME_H
#define RESUME_H

#include "convert_job.h"

struct resume;

/* With --resume reads the index, if there is one. NULL with errno set, after a message unless errno is ENOMEM. */
struct resume *resume_begin(const struct options *options);
/* Whether an earlier run did the job; then job->outcome is the outcome of that run. Any thread may call it. */
bool resume_knows(const struct resume *resume, struct job *job);
/* Appends a job to the index, after its outputs got their names. 0, or the errno value why it cannot be written. Any
 * thread may call it. */
int resume_add(struct resume *resume, const struct job *job);
void resume_end(struct resume *resume);

#endif
