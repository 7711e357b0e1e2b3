/* SPDX-License-Identifier: MIT */
/* Lines of spans, and of the time that threads spent in each state. */
#ifndef EMIT_SPAN_JSON_H
#define EMIT_SPAN_JSON_H

#include "emit/spell/json_style.h"
#include "emit/values/span_values.h"
#include "perfdata/emit.h"

/* Kinds of spans that the options select; 0: no lines of spans. */
uint32_t pd_span_lines_of(const struct perfdata_emitter_option_value *values, size_t nr_values);
/* Kinds of spans that these lines and the lines of threads need. */
uint32_t pd_span_lines_need(uint32_t kinds);

struct span_json {
	uint32_t kinds;
	const struct json_style *style;
	const char *end;               /* of a line */
	void (*start)(void *user, struct perfdata_text *out);
	void *user;
};
/* A line for each span of the batch. */
void pd_span_json(const struct span_json *how, const struct perfdata_batch *batch, struct record_cache *cache,
		  struct perfdata_text *out);
/* A line for each thread. */
void pd_thread_times_json(const struct span_json *how, struct thread_times *times, struct perfdata_text *out);

#endif
