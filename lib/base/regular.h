/* SPDX-License-Identifier: MIT */
/* Opens files whose paths come from a recording, from a file that a recording names, or from a folder. Nothing but a
 * regular file is opened: merely opening starts a watchdog, or waits for the other end of a pipe. */
#ifndef PD_REGULAR_H
#define PD_REGULAR_H

#include <stdbool.h>

enum pd_regular {
	PD_REGULAR_STORED,   /* not on procfs, sysfs and the like: reading their files has effects, or waits */
	PD_REGULAR_ANY
};

/* Open a regular file for reading; links are followed by the first function only. -1 with errno; EINVAL: there is
 * something else, which was not opened; ELOOP: a link that is not followed. */
int pd_open_regular(const char *path, enum pd_regular kind);
int pd_open_regular_at(int folder, const char *name, enum pd_regular kind);
/* Opens what the user names: a regular file, a pipe or a device. A pipe is waited for until somebody writes to it;
 * EINTR: cancelled in the meantime (`cancel` may be NULL). -1 with errno. */
struct perfdata_cancel;
int pd_open_given(const char *path, const struct perfdata_cancel *cancel);
/* Open a directory. -1 with errno. */
int pd_open_folder(const char *path);
int pd_open_folder_at(int folder, const char *name);

#endif
