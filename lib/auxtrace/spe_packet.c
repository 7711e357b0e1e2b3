/* SPDX-License-Identifier: MIT */
/* Decodes packets of the Arm Statistical Profiling Extension: Arm Architecture Reference Manual, "Statistical Profiling
 * Extension Sample Record Specification". */
#include "config.h"
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "auxtrace/packet_rows.h"
#include "auxtrace/spe_packet.h"

/* --- fields of the packets ---------------------------------------------------------------------------------------- */

#define KIND(number, text, about, list) [PD_SPE_##number] = KIND_OF(text, about, list)
#define BARE(number, text, about) [PD_SPE_##number] = KIND_BARE(text, about)
#define TIME(number, text, about, list) [PD_SPE_##number] = KIND_TIME(text, about, list)

static const char *const event_names[PD_SPE_EVENT_BITS] = {
	"EXCEPTION-GEN", "RETIRED", "L1D-ACCESS", "L1D-REFILL", "TLB-ACCESS", "TLB-REFILL", "NOT-TAKEN", "MISPRED",
	"LLC-ACCESS", "LLC-REFILL", "REMOTE-ACCESS", "ALIGNMENT", NULL, NULL, NULL, NULL,
	"TXN", "SVE-PARTIAL-PRED", "SVE-EMPTY-PRED", "L2D-ACCESS", "L2D-MISS", "HITM", "LFB", "SNOOPED",
	"STREAMING-SVE", "SMCU",
};
static const char *const class_names[4] = { "other", "memory", "branch", NULL };
static const char *const counter_names[3] = { "total", "issue", "translation" };

static const struct pd_packet_field bad_fields[] = { FIELD("byte", "The byte that begins no packet.", 0, 0, 8, HEX) };
static const struct pd_packet_field ts_fields[] = { FIELD("timer", "The generic timer.", 0, 0, 64, DEC) };
static const struct pd_packet_field ev_fields[] = {
	{ .name = "events", .doc = "What happened.", .word = 0, .bits = 64, .show = PD_SHOW_NAMES, .names = event_names,
	  .nr_names = PD_SPE_EVENT_BITS },
};
static const struct pd_packet_field source_fields[] = { FIELD(
	"source", "Where data came from; the processor's own numbers.", 0, 0, 64, HEX) };
static const struct pd_packet_field context_fields[] = {
	FIELD("context", "Of the exception level: the tid, where Linux writes it.", 0, 0, 32, HEX),
	FIELD("level", "Exception level.", 2, 0, 8, DEC),
};
static const struct pd_packet_field op_fields[] = {
	{ .name = "class",
	  .doc = "Kind of operation.",
	  .word = 1,
	  .bits = 2,
	  .show = PD_SHOW_ENUM,
	  .names = class_names,
	  .nr_names = 4 },
	FIELD("operation", "Which operation.", 0, 0, 64, HEX),
};
static const struct pd_packet_field code_fields[] = {
	FIELD("address", "The address.", 0, 0, 56, HEX),
	FIELD("level", "Exception level.", 0, 61, 2, DEC),
	FIELD("nonsecure", "Not in the secure world.", 0, 63, 1, FLAG),
};
static const struct pd_packet_field virtual_fields[] = { FIELD("address", "The address, with its tag.", 0, 0, 64,
							       HEX) };
static const struct pd_packet_field physical_fields[] = {
	FIELD("address", "The address.", 0, 0, 56, HEX),
	FIELD("tag", "Physical address tag.", 0, 56, 4, HEX),
	FIELD("tag_checked", "Accessed with tag checks.", 0, 62, 1, FLAG),
	FIELD("nonsecure", "Not in the secure world.", 0, 63, 1, FLAG),
};
static const struct pd_packet_field address_fields[] = {
	FIELD("address", "The address.", 0, 0, 64, HEX),
	FIELD("index", "Which address.", 1, 0, 5, DEC),
};
static const struct pd_packet_field counter_fields[] = {
	FIELD("cycles", "Cycles.", 0, 0, 16, DEC),
	FIELD("index", "Which counter.", 1, 0, 5, DEC),
	{ .name = "counter",
	  .doc = "Its name.",
	  .word = 1,
	  .bits = 5,
	  .show = PD_SHOW_ENUM,
	  .names = counter_names,
	  .nr_names = 3 },
};

const struct pd_packet_kind pd_spe_kinds[PD_SPE_KINDS] = {
	KIND(BAD, "bad", "A byte that begins no packet.", bad_fields),
	BARE(PAD, "PAD", "Padding, and alignment."),
	BARE(END, "END", "End of a record that has no time."),
	TIME(TS, "TS", "Time; the end of a record.", ts_fields),
	KIND(EV, "EV", "Events.", ev_fields),
	KIND(DATA_SOURCE, "DATA-SOURCE", "Where loaded data came from.", source_fields),
	KIND(CTX, "CONTEXT", "Context.", context_fields),
	KIND(OP, "OP-TYPE", "Operation.", op_fields),
	KIND(ADDR_PC, "PC", "Address of the instruction.", code_fields),
	KIND(ADDR_TGT, "TGT", "Target of the branch.", code_fields),
	KIND(ADDR_VA, "VA", "Virtual address of the data.", virtual_fields),
	KIND(ADDR_PA, "PA", "Physical address of the data.", physical_fields),
	KIND(ADDR_PBT, "PBT", "Target of the branch before.", code_fields),
	KIND(ADDR_OTHER, "ADDR", "Another address.", address_fields),
	KIND(LAT, "LAT", "Cycles.", counter_fields),
};

const char *const *pd_spe_event_names(unsigned *ret_nr)
{
	*ret_nr = PD_SPE_EVENT_BITS;
	return event_names;
}

bool pd_spe_is_n1(uint64_t midr) { return (midr & 0xff0ffff0) == 0x410fd0c0; }

/* --- decoding ----------------------------------------------------------------------------------------------------- */

static uint64_t payload_at(const uint8_t *at, unsigned size)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

/* Takes a header of `head` bytes, whose last byte is `header`, and the payload, whose size `header` states. */
static bool take_payload(uint8_t kind, uint8_t header, unsigned head, const uint8_t *at, size_t left,
			 struct pd_packet *packet)
{
	const unsigned size = 1u << (header >> 4 & 3);
	if (left < head + size)
		return false;
	packet->kind = kind;
	packet->size = head + size;
	packet->words[0] = payload_at(at + head, size);
	return true;
}

static uint8_t address_kind(unsigned index)
{
	static const uint8_t kinds[5] = { PD_SPE_ADDR_PC, PD_SPE_ADDR_TGT, PD_SPE_ADDR_VA, PD_SPE_ADDR_PA,
					  PD_SPE_ADDR_PBT };
	return index < 5 ? kinds[index] : PD_SPE_ADDR_OTHER;
}

/* Takes a packet with an index (address or counter). A byte before the header holds the higher bits of the index. */
static bool take_numbered(const uint8_t *at, unsigned head, size_t left, struct pd_packet *packet)
{
	const uint8_t header = at[head - 1];
	const unsigned index = (head == 2 ? (at[0] & 3u) << 3 : 0) | (header & 7);
	packet->words[1] = index;
	if ((header & 0xf8) == 0xb0)
		return take_payload(address_kind(index), header, head, at, left, packet);
	return (header & 0xf8) == 0x98 && take_payload(PD_SPE_LAT, header, head, at, left, packet);
}

/* Takes a packet that ends at an address which is a multiple of a power of two. */
static bool take_alignment(const uint8_t *at, uint64_t address, size_t left, struct pd_packet *packet)
{
	const unsigned unit = 2u << (at[0] & 15);
	if (left < unit)
		return false;
	packet->kind = PD_SPE_PAD;
	packet->size = unit - (unsigned)(address & (unit - 1));
	return true;
}

static bool take_packet(const uint8_t *at, uint64_t address, size_t left, struct pd_packet *packet)
{
	const uint8_t header = at[0];
	packet->size = 1;
	if (header <= 0x01) {
		packet->kind = header ? PD_SPE_END : PD_SPE_PAD;
		return true;
	}
	if (header == 0x71)
		return take_payload(PD_SPE_TS, header, 1, at, left, packet);
	if ((header & 0xcf) == 0x42)
		return take_payload(PD_SPE_EV, header, 1, at, left, packet);
	if ((header & 0xcf) == 0x43)
		return take_payload(PD_SPE_DATA_SOURCE, header, 1, at, left, packet);
	if ((header & 0xfc) == 0x64) {
		packet->words[1] = header & 3;
		packet->words[2] = (header & 3u) + 1;
		return take_payload(PD_SPE_CTX, header, 1, at, left, packet);
	}
	if ((header & 0xfc) == 0x48) {
		packet->words[1] = header & 3;
		return take_payload(PD_SPE_OP, header, 1, at, left, packet);
	}
	if ((header & 0xfc) == 0x20) {
		if (left < 2)
			return false;
		return at[1] ? take_numbered(at, 2, left, packet) : take_alignment(at, address, left, packet);
	}
	return take_numbered(at, 1, left, packet);
}

bool pd_spe_is_undescribed(const struct pd_packet *packet)
{
	return packet->kind == PD_SPE_OP && !packet->words[1] && (packet->words[0] & 0x89) != 0x08 &&
	       (packet->words[0] & 0x89) != 0x88 && packet->words[0] & 0xf8;
}

bool pd_spe_next(const struct pd_aux_trace *trace, struct pd_aux_state *state, const uint8_t *bytes, size_t size,
		 struct pd_packet *ret)
{
	if (!take_packet(bytes, trace->address + state->at, size, ret)) {
		ret->kind = PD_SPE_BAD;
		ret->size = ret->line = 1;
		ret->words[0] = bytes[0];
		return true;
	}
	uint32_t line = ret->size;
	while (ret->kind == PD_SPE_PAD && line < 16 && line < size && !bytes[line])
		line++;
	ret->line = line;
	if (!pd_spe_is_undescribed(ret))
		state->described = *ret;
	return true;
}

/* The words: header version, size of this header, PMU, CPUs; then for each CPU: magic, CPU, number of words, MIDR, … */
static enum perfdata_status take_cpus(struct pd_aux_setup *setup, const struct perfdata_list *words)
{
	const uint64_t head = perfdata_list_u64(words, 1);
	uint64_t at = head < 4 ? 4 : head;
	while (at <= words->count && words->count - at >= 4) {
		const uint64_t params = perfdata_list_u64(words, at + 2);
		if (pd_vector_grow(&setup->cpus, &setup->room_cpus, setup->nr_cpus, sizeof *setup->cpus) < 0)
			return PERFDATA_ENOMEM;
		setup->cpus[setup->nr_cpus++] = (struct pd_aux_cpu){ (uint32_t)perfdata_list_u64(words, at + 1),
								     perfdata_list_u64(words, at + 3) };
		if (params > words->count)
			break;
		at += 3 + params;
	}
	setup->midr = setup->nr_cpus ? setup->cpus[0].midr : 0;
	for (size_t i = 1; i < setup->nr_cpus; i++)
		if (setup->cpus[i].midr != setup->midr)
			setup->midr = 0;
	return PERFDATA_OK;
}

enum perfdata_status pd_spe_take_info(struct pd_aux_setup *setup, const struct perfdata_list *words,
				      const struct pd_aux_header *header)
{
	setup->timeless = header->samples_lack_time;
	if (words->count > 2)
		return take_cpus(setup, words);
	/* older recorders: the section CPUID is the MIDR in hexadecimal */
	const char *text = header->cpuid;
	if (text)
		setup->midr = pd_number_in(text + (strncmp(text, "0x", 2) ? 0 : 2), 16);
	return PERFDATA_OK;
}
