/* SPDX-License-Identifier: MIT */
/* The columns of records of one type: fields of their layout, with names as in -e. */
#ifndef EMIT_RECORD_COLUMNS_H
#define EMIT_RECORD_COLUMNS_H

#include "emit/values/selection.h"

/* Columns with names that samples have besides their recorded fields. */
struct record_names {
	uint32_t heads;               /* bits of enum pd_record_head */
	unsigned locations;           /* bits of enum location_part */
};
/* layout NULL: records of unknown types. plan: the tracepoint whose fields are columns, or NULL. False without
 * memory. */
bool pd_record_columns(struct pd_arena *pool, const struct perfdata_layout *layout, const struct trace_plan *plan,
		       struct record_names names, struct selection *ret);

#endif
