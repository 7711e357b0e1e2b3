/* SPDX-License-Identifier: MIT */
/* Addresses of processes and of the kernel, moved by one distance for each mapping. */
#ifndef PD_MOVED_MAPS_H
#define PD_MOVED_MAPS_H

#include "rewrite/pseudonym.h"

struct pd_moved_maps;
struct pd_moved_maps *pd_moved_maps_new(struct pd_pseudonyms *names);   /* NULL without memory */
void pd_moved_maps_free(struct pd_moved_maps *maps);
/* Adds a mapping of a process; returns the address that it is moved to. */
uint64_t pd_moved_maps_add(struct pd_moved_maps *maps, int32_t pid, uint64_t start, uint64_t length,
			   struct perfdata_bytes name);
/* The child has the mappings of its parent. */
void pd_moved_maps_fork(struct pd_moved_maps *maps, int32_t parent, int32_t child);
void pd_moved_maps_exit(struct pd_moved_maps *maps, int32_t pid);
/* *ret: where an address of the process is moved to. False where no mapping covers the address. */
bool pd_moved_maps_find(const struct pd_moved_maps *maps, int32_t pid, uint64_t address, uint64_t *ret);
/* Where an address of the kernel is moved to; all of the kernel moves by one distance. */
uint64_t pd_moved_kernel(const struct pd_moved_maps *maps, uint64_t address);
/* Kernels of some machines lie in the lower half of addresses (32 bits, s390). Adds a mapping of such a kernel, up to
 * `end`; finds where one of its addresses is moved to: false where no mapping of the kernel covers it. */
void pd_moved_low_kernel_add(struct pd_moved_maps *maps, uint64_t start, uint64_t end);
bool pd_moved_low_kernel(const struct pd_moved_maps *maps, uint64_t address, uint64_t *ret);
bool pd_moved_maps_failed(const struct pd_moved_maps *maps);   /* out of memory */

#endif
