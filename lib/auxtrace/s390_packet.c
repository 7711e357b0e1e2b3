/* SPDX-License-Identifier: MIT */
/* CPU measurement sampling of s390: blocks of 4096 bytes with entries and a trailer, big-endian ("The
 * Load-Program-Parameter and CPU-Measurement Facilities", SA23-2260). */
#include "config.h"
#include <string.h>
#include <inttypes.h>
#include "base/cursor.h"
#include "auxtrace/packet_rows.h"
#include "text/spelling.h"

enum { BAD, BASIC, DIAGNOSTIC, TRAILER_ENTRY, KINDS };

#define TRAILER 64u
#define BASIC_SIZE 32u

static const struct pd_packet_field bad_fields[] = { FIELD("definition", "What the entry says it is.", 0, 0, 16, HEX) };
static const struct pd_packet_field basic_fields[] = {
	FIELD("definition", "What the entry says it is.", 0, 48, 16, HEX),
	FIELD("instructions", "Unique instructions.", 0, 40, 4, DEC),
	FIELD("dat", "Dynamic address translation (T).", 0, 37, 1, FLAG),
	FIELD("wait", "The processor waits (W).", 0, 36, 1, FLAG),
	FIELD("problem", "Problem state: a user's program (P).", 0, 35, 1, FLAG),
	FIELD("address_space", "Address space (AS).", 0, 33, 2, DEC),
	FIELD("invalid", "The entry is not valid (I).", 0, 32, 1, FLAG),
	FIELD("configuration", "Configuration level (CL).", 0, 30, 2, DEC),
	FIELD("asn", "Primary address space number.", 0, 0, 16, HEX),
	FIELD("address", "Instruction address.", 1, 0, 64, HEX),
	FIELD("gpp", "Guest program parameter.", 2, 0, 64, HEX),
	FIELD("hpp", "Host program parameter.", 3, 0, 64, HEX),
};
static const struct pd_packet_field diagnostic_fields[] = {
	FIELD("definition", "What the entry says it is.", 0, 48, 16, HEX),
	FIELD("invalid", "The entry is not valid (I).", 0, 32, 1, FLAG),
};
static const struct pd_packet_field trailer_fields[] = {
	FIELD("full", "The block is full (F).", 0, 63, 1, FLAG),
	FIELD("alert", "Alert was asked for (A).", 0, 62, 1, FLAG),
	FIELD("timestamp_valid", "The time is valid (T).", 0, 61, 1, FLAG),
	FIELD("basic_size", "Bytes of a basic entry.", 5, 16, 16, DEC),
	FIELD("diagnostic_size", "Bytes of a diagnostic entry.", 5, 0, 16, DEC),
	FIELD("overflow", "Entries that were lost.", 1, 0, 64, DEC),
	FIELD("timestamp", "Time of day clock.", 2, 0, 64, HEX),
	FIELD("clock_base_valid", "The clock's base is valid (C).", 3, 63, 1, FLAG),
	FIELD("clock_base", "Base of the clock.", 4, 0, 64, HEX),
};
static const struct pd_packet_kind kinds[KINDS] = {
	[BAD] = KIND_OF("bad", "An entry that is of no kind.", bad_fields),
	[BASIC] = KIND_OF("basic", "Basic sample.", basic_fields),
	[DIAGNOSTIC] = KIND_OF("diagnostic", "Diagnostic sample.", diagnostic_fields),
	[TRAILER_ENTRY] = KIND_OF("trailer", "End of a block.", trailer_fields),
};

static uint16_t load_big16(const uint8_t *at) { return pd_load16(at, pd_order_is_foreign(PERFDATA_BYTE_ORDER_BIG)); }
static uint64_t load_big64(const uint8_t *at) { return pd_load64(at, pd_order_is_foreign(PERFDATA_BYTE_ORDER_BIG)); }

/* Returns the size of diagnostic entries on machines whose trailers do not state it; 0: unknown. */
static uint16_t size_by_machine(uint64_t machine)
{
	switch (machine) {
	case 2097: case 2098:
		return 64;
	case 2817: case 2818:
		return 74;
	case 2827: case 2828:
		return 85;
	default:
		return 0;
	}
}

static void begin_s390(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size)
{
	if (!trace->size || trace->size % PD_S390_BLOCK || size < PD_S390_BLOCK || load_big16(bytes) != 1) {
		state->refused = true;
		return;
	}
	const uint8_t *trailer = bytes + PD_S390_BLOCK - TRAILER;
	uint16_t basic = load_big16(trailer + 4), diagnostic = load_big16(trailer + 6);
	if (!basic || !diagnostic) {
		basic = BASIC_SIZE;
		diagnostic = size_by_machine(trace->machine);
	}
	state->refused = !diagnostic || basic + diagnostic > PD_S390_BLOCK - TRAILER;
	state->form = (uint32_t)basic << 16 | diagnostic;
}

static void take_trailer(const uint8_t *at, uint32_t sizes, struct pd_packet *ret)
{
	ret->kind = TRAILER_ENTRY;
	ret->size = ret->line = TRAILER;
	ret->words[0] = load_big64(at);
	ret->words[1] = load_big64(at + 8);
	ret->words[2] = load_big64(at + 17);    /* without the first byte, which counts epochs */
	ret->words[3] = load_big64(at + 48);
	ret->words[4] = load_big64(at + 56);
	ret->words[5] = sizes;
}

/* Returns the offset of the next packet from `inside` on. Entries come in pairs; too little room for a pair is
 * empty. */
static uint32_t next_in_block(const struct pd_aux_state *state, uint32_t inside)
{
	const uint32_t pair = (state->form >> 16) + (state->form & 0xffff);
	return state->ip || PD_S390_BLOCK - TRAILER - inside >= pair ? inside : PD_S390_BLOCK - TRAILER;
}

static bool take_entry(const struct pd_aux_state *state, const uint8_t *bytes, struct pd_packet *ret)
{
	const uint32_t basic = state->form >> 16, diagnostic = state->form & 0xffff;
	const uint16_t definition = load_big16(bytes);
	if (!state->ip && definition == 1 && basic >= BASIC_SIZE) {
		ret->kind = BASIC;
		ret->size = basic;
		for (unsigned i = 0; i < 4; i++)
			ret->words[i] = load_big64(bytes + 8 * i);
		return true;
	}
	if (!state->ip || definition < 0x8001 || diagnostic < 8)
		return false;
	ret->kind = DIAGNOSTIC;
	ret->size = diagnostic;
	ret->words[0] = load_big64(bytes);
	return true;
}

static bool next_s390_packet(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes,
			     size_t size, struct pd_packet *ret)
{
	const uint32_t inside = (uint32_t)(state->at % PD_S390_BLOCK), trailer = PD_S390_BLOCK - TRAILER;

	if (state->refused || size < PD_S390_BLOCK - inside)
		return false;
	if (inside == trailer) {
		take_trailer(bytes, state->form, ret);
		return true;
	}
	uint32_t following;
	if (take_entry(state, bytes, ret)) {
		state->ip = !state->ip;
		following = next_in_block(state, inside + ret->size);
	} else {
		/* no further entry before the trailer; perf's dump ends here */
		ret->kind = BAD;
		ret->size = trailer - inside;
		ret->words[0] = load_big16(bytes);
		state->ip = 0;
		state->refused = trace->stops_at_bad;
		following = trailer;
	}
	ret->line = following - inside;
	return true;
}

static char bit_letter(uint64_t word, unsigned bit, char c) { return word >> bit & 1 ? c : ' '; }

/* Writes %#0*x: the width includes the prefix, which 0 lacks. */
static void write_alternate(struct perfdata_text *out, uint64_t value, unsigned width)
{
	char digits[32];
	if (value)
		perfdata_text_literal(out, "0x");
	const char *end = pd_hex_width_to(digits, value, value ? width - 2 : width > 16 ? 16 : width);
	if (!value && width > 16)
		perfdata_text_fill(out, '0', width - 16);
	perfdata_text_append(out, digits, (size_t)(end - digits));
}

static void basic_line(const uint64_t *words, struct perfdata_text *out)
{
	const uint64_t head = words[0];
	perfdata_text_printf(out, "Basic   Def:%04x Inst:", (unsigned)(head >> 48));
	write_alternate(out, head >> 40 & 15, 4);
	perfdata_text_printf(out, " %c%c%c%c AS:%d ASN:", bit_letter(head, 37, 'T'), bit_letter(head, 36, 'W'),
			     bit_letter(head, 35, 'P'), bit_letter(head, 32, 'I'), (int)(head >> 33 & 3));
	write_alternate(out, head & 0xffff, 4);
	perfdata_text_literal(out, " IA:");
	write_alternate(out, words[1], 18);
	perfdata_text_printf(out, "\n\t\tCL:%d HPP:", (int)(head >> 30 & 3));
	write_alternate(out, words[3], 18);
	perfdata_text_literal(out, " GPP:");
	write_alternate(out, words[2], 18);
	perfdata_text_char(out, '\n');
}

static void write_s390_line(const struct pd_aux_trace *trace, const struct pd_aux_state *state,
			    const struct pd_packet *packet, const uint8_t *bytes, uint64_t at,
			    struct perfdata_text *out)
{
	(void)trace;
	(void)state;
	(void)bytes;
	const uint64_t *words = packet->words;
	if (packet->kind == BAD)
		return;
	perfdata_text_literal(out, "    [");
	write_alternate(out, at, 8);
	perfdata_text_literal(out, "] ");
	if (packet->kind == BASIC) {
		basic_line(words, out);
	} else if (packet->kind == DIAGNOSTIC) {
		perfdata_text_printf(out, "Diag    Def:%04x %c\n", (unsigned)(words[0] >> 48),
				     bit_letter(words[0], 32, 'I'));
	} else {
		perfdata_text_printf(out, "Trailer %c%c%c bsdes:%d dsdes:%d Overflow:%" PRId64 " Time:",
				     bit_letter(words[0], 63, 'F'), bit_letter(words[0], 62, 'A'),
				     bit_letter(words[0], 61, 'T'), (int)(words[5] >> 16), (int)(words[5] & 0xffff),
				     (int64_t)words[1]);
		pd_text_hex_alt(out, words[2]);
		perfdata_text_printf(out, "\n\t\tC:%d TOD:", (int)(words[3] >> 63));
		pd_text_hex_alt(out, words[4]);
		perfdata_text_char(out, '\n');
	}
}

static void write_s390_header(const struct pd_aux_trace *trace, const struct pd_aux_state *state,
			      struct perfdata_text *out)
{
	(void)state;
	perfdata_text_printf(out, ". ... s390 AUX data: size %" PRIu64 " bytes\n", trace->size);
}

/* Takes the machine number from the header's CPUID: "IBM,3906,…". */
static enum perfdata_status take_info(struct pd_aux_setup *setup, const struct perfdata_list *words,
				      const struct pd_aux_header *of_file)
{
	(void)words;
	const char *comma = of_file->cpuid ? strchr(of_file->cpuid, ',') : NULL;
	if (comma)
		setup->machine = pd_number_in(comma + 1, 10);
	return PERFDATA_OK;
}

const struct pd_tracer pd_s390_tracer = {
	.type = PD_AUX_S390,
	.name = "s390_cpumsf",
	.kinds = kinds,
	.nr_kinds = KINDS,
	.take_info = take_info,
	.begin = begin_s390,
	.next = next_s390_packet,
	.header = write_s390_header,
	.line = write_s390_line,
};
