/* SPDX-License-Identifier: MIT */
/* Buffers of Arm CoreSight: the bytes of several trace sources in frames, or the bytes of one source without frames. A
 * payload is read in cuts: a cut is the data that the recorder took at one time; every source restarts with each
 * cut. */
#ifndef PD_CS_STREAM_H
#define PD_CS_STREAM_H

#include "perfdata/reader.h"
#include "auxtrace/etm_packet.h"

enum pd_cs_protocol { PD_CS_ETMV3, PD_CS_PTM, PD_CS_ETMV4, PD_CS_ETE };

/* A processor's trace unit. */
struct pd_cs_source {
	uint8_t id;                          /* of its bytes in frames; 0x80: not known */
	uint8_t protocol;                    /* enum pd_cs_protocol */
	int32_t cpu;
	uint64_t sink;                       /* where its trace goes; PD_CS_ANY_SINK: unknown */
	struct pd_etm_setup setup;           /* of ETMv4 and ETE */
};
#define PD_CS_ANY_SINK UINT64_MAX
#define PD_CS_NO_ID 0x80u

/* What an AUX record says of a payload: bytes from `from` up to `to`. */
struct pd_cs_cut {
	uint64_t from, to;
	bool raw;                            /* of one source, no frames */
};

/* The position in a payload, with the state of its sources. */
struct pd_cs_stream;

/* The payload of a buffer of `cpu` (-1: of a thread), which begins at `aux_offset` of the AUX area. Cuts are in order,
 * and do not overlap. Free it with free(). NULL: no memory. */
struct pd_cs_stream *pd_cs_stream_new(const struct pd_cs_source *sources, size_t nr_sources, int32_t cpu,
				      uint64_t aux_offset, const struct pd_cs_cut *cuts, size_t nr_cuts);
/* A copy that serves up to the byte `stop`. */
struct pd_cs_stream *pd_cs_stream_copy(const struct pd_cs_stream *stream, uint64_t stop);
/* Goes back to what a copy was when it was made. */
void pd_cs_stream_rewind(struct pd_cs_stream *copy);
/* Whether packets of any source are decoded. */
bool pd_cs_stream_is_decoded(const struct pd_cs_stream *stream);

enum pd_cs_step {
	PD_CS_END,                           /* no more in these bytes */
	PD_CS_CUT,                           /* a cut begins */
	PD_CS_PACKET,
	/* marks between frames say that data is missing: sources restart */
	PD_CS_RESET,
	PD_CS_BAD_SIZE,                      /* the cut is not made of frames */
	PD_CS_BAD_SYNC,                      /* part of a mark between frames; nothing more of the cut is read */
};
/* The next packet or event in the payload. `bytes` holds the payload's `size` bytes from the offset `from` on; the
 * function reads frames and bytes that begin before `stop`; frames reach up to 16 bytes beyond it. *ret_at: where the
 * packet begins. */
enum pd_cs_step pd_cs_next(struct pd_cs_stream *stream, const uint8_t *bytes, size_t size, uint64_t from,
			   uint64_t stop, struct pd_packet *ret, uint64_t *ret_at);

/* --- cs_text.c --- */
struct pd_cs_head { const char *name; uint64_t size, aux_offset; bool raw; };
/* The id of a source from `id` on whose packets are decoded; PD_CS_NO_ID: there is none. */
uint8_t pd_cs_source_from(const struct pd_cs_stream *stream, uint8_t id);
/* Of the cut that is being read. */
struct pd_cs_head pd_cs_head(const struct pd_cs_stream *stream);
/* All lines that perf prints of a piece. */
void pd_cs_lines(struct pd_cs_stream *stream, const uint8_t *bytes, size_t size, uint64_t from, uint64_t stop,
		 struct perfdata_text *out);

/* --- cs_setup.c --- */
/* The words of AUXTRACE_INFO; *ret_sources is to be freed. */
enum perfdata_status pd_cs_sources(const struct perfdata_list *words, struct pd_cs_source **ret_sources,
				   size_t *ret_nr);
/* What an AUX_OUTPUT_HW_ID record on a processor says of its source. `first`: it is the first such record, and the ids
 * of AUXTRACE_INFO count no more. Whether anything changed. */
bool pd_cs_hw_id(struct pd_cs_source *sources, size_t nr, bool first, uint32_t cpu, uint64_t hw_id);

#endif
