/* SPDX-License-Identifier: MIT */
/* Anonymous addresses: each mapping of a process, and the kernel as a whole, moves by a distance of its own. */
#ifndef PD_MOVED_MAPS_H
#define PD_MOVED_MAPS_H

#include "rewrite/pseudonym.h"

#define PD_UNMAPPED UINT64_C(0x7ffff0000000)    /* addresses outside of all mappings move here; mappings end below */

struct pd_moved_maps;
struct pd_moved_maps *pd_moved_maps_new(struct pd_pseudonyms *names);   /* NULL: no memory */
void pd_moved_maps_free(struct pd_moved_maps *maps);
/* Adds a mapping of a process; returns its new address, where no other mapping is that the process has now. Costs the
 * logarithm of the number of mappings. 0: see pd_moved_maps_status. */
uint64_t pd_moved_maps_add(struct pd_moved_maps *maps, int32_t pid, uint64_t start, uint64_t length,
			   struct perfdata_bytes name);
/* Gives the child the mappings of its parent. */
void pd_moved_maps_fork(struct pd_moved_maps *maps, int32_t parent, int32_t child);
void pd_moved_maps_exit(struct pd_moved_maps *maps, int32_t pid);
/* Sets *ret to the new address. False: no mapping of the process covers the address. */
bool pd_moved_maps_find(const struct pd_moved_maps *maps, int32_t pid, uint64_t address, uint64_t *ret);
/* Returns the new address of an address of the kernel. All of the kernel moves by one distance. */
uint64_t pd_moved_kernel(const struct pd_moved_maps *maps, uint64_t address);
/* On some machines (32 bits, s390) the kernel is in the lower half of the address space. The first function adds a
 * mapping of such a kernel, up to `end`; the second finds the new address, or returns false if no mapping of the kernel
 * covers it. */
void pd_moved_low_kernel_add(struct pd_moved_maps *maps, uint64_t start, uint64_t end);
bool pd_moved_low_kernel(const struct pd_moved_maps *maps, uint64_t address, uint64_t *ret);
/* Why an address was not moved. PERFDATA_ENOMEM; PERFDATA_ELIMIT: the mappings that a process has at one time do not
 * fit into an address space. */
enum perfdata_status pd_moved_maps_status(const struct pd_moved_maps *maps);

#endif
