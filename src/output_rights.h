/* SPDX-License-Identifier: MIT */
/* Who may read an output: a copy of a recording, or of what programs had in memory, is for no more people than the
 * recording itself. */
#ifndef OUTPUT_RIGHTS_H
#define OUTPUT_RIGHTS_H

#include <stddef.h>

/* Returns flags for perfdata_output_path: no more rights than all of the recordings have. What comes through a pipe is
 * for its reader alone. */
unsigned output_rights_of(const char *const *files, size_t nr);

#endif
