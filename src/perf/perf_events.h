/* SPDX-License-Identifier: MIT */
/* Lists events as perf evlist does. */
#ifndef PERF_EVENTS_H
#define PERF_EVENTS_H

#include "perfdata/reader.h"

/* What a line contains besides the name. */
enum perf_event_lines {
	PERF_EVENTS_NAMES = 1 << 0,       /* nothing more */
	PERF_EVENTS_ATTR = 1 << 1,
	PERF_EVENTS_FREQUENCY = 1 << 2,
	PERF_EVENTS_GROUPS = 1 << 3,      /* a group in one line */
	PERF_EVENTS_FIELDS = 1 << 4,      /* fields of tracepoints */
};

/* Appends the list, and the tips after it. */
void perf_events_show(struct perfdata_text *out, const struct perfdata_reader *reader, unsigned lines);

#endif
