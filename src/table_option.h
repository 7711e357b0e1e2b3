/* SPDX-License-Identifier: MIT */
/* --table all and --table A,B,…: formats that write one table per output get an output for each table that was named,
 * or for which the recording has rows. */
#ifndef TABLE_OPTION_H
#define TABLE_OPTION_H

#include "options.h"

/* Whether --table is `all` or names several tables. Since names of events may have commas, a comma ends a name only if
 * the name of a table follows. */
bool tables_are_several(const struct options *options);

/* Returns the names of the tables: the listed ones, or for `all` those for which the recording has rows, which takes a
 * pass over the recording. Each name and the array are for free(). NULL after a failure, which is already reported,
 * with *ret_code set. */
char **tables_of(const struct options *options, const char *file, size_t *ret_nr, enum exit_code *ret_code);

#endif
