/* SPDX-License-Identifier: MIT */
/* The tables of a run with their requested columns, and the rows of each batch. The receiver must take the parts in the
 * order of batches. */
#ifndef EMIT_TABLE_SET_H
#define EMIT_TABLE_SET_H

#include "reader/trace_pieces.h"
#include "emit/spell/json_style.h"
#include "emit/values/name_options.h"
#include "emit/table/summary_cells.h"
#include "emit/table/table_parts.h"
#include "emit/table/table_rows.h"

#define MOST_TABLES 8192u

struct table_set {
	struct record_world world;
	struct json_style style;      /* for cells with JSON */
	struct pd_arena pool;
	const struct perfdata_reader *reader;
	const struct perfdata_session *session;
	struct pd_account *account;   /* account for parts */
	const char *recording;        /* value of the column `recording` */
	const char *columns;          /* requested list of columns, or NULL */
	bool everything;              /* set it first: without a requested list, take all columns */
	const char *asked;            /* requested list of tables; NULL: all */
	struct table *tables[MOST_TABLES];   /* tables never move: format reads the ones that scan found */
	unsigned nr_tables;
	uint16_t of_records[MOST_TABLES];    /* numbers of the tables whose rows are records */
	unsigned nr_of_records;
	int stacks, frames, packets, spe_samples;   /* numbers of these tables; -1: not requested */
	int branches, regs, read_values, spans;
	uint32_t span_kinds;          /* kinds in the table `spans` */
	struct thread_times *thread_times;   /* scan's; NULL: not requested */
	struct pd_aux_carry traces;   /* scan's */
	bool *event_seen;             /* scan's: by version of the event */
	size_t nr_event_seen;
	struct emitted new_stacks, new_frames;   /* scan's */
};

#define TABLE_OPTIONS \
	{ "table", PERFDATA_OPTION_TEXT, 0, "LIST", \
	  "only these tables: " TABLE_NAMES ", " TABLE_NAMES_ON_REQUEST ", event:NAME, a record type" }, \
	{ "columns", PERFDATA_OPTION_TEXT, 0, "LIST", \
	  "only these columns, in this order (see `perfdata schema --columns --table NAME`)" }, \
	{ "recording", PERFDATA_OPTION_TEXT, 0, "NAME", \
	  "value of the column `recording`; default: name of the input" }, \
	{ "lines", PERFDATA_OPTION_FLAG, 0, NULL, "add source file, line and inlined functions to frames" }, \
	{ "with-run-spans", PERFDATA_OPTION_FLAG, 0, NULL, \
	  "add a row to the table spans for each time that a thread ran" }

/* Needs of the requested tables. */
uint32_t pd_table_set_needs(const struct perfdata_emitter_option_value *options, size_t nr_options);
/* enum perfdata_trace_samples. In the order of time, since maps depend on it. */
uint32_t pd_table_set_trace_samples(const struct perfdata_emitter_option_value *options, size_t nr_options);
/* Kinds of spans that the requested tables need. */
uint32_t pd_table_set_spans(const struct perfdata_emitter_option_value *options, size_t nr_options);
/* PERFDATA_EUSAGE: a requested table or column does not exist. */
enum perfdata_status pd_table_set_init(struct table_set *set, const struct perfdata_emit_context *context);
void pd_table_set_release(struct table_set *set);
/* Makes the tables of requested tracepoints before their first sample, if the recording described them already. */
enum perfdata_status pd_table_set_predeclare(struct table_set *set);

/* scan's value for a batch. */
struct table_value {
	unsigned nr_tables;           /* number of tables at this batch */
	struct emitted_batch *stacks, *frames;
	struct pd_aux_pieces pieces;
};
/* Calls `added` (may be NULL) for a new table, whose number is set->nr_tables - 1. */
enum perfdata_status pd_table_set_scan(struct table_set *set, const struct perfdata_batch *batch,
				       struct table_value **ret,
				       enum perfdata_status (*added)(void *user, const struct table *table),
				       void *user);
void pd_table_value_free(void *value);

/* State of one thread. */
struct table_scratch;
void pd_table_scratch_free(void *scratch);
/* The rows of a batch; *found: findings about its records. The first call makes *scratch. */
enum perfdata_status pd_table_set_rows(const struct table_set *set, const struct perfdata_batch *batch,
				       const struct table_value *value, struct table_scratch **scratch,
				       struct perfdata_text *room, struct table_part **ret, struct found_batch **found);
/* The rows of a table that is complete only at the end; *ret is NULL for other tables. */
enum perfdata_status pd_table_set_end(struct table_set *set, unsigned number, const struct perfdata_emit_end *end,
				      struct table_part **ret);

#endif
