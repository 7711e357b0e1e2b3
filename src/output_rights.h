/* SPDX-License-Identifier: MIT */
/* Who may read an output: a copy of a recording, or of what programs had in memory, is for no more people than the
 * recording itself. */
#ifndef OUTPUT_RIGHTS_H
#define OUTPUT_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns flags for perfdata_output_path: no more rights than all of the recordings have. What comes through a pipe is
 * for its reader alone. */
unsigned output_rights_of(const char *const *files, size_t nr);
/* The same of a file of this host that the output holds, too. What the kernel makes up below /proc, which has other
 * content for other readers, is for its reader alone. */
unsigned output_rights_of_content(const char *file);
/* Takes rights from a file that is open for writing, so that it has no more than the recording; never gives any. What
 * is no regular file has its own rules. False with errno. */
bool output_rights_narrow(int fd, const char *recording);

#endif
