/* SPDX-License-Identifier: MIT */
/* Opens files whose paths come from a recording, from a file that a recording names, or from a directory. Opens only
 * regular files: opening a device may start a watchdog, and opening a FIFO waits for its other end. */
#ifndef PD_REGULAR_H
#define PD_REGULAR_H

#include <stdbool.h>

enum pd_regular {
	PD_REGULAR_STORED,   /* not in procfs, sysfs and the like, where reading a file has effects, or waits */
	PD_REGULAR_ANY
};

/* Open a regular file for reading. Only the first function follows a link at the end of the path. -1 with errno;
 * EINVAL: not a regular file, and not opened; ELOOP: a link that is not followed. */
int pd_open_regular(const char *path, enum pd_regular kind);
int pd_open_regular_at(int folder, const char *name, enum pd_regular kind);
/* Opens a path of the user: a regular file, a pipe or a device. Waits until a pipe has a writer. -1 with errno; EINTR:
 * cancelled (`cancel` may be NULL). */
struct perfdata_cancel;
int pd_open_given(const char *path, const struct perfdata_cancel *cancel);
/* Open a directory. -1 with errno. */
int pd_open_folder(const char *path);
int pd_open_folder_at(int folder, const char *name);

#endif
