/* SPDX-License-Identifier: MIT */
/* What the tables of a recording are: one description for CSV, Parquet, Arrow, `schema --columns --table` and the
 * manual. */
#ifndef EMIT_DESCRIBE_TABLE_H
#define EMIT_DESCRIBE_TABLE_H

#include "emit/values/selection.h"
#include "emit/values/column_type.h"
#include "emit/table/record_columns.h"

#define TABLE_SCHEMA "perfdata-tables/1"

/* What a row is. */
enum table_rows {
	TABLE_OF_RECORDS,             /* a record of one of `types` */
	TABLE_OF_EVENT,               /* a sample of the tracepoint `event` */
	TABLE_OF_STACKS,              /* a step of a stack */
	TABLE_OF_FRAMES,              /* a frame of a stack or a sample's address */
	TABLE_OF_PACKETS,             /* a packet of a trace */
	TABLE_OF_SPE_SAMPLES,         /* an operation that Arm SPE sampled */
	TABLE_OF_SPANS,               /* an interval that two records make */
	/* a part of a record */
	TABLE_OF_BRANCHES, TABLE_OF_REGS, TABLE_OF_READ_VALUES,
	TABLE_OF_CHAIN,               /* of CSV: an address of a call chain */
	TABLE_OF_RECORDING,           /* the recording */
	/* known at the end */
	TABLE_OF_EVENTS, TABLE_OF_FEATURES, TABLE_OF_FINDINGS, TABLE_OF_BUILD_IDS, TABLE_OF_CPUS,
	TABLE_OF_THREAD_TIMES,        /* a thread, and how it spent its time */
};

#define TABLE_TYPES 6
struct table {
	const char *name, *doc;
	enum table_rows rows;
	uint32_t types[TABLE_TYPES];
	unsigned nr_types;
	const char *event;
	struct table_column *columns;
	size_t nr_columns;
};

/* The tables that every recording has, by index; NULL if there are fewer. */
const char *pd_table_name_at(size_t index);
/* Makes the description of a table: of a table above, or of a tracepoint event, whose format is `trace`. Strings live
 * in the pool or for ever. PERFDATA_EUSAGE: there is no such table, PERFDATA_ENOMEM. */
enum perfdata_status pd_table_make(struct pd_arena *pool, const char *name, struct table *ret);
enum perfdata_status pd_table_make_event(struct pd_arena *pool, const struct perfdata_event *event, struct table *ret);
/* After the column `recording`, a column for each member of a record, under the name that -e takes: of one layout
 * (NULL: of unknown types), and of a tracepoint each field of its plan. `samples` is the table of samples, with comm
 * and stack_id. */
enum perfdata_status pd_table_make_records(struct pd_arena *pool, const struct perfdata_layout *layout,
					   const struct trace_plan *plan, struct record_names names, struct table *ret);
/* Keeps the columns of a comma-separated list, in its order and after `recording`; NULL: all columns that are not
 * bulky. If `strict`, PERFDATA_EUSAGE names a column that does not exist. */
enum perfdata_status pd_table_choose(struct pd_arena *pool, struct table *table, const char *list, bool strict,
				     struct perfdata_error *reterr);

#endif
