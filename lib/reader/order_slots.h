/* SPDX-License-Identifier: MIT */
/* Slots hold the records that wait for their turn. They are taken and freed in about the same order. Blocks of slots
 * are filled one after the other, and a block is used again once all its slots are free: so neighbours in time are
 * neighbours in memory. */
#ifndef PD_ORDER_SLOTS_H
#define PD_ORDER_SLOTS_H

#include <stdalign.h>
#include "perfdata/reader.h"

#define PD_BLOCK_SHIFT 7
#define PD_BLOCK_SLOTS (1u << PD_BLOCK_SHIFT)
#define PD_NO_BLOCK UINT32_MAX

/* The facts about a waiting record: one cache line, and beside it the record's header. By the time the record is
 * released, its bytes have left the cache, so releasing must not need them. */
struct pd_order_slot {
	alignas(64) const uint8_t *bytes;
	struct pd_chunk *chunk;
	const struct perfdata_event *event;
	uint64_t offset, inner, number;
	int32_t pid, tid;
	uint32_t cpu;
	uint16_t file, flags;
};

struct pd_slot_header {
	uint32_t type;
	uint16_t size, misc;
};

struct pd_slot_block {
	void *memory;
	struct pd_order_slot *slots;      /* in memory, aligned */
	struct pd_slot_header *headers;
	uint32_t nr_used;
	uint32_t next_free;
};

#define PD_SLOT_BLOCK_BYTES (PD_BLOCK_SLOTS * (sizeof(struct pd_order_slot) + sizeof(struct pd_slot_header)))

struct pd_slots {
	struct pd_slot_block *blocks;
	size_t nr_blocks, room;
	uint32_t open, filled;      /* the block that slots are taken from, and how many of its slots were taken */
	uint32_t free;              /* head of the list of free blocks, or PD_NO_BLOCK */
};

void pd_slots_init(struct pd_slots *slots);
void pd_slots_release(struct pd_slots *slots);
/* Takes adjacent slots: at least one and at most *count, which is set to how many were taken. PERFDATA_ENOMEM, or
 * PERFDATA_ELIMIT when there are too many. */
enum perfdata_status pd_slots_take(struct pd_slots *slots, uint32_t *ret, unsigned *count);
/* Called when all slots that were taken from a block are free again. */
void pd_slot_block_left(struct pd_slots *slots, uint32_t block);
static inline void pd_slot_leave(struct pd_slots *slots, uint32_t slot)
{
	if (--slots->blocks[slot >> PD_BLOCK_SHIFT].nr_used == 0)
		pd_slot_block_left(slots, slot >> PD_BLOCK_SHIFT);
}
static inline struct pd_order_slot *pd_slot_at(const struct pd_slots *slots, uint32_t slot)
{
	return &slots->blocks[slot >> PD_BLOCK_SHIFT].slots[slot & (PD_BLOCK_SLOTS - 1)];
}
static inline struct pd_slot_header *pd_slot_header_at(const struct pd_slots *slots, uint32_t slot)
{
	return &slots->blocks[slot >> PD_BLOCK_SHIFT].headers[slot & (PD_BLOCK_SLOTS - 1)];
}
static inline size_t pd_slots_bytes(const struct pd_slots *slots) { return slots->nr_blocks * PD_SLOT_BLOCK_BYTES; }

#endif
