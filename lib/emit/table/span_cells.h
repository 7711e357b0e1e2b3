/* SPDX-License-Identifier: MIT */
/* Rows of spans, and of what threads did with their time. */
#ifndef EMIT_SPAN_CELLS_H
#define EMIT_SPAN_CELLS_H

#include "emit/spell/json_style.h"
#include "emit/table/row_cells.h"
#include "emit/values/span_values.h"

/* What cells with JSON are written with. */
struct span_writing {
	struct record_cache *cache;    /* of the thread */
	const struct json_style *style;
	struct perfdata_text *room;
};
/* The batch's spans, but for those that only another table needs. */
void pd_span_cells(const struct perfdata_batch *batch, uint32_t kinds, const uint32_t *columns, struct open_rows *rows,
		   const struct span_writing *writing);
void pd_thread_times_cells(struct thread_times *times, const uint32_t *columns, struct open_rows *rows);

#endif
