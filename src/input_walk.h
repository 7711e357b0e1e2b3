/* SPDX-License-Identifier: MIT */
/* The recordings below a folder, told by content. */
#ifndef INPUT_WALK_H
#define INPUT_WALK_H

#include <stdbool.h>

/* Calls `add` with the path of each recording below `folder`, in the order of names: files that hold one (packed or
 * not), folders that are one (what perf record --threads writes), and what cannot be read, so that somebody says why.
 * Hidden names are passed over, and so is the folder `except` (or NULL), where outputs go. False where `add` says so or
 * memory ran out. */
bool input_walk_folder(const char *folder, const char *except, bool (*add)(void *user, const char *path), void *user);
/* Whether the path is a folder that is not a recording itself. */
bool input_walk_is_folder(const char *path);

#endif
