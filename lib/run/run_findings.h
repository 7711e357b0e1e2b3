/* SPDX-License-Identifier: MIT */
/* Findings on their way to the calling thread. */
#ifndef PD_RUN_FINDINGS_H
#define PD_RUN_FINDINGS_H

#include "perfdata/base.h"

/* What the reader or formatting found. */
struct pd_run_finding {
	struct pd_run_finding *next;
	bool of_reader;
	struct perfdata_finding finding;
	char message[];
};
/* {0} is an empty list. */
struct pd_run_findings {
	struct pd_run_finding *first, *last;
};

/* A copy that lives until it is reported; NULL without memory. */
struct pd_run_finding *pd_run_finding_copy(const struct perfdata_finding *finding);
void pd_run_findings_add(struct pd_run_findings *list, struct pd_run_finding *found);
/* The first one, taken off the list; NULL: there is none. */
struct pd_run_finding *pd_run_findings_take(struct pd_run_findings *list);
void pd_run_findings_drop(struct pd_run_findings *list);

struct pd_run;
struct pd_slot;
struct perfdata_outputs;
/* For perfdata_batch_check: waits in the slot, `user`, so that the order is that of the records. */
perfdata_finding_fn pd_run_keep_finding;
/* Of the reader, in the calling thread, `user` is the run: it is reported with the batch that comes next, and so in the same order for any number
 * of threads. */
perfdata_finding_fn pd_run_read_finding;
/* Of an emitter: `user` is its struct perfdata_outputs. */
perfdata_finding_fn pd_run_emitter_finding;
/* What the slot kept is reported from now on. */
void pd_run_queue_kept(struct pd_run *run, struct pd_slot *slot);
/* Calling thread, inside the monitor; true if the monitor was left for it, and what was seen before may be past. */
bool pd_run_report(struct pd_run *run);
/* What was read behind the last batch. */
void pd_run_report_read(struct pd_run *run);

#endif
