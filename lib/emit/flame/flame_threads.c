/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/flame/flame_threads.h"

struct run {
	uint32_t *numbers;           /* by number of the run's thread */
	size_t nr;
};

struct flame_threads {
	struct pd_intern *names;
	struct pd_hash_map known;    /* name << 32 | number of earlier threads with this name → index in the list */
	struct flame_thread *list;
	size_t nr, room;
	struct run *runs;
	size_t nr_runs, runs_room;
};

struct flame_threads *pd_flame_threads_new(void)
{
	struct flame_threads *threads = pd_calloc(1, sizeof *threads);
	if (threads)
		threads->names = pd_intern_new();
	if (threads && threads->names)
		return threads;
	pd_flame_threads_free(threads);
	return NULL;
}

void pd_flame_threads_free(struct flame_threads *threads)
{
	if (!threads)
		return;
	for (size_t i = 0; i < threads->nr_runs; i++)
		pd_free(threads->runs[i].numbers);
	pd_free(threads->runs);
	pd_free(threads->list);
	pd_hash_map_release(&threads->known);
	pd_intern_free(threads->names);
	pd_free(threads);
}

/* The index of the nth thread with a name. */
static enum perfdata_status find_thread(struct flame_threads *threads, const struct flame_thread *thread, uint64_t key,
					uint32_t *ret)
{
	uint64_t number;
	if (!pd_hash_map_get(&threads->known, key, &number)) {
		number = threads->nr;
		if (pd_vector_grow(&threads->list, &threads->room, threads->nr, sizeof *threads->list) < 0 ||
		    pd_hash_map_put(&threads->known, key, number) < 0)
			return PERFDATA_ENOMEM;
		threads->list[threads->nr++] = *thread;
	}
	*ret = (uint32_t)number;
	return PERFDATA_OK;
}

static enum perfdata_status add_run(struct flame_threads *threads, const struct pd_profile *profile,
				    struct pd_hash_map *counts, struct run *run)
{
	enum perfdata_status status = PERFDATA_OK;
	for (; run->nr < pd_profile_nr_threads(profile) && status == PERFDATA_OK; run->nr++) {
		const struct pd_profile_thread *of = pd_profile_thread(profile, (uint32_t)run->nr);
		const char *comm = of->comm == PERFDATA_NONE
					   ? ""
					   : perfdata_session_comm(pd_profile_session(profile), of->comm);
		const struct flame_thread thread = { of->pid, of->tid, comm };
		const uint32_t name = pd_intern_put(threads->names, comm, strlen(comm));
		uint64_t nth = 0;
		if (name == UINT32_MAX)
			return PERFDATA_ENOMEM;
		(void)pd_hash_map_get(counts, name, &nth);
		if (pd_hash_map_put(counts, name, nth + 1) < 0)
			return PERFDATA_ENOMEM;
		status = find_thread(threads, &thread, (uint64_t)name << 32 | nth, &run->numbers[run->nr]);
	}
	return status;
}

enum perfdata_status pd_flame_threads_add(struct flame_threads *threads, const struct pd_profile *profile)
{
	struct pd_hash_map counts = { 0 };
	if (pd_vector_grow(&threads->runs, &threads->runs_room, threads->nr_runs, sizeof *threads->runs) < 0)
		return PERFDATA_ENOMEM;
	struct run *run = &threads->runs[threads->nr_runs++];
	*run = (struct run){ .numbers = pd_calloc(pd_profile_nr_threads(profile) + 1u, sizeof *run->numbers) };
	const enum perfdata_status status = run->numbers ? add_run(threads, profile, &counts, run) : PERFDATA_ENOMEM;
	pd_hash_map_release(&counts);
	return status;
}

uint32_t pd_flame_threads_of(const struct flame_threads *threads, size_t run, uint32_t thread)
{
	return thread < threads->runs[run].nr ? threads->runs[run].numbers[thread] : 0;
}

const struct flame_thread *pd_flame_threads_list(const struct flame_threads *threads, size_t *ret_nr)
{
	*ret_nr = threads->nr;
	return threads->list;
}
