/* SPDX-License-Identifier: MIT */
/* Findings on their way to the calling thread. */
#ifndef PD_RUN_FINDINGS_H
#define PD_RUN_FINDINGS_H

#include "base/finding_queue.h"

struct pd_run;
struct pd_slot;
struct perfdata_outputs;
/* For perfdata_batch_check: waits in the slot, `user`, so that the order is that of the records. */
perfdata_finding_fn pd_run_keep_finding;
/* Of the reader, in the calling thread, `user` is the run: it is reported with the batch that comes next, and so in the
 * same order for any number of threads. */
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
