/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include "frame_hits.h"
#include "grow.h"

void frame_hits_take(struct frame_hits *hits, const struct perfdata_batch *batch)
{
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = perfdata_batch_delivery(batch, i);
		if (perfdata_raw_type(delivery->record) != PERFDATA_RECORD_SAMPLE ||
		    !(delivery->flags & PERFDATA_DELIVERY_FIRST))
			continue;
		hits->samples++;
		if (delivery->ip == PERFDATA_NONE)
			hits->outside++;
		else if (grow_list(&hits->at, &hits->room, delivery->ip, sizeof *hits->at))
			hits->at[delivery->ip]++;
		else
			hits->failed = true;
	}
}

void frame_hits_release(struct frame_hits *hits)
{
	free(hits->at);
	hits->at = NULL;
	hits->room = 0;
}
