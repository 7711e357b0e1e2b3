/* SPDX-License-Identifier: MIT */
/* Mappings by process: sorted, without overlaps. A process shares the mappings of its parent until either of them
 * changes. The new address of a mapping depends only on its name and the key, so it reveals neither the old address nor
 * the neighbours. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "base/search.h"
#include "rewrite/moved_maps.h"

#define SLOT_BITS 32u                /* log2 of the size of a slot; a larger mapping takes several slots */
#define NR_SLOTS (1u << 14)          /* slots end below 2^47, where the addresses of processes end */
#define PAGE (64u << 10)             /* largest page size of any kernel: an address keeps its offset in the page */
#define ALIGNED (2u << 20)   /* a mapping begins this near to the start of its slot; the kernel moves by a multiple */
#define MAX_MAPS 65536u              /* mappings of one process; a recording with more is damaged */
#define MAX_TRIES 256u               /* tries for a free slot; after these, mappings may overlap */
#define KERNEL_HALF UINT64_C(0x8000000000000000)
#define SALT_SLOT 7u
#define SALT_KERNEL 8u
#define LOW_KERNEL UINT64_C(0xffff900000000000)     /* new base of kernels in the lower half */
#define MAX_LOW_AREAS 4096u          /* most mappings of a kernel and its modules */
#define VSYSCALL UINT64_C(0xffffffffff600000)

struct area {
	uint64_t start, end, moved;
};
struct areas {
	unsigned holders;
	size_t nr, room;
	struct area *list;
};
struct pd_moved_maps {
	struct pd_pseudonyms *names;
	struct pd_hash_map processes;     /* pid → struct areas * */
	uint64_t kernel;             /* bytes by which addresses of the kernel move down */
	uint64_t low_kernel;         /* bytes by which a kernel in the lower half moves up */
	struct low_area {
		uint64_t start, end;
	} *low;
	size_t nr_low, low_room;
	bool failed;
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

static void drop_areas(struct areas *areas)
{
	if (!areas || --areas->holders)
		return;
	pd_free(areas->list);
	pd_free(areas);
}

static struct areas *areas_of(const struct pd_moved_maps *maps, int32_t pid)
{
	uint64_t value;
	return pd_hash_map_get(&maps->processes, (uint32_t)pid + UINT64_C(1), &value) ? (struct areas *)(uintptr_t)value
										      : NULL;
}

static void set_areas(struct pd_moved_maps *maps, int32_t pid, struct areas *areas)
{
	struct areas *before = areas_of(maps, pid);

	if (pd_hash_map_put(&maps->processes, (uint32_t)pid + UINT64_C(1), (uint64_t)(uintptr_t)areas) < 0) {
		maps->failed = true;
		drop_areas(areas);
		return;
	}
	drop_areas(before);
}

void pd_moved_maps_free(struct pd_moved_maps *maps)
{
	size_t position = 0;
	uint64_t pid, value;

	if (!maps)
		return;
	while (pd_hash_map_each(&maps->processes, &position, &pid, &value))
		drop_areas((struct areas *)(uintptr_t)value);
	pd_hash_map_release(&maps->processes);
	pd_free(maps->low);
	pd_free(maps);
}

/* Returns areas that only this process has; copies them if they are shared. */
static struct areas *own_areas(struct pd_moved_maps *maps, int32_t pid)
{
	struct areas *areas = areas_of(maps, pid);

	if (areas && areas->holders == 1)
		return areas;
	struct areas *copy = pd_calloc(1, sizeof *copy);
	if (!copy)
		return NULL;
	copy->holders = 1;
	copy->room = areas ? areas->nr + 16 : 16;
	copy->list = pd_malloc(copy->room * sizeof *copy->list);
	if (!copy->list) {
		pd_free(copy);
		return NULL;
	}
	if (areas) {
		memcpy(copy->list, areas->list, areas->nr * sizeof *copy->list);
		copy->nr = areas->nr;
	}
	set_areas(maps, pid, copy);
	return maps->failed ? NULL : copy;
}

/* Returns the index of the first area that ends after the address. */
static size_t place_of(const struct areas *areas, uint64_t address)
{
	size_t low;

	PD_COUNT_BEFORE(low, areas->nr, at, areas->list[at].end <= address);
	return low;
}

static bool is_taken(const struct areas *areas, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < areas->nr; i++)
		if (areas->list[i].moved < to &&
		    from < areas->list[i].moved + (areas->list[i].end - areas->list[i].start))
			return true;
	return false;
}

static uint64_t choose_place(const struct pd_moved_maps *maps, const struct areas *areas, uint64_t start,
			     uint64_t length, struct perfdata_bytes name)
{
	const uint64_t slots = (length + ALIGNED) / (UINT64_C(1) << SLOT_BITS) + 1;
	const uint64_t room = slots < NR_SLOTS ? NR_SLOTS - slots : 1;
	const uint64_t hash = pd_keyed_hash(maps->names, SALT_SLOT, name.data, name.size);
	const uint64_t offset = (hash >> 32) % (ALIGNED / PAGE) * PAGE + start % PAGE;
	uint64_t slot = hash % room;

	for (unsigned tries = 0; tries < MAX_TRIES; tries++, slot = (slot + 1) % room) {
		const uint64_t at = ((slot + 1) << SLOT_BITS) + offset;
		if (!is_taken(areas, at, at + length))
			return at;
	}
	return offset;
}

/* Removes the range of a new mapping from older areas. */
static bool cut_area(struct areas *areas, uint64_t start, uint64_t end)
{
	size_t at = place_of(areas, start);

	while (at < areas->nr && areas->list[at].start < end) {
		struct area *area = &areas->list[at];
		if (area->start < start && area->end > end) {
			if (pd_vector_grow(&areas->list, &areas->room, areas->nr, sizeof *areas->list) < 0)
				return false;
			area = &areas->list[at];
			memmove(area + 1, area, (areas->nr - at) * sizeof *area);
			areas->nr++;
			area[0].end = start;
			area[1].moved += end - area[1].start;
			area[1].start = end;
			return true;
		}
		if (area->start < start) {
			area->end = start;
			at++;
		} else if (area->end > end) {
			area->moved += end - area->start;
			area->start = end;
			return true;
		} else {
			memmove(area, area + 1, (areas->nr - at - 1) * sizeof *area);
			areas->nr--;
		}
	}
	return true;
}

uint64_t pd_moved_maps_add(struct pd_moved_maps *maps, int32_t pid, uint64_t start, uint64_t length,
			   struct perfdata_bytes name)
{
	struct areas *areas = own_areas(maps, pid);
	const uint64_t end = length > UINT64_MAX - start ? UINT64_MAX : start + length;

	if (!areas || !cut_area(areas, start, end) ||
	    pd_vector_grow(&areas->list, &areas->room, areas->nr, sizeof *areas->list) < 0) {
		maps->failed = true;
		return 0;
	}
	const uint64_t moved = choose_place(maps, areas, start, end - start, name);
	if (areas->nr >= MAX_MAPS || start >= end)
		return moved;
	const size_t at = place_of(areas, start);
	memmove(&areas->list[at + 1], &areas->list[at], (areas->nr - at) * sizeof *areas->list);
	areas->list[at] = (struct area){ start, end, moved };
	areas->nr++;
	return moved;
}

void pd_moved_maps_fork(struct pd_moved_maps *maps, int32_t parent, int32_t child)
{
	struct areas *areas = areas_of(maps, parent);

	if (!areas || parent == child)
		return;
	areas->holders++;
	set_areas(maps, child, areas);
}

void pd_moved_maps_exit(struct pd_moved_maps *maps, int32_t pid)
{
	struct areas *areas = areas_of(maps, pid);

	if (areas && pd_hash_map_remove(&maps->processes, (uint32_t)pid + UINT64_C(1)))
		drop_areas(areas);
}

bool pd_moved_maps_find(const struct pd_moved_maps *maps, int32_t pid, uint64_t address, uint64_t *ret)
{
	const struct areas *areas = areas_of(maps, pid);
	const size_t at = areas ? place_of(areas, address) : 0;

	if (!areas || at >= areas->nr || areas->list[at].start > address)
		return false;
	*ret = areas->list[at].moved + (address - areas->list[at].start);
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
			maps->failed = true;
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

bool pd_moved_maps_failed(const struct pd_moved_maps *maps) { return maps->failed; }
