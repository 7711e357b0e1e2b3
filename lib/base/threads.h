/* SPDX-License-Identifier: MIT */
/* Threads and locks. No other file uses pthreads. */
#ifndef PD_THREADS_H
#define PD_THREADS_H

#include <stdbool.h>

/* A mutex with one condition: enter, check the condition, wait or leave. pd_monitor_wake wakes all waiting threads,
 * which check again. */
struct pd_monitor;
struct pd_monitor *pd_monitor_new(void);   /* NULL without memory */
void pd_monitor_free(struct pd_monitor *monitor);
void pd_monitor_enter(struct pd_monitor *monitor);
/* As pd_monitor_enter, for a lock that is held for microseconds but often: waits longer before the thread sleeps. */
void pd_monitor_enter_soon(struct pd_monitor *monitor);
bool pd_monitor_try(struct pd_monitor *monitor);    /* enters unless another thread is inside */
void pd_monitor_leave(struct pd_monitor *monitor);
void pd_monitor_wait(struct pd_monitor *monitor);   /* call it inside the monitor */
/* Call it inside the monitor: it takes effect when the caller leaves or waits. */
void pd_monitor_wake(struct pd_monitor *monitor);

/* More threads help no machine that we know, and cost memory. */
#define PD_MAX_THREADS 1024u

/* Threads that run the same function. They block the signals of the process, which go to its other threads. */
struct pd_team;
/* Starts up to `wanted` threads; fewer (NULL: none) if the system refuses, so that the caller must do the work
 * alone. */
struct pd_team *pd_team_start(unsigned wanted, void (*work)(void *user, unsigned index), void *user);
void pd_team_join(struct pd_team *team);   /* waits for all threads and frees the team; ignores NULL */

#endif
