/* SPDX-License-Identifier: MIT */
/* Reads DWARF: sections, abbreviations, forms and entries (DWARF 5, section 7; earlier versions differ slightly). */
#include "config.h"
#include "symbols/symbols.h"

#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/dwarf_format.h"

/* Longer strings count as absent, since one string may be in the output many times. */
#define MAX_STRING PD_SYMBOL_NAME_LIMIT
#define WINDOW 65536u  /* bytes read at once to walk over many entries */
#define ENTRY 256u     /* bytes read at once for one entry */
#define BYTES_OF_STEP 64u   /* bytes read in one step */

/* --- numbers ------------------------------------------------------------------------------------------------------ */

uint64_t pd_dwarf_uleb(struct pd_cursor *c)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		const uint8_t byte = pd_u8(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

int64_t pd_dwarf_sleb(struct pd_cursor *c)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		const uint8_t byte = pd_u8(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (shift < 57 && byte & 0x40)
			value |= ~UINT64_C(0) << (shift + 7);
		return (int64_t)value;
	}
}

static uint64_t read_sized(struct pd_cursor *c, unsigned size)
{
	switch (size) {
	case 1: return pd_u8(c);
	case 2: return pd_u16(c);
	case 3: {
		const uint8_t *p = pd_take(c, 3);
		const bool big = c->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
		if (!p)
			return 0;
		return big ? (uint64_t)p[0] << 16 | (uint64_t)p[1] << 8 | p[2]
			   : (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | p[0];
	}
	case 4: return pd_u32(c);
	default: return pd_u64(c);
	}
}

/* --- abbreviations ------------------------------------------------------------------------------------------------ */

static uint8_t slot_of(uint64_t name)
{
	switch (name) {
	case DW_AT_low_pc: return PD_DWARF_LOW_PC;
	case DW_AT_high_pc: return PD_DWARF_HIGH_PC;
	case DW_AT_ranges: return PD_DWARF_RANGES_AT;
	case DW_AT_entry_pc: return PD_DWARF_ENTRY_PC;
	case DW_AT_sibling: return PD_DWARF_SIBLING;
	case DW_AT_abstract_origin: return PD_DWARF_ORIGIN;
	case DW_AT_specification: return PD_DWARF_SPECIFICATION;
	case DW_AT_name: return PD_DWARF_NAME;
	case DW_AT_linkage_name: return PD_DWARF_LINKAGE_NAME;
	case DW_AT_MIPS_linkage_name: return PD_DWARF_MIPS_NAME;
	case DW_AT_call_file: return PD_DWARF_CALL_FILE;
	case DW_AT_call_line: return PD_DWARF_CALL_LINE;
	case DW_AT_call_column: return PD_DWARF_CALL_COLUMN;
	case DW_AT_GNU_discriminator: return PD_DWARF_DISCRIMINATOR;
	case DW_AT_decl_line: return PD_DWARF_DECL_LINE;
	case DW_AT_stmt_list: return PD_DWARF_STMT_LIST;
	case DW_AT_comp_dir: return PD_DWARF_COMP_DIR;
	case DW_AT_str_offsets_base: return PD_DWARF_STR_OFFSETS_BASE;
	case DW_AT_addr_base: return PD_DWARF_ADDR_BASE;
	case DW_AT_rnglists_base: return PD_DWARF_RNGLISTS_BASE;
	case DW_AT_dwo_name: case DW_AT_GNU_dwo_name: return PD_DWARF_DWO_NAME;
	case DW_AT_GNU_dwo_id: return PD_DWARF_DWO_ID;
	case DW_AT_GNU_addr_base: return PD_DWARF_ADDR_BASE;
	case DW_AT_GNU_ranges_base: return PD_DWARF_RANGES_BASE;
	default: return PD_DWARF_SLOTS;
	}
}

/* Makes room for one more item of a table. The old and the larger block exist at once while items are moved. */
static enum perfdata_status grow_items(const struct pd_meter *meter, void *items, size_t *capacity, size_t count,
				       size_t size)
{
	if (count < *capacity)
		return PERFDATA_OK;
	const enum perfdata_status status = pd_work_room(meter->work, 3 * count * size);
	return !status && pd_vector_grow(items, capacity, count, size) ? PERFDATA_ENOMEM : status;
}

static enum perfdata_status read_specs(struct pd_cursor *c, struct pd_meter *meter, struct pd_dwarf_abbrevs *abbrevs,
				       struct pd_dwarf_abbrev *abbrev)
{
	abbrev->first = (uint32_t)abbrevs->spec_count;
	for (;;) {
		const uint64_t name = pd_dwarf_uleb(c), form = pd_dwarf_uleb(c);
		const int64_t implicit = form == DW_FORM_implicit_const ? pd_dwarf_sleb(c) : 0;
		if (c->failed || form > UINT16_MAX || abbrevs->spec_count >= INT32_MAX)
			return PERFDATA_EUNSUP;
		if (!name && !form)
			return PERFDATA_OK;
		enum perfdata_status status = pd_meter_count(meter, 2);
		if (!status)
			status = grow_items(meter, &abbrevs->specs, &abbrevs->spec_capacity, abbrevs->spec_count,
					    sizeof *abbrevs->specs);
		if (status)
			return status;
		abbrevs->specs[abbrevs->spec_count++] = (struct pd_dwarf_spec){ (uint16_t)form, slot_of(name),
										implicit };
		abbrev->count++;
	}
}

/* Returns the size of a form; -1: it depends on the value. */
static int size_of_form(const struct pd_dwarf_unit *unit, unsigned form)
{
	switch (form) {
	case DW_FORM_flag_present: case DW_FORM_implicit_const: return 0;
	case DW_FORM_data1: case DW_FORM_ref1: case DW_FORM_flag: case DW_FORM_strx1: case DW_FORM_addrx1: return 1;
	case DW_FORM_data2: case DW_FORM_ref2: case DW_FORM_strx2: case DW_FORM_addrx2: return 2;
	case DW_FORM_strx3: case DW_FORM_addrx3: return 3;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_strx4: case DW_FORM_addrx4: return 4;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sig8: return 8;
	case DW_FORM_data16: return 16;
	case DW_FORM_addr: return unit->address_size;
	case DW_FORM_strp: case DW_FORM_line_strp: case DW_FORM_sec_offset: return unit->offset_size;
	default: return -1;
	}
}

static bool has_no_code(unsigned tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_type_unit:
	case DW_TAG_skeleton_unit:
		return false;
	default: return true;
	}
}

/* Notes the size of entries if it is constant: most entries describe types and variables, which the reader only
 * skips. */
static void set_size(const struct pd_dwarf_unit *unit, const struct pd_dwarf_abbrevs *abbrevs,
		     struct pd_dwarf_abbrev *abbrev)
{
	abbrev->sibling = UINT32_MAX;
	abbrev->is_plain = has_no_code(abbrev->tag);
	for (uint32_t i = 0; i < abbrev->count && abbrev->is_plain; i++) {
		const struct pd_dwarf_spec *spec = &abbrevs->specs[abbrev->first + i];
		const int size = size_of_form(unit, spec->form);
		const bool is_sibling = spec->slot == PD_DWARF_SIBLING && abbrev->sibling == UINT32_MAX;
		if (is_sibling)
			abbrev->sibling = abbrev->size;
		abbrev->is_plain = size >= 0 && abbrev->size < UINT16_MAX &&
				   (!is_sibling || spec->form == DW_FORM_ref4);
		abbrev->size += size >= 0 ? (uint32_t)size : 0;
	}
}

/* Compilers number abbreviations from 1, so a code gives the index. */
enum perfdata_status pd_dwarf_read_abbrevs(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					   struct pd_dwarf_abbrevs *ret)
{
	const struct pd_dwarf_section *section = &dwarf->sections[PD_DWARF_ABBREV];
	const uint64_t offset = unit->abbrevs_at;
	if (!section->bytes || offset >= section->size)
		return PERFDATA_EUNSUP;
	struct pd_cursor c = pd_cursor(section->bytes + offset, (size_t)(section->size - offset), dwarf->swap);
	struct pd_meter meter = pd_meter(dwarf->work);
	for (;;) {
		struct pd_dwarf_abbrev abbrev = { 0 };
		const uint64_t code = pd_dwarf_uleb(&c);
		if (!code && !c.failed)
			return pd_meter_settle(&meter);
		const uint64_t tag = pd_dwarf_uleb(&c);
		abbrev.has_children = pd_u8(&c);
		if (c.failed || code != ret->count + 1 || !tag || tag > UINT16_MAX)
			return PERFDATA_EUNSUP;
		abbrev.tag = (uint16_t)tag;
		enum perfdata_status status = pd_meter_count(&meter, 2);
		if (!status)
			status = read_specs(&c, &meter, ret, &abbrev);
		if (!status)
			status = grow_items(&meter, &ret->items, &ret->capacity, ret->count, sizeof *ret->items);
		if (status)
			return status;
		set_size(unit, ret, &abbrev);
		ret->items[ret->count++] = abbrev;
	}
}

/* --- forms -------------------------------------------------------------------------------------------------------- */

static void inline_string(struct pd_cursor *c, uint64_t place, struct pd_dwarf_value *ret)
{
	const uint8_t *end = c->failed ? NULL : memchr(c->at, 0, pd_left(c));
	*ret = (struct pd_dwarf_value){ PD_DWARF_INLINE_STRING, place };
	pd_take(c, end ? (uint64_t)(end - c->at) + 1 : UINT64_MAX);
}

static bool string_form(struct pd_cursor *c, const struct pd_dwarf_unit *unit, unsigned form, uint64_t place,
			struct pd_dwarf_value *ret)
{
	switch (form) {
	case DW_FORM_string: inline_string(c, place, ret); return true;
	case DW_FORM_strp:
		*ret = (struct pd_dwarf_value){ PD_DWARF_STRING, read_sized(c, unit->offset_size) };
		return true;
	case DW_FORM_line_strp:
		*ret = (struct pd_dwarf_value){ PD_DWARF_LINE_STRING, read_sized(c, unit->offset_size) };
		return true;
	case DW_FORM_strx: case DW_FORM_GNU_str_index:
		*ret = (struct pd_dwarf_value){ PD_DWARF_STRING_INDEX, pd_dwarf_uleb(c) };
		return true;
	case DW_FORM_strx1: case DW_FORM_strx2: case DW_FORM_strx3: case DW_FORM_strx4:
		*ret = (struct pd_dwarf_value){ PD_DWARF_STRING_INDEX, read_sized(c, form - DW_FORM_strx1 + 1) };
		return true;
	default: return false;
	}
}

static bool reference_form(struct pd_cursor *c, const struct pd_dwarf_unit *unit, unsigned form,
			   struct pd_dwarf_value *ret)
{
	uint64_t number;
	switch (form) {
	case DW_FORM_ref1: number = pd_u8(c); break;
	case DW_FORM_ref2: number = pd_u16(c); break;
	case DW_FORM_ref4: number = pd_u32(c); break;
	case DW_FORM_ref8: number = pd_u64(c); break;
	case DW_FORM_ref_udata: number = pd_dwarf_uleb(c); break;
	case DW_FORM_ref_addr:
		*ret = (struct pd_dwarf_value){
			PD_DWARF_REFERENCE, read_sized(c, unit->version == 2 ? unit->address_size : unit->offset_size)
		};
		return true;
	default: return false;
	}
	*ret = (struct pd_dwarf_value){ PD_DWARF_REFERENCE, unit->offset + number };
	return true;
}

static bool block_form(struct pd_cursor *c, unsigned form)
{
	switch (form) {
	case DW_FORM_block1: pd_take(c, pd_u8(c)); return true;
	case DW_FORM_block2: pd_take(c, pd_u16(c)); return true;
	case DW_FORM_block4: pd_take(c, pd_u32(c)); return true;
	case DW_FORM_block: case DW_FORM_exprloc: pd_take(c, pd_dwarf_uleb(c)); return true;
	case DW_FORM_data16: pd_take(c, 16); return true;
	case DW_FORM_ref_sig8: pd_take(c, 8); return true;
	case DW_FORM_flag: pd_take(c, 1); return true;
	case DW_FORM_flag_present: return true;
	case DW_FORM_loclistx: pd_dwarf_uleb(c); return true;
	default: return false;
	}
}

bool pd_dwarf_form(struct pd_cursor *c, const struct pd_dwarf_unit *unit, unsigned form, int64_t implicit,
		   uint64_t place, struct pd_dwarf_value *ret)
{
	enum pd_dwarf_class class = PD_DWARF_CONSTANT;
	uint64_t number;
	switch (form) {
	case DW_FORM_addr: class = PD_DWARF_ADDRESS; number = read_sized(c, unit->address_size); break;
	case DW_FORM_addrx: case DW_FORM_GNU_addr_index:
		class = PD_DWARF_ADDRESS_INDEX;
		number = pd_dwarf_uleb(c);
		break;
	case DW_FORM_addrx1: case DW_FORM_addrx2: case DW_FORM_addrx3: case DW_FORM_addrx4:
		class = PD_DWARF_ADDRESS_INDEX;
		number = read_sized(c, form - DW_FORM_addrx1 + 1);
		break;
	case DW_FORM_data1: number = pd_u8(c); break;
	case DW_FORM_data2: number = pd_u16(c); break;
	case DW_FORM_data4: number = pd_u32(c); break;
	case DW_FORM_data8: number = pd_u64(c); break;
	case DW_FORM_udata: number = pd_dwarf_uleb(c); break;
	case DW_FORM_sdata: number = (uint64_t)pd_dwarf_sleb(c); break;
	case DW_FORM_implicit_const: number = (uint64_t)implicit; break;
	case DW_FORM_sec_offset: class = PD_DWARF_OFFSET; number = read_sized(c, unit->offset_size); break;
	case DW_FORM_rnglistx: class = PD_DWARF_RANGES_INDEX; number = pd_dwarf_uleb(c); break;
	default:
		*ret = (struct pd_dwarf_value){ PD_DWARF_OTHER, 0 };
		return (string_form(c, unit, form, place, ret) || reference_form(c, unit, form, ret) ||
			block_form(c, form)) &&
		       !c->failed;
	}
	*ret = (struct pd_dwarf_value){ class, number };
	return !c->failed;
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

struct pd_dwarf_window pd_dwarf_window(const struct pd_dwarf *dwarf, uint64_t limit)
{
	return (struct pd_dwarf_window){ .limit = limit, .meter = pd_meter(dwarf->work) };
}

void pd_dwarf_close_window(struct pd_dwarf_window *window)
{
	(void)pd_meter_settle(&window->meter);
	pd_free(window->bytes);
}

/* Reads up to `size` bytes from `offset`. */
static enum perfdata_status move_window(const struct pd_dwarf *dwarf, struct pd_dwarf_window *window, uint64_t offset,
					uint64_t size)
{
	const struct pd_dwarf_section *info = &dwarf->sections[PD_DWARF_INFO];
	if (offset >= window->limit || window->limit > info->size)
		return PERFDATA_EUNSUP;
	if (size > window->limit - offset)
		size = window->limit - offset;
	if (size >= SIZE_MAX)
		return PERFDATA_EUNSUP;
	const enum perfdata_status status = pd_meter_count(&window->meter, 1 + (uint32_t)(size / BYTES_OF_STEP));
	if (status)
		return status;
	if (size > window->room && size > WINDOW && pd_work_room(window->meter.work, size))
		return PERFDATA_ELIMIT;
	if (size > window->room) {
		uint8_t *bytes = pd_malloc((size_t)size);
		if (!bytes)
			return PERFDATA_ENOMEM;
		pd_free(window->bytes);
		window->bytes = bytes;
		window->room = (size_t)size;
	}
	window->offset = offset;
	window->end = offset + size;
	if (pd_dwarf_copy(dwarf, PD_DWARF_INFO, offset, window->bytes, (size_t)size))
		return PERFDATA_OK;
	window->end = offset;
	return PERFDATA_EUNSUP;
}

static enum perfdata_status read_inside(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					struct pd_dwarf_window *window, uint64_t offset, struct pd_dwarf_die *ret);

/* Reads an entry again with more bytes until it ends inside the window. */
static enum perfdata_status read_in_steps(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					  struct pd_dwarf_window *window, uint64_t offset, uint64_t size,
					  struct pd_dwarf_die *ret)
{
	enum perfdata_status status = PERFDATA_EUNSUP;
	if (offset < unit->offset + unit->header_size || offset >= unit->end)
		return status;
	if (offset >= window->offset && offset < window->end)
		status = read_inside(dwarf, unit, window, offset, ret);
	while (status == PERFDATA_EUNSUP &&
	       (offset < window->offset || offset >= window->end || window->end < window->limit)) {
		status = move_window(dwarf, window, offset, size);
		if (status)
			return status;
		status = read_inside(dwarf, unit, window, offset, ret);
		size *= 16;
	}
	return status;
}

enum perfdata_status pd_dwarf_read_die(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				       struct pd_dwarf_window *window, uint64_t offset, struct pd_dwarf_die *ret)
{
	return read_in_steps(dwarf, unit, window, offset, WINDOW, ret);
}

enum perfdata_status pd_dwarf_fetch_die(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, uint64_t offset,
					struct pd_dwarf_die *ret)
{
	struct pd_dwarf_window window = pd_dwarf_window(dwarf, unit->end);
	enum perfdata_status status = read_in_steps(dwarf, unit, &window, offset, ENTRY, ret);
	pd_dwarf_close_window(&window);
	return status;
}

static bool pass_plain(const struct pd_dwarf_unit *unit, const struct pd_dwarf_abbrev *abbrev, struct pd_cursor *c,
		       struct pd_dwarf_die *ret)
{
	const uint8_t *bytes = pd_take(c, abbrev->size);
	if (bytes && abbrev->sibling != UINT32_MAX) {
		ret->present = 1u << PD_DWARF_SIBLING;
		ret->values[PD_DWARF_SIBLING] = (struct pd_dwarf_value){
			PD_DWARF_REFERENCE, unit->offset + pd_load32(bytes + abbrev->sibling, c->swap)
		};
	}
	return bytes != NULL;
}

static bool read_values(const struct pd_dwarf_unit *unit, const struct pd_dwarf_abbrev *abbrev, struct pd_cursor *c,
			uint64_t offset, const uint8_t *begin, struct pd_dwarf_die *ret)
{
	for (uint32_t i = 0; i < abbrev->count; i++) {
		const struct pd_dwarf_spec *spec = &unit->abbrevs->specs[abbrev->first + i];
		struct pd_dwarf_value value;
		if (!pd_dwarf_form(c, unit, spec->form, spec->implicit, offset + (uint64_t)(c->at - begin), &value))
			return false;
		if (spec->slot == PD_DWARF_SLOTS || ret->present >> spec->slot & 1)
			continue;
		ret->present |= 1u << spec->slot;
		ret->values[spec->slot] = value;
	}
	return true;
}

static enum perfdata_status read_inside(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					struct pd_dwarf_window *window, uint64_t offset, struct pd_dwarf_die *ret)
{
	struct pd_cursor c = pd_cursor(window->bytes + (offset - window->offset), (size_t)(window->end - offset),
				       dwarf->swap);
	const uint8_t *const begin = c.at;
	const uint64_t code = pd_dwarf_uleb(&c);
	ret->offset = offset;
	ret->present = 0;
	ret->tag = 0;
	ret->has_children = false;
	if (code > unit->abbrevs->count || c.failed)
		return PERFDATA_EUNSUP;
	enum perfdata_status status = PERFDATA_OK;
	if (code) {
		const struct pd_dwarf_abbrev *abbrev = &unit->abbrevs->items[code - 1];
		ret->tag = abbrev->tag;
		ret->has_children = abbrev->has_children;
		/* values may be empty, so an entry of one byte may have thousands */
		status = pd_meter_count(&window->meter, 1 + (abbrev->is_plain ? 0 : abbrev->count / 8));
		const bool whole = abbrev->is_plain ? pass_plain(unit, abbrev, &c, ret)
						    : read_values(unit, abbrev, &c, offset, begin, ret);
		if (!whole)
			return PERFDATA_EUNSUP;
	}
	ret->next = offset + (uint64_t)(c.at - begin);
	return status;
}

enum perfdata_status pd_dwarf_skip_die(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				       struct pd_dwarf_window *window, const struct pd_dwarf_die *die, uint64_t *ret)
{
	struct pd_dwarf_die inner = *die;
	uint64_t at = die->next;
	for (uint64_t depth = die->has_children; depth; depth += inner.has_children) {
		if (inner.has_children && pd_dwarf_has(&inner, PD_DWARF_SIBLING)) {
			const uint64_t sibling = inner.values[PD_DWARF_SIBLING].number;
			if (inner.values[PD_DWARF_SIBLING].class != PD_DWARF_REFERENCE || sibling < at ||
			    sibling > window->limit)
				return PERFDATA_EUNSUP;
			at = sibling;
			if (!--depth)
				break;
		}
		enum perfdata_status status = pd_dwarf_read_die(dwarf, unit, window, at, &inner);
		if (status)
			return status;
		at = inner.next;
		depth -= !inner.tag;
	}
	*ret = at;
	return PERFDATA_OK;
}

bool pd_dwarf_address(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
		      const struct pd_dwarf_value *value, uint64_t *ret)
{
	if (value->class == PD_DWARF_ADDRESS) {
		*ret = value->number;
		return true;
	}
	const struct pd_dwarf_section *section = &pd_dwarf_linked(dwarf)->sections[PD_DWARF_ADDR];
	const struct pd_dwarf_value *base = &unit->root.values[PD_DWARF_ADDR_BASE];
	if (value->class != PD_DWARF_ADDRESS_INDEX || !section->bytes ||
	    !pd_dwarf_has(&unit->root, PD_DWARF_ADDR_BASE) || base->number > section->size ||
	    value->number >= (section->size - base->number) / unit->address_size)
		return false;
	const uint8_t *at = section->bytes + base->number + value->number * unit->address_size;
	*ret = unit->address_size == 8 ? pd_load64(at, dwarf->swap) : pd_load32(at, dwarf->swap);
	return true;
}

/* --- strings ------------------------------------------------------------------------------------------------------ */

/* Sets *ret to NULL if the string is too long. */
static enum perfdata_status read_string(const struct pd_dwarf *dwarf, enum pd_dwarf_section_number number,
					uint64_t offset, struct pd_arena *bytes, const char **ret)
{
	const struct pd_dwarf_section *section = &dwarf->sections[number];
	char small[512], *text = small;
	size_t room = sizeof small;
	enum perfdata_status status = PERFDATA_EUNSUP;
	while (offset < section->size) {
		const size_t size = section->size - offset < room ? (size_t)(section->size - offset) : room;
		if (!pd_dwarf_copy(dwarf, number, offset, text, size))
			break;
		const char *end = memchr(text, 0, size);
		if (end || size < room) {
			*ret = end ? pd_arena_copy(bytes, text, (size_t)(end - text)) : NULL;
			status = *ret ? PERFDATA_OK : end ? PERFDATA_ENOMEM : PERFDATA_EUNSUP;
			break;
		}
		if (room == MAX_STRING) {
			status = PERFDATA_OK;
			break;
		}
		room = 8 * room < MAX_STRING ? 8 * room : MAX_STRING;
		if (text != small)
			pd_free(text);
		text = pd_malloc(room);
		if (!text)
			return PERFDATA_ENOMEM;
	}
	if (text != small)
		pd_free(text);
	return status;
}

static enum perfdata_status indexed_string(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					   uint64_t index, struct pd_arena *bytes, const char **ret)
{
	const struct pd_dwarf_section *section = &dwarf->sections[PD_DWARF_STR_OFFSETS];
	const uint64_t base = unit->root.values[PD_DWARF_STR_OFFSETS_BASE].number;
	if (!section->bytes || !pd_dwarf_has(&unit->root, PD_DWARF_STR_OFFSETS_BASE) || base > section->size ||
	    index >= (section->size - base) / unit->offset_size)
		return PERFDATA_EUNSUP;
	const uint8_t *at = section->bytes + base + index * unit->offset_size;
	const uint64_t offset = unit->offset_size == 8 ? pd_load64(at, dwarf->swap) : pd_load32(at, dwarf->swap);
	return read_string(dwarf, PD_DWARF_STR, offset, bytes, ret);
}

enum perfdata_status pd_dwarf_string(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				     const struct pd_dwarf_value *value, struct pd_arena *bytes, const char **ret)
{
	*ret = NULL;
	switch (value->class) {
	case PD_DWARF_STRING: return read_string(dwarf, PD_DWARF_STR, value->number, bytes, ret);
	case PD_DWARF_LINE_STRING: return read_string(dwarf, PD_DWARF_LINE_STR, value->number, bytes, ret);
	case PD_DWARF_STRING_INDEX: return indexed_string(dwarf, unit, value->number, bytes, ret);
	case PD_DWARF_INLINE_STRING: return read_string(dwarf, PD_DWARF_INFO, value->number, bytes, ret);
	case PD_DWARF_TABLE_STRING: return read_string(dwarf, PD_DWARF_LINE, value->number, bytes, ret);
	default: return PERFDATA_EUNSUP;
	}
}
