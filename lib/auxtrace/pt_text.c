/* SPDX-License-Identifier: MIT */
/* Writes packets of Intel Processor Trace as `perf script -D` does. A trace has tens of millions of packets, so the
 * most frequent kinds have functions of their own. */
#include "config.h"
#include <inttypes.h>
#include "auxtrace/packet_line.h"
#include "auxtrace/pt_packet.h"
#include "text/decimal.h"
#include "text/spelling.h"

#define TEXT_ROOM 160u   /* room for any description */

#define TEXT(at, text) text_to((at), text, sizeof(text) - 1)
static inline char *text_to(char *at, const char *text, size_t size)
{
	memcpy(at, text, size);
	return at + size;
}

static char *tnt_to(char *at, uint64_t bits, unsigned count)
{
	at = TEXT(at, "TNT ");
	for (unsigned i = count; i--;)
		*at++ = bits >> i & 1 ? 'T' : 'N';
	at = TEXT(at, " (");
	at = pd_lead_to(at, count);
	*at++ = ')';
	return at;
}

static char *hex_to(char *at, uint64_t value)
{
	return pd_hex_to(TEXT(at, "0x"), value);
}
/* Writes %#x with a width of 2 digits. */
static char *hex2_to(char *at, uint64_t value)
{
	return pd_hex_width_to(TEXT(at, "0x"), value, 2);
}

static char *ip_to(char *at, const struct pd_packet *packet)
{
	return packet->words[1] ? hex_to(at, packet->words[0]) : TEXT(at, "no ip");
}

static char *power_to(char *at, const struct pd_packet *packet)
{
	const uint64_t value = packet->words[0];
	if (packet->kind == PD_PT_PWRE) {
		at = hex_to(TEXT(at, "PWRE "), value);
		at = pd_u64_to(TEXT(at, " HW:"), value >> 7 & 1);
		at = pd_u64_to(TEXT(at, " CState:"), value >> 12 & 15);
		return pd_u64_to(TEXT(at, " Sub-CState:"), value >> 8 & 15);
	}
	if (packet->kind == PD_PT_PWRX) {
		at = hex_to(TEXT(at, "PWRX "), value);
		at = pd_u64_to(TEXT(at, " Last CState:"), value >> 4 & 15);
		at = pd_u64_to(TEXT(at, " Deepest CState:"), value & 15);
		return hex_to(TEXT(at, " Wake Reason "), value >> 8 & 15);
	}
	at = hex_to(TEXT(at, "MWAIT "), value);
	at = hex_to(TEXT(at, " Hints "), value & 0xff);
	return hex_to(TEXT(at, " Extensions "), value >> 32 & 3);
}

static char *event_to(char *at, const struct pd_packet *packet)
{
	if (packet->kind == PD_PT_EVD) {
		at = hex2_to(TEXT(at, "EVD Type "), packet->words[1]);
		return hex_to(TEXT(at, " Payload "), packet->words[0]);
	}
	at = pd_u64_to(TEXT(at, "CFE IP:"), packet->words[0] >> 7 & 1);
	at = hex2_to(TEXT(at, " Type "), packet->words[0] & 0x1f);
	return hex_to(TEXT(at, " Vector "), packet->words[1]);
}

static char *block_to(char *at, const struct pd_packet *packet)
{
	if (packet->kind == PD_PT_BIP) {
		at = hex2_to(TEXT(at, "BIP ID "), packet->words[1]);
		return hex_to(TEXT(at, " Value "), packet->words[0]);
	}
	at = packet->words[1] == 4 ? TEXT(at, "BBP SZ 4-byte Type ") : TEXT(at, "BBP SZ 8-byte Type ");
	return hex_to(at, packet->words[0] & 0x1f);
}

static char *mode_to(char *at, const struct pd_packet *packet)
{
	if (packet->kind == PD_PT_MODE_EXEC) {
		at = pd_u64_to(TEXT(at, "MODE.Exec IF:"), packet->words[1]);
		*at++ = ' ';
		return pd_u64_to(at, packet->words[0]);
	}
	at = pd_u64_to(TEXT(at, "MODE.TSX TXAbort:"), packet->words[0] >> 1);
	return pd_u64_to(TEXT(at, " InTX:"), packet->words[0] & 1);
}

static char *rare_to(char *at, const struct pd_packet *packet)
{
	const uint64_t value = packet->words[0];
	switch (packet->kind) {
	case PD_PT_CBR:
		return hex_to(TEXT(at, "CBR "), value);
	case PD_PT_PTWRITE:
		at = hex_to(TEXT(at, "PTWRITE "), value);
		return pd_u64_to(TEXT(at, " IP:"), packet->words[1]);
	case PD_PT_PSBEND:
		return TEXT(at, "PSBEND");
	case PD_PT_BEP:
		return pd_u64_to(TEXT(at, "BEP IP:"), value);
	case PD_PT_EXSTOP:
		return pd_u64_to(TEXT(at, "EXSTOP IP:"), value);
	case PD_PT_PIP:
		at = hex_to(TEXT(at, "PIP "), value >> 1);
		at = pd_u64_to(TEXT(at, " (NR="), value & 1);
		return TEXT(at, ")");
	case PD_PT_TMA:
		at = hex_to(TEXT(at, "TMA CTC "), value);
		return hex_to(TEXT(at, " FC "), packet->words[1]);
	case PD_PT_PSB:
		return TEXT(at, "PSB");
	case PD_PT_TRACESTOP:
		return TEXT(at, "TraceSTOP");
	case PD_PT_MNT:
		return hex_to(TEXT(at, "MNT "), value);
	case PD_PT_VMCS:
		return hex_to(TEXT(at, "VMCS "), value);
	case PD_PT_OVF:
		return TEXT(at, "OVF");
	default:
		return TEXT(at, "Bad packet!");
	}
}

static char *packet_text_to(char *at, const struct pd_packet *packet)
{
	switch (packet->kind) {
	case PD_PT_PAD:
		return TEXT(at, "PAD");
	case PD_PT_TNT:
		return tnt_to(at, packet->words[0], (unsigned)packet->words[1]);
	case PD_PT_TIP:
		return ip_to(TEXT(at, "TIP "), packet);
	case PD_PT_TIP_PGE:
		return ip_to(TEXT(at, "TIP.PGE "), packet);
	case PD_PT_TIP_PGD:
		return ip_to(TEXT(at, "TIP.PGD "), packet);
	case PD_PT_FUP:
		return ip_to(TEXT(at, "FUP "), packet);
	case PD_PT_CYC:
		return hex_to(TEXT(at, "CYC "), packet->words[0]);
	case PD_PT_MTC:
		return hex_to(TEXT(at, "MTC "), packet->words[0]);
	case PD_PT_TSC:
		return hex_to(TEXT(at, "TSC "), packet->words[0]);
	case PD_PT_MODE_EXEC:
	case PD_PT_MODE_TSX:
		return mode_to(at, packet);
	case PD_PT_PWRE:
	case PD_PT_PWRX:
	case PD_PT_MWAIT:
		return power_to(at, packet);
	case PD_PT_CFE:
	case PD_PT_EVD:
		return event_to(at, packet);
	case PD_PT_BBP:
	case PD_PT_BIP:
		return block_to(at, packet);
	default:
		return rare_to(at, packet);
	}
}

/* Lines for which the buffer reserves room at once. */
#define LINES 256u

static void write_pt_lines(struct pd_aux_state *state, const uint8_t *bytes, size_t size, uint64_t from, uint64_t stop,
			   struct perfdata_text *out)
{
	const size_t end = (size_t)(stop - from);
	size_t at = (size_t)(state->at - from);
	struct pd_packet packet;

	while (at < end) {
		char *to = perfdata_text_reserve(out, LINES * (PD_LINE_HEAD + TEXT_ROOM));
		if (!to)
			break;
		for (unsigned n = 0; n < LINES && at < end; n++) {
			pd_pt_next(state, bytes + at, size - at, &packet);
			to = pd_line_head_to(to, from + at, bytes + at, packet.line, 16);
			to = packet_text_to(to, &packet);
			*to++ = '\n';
			at += packet.line;
		}
		perfdata_text_commit(out, to);
		perfdata_text_cut(out);
	}
	state->at = from + at;
}

static void write_pt_text(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out)
{
	(void)trace;
	char *at = perfdata_text_reserve(out, TEXT_ROOM);
	if (at)
		perfdata_text_commit(out, packet_text_to(at, packet));
}

static void write_pt_header(const struct pd_aux_trace *trace, const struct pd_aux_state *state,
			    struct perfdata_text *out)
{
	(void)state;
	perfdata_text_printf(out, ". ... Intel Processor Trace data: size %" PRIu64 " bytes\n", trace->size);
}

static bool next_pt_packet(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes,
			   size_t size, struct pd_packet *ret)
{
	(void)trace;
	pd_pt_next(state, bytes, size, ret);
	return true;
}

const struct pd_tracer pd_pt_tracer = {
	.type = PD_AUX_INTEL_PT,
	.in_samples = true,
	.name = "intel_pt",
	.kinds = pd_pt_kinds,
	.nr_kinds = PD_PT_KINDS,
	.take_info = pd_intel_take_info,
	.next = next_pt_packet,
	.header = write_pt_header,
	.lines = write_pt_lines,
	.text = write_pt_text,
};
