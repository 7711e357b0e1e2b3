/* SPDX-License-Identifier: MIT */
/* Which recordings a command is about: those named on the command line, in lists (--files-from) and below folders
 * (--recursive), and of these the share of --shard. Each gets the name that outputs and tables know it by. */
#ifndef INPUT_LIST_H
#define INPUT_LIST_H

#include "options.h"

/* A recording of the list. */
struct listed {
	char *file;          /* as it is opened; "-" is stdin */
	char *recording;     /* its path below the common folder or --relative-to: "host/perf.data" */
};
struct input_list {
	struct listed *items;
	size_t nr, room;
};

/* Makes options->inputs of options->files and what the options say, and options->files what is left of it. Where
 * nothing was named, stdin is read, if there is something to read on it. once: a path that is named again is left out,
 * with a note. False after a message. */
bool input_list_make(struct options *options, bool once);
void input_list_release(struct input_list *list);

#endif
