/* SPDX-License-Identifier: MIT */
/* The names of outputs below -o DIR/: what --name says, or DIR/FOLDER/FILE.FORMAT. */
#ifndef OUTPUT_NAME_H
#define OUTPUT_NAME_H

#include "options.h"

/* What a name is made of. */
struct name_parts {
	/* "host/perf.data": {recording}; {dir} and {base} are its parts, {stem} is the base without its last suffix */
	const char *recording;
	const char *format;          /* {format} */
	const char *table;           /* {table}, of --table all; NULL: none */
	bool folders;                /* the emitter has a folder for each of its outputs: PERFDATA_EMITTER_FOLDERS */
};
/* Whether --name can be followed; false after a message. */
bool output_name_check(const struct options *options);
/* The path; NULL without memory. Where an emitter has several outputs, and the name says {table}, each goes to
 * *ret_head TABLE *ret_tail: what the name is in front of {table} and behind it. Both are NULL where it does not say
 * that. All are for free(). */
char *output_name(const struct options *options, const struct name_parts *parts, char **ret_head, char **ret_tail);

#endif
