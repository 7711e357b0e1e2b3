/* SPDX-License-Identifier: MIT */
/* What the bytes of a trace mean. perf puts the bytes that a processor's tracer wrote after AUXTRACE records, and an
 * AUXTRACE_INFO record says which tracer wrote them. Here those bytes become packets: a kind with a name and fields,
 * the words that hold the fields, and the line in which `perf script -D` prints the packet. Nothing here reads a file:
 * callers hand over the bytes piece by piece. tracers.c lists the tracers, a row of functions each (struct pd_tracer).
 *
 *   pt_packet.c     Intel Processor Trace    (Intel SDM, volume 3, "Intel Processor Trace")
 *   pt_text.c
 *   spe_packet.c    Arm Statistical Profiling Extension    (Arm ARM, "The Statistical Profiling Extension")
 *   spe_text.c
 *   spe_record.c    the packets of one sampled operation as one record
 *   bts_packet.c    Intel Branch Trace Store
 *   ptt_packet.c    HiSilicon PCIe Tune and Trace
 *   dtl_packet.c    Dispatch Trace Log of powerpc
 *   s390_packet.c   CPU measurement sampling of s390
 *   etm_packet.c    Arm CoreSight, ETMv4 and ETE    (Arm, "Embedded Trace Macrocell", "Embedded Trace Extension")
 *   etm_kinds.c
 *   etm_text.c
 *   cs_stream.c     the sources that share one buffer of CoreSight (Arm, "CoreSight Architecture")
 *
 * A byte that begins no packet becomes a packet of kind 0 and one byte, and the next byte may begin a packet: so every
 * byte is read a bounded number of times, and is part of exactly one packet. Buffers of CoreSight hold the packets of
 * several processors in frames: cs_stream.h reads them, not pd_aux_next. */
#ifndef PD_AUXTRACE_H
#define PD_AUXTRACE_H

#include "perfdata/schema.h"
#include "perfdata/text.h"

/* `type` of AUXTRACE_INFO */
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

/* How a field of a packet is shown. */
enum pd_packet_show {
	PD_SHOW_DEC,
	PD_SHOW_SIGNED,
	PD_SHOW_HEX,
	PD_SHOW_FLAG,     /* one bit: true or false */
	PD_SHOW_BRANCHES, /* a bit for each branch, the first one highest; their number is in the next word: "TNT" */
	PD_SHOW_ATOMS,    /* a bit for each atom, the first one lowest; their number is in the next word: "EEN" */
	PD_SHOW_NAMES,    /* bits by name */
	PD_SHOW_ENUM,     /* a number by name */
};
struct pd_packet_field {
	const char *name, *doc;
	uint8_t word, shift, bits;
	uint8_t show;                        /* enum pd_packet_show */
	bool when_sized;                     /* only in packets that have a payload (PT: addresses) */
	const char *const *names;            /* of NAMES and ENUM, `nr_names` elements; NULL: no name */
	uint8_t nr_names;
	/* only in packets that have one of these bits in PD_PACKET_HAS; 0: in all */
	uint8_t has;
};
#define PD_PACKET_HAS 4u                     /* a word */
/* A kind of packet. */
struct pd_packet_kind {
	const char *name, *doc;
	const struct pd_packet_field *fields;
	unsigned nr_fields;
	bool has_time;                       /* the first word counts ticks of the trace's clock */
};

struct pd_packet {
	uint8_t kind;                        /* 0: bytes that are no packet */
	uint32_t size;                       /* bytes of it */
	uint32_t line;                       /* bytes in perf's line: the packet, and zeros that fill the line */
	uint64_t words[PD_PACKET_WORDS];
};

/* From the trace's clock to perf's: ns = zero + (ticks * mult >> shift), where mult is not 0. */
struct pd_aux_clock {
	uint64_t zero, mult, shift;
	bool short_time;                     /* ticks lack high bits, which cycles and mask complete */
	uint64_t cycles, mask;
};

/* What AUXTRACE_INFO, TIME_CONV and the header say of the traces that follow. */
struct pd_aux_setup {
	const struct pd_tracer *tracer;      /* NULL: no AUXTRACE_INFO yet, or an unknown type */
	struct pd_aux_clock clock;
	uint64_t machine;                    /* s390 */
	bool timeless;                       /* SPE: samples of its events have no times */
	uint64_t midr;                       /* SPE: of all processors, where it is the same for all; else 0 */
	struct pd_aux_cpu { uint32_t cpu; uint64_t midr; } *cpus;
	size_t nr_cpus, room_cpus;
};
/* Facts of the recording's header. Traces of older recorders cannot be decoded without them. */
struct pd_aux_header {
	const char *cpuid;                   /* the section CPUID; NULL: there is none */
	bool samples_lack_time;              /* samples of the first event have no times */
};

/* The facts about a trace from records before its first byte. */
struct pd_aux_trace {
	const struct pd_tracer *tracer;      /* NULL: unknown; there are no packets */
	uint64_t size;                       /* bytes of the payload */
	/* SPE: offset of the payload in the file, for packets that align the next packet */
	uint64_t address;
	uint64_t midr;                       /* SPE: which processor wrote it (MIDR_EL1), 0: unknown */
	uint64_t machine;                    /* s390: its number, 0: unknown */
	/* s390: an entry of unknown kind ends the packets, as in perf's dump */
	bool stops_at_bad;
};
/* The decoder's state between two packets. All zero at the beginning of a payload. */
struct pd_aux_state {
	uint64_t at;                         /* where the next packet begins in the payload */
	/* PT: the last address, which completes compressed ones; s390: 1 after a basic entry */
	uint64_t ip;
	/* PT: bytes of an item of the block that is open, or 0; PTT: bytes of a packet; s390: bytes of basic entries
	 * << 16 | those of diagnostic entries */
	uint32_t form;
	bool refused;                        /* the payload is not what its tracer writes: there are no packets */
	struct pd_packet described;          /* SPE: the packet that perf described last, maybe in an earlier payload */
};

/* Decoders need at most so many bytes to recognize a packet; the decoder of s390 needs a whole block. */
#define PD_PACKET_REACH 64u
#define PD_S390_BLOCK 4096u

/* All that is particular to one tracer. A function that a tracer does not need is NULL. Another tracer: a row like
 * this in the file of its packets, named in tracers.c. */
struct pd_tracer {
	uint32_t type;                       /* enum pd_aux_type */
	const char *name;                    /* perf's name: "intel_pt" */
	const struct pd_packet_kind *kinds;  /* kind 0: bytes that are no packet */
	unsigned nr_kinds;                   /* 0: packets are not decoded */
	bool has_operations;                 /* several packets form the record of a sampled operation: struct
					      * pd_spe_record */
	bool in_samples;                     /* perf's dump shows traces that samples hold (PERF_SAMPLE_AUX) */
	bool has_sources;                    /* several sources share a buffer, which cs_stream.h takes apart */
	/* `setup` is zeroed but for the tracer and the clock of an earlier TIME_CONV. `words`: `priv` of the record. */
	enum perfdata_status (*take_info)(struct pd_aux_setup *setup, const struct perfdata_list *words,
					  const struct pd_aux_header *header);
	/* Looks at the first bytes of a payload, before its first packet. */
	void (*begin)(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size);
	/* The packet at `bytes`; leaves state->at alone. False: no packet is left that an output would show. */
	bool (*next)(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		     struct pd_packet *ret);
	/* The line with the size, which begins a payload in a dump. */
	void (*header)(const struct pd_aux_trace *trace, const struct pd_aux_state *state, struct perfdata_text *out);
	/* The line of one packet, which is at offset `at` of the payload. */
	void (*line)(const struct pd_aux_trace *trace, const struct pd_aux_state *state, const struct pd_packet *packet,
		     const uint8_t *bytes, uint64_t at, struct perfdata_text *out);
	/* In place of `next` and `line` where a loop of its own is faster: see pd_aux_lines. */
	void (*lines)(struct pd_aux_state *state, const uint8_t *bytes, size_t size, uint64_t from, uint64_t stop,
		      struct perfdata_text *out);
	/* perf's description of one packet. */
	void (*text)(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out);
};
/* NULL for unknown types. */
const struct pd_tracer *pd_tracer_of(uint32_t type);
/* The rows, each beside the packets of its tracer. */
extern const struct pd_tracer pd_pt_tracer, pd_bts_tracer, pd_coresight_tracer, pd_spe_tracer, pd_s390_tracer,
	pd_ptt_tracer, pd_dtl_tracer;

/* AUXTRACE_INFO: resets all but the clock, and takes its words. */
enum perfdata_status pd_aux_setup_take_info(struct pd_aux_setup *setup, const struct pd_tracer *tracer,
					    const struct perfdata_list *words, const struct pd_aux_header *header);
void pd_aux_setup_release(struct pd_aux_setup *setup);
/* The MIDR of the processor that wrote a buffer; cpu -1: a thread's buffer. 0: unknown. */
uint64_t pd_aux_setup_midr(const struct pd_aux_setup *setup, int32_t cpu);
/* The ns of a clock's ticks; UINT64_MAX where the recording does not say how ticks relate to time. */
uint64_t pd_aux_time(const struct pd_aux_clock *clock, uint64_t ticks);
/* The number that a text begins with, for take_info. */
uint64_t pd_number_in(const char *text, unsigned base);

/* Reads the first bytes of a payload (the whole payload, or a block of s390), before its first packet. */
void pd_aux_begin(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size);
/* The packet at `bytes`; `size` (at least one) is PD_PACKET_REACH, or the number of remaining bytes if smaller. Moves
 * state->at to the end of the packet's line. False: no packet is left that an output would show. */
bool pd_aux_next(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 struct pd_packet *ret);

/* The line with the size, which begins a payload in a dump; `state` as pd_aux_begin left it. */
void pd_aux_head(const struct pd_aux_trace *trace, const struct pd_aux_state *state, struct perfdata_text *out);
/* The lines of the packets that begin before `stop`, of a piece of a payload which `bytes` hold from offset `from` on.
 * Between lines the text may be cut (perfdata_text_cut). */
void pd_aux_lines(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		  uint64_t from, uint64_t stop, struct perfdata_text *out);
/* The same without lines: state->at is where the next packet begins. */
void pd_aux_skip(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 uint64_t from, uint64_t stop);
/* perf's description of one packet. */
void pd_packet_text(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out);

/* The value of a field, shifted down. */
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

/* Parts that the record of one sampled operation may have. */
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
	uint32_t present;                    /* enum pd_spe_part */
	uint64_t from, end;                  /* in the payload: of the first packet; the end of the last one */
	uint64_t pc, target, previous, virtual_address, physical_address;
	uint64_t events, source, timer;      /* `timer` counts as the generic timer does */
	uint64_t operation;                  /* payload of the operation */
	uint32_t context;
	uint16_t total, issue, translation;  /* cycles */
	uint8_t op_class;                    /* 0: other, 1: memory, 2: branch */
	uint8_t pc_level;                    /* exception level */
	bool pc_nonsecure;
};
/* Takes a packet into the record. True: the packet is the last one, and the record is whole. Bytes that are no packet
 * empty the record. */
bool pd_spe_take(struct pd_spe_record *record, const struct pd_packet *packet, uint64_t at);
/* "load", "store", "branch", "other", "unknown" */
const char *pd_spe_operation(const struct pd_spe_record *record);
/* Names of the event bits, as in packets; *ret_nr elements, NULL where a bit has no name. Bit 12 has one on Neoverse N1
 * only. */
const char *const *pd_spe_event_names(unsigned *ret_nr);

#endif
