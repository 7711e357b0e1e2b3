/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "run/run_impl.h"

void pd_run_keep_finding(void *user, const struct perfdata_finding *finding)
{
	struct pd_batch_slot *slot = user;
	struct pd_queued_finding *found = pd_finding_copy(finding);
	if (found)
		pd_finding_queue_put(&slot->found, found);
	else
		slot->status = PERFDATA_ENOMEM;
}

void pd_run_read_finding(void *user, const struct perfdata_finding *finding)
{
	struct pd_run *run = user;
	struct pd_queued_finding *found = pd_finding_copy(finding);
	if (found) {
		found->of_reader = true;
		pd_finding_queue_put(&run->read, found);
	} else {
		run->read_lost = true;
	}
}

/* Queues `found` and takes it over; NULL: there was no memory for the finding. */
static void queue_finding(struct pd_run *run, struct pd_queued_finding *found)
{
	pd_monitor_enter(run->monitor);
	if (found) {
		pd_finding_queue_put(&run->found, found);
		run->damaged |= found->finding.severity == PERFDATA_SEVERITY_ERROR && !found->of_reader;
	} else {
		run->finding_lost = true;
	}
	pd_monitor_leave(run->monitor);
}

/* Codes 1xx are about records. */
static bool is_of_a_record(const struct perfdata_finding *finding) { return finding->code / 100 == 1; }

void pd_run_emitter_finding(void *user, const struct perfdata_finding *finding)
{
	const struct perfdata_outputs *target = user;
	/* if several emitters check the records, the findings of one suffice */
	if (target->emitter->flags & PERFDATA_EMITTER_CHECKS && !target->checks && is_of_a_record(finding))
		return;
	queue_finding(target->run, pd_finding_copy(finding));
}

void pd_run_queue_kept(struct pd_run *run, struct pd_batch_slot *slot)
{
	for (struct pd_queued_finding *found; (found = pd_finding_queue_take(&slot->found));)
		queue_finding(run, found);
}

/* Reports a list to which no other thread adds findings. */
static void report_findings(struct pd_run *run, struct pd_finding_queue *list)
{
	const struct pd_listener own = { run->options->on_finding, run->options->user };
	for (struct pd_queued_finding *found; (found = pd_finding_queue_take(list));) {
		const struct pd_listener listener = found->of_reader ? run->reader_listener : own;
		if (listener.on_finding)
			listener.on_finding(listener.user, &found->finding);
		pd_free(found);
	}
}

bool pd_run_report(struct pd_run *run)
{
	const bool any = run->found.first != NULL;
	while (run->found.first) {
		struct pd_finding_queue found = run->found;
		run->found = (struct pd_finding_queue){ NULL, NULL };
		pd_monitor_leave(run->monitor);
		report_findings(run, &found);
		pd_monitor_enter(run->monitor);
	}
	return any;
}

void pd_run_report_read(struct pd_run *run) { report_findings(run, &run->read); }
