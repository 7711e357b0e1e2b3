/* SPDX-License-Identifier: MIT */
/* Threads and locks: the only place that knows pthreads. */
#ifndef PD_THREADS_H
#define PD_THREADS_H

#include <stdbool.h>

/* A mutex with one condition: enter, look, wait or leave. Everybody who waits is woken by pd_monitor_wake and looks
 * again. */
struct pd_monitor;
struct pd_monitor *pd_monitor_new(void);   /* NULL without memory */
void pd_monitor_free(struct pd_monitor *monitor);
void pd_monitor_enter(struct pd_monitor *monitor);
bool pd_monitor_try(struct pd_monitor *monitor);    /* enters, unless another thread is inside */
void pd_monitor_leave(struct pd_monitor *monitor);
void pd_monitor_wait(struct pd_monitor *monitor);   /* inside */
void pd_monitor_wake(struct pd_monitor *monitor);   /* inside */

/* More threads than this help no machine that we know, and would only cost memory. */
#define PD_MAX_THREADS 1024u

/* Threads that run the same function. Signals are left to the threads that were there before. */
struct pd_team;
/* Starts up to `wanted` threads; fewer (or NULL: none) when the system refuses, which is no error for a caller that can
 * do the work alone. */
struct pd_team *pd_team_start(unsigned wanted, void (*work)(void *user, unsigned index), void *user);
void pd_team_join(struct pd_team *team);   /* waits for all and frees; NULL is fine */

#endif
