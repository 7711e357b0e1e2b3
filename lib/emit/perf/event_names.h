/* SPDX-License-Identifier: MIT */
/* What perf calls events. In a stream it asks the attr before it has read the names that the recorder gave. */
#ifndef EMIT_EVENT_NAMES_H
#define EMIT_EVENT_NAMES_H

#include "perfdata/reader.h"
#include "perfdata/text.h"

enum event_names_use {
	EVENT_NAMES_SCRIPT,     /* perf script: the first event of each type is asked, others are called as recorded */
	EVENT_NAMES_REPORT,     /* perf report: all are asked */
};

#define EVENT_NAMES_TYPES 6     /* types of the kernel's own: HARDWARE to BREAKPOINT */

struct event_names {
	const struct perfdata_reader *reader;
	enum event_names_use use;
	bool stream;
	uint32_t first[EVENT_NAMES_TYPES];      /* index of the first event of each type */
};

/* Looks at the events that are known now. */
void pd_event_names_init(struct event_names *names, const struct perfdata_reader *reader, enum event_names_use use);
/* The event's own name, or one that is spelled into `room` and borrowed from there. Any thread. */
const char *pd_event_names_get(const struct event_names *names, const struct perfdata_event *event,
			       struct perfdata_text *room);
/* Appends it. */
void pd_event_names_append(const struct event_names *names, const struct perfdata_event *event,
			   struct perfdata_text *out);
/* The same in a FEATURE record, which stands in front of the EVENT_UPDATE records that name events. */
void pd_event_names_append_early(const struct event_names *names, const struct perfdata_event *event,
				 struct perfdata_text *out);

#endif
