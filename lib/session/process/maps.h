/* SPDX-License-Identifier: MIT */
/* Finds the file to which an address of a process, or of a kernel, belongs. */
#ifndef PD_MAPS_H
#define PD_MAPS_H

#include "base/arena.h"

/* --- process/maps.c ----------------------------------------------------------------------------------------------- */

/* An interval of addresses. Sets of maps are trees that share nodes after a fork and copy them when one side changes: a
 * fork costs nothing, and a new map costs the logarithm of their number, however they overlap. */
struct pd_map {
	uint64_t start, end;       /* [start, end) */
	uint64_t pgoff;            /* file offset of start */
	uint32_t dso;
	bool identity;             /* addresses of the dso are addresses in memory, not file offsets */
};
struct pd_map_node;
struct pd_maps {
	struct pd_map_node *root;
	/* maps of the program that exec replaced: samples of the kernel during exec still show them */
	struct pd_map_node *before_exec;
	uint64_t owner;            /* nodes with this owner belong to this set alone */
	uint64_t generation;       /* changes whenever the set does; unique over all sets */
	/* the generation of the last change that gave an address of some map another map, or none: an address that has
	 * a map keeps it while `replaced` stays, and an address without a map while `generation` stays */
	uint64_t replaced;
	/* [low, high) contains all maps that changed after generation `checked`: see pd_maps_check */
	uint64_t checked, low, high;
	uint32_t users;            /* number of threads that share the set */
	struct pd_kernel_map *recorded;   /* maps of a kernel: searched where the tree has no map; see kernel_maps.c */
	struct pd_kernel_map *kernel;     /* the map in `recorded` that is the kernel's */
};
struct pd_map_store {
	struct pd_arena arena;
	struct pd_map_node *released;   /* by `left`: nodes to use again */
	uint64_t next_owner, next_generation;
	uint64_t random;
};
int pd_maps_insert(struct pd_map_store *store, struct pd_maps *maps, const struct pd_map *map);   /* the new map wins */
/* Notes that any address may have another map than before. */
static inline void pd_maps_replace_all(struct pd_map_store *store, struct pd_maps *maps)
{
	maps->generation = maps->replaced = maps->checked = ++store->next_generation;
	maps->low = UINT64_MAX;
	maps->high = 0;
}
/* Returns in [*low, *high) all addresses whose map may have changed since a generation. Later calls need not name these
 * changes to a caller that knows the present generation. */
void pd_maps_check(struct pd_maps *maps, uint64_t since, uint64_t *low, uint64_t *high);
const struct pd_map *pd_maps_find(const struct pd_maps *maps, uint64_t address);
/* The lowest map that ends above an address; NULL: none. */
const struct pd_map *pd_maps_next(const struct pd_maps *maps, uint64_t address);
const struct pd_map *pd_maps_find_before_exec(const struct pd_maps *maps, uint64_t address);
int pd_maps_remove(struct pd_map_store *store, struct pd_maps *maps, uint64_t start);   /* the map at `start` */
/* Makes the set empty; the old one becomes before_exec. */
void pd_maps_exec(struct pd_map_store *store, struct pd_maps *maps);
/* `to` becomes a copy of `from`. */
void pd_maps_copy(struct pd_map_store *store, struct pd_maps *to, struct pd_maps *from);
/* Makes the set empty. Its nodes that belong to no other set are used again, so nobody may hold one of its maps. */
void pd_maps_release(struct pd_map_store *store, struct pd_maps *maps);
uint64_t pd_map_random(struct pd_map_store *store);   /* a priority for a new node */
static inline uint64_t pd_map_address(const struct pd_map *map, uint64_t ip)
{
	return map->identity ? ip : ip - map->start + map->pgoff;
}

/* --- process/kernel_maps.c --- */
/* Adds a map of a module, or of a kernel, which replaces the kernel's former map. 0 or -1. */
int pd_kernel_maps_add(struct pd_map_store *store, struct pd_maps *maps, const struct pd_map *map, bool is_kernel);
const struct pd_map *pd_kernel_maps_find(const struct pd_maps *maps, uint64_t address);

#endif
