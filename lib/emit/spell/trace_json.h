/* SPDX-License-Identifier: MIT */
/* The fields of a tracepoint's sample as a JSON object. */
#ifndef EMIT_TRACE_JSON_H
#define EMIT_TRACE_JSON_H

#include "emit/spell/spell.h"
#include "emit/values/trace_plan.h"

/* The keys of a field, kept with its row. */
struct trace_keys {
	struct key key, hex;
	struct key doubled;           /* as `key`, with doubled quotes for a cell of CSV */
};
const struct trace_keys *pd_trace_keys_make(const struct trace_row *row);
/* NULL without memory. */
static inline const struct trace_keys *pd_trace_keys(const struct trace_row *row)
{
	return row->prepared->made ? row->prepared->made : pd_trace_keys_make(row);
}

/* Appends the value of a field. False: the raw data is too short for the field, and nothing was appended. */
bool pd_trace_json_value(struct speller *s, const struct trace_row *row, struct perfdata_bytes raw,
			 bool *ret_valid_text, struct perfdata_bytes *ret_text);
/* Appends key and value of a field. If the raw data is too short for it, the scope notes this. */
void pd_trace_json_field(struct speller *s, const struct trace_row *row, struct perfdata_bytes raw);
/* Appends an object with all fields of the scope's tracepoint. */
void pd_trace_json_object(struct speller *s, struct perfdata_bytes raw);

#endif
