/* SPDX-License-Identifier: MIT */
/* Intel Branch Trace Store: a packet of 24 bytes for each branch (Intel SDM, volume 3, "BTS buffer"). */
#include "config.h"
#include <inttypes.h>
#include "base/cursor.h"
#include "auxtrace/packet_line.h"
#include "auxtrace/packet_rows.h"
#include "auxtrace/pt_packet.h"
#include "text/spelling.h"

enum { BAD, BRANCH, KINDS };
#define BRANCH_SIZE 24u

static const struct pd_packet_field bad_fields[] = {
	{ .name = "missing", .doc = "Bytes that a branch lacks.", .word = 0, .bits = 64, .show = PD_SHOW_DEC },
};
static const struct pd_packet_field branch_fields[] = {
	{ .name = "from", .doc = "The branch; 0: tracing begins.", .word = 0, .bits = 64, .show = PD_SHOW_HEX },
	{ .name = "to", .doc = "Its target; 0: tracing ends.", .word = 1, .bits = 64, .show = PD_SHOW_HEX },
	{ .name = "predicted",
	  .doc = "The branch was predicted.",
	  .word = 2,
	  .shift = 4,
	  .bits = 1,
	  .show = PD_SHOW_FLAG },
	{ .name = "flags", .doc = "All bits of its flags.", .word = 2, .bits = 64, .show = PD_SHOW_HEX },
};
static const struct pd_packet_kind kinds[KINDS] = {
	[BAD] = KIND_OF("bad", "Part of a branch, at the end.", bad_fields),
	[BRANCH] = KIND_OF("branch", "A branch.", branch_fields),
};

static uint64_t load_little64(const uint8_t *at)
{
	return pd_load64(at, pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE));
}

static bool next_bts_packet(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes,
			    size_t size, struct pd_packet *ret)
{
	(void)trace;
	(void)state;
	if (size < BRANCH_SIZE) {
		ret->kind = BAD;
		ret->size = ret->line = (uint32_t)size;
		ret->words[0] = BRANCH_SIZE - size;
		return true;
	}
	ret->kind = BRANCH;
	ret->size = ret->line = BRANCH_SIZE;
	for (unsigned i = 0; i < 3; i++)
		ret->words[i] = load_little64(bytes + 8 * i);
	return true;
}

static char *text_to(char *at, const struct pd_packet *packet)
{
	if (packet->kind == BAD) {
		memcpy(at, "Bad record!", 11);
		return at + 11;
	}
	at = pd_hex_to(at, packet->words[0]);
	memcpy(at, " -> ", 4);
	at = pd_hex_to(at + 4, packet->words[1]);
	memcpy(at, packet->words[2] & 0x10 ? " pred" : " miss", 5);
	return at + 5;
}

static void write_bts_text(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out)
{
	(void)trace;
	char *at = perfdata_text_reserve(out, 96);
	if (at)
		perfdata_text_commit(out, text_to(at, packet));
}

static void write_bts_line(const struct pd_aux_trace *trace, const struct pd_aux_state *state,
			   const struct pd_packet *packet, const uint8_t *bytes, uint64_t at, struct perfdata_text *out)
{
	(void)trace;
	(void)state;
	char *to = perfdata_text_reserve(out, PD_LINE_HEAD + 96);
	if (!to)
		return;
	to = text_to(pd_line_head_to(to, at, bytes, packet->size, BRANCH_SIZE), packet);
	*to++ = '\n';
	perfdata_text_commit(out, to);
}

static void write_bts_header(const struct pd_aux_trace *trace, const struct pd_aux_state *state,
			     struct perfdata_text *out)
{
	(void)state;
	perfdata_text_printf(out, ". ... Intel BTS data: size %" PRIu64 " bytes\n", trace->size);
}

const struct pd_tracer pd_bts_tracer = {
	.type = PD_AUX_INTEL_BTS,
	.name = "intel_bts",
	.kinds = kinds,
	.nr_kinds = KINDS,
	.take_info = pd_intel_take_info,
	.next = next_bts_packet,
	.header = write_bts_header,
	.line = write_bts_line,
	.text = write_bts_text,
};
