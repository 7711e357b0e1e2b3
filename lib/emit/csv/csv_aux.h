/* SPDX-License-Identifier: MIT */
/* The tables of traces: `aux_packets`, a row per packet, and `spe_samples`, a row per operation that Arm SPE
 * sampled. */
#ifndef EMIT_CSV_AUX_H
#define EMIT_CSV_AUX_H

#include "emit/csv/csv_table.h"
#include "auxtrace/aux_pieces.h"

extern const char *const pd_csv_packet_columns[], *const pd_csv_spe_columns[];   /* NULL at the end */

/* Appends all rows of a piece. `file`: the recording's name in rows, or NULL. */
void pd_csv_aux(enum csv_kind kind, const struct pd_aux_piece *piece, const char *file, struct perfdata_text *out);

#endif
