/* SPDX-License-Identifier: MIT */
/* Writes packets of the Arm Statistical Profiling Extension as `perf script -D` does. */
#include "config.h"
#include <inttypes.h>
#include "auxtrace/packet_line.h"
#include "auxtrace/spe_packet.h"
#include "text/spelling.h"

static void write_flag(struct perfdata_text *out, uint64_t bits, const char *text)
{
	if (bits)
		perfdata_text_string(out, text);
}

/* Writes the names of the bits in their order; then the name that only Neoverse N1 has; then numbers of other bits. */
static void events_text(const struct pd_aux_trace *trace, uint64_t events, struct perfdata_text *out)
{
	unsigned nr_names;
	const char *const *names = pd_spe_event_names(&nr_names);
	perfdata_text_literal(out, "EV");
	for (unsigned bit = 0; bit < nr_names; bit++) {
		if (!(events >> bit & 1) || !names[bit])
			continue;
		perfdata_text_char(out, ' ');
		perfdata_text_string(out, names[bit]);
		events &= ~(1ull << bit);
	}
	if (events >> PD_SPE_LATE_PREFETCH & 1 && pd_spe_is_n1(trace->midr)) {
		perfdata_text_literal(out, " LATE-PREFETCH");
		events &= ~(1ull << PD_SPE_LATE_PREFETCH);
	}
	for (const char *before = " IMPDEF:"; events; events &= events - 1, before = ",") {
		perfdata_text_string(out, before);
		perfdata_text_u64(out, (uint64_t)__builtin_ctzll(events));
	}
}

static void vector_length(struct perfdata_text *out, const char *text, uint64_t length)
{
	perfdata_text_string(out, text);
	perfdata_text_u64(out, length);
}

static void other_text(uint64_t op, struct perfdata_text *out)
{
	if ((op & 0x89) == 0x08) {
		vector_length(out, "SVE-OTHER EVLEN ", 32ull << (op >> 4 & 7));
		write_flag(out, op & 2, " FP");
		write_flag(out, op & 4, " PRED");
	} else if ((op & 0x89) == 0x88) {
		vector_length(out, "SME-OTHER ETS ", 128ull << ((op >> 4 & 7) * 2 + (op >> 2 & 1)));
		write_flag(out, op & 2, " FP");
	} else {
		perfdata_text_literal(out, "OTHER");
		write_flag(out, op & 4, " ASE");
		write_flag(out, op & 2, " FP");
		perfdata_text_string(out, op & 1 ? " COND-SELECT" : " INSN-OTHER");
	}
}

/* Returns perf's name of a load or store that has one name as a whole; else NULL. */
static const char *memory_kind(uint64_t op)
{
	switch (op & 0xfe) {
	case 0x04:
		return " SIMD-FP";
	case 0x00:
		return " GP-REG";
	case 0x10:
		return " UNSPEC-REG";
	case 0x30:
		return " NV-SYSREG";
	case 0x14:
		return " MTE-TAG";
	case 0x20:
		return " MEMCPY";
	default:
		return (op & 0xff) == 0x25 ? " MEMSET" : NULL;
	}
}

static void memory_text(uint64_t op, struct perfdata_text *out)
{
	perfdata_text_string(out, op & 1 ? "ST" : "LD");
	const char *kind = memory_kind(op);
	if ((op & 0xe2) == 0x02) {
		write_flag(out, op & 4, " AT");
		write_flag(out, op & 8, " EXCL");
		write_flag(out, op & 16, " AR");
	} else if (kind) {
		perfdata_text_string(out, kind);
	} else if ((op & 0x0a) == 0x08) {
		vector_length(out, " SVE-SME-REG EVLEN ", 32ull << (op >> 4 & 7));
		write_flag(out, op & 4, " PRED");
		write_flag(out, op & 128, " SG");
	} else if ((op & 0xfa) == 0x40) {
		perfdata_text_literal(out, " GCS");
		write_flag(out, op & 4, " COMM");
	}
}

static void branch_text(uint64_t op, struct perfdata_text *out)
{
	static const char *const returns[4] = { "", " CR-BL", " CR-RET", " CR-NON-BL-RET" };
	perfdata_text_literal(out, "B");
	write_flag(out, op & 1, " COND");
	write_flag(out, op & 2, " IND");
	write_flag(out, op & 4, " GCS");
	perfdata_text_string(out, returns[op >> 3 & 3]);
}

static void operation_text(const struct pd_packet *packet, struct perfdata_text *out)
{
	const uint64_t op = packet->words[0];
	switch (packet->words[1]) {
	case 0:
		other_text(op, out);
		break;
	case 1:
		memory_text(op, out);
		break;
	case 2:
		branch_text(op, out);
		break;
	default:
		perfdata_text_literal(out, "OP-TYPE 0x");
		pd_text_hex(out, op);
		perfdata_text_literal(out, " (3)");
	}
}

static void counter_text(const struct pd_packet *packet, struct perfdata_text *out)
{
	static const char *const names[3] = { "TOT", "ISSUE", "XLAT" };
	perfdata_text_literal(out, "LAT ");
	perfdata_text_u64(out, packet->words[0] & 0xffff);
	perfdata_text_char(out, ' ');
	if (packet->words[1] < 3)
		perfdata_text_string(out, names[packet->words[1]]);
}

static void write_number(struct perfdata_text *out, const char *text, uint64_t value)
{
	perfdata_text_string(out, text);
	perfdata_text_u64(out, value);
}

static void address_text(const struct pd_packet *packet, struct perfdata_text *out)
{
	const uint64_t value = packet->words[0], low = value & 0xffffffffffffffull;
	const char *name = packet->kind == PD_SPE_ADDR_OTHER ? "ADDR" : pd_spe_kinds[packet->kind].name;
	perfdata_text_string(out, name);
	perfdata_text_literal(out, " 0x");
	if (packet->kind == PD_SPE_ADDR_VA) {
		pd_text_hex(out, value);
	} else if (packet->kind == PD_SPE_ADDR_PA) {
		pd_text_hex(out, low);
		write_number(out, " ns=", value >> 63);
		write_number(out, " ch=", value >> 62 & 1);
		perfdata_text_literal(out, " pat=");
		pd_text_hex(out, value >> 56 & 15);
	} else if (packet->kind == PD_SPE_ADDR_OTHER) {
		pd_text_hex(out, value);
		write_number(out, " (", packet->words[1]);
		perfdata_text_char(out, ')');
	} else {
		pd_text_hex(out, low);
		write_number(out, " el", value >> 61 & 3);
		write_number(out, " ns=", value >> 63);
	}
}

static void describe_packet(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out)
{
	switch (packet->kind) {
	case PD_SPE_BAD:
		perfdata_text_literal(out, "Bad packet!");
		break;
	case PD_SPE_PAD:
	case PD_SPE_END:
		perfdata_text_string(out, pd_spe_kinds[packet->kind].name);
		break;
	case PD_SPE_TS:
	case PD_SPE_DATA_SOURCE:
		perfdata_text_string(out, pd_spe_kinds[packet->kind].name);
		perfdata_text_char(out, ' ');
		perfdata_text_s64(out, (int64_t)packet->words[0]);
		break;
	case PD_SPE_EV:
		events_text(trace, packet->words[0], out);
		break;
	case PD_SPE_CTX:
		perfdata_text_literal(out, "CONTEXT 0x");
		pd_text_hex(out, packet->words[0]);
		write_number(out, " el", packet->words[2]);
		break;
	case PD_SPE_OP:
		operation_text(packet, out);
		break;
	case PD_SPE_LAT:
		counter_text(packet, out);
		break;
	default:
		address_text(packet, out);
	}
}

static void write_spe_text(const struct pd_aux_trace *trace, const struct pd_packet *packet, struct perfdata_text *out)
{
	if (pd_spe_is_undescribed(packet))
		perfdata_text_printf(out, "OP-TYPE 0x%" PRIx64 " (0)", packet->words[0]);
	else
		describe_packet(trace, packet, out);
}

static void write_spe_header(const struct pd_aux_trace *trace, const struct pd_aux_state *state,
			     struct perfdata_text *out)
{
	(void)state;
	perfdata_text_printf(out, ". ... ARM SPE data: size %#" PRIx64 " bytes\n", trace->size);
}

static void write_spe_line(const struct pd_aux_trace *trace, const struct pd_aux_state *state,
			   const struct pd_packet *packet, const uint8_t *bytes, uint64_t at, struct perfdata_text *out)
{
	char *to = perfdata_text_reserve(out, PD_LINE_HEAD);
	if (!to)
		return;
	perfdata_text_commit(out, pd_line_head_to(to, at, bytes, packet->line, 16));
	if (pd_spe_is_undescribed(packet) && state->described.kind)
		packet = &state->described;
	write_spe_text(trace, packet, out);
	perfdata_text_char(out, '\n');
}

const struct pd_tracer pd_spe_tracer = {
	.type = PD_AUX_ARM_SPE,
	.name = "arm_spe",
	.kinds = pd_spe_kinds,
	.nr_kinds = PD_SPE_KINDS,
	.has_operations = true,
	.take_info = pd_spe_take_info,
	.next = pd_spe_next,
	.header = write_spe_header,
	.line = write_spe_line,
	.text = write_spe_text,
};
