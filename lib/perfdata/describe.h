/* SPDX-License-Identifier: MIT */
/* What outputs can hold, generated from the rows of the schema: for `perfdata fields`, `perfdata schema` and the
 * manual. */
#ifndef PERFDATA_DESCRIBE_H
#define PERFDATA_DESCRIBE_H

#include "perfdata/session.h"
#include "perfdata/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions with a parameter `out` append to it; test perfdata_text_failed afterwards. */

/* Tab-separated lines with a header: field, type, unit, records that have the field, meaning. `-e` accepts these
 * fields. */
PERFDATA_API void perfdata_describe_fields(struct perfdata_text *out);
/* The JSON Schema (draft 2020-12) of a line of ndjson. */
PERFDATA_API void perfdata_describe_schema(struct perfdata_text *out);
/* `{key: 'TYPE', …}`: the columns argument of DuckDB's read_json for ndjson. */
PERFDATA_API void perfdata_describe_columns(struct perfdata_text *out);
/* A table of csv and parquet: tab-separated lines with a header: column, type (DuckDB's name), unit, whether it may be
 * null, meaning. name: "samples", "stacks", a record type, …; NULL: a list of all tables with the meaning of a row.
 * PERFDATA_EUSAGE: no table has this name; PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_describe_table(struct perfdata_text *out, const char *name);
/* Calls `add` with the name of each csv table that has rows for a recording with this summary. Stops when `add` fails,
 * and returns the status of the last call. */
PERFDATA_API enum perfdata_status perfdata_describe_tables(const struct perfdata_summary *summary,
							   enum perfdata_status (*add)(void *user, const char *name),
							   void *user);
/* The list of records of perf-data.5, in roff. */
PERFDATA_API void perfdata_describe_records_manual(struct perfdata_text *out);

#ifdef __cplusplus
}
#endif

#endif
