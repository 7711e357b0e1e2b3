/* The tables of CSV: what their rows are and which columns they have. Columns come from the schema, never from what a
 * recording happens to hold, so that tables of many recordings can be joined. */
#ifndef EMIT_CSV_TABLE_H
#define EMIT_CSV_TABLE_H

#include "selection.h"

enum csv_kind {
	CSV_RECORDS,        /* a row per record of `type` */
	CSV_UNKNOWN,        /* a row per record of a type that is not known */
	CSV_EVENT,          /* a row per sample of the tracepoint `event` */
	CSV_BRANCHES, CSV_CALLCHAIN, CSV_REGS, CSV_READ_VALUES,    /* a row per part, keyed by (offset, inner, index) */
};

struct csv_table {
	enum csv_kind kind;
	uint32_t type;
	const char *event;
	struct selection columns;      /* CSV_RECORDS, CSV_UNKNOWN, CSV_EVENT */
	const char *const *parts;      /* the others: names behind offset, inner, index; NULL at the end */
};

/* By name; PERFDATA_EUSAGE names what there is. reader: for the formats of events. list: -e, or NULL. */
enum perfdata_status csv_table_find(struct pool *pool, const char *name, const char *list, const struct perfdata_reader *reader,
				    struct csv_table *ret, struct perfdata_error *reterr);

#endif
