/* SPDX-License-Identifier: MIT */
/* Extents of functions. Extents with one name are one function: static functions of several sources, or a function with
 * code in several places. */
#include "config.h"
#include "branches/function_map.h"

#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"
#include "symbols/symbols.h"

struct extent {
	uint64_t start, end;
	uint32_t name, order;   /* order: of extents with one start, the lowest counts */
	bool is_entry;
};

struct pd_function_map {
	struct pd_account *account;
	uint64_t lowest;            /* linkers give dropped code addresses below this one */
	struct pd_intern *names;
	struct extent *extents;
	size_t nr, room;
	struct name { uint32_t extents; bool is_hit; } *of_names;
	size_t of_names_room;
	size_t accounted;
	enum perfdata_status status;
};

static enum perfdata_status charge_map(struct pd_function_map *map)
{
	const size_t memory = map->room * sizeof *map->extents + map->of_names_room * sizeof *map->of_names;
	pd_account_change(map->account, PD_USE_SYMBOLS, map->accounted, memory);
	map->accounted = memory;
	return pd_account_is_exhausted(map->account) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static bool take_function(void *user, const char *name, uint64_t start, uint64_t end)
{
	struct pd_function_map *map = user;
	if (end <= start || start < map->lowest)
		return true;
	const uint32_t id = pd_intern_put(map->names, name, strlen(name));
	if (id == UINT32_MAX || map->nr >= UINT32_MAX ||
	    pd_vector_grow(&map->extents, &map->room, map->nr, sizeof *map->extents) < 0 ||
	    pd_vector_reach(&map->of_names, &map->of_names_room, id, sizeof *map->of_names) < 0) {
		map->status = PERFDATA_ENOMEM;
		return false;
	}
	map->extents[map->nr] = (struct extent){ .start = start, .end = end, .name = id, .order = (uint32_t)map->nr };
	map->nr++;
	map->of_names[id].extents++;
	if (map->nr % 4096 == 0)
		map->status = charge_map(map);
	return !map->status;
}

static int compare_extents(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Returns the extent with the last start at or before the address, and of several the first; NULL: it ends before. */
static struct extent *find_extent(const struct pd_function_map *map, uint64_t address)
{
	size_t low;
	PD_COUNT_BEFORE(low, map->nr, at, map->extents[at].start <= address);
	if (!low)
		return NULL;
	struct extent *extent = &map->extents[low - 1];
	while (extent > map->extents && extent[-1].start == extent->start)
		extent--;
	return address < extent->end ? extent : NULL;
}

/* Suffixes of symbols of a function's parts and copies, which LLVM's profiles omit, outermost first. In the symbol, a
 * word without a dot follows. */
static const char *const suffixes[] = { ".llvm.", ".part.", ".__uniq." };

/* Whether the symbol names the function: NAME, or NAME.part.0 and similar. */
static bool is_symbol_of(const char *symbol, const char *function)
{
	size_t length = strlen(symbol);
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		const size_t size = strlen(suffixes[i]);
		size_t end = length;   /* end of the last dot */
		while (end && symbol[end - 1] != '.')
			end--;
		if (end >= size && !memcmp(symbol + end - size, suffixes[i], size))
			length = end - size;
	}
	return !strncmp(symbol, function, length) && !function[length];
}

/* Marks extents where a function is entered. If a function has several extents, these are the ones with its symbol. */
static bool take_symbol(void *user, const struct pd_code_symbol *symbol)
{
	struct pd_function_map *map = user;
	struct extent *extent = symbol->is_code ? find_extent(map, symbol->address) : NULL;
	if (extent && !extent->is_entry)
		extent->is_entry = map->of_names[extent->name].extents == 1 ||
				   is_symbol_of(symbol->name, pd_intern_get(map->names, extent->name, NULL));
	return true;
}

enum perfdata_status pd_function_map_new(const struct pd_code_file *file, struct pd_account *account,
					 struct pd_function_map **ret)
{
	struct pd_function_map *map = pd_calloc(1, sizeof *map);
	if (!map)
		return PERFDATA_ENOMEM;
	map->account = account;
	map->lowest = file->text_base;
	map->names = pd_intern_new();
	enum perfdata_status status = map->names ? PERFDATA_OK : PERFDATA_ENOMEM;
	if (!status)
		status = pd_symbols_walk_functions(file->dso, take_function, map);
	if (!status)
		status = map->status ? map->status : charge_map(map);
	if (!status && map->nr)
		qsort(map->extents, map->nr, sizeof *map->extents, compare_extents);
	if (!status)
		status = pd_code_file_symbols(file, take_symbol, map);
	if (status == PERFDATA_ABSENT && map->nr)
		status = PERFDATA_OK;   /* without symbols there are no entries */
	if (status)
		pd_function_map_free(map);
	else
		*ret = map;
	return status;
}

void pd_function_map_free(struct pd_function_map *map)
{
	if (!map)
		return;
	pd_account_give(map->account, PD_USE_SYMBOLS, map->accounted);
	pd_free(map->extents);
	pd_free(map->of_names);
	pd_intern_free(map->names);
	pd_free(map);
}

void pd_function_map_hit(struct pd_function_map *map, uint64_t address)
{
	const struct extent *extent = find_extent(map, address);
	if (extent)
		map->of_names[extent->name].is_hit = true;
}

bool pd_function_map_at(const struct pd_function_map *map, size_t index, struct pd_function_extent *ret)
{
	if (index >= map->nr)
		return false;
	const struct extent *extent = &map->extents[index];
	*ret = (struct pd_function_extent){ .start = extent->start, .end = extent->end,
					    .is_hit = map->of_names[extent->name].is_hit };
	return true;
}

const char *pd_function_map_entry(const struct pd_function_map *map, uint64_t address)
{
	const struct extent *extent = find_extent(map, address);
	return extent && extent->start == address && extent->is_entry ? pd_intern_get(map->names, extent->name, NULL) :
									NULL;
}
