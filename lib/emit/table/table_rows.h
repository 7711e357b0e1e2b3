/* SPDX-License-Identifier: MIT */
/* The tables of every recording, one row for each: names of fields if rows are records, otherwise columns. */
#ifndef EMIT_TABLE_ROWS_H
#define EMIT_TABLE_ROWS_H

#include "emit/table/describe_table.h"

/* The names of tables in order: those of every recording, then those that are made only if the user names them. */
#define TABLES_OF_ALL(first, next) \
	first(recordings) next(events) next(samples) next(stacks) next(frames) next(mappings) next(build_ids) \
		next(threads) next(lost) next(cpu) next(features) next(findings)
#define TABLES_ON_REQUEST(first, next) \
	first(callchain) next(branches) next(regs) next(read_values) next(aux_packets) next(spe_samples) \
		next(spans) next(threads_time)
/* The list of names, for messages. */
#define TABLE_NAME_FIRST(name) #name
#define TABLE_NAME_NEXT(name) ", " #name
#define TABLE_NAMES TABLES_OF_ALL(TABLE_NAME_FIRST, TABLE_NAME_NEXT)
#define TABLE_NAMES_ON_REQUEST TABLES_ON_REQUEST(TABLE_NAME_FIRST, TABLE_NAME_NEXT)

struct table_row {
	const char *name, *doc;
	enum table_rows rows;
	enum table_rows in_csv;       /* what a row is in CSV if it differs there; else 0 */
	bool on_request;
	uint32_t types[TABLE_TYPES];  /* ends with 0: rows are records of these types, or parts of them */
	const char *const *fields;    /* columns of records, as in -e; NULL: all fields of the layout */
	const struct table_column *columns;   /* of other rows: ends with name NULL; without `recording` */
};
/* NULL if there are fewer. */
const struct table_row *pd_table_row_at(size_t index);
/* One of these tables, or the table of a record type. False: no such table. */
bool pd_table_row_named(const char *name, struct table_row *ret);
/* Number of `types`. */
size_t pd_table_row_types(const struct table_row *row);
/* Whether the rows are parts of records: see pd_parts_begin. */
static inline bool pd_table_is_of_parts(enum table_rows rows)
{
	return rows >= TABLE_OF_BRANCHES && rows <= TABLE_OF_READ_VALUES;
}
/* The columns of a table whose rows are not records. */
const struct table_column *pd_table_own_columns(enum table_rows rows);

/* Indexes of columns, for the functions that fill them. */
enum { STACKS_STACK_ID, STACKS_DEPTH, STACKS_FRAME_ID, STACKS_UNMAPPED_IP, STACKS_IP, STACKS_ORIGIN };
enum { FRAMES_FRAME_ID, FRAMES_DSO_ID, FRAMES_LOCATION };
enum {
	EVENTS_INDEX,
	EVENTS_NAME,
	EVENTS_LEADER,
	EVENTS_TYPE,
	EVENTS_CONFIG,
	EVENTS_PERIOD,
	EVENTS_FREQ,
	EVENTS_SAMPLE_TYPE,
	EVENTS_READ_FORMAT,
	EVENTS_UNIT,
	EVENTS_SCALE,
	EVENTS_IDS,
	EVENTS_SAMPLES,
	EVENTS_DELIVERIES,
	EVENTS_ATTR
};
enum { FEATURES_FEATURE, FEATURES_ID, FEATURES_VALUE };
enum {
	FINDINGS_NUMBER,
	FINDINGS_CODE,
	FINDINGS_SEVERITY,
	FINDINGS_FILE,
	FINDINGS_OFFSET,
	FINDINGS_RECORD,
	FINDINGS_MESSAGE
};
enum {
	BUILD_IDS_DSO_ID,
	BUILD_IDS_DSO,
	BUILD_IDS_BUILD_ID,
	BUILD_IDS_SOURCE,
	BUILD_IDS_KIND,
	BUILD_IDS_MAPPINGS,
	BUILD_IDS_INODE
};
enum { CPUS_CPU, CPUS_CORE, CPUS_SOCKET, CPUS_DIE };
enum {
	RECORDINGS_CONTAINER,
	RECORDINGS_BYTE_ORDER,
	RECORDINGS_PACKING,
	RECORDINGS_FILE_SIZE,
	RECORDINGS_PERF,
	RECORDINGS_HOSTNAME,
	RECORDINGS_RELEASE,
	RECORDINGS_ARCH,
	RECORDINGS_CPU,
	RECORDINGS_CPUID,
	RECORDINGS_CPUS,
	RECORDINGS_MEMORY,
	RECORDINGS_COMMAND,
	RECORDINGS_WALL_OFFSET,
	RECORDINGS_FIRST,
	RECORDINGS_LAST,
	RECORDINGS_RECORDS,
	RECORDINGS_SAMPLES,
	RECORDINGS_LOST_RECORDS,
	RECORDINGS_LOST_SAMPLES,
	RECORDINGS_LATE,
	RECORDINGS_UNKNOWN_IDS,
	RECORDINGS_FINDINGS,
	RECORDINGS_COMPLETE
};
/* The first columns of all tables of parts: which record, and which of its parts. */
enum { PART_FILE, PART_OFFSET, PART_INNER, PART_INDEX, PART_KEY_COLUMNS };
enum {
	BRANCHES_FROM = PART_KEY_COLUMNS,
	BRANCHES_TO,
	BRANCHES_FLAGS,
	BRANCHES_COUNTER,
	BRANCHES_MISPRED,
	BRANCHES_PREDICTED,
	BRANCHES_IN_TX,
	BRANCHES_ABORT,
	BRANCHES_CYCLES,
	BRANCHES_TYPE
};
enum { REGS_SET = PART_KEY_COLUMNS, REGS_REGISTER, REGS_VALUE };
enum { READ_VALUES_ID = PART_KEY_COLUMNS, READ_VALUES_EVENT, READ_VALUES_VALUE, READ_VALUES_LOST };
enum { CHAIN_IP = PART_KEY_COLUMNS };
#endif
