/* SPDX-License-Identifier: MIT */
/* The fields of a tracepoint's sample as a JSON object. */
#ifndef EMIT_TRACE_JSON_H
#define EMIT_TRACE_JSON_H

#include "emit/json/spell.h"
#include "text/lines.h"

struct trace_row {
	const struct perfdata_trace_field *field;
	const char *name;             /* unique among the event's keys, valid UTF-8 */
	struct key key, key_hex;
	struct key key_doubled;       /* as `key`, inside a cell of CSV */
	uint32_t end;                 /* where a single integer at a fixed place ends; 0: any other field */
	uint32_t offset, size;        /* copies of the field's, side by side for speed */
	enum perfdata_trace_kind kind;
};
struct trace_plan {
	const struct perfdata_trace_event *event;
	size_t nr_rows;
	uint32_t extent;              /* so many bytes hold all such integers; 0: the first field is none */
	const struct trace_row *rows;
};

/* NULL without memory. */
const struct trace_plan *pd_trace_plan_make(struct pd_arena *pool, const struct perfdata_trace_event *event);
/* Appends the value of one field; false, with nothing written, if the raw data is too short for the field. */
bool pd_trace_json_value(struct speller *s, const struct trace_row *row, struct perfdata_bytes raw,
			 bool *ret_valid_text, struct perfdata_bytes *ret_text);
/* Appends key and value of one field; false if the raw data is too short for the field. */
bool pd_trace_json_field(struct speller *s, const struct trace_row *row, struct perfdata_bytes raw);
/* Appends an object with all fields; false if the raw data was too short for some. */
bool pd_trace_json_object(struct speller *s, const struct trace_plan *plan, struct perfdata_bytes raw);
/* The form of such an integer, or PERFDATA_PART_STOP. */
enum perfdata_part_form pd_trace_form(const struct trace_row *row);
/* The row with this name, or NULL. */
const struct trace_row *pd_trace_plan_row(const struct trace_plan *plan, const char *name);

#endif
