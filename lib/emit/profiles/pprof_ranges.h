/* SPDX-License-Identifier: MIT */
/* Finds the recorded mapping that holds an address, among many: processes with a JIT compiler or thousands of
 * libraries have tens of thousands, and recordings of many processes have mappings that overlap. */
#ifndef PD_PPROF_RANGES_H
#define PD_PPROF_RANGES_H

#include "emit/profiles/pprof_maps.h"

/* All ranges, ordered by the group of their name, then by start. */
struct pprof_range;
struct pprof_ranges {
	struct pprof_range *list;
	size_t nr;
};

#define PPROF_NO_RANGE UINT32_MAX

/* groups: by mapping, a number that mappings of one name share. by_offset: a range starts at the mapping's offset in
 * the file, not at its address in the process. False without memory. */
bool pd_pprof_ranges_build(struct pprof_ranges *ranges, const struct pprof_seen *seen, size_t nr,
			   const uint32_t *groups, bool by_offset);
void pd_pprof_ranges_release(struct pprof_ranges *ranges);
/* Returns the index of the first recorded mapping of the group that holds the address; PPROF_NO_RANGE: there is
 * none. */
uint32_t pd_pprof_ranges_find(const struct pprof_ranges *ranges, uint32_t group, uint64_t address);

#endif
