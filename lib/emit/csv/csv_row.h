/* SPDX-License-Identifier: MIT */
/* A record as a row of a CSV table. */
#ifndef EMIT_CSV_ROW_H
#define EMIT_CSV_ROW_H

#include "emit/spell/line.h"
#include "emit/values/selection.h"

/* The columns of rows, for the life of a run. */
struct csv_rows {
	const struct selection *columns;
	struct line_kind kind;
};
/* without_chains: leave out a callchain whose stack id is in the row. */
void pd_csv_rows_init(struct csv_rows *rows, const struct selection *columns, bool without_chains);
/* Loads the record, and appends its cells and the line's end. False without memory. */
bool pd_csv_row(struct record *r, const struct csv_rows *rows, const struct perfdata_raw *raw,
		struct perfdata_text *room);

#endif
