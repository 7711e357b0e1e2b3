/* SPDX-License-Identifier: MIT */
/* Payloads of traces, piece by piece. pd_aux_scan goes over the pieces in order, and finds where each one's packets
 * begin and the decoder's state there. Then any thread can decode any piece by itself. */
#ifndef PD_TRACE_PIECES_H
#define PD_TRACE_PIECES_H

#include "perfdata/reader.h"
#include "auxtrace/cs_cuts.h"

/* A piece of a payload, and the state needed to decode it. */
struct pd_aux_piece {
	const struct perfdata_raw *raw;      /* the record with its bytes */
	struct pd_aux_trace trace;
	struct pd_aux_clock clock;
	struct pd_aux_state state;           /* the decoder's state before the first packet */
	/* offsets in the payload: of the piece's first byte, and where packets of the next piece begin */
	uint64_t from, stop;
	/* offset of the payload in the input; PERFDATA_NO_OFFSET if it is compressed */
	uint64_t payload_offset;
	uint64_t aux_offset;                 /* offset of the payload in the AUX area */
	int32_t tid, cpu;                    /* thread and CPU of the buffer; -1: none */
	uint32_t idx;
	bool first;                          /* it is the first piece of its payload */
	struct pd_spe_record open;           /* SPE: the record that the piece before left unfinished */
	struct pd_cs_stream *cs;             /* CoreSight: the state before the piece; else NULL */
};

/* The state that passes from one piece to the next; {0} at the start. */
struct pd_aux_carry {
	struct pd_aux_setup setup;
	struct pd_aux_piece next;            /* the next piece of the payload being read */
	struct pd_cs_stream *cs;             /* CoreSight: the stream of that payload; else NULL */
	bool dump;                           /* decode packets as perf's dump does */
	bool records;                        /* SPE records are wanted */
	bool only_records;                   /* only SPE records are wanted */
};
void pd_aux_carry_release(struct pd_aux_carry *carry);
/* Whether packets of the payload that is being read are decoded. */
bool pd_aux_carry_is_decoded(const struct pd_aux_carry *carry);

/* The pieces of a batch, in order. */
struct pd_aux_pieces {
	const struct pd_tracer *tracer_before; /* the tracer known before the batch */
	struct pd_aux_piece *list;
	size_t nr, room;
};
void pd_aux_pieces_release(struct pd_aux_pieces *pieces);

/* Call it for every record, in the order of the file. */
enum perfdata_status pd_aux_scan(struct pd_aux_carry *carry, const struct perfdata_reader *reader,
				 const struct perfdata_raw *raw, struct pd_aux_pieces *pieces);

/* The piece of a record that has PERFDATA_RAW_PAYLOAD: *at is 0 for the first record, and kept for the next one. NULL:
 * pd_aux_scan has not seen the record. */
const struct pd_aux_piece *pd_aux_piece_of(const struct pd_aux_pieces *pieces, const struct perfdata_raw *raw,
					   size_t *at);

/* Writes the lines that perf prints for a piece. */
void pd_aux_piece_lines(const struct pd_aux_piece *piece, struct perfdata_text *out);

/* The packets of a piece, one after the other, and the operations of Arm SPE that they make up. */
struct pd_aux_walk {
	const struct pd_aux_piece *piece;
	const struct pd_packet_kind *kinds, *kind;   /* NULL: packets of this trace are not decoded */
	struct pd_aux_state state;
	struct pd_packet packet;
	uint64_t at;                         /* offset of the packet in the payload */
	struct pd_spe_record record;
	bool record_is_whole;                /* the packet was the record's last one */
	bool record_is_cut;                  /* the bytes here are no packet, so the record has no end */
};
/* Only one caller at a time may walk over a piece of CoreSight. */
void pd_aux_walk_begin(struct pd_aux_walk *walk, const struct pd_aux_piece *piece);
bool pd_aux_walk_next(struct pd_aux_walk *walk);
/* The packet's time in ns; UINT64_MAX: it has none, or the recording does not say how ticks relate to time. */
uint64_t pd_aux_packet_time(const struct pd_aux_walk *walk);

/* One operation that Arm SPE sampled, and its place: a row of outputs. */
struct pd_spe_row {
	/* rows fill whole words of 8 bytes on every machine */
	_Alignas(8) struct pd_spe_record record;
	uint64_t payload_offset, aux_offset;   /* as in struct pd_aux_piece */
	uint64_t time;                       /* UINT64_MAX: not known */
	int32_t cpu, tid;                    /* CPU and thread of the buffer; -1: none */
};
void pd_spe_row_of_piece(const struct pd_aux_piece *piece, const struct pd_spe_record *record, struct pd_spe_row *ret);
/* Samples of the event `spe_sample` (PERFDATA_TRACE_OPERATIONS) end with a row. False: the record is no such sample. */
bool pd_spe_row_of_sample(const struct perfdata_raw *raw, struct pd_spe_row *ret);

/* The parts of a CoreSight payload (trace_parts.c): readers that return payloads know them, since they meet records in
 * the order of the file. *ret is NULL where the payload after the AUXTRACE record of that number is not CoreSight's. */
enum perfdata_status pd_cs_payload_stream(const struct perfdata_reader *reader, uint64_t number,
					  const struct perfdata_auxtrace *auxtrace, struct pd_cs_stream **ret);

#endif
