/* SPDX-License-Identifier: MIT */
/* The index of a folder of outputs, DIR/.perfdata-index: a JSON line for each input that was done, with what its
 * outputs were made of. Several programs may add to it at once. --resume reads it: what is whole, newer than its input
 * and made with the same options by the same version is not made again. */
#ifndef RESUME_H
#define RESUME_H

#include "convert_job.h"

struct resume;

/* NULL with errno; after a message unless that is ENOMEM. With --resume the index is read, if there is one. */
struct resume *resume_begin(const struct options *options);
/* Whether the job was done before: then its outcome is what came of it. Any thread. */
bool resume_knows(const struct resume *resume, struct job *job);
/* The job is done, its outputs have their names. False: the index cannot be written. Any thread. */
enum exit_code resume_add(struct resume *resume, const struct job *job);
void resume_end(struct resume *resume);

#endif
