/* SPDX-License-Identifier: MIT */
/* Findings on their way to the calling thread. */
#ifndef PD_RUN_FINDINGS_H
#define PD_RUN_FINDINGS_H

#include "base/finding_queue.h"

struct pd_run;
struct pd_batch_slot;
struct perfdata_outputs;
/* Keeps a finding of perfdata_batch_check in the slot, which is `user`: so findings are reported in the order of
 * records. */
perfdata_finding_fn pd_run_keep_finding;
/* Keeps a finding of the reader, in the calling thread; `user` is the run. The run reports the finding with the next
 * batch, so that the order does not depend on the number of threads. */
perfdata_finding_fn pd_run_read_finding;
/* Queues a finding of an emitter; `user` is the emitter's struct perfdata_outputs. */
perfdata_finding_fn pd_run_emitter_finding;
/* Queues the findings of a slot for reporting. */
void pd_run_queue_kept(struct pd_run *run, struct pd_batch_slot *slot);
/* Reports queued findings; called by the calling thread, inside the monitor. True: the function left the monitor to
 * report, so the caller must check the state again. */
bool pd_run_report(struct pd_run *run);
/* Reports the findings about input after the last batch. */
void pd_run_report_read(struct pd_run *run);

#endif
