/* SPDX-License-Identifier: MIT */
/* Rows of spans, and of what threads did with their time. */
#ifndef EMIT_SPAN_CELLS_H
#define EMIT_SPAN_CELLS_H

#include "emit/spell/json_style.h"
#include "emit/table/row_cells.h"
#include "perfdata/session.h"

extern const struct table_column pd_span_columns[], pd_thread_time_columns[];

/* Kinds of spans that the tables in a list need: bits 1 << enum perfdata_span_kind. */
uint32_t pd_span_kinds_of(bool spans, bool with_runs, bool threads_time);
/* What cells with JSON are written with. */
struct span_writing {
	struct record_cache *cache;    /* of the thread */
	const struct json_style *style;
	struct perfdata_text *room;
};
/* The batch's spans, but for those that only another table needs. */
void pd_span_cells(const struct perfdata_batch *batch, uint32_t kinds, const uint32_t *columns, struct open_rows *rows,
		   const struct span_writing *writing);

/* Sums by thread, which grow batch after batch. */
struct thread_times;
struct thread_times *pd_thread_times_new(const struct perfdata_session *session);   /* NULL without memory */
void pd_thread_times_free(struct thread_times *times);
bool pd_thread_times_add(struct thread_times *times, const struct perfdata_batch *batch);   /* false without memory */
/* One row for each thread, by pid and tid. */
void pd_thread_times_cells(struct thread_times *times, const uint32_t *columns, struct open_rows *rows);

#endif
