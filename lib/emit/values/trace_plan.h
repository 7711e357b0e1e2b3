/* SPDX-License-Identifier: MIT */
/* The fields of a tracepoint, prepared once for all readers. */
#ifndef EMIT_TRACE_PLAN_H
#define EMIT_TRACE_PLAN_H

#include "emit/values/plan.h"
#include "text/lines.h"

struct trace_row {
	const struct perfdata_trace_field *field;
	const char *name;             /* valid UTF-8, escaped for JSON, unique in the event */
	struct prepared *prepared;
	uint32_t end;                 /* end offset of a single integer at a fixed place; 0: any other field */
	uint32_t offset, size;        /* copies of the field's members, for speed */
	enum perfdata_trace_kind kind;
};
struct trace_plan {
	const struct perfdata_trace_event *event;
	size_t nr_rows;
	uint32_t extent;              /* number of bytes that contain all such integers; 0: the first field is none */
	const struct trace_row *rows;
};

/* NULL without memory. */
const struct trace_plan *pd_trace_plan_make(struct pd_arena *pool, const struct perfdata_trace_event *event);
/* The form of such an integer; PERFDATA_PART_STOP for other fields. */
enum perfdata_part_form pd_trace_form(const struct trace_row *row);
/* The row with this name, or NULL. */
const struct trace_row *pd_trace_plan_row(const struct trace_plan *plan, const char *name);

#endif
