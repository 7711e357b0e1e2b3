/* SPDX-License-Identifier: MIT */
/* The index of an output folder, DIR/.perfdata-index: a JSON line for each finished job, with its input, its options
 * and the sizes of its outputs. Several processes may append to it at once. --resume skips jobs whose outputs are
 * complete, newer than the input, and made with equal options by the same version. */
#ifndef RESUME_H
#define RESUME_H

#include "convert_job.h"

struct resume;

/* With --resume reads the index if it exists. NULL with errno, after a message unless errno is ENOMEM. */
struct resume *resume_begin(const struct options *options);
/* Whether an earlier run finished the job; then job->outcome is that run's outcome. Any thread. */
bool resume_knows(const struct resume *resume, struct job *job);
/* Appends a job to the index, after its outputs have their names. Returns 0 or an errno value. Any thread. */
int resume_add(struct resume *resume, const struct job *job);
void resume_end(struct resume *resume);

#endif
