/* SPDX-License-Identifier: MIT */
/* Rows of the tables of traces. `columns`: where each column of pd_table_own_columns is in the rows, UINT32_MAX:
 * nowhere. */
#ifndef EMIT_AUX_CELLS_H
#define EMIT_AUX_CELLS_H

#include "reader/trace_pieces.h"
#include "emit/values/record.h"
#include "emit/table/table_parts.h"
#include "emit/values/aux_values.h"

/* A column of `aux_packets`; texts are made in `room`, which is cleared for each. */
struct value pd_packet_cell(const struct pd_aux_piece *piece, const struct pd_aux_walk *walk, unsigned column,
			    struct perfdata_text *room);
/* All packets of a piece. */
void pd_aux_cells_packets(const struct pd_aux_piece *piece, const uint32_t *columns, struct open_rows *rows,
			  struct perfdata_text *room);
/* An operation; with names where r->delivery is set. */
void pd_aux_cells_sample(const struct pd_spe_row *row, const struct record *r, const uint32_t *columns,
			 struct open_rows *rows);

#endif
