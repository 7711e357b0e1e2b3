/* SPDX-License-Identifier: MIT */
/* What the outputs can hold, read off the rows of the schema: for `perfdata fields`, `perfdata schema` and the
 * manual. */
#ifndef PERFDATA_DESCRIBE_H
#define PERFDATA_DESCRIBE_H

#include "perfdata/session.h"
#include "perfdata/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions with `out` append to it, which fails as every text does: see perfdata_text_failed. */

/* Lines of tab-separated columns with a header line: field, type, unit, records that have the field, meaning. These are
 * the fields that -e takes. */
PERFDATA_API void perfdata_describe_fields(struct perfdata_text *out);
/* JSON Schema (draft 2020-12) of each line of ndjson. */
PERFDATA_API void perfdata_describe_schema(struct perfdata_text *out);
/* `{key: 'TYPE', …}`: the columns argument of DuckDB's read_json for ndjson. */
PERFDATA_API void perfdata_describe_columns(struct perfdata_text *out);
/* A table of csv and parquet: lines of tab-separated columns with a header line: column, type (in DuckDB's words),
 * unit, whether it may be null, meaning. name: "samples", "stacks", a record type, …; NULL: a list of the tables
 * instead, each with the meaning of its rows. PERFDATA_EUSAGE: there is no table of that name; PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_describe_table(struct perfdata_text *out, const char *name);
/* Calls add with the name of each table of csv that has rows for a recording with this summary, until a call fails;
 * returns what that returned. */
PERFDATA_API enum perfdata_status perfdata_describe_tables(const struct perfdata_summary *summary,
							   enum perfdata_status (*add)(void *user, const char *name),
							   void *user);
/* The list of records of perf-data.5, in roff. */
PERFDATA_API void perfdata_describe_records_manual(struct perfdata_text *out);

#ifdef __cplusplus
}
#endif

#endif
