/* SPDX-License-Identifier: MIT */
/* Gives the records of all events an id at the same place.
 *
 * Readers look for the id of a record before they know its event, so perf refuses recordings in which the place of the
 * id depends on the event, and recordings of several events without ids. The repair adds an IDENTIFIER to all records:
 * as the first word of a sample and the last one of other records. The event of a record is the one that our reader
 * found. */
#include "config.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "rewrite/rewriter.h"

#define MOST_ADDED 64u               /* bytes of an identifier and of a whole trailer, rounded up */
#define SAMPLE_ID_ALL (UINT64_C(1) << PERFDATA_ATTR_SAMPLE_ID_ALL)

void pd_identify_decide(struct perfdata_rewriter *rewriter, const struct perfdata_reader *reader)
{
	const size_t nr = perfdata_reader_nr_events(reader);

	if (!rewriter->options.repair || nr < 2 || pd_mend_is_stat(reader))
		return;
	const struct perfdata_config *first = perfdata_reader_event(reader, 0)->config;
	rewriter->identifies |= first->sample_id_at < 0;
	for (size_t i = 0; i < nr; i++) {
		const struct perfdata_config *other = perfdata_reader_event(reader, i)->config;
		rewriter->identifies |= other->sample_id_at != first->sample_id_at ||
					other->trailer_id_at != first->trailer_id_at;
		rewriter->identified_flags |= other->attr.flags & SAMPLE_ID_ALL;
	}
	if (rewriter->identifies)
		pd_rewrite_tell(rewriter, "the ids of events are at different places: all records get an identifier");
}

void pd_identify_attr(const struct perfdata_rewriter *rewriter, struct perfdata_attr *attr)
{
	if (!rewriter->identifies)
		return;
	attr->sample_type |= PERFDATA_SAMPLE_IDENTIFIER;
	attr->flags |= rewriter->identified_flags;
}

uint64_t pd_identify_first(const struct perfdata_event *event)
{
	return event->nr_ids ? event->ids[0] : PD_FIRST_NEW_ID + event->index;
}

static bool is_of(const struct perfdata_rewriter *rewriter, const struct perfdata_event *event, uint64_t id)
{
	const struct perfdata_event *owner = perfdata_reader_event_by_id(rewriter->reader, id);
	return owner && owner->index == event->index;
}

bool pd_identify_record(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
			struct perfdata_record *record)
{
	const struct perfdata_event *event = raw->event;

	if (!rewriter->identifies || raw->type >= PERFDATA_RECORD_USER_FIRST || !event)
		return false;
	const bool is_sample = raw->type == PERFDATA_RECORD_SAMPLE;
	uint64_t *identifier = is_sample ? &record->u.sample.identifier : &record->sample_id.identifier;
	const uint64_t id = is_sample ? record->u.sample.id : record->sample_id.id;
	if (!is_of(rewriter, event, *identifier))
		*identifier = is_of(rewriter, event, id) ? id : pd_identify_first(event);
	if (is_sample)
		record->u.present |= perfdata_layout_bits(record->layout,
							  offsetof(struct perfdata_sample, identifier));
	else if (rewriter->identified_flags)
		record->sample_id.present |= perfdata_layout_bits(
			pd_trailer_layout(), offsetof(struct perfdata_sample_id, identifier));
	return true;
}

bool pd_identify_has_room(const struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw)
{
	return !rewriter->identifies || raw->size <= UINT16_MAX - MOST_ADDED;
}
