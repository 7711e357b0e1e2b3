/* SPDX-License-Identifier: MIT */
/* --table all, or a list, of formats that write one table at a time: an output for each that a recording has rows for,
 * or that was named. */
#ifndef TABLE_OPTION_H
#define TABLE_OPTION_H

#include "options.h"

/* Whether all tables are asked for, or several. A comma may be part of an event's name: it ends a name where that of a
 * table follows. */
bool tables_are_several(const struct options *options);

/* The names of the tables that were listed, or that the recording has rows for, found by a walk over it. Free each, and
 * the list. NULL: it cannot be read, or no memory; *ret_code says which, and it was said. */
char **tables_of(const struct options *options, const char *file, size_t *ret_nr, enum exit_code *ret_code);

#endif
