/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/finding_queue.h"
#include "base/memory.h"

struct pd_queued_finding *pd_finding_copy(const struct perfdata_finding *finding)
{
	const size_t size = strlen(finding->message) + 1;
	struct pd_queued_finding *found = pd_malloc(sizeof *found + size);
	if (!found)
		return NULL;
	found->next = NULL;
	found->of_reader = false;
	found->finding = *finding;
	memcpy(found->message, finding->message, size);
	found->finding.message = found->message;
	return found;
}

void pd_finding_queue_put(struct pd_finding_queue *queue, struct pd_queued_finding *found)
{
	*(queue->first ? &queue->last->next : &queue->first) = found;
	queue->last = found;
}

struct pd_queued_finding *pd_finding_queue_take(struct pd_finding_queue *queue)
{
	struct pd_queued_finding *found = queue->first;
	if (found) {
		queue->first = found->next;
		found->next = NULL;
	}
	return found;
}

void pd_finding_queue_drop(struct pd_finding_queue *queue)
{
	for (struct pd_queued_finding *found; (found = pd_finding_queue_take(queue));)
		pd_free(found);
}
