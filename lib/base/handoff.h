/* SPDX-License-Identifier: MIT */
/* Hands results from a worker thread to a consumer thread: a ring of slots, which the worker fills in order and the
 * consumer takes in order. Slot number n % nr belongs to the worker until n slots are filled, and to the consumer until
 * n are taken. The caller stores the contents of the slots. */
#ifndef PD_HANDOFF_H
#define PD_HANDOFF_H

#include <stdbool.h>
#include <stdint.h>

struct pd_monitor;
struct pd_team;
struct pd_handoff {
	struct pd_monitor *monitor;
	struct pd_team *team;            /* a team of one thread, the worker; NULL: any thread works on a slot */
	unsigned nr;                     /* number of slots */
	unsigned least;                  /* a waiting thread is woken for so many slots */
	/* protected by the monitor */
	uint64_t filled, taken;
	bool asking;                     /* the consumer waits for the next slot */
	bool is_due;                     /* the worker waits for the consumer, or has filled its last slot */
	bool is_working;                 /* the worker has a free slot to fill */
	bool is_taken_over;              /* the consumer does the worker's work */
	bool stop;
};

/* Starts a worker that runs work(user, …), which fills slots until it returns or is stopped. least: a thread that
 * waits goes on once so many slots are filled, or free: waking a thread for each slot can cost more than the work on
 * it. With 1, the consumer gets each slot at once; with more, the worker calls pd_handoff_last for its last slot.
 * False: no thread could be started, and there is nothing to release. */
bool pd_handoff_start(struct pd_handoff *handoff, unsigned nr, unsigned least,
		      void (*work)(void *user, unsigned thread), void *user);
/* As pd_handoff_start, but has no worker: any thread may do the work for a slot (pd_handoff_begin). The consumer gets
 * each slot at once. False without memory. */
bool pd_handoff_open(struct pd_handoff *handoff, unsigned nr);
/* For any thread, at any time between open and close. pd_handoff_begin takes the work for the next slot; false: nothing
 * is to be done. After true, call pd_handoff_filled or pd_handoff_last. */
bool pd_handoff_has_work(struct pd_handoff *handoff);
bool pd_handoff_begin(struct pd_handoff *handoff, unsigned *ret_place);
/* Lets no thread begin, and waits for the one that works. The slots from taken to filled were not taken. */
void pd_handoff_pause(struct pd_handoff *handoff);
/* Begins anew after a pause, with empty slots. */
void pd_handoff_restart(struct pd_handoff *handoff);
/* Call it after a pause, when no thread can begin any more. */
void pd_handoff_close(struct pd_handoff *handoff);
/* Stops the worker at its next call of pd_handoff_room or pd_handoff_settle, and waits for its end. The slots from
 * taken to filled were not taken. */
void pd_handoff_stop(struct pd_handoff *handoff);

/* For the worker: whether pd_handoff_room would return at once. */
bool pd_handoff_has_room(struct pd_handoff *handoff);
/* For the worker: waits for a free slot and sets *ret_place to its number. False: stopped. */
bool pd_handoff_room(struct pd_handoff *handoff, unsigned *ret_place);
/* For the worker: passes the slot of the last pd_handoff_room to the consumer. */
void pd_handoff_filled(struct pd_handoff *handoff);
/* For the worker: the same for its last slot. */
void pd_handoff_last(struct pd_handoff *handoff);
/* For the worker: waits until all filled slots are taken and the consumer waits for the next one. */
void pd_handoff_settle(struct pd_handoff *handoff);

/* For the consumer: waits for a filled slot and returns its number. The slot is the consumer's until
 * pd_handoff_taken. */
unsigned pd_handoff_next(struct pd_handoff *handoff);
void pd_handoff_taken(struct pd_handoff *handoff);
/* For the consumer: whether it should do the work for the next slot itself, since no slot is filled and the worker has
 * not begun, as where other threads have the processors. The worker begins nothing until pd_handoff_resume. */
bool pd_handoff_take_over(struct pd_handoff *handoff);
void pd_handoff_resume(struct pd_handoff *handoff);

#endif
