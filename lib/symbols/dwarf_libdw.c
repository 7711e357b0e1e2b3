/* SPDX-License-Identifier: MIT */
/* Inlined functions and source lines by libdw: for files that dwarf_lookup.c leaves to libdw. One thread at a time. */
#include "config.h"
#include "symbols/symbols.h"

#ifdef HAVE_ELFUTILS

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "symbols/symbol_elf.h"

#define MAX_SCOPES 256  /* of one address: lexical blocks and inlined calls */

/* A range of code and the function that it belongs to. */
struct function_range {
	uint64_t start, end;
	Dwarf_Off die;
};

/* The functions of a unit, sorted by address: units have up to a million entries, and callers look up many
 * addresses. */
struct unit_index {
	Dwarf_Off unit;
	struct function_range *items;
	size_t count, capacity;
};

struct pd_libdw {
	const struct pd_elf *file, *alt_file;
	/* Handles of its own: what libdw decompresses stays with the handle of the file. */
	Elf *elf, *alt_elf;
	Dwarf *dwarf, *alt;      /* alt: the supplementary file that dwz made, or NULL */
	struct pd_arena names;   /* demangled names of the last look-up */
	bool name_failed;        /* one could not be demangled, though it may be a mangled one */
	struct unit_index *units;
	size_t unit_count, unit_capacity;
	/* the ranges of the units themselves; made when .debug_aranges does not know an address */
	struct unit_index all;
	bool all_made;
};

/* libdw reads some strings of these sections without checking for their end, so the last string must end with a NUL. */
static bool strings_end(const struct pd_elf *file, Elf *elf)
{
	static const char *const names[] = { ".debug_str", ".debug_line_str" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct pd_elf_section *s = pd_elf_section(file, names[i]);
		const size_t number = s && s->header.sh_type != SHT_NOBITS ? (size_t)(s - file->sections) : 0;
		Elf_Scn *scn = number ? elf_getscn(elf, number) : NULL;
		Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
		if (data && data->d_size && (!data->d_buf || ((const char *)data->d_buf)[data->d_size - 1]))
			return false;
	}
	return true;
}

/* libdw reads all sections at once, so that the handle needs no descriptor afterwards. */
static enum perfdata_status open_dwarf(const struct pd_elf *file, Elf **ret_elf, Dwarf **ret)
{
	enum perfdata_status status = pd_elf_handle(file, ret_elf);
	if (status)
		return status;
	errno = 0;
	*ret = dwarf_begin_elf(*ret_elf, DWARF_C_READ, NULL);
	const enum perfdata_status failure = errno ? pd_status_of_errno(errno) : PERFDATA_ABSENT;
	if (failure == PERFDATA_ENOMEM || failure == PERFDATA_EREAD)
		status = file->file ? pd_kept_fail(file->file, errno) : failure;
	else if (!*ret)
		status = PERFDATA_ABSENT;
	else if (!strings_end(file, *ret_elf))
		status = PERFDATA_DAMAGED;
	const enum perfdata_status detached = pd_elf_detach(file, *ret_elf, false);
	return status ? status : detached;
}

enum perfdata_status pd_libdw_open(const struct pd_elf *elf, const struct pd_elf *alt, struct pd_libdw **ret)
{
	/* without a supplementary file, libdw would search for one itself, on this host and wherever the file says, and
	 * open it */
	if (!alt && pd_elf_section(elf, ".gnu_debugaltlink"))
		return PERFDATA_ABSENT;
	struct pd_libdw *libdw = pd_calloc(1, sizeof *libdw);
	if (!libdw)
		return PERFDATA_ENOMEM;
	libdw->file = elf;
	libdw->alt_file = alt;
	enum perfdata_status status = open_dwarf(elf, &libdw->elf, &libdw->dwarf);
	if (!status && alt)
		status = open_dwarf(alt, &libdw->alt_elf, &libdw->alt);
	if (status) {
		pd_libdw_close(libdw);
		return status;
	}
	if (libdw->alt)
		dwarf_setalt(libdw->dwarf, libdw->alt);
	*ret = libdw;
	return PERFDATA_OK;
}

void pd_libdw_close(struct pd_libdw *libdw)
{
	if (!libdw)
		return;
	for (size_t i = 0; i < libdw->unit_count; i++)
		pd_free(libdw->units[i].items);
	pd_free(libdw->units);
	pd_free(libdw->all.items);
	dwarf_end(libdw->dwarf);
	dwarf_end(libdw->alt);
	elf_end(libdw->elf);
	elf_end(libdw->alt_elf);
	pd_arena_release(&libdw->names);
	pd_free(libdw);
}

/* libdw does not say what it holds: the sections that it reads whole, three times as large where they are
 * compressed. */
static size_t size_of_sections(const struct pd_elf *elf)
{
	static const char *const read_whole[] = { ".debug_info", ".debug_abbrev", ".debug_line", ".debug_str" };
	size_t size = 0;
	for (size_t i = 0; elf && i < sizeof read_whole / sizeof *read_whole; i++) {
		const struct pd_elf_section *section = pd_elf_section(elf, read_whole[i]);
		if (section && section->header.sh_type != SHT_NOBITS &&
		    pd_elf_holds(elf, section->header.sh_offset, section->header.sh_size))
			size += (size_t)section->header.sh_size * (section->header.sh_flags & SHF_COMPRESSED ? 3 : 1);
	}
	return size;
}

size_t pd_libdw_size(const struct pd_libdw *libdw)
{
	return size_of_sections(libdw->file) + size_of_sections(libdw->alt_file);
}

/* --- functions of a unit ------------------------------------------------------------------------------------------ */

static int add_ranges(struct unit_index *index, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (pd_vector_grow(&index->items, &index->capacity, index->count, sizeof *index->items))
			return -1;
		index->items[index->count++] = (struct function_range){ start, end, dwarf_dieoffset(die) };
	}
	return 0;
}

static bool holds_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return true;
	default:
		return false;
	}
}

static int add_functions(struct unit_index *index, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	if (depth > MAX_SCOPES || dwarf_child(parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_subprogram ? add_ranges(index, &die)
					     : holds_functions(tag) && add_functions(index, &die, depth + 1))
			return -1;
	} while (dwarf_siblingof(&die, &die) == 0);
	return 0;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct function_range *a = left, *b = right;
	return (a->start > b->start) - (a->start < b->start);
}

/* The index of a unit, made at the first use; NULL without memory. */
static const struct unit_index *index_of(struct pd_libdw *lines, Dwarf_Die *unit)
{
	Dwarf_Off offset = dwarf_dieoffset(unit);
	for (size_t i = lines->unit_count; i-- > 0;)
		if (lines->units[i].unit == offset)
			return &lines->units[i];
	if (pd_vector_grow(&lines->units, &lines->unit_capacity, lines->unit_count, sizeof *lines->units))
		return NULL;
	struct unit_index *index = &lines->units[lines->unit_count++];
	*index = (struct unit_index){ .unit = offset };
	if (add_functions(index, unit, 0))
		return NULL;
	if (index->count)
		qsort(index->items, index->count, sizeof *index->items, compare_ranges);
	return index;
}

/* The last range that starts at or before the address: functions do not overlap in sane files. */
static const struct function_range *find_range(const struct unit_index *index, uint64_t vaddr)
{
	size_t low = 0, high = index->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (index->items[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && vaddr < index->items[low - 1].end ? &index->items[low - 1] : NULL;
}

static bool make_all(struct pd_libdw *lines)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	lines->all_made = true;
	while (dwarf_get_units(lines->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0)
		if (add_ranges(&lines->all, &die))
			return false;
	if (lines->all.count)
		qsort(lines->all.items, lines->all.count, sizeof *lines->all.items, compare_ranges);
	return true;
}

/* The unit that covers the address: by .debug_aranges, which some compilers do not write, or by the ranges of all
 * units. */
static bool find_unit(struct pd_libdw *lines, uint64_t vaddr, Dwarf_Die *ret)
{
	if (dwarf_addrdie(lines->dwarf, vaddr, ret))
		return true;
	if (!lines->all_made && !make_all(lines))
		return false;
	const struct function_range *range = find_range(&lines->all, vaddr);
	return range && dwarf_offdie(lines->dwarf, range->die, ret);
}

static bool has_code(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* The function at an address and the scopes inside it, outermost first. */
static size_t get_scopes(struct pd_libdw *lines, Dwarf_Die *unit, uint64_t vaddr, Dwarf_Die scopes[MAX_SCOPES])
{
	const struct unit_index *index = index_of(lines, unit);
	const struct function_range *range = index ? find_range(index, vaddr) : NULL;
	size_t count = 1;
	if (!range || !dwarf_offdie(lines->dwarf, range->die, &scopes[0]))
		return 0;
	for (bool deeper = true; deeper && count < MAX_SCOPES;) {
		Dwarf_Die die;
		deeper = false;
		for (int more = dwarf_child(&scopes[count - 1], &die); more == 0 && !deeper;
		     more = dwarf_siblingof(&die, &die)) {
			if (has_code(dwarf_tag(&die)) && dwarf_haspc(&die, vaddr) > 0) {
				scopes[count++] = die;
				deeper = true;
			}
		}
	}
	return count;
}

/* --- names and places --------------------------------------------------------------------------------------------- */

/* The linkage name tells most; a local class has none. */
static const char *function_name(struct pd_libdw *lines, bool raw_names, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	if (!name || raw_names)
		return name ? name : dwarf_diename(die);
	const char *shown = pd_demangle(&lines->names, name);
	lines->name_failed |= !shown;
	return shown;
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

static uint32_t number(Dwarf_Attribute *attribute)
{
	Dwarf_Word value;
	const bool found = attribute && !dwarf_formudata(attribute, &value) && value <= UINT32_MAX;
	return found ? (uint32_t)value : 0;
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	return number(dwarf_attr(die, name, &attribute));
}

/* The line where a function is declared, also from the entry of which this one is an instance. */
static uint32_t first_line(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	return number(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute));
}

static const char *call_file(Dwarf_Die *unit, Dwarf_Die *die)
{
	Dwarf_Files *files;
	size_t count;
	uint32_t file = number_of(die, DW_AT_call_file);
	return dwarf_getsrcfiles(unit, &files, &count) || file >= count ? NULL : dwarf_filesrc(files, file, NULL, NULL);
}

/* Sets the source position of the innermost code. */
static void set_line(Dwarf_Die *unit, uint64_t vaddr, struct perfdata_source_line *ret)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, vaddr);
	int value;
	if (!line)
		return;
	ret->file = dwarf_linesrc(line, NULL, NULL);
	ret->line = dwarf_lineno(line, &value) || value < 0 ? 0 : (uint32_t)value;
	ret->column = dwarf_linecol(line, &value) || value < 0 ? 0 : (uint32_t)value;
}

static void put(struct perfdata_source_line *frames, size_t room, size_t count,
		const struct perfdata_source_line *frame)
{
	if (count < room)
		frames[count] = *frame;
}

/* Walks from the innermost scope, the last one, outwards: the call site of an inlined function lies in the function
 * around it. */
static size_t walk_scopes(struct pd_libdw *lines, bool raw_names, Dwarf_Die *unit, Dwarf_Die *scopes,
			  size_t scope_count, struct perfdata_source_line at, struct perfdata_source_line *frames,
			  size_t room)
{
	size_t count = 0;
	for (size_t i = scope_count; i-- > 0;) {
		if (!is_function(&scopes[i]))
			continue;
		at.inlined = dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine;
		at.function = function_name(lines, raw_names, &scopes[i]);
		at.first_line = first_line(&scopes[i]);
		put(frames, room, count++, &at);
		if (!at.inlined)
			return count;
		at.file = call_file(unit, &scopes[i]);
		at.line = number_of(&scopes[i], DW_AT_call_line);
		at.column = number_of(&scopes[i], DW_AT_call_column);
	}
	return count;
}

enum perfdata_status pd_libdw_lookup(struct pd_libdw *lines, bool raw_names, uint64_t vaddr, bool positions,
				     struct perfdata_source_line *frames, size_t room, size_t *ret_count)
{
	pd_arena_reset(&lines->names);
	lines->name_failed = false;
	Dwarf_Die unit, scopes[MAX_SCOPES];
	struct perfdata_source_line at = { 0 };
	if (!find_unit(lines, vaddr, &unit))
		return PERFDATA_ABSENT;
	if (positions)
		set_line(&unit, vaddr, &at);
	size_t scope_count = get_scopes(lines, &unit, vaddr, scopes);
	size_t count = walk_scopes(lines, raw_names, &unit, scopes, scope_count, at, frames, room);
	if (!count && at.file)
		put(frames, room, count++, &at);
	*ret_count = count;
	if (lines->name_failed)
		return pd_demangle_failure() ? pd_demangle_failure() : PERFDATA_ENOMEM;
	return count ? PERFDATA_OK : PERFDATA_ABSENT;
}

#endif
