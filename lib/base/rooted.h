/* SPDX-License-Identifier: MIT */
/* Paths as a process with another root directory saw them: `..` and links, absolute ones too, stay below that root. */
#ifndef PD_ROOTED_H
#define PD_ROOTED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include "base/regular.h"

#define PD_ROOTED_PATH 4096

/* Walks `path` below the directory `root`, and returns in `real` the path where the walk ends, which begins with '/'
 * and has no links, and in *ret_stat (may be NULL) the file's stat. false with errno: no such file, links lead in
 * circles, or a name is too long. */
bool pd_rooted_resolve(int root, const char *path, char real[PD_ROOTED_PATH], struct stat *ret_stat);
/* Opens the regular file there for reading; `real` as above. -1 with errno; EINVAL: no regular file, which was not
 * opened. */
int pd_rooted_open(int root, const char *path, enum pd_regular kind, char real[PD_ROOTED_PATH]);

#endif
