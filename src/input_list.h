/* SPDX-License-Identifier: MIT */
/* Finds the recordings that a command reads: FILE arguments, paths in lists (--files-from) and recordings below folders
 * (--recursive), and of these the share that --shard names. Gives each recording its name for outputs and tables. */
#ifndef INPUT_LIST_H
#define INPUT_LIST_H

#include "options.h"

/* A recording, and the two names of it. */
struct listed {
	char *file;          /* path to open; "-" is stdin */
	char *recording;     /* path below --relative-to or the common folder: "host/perf.data" */
};
struct input_list {
	struct listed *items;
	size_t nr, room;
};

/* Makes options->inputs from options->files, the lists and the folders, and sets options->files to the paths of these
 * inputs. Without any FILE or list, stdin is the input if it has data. once: leaves out a path that is named again,
 * with a note. False after a message. */
bool input_list_make(struct options *options, bool once);
void input_list_release(struct input_list *list);

#endif
