/* SPDX-License-Identifier: MIT */
/* Buffers of Arm CoreSight: frames with bytes of several trace sources, or bytes of one source without frames. A
 * payload consists of cuts: a cut is the data that the recorder took at one time, and each source restarts at each
 * cut. */
#ifndef PD_CS_STREAM_H
#define PD_CS_STREAM_H

#include "perfdata/reader.h"
#include "auxtrace/etm_packet.h"

enum pd_cs_protocol { PD_CS_ETMV3, PD_CS_PTM, PD_CS_ETMV4, PD_CS_ETE };

/* A processor's trace unit. */
struct pd_cs_source {
	uint8_t id;                          /* id of its bytes in frames; 0x80: unknown */
	uint8_t protocol;                    /* value of enum pd_cs_protocol */
	int32_t cpu;
	uint64_t sink;                       /* the sink of its trace; PD_CS_ANY_SINK: unknown */
	struct pd_etm_setup setup;           /* registers of an ETMv4 or ETE trace unit */
};
#define PD_CS_ANY_SINK UINT64_MAX
#define PD_CS_NO_ID 0x80u

/* A part of a payload that an AUX record announced: bytes from `from` up to `to`. */
struct pd_cs_cut {
	uint64_t from, to;
	bool raw;                            /* one source, without frames */
};

/* The position in a payload, with the state of its sources. */
struct pd_cs_stream;

/* Makes the stream of the payload of a buffer of `cpu` (-1: of a thread). aux_offset: offset of the payload in the AUX
 * area. Cuts are sorted and do not overlap. Free it with free(). NULL: no memory. */
struct pd_cs_stream *pd_cs_stream_new(const struct pd_cs_source *sources, size_t nr_sources, int32_t cpu,
				      uint64_t aux_offset, const struct pd_cs_cut *cuts, size_t nr_cuts);
/* Copies a stream, to read bytes up to `stop`. */
struct pd_cs_stream *pd_cs_stream_copy(const struct pd_cs_stream *stream, uint64_t stop);
/* Sets a copy back to its state after pd_cs_stream_copy. */
void pd_cs_stream_rewind(struct pd_cs_stream *copy);
/* Whether packets of a source are decoded. */
bool pd_cs_stream_is_decoded(const struct pd_cs_stream *stream);

enum pd_cs_step {
	PD_CS_END,                           /* end of the passed bytes */
	PD_CS_CUT,                           /* beginning of a cut */
	PD_CS_PACKET,
	/* first frame after marks, which mean that data is missing: sources restart */
	PD_CS_RESET,
	PD_CS_BAD_SIZE,                      /* the size of the cut is no multiple of a frame */
	PD_CS_BAD_SYNC,                      /* an incomplete mark between frames; the rest of the cut is not read */
};
/* Finds the next packet or event in the payload. `bytes`: the payload's `size` bytes from offset `from` on. Reads
 * frames and bytes that begin before `stop`; a frame may end up to 16 bytes after it. *ret_at: offset of the packet. */
enum pd_cs_step pd_cs_next(struct pd_cs_stream *stream, const uint8_t *bytes, size_t size, uint64_t from,
			   uint64_t stop, struct pd_packet *ret, uint64_t *ret_at);

/* --- cs_text.c --- */
struct pd_cs_head { const char *name; uint64_t size, aux_offset; bool raw; };
/* Returns the first id from `id` on whose packets are decoded; PD_CS_NO_ID: none. */
uint8_t pd_cs_source_from(const struct pd_cs_stream *stream, uint8_t id);
/* Describes the current cut. */
struct pd_cs_head pd_cs_head(const struct pd_cs_stream *stream);
/* Writes all lines that perf prints for the bytes. */
void pd_cs_lines(struct pd_cs_stream *stream, const uint8_t *bytes, size_t size, uint64_t from, uint64_t stop,
		 struct perfdata_text *out);

/* --- cs_setup.c --- */
/* Reads the sources from the words of AUXTRACE_INFO; the caller frees *ret_sources. */
enum perfdata_status pd_cs_sources(const struct perfdata_list *words, struct pd_cs_source **ret_sources,
				   size_t *ret_nr);
/* Sets the id of a source from the AUX_OUTPUT_HW_ID record of its processor. first: it is the first such record, so ids
 * from AUXTRACE_INFO become invalid. Returns whether anything changed. */
bool pd_cs_hw_id(struct pd_cs_source *sources, size_t nr, bool first, uint32_t cpu, uint64_t hw_id);

#endif
