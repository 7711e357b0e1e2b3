#include "config.h"
#include "base/memory.h"
#include "reader/order_slots.h"

#define ALIGNMENT alignof(struct pd_slot)

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
	void *memory = pd_malloc(PD_BLOCK_SLOTS * sizeof(struct pd_slot) + ALIGNMENT);
	if (!memory)
		return PERFDATA_ENOMEM;
	const size_t beyond = (uintptr_t)memory % ALIGNMENT;
	slots->blocks[slots->nr_blocks] = (struct pd_slot_block){
		.memory = memory, .slots = (struct pd_slot *)(void *)((char *)memory + (beyond ? ALIGNMENT - beyond : 0)), .next_free = slots->free,
	};
	slots->free = (uint32_t)slots->nr_blocks++;
	return PERFDATA_OK;
}

static void free_block(struct pd_slots *slots, uint32_t block)
{
	slots->blocks[block].next_free = slots->free;
	slots->free = block;
}

enum perfdata_status pd_slot_take(struct pd_slots *slots, uint32_t *ret)
{
	if (slots->open == PD_NO_BLOCK || slots->filled == PD_BLOCK_SLOTS) {
		const enum perfdata_status status = slots->free == PD_NO_BLOCK ? add_block(slots) : PERFDATA_OK;
		if (status != PERFDATA_OK)
			return status;
		slots->open = slots->free;
		slots->free = slots->blocks[slots->open].next_free;
		slots->filled = 0;
	}
	slots->blocks[slots->open].nr_used++;
	*ret = slots->open << PD_BLOCK_SHIFT | slots->filled++;
	return PERFDATA_OK;
}

void pd_slot_leave(struct pd_slots *slots, uint32_t slot)
{
	const uint32_t block = slot >> PD_BLOCK_SHIFT;
	if (--slots->blocks[block].nr_used)
		return;
	/* the open block is begun anew when all that was taken from it has been left */
	if (block == slots->open)
		slots->filled = 0;
	else
		free_block(slots, block);
}
