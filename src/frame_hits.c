/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "frame_hits.h"

static bool make_room_for(struct frame_hits *hits, uint32_t frame)
{
	const size_t room = 2 * (size_t)frame + 1024;
	uint64_t *grown = realloc(hits->at, room * sizeof *grown);
	if (!grown) {
		hits->failed = true;
		return false;
	}
	memset(grown + hits->room, 0, (room - hits->room) * sizeof *grown);
	hits->at = grown;
	hits->room = room;
	return true;
}

void frame_hits_take(struct frame_hits *hits, const struct perfdata_batch *batch)
{
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = &batch->deliveries[i];
		if (delivery->record->type != PERFDATA_RECORD_SAMPLE || !(delivery->flags & PERFDATA_DELIVERY_FIRST))
			continue;
		hits->samples++;
		if (delivery->ip == PERFDATA_NONE)
			hits->outside++;
		else if (delivery->ip < hits->room || make_room_for(hits, delivery->ip))
			hits->at[delivery->ip]++;
	}
}

void frame_hits_release(struct frame_hits *hits)
{
	free(hits->at);
	hits->at = NULL;
	hits->room = 0;
}
