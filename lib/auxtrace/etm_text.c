/* SPDX-License-Identifier: MIT */
/* Writes packets of ETMv4 and ETE as `perf script -D` does, with the texts of the library OpenCSD. */
#include "config.h"
#include "auxtrace/etm_packet.h"
#include "text/spelling.h"

#define TEXT(number, text) [PD_ETM_##number] = text

/* The text after the name, by kind. */
static const char *const texts[PD_ETM_KINDS] = {
	TEXT(RESERVED, "Reserved Packet Header"),
	TEXT(RESERVED_CFG, "Reserved header for current configuration."),
	TEXT(BAD_SEQUENCE, "Invalid Sequence in packet."),
	TEXT(NOT_SYNC, "I Stream not synchronised"),
	TEXT(EXTENSION, "Extension packet header."),
	TEXT(ASYNC, "Alignment Synchronisation."),
	TEXT(DISCARD, "Discard."),
	TEXT(OVERFLOW, "Overflow."),
	TEXT(TRACE_INFO, "Trace Info."),
	TEXT(TIMESTAMP, "Timestamp."),
	TEXT(TRACE_ON, "Trace On."),
	TEXT(EXCEPT, "Exception."),
	TEXT(EXCEPT_RTN, "Exception Return."),
	TEXT(ITE, "Instrumentation"),
	TEXT(TRANS_ST, "Transaction Start."),
	TEXT(TRANS_COMMIT, "Transaction Commit."),
	TEXT(TRANS_FAIL, "Transaction Fail."),
	TEXT(PE_RESET, "PE Reset."),
	TEXT(CCNT_F1, "Cycle Count format 1."),
	TEXT(CCNT_F2, "Cycle Count format 2."),
	TEXT(CCNT_F3, "Cycle Count format 3."),
	TEXT(NUM_DS_MKR, "Data Synchronisation Marker - Numbered."),
	TEXT(UNNUM_DS_MKR, "Data Synchronisation Marker - Unnumbered."),
	TEXT(COMMIT, "Commit"),
	TEXT(CANCEL_F1, "Cancel Format 1."),
	TEXT(CANCEL_F1_MISPRED, "Cancel Format 1 + Mispredict."),
	TEXT(MISPREDICT, "Mispredict."),
	TEXT(CANCEL_F2, "Cancel Format 2."),
	TEXT(CANCEL_F3, "Cancel Format 3."),
	TEXT(COND_I_F1, "Conditional Instruction, format 1."),
	TEXT(COND_I_F2, "Conditional Instruction, format 2."),
	TEXT(COND_I_F3, "Conditional Instruction, format 3."),
	TEXT(COND_FLUSH, "Conditional Flush."),
	TEXT(COND_RES_F1, "Conditional Result, format 1."),
	TEXT(COND_RES_F2, "Conditional Result, format 2."),
	TEXT(COND_RES_F3, "Conditional Result, format 3."),
	TEXT(COND_RES_F4, "Conditional Result, format 4."),
	TEXT(IGNORE, "Ignore."),
	TEXT(EVENT, "Trace Event."),
	TEXT(CTXT, "Context Packet."),
	TEXT(ADDR_CTXT_L_32IS0, "Address & Context, Long, 32 bit, IS0."),
	TEXT(ADDR_CTXT_L_32IS1, "Address & Context, Long, 32 bit, IS1."),
	TEXT(ADDR_CTXT_L_64IS0, "Address & Context, Long, 64 bit, IS0."),
	TEXT(ADDR_CTXT_L_64IS1, "Address & Context, Long, 64 bit, IS1."),
	TEXT(TS_MARKER, "Timestamp Marker"),
	TEXT(ADDR_MATCH, "Exact Address Match."),
	TEXT(ADDR_S_IS0, "Address, Short, IS0."),
	TEXT(ADDR_S_IS1, "Address, Short, IS1."),
	TEXT(ADDR_L_32IS0, "Address, Long, 32 bit, IS0."),
	TEXT(ADDR_L_32IS1, "Address, Long, 32 bit, IS1."),
	TEXT(ADDR_L_64IS0, "Address, Long, 64 bit, IS0."),
	TEXT(ADDR_L_64IS1, "Address, Long, 64 bit, IS1."),
	TEXT(Q, "Q Packet."),
	TEXT(SRC_ADDR_MATCH, "Exact Source Address Match."),
	TEXT(SRC_ADDR_S_IS0, "Source Address, Short, IS0."),
	TEXT(SRC_ADDR_S_IS1, "Source Address, Short, IS1."),
	TEXT(SRC_ADDR_L_32IS0, "Source Address, Long, 32 bit, IS0."),
	TEXT(SRC_ADDR_L_32IS1, "Source Address, Long, 32 bit, IS1."),
	TEXT(SRC_ADDR_L_64IS0, "Source Address, Long, 64 bit, IS0."),
	TEXT(SRC_ADDR_L_64IS1, "Source Address, Long, 64 bit, IS1."),
	TEXT(ATOM_F1, "Atom format 1."),
	TEXT(ATOM_F2, "Atom format 2."),
	TEXT(ATOM_F3, "Atom format 3."),
	TEXT(ATOM_F4, "Atom format 4."),
	TEXT(ATOM_F5, "Atom format 5."),
	TEXT(ATOM_F6, "Atom format 6."),
};

bool pd_etm_is_error(const struct pd_packet *packet)
{
	return packet->kind == PD_ETM_RESERVED || packet->kind == PD_ETM_RESERVED_CFG;
}

/* Returns the name that OpenCSD 1.5 prints. */
static const char *name_of(uint64_t kind)
{
	if (kind == PD_ETM_SRC_ADDR_L_32IS0)
		return "I_SCR_ADDR_L_32IS0";
	return kind < PD_ETM_KINDS ? pd_etm_kinds[kind].name : "";
}

static void write_number(struct perfdata_text *out, const char *text, uint64_t value)
{
	perfdata_text_string(out, text);
	perfdata_text_u64(out, value);
}

static void write_hex(struct perfdata_text *out, const char *text, uint64_t value)
{
	perfdata_text_string(out, text);
	pd_text_hex(out, value);
}

static void hex_width(struct perfdata_text *out, const char *text, unsigned width, uint64_t value)
{
	perfdata_text_printf(out, "%s%0*llx", text, (int)width, (unsigned long long)value);
}

/* Writes "0x", question marks for unknown digits, digits; then which bits are known, and which were in the packet. */
static void write_address(const struct pd_packet *packet, unsigned brought, struct perfdata_text *out)
{
	const uint64_t value = packet->words[PD_ETM_VALUE], form = packet->words[PD_ETM_FORM];
	const unsigned all = PD_ETM_FORM_WIDE(form) ? 64 : 32, known = PD_ETM_FORM_KNOWN(form);
	const unsigned digits = (known + 3) / 4;
	perfdata_text_literal(out, "; Addr=0x");
	if (digits < all / 4)
		perfdata_text_fill(out, '?', all / 4 - digits);
	perfdata_text_printf(out, "%0*llX", (int)digits, (unsigned long long)(known > 32 ? value : (uint32_t)value));
	if (known < all)
		perfdata_text_printf(out, " (%d:0)", (int)known - 1);
	if (brought)
		perfdata_text_printf(out, " ~[0x%llX]", (unsigned long long)(value & (UINT64_MAX >> (64 - brought))));
}

static void write_context(const struct pd_packet *packet, struct perfdata_text *out)
{
	const uint64_t info = packet->words[PD_ETM_CONTEXT], has = packet->words[PD_ETM_HAS];
	static const char *const security[4] = { ", S; ", ", NS; ", ", Root; ", ", Realm; " };
	if (!(has & PD_ETM_HAS_CONTEXT)) {
		if (has & PD_ETM_HAS_CONTEXT_BEFORE)
			perfdata_text_literal(out, "Ctxt: Same");
		return;
	}
	perfdata_text_string(out, info & 0x10 ? "Ctxt: AArch64,EL" : "Ctxt: AArch32, EL");
	perfdata_text_u64(out, info & 3);
	perfdata_text_string(out, security[info >> 8 & 3]);
	if (has & PD_ETM_HAS_CONTEXT_ID) {
		hex_width(out, "CID=0x", 8, packet->words[PD_ETM_CONTEXT_ID]);
		perfdata_text_literal(out, "; ");
	}
	if (has & PD_ETM_HAS_VMID) {
		hex_width(out, "VMID=0x", 4, packet->words[PD_ETM_VMID]);
		perfdata_text_literal(out, "; ");
	}
}

static void write_atoms(const struct pd_packet *packet, struct perfdata_text *out)
{
	for (unsigned i = 0; i < packet->words[PD_ETM_COUNT]; i++)
		perfdata_text_char(out, packet->words[PD_ETM_VALUE] >> i & 1 ? 'E' : 'N');
}

/* Writes "; " and the atoms of a packet that also has other fields. */
static void atoms_before(const struct pd_packet *packet, struct perfdata_text *out)
{
	perfdata_text_literal(out, "; ");
	if (!packet->words[PD_ETM_COUNT])
		return;
	perfdata_text_literal(out, "Atom: ");
	write_atoms(packet, out);
	perfdata_text_literal(out, ", ");
}

static void write_cancelled(const struct pd_packet *packet, const char *suffix, struct perfdata_text *out)
{
	write_number(out, "Cancel(", packet->words[PD_ETM_FORM]);
	perfdata_text_string(out, suffix);
}

static void trace_info(const struct pd_packet *packet, struct perfdata_text *out)
{
	const uint64_t info = packet->words[PD_ETM_VALUE];
	write_hex(out, "; INFO=0x", info);
	write_number(out, " { CC.", info & 1);
	if (packet->words[PD_ETM_HAS] & PD_ETM_IS_ETE)
		write_number(out, ", TSTATE.", info >> 6 & 1);
	perfdata_text_literal(out, " }");
	if (info & 1)
		write_hex(out, "; CC_THRESHOLD=0x", packet->words[PD_ETM_CYCLES]);
}

static void write_exception(const struct pd_packet *packet, struct perfdata_text *out)
{
	static const char *const names[16] = {
		"PE Reset",   "Debug Halt", "Call",      "Trap",     "System Error", "Reserved",
		"Inst Debug", "Data Debug", "Reserved",  "Reserved", "Alignment",    "Inst Fault",
		"Data Fault", "Reserved",   "IRQ",       "FIQ",
	};
	const uint64_t type = packet->words[PD_ETM_VALUE], follows = packet->words[PD_ETM_FORM];
	perfdata_text_literal(out, ";  ");
	perfdata_text_string(out, type < 16 ? names[type] : "Reserved");
	perfdata_text_char(out, ';');
	if (follows == 1)
		perfdata_text_literal(out, " Ret Addr Follows;");
	else if (follows == 2)
		perfdata_text_literal(out, " Ret Addr Follows, Match Prev;");
}

static void q_packet(const struct pd_packet *packet, struct perfdata_text *out)
{
	const uint64_t has = packet->words[PD_ETM_HAS];
	const unsigned brought = PD_ETM_FORM_BITS(packet->words[PD_ETM_FORM]);
	if (has & PD_ETM_HAS_COUNT) {
		write_number(out, "; Count(", packet->words[PD_ETM_COUNT]);
		perfdata_text_char(out, ')');
	} else {
		perfdata_text_literal(out, "; Count(Unknown)");
	}
	if (has & PD_ETM_HAS_MATCH) {
		write_number(out, "; [", PD_ETM_FORM_MATCH(packet->words[PD_ETM_FORM]));
		perfdata_text_char(out, ']');
	}
	if (has & PD_ETM_HAS_ADDRESS)
		write_address(packet, brought < 64 ? brought : 0, out);
}

static void write_details(const struct pd_packet *packet, struct perfdata_text *out)
{
	switch (packet->kind) {
	case PD_ETM_RESERVED_CFG: case PD_ETM_BAD_SEQUENCE:
		perfdata_text_char(out, '[');
		perfdata_text_string(out, name_of(packet->words[PD_ETM_COUNT]));
		perfdata_text_char(out, ']');
		break;
	case PD_ETM_TRACE_INFO:
		trace_info(packet, out);
		break;
	case PD_ETM_TIMESTAMP:
		write_hex(out, "; Updated val = 0x", packet->words[PD_ETM_VALUE]);
		if (packet->words[PD_ETM_HAS] & PD_ETM_HAS_CYCLES)
			write_hex(out, "; CC=0x", packet->words[PD_ETM_CYCLES]);
		break;
	case PD_ETM_EXCEPT:
		write_exception(packet, out);
		break;
	case PD_ETM_ITE:
		write_number(out, "; EL", packet->words[PD_ETM_COUNT]);
		write_hex(out, "; Payload=0x", packet->words[PD_ETM_VALUE]);
		break;
	case PD_ETM_CCNT_F1: case PD_ETM_CCNT_F2: case PD_ETM_CCNT_F3:
		write_hex(out, "; Count=0x", packet->words[PD_ETM_CYCLES]);
		break;
	case PD_ETM_COMMIT:
		write_number(out, "; Commit(", packet->words[PD_ETM_FORM]);
		perfdata_text_char(out, ')');
		break;
	case PD_ETM_CANCEL_F1: case PD_ETM_CANCEL_F1_MISPRED:
		perfdata_text_literal(out, "; ");
		write_cancelled(packet, packet->kind == PD_ETM_CANCEL_F1 ? ")" : "), Mispredict", out);
		break;
	case PD_ETM_MISPREDICT:
		atoms_before(packet, out);
		perfdata_text_literal(out, "Mispredict");
		break;
	case PD_ETM_CANCEL_F2: case PD_ETM_CANCEL_F3:
		atoms_before(packet, out);
		write_cancelled(packet, "), Mispredict", out);
		break;
	case PD_ETM_CTXT:
		perfdata_text_literal(out, "; ");
		write_context(packet, out);
		break;
	case PD_ETM_ADDR_CTXT_L_32IS0: case PD_ETM_ADDR_CTXT_L_32IS1: case PD_ETM_ADDR_CTXT_L_64IS0:
	case PD_ETM_ADDR_CTXT_L_64IS1: case PD_ETM_ADDR_L_32IS0: case PD_ETM_ADDR_L_32IS1: case PD_ETM_ADDR_L_64IS0:
	case PD_ETM_ADDR_L_64IS1: case PD_ETM_SRC_ADDR_L_32IS0: case PD_ETM_SRC_ADDR_L_32IS1:
	case PD_ETM_SRC_ADDR_L_64IS0: case PD_ETM_SRC_ADDR_L_64IS1:
		write_address(packet, 0, out);
		perfdata_text_literal(out, "; ");
		if (packet->words[PD_ETM_HAS] & PD_ETM_HAS_CONTEXT)
			write_context(packet, out);
		break;
	case PD_ETM_ADDR_S_IS0: case PD_ETM_ADDR_S_IS1: case PD_ETM_SRC_ADDR_S_IS0: case PD_ETM_SRC_ADDR_S_IS1:
		write_address(packet, PD_ETM_FORM_BITS(packet->words[PD_ETM_FORM]), out);
		break;
	case PD_ETM_ADDR_MATCH: case PD_ETM_SRC_ADDR_MATCH:
		write_number(out, ", [", PD_ETM_FORM_MATCH(packet->words[PD_ETM_FORM]));
		perfdata_text_char(out, ']');
		write_address(packet, 0, out);
		perfdata_text_literal(out, "; ");
		break;
	case PD_ETM_Q:
		q_packet(packet, out);
		break;
	case PD_ETM_ATOM_F1: case PD_ETM_ATOM_F2: case PD_ETM_ATOM_F3: case PD_ETM_ATOM_F4: case PD_ETM_ATOM_F5:
	case PD_ETM_ATOM_F6:
		perfdata_text_literal(out, "; ");
		write_atoms(packet, out);
		break;
	default:
		break;
	}
}

void pd_etm_text(const struct pd_packet *packet, struct perfdata_text *out)
{
	perfdata_text_string(out, name_of(packet->kind));
	perfdata_text_literal(out, " : ");
	perfdata_text_string(out, texts[packet->kind]);
	write_details(packet, out);
}

static void write_etm_text(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out)
{
	(void)trace;
	pd_etm_text(packet, out);
}

/* No functions: cs_stream.h reads these buffers and cs_text.c writes their lines, since several sources share them. */
const struct pd_tracer pd_coresight_tracer = {
	.type = PD_AUX_CORESIGHT,
	.name = "cs_etm",
	.kinds = pd_etm_kinds,
	.nr_kinds = PD_ETM_KINDS,
	.has_sources = true,
	.text = write_etm_text,
};
