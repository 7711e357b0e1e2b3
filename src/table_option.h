/* SPDX-License-Identifier: MIT */
/* --table all and --table A,B,…, for formats that write one table per output: an output for each named table, or for
 * each table with rows. */
#ifndef TABLE_OPTION_H
#define TABLE_OPTION_H

#include "options.h"

/* Whether --table is `all` or names several tables. Event names may contain commas: a comma ends a name only before the
 * name of a table. */
bool tables_are_several(const struct options *options);

/* The names of the tables: the listed ones, or for `all` those with rows, which takes a pass over the recording. Names
 * and array are for free(). NULL after a failure, already reported, with *ret_code set. */
char **tables_of(const struct options *options, const char *file, size_t *ret_nr, enum exit_code *ret_code);

#endif
