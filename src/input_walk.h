/* SPDX-License-Identifier: MIT */
/* Finds the recordings below a folder by their content. */
#ifndef INPUT_WALK_H
#define INPUT_WALK_H

#include <stdbool.h>

/* Calls `add` with the path of each recording below `folder`, in the order of names: files that hold a recording, also
 * compressed ones; directory recordings (perf record --threads); and files that cannot be read, so that the command
 * that opens them reports why. Skips hidden names and the folder `except` (or NULL), where outputs go. False if `add`
 * returns false or memory runs out. */
bool input_walk_folder(const char *folder, const char *except, bool (*add)(void *user, const char *path), void *user);
/* Whether the path is a folder that is not a recording itself. */
bool input_walk_is_folder(const char *path);

#endif
