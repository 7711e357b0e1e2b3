/* SPDX-License-Identifier: MIT */
/* Collects the packets of one sampled operation into a record. */
#include "config.h"
#include "auxtrace/spe_packet.h"

#define LOW56 0xffffffffffffffull

/* Returns an address of code. perf takes code at EL1 and EL2 outside of the secure world for the kernel, whose upper
 * address bits are ones. */
static uint64_t code_address(uint64_t payload)
{
	const unsigned level = payload >> 61 & 3;
	const uint64_t address = payload & LOW56;
	return payload >> 63 && (level == 1 || level == 2) ? address | 0xffull << 56 : address;
}

/* Returns an address of data without its top byte, which may be a tag. */
static uint64_t data_address(uint64_t payload)
{
	const uint64_t address = payload & LOW56;
	return address >> 52 == 0xf ? address | 0xffull << 56 : address;
}

static void take_address(struct pd_spe_record *record, const struct pd_packet *packet)
{
	const uint64_t payload = packet->words[0];
	switch (packet->kind) {
	case PD_SPE_ADDR_PC:
		record->pc = code_address(payload);
		record->pc_level = payload >> 61 & 3;
		record->pc_nonsecure = payload >> 63;
		record->present |= PD_SPE_PC;
		break;
	case PD_SPE_ADDR_TGT:
		record->target = code_address(payload);
		record->present |= PD_SPE_TARGET;
		break;
	case PD_SPE_ADDR_PBT:
		record->previous = code_address(payload);
		record->present |= PD_SPE_PREVIOUS;
		break;
	case PD_SPE_ADDR_VA:
		record->virtual_address = data_address(payload);
		record->present |= PD_SPE_VIRTUAL;
		break;
	case PD_SPE_ADDR_PA:
		record->physical_address = payload & LOW56;
		record->present |= PD_SPE_PHYSICAL;
		break;
	default:
		break;
	}
}

static void take_counter(struct pd_spe_record *record, const struct pd_packet *packet)
{
	const uint16_t cycles = (uint16_t)packet->words[0];
	if (packet->words[1] == 0)
		record->total = cycles;
	else if (packet->words[1] == 1)
		record->issue = cycles;
	else if (packet->words[1] == 2)
		record->translation = cycles;
	if (packet->words[1] < 3)
		record->present |= (uint32_t)PD_SPE_TOTAL << packet->words[1];
}

bool pd_spe_take(struct pd_spe_record *record, const struct pd_packet *packet, uint64_t at)
{
	const uint64_t payload = packet->words[0];
	if (packet->kind == PD_SPE_PAD)
		return false;
	if (packet->kind == PD_SPE_BAD) {
		*record = (struct pd_spe_record){ 0 };
		return false;
	}
	if (!record->end)
		record->from = at;
	record->end = at + packet->size;
	switch (packet->kind) {
	case PD_SPE_END:
		return true;
	case PD_SPE_TS:
		record->timer = payload;
		record->present |= PD_SPE_TIME;
		return true;
	case PD_SPE_EV:
		record->events = payload;
		record->present |= PD_SPE_EVENTS;
		break;
	case PD_SPE_DATA_SOURCE:
		record->source = payload;
		record->present |= PD_SPE_SOURCE;
		break;
	case PD_SPE_CTX:
		record->context = (uint32_t)payload;
		record->present |= PD_SPE_CONTEXT;
		break;
	case PD_SPE_OP:
		record->op_class = packet->words[1] & 3;
		record->operation = payload;
		record->present |= PD_SPE_OPERATION;
		break;
	case PD_SPE_LAT:
		take_counter(record, packet);
		break;
	default:
		take_address(record, packet);
	}
	return false;
}

const char *pd_spe_operation(const struct pd_spe_record *record)
{
	static const char *const classes[4] = { "other", NULL, "branch", "unknown" };
	return record->op_class == 1 ? record->operation & 1 ? "store" : "load" : classes[record->op_class & 3];
}
