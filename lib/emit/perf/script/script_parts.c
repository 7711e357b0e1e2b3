/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <ctype.h>
#include <string.h>
#include "emit/perf/sample_text.h"
#include "emit/perf/script/script_parts.h"
#include "schema/schema.h"
#include "text/spelling.h"

/* --- data_src ----------------------------------------------------------------------------------------------------- */

#define DECODED_MAX 99u   /* size of perf's buffers */

static const char *const lvl_names[] = {
	"L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)", "Remote RAM (2 hops)", "Remote Cache (1 hop)",
	"Remote Cache (2 hops)", "I/O", "Uncached",
};
static const char *const lvl_num_names[] = {
	[1] = "L1",       [2] = "L2",  [3] = "L3",   [4] = "L4",         [5] = "L2 MHB",   [6] = "Memory-side Cache",
	[8] = "Uncached", [9] = "CXL", [10] = "I/O", [11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM",
	[14] = "PMEM",
};
static const char *const hops_names[] = { NULL, "core, same node", "node, same socket", "socket, same board", "board" };
static const char *const snoop_names[] = { "N/A", "None", "Hit", "Miss", "HitM" };
static const char *const snoopx_names[] = { "Fwd", "Peer" };
static const char *const tlb_names[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };

enum { HIT = 2, MISS = 4 };

/* Appends the names of the set bits, joined by " or "; returns their number. */
static unsigned spell_bits(struct perfdata_text *out, uint64_t bits, const char *const *names, unsigned nr,
			   unsigned before)
{
	for (unsigned i = 0; i < nr; i++) {
		if (!(bits >> i & 1) || !names[i])
			continue;
		if (before++)
			perfdata_text_literal(out, " or ");
		perfdata_text_string(out, names[i]);
	}
	return before;
}

static void spell_op(struct perfdata_text *out, uint64_t op)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		if (op >> i & 1) {
			perfdata_text_string(out, names[i]);
			return;
		}
	}
	perfdata_text_literal(out, "No");
}

static void spell_level(struct perfdata_text *out, uint64_t data_src)
{
	const unsigned lvl = data_src >> 5 & 0x3fff, number = data_src >> 33 & 15, hops = data_src >> 43 & 7;
	const bool remote = data_src >> 37 & 1;
	const char *result = lvl & HIT ? "hit" : lvl & MISS ? "miss" : "";
	if (number && number != 15) {
		if (remote)
			perfdata_text_literal(out, "Remote ");
		if (hops && hops < sizeof hops_names / sizeof *hops_names) {
			perfdata_text_string(out, hops_names[hops]);
			perfdata_text_char(out, ' ');
		}
		const char *name = lvl_num_names[number];
		if (name)
			perfdata_text_string(out, name);
		else
			perfdata_text_literal(out, "Unknown level 7");
		perfdata_text_char(out, ' ');
		perfdata_text_string(out, result);
		return;
	}
	if (!spell_bits(out, lvl >> 3, lvl_names, sizeof lvl_names / sizeof *lvl_names, 0)) {
		perfdata_text_literal(out, "N/A");
		return;
	}
	perfdata_text_char(out, ' ');
	perfdata_text_string(out, result);
}

static void spell_tlb(struct perfdata_text *out, uint64_t tlb)
{
	if (!spell_bits(out, tlb, tlb_names, sizeof tlb_names / sizeof *tlb_names, 0))
		perfdata_text_literal(out, "N/A");
	if (tlb & HIT)
		perfdata_text_literal(out, " hit");
	if (tlb & MISS)
		perfdata_text_literal(out, " miss");
}

static void decode_data_src(uint64_t data_src, struct perfdata_text *out)
{
	perfdata_text_literal(out, "|OP ");
	spell_op(out, data_src & 0x1f);
	perfdata_text_literal(out, "|LVL ");
	spell_level(out, data_src);
	perfdata_text_literal(out, "|SNP ");
	unsigned snoops = spell_bits(out, data_src >> 19 & 0x1f, snoop_names, 5, 0);
	if (!spell_bits(out, data_src >> 38 & 3, snoopx_names, 2, snoops))
		perfdata_text_literal(out, "N/A");
	perfdata_text_literal(out, "|TLB ");
	spell_tlb(out, data_src >> 26 & 0x7f);
	const unsigned lock = data_src >> 24 & 3, block = data_src >> 40 & 7;
	perfdata_text_string(out, lock & 1 ? "|LCK N/A" : lock & 2 ? "|LCK Yes" : "|LCK No");
	perfdata_text_literal(out, "|BLK ");
	if (!block || block & 1) {
		perfdata_text_literal(out, " N/A");
		return;
	}
	if (block & 2)
		perfdata_text_literal(out, " Data");
	if (block & 4)
		perfdata_text_literal(out, " Addr");
}

void pd_script_data_src(uint64_t data_src, struct perfdata_text *out)
{
	const size_t before = out->size;
	pd_text_hex_pad(out, data_src, 16);
	perfdata_text_char(out, ' ');
	const size_t decoded = out->size;
	decode_data_src(data_src, out);
	if (out->size - decoded > DECODED_MAX)
		out->size = decoded + DECODED_MAX;
	if (out->size - before > DECODED_MAX)
		out->size = before + DECODED_MAX;
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

void pd_script_registers(const struct perfdata_regs *regs, enum perfdata_arch arch, struct perfdata_text *out)
{
	if (!regs->values.count)
		return;
	perfdata_text_literal(out, " ABI:");
	perfdata_text_u64(out, regs->abi);
	perfdata_text_char(out, ' ');
	uint64_t index = 0;
	for (unsigned bit = 0; bit < 64 && index < regs->values.count; bit++) {
		if (!(regs->mask >> bit & 1))
			continue;
		const char *name = pd_register_name(arch, bit);
		name = name ? name : "unknown";
		const size_t size = strlen(name);
		perfdata_text_fill(out, ' ', size < 5 ? 5 - size : 0);
		perfdata_text_append(out, name, size);
		perfdata_text_literal(out, ":0x");
		pd_text_hex(out, perfdata_list_u64(&regs->values, index++));
		perfdata_text_char(out, ' ');
	}
}

/* --- branches ----------------------------------------------------------------------------------------------------- */

static void spell_flags(struct perfdata_text *out, uint64_t flags)
{
	const bool mispredicted = flags & 1, predicted = flags & 2, in_tx = flags & 4, aborted = flags & 8,
		   not_taken = flags >> 33 & 1;
	perfdata_text_char(out, '/');
	if (predicted || mispredicted || not_taken) {
		perfdata_text_char(out, predicted ? 'P' : 'M');
		if (not_taken)
			perfdata_text_char(out, 'N');
	} else {
		perfdata_text_char(out, '-');
	}
	perfdata_text_string(out, in_tx ? "/X" : "/-");
	perfdata_text_string(out, aborted ? "/A/" : "/-/");
	perfdata_text_u64(out, flags >> 4 & 0xffff);
	perfdata_text_char(out, '/');
	perfdata_text_string(out, pd_sample_text_branch_type(flags));
	perfdata_text_char(out, '/');
	const char *spec = pd_sample_text_branch_spec(flags);
	perfdata_text_string(out, *spec ? spec : "-");
	perfdata_text_char(out, ' ');
}

/* brstackoff: the offset in the file, for files that perf has not read. */
static uint64_t offset_of(const struct perfdata_session *session, uint32_t frame, uint64_t address)
{
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	const struct perfdata_dso *dso = at ? perfdata_session_dso(session, at->dso) : NULL;
	struct perfdata_symbol symbol;
	if (!dso)
		return address;
	if (dso->kind == PERFDATA_DSO_KERNEL || dso->kind == PERFDATA_DSO_MODULE)
		return at->address - dso->start;
	return perfdata_session_symbol(session, frame, UINT64_MAX, &symbol) == PERFDATA_OK ? address : at->address;
}

static void spell_end(const struct script_where *where, uint64_t fields, uint64_t address, uint32_t frame,
		      struct perfdata_text *out)
{
	if (fields & SCRIPT_BRSTACKSYM) {
		const struct script_where with_offset = { where->setup, where->cache,
							  where->ip_fields | SCRIPT_SYMOFF };
		pd_script_symbol_text(&with_offset, frame, out);
	} else {
		perfdata_text_literal(out, "0x");
		pd_text_hex(out, fields & SCRIPT_BRSTACKOFF ? offset_of(where->setup->session, frame, address)
								  : address);
	}
	if (fields & SCRIPT_DSO) {
		perfdata_text_literal(out, " (");
		pd_script_dso_text(where, frame, out);
		perfdata_text_char(out, ')');
	}
}

void pd_script_branches(const struct script_where *where, uint64_t fields, const struct perfdata_list *entries,
			const uint32_t *frames, struct perfdata_text *out)
{
	for (uint64_t i = 0; i < entries->count; i++) {
		struct perfdata_branch branch;
		perfdata_list_get(entries, i, &branch, sizeof branch);
		if (!(fields & SCRIPT_BRSTACKSYM))
			perfdata_text_char(out, ' ');
		spell_end(where, fields, branch.from, frames ? frames[2 * i] : PERFDATA_NONE, out);
		perfdata_text_char(out, '/');
		spell_end(where, fields, branch.to, frames ? frames[2 * i + 1] : PERFDATA_NONE, out);
		spell_flags(out, branch.flags);
	}
}

/* --- bpf-output --------------------------------------------------------------------------------------------------- */

/* perf's character tables count bytes from 0xa0 on as printable. */
static bool is_printable(uint8_t c) { return (c >= 0x20 && c < 0x7f) || c >= 0xa0; }

static bool is_text(struct perfdata_bytes raw)
{
	if (!raw.size || raw.data[raw.size - 1] != 0)
		return false;
	size_t size = strnlen((const char *)raw.data, raw.size);
	for (size_t i = 0; i < size; i++)
		if (!is_printable(raw.data[i]) && !isspace(raw.data[i]))
			return false;
	for (size_t i = size; i < raw.size; i++)
		if (raw.data[i] != 0)
			return false;
	return true;
}

void pd_script_bpf_output(struct perfdata_bytes raw, struct perfdata_text *out)
{
	const size_t per_line = 8;
	perfdata_text_char(out, '\n');
	for (size_t at = 0; at < raw.size; at += per_line) {
		char offset[32];
		const size_t nr = raw.size - at < per_line ? raw.size - at : per_line;
		perfdata_text_string(out, at ? "                 " : "      BPF output:");
		perfdata_text_char(out, ' ');
		perfdata_text_append(out, offset, (size_t)(pd_hex_width_to(offset, at, 4) - offset));
		perfdata_text_char(out, ':');
		for (size_t i = 0; i < per_line; i++) {
			if (i >= nr) {
				perfdata_text_literal(out, "   ");
				continue;
			}
			perfdata_text_char(out, ' ');
			perfdata_text_bytes_hex(out, raw.data + at + i, 1);
		}
		perfdata_text_literal(out, "  ");
		for (size_t i = 0; i < per_line; i++)
			perfdata_text_char(out, i >= nr                          ? ' '
						: is_printable(raw.data[at + i]) ? (char)raw.data[at + i]
										 : '.');
		perfdata_text_char(out, '\n');
	}
	if (is_text(raw)) {
		perfdata_text_literal(out, "      BPF string: \"");
		perfdata_text_append(out, raw.data, strnlen((const char *)raw.data, raw.size));
		perfdata_text_literal(out, "\"\n");
	}
}

void pd_script_page_size(uint64_t size, struct perfdata_text *out)
{
	perfdata_text_char(out, ' ');
	pd_sample_text_page_size(size, out);
}

/* --- events that perf inject makes from instruction traces
 * ---------------------------------------------------------- */

enum synthesized {
	SYNTH_PTWRITE, SYNTH_MWAIT, SYNTH_PWRE, SYNTH_EXSTOP, SYNTH_PWRX, SYNTH_CBR, SYNTH_PSB, SYNTH_EVT, SYNTH_IFLAG,
};
#define SYNTH_WIDTH 34u

static uint64_t read_le(struct perfdata_bytes raw, size_t offset, size_t size)
{
	uint64_t value = 0;
	for (size_t i = 0; i < size && offset + i < raw.size; i++)
		value |= (uint64_t)raw.data[offset + i] << (8 * i);
	return value;
}

/* %#x */
static void spell_hex(struct perfdata_text *out, const char *name, uint64_t value)
{
	perfdata_text_string(out, name);
	if (value)
		perfdata_text_literal(out, "0x");
	pd_text_hex(out, value);
}

static void spell_number(struct perfdata_text *out, const char *name, uint64_t value)
{
	perfdata_text_string(out, name);
	perfdata_text_u64(out, value);
}

static void spell_cbr(struct perfdata_text *out, uint64_t flags, uint64_t khz)
{
	const uint64_t ratio = flags & 0xff, max_nonturbo = flags >> 16 & 0xff;
	perfdata_text_literal(out, " cbr: ");
	pd_text_u64_pad(out, ratio, 2);
	perfdata_text_literal(out, " freq: ");
	pd_text_u64_pad(out, (khz + 500) / 1000, 4);
	perfdata_text_literal(out, " MHz ");
	if (!max_nonturbo)
		return;
	perfdata_text_char(out, '(');
	pd_text_u64_pad(out, (5 + 1000 * ratio / max_nonturbo) / 10, 3);
	perfdata_text_literal(out, "%) ");
}

static void spell_ptwrite(struct perfdata_text *out, uint64_t flags, uint64_t payload)
{
	spell_number(out, " IP: ", flags & 1);
	spell_hex(out, " payload: ", payload);
	perfdata_text_char(out, ' ');
	for (unsigned i = 0; i < 8 && payload >> (8 * i) & 0xff; i++) {
		const uint8_t c = payload >> (8 * i) & 0xff;
		if (!is_printable(c))
			break;
		perfdata_text_char(out, (char)c);
	}
	perfdata_text_char(out, ' ');
}

static void spell_evt(struct perfdata_text *out, uint64_t flags, struct perfdata_bytes raw)
{
	static const char *const names[32] = {
		[1] = "INTR",    [2] = "IRET",   [3] = "SMI",         [4] = "RSM",       [5] = "SIPI",   [6] = "INIT",
		[7] = "VMENTRY", [8] = "VMEXIT", [9] = "VMEXIT_INTR", [10] = "SHUTDOWN", [12] = "UINTR", [13] = "UIRET",
	};
	static const char *const data_names[] = { "PFA", "VMXQ", "VMXR" };
	const char *name = names[flags & 0x1f];
	perfdata_text_literal(out, " cfe: ");
	if (name)
		perfdata_text_string(out, name);
	else
		perfdata_text_u64(out, flags & 0x1f);
	spell_number(out, " IP: ", flags >> 7 & 1);
	spell_number(out, " vector: ", flags >> 8 & 0xff);
	const size_t count = flags >> 16 & 0xffff;
	for (size_t i = 0; i < count && 4 + 16 * (i + 1) <= raw.size; i++) {
		const unsigned type = (unsigned)read_le(raw, 4 + 16 * i, 1) & 0x3f;
		perfdata_text_literal(out, "  ");
		if (type < sizeof data_names / sizeof *data_names)
			perfdata_text_string(out, data_names[type]);
		else
			perfdata_text_u64(out, type);
		spell_hex(out, ": ", read_le(raw, 4 + 16 * i + 8, 8));
	}
}

void pd_script_synthesized(uint64_t config, struct perfdata_bytes raw, enum perfdata_byte_order order,
			   struct perfdata_text *out)
{
	const size_t before = out->size;
	/* perf inject makes these events on x86 only */
	if (order != PERFDATA_BYTE_ORDER_LITTLE || raw.size < 4)
		return;
	const uint64_t flags = read_le(raw, 0, 4), payload = read_le(raw, 4, 8);
	switch (config) {
	case SYNTH_PTWRITE:
		spell_ptwrite(out, flags, payload);
		break;
	case SYNTH_MWAIT:
		spell_hex(out, " hints: ", payload & 0xff);
		spell_hex(out, " extensions: ", payload >> 32 & 3);
		perfdata_text_char(out, ' ');
		break;
	case SYNTH_PWRE:
		spell_number(out, " hw: ", payload >> 7 & 1);
		spell_number(out, " cstate: ", payload >> 12 & 15);
		spell_number(out, " sub-cstate: ", payload >> 8 & 15);
		perfdata_text_char(out, ' ');
		break;
	case SYNTH_EXSTOP:
		spell_number(out, " IP: ", flags & 1);
		perfdata_text_char(out, ' ');
		break;
	case SYNTH_PWRX:
		spell_number(out, " deepest cstate: ", payload & 15);
		spell_number(out, " last cstate: ", payload >> 4 & 15);
		spell_hex(out, " wake reason: ", payload >> 8 & 15);
		perfdata_text_char(out, ' ');
		break;
	case SYNTH_CBR:
		spell_cbr(out, flags, read_le(raw, 4, 4));
		break;
	case SYNTH_PSB:
		spell_hex(out, " psb offs: ", payload);
		break;
	case SYNTH_EVT:
		spell_evt(out, flags, raw);
		break;
	case SYNTH_IFLAG:
		spell_number(out, " IFLAG: ", !(flags & 1));
		spell_number(out, "->", flags & 1);
		perfdata_text_string(out, flags & 2 ? " via branch" : " via non branch");
		break;
	default:
		return;
	}
	const size_t size = out->size - before;
	perfdata_text_fill(out, ' ', size && size < SYNTH_WIDTH ? SYNTH_WIDTH - size : 0);
}
