/* SPDX-License-Identifier: MIT */
/* What a column of a table holds. The type comes from the schema, never from what a recording happens to hold.
 * Quantities (times, sizes, counts) are signed, so that differences may fall below 0; words that nobody subtracts
 * (addresses, masks, ids) are unsigned. */
#ifndef EMIT_COLUMN_TYPE_H
#define EMIT_COLUMN_TYPE_H

#include <stdbool.h>
#include <stdint.h>
#include "perfdata/schema.h"

enum column_type {
	COLUMN_BOOLEAN,
	COLUMN_INT32, COLUMN_INT64, COLUMN_UINT64,
	COLUMN_DOUBLE,
	COLUMN_TEXT,              /* UTF-8 */
	COLUMN_JSON,              /* the same, a JSON value */
	COLUMN_BYTES,
	COLUMN_LIST_INT64, COLUMN_LIST_UINT64, COLUMN_LIST_TEXT,
	COLUMN_TYPES,
};

struct column_type_info {
	const char *name;         /* DuckDB's name of the type, as `schema --columns --table` prints it */
	const char *arrow;        /* format string of the Arrow C interface; lists: of their elements */
	bool list, text;          /* texts and bytes: values are tokens */
	enum column_type element; /* of a list; else itself */
};
const struct column_type_info *pd_column_type_info(enum column_type type);

struct table_column {
	const char *name;
	const char *select;           /* of rows that are records: the field, as -e takes it; NULL: `recording` */
	const char *doc;
	enum column_type type;
	enum perfdata_unit unit;
	bool required;                /* each row has a value */
	bool rising;                  /* hardly any value comes twice */
	bool sequences;               /* values repeat in the same order: steps of stacks */
	bool derived;                 /* said by another column, too, or found by it: text leaves it out */
	bool bulky;                   /* left out unless a list names it: it is in another table, too, or is large */
};

#define COLUMN(column, holds, of, about) { .name = column, .doc = about, .type = COLUMN_##holds, .unit = of }

#endif
