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
 * it. With 1, the consumer gets each slot at once; with more, the worker calls pd_handoff_pass_last_slot for its last
 * slot. False: no thread could be started, and there is nothing to release. */
bool pd_handoff_start(struct pd_handoff *handoff, unsigned nr, unsigned least,
		      void (*work)(void *user, unsigned thread), void *user);
/* Stops the worker at its next call of pd_handoff_wait_for_room or pd_handoff_settle, and waits for its end. The slots
 * from taken to filled still have their contents. */
void pd_handoff_stop(struct pd_handoff *handoff);

/* As pd_handoff_start, but without a worker: any thread may fill the next slot (pd_handoff_begin_slot). The consumer
 * gets each slot at once. False without memory. */
bool pd_handoff_open(struct pd_handoff *handoff, unsigned nr);
/* For any thread, at any time between open and close. pd_handoff_begin_slot reserves the next slot for the calling
 * thread, which fills it and then calls pd_handoff_pass_slot or pd_handoff_pass_last_slot. False: `most` slots, or all,
 * are filled, another thread fills one, or the handoff is paused. */
bool pd_handoff_has_work(struct pd_handoff *handoff, unsigned most);
bool pd_handoff_begin_slot(struct pd_handoff *handoff, unsigned most, unsigned *ret_place);
/* For the consumer: lets no thread begin a slot, and waits for the thread that fills one. The slots from taken to
 * filled still have their contents. */
void pd_handoff_pause(struct pd_handoff *handoff);
/* For the consumer: ends a pause. All slots are empty. */
void pd_handoff_restart(struct pd_handoff *handoff);
/* Call it after a pause, when no other thread uses the handoff any more. */
void pd_handoff_close(struct pd_handoff *handoff);

/* For the worker: whether pd_handoff_wait_for_room would return at once. */
bool pd_handoff_has_room(struct pd_handoff *handoff);
/* For the worker: waits for a free slot and sets *ret_place to its number. False: stopped. */
bool pd_handoff_wait_for_room(struct pd_handoff *handoff, unsigned *ret_place);
/* For the worker: passes the slot of the last pd_handoff_wait_for_room to the consumer. */
void pd_handoff_pass_slot(struct pd_handoff *handoff);
/* For the worker: the same for its last slot. */
void pd_handoff_pass_last_slot(struct pd_handoff *handoff);
/* For the worker: waits until the consumer has taken all filled slots and waits for the next one. */
void pd_handoff_settle(struct pd_handoff *handoff);

/* For the consumer: waits for a filled slot and returns its number. The slot is the consumer's until
 * pd_handoff_give_back_slot. */
unsigned pd_handoff_wait_for_slot(struct pd_handoff *handoff);
void pd_handoff_give_back_slot(struct pd_handoff *handoff);
/* For the consumer: whether to do the work for the next slot itself, because no slot is filled and no other thread has
 * begun one, as when other threads use all processors. After true, nobody else begins a slot until
 * pd_handoff_resume. */
bool pd_handoff_take_over(struct pd_handoff *handoff);
void pd_handoff_resume(struct pd_handoff *handoff);

#endif
