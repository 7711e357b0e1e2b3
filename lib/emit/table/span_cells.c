/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/spell/span_args.h"
#include "emit/table/span_cells.h"
#include "session/session.h"

/* Texts live as long as the session. */
static void value_cell(const struct row_cells *to, unsigned column, const struct value *value)
{
	struct cells *cells = pd_row_cells_of(to, column);
	if (!cells || value->kind == IS_ABSENT)
		return;
	pd_cells_put(cells, to->row, value->kind == IS_TEXT ? pd_cells_name(cells, (const char *)value->text.data)
							    : value->number);
}

static void args_cell(const struct pd_span *span, const struct row_cells *to, const struct span_writing *writing)
{
	struct cells *cells = pd_row_cells_of(to, SPAN_ARGS);
	if (!cells)
		return;
	perfdata_text_clear(writing->room);
	const bool has_fields = pd_span_args_json(writing->room, span, writing->cache, writing->style, NULL);
	cells->failed |= perfdata_text_failed(writing->room);
	if (has_fields)
		pd_row_cells_text(to, SPAN_ARGS, writing->room->data, writing->room->size);
}

void pd_span_cells(const struct perfdata_batch *batch, uint32_t kinds, const uint32_t *columns, struct open_rows *rows,
		   const struct span_writing *writing)
{
	size_t nr;
	const struct pd_span *spans = pd_batch_spans(batch, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (!(kinds >> spans[i].kind & 1))
			continue;
		const struct row_cells to = { columns, rows, rows->rows++ };
		for (unsigned column = 0; pd_span_columns[column].name; column++) {
			if (!pd_row_cells_of(&to, column))
				continue;
			const struct value value = pd_span_value(batch->session, &spans[i], column);
			value_cell(&to, column, &value);
		}
		args_cell(&spans[i], &to, writing);
	}
}

void pd_thread_times_cells(struct thread_times *times, const uint32_t *columns, struct open_rows *rows)
{
	const size_t nr = pd_thread_times_finish(times);
	for (size_t i = 0; i < nr; i++) {
		const struct row_cells to = { columns, rows, rows->rows++ };
		for (unsigned column = 0; pd_thread_time_columns[column].name; column++) {
			const struct value value = pd_thread_time_value(times, i, column);
			value_cell(&to, column, &value);
		}
	}
}
