/* SPDX-License-Identifier: MIT */
/* The addresses of a recorded callchain, one after the other, and the cpumode of each. */
#ifndef PD_CHAIN_WALK_H
#define PD_CHAIN_WALK_H

#include "session/state.h"

struct pd_chain_walk {
	const struct perfdata_list *parts[2];
	unsigned part;
	uint64_t at;
	uint16_t cpumode;
	uint16_t origin;
	bool in_kernel;                 /* the chain began in the kernel */
	bool broken;
};

static inline bool pd_walk_context(struct pd_chain_walk *walk, uint64_t marker)
{
	switch (marker) {
	case PERFDATA_CONTEXT_HV:
		walk->cpumode = PERFDATA_CPUMODE_HYPERVISOR;
		return true;
	case PERFDATA_CONTEXT_KERNEL:
		walk->cpumode = PERFDATA_CPUMODE_KERNEL;
		walk->in_kernel = true;
		return true;
	case PERFDATA_CONTEXT_USER:
	case PERFDATA_CONTEXT_USER_DEFERRED:
		walk->cpumode = PERFDATA_CPUMODE_USER;
		return true;
	}
	return false;
}

/* The next address of the chain; markers switch the mode. An unknown marker makes the chain broken: perf discards the
 * whole chain. */
static inline bool pd_walk_next(struct pd_chain_walk *walk, uint64_t *ret_ip)
{
	while (walk->part < 2 && walk->parts[walk->part]) {
		const struct perfdata_list *list = walk->parts[walk->part];
		if (walk->at >= list->count) {
			walk->part++;
			walk->at = 0;
			continue;
		}
		uint64_t ip = perfdata_list_u64(list, walk->at++);
		if (ip < PERFDATA_CONTEXT_MAX) {
			*ret_ip = ip;
			return true;
		}
		if (!pd_walk_context(walk, ip)) {
			walk->broken = true;
			return false;
		}
		/* a deferred chain's cookie follows its marker; if the walk has the deferred chain, it skips the
		 * cookie */
		if (ip == PERFDATA_CONTEXT_USER_DEFERRED && walk->parts[1])
			walk->at = list->count;
	}
	return false;
}

static inline struct pd_chain_walk pd_walk_start(const struct perfdata_list *chain,
						 const struct perfdata_list *deferred)
{
	return (struct pd_chain_walk){ .parts = { chain, deferred }, .cpumode = PERFDATA_CPUMODE_USER };
}

/* Whether the next address is a user address whose chain began in the kernel: during exec it may be of the old
 * program. */
static inline bool pd_walk_is_below_kernel(const struct pd_chain_walk *walk)
{
	return walk->in_kernel && walk->cpumode == PERFDATA_CPUMODE_USER;
}

/* Walks to the next marker, over at most `most` addresses, and writes their steps; all have the mode of the walk's last
 * address. Returns the number of steps. */
size_t pd_walk_steps(struct pd_state *state, const struct pd_thread *thread, struct pd_chain_walk *walk, uint64_t most,
		     struct perfdata_step *ret);

#endif
