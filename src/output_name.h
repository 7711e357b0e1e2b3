/* SPDX-License-Identifier: MIT */
/* Makes the paths of outputs below -o DIR/: by the pattern of --name, or DIR/FOLDER/FILE.FORMAT. */
#ifndef OUTPUT_NAME_H
#define OUTPUT_NAME_H

#include "options.h"

/* Values for the parts of a pattern. */
struct name_parts {
	/* {recording}: "host/perf.data"; {dir} is "host", {base} is "perf.data", {stem} is {base} without the last
	 * suffix */
	const char *recording;
	const char *format;          /* {format} */
	const char *table;           /* {table}, if --table names several tables; else NULL */
	bool folders;                /* the emitter has PERFDATA_EMITTER_FOLDERS: its outputs are in folders */
};
/* Checks the pattern of --name; false after a message. */
bool output_name_check(const struct options *options);
/* The path of the output; NULL without memory. If the pattern has {table} and parts->table is NULL, the emitter has
 * several outputs: *ret_head and *ret_tail are the path before and after {table}; otherwise NULL. All three are for
 * free(). */
char *output_name(const struct options *options, const struct name_parts *parts, char **ret_head, char **ret_tail);

/* The folder of an output with its slash, "./" if there is none; for free(); NULL without memory. */
char *output_folder(const char *path);

#endif
