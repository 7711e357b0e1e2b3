/* SPDX-License-Identifier: MIT */
/* The samples that perf makes of an operation that Arm SPE sampled, and the events that perf invents for them. */
#ifndef PD_SPE_SAMPLE_H
#define PD_SPE_SAMPLE_H

#include "perfdata/session.h"
#include "auxtrace/auxtrace.h"

/* The events, in the order of the samples of one operation. */
enum pd_spe_event {
	PD_SPE_L1D_MISS,
	PD_SPE_L1D_ACCESS,
	PD_SPE_LLC_MISS,
	PD_SPE_LLC_ACCESS,
	PD_SPE_TLB_MISS,
	PD_SPE_TLB_ACCESS,
	PD_SPE_BRANCH,
	PD_SPE_REMOTE,
	PD_SPE_MEMORY,
	PD_SPE_INSTRUCTIONS,
	PD_SPE_OPERATIONS,                   /* not an event of perf: whole operations */
	PD_SPE_EVENTS_MADE,
};
const char *pd_spe_event_name(enum pd_spe_event event);
/* Returns the bit of enum perfdata_trace_samples that requests the event. */
uint32_t pd_spe_event_wish(enum pd_spe_event event);
/* Whether a sample of the event is made of the operation. */
bool pd_spe_event_is(enum pd_spe_event event, const struct pd_spe_record *record);

/* Returns the memory and its distance, in the form of PERF_SAMPLE_DATA_SRC; 0: no memory operation. The meaning of DATA
 * SOURCE codes depends on `midr`. */
uint64_t pd_spe_data_src(const struct pd_spe_record *record, uint64_t midr);
/* Writes the entries of a branch stack, three words each; returns the number of entries. */
#define PD_SPE_BRANCHES 2u
unsigned pd_spe_branches(const struct pd_spe_record *record, uint64_t words[3 * PD_SPE_BRANCHES]);

#endif
