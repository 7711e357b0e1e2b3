/* SPDX-License-Identifier: MIT */
/* HiSilicon PCIe Tune and Trace: headers of transaction layer packets, of 32 or 16 bytes (Linux,
 * Documentation/trace/hisi-ptt.rst). */
#include "config.h"
#include <inttypes.h>
#include "base/cursor.h"
#include "auxtrace/packet_rows.h"

enum { BAD, LONG, SHORT, KINDS };

static const struct pd_packet_field long_fields[] = {
	FIELD("prefix", "Prefix.", 1, 0, 32, HEX), FIELD("dw0", "Header, first word.", 2, 0, 32, HEX),
	FIELD("dw1", "Header, second word.", 3, 0, 32, HEX), FIELD("dw2", "Header, third word.", 4, 0, 32, HEX),
	FIELD("dw3", "Header, fourth word.", 5, 0, 32, HEX), FIELD("time", "Time.", 7, 0, 32, HEX),
};
static const struct pd_packet_field short_fields[] = {
	FIELD("format", "Format.", 0, 30, 2, HEX),           FIELD("packet_type", "Type.", 0, 25, 5, HEX),
	FIELD("t9", "Tag, bit 9.", 0, 24, 1, FLAG),          FIELD("t8", "Tag, bit 8.", 0, 23, 1, FLAG),
	FIELD("th", "Processing hint.", 0, 22, 1, FLAG),     FIELD("so", "Relaxed order.", 0, 21, 1, FLAG),
	FIELD("length", "Length.", 0, 11, 10, HEX),          FIELD("time", "Time.", 0, 0, 11, HEX),
	FIELD("dw1", "Header, second word.", 1, 0, 32, HEX), FIELD("dw2", "Header, third word.", 2, 0, 32, HEX),
	FIELD("dw3", "Header, fourth word.", 3, 0, 32, HEX),
};
static const struct pd_packet_kind kinds[KINDS] = {
	[BAD] = KIND_BARE("bad", "Less than a packet, at the end."),
	[LONG] = KIND_OF("tlp_8dw", "Header of a packet, with its prefix.", long_fields),
	[SHORT] = KIND_OF("tlp_4dw", "Header of a packet.", short_fields),
};

static uint32_t word_at(const uint8_t *at) { return pd_load32(at, pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE)); }

/* Packets have 32 bytes if the first word has only ones in the bits for format and type of a 16-byte packet. */
static void begin_ptt(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size)
{
	(void)trace;
	state->form = size >= 4 && word_at(bytes) >> 11 == 0x1fffff ? 32 : 16;
}

static bool next_ptt_packet(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes,
			    size_t size, struct pd_packet *ret)
{
	(void)trace;
	if (size < state->form)
		return false;
	ret->kind = state->form == 32 ? LONG : SHORT;
	ret->size = ret->line = state->form;
	for (unsigned i = 0; i < state->form / 4; i++)
		ret->words[i] = word_at(bytes + 4 * i);
	return true;
}

/* Writes offset and bytes of a word, up to the column of its name. */
static void line_head(uint64_t at, uint64_t word, struct perfdata_text *out)
{
	perfdata_text_printf(out, ".  %08llx: ", (unsigned long long)at);
	for (unsigned i = 4; i--;)
		perfdata_text_printf(out, "%02x ", (unsigned)(word >> (8 * i) & 0xff));
	perfdata_text_fill(out, ' ', 32);
}

static void write_ptt_line(const struct pd_aux_trace *trace, const struct pd_aux_state *state,
			   const struct pd_packet *packet, const uint8_t *bytes, uint64_t at, struct perfdata_text *out)
{
	(void)trace;
	(void)state;
	static const char *const long_names[8] = { NULL,         "Prefix",     "Header DW0", "Header DW1",
						   "Header DW2", "Header DW3", NULL,         "Time" };
	static const char *const short_names[4] = { NULL, "Header DW1", "Header DW2", "Header DW3" };
	const bool is_long = packet->kind == LONG;

	for (unsigned i = 0; i < packet->size / 4; i++) {
		const char *name = is_long ? long_names[i] : short_names[i];
		const uint32_t word = word_at(bytes + 4 * i);
		if (!name && (is_long || i))
			continue;
		line_head(at + 4 * i, word, out);
		if (name)
			perfdata_text_string(out, name);
		else
			perfdata_text_printf(out, "Format %x Type %x T9 %x T8 %x TH %x SO %x Length %x Time %x",
					     word >> 30, word >> 25 & 31, word >> 24 & 1, word >> 23 & 1,
					     word >> 22 & 1, word >> 21 & 1, word >> 11 & 0x3ff, word & 0x7ff);
		perfdata_text_char(out, '\n');
	}
}

static void write_ptt_header(const struct pd_aux_trace *trace, const struct pd_aux_state *state,
			     struct perfdata_text *out)
{
	perfdata_text_printf(out, ". ... HISI PTT data: size %" PRIu64 " bytes\n",
			     trace->size - trace->size % state->form);
}

const struct pd_tracer pd_ptt_tracer = {
	.type = PD_AUX_HISI_PTT,
	.name = "hisi_ptt",
	.kinds = kinds,
	.nr_kinds = KINDS,
	.begin = begin_ptt,
	.next = next_ptt_packet,
	.header = write_ptt_header,
	.line = write_ptt_line,
};
