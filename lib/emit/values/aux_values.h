/* SPDX-License-Identifier: MIT */
/* Rows of traces for JSON, CSV and tables: the columns of `aux_packets` and `spe_samples`, and their values. */
#ifndef EMIT_AUX_VALUES_H
#define EMIT_AUX_VALUES_H

#include "reader/trace_pieces.h"
#include "emit/values/locations.h"
#include "emit/values/column_type.h"
#include "emit/values/value.h"

/* End with name NULL. */
extern const struct table_column pd_packet_columns[], pd_spe_columns[];

/* Columns of both tables: the place of the row. */
enum { AUX_OFFSET, AUX_TRACE, AUX_CPU, AUX_BUFFER_TID, AUX_AUX_OFFSET, AUX_SIZE, AUX_PLACE_COLUMNS };
enum {
	PACKETS_PADDING = AUX_PLACE_COLUMNS,
	PACKETS_PACKET,
	PACKETS_TIME,
	PACKETS_PAYLOAD,
	PACKETS_TEXT,
	PACKETS_FIELDS
};
enum {
	SPE_TIME = AUX_PLACE_COLUMNS,
	SPE_TIMER,
	SPE_CONTEXT,
	SPE_PC,
	SPE_LEVEL,
	SPE_OPERATION,
	SPE_OPERATION_RAW,
	SPE_EVENTS,
	SPE_TARGET,
	SPE_PREVIOUS,
	SPE_VIRTUAL,
	SPE_PHYSICAL,
	SPE_SOURCE,
	SPE_TOTAL,
	SPE_ISSUE,
	SPE_TRANSLATION,
	/* these columns need names */
	SPE_PID,
	SPE_TID,
	SPE_COMM,
	SPE_PC_DSO,                   /* its symbol, and the offset in the symbol */
	SPE_TARGET_DSO = SPE_PC_DSO + 3,
	SPE_COLUMNS = SPE_TARGET_DSO + 3
};

/* The place of a row of either table. */
struct aux_place {
	const char *trace;
	uint64_t payload_offset, aux_offset; /* offset of the payload, offset in it; PERFDATA_NO_OFFSET */
	uint64_t at, size;                   /* in it */
	int32_t cpu, tid;
};
struct aux_place pd_aux_place_of_packet(const struct pd_aux_piece *piece, uint64_t at, uint64_t size);
struct aux_place pd_aux_place_of_sample(const struct pd_spe_row *row);
/* The value of a column up to AUX_SIZE. */
struct value pd_aux_place_value(const struct aux_place *place, unsigned column);
/* The value of a column of `aux_packets`; not for PACKETS_TEXT and PACKETS_FIELDS, which have to be formatted. */
struct value pd_packet_row_value(const struct pd_aux_piece *piece, const struct pd_aux_walk *walk, unsigned column);

/* Thread and addresses of a sample. */
struct spe_names {
	int32_t pid, tid;
	const char *comm;              /* or NULL */
	struct location pc, target;
};
void pd_spe_names_load(const struct emitted_names *world, const struct pd_spe_row *row,
		       const struct perfdata_delivery *delivery, struct spe_names *ret);
/* The value of a column of `spe_samples`. `names` may be NULL. */
struct value pd_spe_value(const struct pd_spe_row *row, const struct spe_names *names, unsigned column);
/* Appends what perf prints for a packet, or the fields if perf prints several lines. */
void pd_aux_describe(const struct pd_aux_trace *trace, const struct pd_packet_kind *kind,
		     const struct pd_packet *packet, struct perfdata_text *out);
/* The name of a bit in the list; "bit 13" if it has none. */
#define AUX_BIT_NAME 16
const char *pd_aux_bit_name(const char *const *list, unsigned nr, unsigned bit, char room[AUX_BIT_NAME]);

#endif
