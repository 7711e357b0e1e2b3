/* SPDX-License-Identifier: MIT */
/* One list for the threads of several runs: the nth thread with a name in a run is the nth thread with this name in the
 * recording. */
#ifndef PD_FLAME_THREADS_H
#define PD_FLAME_THREADS_H

#include "profile/profile.h"

struct flame_threads;
struct flame_thread {
	int32_t pid, tid;            /* in the first run that has the thread */
	const char *comm;
};

/* NULL without memory. */
struct flame_threads *pd_flame_threads_new(void);
void pd_flame_threads_free(struct flame_threads *threads);
/* Adds the threads of a run, the recording first. PERFDATA_ENOMEM. */
enum perfdata_status pd_flame_threads_add(struct flame_threads *threads, const struct pd_profile *profile);
/* Index in the list of a thread of a run. */
uint32_t pd_flame_threads_of(const struct flame_threads *threads, size_t run, uint32_t thread);
/* The list. Its names are borrowed from the sessions. */
const struct flame_thread *pd_flame_threads_list(const struct flame_threads *threads, size_t *ret_nr);

#endif
