/* SPDX-License-Identifier: MIT */
/* What perf calls events. In a stream perf makes some names from attrs, before it has read those that the recorder
 * gave. */
#ifndef EMIT_EVENT_NAMES_H
#define EMIT_EVENT_NAMES_H

#include "perfdata/reader.h"
#include "perfdata/text.h"

enum event_names_use {
	EVENT_NAMES_SCRIPT,     /* perf script: names from attrs for the first event of each type */
	EVENT_NAMES_REPORT,     /* perf report: names from attrs for all events */
};

#define EVENT_NAMES_TYPES 6     /* types of the kernel's own: HARDWARE to BREAKPOINT */

struct event_names {
	const struct perfdata_reader *reader;
	enum event_names_use use;
	bool stream;
	uint32_t first[EVENT_NAMES_TYPES];      /* index of the first event of each type */
};

/* An event that counts nothing: it carries records of mappings and the like. */
static inline bool pd_is_dummy_event(const struct perfdata_attr *attr)
{
	const uint64_t dummy = 9;
	return attr->type == PERFDATA_TYPE_SOFTWARE && attr->config == dummy;
}

/* Reads the events that the reader knows now. */
void pd_event_names_init(struct event_names *names, const struct perfdata_reader *reader, enum event_names_use use);
/* The event's own name, or a name made in `room`, valid as long as `room` is. Any thread. */
const char *pd_event_names_get(const struct event_names *names, const struct perfdata_event *event,
			       struct perfdata_text *room);
/* Appends the name. */
void pd_event_names_append(const struct event_names *names, const struct perfdata_event *event,
			   struct perfdata_text *out);
/* Appends the name that was known at a FEATURE record, which comes before the EVENT_UPDATE records that name events. */
void pd_event_names_append_early(const struct event_names *names, const struct perfdata_event *event,
				 struct perfdata_text *out);

#endif
