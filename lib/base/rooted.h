/* SPDX-License-Identifier: MIT */
/* Resolves paths as a process with another root directory does: `..` and links, even absolute ones, stay below it. */
#ifndef PD_ROOTED_H
#define PD_ROOTED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include "base/regular.h"

#define PD_ROOTED_PATH 4096

/* Resolves `path` below the directory `root`. `real` becomes a path without links that begins with '/'; *ret_stat (may
 * be NULL) the file's stat. False with errno: no such file, a loop of links, or a name that is too long. */
bool pd_rooted_resolve(int root, const char *path, char real[PD_ROOTED_PATH], struct stat *ret_stat);
/* Resolves the path and opens the regular file for reading. -1 with errno; EINVAL: not a regular file, not opened. */
int pd_rooted_open(int root, const char *path, enum pd_regular kind, char real[PD_ROOTED_PATH]);

#endif
