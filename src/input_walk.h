/* SPDX-License-Identifier: MIT */
/* Finds the recordings below a folder by their content. */
#ifndef INPUT_WALK_H
#define INPUT_WALK_H

#include <stdbool.h>

/* Calls `add` with the path of each recording below `folder`, sorted by name: files with a recording, compressed or
 * not; directory recordings (perf record --threads); unreadable files, so that the command reports them. Skips hidden
 * names and the folder `except` (or NULL), which holds outputs. False if `add` returns false, or without memory. */
bool input_walk_folder(const char *folder, const char *except, bool (*add)(void *user, const char *path), void *user);
/* Whether the path is a folder that is not a recording itself. */
bool input_walk_is_folder(const char *path);

#endif
