/* SPDX-License-Identifier: MIT */
/* Finds the recordings that a command reads: FILE arguments, lists of paths (--files-from), folders (--recursive); and
 * of these the share for --shard. Gives each recording a name for outputs and tables. */
#ifndef INPUT_LIST_H
#define INPUT_LIST_H

#include "options.h"

/* A recording, its path and its name. */
struct listed {
	char *file;          /* path to open; "-" is stdin */
	char *recording;     /* name: path below --relative-to or the common folder, "host/perf.data" */
};
struct input_list {
	struct listed *items;
	size_t nr, room;
};

/* Makes options->inputs from options->files, lists and folders, and sets options->files to the paths of the inputs.
 * Without FILEs and lists, stdin is the input if it has data. once: drops repeated paths with a note. False after a
 * message. */
bool input_list_make(struct options *options, bool once);
void input_list_release(struct input_list *list);

#endif
