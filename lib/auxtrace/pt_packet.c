/* SPDX-License-Identifier: MIT */
/* Decodes packets of Intel Processor Trace: Intel SDM, volume 3, "Trace packets and data types". */
#include "config.h"
#include "base/cursor.h"
#include "auxtrace/packet_rows.h"
#include "auxtrace/pt_packet.h"

/* --- fields of the packets ---------------------------------------------------------------------------------------- */

#define KIND(number, text, about, list) [PD_PT_##number] = KIND_OF(text, about, list)
#define BARE(number, text, about) [PD_PT_##number] = KIND_BARE(text, about)
#define TIME(number, text, about, list) [PD_PT_##number] = KIND_TIME(text, about, list)

static const struct pd_packet_field bad_fields[] = { FIELD("byte", "The byte that begins no packet.", 0, 0, 8, HEX) };
static const struct pd_packet_field tnt_fields[] = {
	FIELD("branches", "Conditional branches, the first one first: T taken, N not.", 0, 0, 64, BRANCHES),
};
static const struct pd_packet_field ip_fields[] = {
	{ .name = "ip",
	  .doc = "The bytes of the address that were written.",
	  .word = 0,
	  .bits = 64,
	  .show = PD_SHOW_HEX,
	  .when_sized = true },
	{ .name = "address",
	  .doc = "The address: what was not written is that of the last one.",
	  .word = 2,
	  .bits = 64,
	  .show = PD_SHOW_HEX,
	  .when_sized = true },
};
static const struct pd_packet_field cyc_fields[] = { FIELD("cycles", "Cycles since the last CYC.", 0, 0, 64, DEC) };
static const struct pd_packet_field mode_exec_fields[] = {
	FIELD("bits", "Size of addresses and operands.", 0, 0, 8, DEC),
	FIELD("interrupts", "Interrupts are enabled (IF).", 1, 0, 1, FLAG),
};
static const struct pd_packet_field mode_tsx_fields[] = {
	FIELD("in_tx", "In a transaction.", 0, 0, 1, FLAG),
	FIELD("abort", "The transaction was aborted.", 0, 1, 1, FLAG),
};
static const struct pd_packet_field tsc_fields[] = { FIELD("tsc", "Time stamp counter, 56 bits.", 0, 0, 64, HEX) };
static const struct pd_packet_field mtc_fields[] = { FIELD("ctc", "Eight bits of the crystal clock's counter.", 0, 0, 8,
							   HEX) };
static const struct pd_packet_field cbr_fields[] = { FIELD("ratio", "Core to bus clock.", 0, 0, 8, DEC) };
static const struct pd_packet_field ptwrite_fields[] = {
	FIELD("value", "What the program wrote.", 0, 0, 64, HEX),
	FIELD("fup", "The address follows in a FUP.", 1, 0, 1, FLAG),
};
static const struct pd_packet_field cfe_fields[] = {
	FIELD("event", "Kind of control flow event.", 0, 0, 5, HEX),
	FIELD("vector", "Interrupt or exception.", 1, 0, 8, HEX),
	FIELD("fup", "The address follows in a FUP.", 0, 7, 1, FLAG),
};
static const struct pd_packet_field pwre_fields[] = {
	FIELD("hardware", "Not asked for by the program.", 0, 7, 1, FLAG),
	FIELD("c_state", "C-state, from 0 for C1.", 0, 12, 4, DEC),
	FIELD("sub_c_state", "Sub C-state.", 0, 8, 4, DEC),
};
static const struct pd_packet_field fup_fields[] = { FIELD("fup", "The address follows in a FUP.", 0, 0, 1, FLAG) };
static const struct pd_packet_field pip_fields[] = {
	FIELD("cr3", "Base of the page tables (CR3).", 2, 0, 64, HEX),
	FIELD("non_root", "In a virtual machine.", 0, 0, 1, FLAG),
};
static const struct pd_packet_field evd_fields[] = {
	FIELD("event_data", "Kind of data.", 1, 0, 6, HEX),
	FIELD("value", "The data.", 0, 0, 64, HEX),
};
static const struct pd_packet_field bbp_fields[] = {
	FIELD("block", "Kind of block.", 0, 0, 5, HEX),
	FIELD("item_size", "Bytes of each item.", 1, 0, 8, DEC),
};
static const struct pd_packet_field bip_fields[] = {
	FIELD("id", "Which item.", 1, 0, 5, HEX),
	FIELD("value", "The item.", 0, 0, 64, HEX),
};
static const struct pd_packet_field tma_fields[] = {
	FIELD("ctc", "Crystal clock's counter, 16 bits.", 0, 0, 16, HEX),
	FIELD("fast_counter", "Cycles of the time stamp counter since that.", 1, 0, 9, HEX),
};
static const struct pd_packet_field pwrx_fields[] = {
	FIELD("last_c_state", "Last core C-state.", 0, 4, 4, DEC),
	FIELD("deepest_c_state", "Deepest core C-state.", 0, 0, 4, DEC),
	FIELD("wake_reason", "Why it was left, a bit each.", 0, 8, 4, HEX),
};
static const struct pd_packet_field mwait_fields[] = {
	FIELD("hints", "Hints of the instruction.", 0, 0, 8, HEX),
	FIELD("extensions", "Its extensions.", 0, 32, 2, HEX),
};
static const struct pd_packet_field mnt_fields[] = { FIELD("value", "Maintenance data.", 0, 0, 64, HEX) };
static const struct pd_packet_field vmcs_fields[] = { FIELD("pointer", "Pointer to the VMCS.", 2, 0, 64, HEX) };

const struct pd_packet_kind pd_pt_kinds[PD_PT_KINDS] = {
	KIND(BAD, "bad", "A byte that begins no packet.", bad_fields),
	BARE(PAD, "PAD", "Padding."),
	KIND(TNT, "TNT", "Conditional branches.", tnt_fields),
	KIND(TIP, "TIP", "Target of an indirect branch.", ip_fields),
	KIND(TIP_PGE, "TIP.PGE", "Tracing begins.", ip_fields),
	KIND(TIP_PGD, "TIP.PGD", "Tracing ends.", ip_fields),
	KIND(FUP, "FUP", "Where something happened.", ip_fields),
	KIND(CYC, "CYC", "Cycles.", cyc_fields),
	KIND(MODE_EXEC, "MODE.Exec", "Execution mode.", mode_exec_fields),
	KIND(MODE_TSX, "MODE.TSX", "Transactions.", mode_tsx_fields),
	TIME(TSC, "TSC", "Time stamp.", tsc_fields),
	KIND(MTC, "MTC", "Tick of the crystal clock.", mtc_fields),
	KIND(CBR, "CBR", "Core to bus ratio.", cbr_fields),
	KIND(PTWRITE, "PTWRITE", "The program's own data.", ptwrite_fields),
	KIND(CFE, "CFE", "Control flow event.", cfe_fields),
	KIND(PWRE, "PWRE", "A power state is entered.", pwre_fields),
	BARE(PSBEND, "PSBEND", "End of what follows a PSB."),
	KIND(BEP, "BEP", "End of a block.", fup_fields),
	KIND(PIP, "PIP", "Page tables.", pip_fields),
	KIND(EVD, "EVD", "Data of an event.", evd_fields),
	KIND(EXSTOP, "EXSTOP", "Execution stopped.", fup_fields),
	KIND(BBP, "BBP", "Begin of a block.", bbp_fields),
	KIND(TMA, "TMA", "How the clocks relate.", tma_fields),
	BARE(PSB, "PSB", "Where decoding can begin."),
	BARE(TRACESTOP, "TraceSTOP", "Tracing was stopped."),
	KIND(PWRX, "PWRX", "A power state was left.", pwrx_fields),
	KIND(MWAIT, "MWAIT", "The processor waits.", mwait_fields),
	KIND(MNT, "MNT", "Maintenance.", mnt_fields),
	KIND(VMCS, "VMCS", "Virtual machine.", vmcs_fields),
	BARE(OVF, "OVF", "Packets were lost."),
	KIND(BIP, "BIP", "Item of a block.", bip_fields),
};

/* --- decoding ----------------------------------------------------------------------------------------------------- */

/* Requires n bytes for the packet. If fewer are left, the first is a byte that begins no packet. */
#define NEED(n) \
	do { \
		if (left < (n)) \
			return false; \
		packet->size = (n); \
	} while (0)

/* Reads an integer of up to 8 bytes; callers checked the size. */
static inline uint64_t bytes_at(const uint8_t *at, unsigned count)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < count; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static uint64_t full_address(uint64_t last, unsigned form, uint64_t bytes)
{
	switch (form) {
	case 1:
		return (last & ~0xffffull) | bytes;
	case 2:
		return (last & ~0xffffffffull) | bytes;
	case 3:
		return (uint64_t)((int64_t)(bytes << 16) >> 16);
	case 4:
		return (last & ~0xffffffffffffull) | bytes;
	default:
		return bytes;
	}
}

static bool take_ip(struct pd_aux_state *state, const uint8_t *at, size_t left, uint8_t kind, struct pd_packet *packet)
{
	static const uint8_t sizes[8] = { 0, 2, 4, 6, 6, 0xff, 8, 0xff };
	const unsigned form = at[0] >> 5, size = sizes[form];
	if (size == 0xff)
		return false;
	NEED(1 + size);
	packet->kind = kind;
	packet->words[0] = bytes_at(at + 1, size);
	packet->words[1] = size;
	if (size)
		state->ip = full_address(state->ip, form, packet->words[0]);
	packet->words[2] = state->ip;
	return true;
}

static bool take_cyc(const uint8_t *at, size_t left, struct pd_packet *packet)
{
	uint64_t value = at[0] >> 3;
	unsigned used = 1;
	bool more = at[0] & 4;
	for (unsigned shift = 5; more; shift += 7) {
		if (used == 10 || used == left)
			return false;
		const uint8_t byte = at[used++];
		value |= shift < 64 ? (uint64_t)(byte >> 1) << shift : 0;
		more = byte & 1;
	}
	packet->kind = PD_PT_CYC;
	packet->size = used;
	packet->words[0] = value;
	return true;
}

static bool take_mode(struct pd_aux_state *state, const uint8_t *at, size_t left, struct pd_packet *packet)
{
	static const uint8_t sizes[4] = { 16, 64, 32, 0 };
	NEED(2);
	const unsigned leaf = at[1] >> 5, low = at[1] & 3;
	if (leaf > 1 || low == 3)
		return false;
	packet->kind = leaf ? PD_PT_MODE_TSX : PD_PT_MODE_EXEC;
	packet->words[0] = leaf ? low : sizes[low];
	packet->words[1] = at[1] >> 2 & 1;
	state->form = 0;
	return true;
}

/* Takes the branches: the bits below the highest set bit. */
static void take_tnt(uint64_t bits, struct pd_packet *packet)
{
	const unsigned count = bits ? 63 - (unsigned)__builtin_clzll(bits) : 0;
	packet->kind = PD_PT_TNT;
	packet->words[0] = bits & ~(1ull << count);
	packet->words[1] = count;
}

static bool take_psb(struct pd_aux_state *state, const uint8_t *at, size_t left, struct pd_packet *packet)
{
	NEED(16);
	for (unsigned i = 0; i < 16; i += 2)
		if (at[i] != 0x02 || at[i + 1] != 0x82)
			return false;
	packet->kind = PD_PT_PSB;
	state->ip = 0;
	state->form = 0;
	return true;
}

/* Takes a packet of fixed size that ends with a payload of `count` bytes. */
static bool take_fixed(const uint8_t *at, size_t left, uint8_t kind, unsigned head, unsigned count,
		       struct pd_packet *packet)
{
	NEED(head + count);
	packet->kind = kind;
	packet->words[0] = bytes_at(at + head, count);
	return true;
}

static bool take_ptwrite(struct pd_aux_state *state, const uint8_t *at, size_t left, struct pd_packet *packet)
{
	const unsigned form = at[1] >> 5 & 3;
	if (form > 1 || !take_fixed(at, left, PD_PT_PTWRITE, 2, form ? 8 : 4, packet))
		return false;
	packet->words[1] = at[1] >> 7;
	state->form = 0;
	return true;
}

/* Takes a packet of two bytes. Bit 7 of the second one: an address follows. */
static bool take_flag(const uint8_t *at, uint8_t kind, struct pd_packet *packet)
{
	packet->kind = kind;
	packet->size = 2;
	packet->words[0] = at[1] >> 7;
	return true;
}

/* Takes packets that begin with 02 and end a block. */
static bool take_ending(struct pd_aux_state *state, const uint8_t *at, size_t left, struct pd_packet *packet)
{
	bool good = false;
	switch (at[1]) {
	case 0x13:
		good = take_fixed(at, left, PD_PT_CFE, 2, 2, packet);
		packet->words[1] = packet->words[0] >> 8;
		break;
	case 0x23:
		good = take_fixed(at, left, PD_PT_PSBEND, 2, 0, packet);
		break;
	case 0x33:
	case 0xb3:
		good = take_flag(at, PD_PT_BEP, packet);
		break;
	case 0x43:
		good = take_fixed(at, left, PD_PT_PIP, 2, 6, packet);
		packet->words[2] = packet->words[0] >> 1 << 5;
		break;
	case 0x53:
		good = take_fixed(at, left, PD_PT_EVD, 3, 8, packet);
		packet->words[1] = good ? at[2] & 0x3f : 0;
		break;
	case 0x83:
		good = take_fixed(at, left, PD_PT_TRACESTOP, 2, 0, packet);
		break;
	case 0xa3:
		good = take_fixed(at, left, PD_PT_TNT, 2, 6, packet);
		take_tnt(packet->words[0], packet);
		break;
	case 0xc2:
		good = take_fixed(at, left, PD_PT_MWAIT, 2, 8, packet);
		break;
	case 0xc8:
		good = take_fixed(at, left, PD_PT_VMCS, 2, 5, packet);
		packet->words[2] = packet->words[0] << 12;
		break;
	case 0xf3:
		good = take_fixed(at, left, PD_PT_OVF, 2, 0, packet);
		break;
	default:
		break;
	}
	if (good)
		state->form = 0;
	return good;
}

static bool take_block(struct pd_aux_state *state, const uint8_t *at, size_t left, struct pd_packet *packet)
{
	if (!take_fixed(at, left, PD_PT_BBP, 2, 1, packet))
		return false;
	state->form = at[2] & 0x80 ? 4 : 8;
	packet->words[1] = state->form;
	return true;
}

static bool take_item(const struct pd_aux_state *state, const uint8_t *at, size_t left, struct pd_packet *packet)
{
	if (!take_fixed(at, left, PD_PT_BIP, 1, state->form, packet))
		return false;
	packet->words[1] = at[0] >> 3;
	return true;
}

static bool take_two(struct pd_aux_state *state, const uint8_t *at, size_t left, struct pd_packet *packet)
{
	NEED(2);
	switch (at[1]) {
	case 0x03:
		return take_fixed(at, left, PD_PT_CBR, 2, 2, packet);
	case 0x12: case 0x32: case 0x92: case 0xb2:
		return take_ptwrite(state, at, left, packet);
	case 0x22:
		return take_fixed(at, left, PD_PT_PWRE, 2, 2, packet);
	case 0x62: case 0xe2:
		return take_flag(at, PD_PT_EXSTOP, packet);
	case 0x63:
		return take_block(state, at, left, packet);
	case 0x73:
		if (!take_fixed(at, left, PD_PT_TMA, 2, 5, packet))
			return false;
		packet->words[1] = at[5] | (at[6] & 1u) << 8;
		packet->words[0] &= 0xffff;
		return true;
	case 0x82:
		return take_psb(state, at, left, packet);
	case 0xa2:
		return take_fixed(at, left, PD_PT_PWRX, 2, 5, packet);
	case 0xc3:
		return left >= 3 && at[2] == 0x88 && take_fixed(at, left, PD_PT_MNT, 3, 8, packet);
	default:
		return take_ending(state, at, left, packet);
	}
}

static inline bool take_packet(struct pd_aux_state *state, const uint8_t *at, size_t left, struct pd_packet *packet)
{
	const uint8_t first = at[0];
	bool good = true;

	packet->size = 1;
	if (state->form && (first & 7) == 4)
		return take_item(state, at, left, packet);
	if (first == 0x02)
		return take_two(state, at, left, packet);
	if (first == 0) {
		packet->kind = PD_PT_PAD;
		return true;
	}
	if (!(first & 1)) {
		take_tnt(first >> 1, packet);
		state->form = 0;
		return true;
	}
	if ((first & 3) == 3)
		return take_cyc(at, left, packet);
	switch (first & 0x1f) {
	case 0x0d:
		good = take_ip(state, at, left, PD_PT_TIP, packet);
		break;
	case 0x11:
		good = take_ip(state, at, left, PD_PT_TIP_PGE, packet);
		break;
	case 0x01:
		good = take_ip(state, at, left, PD_PT_TIP_PGD, packet);
		break;
	case 0x1d:
		return take_ip(state, at, left, PD_PT_FUP, packet);
	case 0x19:
		if (first == 0x19)
			return take_fixed(at, left, PD_PT_TSC, 1, 7, packet);
		if (first == 0x59)
			return take_fixed(at, left, PD_PT_MTC, 1, 1, packet);
		return first == 0x99 && take_mode(state, at, left, packet);
	default:
		return false;
	}
	if (good)
		state->form = 0;
	return good;
}

void pd_pt_next(struct pd_aux_state *state, const uint8_t *bytes, size_t size, struct pd_packet *ret)
{
	if (!take_packet(state, bytes, size, ret)) {
		ret->kind = PD_PT_BAD;
		ret->size = ret->line = 1;
		ret->words[0] = bytes[0];
		return;
	}
	/* zeros after a short packet pad its line */
	uint32_t line = ret->size;
	while (line < 8 && line < size && !bytes[line])
		line++;
	ret->line = line;
}

enum perfdata_status pd_intel_take_info(struct pd_aux_setup *setup, const struct perfdata_list *words,
					const struct pd_aux_header *header)
{
	(void)header;
	if (words->count >= 5 && perfdata_list_u64(words, 4))
		setup->clock = (struct pd_aux_clock){ .shift = perfdata_list_u64(words, 1),
						      .mult = perfdata_list_u64(words, 2),
						      .zero = perfdata_list_u64(words, 3) };
	return PERFDATA_OK;
}
