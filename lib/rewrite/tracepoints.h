/* SPDX-License-Identifier: MIT */
/* Tracepoints in the output: their formats as one section, their raw data in the output's byte order. */
#ifndef PD_TRACEPOINTS_H
#define PD_TRACEPOINTS_H

#include "base/hash.h"
#include "rewrite/rewriter.h"

struct pd_format;

/* The formats of one recording or several. {0} is empty. */
struct pd_formats {
	struct pd_format *items;
	size_t nr, room;
	struct pd_intern *systems;       /* index 0: ftrace, whose formats are a separate list */
	struct pd_hash_map ids;          /* id of the format → index in `items` */
	struct perfdata_trace_info info; /* info of the first recording that has formats */
};

/* Adds the formats of `trace` (NULL: none), which stays open. PERFDATA_EUNSUP with the reason: formats of an id
 * differ. */
enum perfdata_status pd_formats_add(struct perfdata_rewriter *rewriter, struct pd_formats *formats,
				    const struct perfdata_trace *trace);
/* Writes the formats as a section; writes nothing if there are none. */
enum perfdata_status pd_formats_put_section(struct perfdata_rewriter *rewriter, const struct pd_formats *formats);
void pd_formats_release(struct pd_formats *formats);

/* Appends the formats that the rewriter's reader has, in the output's byte order. */
enum perfdata_status pd_formats_anew(struct perfdata_rewriter *rewriter, struct perfdata_text *out);

/* Whether the event's raw data can be converted to the other byte order. Sets the rewriter's error if not. */
bool pd_tracepoint_can_byteswap(struct perfdata_rewriter *rewriter, const struct perfdata_event *event);
/* Converts the raw data of a tracepoint's sample to the output's byte order. *record is valid until the next call. */
enum perfdata_status pd_tracepoint_turn(struct perfdata_rewriter *rewriter, const struct perfdata_raw *raw,
					struct perfdata_record *record);

#endif
