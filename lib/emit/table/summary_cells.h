/* SPDX-License-Identifier: MIT */
/* Rows that are complete only after the last record: the recording, its events, features, files, CPUs and findings. */
#ifndef EMIT_SUMMARY_CELLS_H
#define EMIT_SUMMARY_CELLS_H

#include "emit/spell/json_style.h"
#include "emit/table/table_parts.h"

struct summary_source {
	const struct perfdata_reader *reader;
	const struct perfdata_session *session;
	const struct perfdata_emit_end *end;
	const struct value_world *world;
	const struct json_style *style;
};
/* Appends all rows of the table `what`. `columns`: index in the part of each column of the table's pd_table_row_at,
 * UINT32_MAX: left out. False without memory. */
bool pd_summary_cells(const struct summary_source *source, enum table_rows what, const uint32_t *columns,
		      struct open_rows *rows);

#endif
