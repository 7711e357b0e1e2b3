/* SPDX-License-Identifier: MIT */
/* The names that perf prints for events. In a stream, perf makes some names from attrs before it has read the recorded
 * names. */
#ifndef EMIT_EVENT_NAMES_H
#define EMIT_EVENT_NAMES_H

#include "perfdata/reader.h"
#include "perfdata/text.h"

enum event_names_use {
	EVENT_NAMES_SCRIPT,     /* perf script: names from attrs for the first event of each type */
	EVENT_NAMES_REPORT,     /* perf report: names from attrs for all events */
};

#define EVENT_NAMES_TYPES 6     /* number of the kernel's types: HARDWARE to BREAKPOINT */

struct event_names {
	const struct perfdata_reader *reader;
	enum event_names_use use;
	bool stream;
	uint32_t first[EVENT_NAMES_TYPES];      /* index of the first event of each type */
};

/* Whether an event counts nothing: it is recorded for MMAP and other such records. */
static inline bool pd_is_dummy_event(const struct perfdata_attr *attr)
{
	const uint64_t dummy = 9;
	return attr->type == PERFDATA_TYPE_SOFTWARE && attr->config == dummy;
}

/* Reads the events that the reader knows so far. */
void pd_event_names_init(struct event_names *names, const struct perfdata_reader *reader, enum event_names_use use);
/* The event's name, or a name that is made in `room` and borrowed from it. Any thread. */
const char *pd_event_names_get(const struct event_names *names, const struct perfdata_event *event,
			       struct perfdata_text *room);
/* Appends the name. */
void pd_event_names_append(const struct event_names *names, const struct perfdata_event *event,
			   struct perfdata_text *out);
/* Appends the name that perf knows at a FEATURE record: EVENT_UPDATE records, which name events, come later. */
void pd_event_names_append_early(const struct event_names *names, const struct perfdata_event *event,
				 struct perfdata_text *out);

#endif
