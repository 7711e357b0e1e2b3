/* SPDX-License-Identifier: MIT */
/* Packets of Arm's instruction traces ETMv4 and ETE. The decoder takes single bytes, since a buffer may mix the bytes
 * of several processors. */
#ifndef PD_ETM_PACKET_H
#define PD_ETM_PACKET_H

#include "auxtrace/auxtrace.h"

enum pd_etm_kind {
	PD_ETM_RESERVED,
	PD_ETM_RESERVED_CFG,
	PD_ETM_BAD_SEQUENCE,
	PD_ETM_NOT_SYNC,
	PD_ETM_EXTENSION,                    /* not a kind of its own: a packet of an unknown sequence began so */
	PD_ETM_ASYNC,
	PD_ETM_DISCARD,
	PD_ETM_OVERFLOW,
	PD_ETM_TRACE_INFO,
	PD_ETM_TIMESTAMP,
	PD_ETM_TRACE_ON,
	PD_ETM_EXCEPT,
	PD_ETM_EXCEPT_RTN,
	PD_ETM_ITE,
	PD_ETM_TRANS_ST,
	PD_ETM_TRANS_COMMIT,
	PD_ETM_TRANS_FAIL,
	PD_ETM_PE_RESET,
	PD_ETM_CCNT_F1,
	PD_ETM_CCNT_F2,
	PD_ETM_CCNT_F3,
	PD_ETM_NUM_DS_MKR,
	PD_ETM_UNNUM_DS_MKR,
	PD_ETM_COMMIT,
	PD_ETM_CANCEL_F1,
	PD_ETM_CANCEL_F1_MISPRED,
	PD_ETM_MISPREDICT,
	PD_ETM_CANCEL_F2,
	PD_ETM_CANCEL_F3,
	PD_ETM_COND_I_F1,
	PD_ETM_COND_I_F2,
	PD_ETM_COND_I_F3,
	PD_ETM_COND_FLUSH,
	PD_ETM_COND_RES_F1,
	PD_ETM_COND_RES_F2,
	PD_ETM_COND_RES_F3,
	PD_ETM_COND_RES_F4,
	PD_ETM_IGNORE,
	PD_ETM_EVENT,
	PD_ETM_CTXT,
	PD_ETM_ADDR_CTXT_L_32IS0,
	PD_ETM_ADDR_CTXT_L_32IS1,
	PD_ETM_ADDR_CTXT_L_64IS0,
	PD_ETM_ADDR_CTXT_L_64IS1,
	PD_ETM_TS_MARKER,
	PD_ETM_ADDR_MATCH,
	PD_ETM_ADDR_S_IS0,
	PD_ETM_ADDR_S_IS1,
	PD_ETM_ADDR_L_32IS0,
	PD_ETM_ADDR_L_32IS1,
	PD_ETM_ADDR_L_64IS0,
	PD_ETM_ADDR_L_64IS1,
	PD_ETM_Q,
	PD_ETM_SRC_ADDR_MATCH,
	PD_ETM_SRC_ADDR_S_IS0,
	PD_ETM_SRC_ADDR_S_IS1,
	PD_ETM_SRC_ADDR_L_32IS0,
	PD_ETM_SRC_ADDR_L_32IS1,
	PD_ETM_SRC_ADDR_L_64IS0,
	PD_ETM_SRC_ADDR_L_64IS1,
	PD_ETM_ATOM_F1,
	PD_ETM_ATOM_F2,
	PD_ETM_ATOM_F3,
	PD_ETM_ATOM_F4,
	PD_ETM_ATOM_F5,
	PD_ETM_ATOM_F6,
	PD_ETM_KINDS,
};
extern const struct pd_packet_kind pd_etm_kinds[PD_ETM_KINDS];

/* Indexes of the words of a packet. */
enum pd_etm_word {
	PD_ETM_VALUE,                        /* address, timestamp, or atoms (bit 0 is the first), … */
	PD_ETM_COUNT,                        /* number of atoms, commits, cancelled elements, or of a Q packet */
	PD_ETM_CYCLES,                       /* number of cycles, or the threshold of cycle counts */
	PD_ETM_FORM,                         /* addresses: see below; other kinds: see etm_kinds.c */
	PD_ETM_HAS,                          /* bits of enum pd_etm_has */
	PD_ETM_CONTEXT,                      /* info byte of the context */
	PD_ETM_VMID,
	PD_ETM_CONTEXT_ID,
	PD_ETM_INDEX,                        /* index at which the packet begins, in OpenCSD's count */
	PD_ETM_SOURCE,                       /* trace id | processor << 32 */
};
/* PD_ETM_FORM of an address: number of bits in the packet, number of known bits, whether it has 64 bits, 2-byte
 * instructions, which of the last addresses it repeats */
#define PD_ETM_FORM_BITS(form) ((unsigned)(form) & 0xff)
#define PD_ETM_FORM_KNOWN(form) ((unsigned)(form) >> 8 & 0xff)
#define PD_ETM_FORM_WIDE(form) ((unsigned)(form) >> 16 & 1)
#define PD_ETM_FORM_MATCH(form) ((unsigned)(form) >> 24 & 3)

enum pd_etm_has {
	PD_ETM_HAS_COUNT = 1,
	PD_ETM_HAS_CYCLES = 2,
	PD_ETM_HAS_CONTEXT = 4,
	PD_ETM_HAS_VMID = 8,
	PD_ETM_HAS_CONTEXT_ID = 16,
	PD_ETM_HAS_ADDRESS = 32,
	PD_ETM_HAS_MATCH = 64,
	PD_ETM_HAS_CONTEXT_BEFORE = 128,     /* a packet before it has stated a context */
	PD_ETM_IS_ETE = 256,
};

/* The registers of the trace unit. */
struct pd_etm_setup {
	uint8_t version;                     /* 0x42: ETMv4.2; 0x50: ETE 1.0 */
	bool commits_implied, data_trace, conditionals, q_elements;
	uint8_t cycle_bits, vmid_bytes, context_id_bytes;
};

struct pd_etm_address { uint64_t value; uint8_t bits, known, wide; };

#define PD_ETM_ROOM 40u              /* bytes of a packet that the decoder keeps */
#define PD_ETM_FIELDS 8u

/* The decoder of one source, between two bytes. All zeros, then pd_etm_reset. */
struct pd_etm {
	bool synced, unsynced_reported, info_seen, context_known, context_64, timestamp_known, threshold_known;
	bool unsynced_pending;               /* bytes were skipped, which the next byte reports */
	uint8_t kind, search;                /* kind of the current packet, and the meaning of the next byte */
	/* the expected bytes: see etm_packet.c */
	uint8_t fields[PD_ETM_FIELDS], nr_fields, field;
	uint8_t passed;                      /* bytes to drop if unsynced_pending */
	uint32_t size, threshold;
	uint64_t index, place, next_index, next_place, timestamp;
	uint64_t ended;                      /* offset of the beginning of the packet that ended last */
	struct pd_etm_address now, last[3];
	uint8_t bytes[PD_ETM_ROOM];
};

/* Waits for synchronization: before the first byte, and where bytes are missing. */
void pd_etm_reset(struct pd_etm *etm);
/* Takes a byte; `index` is its OpenCSD index, `place` its offset. True: a packet ended, which began at etm->ended.
 * *ret_taken: false if the caller must pass the byte again. */
bool pd_etm_feed(const struct pd_etm_setup *setup, struct pd_etm *etm, uint8_t byte, uint64_t index, uint64_t place,
		 bool *ret_taken, struct pd_packet *ret);

/* --- etm_text.c --- */
void pd_etm_text(const struct pd_packet *packet, struct perfdata_text *out);
/* Whether the packet's header is invalid; OpenCSD reports it in a separate line. */
bool pd_etm_is_error(const struct pd_packet *packet);

#endif
