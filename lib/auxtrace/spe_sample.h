/* SPDX-License-Identifier: MIT */
/* The samples that perf makes of an operation that Arm SPE sampled; perf makes up their events. */
#ifndef PD_SPE_SAMPLE_H
#define PD_SPE_SAMPLE_H

#include "perfdata/session.h"
#include "auxtrace/auxtrace.h"

/* The events, in the order in which one operation gives samples of them. */
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
	PD_SPE_OPERATIONS,                   /* not one of perf's: whole operations */
	PD_SPE_EVENTS_MADE,
};
const char *pd_spe_event_name(enum pd_spe_event event);
/* The bit of enum perfdata_trace_samples that asks for the event. */
uint32_t pd_spe_event_wish(enum pd_spe_event event);
/* Whether the operation gives a sample of the event. */
bool pd_spe_event_is(enum pd_spe_event event, const struct pd_spe_record *record);

/* Like PERF_SAMPLE_DATA_SRC: which memory, how far away. 0: no memory operation. `midr` determines the meaning of the
 * source's codes. */
uint64_t pd_spe_data_src(const struct pd_spe_record *record, uint64_t midr);
/* Writes the entries of a branch stack, three words each; returns their number. */
#define PD_SPE_BRANCHES 2u
unsigned pd_spe_branches(const struct pd_spe_record *record, uint64_t words[3 * PD_SPE_BRANCHES]);

#endif
