/* SPDX-License-Identifier: MIT */
/* Names and amounts as readable text. */
#ifndef PD_STACK_TEXT_H
#define PD_STACK_TEXT_H

#include "perfdata/reader.h"
#include "perfdata/text.h"

/* Whether the event takes samples at intervals of time: cpu-clock, task-clock. */
bool pd_stack_event_is_clock(const struct perfdata_event *event);
/* Whether the periods of the event are nanoseconds: clocks, and tracepoints that report a duration. */
bool pd_stack_event_is_time(const struct perfdata_event *event);
/* "43.5 ms" for nanoseconds, "1.20 G" for other weights. */
void pd_stack_text_weight(struct perfdata_text *out, uint64_t weight, bool is_time);
double pd_stack_percent(uint64_t part, uint64_t all);
/* Appends the name as UTF-8; invalid bytes become U+FFFD. */
void pd_stack_text_utf8(struct perfdata_text *out, const char *name);
/* The part after the last slash; the whole name if it is in brackets. */
const char *pd_stack_last_part(const char *path);

#endif
