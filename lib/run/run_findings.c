/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "run/run_impl.h"

struct pd_run_finding *pd_run_finding_copy(const struct perfdata_finding *finding)
{
	const size_t size = strlen(finding->message) + 1;
	struct pd_run_finding *found = pd_malloc(sizeof *found + size);
	if (!found)
		return NULL;
	found->next = NULL;
	found->of_reader = false;
	found->finding = *finding;
	memcpy(found->message, finding->message, size);
	found->finding.message = found->message;
	return found;
}

void pd_run_findings_add(struct pd_run_findings *list, struct pd_run_finding *found)
{
	*(list->first ? &list->last->next : &list->first) = found;
	list->last = found;
}

struct pd_run_finding *pd_run_findings_take(struct pd_run_findings *list)
{
	struct pd_run_finding *found = list->first;
	if (found) {
		list->first = found->next;
		found->next = NULL;
	}
	return found;
}

void pd_run_findings_drop(struct pd_run_findings *list)
{
	for (struct pd_run_finding *found; (found = pd_run_findings_take(list));)
		pd_free(found);
}

void pd_run_keep_finding(void *user, const struct perfdata_finding *finding)
{
	struct pd_slot *slot = user;
	struct pd_run_finding *found = pd_run_finding_copy(finding);
	if (found)
		pd_run_findings_add(&slot->found, found);
	else
		slot->status = PERFDATA_ENOMEM;
}

void pd_run_read_finding(void *user, const struct perfdata_finding *finding)
{
	struct pd_run *run = user;
	struct pd_run_finding *found = pd_run_finding_copy(finding);
	if (found) {
		found->of_reader = true;
		pd_run_findings_add(&run->read, found);
	} else {
		run->read_lost = true;
	}
}

/* Takes it over; NULL: there was no memory for it. */
static void queue(struct pd_run *run, struct pd_run_finding *found)
{
	pd_monitor_enter(run->monitor);
	if (found) {
		pd_run_findings_add(&run->found, found);
		run->damaged |= found->finding.severity == PERFDATA_SEVERITY_ERROR && !found->of_reader;
	} else {
		run->finding_lost = true;
	}
	pd_monitor_leave(run->monitor);
}

/* Codes 1xx are of records. */
static bool is_of_a_record(const struct perfdata_finding *finding) { return finding->code / 100 == 1; }

void pd_run_emitter_finding(void *user, const struct perfdata_finding *finding)
{
	const struct perfdata_outputs *target = user;
	/* of several emitters that check the records one is enough */
	if (target->emitter->flags & PERFDATA_EMITTER_CHECKS && !target->checks && is_of_a_record(finding))
		return;
	queue(target->run, pd_run_finding_copy(finding));
}

void pd_run_queue_kept(struct pd_run *run, struct pd_slot *slot)
{
	for (struct pd_run_finding *found; (found = pd_run_findings_take(&slot->found));)
		queue(run, found);
}

/* A list that nobody else adds to. */
static void report(struct pd_run *run, struct pd_run_findings *list)
{
	const struct pd_listener own = { run->options->on_finding, run->options->user };
	for (struct pd_run_finding *found; (found = pd_run_findings_take(list));) {
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
		struct pd_run_findings found = run->found;
		run->found = (struct pd_run_findings){ NULL, NULL };
		pd_monitor_leave(run->monitor);
		report(run, &found);
		pd_monitor_enter(run->monitor);
	}
	return any;
}

void pd_run_report_read(struct pd_run *run) { report(run, &run->read); }
