/* SPDX-License-Identifier: MIT */
/* Rows of the tables of traces. `columns`: index in the rows of each column of pd_table_own_columns, UINT32_MAX: left
 * out. */
#ifndef EMIT_AUX_CELLS_H
#define EMIT_AUX_CELLS_H

#include "reader/trace_pieces.h"
#include "emit/values/record.h"
#include "emit/table/table_parts.h"
#include "emit/values/aux_values.h"

/* The value of a column of `aux_packets`. It may borrow from `room`, which each call clears. */
struct value pd_packet_cell(const struct pd_aux_piece *piece, const struct pd_aux_walk *walk, unsigned column,
			    struct perfdata_text *room);
/* Adds a row for each packet of a piece. */
void pd_aux_cells_packets(const struct pd_aux_piece *piece, const uint32_t *columns, struct open_rows *rows,
			  struct perfdata_text *room);
/* Adds a row for an operation; with names if r->delivery is set. */
void pd_aux_cells_sample(const struct pd_spe_row *row, const struct record *r, const uint32_t *columns,
			 struct open_rows *rows);

#endif
