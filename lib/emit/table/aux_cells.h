/* SPDX-License-Identifier: MIT */
/* Rows of the tables of traces. `columns`: where each column of pd_table_own_columns is in the rows, UINT32_MAX:
 * nowhere. */
#ifndef EMIT_AUX_CELLS_H
#define EMIT_AUX_CELLS_H

#include "reader/trace_pieces.h"
#include "emit/model/record.h"
#include "emit/table/table_parts.h"

/* All packets of a piece. */
void pd_aux_cells_packets(const struct pd_aux_piece *piece, const uint32_t *columns, struct open_rows *rows,
			  struct perfdata_text *room);
/* An operation; with names where r->delivery is set. */
void pd_aux_cells_sample(const struct pd_spe_row *row, const struct record *r, const uint32_t *columns,
			 struct open_rows *rows);

#endif
