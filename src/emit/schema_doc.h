/* What the outputs hold, told from the rows: for `perfdata fields`, `perfdata schema` and perf-data.5. */
#ifndef EMIT_SCHEMA_DOC_H
#define EMIT_SCHEMA_DOC_H

#include "perfdata_text.h"

/* Lines of tab-separated columns with a header line: field, type, unit, records that have it, meaning. Fields are what -e takes. */
void emit_fields(struct perfdata_text *out);
/* JSON Schema (draft 2020-12) of each line of ndjson. */
void emit_schema(struct perfdata_text *out);
/* `{key: 'TYPE', …}`: the columns argument of DuckDB's read_json for ndjson. */
void emit_columns(struct perfdata_text *out);
/* The list of records of perf-data.5, in roff. */
void emit_record_manual(struct perfdata_text *out);

#endif
