/* SPDX-License-Identifier: MIT */
/* Kinds of packets of ETMv4 and ETE, and their fields. */
#include "config.h"
#include "auxtrace/etm_packet.h"
#include "auxtrace/packet_rows.h"

#define ETM_FIELD(key, about, w, from, n, how) FIELD(key, about, PD_ETM_##w, from, n, how)
#define MAYBE(key, about, w, from, n, how, bit)                                                                 \
	{                                                                                                       \
		.name = key, .doc = about, .word = PD_ETM_##w, .shift = from, .bits = n, .show = PD_SHOW_##how, \
		.has = PD_ETM_HAS_##bit                                                                         \
	}
#define ENUM(key, about, w, from, n, list, bit)                                                                  \
	{                                                                                                        \
		.name = key, .doc = about, .word = PD_ETM_##w, .shift = from, .bits = n, .show = PD_SHOW_ENUM,   \
		.names = list, .nr_names = sizeof(list) / sizeof *(list), .has = bit                             \
	}
/* the source of the packet: a field of all kinds */
#define SOURCE                                                                  \
	ETM_FIELD("source", "Trace id of the source.", SOURCE, 0, 8, HEX),          \
		ETM_FIELD("source_cpu", "The source's processor.", SOURCE, 32, 32, DEC)
#define ADDRESS ETM_FIELD("address", "The address, completed by those before.", VALUE, 0, 64, HEX)
#define CONTEXT                                                                                                    \
	MAYBE("level", "Exception level.", CONTEXT, 0, 2, DEC, CONTEXT),                                           \
		MAYBE("bits_64", "AArch64; else AArch32.", CONTEXT, 4, 1, FLAG, CONTEXT),                          \
		ENUM("security", "Security state.", CONTEXT, 8, 2, security, PD_ETM_HAS_CONTEXT),                  \
		MAYBE("vmid", "Virtual machine.", VMID, 0, 32, HEX, VMID),                                         \
		MAYBE("context_id", "Context id: the process, where Linux writes it.", CONTEXT_ID, 0, 32, HEX,     \
		      CONTEXT_ID)

#define KIND(number, text, about, list) [PD_ETM_##number] = KIND_OF(text, about, list)
#define BARE(number, text, about) KIND(number, text, about, bare_fields)

static const char *const security[4] = { "secure", "non-secure", "root", "realm" };
static const char *const exceptions[16] = {
	"pe_reset",   "debug_halt", "call",      "trap",       "system_error", NULL, "inst_debug", "data_debug",
	NULL,         NULL,         "alignment", "inst_fault", "data_fault",   NULL, "irq",        "fiq",
};

static const struct pd_packet_field bare_fields[] = { SOURCE };
static const struct pd_packet_field header_fields[] = { SOURCE, ETM_FIELD("byte", "The header.", VALUE, 0, 8, HEX) };
static const struct pd_packet_field info_fields[] = {
	SOURCE,
	ETM_FIELD("info", "What is traced.", VALUE, 0, 32, HEX),
	ETM_FIELD("key", "Key of the next element.", VMID, 0, 32, HEX),
	ETM_FIELD("speculation", "Elements that wait for a commit.", COUNT, 0, 32, DEC),
	MAYBE("cycle_threshold", "Cycles that counts leave out.", CYCLES, 0, 32, DEC, CYCLES),
};
static const struct pd_packet_field time_fields[] = {
	SOURCE,
	ETM_FIELD("timestamp", "The timestamp, completed by those before.", VALUE, 0, 64, DEC),
	MAYBE("cycles", "Cycles since the last count.", CYCLES, 0, 32, DEC, CYCLES),
};
static const struct pd_packet_field exception_fields[] = {
	SOURCE,
	ETM_FIELD("number", "Which exception.", VALUE, 0, 16, DEC),
	ENUM("exception", "Its name.", VALUE, 0, 16, exceptions, 0),
	ETM_FIELD("address_follows", "1: its return address comes next; 2: so it does, and is the last one again.",
		  FORM, 0, 2, DEC),
};
static const struct pd_packet_field instrumentation_fields[] = {
	SOURCE,
	ETM_FIELD("level", "Exception level.", COUNT, 0, 8, DEC),
	ETM_FIELD("value", "What the program wrote.", VALUE, 0, 64, HEX),
};
static const struct pd_packet_field cycle_fields[] = {
	SOURCE,
	ETM_FIELD("cycles", "Cycles since the last count; 0: not known.", CYCLES, 0, 32, DEC),
	MAYBE("commits", "Elements that are committed.", COUNT, 0, 32, DEC, COUNT),
};
static const struct pd_packet_field marker_fields[] = { SOURCE, ETM_FIELD("marker", "Its number.", VALUE, 0, 3, DEC) };
static const struct pd_packet_field commit_fields[] = {
	SOURCE,
	ETM_FIELD("commits", "Elements that are committed.", FORM, 0, 32, DEC),
};
static const struct pd_packet_field cancel_fields[] = {
	SOURCE,
	ETM_FIELD("cancels", "Elements that are cancelled.", FORM, 0, 32, DEC),
};
static const struct pd_packet_field cancel_atom_fields[] = {
	SOURCE,
	ETM_FIELD("atoms", "Branches in front: E executed, N not.", VALUE, 0, 64, ATOMS),
	ETM_FIELD("cancels", "Elements that are cancelled.", FORM, 0, 32, DEC),
};
static const struct pd_packet_field atom_fields[] = {
	SOURCE,
	ETM_FIELD("atoms", "Branches: E executed, N not.", VALUE, 0, 64, ATOMS),
};
static const struct pd_packet_field event_fields[] = {
	SOURCE,
	ETM_FIELD("events", "Which events, a bit each.", VALUE, 0, 4, HEX),
};
static const struct pd_packet_field context_fields[] = { SOURCE, CONTEXT };
static const struct pd_packet_field address_fields[] = { SOURCE, ADDRESS };
static const struct pd_packet_field address_context_fields[] = { SOURCE, ADDRESS, CONTEXT };
static const struct pd_packet_field match_fields[] = {
	SOURCE,
	ADDRESS,
	ETM_FIELD("match", "Which of the last addresses.", FORM, 24, 2, DEC),
};
static const struct pd_packet_field q_fields[] = {
	SOURCE,
	MAYBE("address", "The address after them.", VALUE, 0, 64, HEX, ADDRESS),
	MAYBE("instructions", "Instructions that were executed.", COUNT, 0, 32, DEC, COUNT),
};

const struct pd_packet_kind pd_etm_kinds[PD_ETM_KINDS] = {
	KIND(RESERVED, "I_RESERVED", "A byte that begins no packet.", header_fields),
	KIND(RESERVED_CFG, "I_RESERVED_CFG", "A byte that begins no packet in this trace.", header_fields),
	KIND(BAD_SEQUENCE, "I_BAD_SEQUENCE", "Bytes that are no packet.", bare_fields),
	BARE(NOT_SYNC, "I_NOT_SYNC", "Bytes in front of the first synchronization."),
	BARE(EXTENSION, "I_EXTENSION", "What an unknown packet began as."),
	BARE(ASYNC, "I_ASYNC", "Synchronization."),
	BARE(DISCARD, "I_DISCARD", "The trace ends here."),
	BARE(OVERFLOW, "I_OVERFLOW", "Trace was lost."),
	KIND(TRACE_INFO, "I_TRACE_INFO", "What is traced, and how.", info_fields),
	KIND(TIMESTAMP, "I_TIMESTAMP", "Time.", time_fields),
	BARE(TRACE_ON, "I_TRACE_ON", "Tracing begins, maybe again."),
	KIND(EXCEPT, "I_EXCEPT", "An exception.", exception_fields),
	BARE(EXCEPT_RTN, "I_EXCEPT_RTN", "Return from an exception."),
	KIND(ITE, "I_ITE", "What a program wrote.", instrumentation_fields),
	BARE(TRANS_ST, "I_TRANS_ST", "A transaction begins."),
	BARE(TRANS_COMMIT, "I_TRANS_COMMIT", "A transaction ends well."),
	BARE(TRANS_FAIL, "I_TRANS_FAIL", "A transaction failed."),
	BARE(PE_RESET, "I_PE_RESET", "The processor was reset."),
	KIND(CCNT_F1, "I_CCNT_F1", "Cycles.", cycle_fields),
	KIND(CCNT_F2, "I_CCNT_F2", "Cycles.", cycle_fields),
	KIND(CCNT_F3, "I_CCNT_F3", "Cycles.", cycle_fields),
	KIND(NUM_DS_MKR, "I_NUM_DS_MKR", "Marker in the trace of data, numbered.", marker_fields),
	KIND(UNNUM_DS_MKR, "I_UNNUM_DS_MKR", "Marker in the trace of data.", marker_fields),
	KIND(COMMIT, "I_COMMIT", "Commit.", commit_fields),
	KIND(CANCEL_F1, "I_CANCEL_F1", "Speculation that is cancelled.", cancel_fields),
	KIND(CANCEL_F1_MISPRED, "I_CANCEL_F1_MISPRED", "Speculation that is cancelled, a branch mispredicted.",
	     cancel_fields),
	KIND(MISPREDICT, "I_MISPREDICT", "A mispredicted branch.", atom_fields),
	KIND(CANCEL_F2, "I_CANCEL_F2", "Speculation that is cancelled, a branch mispredicted.", cancel_atom_fields),
	KIND(CANCEL_F3, "I_CANCEL_F3", "Speculation that is cancelled, a branch mispredicted.", cancel_atom_fields),
	BARE(COND_I_F1, "I_COND_I_F1", "Conditional instructions."),
	BARE(COND_I_F2, "I_COND_I_F2", "Conditional instructions."),
	BARE(COND_I_F3, "I_COND_I_F3", "Conditional instructions."),
	BARE(COND_FLUSH, "I_COND_FLUSH", "Conditional instructions are forgotten."),
	BARE(COND_RES_F1, "I_COND_RES_F1", "Results of conditional instructions."),
	BARE(COND_RES_F2, "I_COND_RES_F2", "Results of conditional instructions."),
	BARE(COND_RES_F3, "I_COND_RES_F3", "Results of conditional instructions."),
	BARE(COND_RES_F4, "I_COND_RES_F4", "Results of conditional instructions."),
	BARE(IGNORE, "I_IGNORE", "Nothing."),
	KIND(EVENT, "I_EVENT", "Events of the trace unit.", event_fields),
	KIND(CTXT, "I_CTXT", "Context.", context_fields),
	KIND(ADDR_CTXT_L_32IS0, "I_ADDR_CTXT_L_32IS0", "Address and context.", address_context_fields),
	KIND(ADDR_CTXT_L_32IS1, "I_ADDR_CTXT_L_32IS1", "Address and context.", address_context_fields),
	KIND(ADDR_CTXT_L_64IS0, "I_ADDR_CTXT_L_64IS0", "Address and context.", address_context_fields),
	KIND(ADDR_CTXT_L_64IS1, "I_ADDR_CTXT_L_64IS1", "Address and context.", address_context_fields),
	BARE(TS_MARKER, "I_TS_MARKER", "What the next timestamp belongs to."),
	KIND(ADDR_MATCH, "I_ADDR_MATCH", "One of the last addresses again.", match_fields),
	KIND(ADDR_S_IS0, "I_ADDR_S_IS0", "Address, its lower bits.", address_fields),
	KIND(ADDR_S_IS1, "I_ADDR_S_IS1", "Address, its lower bits.", address_fields),
	KIND(ADDR_L_32IS0, "I_ADDR_L_32IS0", "Address.", address_fields),
	KIND(ADDR_L_32IS1, "I_ADDR_L_32IS1", "Address.", address_fields),
	KIND(ADDR_L_64IS0, "I_ADDR_L_64IS0", "Address.", address_fields),
	KIND(ADDR_L_64IS1, "I_ADDR_L_64IS1", "Address.", address_fields),
	KIND(Q, "I_Q", "Instructions without a trace of each branch.", q_fields),
	KIND(SRC_ADDR_MATCH, "I_SRC_ADDR_MATCH", "One of the last addresses again: of a branch.", match_fields),
	KIND(SRC_ADDR_S_IS0, "I_SRC_ADDR_S_IS0", "Address of a branch, its lower bits.", address_fields),
	KIND(SRC_ADDR_S_IS1, "I_SRC_ADDR_S_IS1", "Address of a branch, its lower bits.", address_fields),
	KIND(SRC_ADDR_L_32IS0, "I_SRC_ADDR_L_32IS0", "Address of a branch.", address_fields),
	KIND(SRC_ADDR_L_32IS1, "I_SRC_ADDR_L_32IS1", "Address of a branch.", address_fields),
	KIND(SRC_ADDR_L_64IS0, "I_SRC_ADDR_L_64IS0", "Address of a branch.", address_fields),
	KIND(SRC_ADDR_L_64IS1, "I_SRC_ADDR_L_64IS1", "Address of a branch.", address_fields),
	KIND(ATOM_F1, "I_ATOM_F1", "Branches.", atom_fields),
	KIND(ATOM_F2, "I_ATOM_F2", "Branches.", atom_fields),
	KIND(ATOM_F3, "I_ATOM_F3", "Branches.", atom_fields),
	KIND(ATOM_F4, "I_ATOM_F4", "Branches.", atom_fields),
	KIND(ATOM_F5, "I_ATOM_F5", "Branches.", atom_fields),
	KIND(ATOM_F6, "I_ATOM_F6", "Branches.", atom_fields),
};
