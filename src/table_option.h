/* CSV writes one table at a time: which records a table needs, and which tables a recording has for --table all. */
#ifndef TABLE_OPTION_H
#define TABLE_OPTION_H

#include "options.h"

/* The record types that the rows of the table asked for come from; 0: any, or the emitter has no tables. */
#define TABLE_TYPES 2
size_t table_types(const struct options *options, uint32_t ret_types[TABLE_TYPES]);

/* The event whose samples are the rows, or NULL. */
const char *table_event(const struct options *options);

/* Whether all tables are asked for. */
bool tables_are_all(const struct options *options);

/* The names of the tables that the recording has rows for, found by a walk over it. Free each, and the list. NULL: it cannot be read, or no
 * memory; *ret_code says which, and it was said. */
char **tables_of(const struct options *options, const char *file, size_t *ret_nr, enum exit_code *ret_code);

#endif
