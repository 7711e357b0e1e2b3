/* SPDX-License-Identifier: MIT */
/* The code of an entry: one range, or a list of ranges (.debug_ranges until DWARF 4, then .debug_rnglists). */
#include "config.h"
#include "symbols/symbols.h"

#include <stdlib.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "base/search.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/dwarf_format.h"

struct list {
	const struct pd_dwarf *dwarf;
	const struct pd_dwarf_unit *unit;
	struct pd_cursor cursor;
	uint64_t base;
	bool is_passed;      /* the list is only skipped, so addresses are not looked up */
};

static uint64_t take_address(struct list *list)
{
	return list->unit->address_size == 8 ? pd_u64(&list->cursor) : pd_u32(&list->cursor);
}

static uint64_t take_indexed(struct list *list)
{
	const struct pd_dwarf_value index = { PD_DWARF_ADDRESS_INDEX, pd_dwarf_uleb(&list->cursor) };
	uint64_t address = 0;
	if (!list->is_passed && !pd_dwarf_address(list->dwarf, list->unit, &index, &address))
		list->cursor.failed = true;
	return address;
}

enum step { RANGE, NO_RANGE, END };

/* Reads an entry of .debug_rnglists (DWARF 5, section 7.25). */
static enum step next_rnglist(struct list *list, uint64_t *start, uint64_t *end)
{
	struct pd_cursor *c = &list->cursor;
	switch (pd_u8(c)) {
	case DW_RLE_end_of_list: return END;
	case DW_RLE_base_addressx: list->base = take_indexed(list); return NO_RANGE;
	case DW_RLE_base_address: list->base = take_address(list); return NO_RANGE;
	case DW_RLE_startx_endx: *start = take_indexed(list), *end = take_indexed(list); return RANGE;
	case DW_RLE_startx_length: *start = take_indexed(list), *end = *start + pd_dwarf_uleb(c); return RANGE;
	case DW_RLE_offset_pair:
		*start = list->base + pd_dwarf_uleb(c), *end = list->base + pd_dwarf_uleb(c);
		return RANGE;
	case DW_RLE_start_end: *start = take_address(list), *end = take_address(list); return RANGE;
	case DW_RLE_start_length: *start = take_address(list), *end = *start + pd_dwarf_uleb(c); return RANGE;
	default: c->failed = true; return END;
	}
}

static enum step next_pair(struct list *list, uint64_t *start, uint64_t *end)
{
	const uint64_t highest = list->unit->address_size == 8 ? UINT64_MAX : UINT32_MAX;
	const uint64_t first = take_address(list), second = take_address(list);
	if (first == highest) {
		list->base = second;
		return NO_RANGE;
	}
	*start = list->base + first;
	*end = list->base + second;
	return first || second ? RANGE : END;
}

/* Returns the offset of the list; false: the entry has none. */
static bool list_offset(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
			const struct pd_dwarf_value *value, const struct pd_dwarf_section *section, uint64_t *ret)
{
	const struct pd_dwarf_split_part *part = unit->part;
	*ret = value->number;
	if (part)
		*ret += unit->version < 5 ? part->ranges_base : part->rnglists;
	if (value->class == PD_DWARF_OFFSET || (value->class == PD_DWARF_CONSTANT && unit->version < 4))
		return true;
	const uint64_t base = unit->root.values[PD_DWARF_RNGLISTS_BASE].number;
	if (value->class != PD_DWARF_RANGES_INDEX || !pd_dwarf_has(&unit->root, PD_DWARF_RNGLISTS_BASE) ||
	    base > section->size || value->number >= (section->size - base) / unit->offset_size)
		return false;
	const uint8_t *at = section->bytes + base + value->number * unit->offset_size;
	*ret = base + (unit->offset_size == 8 ? pd_load64(at, dwarf->swap) : pd_load32(at, dwarf->swap));
	return true;
}

/* Returns PERFDATA_OK to continue, PERFDATA_END to stop. NULL: the list is only skipped. */
typedef enum perfdata_status take_range(void *user, uint64_t start, uint64_t end);

static enum perfdata_status each_of_list(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					 const struct pd_dwarf_value *value, struct pd_meter *meter, take_range *take,
					 void *user)
{
	const struct pd_dwarf_section *section = unit->version < 5 ? &pd_dwarf_linked(dwarf)->sections[PD_DWARF_RANGES]
								   : &dwarf->sections[PD_DWARF_RNGLISTS];
	uint64_t offset;
	if (!section->bytes || !list_offset(dwarf, unit, value, section, &offset) || offset >= section->size)
		return PERFDATA_EUNSUP;
	struct list list = { dwarf, unit,
			     pd_cursor(section->bytes + offset, (size_t)(section->size - offset), dwarf->swap),
			     unit->base, !take };
	for (;;) {
		uint64_t start = 0, end = 0;
		const enum step step = unit->version < 5 ? next_pair(&list, &start, &end)
							 : next_rnglist(&list, &start, &end);
		if (list.cursor.failed)
			return PERFDATA_EUNSUP;
		if (step == END)
			return PERFDATA_OK;
		enum perfdata_status status = pd_meter_count(meter, 1);
		if (!status && step == RANGE && take)
			status = take(user, start, end);
		if (status)
			return status;
	}
}

enum perfdata_status pd_dwarf_pass_ranges(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					  const struct pd_dwarf_value *value, struct pd_meter *meter)
{
	return each_of_list(dwarf, unit, value, meter, NULL, NULL);
}

/* Reads DW_AT_low_pc and DW_AT_high_pc. DW_AT_high_pc is an address or a length. */
static bool single_range(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, const struct pd_dwarf_die *die,
			 uint64_t *ret_start, uint64_t *ret_end)
{
	if (!pd_dwarf_has(die, PD_DWARF_LOW_PC) || !pd_dwarf_has(die, PD_DWARF_HIGH_PC) ||
	    !pd_dwarf_address(dwarf, unit, &die->values[PD_DWARF_LOW_PC], ret_start))
		return false;
	const struct pd_dwarf_value *high = &die->values[PD_DWARF_HIGH_PC];
	if (high->class == PD_DWARF_CONSTANT)
		*ret_end = *ret_start + high->number;
	return high->class == PD_DWARF_CONSTANT || pd_dwarf_address(dwarf, unit, high, ret_end);
}

static enum perfdata_status each_range(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				       const struct pd_dwarf_die *die, struct pd_meter *meter, take_range *take,
				       void *user)
{
	uint64_t start, end;
	if (single_range(dwarf, unit, die, &start, &end))
		return take(user, start, end);
	if (!pd_dwarf_has(die, PD_DWARF_RANGES_AT))
		return PERFDATA_OK;
	return each_of_list(dwarf, unit, &die->values[PD_DWARF_RANGES_AT], meter, take, user);
}

static enum perfdata_status is_inside(void *user, uint64_t start, uint64_t end)
{
	const uint64_t *address = user;
	return *address >= start && *address < end ? PERFDATA_END : PERFDATA_OK;
}

enum perfdata_status pd_dwarf_holds(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				    const struct pd_dwarf_die *die, uint64_t address, struct pd_meter *meter, bool *ret)
{
	const enum perfdata_status status = each_range(dwarf, unit, die, meter, is_inside, &address);
	*ret = status == PERFDATA_END;
	return *ret ? PERFDATA_OK : status;
}

/* --- sorted ranges ------------------------------------------------------------------------------------------------ */

enum perfdata_status pd_dwarf_add_range(const struct pd_dwarf *dwarf, struct pd_meter *meter,
					struct pd_dwarf_ranges *ranges, struct pd_dwarf_range range)
{
	enum perfdata_status status = pd_meter_count(meter, PD_WORK_KEPT);
	/* the old and the larger block exist at once while items are moved */
	if (!status && ranges->count == ranges->capacity)
		status = pd_work_room(dwarf->work, 3 * ranges->count * sizeof *ranges->items);
	if (status || ranges->count >= UINT32_MAX)
		return status ? status : PERFDATA_ELIMIT;
	if (pd_vector_grow(&ranges->items, &ranges->capacity, ranges->count, sizeof *ranges->items))
		return PERFDATA_ENOMEM;
	range.order = (uint32_t)ranges->count;
	ranges->items[ranges->count++] = range;
	return PERFDATA_OK;
}

struct adding {
	const struct pd_dwarf *dwarf;
	struct pd_meter *meter;
	struct pd_dwarf_ranges *ranges;
	uint64_t owner;
	uint32_t extent;
};

static enum perfdata_status add_range(void *user, uint64_t start, uint64_t end)
{
	const struct adding *adding = user;
	return pd_dwarf_add_range(adding->dwarf, adding->meter, adding->ranges,
				  (struct pd_dwarf_range){ start, end, adding->owner, adding->extent, 0 });
}

enum perfdata_status pd_dwarf_add_ranges(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					 const struct pd_dwarf_die *die, uint64_t owner, uint32_t extent,
					 struct pd_meter *meter, struct pd_dwarf_ranges *ranges)
{
	struct adding adding = { dwarf, meter, ranges, owner, extent };
	return each_range(dwarf, unit, die, meter, add_range, &adding);
}

static int compare_ranges(const void *left, const void *right)
{
	const struct pd_dwarf_range *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

void pd_dwarf_sort_ranges(struct pd_dwarf_ranges *ranges)
{
	if (ranges->count)
		qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_ranges);
}

const struct pd_dwarf_range *pd_dwarf_find_range(const struct pd_dwarf_ranges *ranges, uint64_t address)
{
	size_t low;
	PD_COUNT_BEFORE(low, ranges->count, at, ranges->items[at].start <= address);
	return low && address < ranges->items[low - 1].end ? &ranges->items[low - 1] : NULL;
}
