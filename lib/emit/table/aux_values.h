/* SPDX-License-Identifier: MIT */
/* Cells of the rows of traces, for JSON, CSV and tables alike: by the columns of `aux_packets` and `spe_samples`, whose
 * types say whether a value is text or a number. */
#ifndef EMIT_AUX_VALUES_H
#define EMIT_AUX_VALUES_H

#include "reader/trace_pieces.h"
#include "emit/model/locations.h"
#include "emit/table/table_rows.h"

struct aux_value { struct perfdata_bytes text; uint64_t number; };

/* Where a row of either table stands. */
struct aux_place {
	const char *trace;
	uint64_t payload_offset, aux_offset; /* of the payload; PERFDATA_NO_OFFSET */
	uint64_t at, size;                   /* in it */
	int32_t cpu, tid;
};
struct aux_place pd_aux_place_of_packet(const struct pd_aux_piece *piece, uint64_t at, uint64_t size);
struct aux_place pd_aux_place_of_sample(const struct pd_spe_row *row);
/* A column up to AUX_SIZE. False: there is none. */
bool pd_aux_place_value(const struct aux_place *place, unsigned column, struct aux_value *ret);

/* What is known of a sample's thread and addresses. */
struct spe_names {
	int32_t pid, tid;
	const char *comm;              /* or NULL */
	struct location pc, target;
};
void pd_spe_names_load(const struct emitted_names *world, const struct pd_spe_row *row,
		       const struct perfdata_delivery *delivery, struct spe_names *ret);
/* A column of `spe_samples`, but SPE_EVENTS. `names` may be NULL. False: there is none. */
bool pd_spe_value(const struct pd_spe_row *row, const struct spe_names *names, unsigned column, struct aux_value *ret);
/* What perf prints of a packet; where perf has no single line for it, the fields. */
void pd_aux_describe(const struct pd_aux_trace *trace, const struct pd_packet_kind *kind,
		     const struct pd_packet *packet, struct perfdata_text *out);
/* A bit by its name in the list; one without is "bit 13". */
#define AUX_BIT_NAME 16
const char *pd_aux_bit_name(const char *const *list, unsigned nr, unsigned bit, char room[AUX_BIT_NAME]);

#endif
