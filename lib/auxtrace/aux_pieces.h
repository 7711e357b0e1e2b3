/* SPDX-License-Identifier: MIT */
/* Payloads of traces, piece by piece. pd_aux_scan sees the pieces in order, and finds out where the packets of each
 * begin and the decoder's state there; then any thread can work on each piece by itself. */
#ifndef PD_AUX_PIECES_H
#define PD_AUX_PIECES_H

#include "perfdata/reader.h"
#include "auxtrace/auxtrace.h"
#include "auxtrace/cs_cuts.h"

/* From the trace's clock to perf's: ns = zero + (ticks * mult >> shift), where mult is not 0. */
struct pd_aux_clock {
	uint64_t zero, mult, shift;
	bool short_time;                     /* ticks lack high bits, which cycles and mask complete */
	uint64_t cycles, mask;
};

/* What AUXTRACE_INFO and TIME_CONV tell of a tracer. */
struct pd_aux_tracer {
	uint32_t type;                       /* enum pd_aux_type; 0: not known (yet) */
	struct pd_aux_clock clock;
	uint64_t machine;                    /* s390 */
	bool timeless;                       /* SPE: samples of its events have no times */
	uint64_t midr;                       /* SPE: of all processors, where it is the same for all; else 0 */
	struct pd_aux_cpu { uint32_t cpu; uint64_t midr; } *cpus;
	size_t nr_cpus, room_cpus;
};

/* A piece, and how to read it. */
struct pd_aux_piece {
	const struct perfdata_raw *raw;      /* its bytes */
	struct pd_aux_trace trace;
	struct pd_aux_clock clock;
	struct pd_aux_state state;           /* in front of its first packet */
	/* offsets in the payload: of the piece's first byte, and where packets of the next piece begin */
	uint64_t from, stop;
	/* of the payload in the input; PERFDATA_NO_OFFSET inside COMPRESSED records */
	uint64_t payload_offset;
	uint64_t aux_offset;                 /* of the payload in the AUX area */
	int32_t tid, cpu;                    /* of the buffer; -1 for none */
	uint32_t idx;
	bool first;                          /* the first of its payload */
	struct pd_spe_record open;           /* SPE: the record that the piece before left unfinished */
	struct pd_cs_stream *cs;             /* CoreSight: what is known in front of the piece; else NULL */
};

/* What is carried from piece to piece. {0} at first. */
struct pd_aux_carry {
	struct pd_aux_tracer tracer;
	struct pd_aux_piece next;            /* of the payload that is being read */
	struct pd_cs_stream *cs;             /* CoreSight: of that payload; else NULL */
	bool dump;                           /* decode packets as perf's dump does */
	bool records;                        /* SPE records are wanted */
	bool only_records;                   /* and nothing else */
};
void pd_aux_carry_release(struct pd_aux_carry *carry);
/* Whether packets of the payload that is being read are decoded. */
bool pd_aux_carry_is_decoded(const struct pd_aux_carry *carry);

/* The pieces of a batch, in order. */
struct pd_aux_pieces {
	uint32_t type_before;                /* of the tracer that was known before the batch */
	struct pd_aux_piece *list;
	size_t nr, room;
};
void pd_aux_pieces_release(struct pd_aux_pieces *pieces);

/* To be called for every record, in the order of the file. */
enum perfdata_status pd_aux_scan(struct pd_aux_carry *carry, const struct perfdata_reader *reader,
				 const struct perfdata_raw *raw, struct pd_aux_pieces *pieces);

/* The piece of a record that has PERFDATA_RAW_PAYLOAD: *at goes from piece to piece. NULL: scan has not seen it. */
const struct pd_aux_piece *pd_aux_piece_of(const struct pd_aux_pieces *pieces, const struct perfdata_raw *raw,
					   size_t *at);

/* What perf prints of a piece. */
void pd_aux_piece_lines(const struct pd_aux_piece *piece, struct perfdata_text *out);

/* The packets of a piece, one after the other, and the operations of Arm SPE that they make up. */
struct pd_aux_walk {
	const struct pd_aux_piece *piece;
	const struct pd_packet_kind *kinds, *kind;   /* NULL: packets of this trace are not decoded */
	struct pd_aux_state state;
	struct pd_packet packet;
	uint64_t at;                         /* of the packet, in the payload */
	struct pd_spe_record record;
	bool record_is_whole;                /* the packet was the record's last one */
	bool record_is_cut;                  /* these bytes are no packet: the record stays unfinished */
};
/* A piece of CoreSight is walked over by one caller at a time. */
void pd_aux_walk_begin(struct pd_aux_walk *walk, const struct pd_aux_piece *piece);
bool pd_aux_walk_next(struct pd_aux_walk *walk);
/* The packet's time in ns; UINT64_MAX: it has none, or nothing tells how ticks relate to time. */
uint64_t pd_aux_packet_time(const struct pd_aux_walk *walk);

/* One operation that Arm SPE sampled, and where it stands: what a row of outputs is made of. */
struct pd_spe_row {
	struct pd_spe_record record;
	uint64_t payload_offset, aux_offset;   /* of the payload, as in the piece */
	uint64_t time;                       /* UINT64_MAX: not known */
	int32_t cpu, tid;                    /* of the buffer; -1 for none */
};
void pd_spe_row_of_piece(const struct pd_aux_piece *piece, const struct pd_spe_record *record, struct pd_spe_row *ret);
/* Samples of the event `spe_sample` (PERFDATA_TRACE_OPERATIONS) end with a row. False: another record. */
bool pd_spe_row_of_sample(const struct perfdata_raw *raw, struct pd_spe_row *ret);

/* The ns of a clock's ticks; UINT64_MAX where nothing tells how ticks relate to time. */
uint64_t pd_aux_time(const struct pd_aux_clock *clock, uint64_t ticks);
/* `type` of an AUXTRACE_INFO record. */
uint32_t pd_aux_type_of(const struct perfdata_raw *raw, const struct perfdata_config *config);

#endif
