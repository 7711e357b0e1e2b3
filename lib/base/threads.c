/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <pthread.h>
#include <signal.h>
#include "base/memory.h"
#include "base/port.h"
#include "base/threads.h"

struct pd_monitor {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool is_to_wake;   /* guarded by the mutex */
};

/* Most locks are held for less time than it takes to put a thread to sleep, so waiting threads spin first. */
static int init_mutex(pthread_mutex_t *mutex)
{
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
	*mutex = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
	return 0;
#else
	return pthread_mutex_init(mutex, NULL);
#endif
}

struct pd_monitor *pd_monitor_new(void)
{
	struct pd_monitor *monitor = pd_malloc(sizeof *monitor);
	if (!monitor)
		return NULL;
	monitor->is_to_wake = false;
	if (init_mutex(&monitor->mutex)) {
		pd_free(monitor);
		return NULL;
	}
	if (pthread_cond_init(&monitor->changed, NULL)) {
		pthread_mutex_destroy(&monitor->mutex);
		pd_free(monitor);
		return NULL;
	}
	return monitor;
}

void pd_monitor_free(struct pd_monitor *monitor)
{
	if (!monitor)
		return;
	pthread_cond_destroy(&monitor->changed);
	pthread_mutex_destroy(&monitor->mutex);
	pd_free(monitor);
}

void pd_monitor_enter(struct pd_monitor *monitor) { pthread_mutex_lock(&monitor->mutex); }
void pd_monitor_enter_soon(struct pd_monitor *monitor)
{
	for (unsigned i = 0; i < 100; i++) {
		if (!pthread_mutex_trylock(&monitor->mutex))
			return;
		for (unsigned k = 0; k < 20; k++)
			pd_relax();
	}
	pthread_mutex_lock(&monitor->mutex);
}

bool pd_monitor_try(struct pd_monitor *monitor) { return pthread_mutex_trylock(&monitor->mutex) == 0; }

/* Threads are woken when the mutex is free: one that wakes earlier waits for the mutex, and must be woken again. */
void pd_monitor_leave(struct pd_monitor *monitor)
{
	const bool is_to_wake = monitor->is_to_wake;
	monitor->is_to_wake = false;
	pthread_mutex_unlock(&monitor->mutex);
	if (is_to_wake)
		pthread_cond_broadcast(&monitor->changed);
}

void pd_monitor_wait(struct pd_monitor *monitor)
{
	if (monitor->is_to_wake)
		pthread_cond_broadcast(&monitor->changed);
	monitor->is_to_wake = false;
	pthread_cond_wait(&monitor->changed, &monitor->mutex);
}

void pd_monitor_wake(struct pd_monitor *monitor) { monitor->is_to_wake = true; }

struct member {
	struct pd_team *team;
	pthread_t thread;
	unsigned index;
};
struct pd_team {
	void (*work)(void *user, unsigned index);
	void *user;
	unsigned count;
	struct member members[];
};

static void *member_main(void *argument)
{
	const struct member *member = argument;
	member->team->work(member->team->user, member->index);
	return NULL;
}

/* Signals that the kernel sends to the thread whose write or instruction caused them. */
static const int own_signals[] = { SIGPIPE, SIGXFSZ, SIGSEGV, SIGBUS, SIGFPE, SIGILL };

struct pd_team *pd_team_start(unsigned wanted, void (*work)(void *user, unsigned index), void *user)
{
	if (!wanted)
		return NULL;
	if (wanted > PD_MAX_THREADS)
		wanted = PD_MAX_THREADS;
	struct pd_team *team = pd_calloc(1, sizeof *team + wanted * sizeof *team->members);
	if (!team)
		return NULL;
	team->work = work;
	team->user = user;

	/* New threads inherit the mask. They block the signals that are sent to the process, so that handlers run in
	 * the caller and interrupt its reads. They receive signals that their own calls raise, with the same effect as
	 * in the caller. */
	sigset_t blocked, before;
	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof own_signals / sizeof *own_signals; i++)
		sigdelset(&blocked, own_signals[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	for (; team->count < wanted; team->count++) {
		struct member *member = &team->members[team->count];
		member->team = team;
		member->index = team->count;
		if (pthread_create(&member->thread, NULL, member_main, member))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!team->count) {
		pd_free(team);
		return NULL;
	}
	return team;
}

void pd_team_join(struct pd_team *team)
{
	if (!team)
		return;
	for (unsigned i = 0; i < team->count; i++)
		pthread_join(team->members[i].thread, NULL);
	pd_free(team);
}
