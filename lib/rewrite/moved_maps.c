/* SPDX-License-Identifier: MIT */
/* Mappings by process, without overlaps, in the order of their recorded and of their new addresses. The new address of
 * a mapping depends only on the key, on its name, and on earlier mappings of the process that took its place. So it
 * reveals neither the old address nor the neighbours. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/search.h"
#include "rewrite/moved_maps.h"
#include "session/process/maps.h"

#define SLOT_BITS 32u                /* log2 of the size of a slot; a larger mapping takes several slots */
#define NR_SLOTS (1u << 14)          /* slots end below 2^47, where the addresses of processes end */
#define PAGE (64u << 10)             /* largest page size of any kernel: an address keeps its offset in the page */
#define ALIGNED (2u << 20)   /* a mapping begins this near to the start of its slot; the kernel moves by a multiple */
#define MAX_TRIES 256u               /* tries for a free slot; after these, mappings follow each other */
#define KERNEL_HALF UINT64_C(0x8000000000000000)
#define SALT_SLOT 7u
#define SALT_KERNEL 8u
#define LOW_KERNEL UINT64_C(0xffff900000000000)     /* new base of kernels in the lower half */
#define MAX_LOW_AREAS 4096u          /* most mappings of a kernel and its modules */
#define VSYSCALL UINT64_C(0xffffffffff600000)

/* The mappings of a process. `pgoff` of each is its address in the other set. */
struct areas {
	struct pd_maps recorded, moved;
	uint64_t next;               /* where the search for a place outside of the slots goes on; 0: not begun */
};
struct pd_moved_maps {
	struct pd_pseudonyms *names;
	struct pd_map_store store;
	struct pd_hash_map processes;     /* pid → struct areas * */
	/* names that a process mapped more often than there are tries, as hash + offset in the page → 1 */
	struct pd_hash_map crowded;
	uint64_t kernel;             /* bytes by which addresses of the kernel move down */
	uint64_t low_kernel;         /* bytes by which a kernel in the lower half moves up */
	struct low_area {
		uint64_t start, end;
	} *low;
	size_t nr_low, low_room;
	enum perfdata_status status;
};

struct pd_moved_maps *pd_moved_maps_new(struct pd_pseudonyms *names)
{
	struct pd_moved_maps *maps = pd_calloc(1, sizeof *maps);

	if (!maps)
		return NULL;
	maps->names = names;
	/* The kernel moves by 4 GiB to 1 TiB, which leaves it in the upper half. The number of large pages is odd, so
	 * that the lower 32 bits of an address change too. */
	const uint64_t pages = pd_keyed_hash(names, SALT_KERNEL, "", 0) % ((UINT64_C(1) << 40) / ALIGNED) | 1;
	maps->kernel = (UINT64_C(1) << 32) + pages * ALIGNED;
	maps->low_kernel = LOW_KERNEL + pages * ALIGNED;
	return maps;
}

static struct areas *areas_of(const struct pd_moved_maps *maps, int32_t pid)
{
	uint64_t value;
	return pd_hash_map_get(&maps->processes, (uint32_t)pid + UINT64_C(1), &value) ? (struct areas *)(uintptr_t)value
										      : NULL;
}

/* The areas of a process, which are made if it has none yet. NULL without memory. */
static struct areas *make_areas(struct pd_moved_maps *maps, int32_t pid)
{
	struct areas *areas = areas_of(maps, pid);

	if (areas)
		return areas;
	areas = pd_calloc(1, sizeof *areas);
	if (areas && pd_hash_map_put(&maps->processes, (uint32_t)pid + UINT64_C(1), (uint64_t)(uintptr_t)areas) < 0) {
		pd_free(areas);
		areas = NULL;
	}
	if (!areas) {
		maps->status = PERFDATA_ENOMEM;
		return NULL;
	}
	areas->recorded.owner = ++maps->store.next_owner;
	areas->moved.owner = ++maps->store.next_owner;
	return areas;
}

void pd_moved_maps_free(struct pd_moved_maps *maps)
{
	size_t position = 0;
	uint64_t pid, value;

	if (!maps)
		return;
	while (pd_hash_map_each(&maps->processes, &position, &pid, &value))
		pd_free((struct areas *)(uintptr_t)value);
	pd_hash_map_release(&maps->processes);
	pd_hash_map_release(&maps->crowded);
	pd_arena_release(&maps->store.arena);
	pd_free(maps->low);
	pd_free(maps);
}

static void insert_map(struct pd_moved_maps *maps, struct pd_maps *set, uint64_t start, uint64_t end, uint64_t other)
{
	const struct pd_map map = { .start = start, .end = end, .pgoff = other };
	if (pd_maps_insert(&maps->store, set, &map) < 0)
		maps->status = PERFDATA_ENOMEM;
}

/* The mapping that has a new address in the range, or NULL. */
static const struct pd_map *taker_of(const struct areas *areas, uint64_t from, uint64_t to)
{
	const struct pd_map *map = pd_maps_next(&areas->moved, from);
	return map && map->start < to ? map : NULL;
}

/* Finds the next free place that holds a mapping, from the end of the last one so found; once more from the start of
 * the address space if its end is reached. Returns 0 if there is none. */
static uint64_t next_place(const struct pd_moved_maps *maps, struct areas *areas, uint64_t start, uint64_t length)
{
	const uint64_t first = UINT64_C(1) << SLOT_BITS,
		       slot = pd_keyed_hash(maps->names, SALT_SLOT, "", 0) % NR_SLOTS;
	const struct pd_map *map;
	uint64_t at = areas->next ? areas->next : (slot + 1) << SLOT_BITS;

	for (unsigned ends = 0; ends < 2;) {
		at = (at + PAGE - 1) / PAGE * PAGE + start % PAGE;
		if (at >= PD_UNMAPPED || length > PD_UNMAPPED - at) {
			ends++;
			at = first;
			continue;
		}
		map = taker_of(areas, at, at + length);
		if (!map) {
			areas->next = at + length;
			return at;
		}
		at = map->end;
	}
	return 0;
}

static uint64_t choose_place(struct pd_moved_maps *maps, struct areas *areas, uint64_t start, uint64_t length,
			     struct perfdata_bytes name)
{
	const uint64_t slots = (length + ALIGNED) / (UINT64_C(1) << SLOT_BITS) + 1;
	const uint64_t room = slots < NR_SLOTS ? NR_SLOTS - slots : 1;
	const uint64_t hash = pd_keyed_hash(maps->names, SALT_SLOT, name.data, name.size);
	const uint64_t offset = (hash >> 32) % (ALIGNED / PAGE) * PAGE + start % PAGE;
	uint64_t slot = hash % room, known;

	if (!pd_hash_map_get(&maps->crowded, hash + start % PAGE, &known)) {
		for (unsigned tries = 0; tries < MAX_TRIES; tries++, slot = (slot + 1) % room) {
			const uint64_t at = ((slot + 1) << SLOT_BITS) + offset;
			if (!taker_of(areas, at, at + length))
				return at;
		}
		if (pd_hash_map_put(&maps->crowded, hash + start % PAGE, 1) < 0)
			maps->status = PERFDATA_ENOMEM;
	}
	return next_place(maps, areas, start, length);
}

/* Frees the new places of what a new mapping replaces. */
static void free_places(struct pd_moved_maps *maps, struct areas *areas, uint64_t start, uint64_t end)
{
	const struct pd_map *map = pd_maps_next(&areas->recorded, start);

	for (; map && map->start < end && maps->status == PERFDATA_OK; map = pd_maps_next(&areas->recorded, map->end)) {
		const uint64_t moved = map->pgoff;
		if (pd_maps_remove(&maps->store, &areas->moved, moved) < 0)
			maps->status = PERFDATA_ENOMEM;
		if (map->start < start)
			insert_map(maps, &areas->moved, moved, moved + (start - map->start), map->start);
		if (map->end > end)
			insert_map(maps, &areas->moved, moved + (end - map->start), moved + (map->end - map->start),
				   end);
	}
}

uint64_t pd_moved_maps_add(struct pd_moved_maps *maps, int32_t pid, uint64_t start, uint64_t length,
			   struct perfdata_bytes name)
{
	struct areas *areas = make_areas(maps, pid);
	const uint64_t end = length > UINT64_MAX - start ? UINT64_MAX : start + length;

	if (!areas)
		return 0;
	if (start < end)
		free_places(maps, areas, start, end);
	const uint64_t moved = choose_place(maps, areas, start, end - start, name);
	if (!moved && maps->status == PERFDATA_OK)
		maps->status = PERFDATA_ELIMIT;
	if (maps->status != PERFDATA_OK)
		return 0;
	insert_map(maps, &areas->recorded, start, end, moved);
	insert_map(maps, &areas->moved, moved, moved + (end - start), start);
	return moved;
}

static void release_areas(struct pd_moved_maps *maps, struct areas *areas)
{
	pd_maps_release(&maps->store, &areas->recorded);
	pd_maps_release(&maps->store, &areas->moved);
}

void pd_moved_maps_fork(struct pd_moved_maps *maps, int32_t parent, int32_t child)
{
	struct areas *from = areas_of(maps, parent), *to;

	if (!from || parent == child || !(to = make_areas(maps, child)))
		return;
	release_areas(maps, to);
	pd_maps_copy(&maps->store, &to->recorded, &from->recorded);
	pd_maps_copy(&maps->store, &to->moved, &from->moved);
	to->next = from->next;
}

void pd_moved_maps_exit(struct pd_moved_maps *maps, int32_t pid)
{
	struct areas *areas = areas_of(maps, pid);

	if (!areas || !pd_hash_map_remove(&maps->processes, (uint32_t)pid + UINT64_C(1)))
		return;
	release_areas(maps, areas);
	pd_free(areas);
}

bool pd_moved_maps_find(const struct pd_moved_maps *maps, int32_t pid, uint64_t address, uint64_t *ret)
{
	const struct areas *areas = areas_of(maps, pid);
	const struct pd_map *map = areas ? pd_maps_find(&areas->recorded, address) : NULL;

	if (!map)
		return false;
	*ret = pd_map_address(map, address);
	return true;
}

uint64_t pd_moved_kernel(const struct pd_moved_maps *maps, uint64_t address)
{
	if (address >= VSYSCALL && address < VSYSCALL + 4096)
		return address;
	return address - maps->kernel;
}

/* Returns the index of the first mapping of the kernel that ends after the address. */
static size_t low_place_of(const struct pd_moved_maps *maps, uint64_t address)
{
	size_t low;

	PD_COUNT_BEFORE(low, maps->nr_low, at, maps->low[at].end <= address);
	return low;
}

/* All mappings of the kernel move by the same distance, so overlapping ones are joined. */
void pd_moved_low_kernel_add(struct pd_moved_maps *maps, uint64_t start, uint64_t end)
{
	if (end > KERNEL_HALF || start >= end)
		return;
	const size_t at = low_place_of(maps, start);
	size_t past = at;
	for (; past < maps->nr_low && maps->low[past].start <= end; past++) {
		start = maps->low[past].start < start ? maps->low[past].start : start;
		end = maps->low[past].end > end ? maps->low[past].end : end;
	}
	if (past == at) {
		if (maps->nr_low >= MAX_LOW_AREAS)
			return;
		if (pd_vector_grow(&maps->low, &maps->low_room, maps->nr_low, sizeof *maps->low) < 0) {
			maps->status = PERFDATA_ENOMEM;
			return;
		}
		memmove(&maps->low[at + 1], &maps->low[at], (maps->nr_low - at) * sizeof *maps->low);
		maps->nr_low++;
	} else {
		memmove(&maps->low[at + 1], &maps->low[past], (maps->nr_low - past) * sizeof *maps->low);
		maps->nr_low -= past - at - 1;
	}
	maps->low[at] = (struct low_area){ start, end };
}

bool pd_moved_low_kernel(const struct pd_moved_maps *maps, uint64_t address, uint64_t *ret)
{
	const size_t at = low_place_of(maps, address);

	if (at >= maps->nr_low || address < maps->low[at].start)
		return false;
	*ret = address + maps->low_kernel;
	return true;
}

enum perfdata_status pd_moved_maps_status(const struct pd_moved_maps *maps) { return maps->status; }
