/* SPDX-License-Identifier: MIT */
/* Makes the names of outputs below -o DIR/: by the pattern of --name, or DIR/FOLDER/FILE.FORMAT. */
#ifndef OUTPUT_NAME_H
#define OUTPUT_NAME_H

#include "options.h"

/* The values of the parts of a name. */
struct name_parts {
	/* {recording}: "host/perf.data"; {dir} is "host", {base} is "perf.data", {stem} is the base without its last
	 * suffix */
	const char *recording;
	const char *format;          /* {format} */
	const char *table;           /* {table}, if --table names several tables; else NULL */
	bool folders;                /* the emitter is PERFDATA_EMITTER_FOLDERS: its outputs are in folders */
};
/* Checks the pattern of --name; false after a message. */
bool output_name_check(const struct options *options);
/* Returns the path of the output; NULL without memory. If parts->table is NULL and the pattern has {table}, the emitter
 * has several outputs: *ret_head and *ret_tail are the path before {table} and after it, else NULL. All three are
 * for free(). */
char *output_name(const struct options *options, const struct name_parts *parts, char **ret_head, char **ret_tail);

/* Returns the folder of an output with its slash at the end, "./" if the path has none; for free(); NULL without
 * memory. */
char *output_folder(const char *path);

#endif
