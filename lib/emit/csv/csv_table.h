/* SPDX-License-Identifier: MIT */
/* The tables of CSV: what their rows and columns are. Columns come from the schema alone, so that tables of many
 * recordings can be joined. */
#ifndef EMIT_CSV_TABLE_H
#define EMIT_CSV_TABLE_H

#include "emit/table/table_rows.h"
#include "emit/values/selection.h"

struct csv_table {
	struct table_row row;          /* what a row is; without types: records of unknown types */
	const char *event;             /* TABLE_OF_EVENT */
	const struct table_column *described; /* the columns that are not derived from others; ends with name NULL */
	struct selection columns;      /* fields that fill the columns, if rows are records; else empty */
};

/* The options that choose the columns of a table. */
struct csv_choice {
	const char *table;             /* name, or NULL: samples */
	const char *list;              /* -e or --columns, or NULL */
	bool list_is_of_table;         /* --columns: look for names among the table's columns first */
	const struct perfdata_reader *reader;  /* for the formats of events */
	uint32_t heads;                /* bits: heads of samples */
	unsigned locations;               /* bits: parts of locations */
};
/* What a row of the table (NULL: samples) is. False: there is no such table. */
bool pd_csv_table_row(const char *table, struct table_row *ret);
static inline bool pd_csv_rows_are_of_traces(const struct table_row *row)
{
	return row->rows == TABLE_OF_PACKETS || row->rows == TABLE_OF_SPE_SAMPLES;
}
/* The event whose samples are the rows, or NULL. */
const char *pd_csv_table_event(const char *table);
/* PERFDATA_EUSAGE with a message that names the existing tables. */
enum perfdata_status pd_csv_table_find(struct pd_arena *pool, const struct csv_choice *choice, struct csv_table *ret,
				    struct perfdata_error *reterr);

#endif
