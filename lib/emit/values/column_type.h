/* SPDX-License-Identifier: MIT */
/* Types of table columns, which follow from the schema alone. Quantities (times, sizes, counts) are signed, so that
 * differences may be negative; addresses, masks and ids are unsigned. */
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
	COLUMN_JSON,              /* text with a JSON value */
	COLUMN_BYTES,
	COLUMN_LIST_INT64, COLUMN_LIST_UINT64, COLUMN_LIST_TEXT,
	COLUMN_TYPES,
};

struct column_type_info {
	const char *name;         /* DuckDB's name, as in `schema --columns --table` */
	const char *arrow;        /* format string of the Arrow C interface; of lists: of the elements */
	bool list, text;          /* text: values are tokens of texts or bytes */
	enum column_type element; /* of a list; otherwise the type itself */
};
const struct column_type_info *pd_column_type_info(enum column_type type);

struct table_column {
	const char *name;
	const char *select;           /* if rows are records: the field, as in -e; NULL: `recording` */
	const char *doc;
	enum column_type type;
	enum perfdata_unit unit;
	bool required;                /* every row has a value */
	bool rising;                  /* hardly any value repeats */
	bool sequences;               /* sequences of values repeat, as steps of stacks do */
	bool derived;                 /* follows from other columns: text formats leave it out */
	bool bulky;                   /* left out unless a list names it: it is large, or in another table */
};

#define COLUMN(column, holds, of, about) { .name = column, .doc = about, .type = COLUMN_##holds, .unit = of }

#endif
