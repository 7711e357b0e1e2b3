/* SPDX-License-Identifier: MIT */
/* What the records of a recording say of its CoreSight buffers, from record to record: who writes into them, and which
 * parts of their payloads are cuts. */
#ifndef PD_CS_CUTS_H
#define PD_CS_CUTS_H

#include "auxtrace/cs_stream.h"

/* Of an AUX record: bytes of a buffer that are to come. */
struct pd_cs_area { uint64_t offset, size; int32_t cpu, tid; bool raw, snapshot; };

/* {0} at first. */
struct pd_cs_trace {
	struct pd_cs_source *sources;
	size_t nr_sources;
	bool hw_ids;                         /* records have stated ids */
	bool raw;                            /* the last area was */
	struct pd_cs_area *areas;            /* that no payload has held so far */
	size_t nr_areas, room_areas;
};
void pd_cs_trace_release(struct pd_cs_trace *trace);
/* AUXTRACE_INFO: resets everything, and takes its words. */
enum perfdata_status pd_cs_trace_info(struct pd_cs_trace *trace, const struct perfdata_list *words);
/* Whether anything changed. */
bool pd_cs_trace_hw_id(struct pd_cs_trace *trace, uint32_t cpu, uint64_t hw_id);
/* An AUX record on a processor, of a thread. */
enum perfdata_status pd_cs_trace_area(struct pd_cs_trace *trace, const struct perfdata_aux *aux, int32_t cpu,
				      int32_t tid);
/* AUXTRACE: the parts of its payload. perf takes the parts that AUX records name, in their order, and finds the records
 * anywhere in the file. Here the records come before the payload; parts are in the order of their offsets and do not
 * overlap. The bytes after the last part are a part, too: its record may come later. */
struct pd_cs_cuts { struct pd_cs_cut *list; size_t nr; };   /* `list` is to be freed */
enum perfdata_status pd_cs_trace_cuts(struct pd_cs_trace *trace, const struct perfdata_auxtrace *payload,
				      struct pd_cs_cuts *ret);

#endif
