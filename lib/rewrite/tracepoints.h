/* SPDX-License-Identifier: MIT */
/* Tracepoints of recordings that are written: their formats as one section, their raw data in the output's byte
 * order. */
#ifndef PD_TRACEPOINTS_H
#define PD_TRACEPOINTS_H

#include "base/hash.h"
#include "rewrite/rewriter.h"

struct pd_format;

/* The formats of one recording or several; none at {0}. */
struct pd_formats {
	struct pd_format *items;
	size_t nr, room;
	struct pd_intern *systems;       /* 0: ftrace, whose formats are a list of their own */
	struct pd_hash_map ids;          /* id → item */
	struct perfdata_trace_info info; /* of the first recording */
};

/* Adds the formats of `trace`, which stays open, or none if it is NULL. PERFDATA_EUNSUP with the reason where one
 * format contradicts another. */
enum perfdata_status pd_formats_add(struct perfdata_rewriter *rewriter, struct pd_formats *formats,
				    const struct perfdata_trace *trace);
/* Writes the formats as a section of the output, if there are any. */
enum perfdata_status pd_formats_put_section(struct perfdata_rewriter *rewriter, const struct pd_formats *formats);
void pd_formats_release(struct pd_formats *formats);

/* Appends the formats that the rewriter's reader knows, in the output's byte order. */
enum perfdata_status pd_formats_turned(struct perfdata_rewriter *rewriter, struct perfdata_text *out);

/* Whether the byte order of the event's raw data can be changed; if not, the rewriter has failed with the reason. */
bool pd_tracepoint_can_byteswap(struct perfdata_rewriter *rewriter, const struct perfdata_event *event);
/* Turns the record's raw data to the output's byte order, if it is a sample of a tracepoint; valid until the next
 * call. */
enum perfdata_status pd_tracepoint_turn(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					struct perfdata_record *record);

#endif
