/* SPDX-License-Identifier: MIT */
/* Findings on their way to the calling thread. */
#ifndef PD_RUN_FINDINGS_H
#define PD_RUN_FINDINGS_H

#include "base/finding_queue.h"

struct pd_run;
struct pd_batch_slot;
struct perfdata_outputs;
/* For perfdata_batch_check: the finding waits in the slot, `user`, so that findings come in the order of the
 * records. */
perfdata_finding_fn pd_run_keep_finding;
/* For findings of the reader, which come in the calling thread; `user` is the run. The run reports them with the next
 * batch, and so in the same order for any number of threads. */
perfdata_finding_fn pd_run_read_finding;
/* For findings of an emitter: `user` is its struct perfdata_outputs. */
perfdata_finding_fn pd_run_emitter_finding;
/* Queues the findings of a slot for reporting. */
void pd_run_queue_kept(struct pd_run *run, struct pd_batch_slot *slot);
/* Called by the calling thread, inside the monitor. True if it left the monitor to report: the caller must look at the
 * state again. */
bool pd_run_report(struct pd_run *run);
/* Reports the findings about input after the last batch. */
void pd_run_report_read(struct pd_run *run);

#endif
