/* SPDX-License-Identifier: MIT */
/* The tables of traces: `aux_packets`, a row per packet, and `spe_samples`, a row per operation that Arm SPE
 * sampled. */
#ifndef EMIT_CSV_AUX_H
#define EMIT_CSV_AUX_H

#include "emit/csv/csv_table.h"
#include "reader/trace_pieces.h"

/* Appends all rows of a piece, and returns how many. `file`: the recording's name in rows, or NULL. */
uint64_t pd_csv_aux(enum csv_kind kind, const struct pd_aux_piece *piece, const char *file, struct perfdata_text *out);
/* The row of a sample with names: r->delivery is set. */
void pd_csv_aux_sample(const struct pd_spe_row *row, const struct record *r, const char *file,
		       struct perfdata_text *out);

#endif
