/* SPDX-License-Identifier: MIT */
/* Descriptions of a recording's tables, for CSV, Parquet, Arrow, `schema --columns --table` and the manual. */
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
	TABLE_OF_FRAMES,              /* a frame of a stack, or of a sample's address */
	TABLE_OF_PACKETS,             /* a packet of a trace */
	TABLE_OF_SPE_SAMPLES,         /* a sampled operation of Arm SPE */
	TABLE_OF_SPANS,               /* an interval between two records */
	/* a part of a record */
	TABLE_OF_BRANCHES, TABLE_OF_REGS, TABLE_OF_READ_VALUES,
	TABLE_OF_CHAIN,               /* an address of a call chain; CSV only */
	TABLE_OF_RECORDING,           /* the recording */
	/* rows that are known at the end only */
	TABLE_OF_EVENTS, TABLE_OF_FEATURES, TABLE_OF_FINDINGS, TABLE_OF_BUILD_IDS, TABLE_OF_CPUS,
	TABLE_OF_THREAD_TIMES,        /* a thread and its time in each state */
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

/* Tables that every recording has, by index; NULL if there are fewer. */
const char *pd_table_name_at(size_t index);
/* Describes a table by name, or the table of a tracepoint event with format `trace`. Strings live in the pool, or are
 * static. PERFDATA_EUSAGE: no such table, PERFDATA_ENOMEM. */
enum perfdata_status pd_table_make(struct pd_arena *pool, const char *name, struct table *ret);
enum perfdata_status pd_table_make_event(struct pd_arena *pool, const struct perfdata_event *event, struct table *ret);
/* Describes the table of a layout (NULL: of unknown types): the column `recording`, then one for each field, named as
 * in -e; a tracepoint has one for each field of its plan. `samples` is the table of samples, with comm and stack_id. */
enum perfdata_status pd_table_make_records(struct pd_arena *pool, const struct perfdata_layout *layout,
					   const struct trace_plan *plan, struct record_names names, struct table *ret);
/* Keeps the columns in a comma-separated list, in its order, after `recording`; NULL: all but bulky columns. If
 * `strict`, PERFDATA_EUSAGE with the name of a column that does not exist. */
enum perfdata_status pd_table_choose(struct pd_arena *pool, struct table *table, const char *list, bool strict,
				     struct perfdata_error *reterr);

#endif
