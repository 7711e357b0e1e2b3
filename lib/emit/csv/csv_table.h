/* SPDX-License-Identifier: MIT */
/* The tables of CSV: what their rows are and which columns they have. Columns come from the schema, never from what a
 * recording happens to hold, so that tables of many recordings can be joined. */
#ifndef EMIT_CSV_TABLE_H
#define EMIT_CSV_TABLE_H

#include "emit/values/selection.h"
#include "emit/table/describe_table.h"

enum csv_kind {
	CSV_RECORDS,        /* a row per record of `type` */
	CSV_UNKNOWN,        /* a row per record of a type that is not known */
	CSV_EVENT,          /* a row per sample of the tracepoint `event` */
	CSV_PARTS,          /* a row per part of a record: `parts` */
	CSV_AUX_PACKETS,    /* a row per packet of a trace */
	CSV_SPE_SAMPLES,    /* a row per operation that Arm SPE sampled */
};

struct csv_table {
	enum csv_kind kind;
	uint32_t type;
	const char *event;
	enum table_rows parts;         /* CSV_PARTS and those of traces */
	const struct table_column *described; /* the columns, but those that are not_in_csv; ends with name NULL */
	struct selection columns;      /* CSV_RECORDS, CSV_UNKNOWN, CSV_EVENT: where they come from; else empty */
};

/* What decides on the columns of a table. */
struct csv_choice {
	const char *table;             /* name, or NULL: samples */
	const char *list;              /* -e or --columns, or NULL */
	bool list_is_of_table;         /* --columns: names of the table's columns come first */
	const struct perfdata_reader *reader;  /* for the formats of events */
	uint32_t heads;                /* of samples: bits */
	unsigned locations;               /* parts: bits */
};
/* Whether the rows come from the payloads of AUXTRACE records. */
bool pd_csv_table_is_of_traces(const char *table);
/* The record types that the rows of a table come from (NULL: samples), at most PERFDATA_CONFIGURE_TYPES; 0: any. */
size_t pd_csv_table_types(const char *table, uint32_t *ret_types);
/* The event whose samples are the rows, or NULL. */
const char *pd_csv_table_event(const char *table);
/* For perfdata_emitter.tables. */
enum perfdata_status pd_csv_tables(const struct perfdata_summary *summary,
				   enum perfdata_status (*add)(void *user, const char *name), void *user);
/* PERFDATA_EUSAGE names what there is. */
enum perfdata_status pd_csv_table_find(struct pd_arena *pool, const struct csv_choice *choice, struct csv_table *ret,
				    struct perfdata_error *reterr);

#endif
