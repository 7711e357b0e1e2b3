#include "config.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#include "base/memory.h"
#include "perfdata_emit.h"
#include "run/threads.h"

/* More threads than this help no machine we know and would only cost memory. */
#define MAX_THREADS 1024u

struct pd_monitor {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
};

struct pd_monitor *pd_monitor_new(void)
{
	struct pd_monitor *monitor = pd_malloc(sizeof *monitor);
	if (!monitor)
		return NULL;
	if (pthread_mutex_init(&monitor->mutex, NULL)) {
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
void pd_monitor_leave(struct pd_monitor *monitor) { pthread_mutex_unlock(&monitor->mutex); }
void pd_monitor_wait(struct pd_monitor *monitor) { pthread_cond_wait(&monitor->changed, &monitor->mutex); }
void pd_monitor_wake(struct pd_monitor *monitor) { pthread_cond_broadcast(&monitor->changed); }

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

struct pd_team *pd_team_start(unsigned wanted, void (*work)(void *user, unsigned index), void *user)
{
	if (!wanted)
		return NULL;
	if (wanted > MAX_THREADS)
		wanted = MAX_THREADS;
	struct pd_team *team = pd_calloc(1, sizeof *team + wanted * sizeof *team->members);
	if (!team)
		return NULL;
	team->work = work;
	team->user = user;

	/* New threads inherit the mask: with all signals blocked, handlers run (and interrupt reads) in the caller. */
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
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

unsigned perfdata_processors(void)
{
	cpu_set_t set;
	if (!sched_getaffinity(0, sizeof set, &set))
		return (unsigned)CPU_COUNT(&set);
	/* More processors than cpu_set_t has room for. */
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	return online < 1 ? 1 : online > (long)MAX_THREADS ? MAX_THREADS : (unsigned)online;
}

struct parallel {
	void (*work)(void *user, size_t index);
	void *user;
	size_t count;
	atomic_size_t next;
};

static void parallel_work(void *user, unsigned thread)
{
	struct parallel *parallel = user;
	(void)thread;
	for (;;) {
		const size_t index = atomic_fetch_add_explicit(&parallel->next, 1, memory_order_relaxed);
		if (index >= parallel->count)
			return;
		parallel->work(parallel->user, index);
	}
}

enum perfdata_status perfdata_parallel(size_t count, unsigned jobs, void (*work)(void *user, size_t index), void *user)
{
	if (!work)
		return PERFDATA_EUSAGE;
	struct parallel parallel = { .work = work, .user = user, .count = count };
	if (!jobs)
		jobs = perfdata_processors();
	if (jobs > count)
		jobs = count ? (unsigned)count : 1;
	struct pd_team *team = pd_team_start(jobs - 1, parallel_work, &parallel);
	parallel_work(&parallel, jobs);
	pd_team_join(team);
	return PERFDATA_OK;
}
