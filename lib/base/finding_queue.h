/* SPDX-License-Identifier: MIT */
/* Findings that wait to be reported, in order. A queue is used by one thread at a time. */
#ifndef PD_FINDING_QUEUE_H
#define PD_FINDING_QUEUE_H

#include "perfdata/base.h"

struct pd_queued_finding {
	struct pd_queued_finding *next;
	bool of_reader;                     /* reported to the listener of the reader, not of the run */
	struct perfdata_finding finding;    /* the message is a copy; the file is borrowed, as from everywhere */
	char message[];
};
/* {0} is an empty queue. */
struct pd_finding_queue {
	struct pd_queued_finding *first, *last;
};

/* A copy that lives until the finding is reported; NULL without memory. pd_free frees it. */
struct pd_queued_finding *pd_finding_copy(const struct perfdata_finding *finding);
/* Appends `found`, which the queue takes over. */
void pd_finding_queue_put(struct pd_finding_queue *queue, struct pd_queued_finding *found);
/* Takes the first finding off the queue; NULL: the queue is empty. */
struct pd_queued_finding *pd_finding_queue_take(struct pd_finding_queue *queue);
void pd_finding_queue_drop(struct pd_finding_queue *queue);

#endif
