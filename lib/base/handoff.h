/* SPDX-License-Identifier: MIT */
/* Work that a thread of its own does ahead of the one that asks for it: a ring of places, filled in order by the one,
 * taken in order by the other. Place number n % nr belongs to the thread until n places are filled, and to the asking
 * one until n are taken; what stands in places is the caller's. */
#ifndef PD_HANDOFF_H
#define PD_HANDOFF_H

#include <stdbool.h>
#include <stdint.h>

struct pd_monitor;
struct pd_team;
struct pd_handoff {
	struct pd_monitor *monitor;
	struct pd_team *team;            /* of one thread */
	unsigned nr;                     /* places */
	/* inside the monitor */
	uint64_t filled, taken;
	bool asking;                     /* somebody waits for the next place to be filled */
	bool stop;
};

/* Starts the thread, in which work(user, …) fills places, the first one at once, until it ends by itself or is stopped.
 * False: there is none, and nothing to release. */
bool pd_handoff_start(struct pd_handoff *handoff, unsigned nr, void (*work)(void *user, unsigned thread), void *user);
/* Lets the thread go as soon as it looks, and waits for its end. Places from taken to filled were not taken. */
void pd_handoff_stop(struct pd_handoff *handoff);

/* The thread: waits for a place that can be filled and gives its number; false: stopped. */
bool pd_handoff_room(struct pd_handoff *handoff, unsigned *ret_place);
/* The thread: the place that pd_handoff_room gave last is filled. */
void pd_handoff_filled(struct pd_handoff *handoff);
/* The thread: waits until everything was taken and the next one is asked for. */
void pd_handoff_settle(struct pd_handoff *handoff);

/* Who asks: waits for a filled place and gives its number; it stays filled until it is taken. */
unsigned pd_handoff_next(struct pd_handoff *handoff);
void pd_handoff_taken(struct pd_handoff *handoff);

#endif
