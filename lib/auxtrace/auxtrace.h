/* SPDX-License-Identifier: MIT */
/* Decodes the bytes of traces. perf writes the bytes of a processor's tracer after AUXTRACE records; an AUXTRACE_INFO
 * record names the tracer. This folder decodes these bytes to packets: a kind with a name and fields, the words with
 * the fields, and the line that `perf script -D` prints for the packet. Nothing here reads a file: callers pass the
 * bytes piece by piece. tracers.c lists the tracers, each with a row of functions (struct pd_tracer).
 *
 *   pt_packet.c     Intel Processor Trace    (Intel SDM, volume 3, "Intel Processor Trace")
 *   pt_text.c
 *   spe_packet.c    Arm Statistical Profiling Extension    (Arm ARM, "The Statistical Profiling Extension")
 *   spe_text.c
 *   spe_record.c    joins the packets of one sampled operation
 *   bts_packet.c    Intel Branch Trace Store
 *   ptt_packet.c    HiSilicon PCIe Tune and Trace
 *   dtl_packet.c    Dispatch Trace Log of powerpc
 *   s390_packet.c   CPU measurement sampling of s390
 *   etm_packet.c    Arm CoreSight, ETMv4 and ETE    (Arm, "Embedded Trace Macrocell", "Embedded Trace Extension")
 *   etm_kinds.c
 *   etm_text.c
 *   cs_stream.c     separates the sources in a buffer of CoreSight    (Arm, "CoreSight Architecture")
 *
 * A byte that begins no packet is a packet of kind 0, and the next byte may begin a packet. So each byte is part of
 * exactly one packet, and is read a limited number of times. Buffers of CoreSight hold the packets of several
 * processors in frames, which cs_stream.h reads instead of pd_aux_next. */
#ifndef PD_AUXTRACE_H
#define PD_AUXTRACE_H

#include "perfdata/schema.h"
#include "perfdata/text.h"

/* Values of `type` in AUXTRACE_INFO. */
enum pd_aux_type {
	PD_AUX_INTEL_PT = 1,
	PD_AUX_INTEL_BTS = 2,
	PD_AUX_CORESIGHT = 3,
	PD_AUX_ARM_SPE = 4,
	PD_AUX_S390 = 5,
	PD_AUX_HISI_PTT = 6,
	PD_AUX_VPA_DTL = 7,
};

#define PD_PACKET_WORDS 10

/* How outputs show a field of a packet. */
enum pd_packet_show {
	PD_SHOW_DEC,
	PD_SHOW_SIGNED,
	PD_SHOW_HEX,
	PD_SHOW_FLAG,     /* one bit: true or false */
	PD_SHOW_BRANCHES, /* a bit for each branch, the highest first; the next word has their number: "TNT" */
	PD_SHOW_ATOMS,    /* a bit for each atom, the lowest first; the next word has their number: "EEN" */
	PD_SHOW_NAMES,    /* a set of bits with names */
	PD_SHOW_ENUM,     /* a number with a name */
};
struct pd_packet_field {
	const char *name, *doc;
	uint8_t word, shift, bits;
	uint8_t show;                        /* enum pd_packet_show */
	bool when_sized;                     /* only packets with a payload have the field (PT: addresses) */
	const char *const *names;            /* `nr_names` names for NAMES and ENUM; NULL: no name */
	uint8_t nr_names;
	/* bits of PD_PACKET_HAS: only packets with one of them have the field; 0: all packets */
	uint8_t has;
};
#define PD_PACKET_HAS 4u                     /* index of the word with the bits */
/* A kind of packet. */
struct pd_packet_kind {
	const char *name, *doc;
	const struct pd_packet_field *fields;
	unsigned nr_fields;
	bool has_time;                       /* the first word is a time, in ticks of the trace's clock */
};

struct pd_packet {
	uint8_t kind;                        /* 0: a byte that begins no packet */
	uint32_t size;                       /* bytes of the packet */
	uint32_t line;                       /* bytes in perf's line: the packet, and the padding zeros after it */
	uint64_t words[PD_PACKET_WORDS];
};

/* Converts ticks to perf's time: ns = zero + (ticks * mult >> shift), where mult is not 0. */
struct pd_aux_clock {
	uint64_t zero, mult, shift;
	bool short_time;                     /* ticks lack high bits, which `cycles` and `mask` supply */
	uint64_t cycles, mask;
};

/* What AUXTRACE_INFO, TIME_CONV and the file header say about later traces. */
struct pd_aux_setup {
	const struct pd_tracer *tracer;      /* NULL: no AUXTRACE_INFO so far, or an unknown type */
	struct pd_aux_clock clock;
	uint64_t machine;                    /* s390: machine number */
	bool timeless;                       /* SPE: samples of its events have no time */
	uint64_t midr;                       /* SPE: MIDR, if it is the same for all processors; else 0 */
	struct pd_aux_cpu { uint32_t cpu; uint64_t midr; } *cpus;
	size_t nr_cpus, room_cpus;
};
/* Facts from the file header, without which traces of older recorders cannot be decoded. */
struct pd_aux_header {
	const char *cpuid;                   /* text of the section CPUID; NULL: no such section */
	bool samples_lack_time;              /* samples of the first event have no time */
};

/* The facts about a trace that records before its first byte state. */
struct pd_aux_trace {
	const struct pd_tracer *tracer;      /* NULL: unknown, so that no packets are decoded */
	uint64_t size;                       /* bytes of the payload */
	/* SPE: offset of the payload in the file; alignment packets depend on it */
	uint64_t address;
	uint64_t midr;                       /* SPE: MIDR_EL1 of the processor that wrote it; 0: unknown */
	uint64_t machine;                    /* s390: machine number; 0: unknown */
	/* s390: decoding ends at an entry of unknown kind, as in perf's dump */
	bool stops_at_bad;
};
/* The decoder's state between two packets. All zeros at the beginning of a payload. */
struct pd_aux_state {
	uint64_t at;                         /* offset of the next packet in the payload */
	/* PT: last address, on which compressed ones depend; s390: 1 after a basic entry */
	uint64_t ip;
	/* PT: bytes of an item in the open block, or 0; PTT: bytes of a packet; s390: bytes of basic entries << 16 |
	 * bytes of diagnostic entries */
	uint32_t form;
	bool refused;                        /* the payload is not of this tracer, so it has no packets */
	struct pd_packet described;          /* SPE: packet that perf described last, maybe in an earlier payload */
};

/* Decoders recognize a packet from this many bytes; for s390, from a whole block. */
#define PD_PACKET_REACH 64u
#define PD_S390_BLOCK 4096u

/* The functions of a tracer; NULL: the tracer does not need it. To add a tracer, define such a row in the file of its
 * packets, and list the row in tracers.c. */
struct pd_tracer {
	uint32_t type;                       /* value of enum pd_aux_type */
	const char *name;                    /* perf's name: "intel_pt" */
	const struct pd_packet_kind *kinds;  /* kind 0: a byte that begins no packet */
	unsigned nr_kinds;                   /* 0: packets are not decoded */
	bool has_operations;                 /* an operation is sampled as several packets: struct pd_spe_record */
	bool in_samples;                     /* perf's dump shows traces inside samples (PERF_SAMPLE_AUX) */
	bool has_sources;                    /* several sources share a buffer; cs_stream.h separates them */
	/* Takes the words of AUXTRACE_INFO (`priv`). *setup has the tracer and the clock of an earlier TIME_CONV, if
	 * any. */
	enum perfdata_status (*take_info)(struct pd_aux_setup *setup, const struct perfdata_list *words,
					  const struct pd_aux_header *header);
	/* Reads the first bytes of a payload, before its first packet. */
	void (*begin)(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size);
	/* Decodes the packet at `bytes` without changing state->at. False: no further packet that outputs show. */
	bool (*next)(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		     struct pd_packet *ret);
	/* Writes the line with the size at the beginning of a payload in a dump. */
	void (*header)(const struct pd_aux_trace *trace, const struct pd_aux_state *state, struct perfdata_text *out);
	/* Writes the line of the packet at offset `at` of the payload. */
	void (*line)(const struct pd_aux_trace *trace, const struct pd_aux_state *state, const struct pd_packet *packet,
		     const uint8_t *bytes, uint64_t at, struct perfdata_text *out);
	/* Replaces `next` and `line` if a special loop is faster: see pd_aux_lines. */
	void (*lines)(struct pd_aux_state *state, const uint8_t *bytes, size_t size, uint64_t from, uint64_t stop,
		      struct perfdata_text *out);
	/* Writes perf's description of a packet. */
	void (*text)(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out);
};
/* Returns NULL for unknown types. */
const struct pd_tracer *pd_tracer_of(uint32_t type);
/* The row of each tracer, defined in the file of its packets. */
extern const struct pd_tracer pd_pt_tracer, pd_bts_tracer, pd_coresight_tracer, pd_spe_tracer, pd_s390_tracer,
	pd_ptt_tracer, pd_dtl_tracer;

/* Takes the words of an AUXTRACE_INFO record; resets everything but the clock. */
enum perfdata_status pd_aux_setup_take_info(struct pd_aux_setup *setup, const struct pd_tracer *tracer,
					    const struct perfdata_list *words, const struct pd_aux_header *header);
void pd_aux_setup_release(struct pd_aux_setup *setup);
/* Returns the MIDR of the processor that wrote a buffer; cpu -1: a thread's buffer. 0: unknown. */
uint64_t pd_aux_setup_midr(const struct pd_aux_setup *setup, int32_t cpu);
/* Converts ticks to ns; UINT64_MAX: the recording does not say how ticks relate to time. */
uint64_t pd_aux_time(const struct pd_aux_clock *clock, uint64_t ticks);
/* Reads the number at the beginning of a text, for take_info. */
uint64_t pd_number_in(const char *text, unsigned base);

/* Reads the first bytes of a payload (all of it, or a block of s390), before its first packet. */
void pd_aux_begin(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size);
/* Decodes the packet at `bytes`. size: PD_PACKET_REACH, or the number of remaining bytes if that is smaller, at least
 * one. Moves state->at to the end of the packet's line. False: no further packet that outputs show. */
bool pd_aux_next(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 struct pd_packet *ret);

/* Writes the line with the size at the beginning of a payload in a dump; `state` comes from pd_aux_begin. */
void pd_aux_head(const struct pd_aux_trace *trace, const struct pd_aux_state *state, struct perfdata_text *out);
/* Writes the lines of packets that begin before `stop`. `bytes` is a piece of the payload, from offset `from` on. The
 * text may be cut between lines (perfdata_text_cut). */
void pd_aux_lines(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		  uint64_t from, uint64_t stop, struct perfdata_text *out);
/* Skips packets that begin before `stop`: moves state->at to the next packet. */
void pd_aux_skip(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 uint64_t from, uint64_t stop);
/* Writes perf's description of a packet. */
void pd_packet_text(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out);

/* Returns the value of a field, shifted to bit 0. */
static inline uint64_t pd_packet_value(const struct pd_packet *packet, const struct pd_packet_field *field)
{
	const uint64_t value = packet->words[field->word] >> field->shift;
	return field->bits < 64 ? value & ((1ull << field->bits) - 1) : value;
}
/* Whether this packet has the field. */
static inline bool pd_packet_has(const struct pd_packet *packet, const struct pd_packet_field *field)
{
	return (!field->when_sized || packet->words[1]) && (!field->has || packet->words[PD_PACKET_HAS] & field->has);
}

/* --- spe_record.c --- */

/* The parts of a record of one sampled operation. */
enum pd_spe_part {
	PD_SPE_PC = 1,
	PD_SPE_TARGET = 2,
	PD_SPE_PREVIOUS = 4,
	PD_SPE_VIRTUAL = 8,
	PD_SPE_PHYSICAL = 16,
	PD_SPE_EVENTS = 32,
	PD_SPE_OPERATION = 64,
	PD_SPE_SOURCE = 128,
	PD_SPE_CONTEXT = 256,
	PD_SPE_TIME = 512,
	PD_SPE_TOTAL = 1024,
	PD_SPE_ISSUE = 2048,
	PD_SPE_TRANSLATION = 4096,
};
struct pd_spe_record {
	uint32_t present;                    /* bits of enum pd_spe_part */
	uint64_t from, end;   /* offsets of the first packet, and of the end of the last one, in the payload */
	uint64_t pc, target, previous, virtual_address, physical_address;
	uint64_t events, source, timer;      /* timer: ticks of the generic timer */
	uint64_t operation;                  /* payload of the operation packet */
	uint32_t context;
	uint16_t total, issue, translation;  /* cycles */
	uint8_t op_class;                    /* 0: other, 1: memory, 2: branch */
	uint8_t pc_level;                    /* exception level */
	bool pc_nonsecure;
};
/* Adds a packet to the record. True: it is the last packet, and the record is complete. A byte that begins no packet
 * empties the record. */
bool pd_spe_take(struct pd_spe_record *record, const struct pd_packet *packet, uint64_t at);
/* Returns "load", "store", "branch", "other" or "unknown". */
const char *pd_spe_operation(const struct pd_spe_record *record);
/* Returns names of the event bits in packets; *ret_nr elements, NULL: no name. Only Neoverse N1 has a name for bit
 * 12. */
const char *const *pd_spe_event_names(unsigned *ret_nr);

#endif
