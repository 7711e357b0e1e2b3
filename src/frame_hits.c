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

enum perfdata_status frame_hits_names(const struct frame_hits *hits, const struct perfdata_session *session,
				      struct name_hits **ret)
{
	const uint32_t nr_dsos = perfdata_session_nr_dsos(session);
	struct name_hits *names = hits->failed ? NULL : calloc((size_t)nr_dsos + 1, sizeof *names);
	*ret = NULL;
	if (!names)
		return PERFDATA_ENOMEM;
	names[nr_dsos].unnamed = hits->outside;
	for (uint32_t frame = 0; frame < hits->room; frame++) {
		struct perfdata_symbol symbol;
		if (!hits->at[frame])
			continue;
		const enum perfdata_status status = perfdata_session_symbol(session, frame, 0, &symbol);
		if (status == PERFDATA_ENOMEM || status == PERFDATA_EREAD) {
			free(names);
			return status;
		}
		const struct perfdata_frame *place = perfdata_session_frame(session, frame);
		struct name_hits *file = &names[place && place->dso < nr_dsos ? place->dso : nr_dsos];
		*(status == PERFDATA_OK ? &file->named : &file->unnamed) += hits->at[frame];
	}
	*ret = names;
	return PERFDATA_OK;
}

void frame_hits_release(struct frame_hits *hits)
{
	free(hits->at);
	hits->at = NULL;
	hits->room = 0;
}
