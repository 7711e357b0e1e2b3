/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdatomic.h>
#include <unistd.h>
#include "base/port.h"
#include "base/threads.h"
#include "perfdata/emit.h"

unsigned perfdata_processors(void)
{
	const unsigned allowed = pd_allowed_processors();
	if (allowed)
		return allowed;
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	return online < 1 ? 1 : online > (long)PD_MAX_THREADS ? PD_MAX_THREADS : (unsigned)online;
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
