/* SPDX-License-Identifier: MIT */
/* Limits who may read an output: a copy of a recording, or of memory of recorded programs, gets no more rights than the
 * recording. */
#ifndef OUTPUT_RIGHTS_H
#define OUTPUT_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>

/* Flags for perfdata_output_path: only rights that all recordings have. Data from a pipe is for this user only. */
unsigned output_rights_of(const char *const *files, size_t nr);
/* Flags for a file of this host whose content is in the output. Files in /proc differ between readers, so they are for
 * this user only. */
unsigned output_rights_of_content(const char *file);
/* Removes rights from a file that is open for writing, down to those of the recording; never adds any. Ignores files
 * that are not regular. False with errno. */
bool output_rights_narrow(int fd, const char *recording);

#endif
