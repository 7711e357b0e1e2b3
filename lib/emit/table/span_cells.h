/* SPDX-License-Identifier: MIT */
/* Rows of spans, and of the time that threads spent in each state. */
#ifndef EMIT_SPAN_CELLS_H
#define EMIT_SPAN_CELLS_H

#include "emit/spell/json_style.h"
#include "emit/table/row_cells.h"
#include "emit/values/span_values.h"

/* What cells with JSON need. */
struct span_writing {
	struct record_cache *cache;    /* the thread's */
	const struct json_style *style;
	struct perfdata_text *room;
};
/* Adds a row for each span of the batch with one of these kinds. */
void pd_span_cells(const struct perfdata_batch *batch, uint32_t kinds, const uint32_t *columns, struct open_rows *rows,
		   const struct span_writing *writing);
void pd_thread_times_cells(struct thread_times *times, const uint32_t *columns, struct open_rows *rows);

#endif
