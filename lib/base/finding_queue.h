/* SPDX-License-Identifier: MIT */
/* Findings that are to be reported in order. One thread at a time may use a queue. */
#ifndef PD_FINDING_QUEUE_H
#define PD_FINDING_QUEUE_H

#include "perfdata/base.h"

struct pd_queued_finding {
	struct pd_queued_finding *next;
	bool of_reader;                     /* reported to the reader's listener; else to the run's */
	struct perfdata_finding finding;    /* message: a copy; file: borrowed */
	char message[];
};
/* {0} is an empty queue. */
struct pd_finding_queue {
	struct pd_queued_finding *first, *last;
};

/* Returns a copy, which outlives the finding; the caller frees it with pd_free. NULL: no memory. */
struct pd_queued_finding *pd_finding_copy(const struct perfdata_finding *finding);
/* Appends `found`; the queue frees it. */
void pd_finding_queue_put(struct pd_finding_queue *queue, struct pd_queued_finding *found);
/* Removes and returns the first finding; NULL: the queue is empty. */
struct pd_queued_finding *pd_finding_queue_take(struct pd_finding_queue *queue);
void pd_finding_queue_drop(struct pd_finding_queue *queue);

#endif
