/* SPDX-License-Identifier: MIT */
/* What a recording's records say about its CoreSight buffers: the sources that write into them, and the parts of their
 * payloads that are cuts. */
#ifndef PD_CS_CUTS_H
#define PD_CS_CUTS_H

#include "auxtrace/cs_stream.h"

/* Bytes of a buffer that an AUX record announces for a later payload. */
struct pd_cs_area { uint64_t offset, size; int32_t cpu, tid; bool raw, snapshot; };

/* {0} is the state before the first record. */
struct pd_cs_trace {
	struct pd_cs_source *sources;
	size_t nr_sources;
	bool hw_ids;                         /* AUX_OUTPUT_HW_ID records have stated ids */
	bool raw;                            /* the last area has no frames */
	struct pd_cs_area *areas;            /* areas that no payload contained so far */
	size_t nr_areas, room_areas;
};
void pd_cs_trace_release(struct pd_cs_trace *trace);
/* Takes the words of an AUXTRACE_INFO record; resets everything else. */
enum perfdata_status pd_cs_trace_info(struct pd_cs_trace *trace, const struct perfdata_list *words);
/* Takes an AUX_OUTPUT_HW_ID record. Returns whether anything changed. */
bool pd_cs_trace_hw_id(struct pd_cs_trace *trace, uint32_t cpu, uint64_t hw_id);
/* Takes an AUX record of a processor, or of a thread. */
enum perfdata_status pd_cs_trace_area(struct pd_cs_trace *trace, const struct perfdata_aux *aux, int32_t cpu,
				      int32_t tid);
/* Finds the cuts of the payload of an AUXTRACE record. perf searches the whole file for AUX records, and cuts in their
 * order. This function knows only the records before the payload; cuts are in the order of their offsets and do not
 * overlap. The bytes after the last cut are a cut too, since their record may come later. */
struct pd_cs_cuts { struct pd_cs_cut *list; size_t nr; };   /* the caller frees `list` */
enum perfdata_status pd_cs_trace_cuts(struct pd_cs_trace *trace, const struct perfdata_auxtrace *payload,
				      struct pd_cs_cuts *ret);

#endif
