/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "reader/order_slots.h"

#define ALIGNMENT alignof(struct pd_order_slot)

void pd_slots_init(struct pd_slots *slots) { *slots = (struct pd_slots){ .open = PD_NO_BLOCK, .free = PD_NO_BLOCK }; }

void pd_slots_release(struct pd_slots *slots)
{
	for (size_t i = 0; i < slots->nr_blocks; i++)
		pd_free(slots->blocks[i].memory);
	pd_free(slots->blocks);
	pd_slots_init(slots);
}

static enum perfdata_status add_block(struct pd_slots *slots)
{
	if (slots->nr_blocks == PD_NO_BLOCK >> PD_BLOCK_SHIFT)
		return PERFDATA_ELIMIT;
	if (pd_vector_grow(&slots->blocks, &slots->room, slots->nr_blocks, sizeof *slots->blocks) < 0)
		return PERFDATA_ENOMEM;
	void *memory = pd_malloc(PD_SLOT_BLOCK_BYTES + ALIGNMENT);
	if (!memory)
		return PERFDATA_ENOMEM;
	const size_t beyond = (uintptr_t)memory % ALIGNMENT;
	struct pd_order_slot *aligned = (void *)((char *)memory + (beyond ? ALIGNMENT - beyond : 0));
	slots->blocks[slots->nr_blocks] = (struct pd_slot_block){
		.memory = memory,
		.slots = aligned,
		.headers = (struct pd_slot_header *)(void *)(aligned + PD_BLOCK_SLOTS),
		.next_free = slots->free,
	};
	slots->free = (uint32_t)slots->nr_blocks++;
	return PERFDATA_OK;
}

enum perfdata_status pd_slots_take(struct pd_slots *slots, uint32_t *ret, unsigned *count)
{
	if (slots->open == PD_NO_BLOCK || slots->filled == PD_BLOCK_SLOTS) {
		const enum perfdata_status status = slots->free == PD_NO_BLOCK ? add_block(slots) : PERFDATA_OK;
		if (status != PERFDATA_OK)
			return status;
		slots->open = slots->free;
		slots->free = slots->blocks[slots->open].next_free;
		slots->filled = 0;
	}
	if (*count > PD_BLOCK_SLOTS - slots->filled)
		*count = PD_BLOCK_SLOTS - slots->filled;
	*ret = slots->open << PD_BLOCK_SHIFT | slots->filled;
	slots->blocks[slots->open].nr_used += *count;
	slots->filled += *count;
	return PERFDATA_OK;
}

void pd_slot_block_left(struct pd_slots *slots, uint32_t block)
{
	/* the open block is used again from its start */
	if (block == slots->open) {
		slots->filled = 0;
		return;
	}
	slots->blocks[block].next_free = slots->free;
	slots->free = block;
}
