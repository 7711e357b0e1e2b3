/* SPDX-License-Identifier: MIT */
/* Work that a worker thread does ahead of the thread that asks for it: a ring of places, which the worker fills in
 * order and the asking thread takes in order. Place number n % nr belongs to the worker until n places are filled, and
 * to the asking thread until n are taken; the content of places is the caller's. */
#ifndef PD_HANDOFF_H
#define PD_HANDOFF_H

#include <stdbool.h>
#include <stdint.h>

struct pd_monitor;
struct pd_team;
struct pd_handoff {
	struct pd_monitor *monitor;
	struct pd_team *team;            /* of one thread, the worker */
	unsigned nr;                     /* places */
	/* protected by the monitor */
	uint64_t filled, taken;
	bool asking;                     /* the asking thread waits for the next place to be filled */
	bool stop;
};

/* Starts the worker, in which work(user, …) fills places, the first one at once, until it returns or is stopped. False:
 * no thread could be started, and there is nothing to release. */
bool pd_handoff_start(struct pd_handoff *handoff, unsigned nr, void (*work)(void *user, unsigned thread), void *user);
/* Makes the worker stop at its next call of pd_handoff_room or pd_handoff_settle, and waits for its end. Places from
 * taken to filled were not taken. */
void pd_handoff_stop(struct pd_handoff *handoff);

/* Called by the worker: waits for a place that can be filled and returns its number; false: stopped. */
bool pd_handoff_room(struct pd_handoff *handoff, unsigned *ret_place);
/* Called by the worker: the place that pd_handoff_room gave last is filled. */
void pd_handoff_filled(struct pd_handoff *handoff);
/* Called by the worker: waits until all filled places were taken and the asking thread waits for the next one. */
void pd_handoff_settle(struct pd_handoff *handoff);

/* Called by the asking thread: waits for a filled place and gives its number; the place stays filled until it is
 * taken. */
unsigned pd_handoff_next(struct pd_handoff *handoff);
void pd_handoff_taken(struct pd_handoff *handoff);

#endif
