/* SPDX-License-Identifier: MIT */
/* The units of .debug_info: finds the one with an address, and decides which ones are in memory. */
#include "config.h"
#include "symbols/symbols.h"

#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "base/search.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/dwarf_format.h"

static struct pd_monitor *group_of(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit)
{
	return dwarf->groups[(size_t)(unit - dwarf->units) % PD_DWARF_GROUPS];
}

/* --- opening a file ----------------------------------------------------------------------------------------------- */

/* Reads a unit header (DWARF 5, section 7.5.1). */
static enum perfdata_status read_header(const struct pd_dwarf *dwarf, uint64_t offset, struct pd_dwarf_unit *ret)
{
	const struct pd_dwarf_section *info = &dwarf->sections[PD_DWARF_INFO];
	uint8_t bytes[40] = { 0 };
	const size_t size = info->size - offset < sizeof bytes ? (size_t)(info->size - offset) : sizeof bytes;
	if (!pd_dwarf_copy(dwarf, PD_DWARF_INFO, offset, bytes, size))
		return PERFDATA_EUNSUP;
	struct pd_cursor c = pd_cursor(bytes, size, dwarf->swap);
	uint64_t length = pd_u32(&c);
	*ret = (struct pd_dwarf_unit){ .offset = offset, .offset_size = 4 };
	if (length == UINT32_MAX) {
		length = pd_u64(&c);
		ret->offset_size = 8;
	}
	if (length > info->size - offset - (uint64_t)(c.at - bytes))
		return PERFDATA_EUNSUP;
	ret->end = offset + (uint64_t)(c.at - bytes) + length;
	ret->version = (uint8_t)pd_u16(&c);
	const uint8_t type = ret->version >= 5 ? pd_u8(&c) : DW_UT_compile;
	if (ret->version >= 5)
		ret->address_size = pd_u8(&c);
	ret->abbrevs_at = ret->offset_size == 8 ? pd_u64(&c) : pd_u32(&c);
	if (ret->version < 5)
		ret->address_size = pd_u8(&c);
	if (type == DW_UT_type || type == DW_UT_split_type)
		pd_take(&c, 8 + (uint64_t)ret->offset_size);
	if (type == DW_UT_skeleton || type == DW_UT_split_compile)
		ret->dwo_id = pd_u64(&c);
	ret->header_size = (uint8_t)(c.at - bytes);
	const bool is_whole = type == DW_UT_compile || type == DW_UT_partial || type == DW_UT_type,
		   is_split = type == DW_UT_split_compile || type == DW_UT_split_type,
		   known = !dwarf->skeletons ? is_whole || type == DW_UT_skeleton
					     : is_split || (ret->version < 5 && is_whole);
	if (c.failed || ret->version < 2 || ret->version > 5 || !known ||
	    (ret->address_size != 4 && ret->address_size != 8) || offset + ret->header_size > ret->end)
		return PERFDATA_EUNSUP;
	return PERFDATA_OK;
}

static enum perfdata_status find_units(struct pd_dwarf *dwarf)
{
	struct pd_meter meter = pd_meter(dwarf->work);
	for (uint64_t at = 0; at < dwarf->sections[PD_DWARF_INFO].size;) {
		struct pd_dwarf_unit unit;
		enum perfdata_status status = read_header(dwarf, at, &unit);
		if (!status && dwarf->unit_count == dwarf->unit_capacity)
			status = pd_work_room(dwarf->work, 3 * dwarf->unit_count * sizeof *dwarf->units);
		if (!status)
			status = pd_meter_count(&meter, PD_WORK_KEPT);
		if (status)
			return status;
		if (pd_vector_grow(&dwarf->units, &dwarf->unit_capacity, dwarf->unit_count, sizeof *dwarf->units))
			return PERFDATA_ENOMEM;
		dwarf->units[dwarf->unit_count++] = unit;
		at = unit.end;
	}
	return PERFDATA_OK;
}

struct pd_dwarf_unit *pd_dwarf_unit_of(struct pd_dwarf *dwarf, uint64_t offset)
{
	size_t low;
	PD_COUNT_BEFORE(low, dwarf->unit_count, at, dwarf->units[at].offset <= offset);
	return low && offset < dwarf->units[low - 1].end ? &dwarf->units[low - 1] : NULL;
}

/* Reads a set of .debug_aranges (DWARF 5, section 6.1.2). */
static enum perfdata_status read_set(struct pd_dwarf *dwarf, struct pd_cursor *c, struct pd_meter *meter)
{
	const uint8_t *const begin = c->at;
	uint64_t length = pd_u32(c);
	const bool wide = length == UINT32_MAX;
	if (wide)
		length = pd_u64(c);
	const unsigned version = pd_u16(c);
	const uint64_t offset = wide ? pd_u64(c) : pd_u32(c);
	const unsigned address_size = pd_u8(c), segment_size = pd_u8(c);
	const struct pd_dwarf_unit *unit = pd_dwarf_unit_of(dwarf, offset);
	if (c->failed || version != 2 || segment_size || (address_size != 4 && address_size != 8) || !unit ||
	    unit->offset != offset)
		return PERFDATA_EUNSUP;
	pd_take(c, -(uint64_t)(c->at - begin) % (2 * address_size));
	for (;;) {
		const uint64_t start = address_size == 8 ? pd_u64(c) : pd_u32(c),
			       size = address_size == 8 ? pd_u64(c) : pd_u32(c);
		if (c->failed)
			return PERFDATA_EUNSUP;
		if (!start && !size)
			return PERFDATA_OK;
		const struct pd_dwarf_range range = { start, size, (uint64_t)(unit - dwarf->units), 0, 0 };
		const enum perfdata_status status = pd_dwarf_add_range(dwarf, meter, &dwarf->by_table, range);
		if (status)
			return status;
	}
}

static enum perfdata_status read_table(struct pd_dwarf *dwarf)
{
	struct pd_dwarf_section *section = &dwarf->sections[PD_DWARF_ARANGES];
	enum perfdata_status status = PERFDATA_OK;
	if (!section->bytes)
		return PERFDATA_OK;
	struct pd_cursor c = pd_cursor(section->bytes, (size_t)section->size, dwarf->swap);
	struct pd_meter meter = pd_meter(dwarf->work);
	while (pd_left(&c) && !status)
		status = read_set(dwarf, &c, &meter);
	pd_dwarf_drop_section(dwarf, PD_DWARF_ARANGES);
	pd_dwarf_sort_ranges(&dwarf->by_table);
	return status;
}

/* Call it with the lock if other threads can use the reader. */
static void account_indexes(struct pd_dwarf *dwarf)
{
	const size_t memory = dwarf->unit_capacity * sizeof *dwarf->units +
			      dwarf->by_table.capacity * sizeof *dwarf->by_table.items +
			      dwarf->by_unit.capacity * sizeof *dwarf->by_unit.items;
	pd_account_change(dwarf->account, PD_USE_SYMBOLS, dwarf->indexes, memory);
	dwarf->indexes = memory;
}

static struct pd_dwarf *new_reader(const struct pd_elf *elf, struct perfdata_symbols_dso *dso, struct pd_work *work)
{
	struct pd_dwarf *dwarf = pd_calloc(1, sizeof *dwarf);
	if (!dwarf)
		return NULL;
	dwarf->elf = elf;
	dwarf->swap = pd_elf_swaps(elf);
	dwarf->dso = dso;
	dwarf->symbols = dso->symbols;
	dwarf->units_memory = &dso->symbols->units_memory;
	dwarf->account = work->account;
	dwarf->work = work;
	dwarf->lock = pd_monitor_new();
	dwarf->tables_lock = pd_monitor_new();
	bool locks = dwarf->lock && dwarf->tables_lock;
	for (size_t i = 0; i < PD_DWARF_GROUPS; i++)
		locks &= (dwarf->groups[i] = pd_monitor_new()) != NULL;
	if (locks)
		return dwarf;
	pd_dwarf_close(dwarf);
	return NULL;
}

static enum perfdata_status finish_open(struct pd_dwarf *dwarf, enum perfdata_status status, struct pd_dwarf **ret)
{
	account_indexes(dwarf);
	if (status)
		pd_dwarf_close(dwarf);
	else
		*ret = dwarf;
	return status;
}

enum perfdata_status pd_dwarf_open(const struct pd_elf *elf, struct perfdata_symbols_dso *dso, struct pd_work *work,
				   struct pd_dwarf **ret)
{
	struct pd_dwarf *dwarf = new_reader(elf, dso, work);
	if (!dwarf)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = pd_dwarf_open_sections(dwarf);
	if (!status)
		status = find_units(dwarf);
	if (!status)
		status = read_table(dwarf);
	return finish_open(dwarf, status, ret);
}

enum perfdata_status pd_dwarf_open_split(const struct pd_dwarf *skeletons, struct pd_elf *elf, struct pd_dwarf **ret)
{
	struct pd_dwarf *dwarf = new_reader(elf, skeletons->dso, skeletons->work);
	if (!dwarf) {
		pd_elf_close(elf);
		return PERFDATA_ENOMEM;
	}
	dwarf->skeletons = skeletons;
	dwarf->split_elf = elf;
	enum perfdata_status status = dwarf->swap == skeletons->swap ? pd_dwarf_open_sections(dwarf) : PERFDATA_EUNSUP;
	if (!status)
		status = find_units(dwarf);
	return finish_open(dwarf, status, ret);
}

/* --- opening a unit ----------------------------------------------------------------------------------------------- */

static void set_memory(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit, size_t memory)
{
	pd_dwarf_hold(dwarf, unit->memory, memory);
	unit->memory = memory;
}

static void close_unit(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit)
{
	pd_dwarf_give_abbrevs(dwarf, unit->abbrevs);
	pd_free(unit->functions.items);
	unit->functions = (struct pd_dwarf_ranges){ 0 };
	pd_dwarf_give_lines(dwarf, unit->lines);
	unit->abbrevs = NULL;
	unit->lines = NULL;
	unit->is_open = unit->has_functions = false;
	set_memory(dwarf, unit, 0);
}

void pd_dwarf_close(struct pd_dwarf *dwarf)
{
	if (!dwarf)
		return;
	for (struct pd_dwarf *split = dwarf->splits, *next; split; split = next) {
		next = split->next;
		pd_dwarf_close(split);
	}
	for (size_t i = 0; i < dwarf->unit_count; i++)
		close_unit(dwarf, &dwarf->units[i]);
	pd_dwarf_drop_tables(dwarf);
	pd_account_give(dwarf->account, PD_USE_SYMBOLS, dwarf->indexes + dwarf->strings_memory);
	for (enum pd_dwarf_section_number i = 0; i < PD_DWARF_SECTIONS; i++)
		pd_dwarf_drop_section(dwarf, i);
	for (size_t i = 0; i < PD_DWARF_GROUPS; i++)
		pd_monitor_free(dwarf->groups[i]);
	pd_monitor_free(dwarf->lock);
	pd_monitor_free(dwarf->tables_lock);
	pd_free(dwarf->units);
	pd_free(dwarf->by_table.items);
	pd_free(dwarf->by_unit.items);
	pd_hash_map_release(&dwarf->names);
	pd_hash_map_release(&dwarf->first_lines);
	pd_hash_map_release(&dwarf->paths);
	pd_hash_map_release(&dwarf->by_id);
	pd_free(dwarf->parts);
	pd_arena_release(&dwarf->strings);
	pd_elf_close(dwarf->split_elf);
	pd_free(dwarf);
}

/* Sets the attributes that a split unit takes from its skeleton unit and from its parts of sections. */
static void complete_root(const struct pd_dwarf_split_part *part, struct pd_dwarf_unit *unit)
{
	const bool wide = unit->offset_size == 8, is_old = unit->version < 5;
	const struct { enum pd_dwarf_slot slot; uint64_t number; } values[] = {
		{ PD_DWARF_STR_OFFSETS_BASE, part->str_offsets + (is_old ? 0 : wide ? 16 : 8) },
		{ PD_DWARF_RNGLISTS_BASE, part->rnglists + (wide ? 20 : 12) },
		{ PD_DWARF_ADDR_BASE, part->addr_base },
	};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		unit->root.present |= 1u << values[i].slot;
		unit->root.values[values[i].slot] = (struct pd_dwarf_value){ PD_DWARF_OFFSET, values[i].number };
	}
	unit->base = part->base;
}

static enum perfdata_status set_root(const struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit)
{
	enum perfdata_status status = pd_dwarf_fetch_die(dwarf, unit, unit->offset + unit->header_size, &unit->root);
	unit->base = 0;
	if (status || !unit->root.tag)
		return status ? status : PERFDATA_EUNSUP;
	if (unit->part) {
		if (!atomic_load_explicit(&unit->part->has_skeleton, memory_order_acquire))
			return PERFDATA_EUNSUP;
		complete_root(unit->part, unit);
		return PERFDATA_OK;
	}
	if (!pd_dwarf_has(&unit->root, PD_DWARF_LOW_PC) ||
	    !pd_dwarf_address(dwarf, unit, &unit->root.values[PD_DWARF_LOW_PC], &unit->base)) {
		if (pd_dwarf_has(&unit->root, PD_DWARF_ENTRY_PC))
			pd_dwarf_address(dwarf, unit, &unit->root.values[PD_DWARF_ENTRY_PC], &unit->base);
	}
	return PERFDATA_OK;
}

static enum perfdata_status open_unit(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit)
{
	enum perfdata_status status = pd_dwarf_take_abbrevs(dwarf, unit, &unit->abbrevs);
	return status ? status : set_root(dwarf, unit);
}

static void count_memory(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit)
{
	set_memory(dwarf, unit, unit->functions.capacity * sizeof *unit->functions.items);
}

enum perfdata_status pd_dwarf_enter(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit)
{
	pd_monitor_enter(group_of(dwarf, unit));
	unit->used = atomic_fetch_add_explicit(&dwarf->clock, 1, memory_order_relaxed);
	if (unit->is_open)
		return PERFDATA_OK;
	enum perfdata_status status = open_unit(dwarf, unit);
	unit->is_open = !status;
	if (status)
		close_unit(dwarf, unit);
	return status;
}

void pd_dwarf_leave(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit)
{
	if (unit->is_open)
		count_memory(dwarf, unit);
	pd_monitor_leave(group_of(dwarf, unit));
}

struct census {
	size_t held;
	uint64_t oldest, newest;   /* clock of the last use of open units */
};

/* Closes the open units that were last used before a time; reports on the units that stay open. */
static struct census close_until(struct pd_dwarf *dwarf, uint64_t time)
{
	struct census left = { .oldest = UINT64_MAX };
	for (size_t i = 0; i < dwarf->unit_count; i++) {
		struct pd_dwarf_unit *unit = &dwarf->units[i];
		pd_monitor_enter(group_of(dwarf, unit));
		if (unit->is_open && unit->used < time)
			close_unit(dwarf, unit);
		if (unit->is_open) {
			left.oldest = unit->used < left.oldest ? unit->used : left.oldest;
			left.newest = unit->used > left.newest ? unit->used : left.newest;
		}
		pd_monitor_leave(group_of(dwarf, unit));
	}
	left.held = atomic_load_explicit(&dwarf->units_held, memory_order_relaxed);
	return left;
}

/* A walk over all units is slow if there are many, so each walk closes the older half. The unit used last stays open,
 * since the next look-up probably needs it. */
void pd_dwarf_shrink(struct pd_dwarf *dwarf, size_t limit)
{
	pd_monitor_enter(dwarf->lock);
	struct pd_dwarf *split = dwarf->splits;
	pd_monitor_leave(dwarf->lock);
	for (; split; split = split->next)
		pd_dwarf_shrink(split, 0);
	pd_dwarf_drop_tables(dwarf);
	struct census left = close_until(dwarf, 0);
	while (left.held > limit && left.oldest < left.newest)
		left = close_until(dwarf, left.oldest + (left.newest - left.oldest) / 2 + 1);
}

/* --- finding units ------------------------------------------------------------------------------------------------ */

/* Copies only the members that no other thread changes. */
static struct pd_dwarf_unit copy_of(const struct pd_dwarf_unit *unit)
{
	return (struct pd_dwarf_unit){
		.offset = unit->offset,
		.end = unit->end,
		.abbrevs_at = unit->abbrevs_at,
		.header_size = unit->header_size,
		.version = unit->version,
		.offset_size = unit->offset_size,
		.address_size = unit->address_size,
	};
}

enum perfdata_status pd_dwarf_read_root(struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					struct pd_dwarf_die *ret)
{
	struct pd_dwarf_unit copy = copy_of(unit);
	const enum perfdata_status status = open_unit(dwarf, &copy);
	*ret = copy.root;
	pd_dwarf_give_abbrevs(dwarf, copy.abbrevs);
	return status;
}

/* Adds the ranges of a unit; reads only its first entry. */
static enum perfdata_status add_unit(struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, struct pd_meter *meter)
{
	struct pd_dwarf_unit copy = copy_of(unit);
	enum perfdata_status status = open_unit(dwarf, &copy);
	if (!status)
		status = pd_dwarf_add_ranges(dwarf, &copy, &copy.root, (uint64_t)(unit - dwarf->units), 0, meter,
					     &dwarf->by_unit);
	pd_dwarf_give_abbrevs(dwarf, copy.abbrevs);
	return status;
}

static enum perfdata_status index_units(struct pd_dwarf *dwarf)
{
	enum perfdata_status status = PERFDATA_OK;
	pd_monitor_enter(dwarf->lock);
	if (!atomic_load(&dwarf->has_by_unit)) {
		struct pd_meter meter = pd_meter(dwarf->work);
		dwarf->by_unit.count = 0;
		for (size_t i = 0; i < dwarf->unit_count && !status; i++)
			status = add_unit(dwarf, &dwarf->units[i], &meter);
		account_indexes(dwarf);
		if (!status) {
			pd_dwarf_sort_ranges(&dwarf->by_unit);
			atomic_store_explicit(&dwarf->has_by_unit, true, memory_order_release);
		}
	}
	pd_monitor_leave(dwarf->lock);
	return status;
}

/* `end` of ranges from .debug_aranges is a length. If ranges overlap, the result depends on the order of the search;
 * this one is libdw's. */
static const struct pd_dwarf_range *find_in_table(const struct pd_dwarf_ranges *table, uint64_t address)
{
	size_t low = 0, high = table->count;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		const struct pd_dwarf_range *range = &table->items[middle];
		if (address < range->start)
			high = middle;
		else if (address > range->start && address - range->start >= range->end)
			low = middle + 1;
		else
			return range;
	}
	return NULL;
}

enum perfdata_status pd_dwarf_unit_at(struct pd_dwarf *dwarf, uint64_t address, struct pd_dwarf_unit **ret)
{
	const struct pd_dwarf_range *range = find_in_table(&dwarf->by_table, address);
	if (!range) {
		enum perfdata_status status = atomic_load_explicit(&dwarf->has_by_unit, memory_order_acquire)
						      ? PERFDATA_OK
						      : index_units(dwarf);
		if (status)
			return status;
		range = pd_dwarf_find_range(&dwarf->by_unit, address);
	}
	*ret = range ? &dwarf->units[range->owner] : NULL;
	return PERFDATA_OK;
}
