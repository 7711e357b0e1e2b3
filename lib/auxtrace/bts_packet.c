/* SPDX-License-Identifier: MIT */
/* Intel Branch Trace Store: 24 bytes for each branch (Intel SDM, volume 3, "BTS buffer"). */
#include "config.h"
#include "base/cursor.h"
#include "auxtrace/packet_line.h"
#include "auxtrace/rare_packet.h"

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
const struct pd_packet_kind pd_bts_kinds[PD_BTS_KINDS] = {
	[PD_BTS_BAD] = { "bad", "Part of a branch, at the end.", bad_fields, 1 },
	[PD_BTS_BRANCH] = { "branch", "A branch.", branch_fields, sizeof branch_fields / sizeof *branch_fields },
};

static uint64_t little64(const uint8_t *at) { return pd_load64(at, pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE)); }

void pd_bts_next(const uint8_t *bytes, size_t size, struct pd_packet *ret)
{
	if (size < PD_BTS_SIZE) {
		ret->kind = PD_BTS_BAD;
		ret->size = ret->line = (uint32_t)size;
		ret->words[0] = PD_BTS_SIZE - size;
		return;
	}
	ret->kind = PD_BTS_BRANCH;
	ret->size = ret->line = PD_BTS_SIZE;
	for (unsigned i = 0; i < 3; i++)
		ret->words[i] = little64(bytes + 8 * i);
}

static char *text_to(char *at, const struct pd_packet *packet)
{
	if (packet->kind == PD_BTS_BAD) {
		memcpy(at, "Bad record!", 11);
		return at + 11;
	}
	at = perfdata_hex_to(at, packet->words[0]);
	memcpy(at, " -> ", 4);
	at = perfdata_hex_to(at + 4, packet->words[1]);
	memcpy(at, packet->words[2] & 0x10 ? " pred" : " miss", 5);
	return at + 5;
}

void pd_bts_text(const struct pd_packet *packet, struct perfdata_text *out)
{
	char *at = perfdata_text_reserve(out, 96);
	if (at)
		perfdata_text_commit(out, text_to(at, packet));
}

void pd_bts_line(const struct pd_packet *packet, const uint8_t *bytes, uint64_t at, struct perfdata_text *out)
{
	char *to = perfdata_text_reserve(out, PD_LINE_HEAD + 96);
	if (!to)
		return;
	to = text_to(pd_line_head_to(to, at, bytes, packet->size, PD_BTS_SIZE), packet);
	*to++ = '\n';
	perfdata_text_commit(out, to);
}
