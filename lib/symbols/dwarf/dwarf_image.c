/* SPDX-License-Identifier: MIT */
/* The input of libdw: an image of a file in memory that has only the sections that libdw needs here, decompressed by
 * us. libelf would allocate any size that a compressed section states, and libdw neither counts its work nor checks for
 * cancellation; so this file rejects input that would take too long before libdw sees it. */
#include "config.h"
#include "symbols/symbols.h"

#ifdef HAVE_ELFUTILS

#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/dwarf_format.h"

/* Units, and abbreviations that were looked up, take more memory in libdw than other items. */
#define STEPS_OF_UNIT (4 * PD_WORK_KEPT)
/* libdw walks over the attributes of entries again and again; compilers write fewer than 40. */
#define MOST_ATTRIBUTES 256u

static const char *const wanted[] = {
	"info", "abbrev", "aranges", "addr", "line", "line_str", "str", "str_offsets", "ranges", "rnglists", "types",
};
enum { INFO, ABBREV, WANTED = sizeof wanted / sizeof *wanted };
/* Numbers of these sections in our own reader. */
static const enum pd_dwarf_section_number numbers[WANTED] = {
	PD_DWARF_INFO, PD_DWARF_ABBREV, PD_DWARF_ARANGES, PD_DWARF_ADDR, PD_DWARF_LINE, PD_DWARF_LINE_STR,
	PD_DWARF_STR, PD_DWARF_STR_OFFSETS, PD_DWARF_RANGES, PD_DWARF_RNGLISTS, PD_DWARF_SECTIONS,
};

struct part {
	uint8_t *bytes;
	uint64_t size;
};

/* --- the work of libdw -------------------------------------------------------------------------------------------- */

struct survey {
	const struct part *parts;
	struct pd_meter meter;
	bool swap;
	uint64_t table;      /* offset of the last abbreviation table */
	uint32_t steps;      /* steps to find the last abbreviation in it */
};

/* libdw reads a table up to the abbreviation that it needs, and again for each unit. */
static enum perfdata_status read_abbrevs(struct survey *s, uint64_t offset)
{
	const struct part *part = &s->parts[ABBREV];
	if (offset == s->table)
		return pd_meter_count(&s->meter, s->steps);
	if (offset >= part->size)
		return PERFDATA_EUNSUP;
	struct pd_cursor c = pd_cursor(part->bytes + offset, (size_t)(part->size - offset), s->swap);
	uint64_t steps = 0;
	while (pd_dwarf_uleb(&c) && !c.failed) {
		const uint64_t tag = pd_dwarf_uleb(&c);
		pd_u8(&c);
		unsigned count = 0;
		for (;; count++) {
			const uint64_t name = pd_dwarf_uleb(&c), form = pd_dwarf_uleb(&c);
			if (form == DW_FORM_implicit_const)
				pd_dwarf_sleb(&c);
			if (name == DW_AT_dwo_name || name == DW_AT_GNU_dwo_name)
				return PERFDATA_EUNSUP;   /* libdw would open the file with this name */
			if (c.failed || (!name && !form))
				break;
		}
		if (tag == DW_TAG_skeleton_unit)
			return PERFDATA_EUNSUP;
		if (count > MOST_ATTRIBUTES)
			return PERFDATA_ELIMIT;
		steps += 2 + count;
		const enum perfdata_status status = pd_meter_count(&s->meter, 2 + count);
		if (status)
			return status;
	}
	if (c.failed || steps > UINT32_MAX / 2)
		return PERFDATA_EUNSUP;
	s->table = offset;
	s->steps = (uint32_t)steps;
	return PERFDATA_OK;
}

static enum perfdata_status read_units(struct survey *s)
{
	const struct part *part = &s->parts[INFO];
	struct pd_cursor c = pd_cursor(part->bytes, (size_t)part->size, s->swap);
	enum perfdata_status status = PERFDATA_OK;
	while (pd_left(&c) && !status) {
		uint64_t length = pd_u32(&c);
		const bool wide = length == UINT32_MAX;
		if (wide)
			length = pd_u64(&c);
		if (c.failed || length > pd_left(&c))
			return PERFDATA_EUNSUP;
		struct pd_cursor unit = pd_cursor(pd_take(&c, length), (size_t)length, s->swap);
		const unsigned version = pd_u16(&unit);
		unsigned type = DW_UT_compile;
		if (version >= 5) {
			type = pd_u8(&unit);
			pd_u8(&unit);
		}
		const uint64_t abbrevs = wide ? pd_u64(&unit) : pd_u32(&unit);
		if (unit.failed || type == DW_UT_skeleton || type == DW_UT_split_compile || type == DW_UT_split_type)
			return PERFDATA_EUNSUP;
		status = pd_meter_count(&s->meter, STEPS_OF_UNIT);
		if (!status)
			status = read_abbrevs(s, abbrevs);
	}
	return status ? status : pd_meter_settle(&s->meter);
}

/* --- the image ---------------------------------------------------------------------------------------------------- */

static enum perfdata_status read_parts(const struct pd_elf *elf, struct pd_work *work, struct part *parts)
{
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < WANTED && !status; i++) {
		char name[32];
		snprintf(name, sizeof name, ".debug_%s", wanted[i]);
		const struct pd_elf_section *section = pd_elf_section(elf, name);
		snprintf(name, sizeof name, ".zdebug_%s", wanted[i]);
		section = section ? section : pd_elf_section(elf, name);
		if (section && section->header.sh_type != SHT_NOBITS)
			status = pd_dwarf_whole_section(elf, section, work, &parts[i].bytes, &parts[i].size);
	}
	return status;
}

/* Writes a number in the byte order of the file. */
static void store_word(uint8_t *at, size_t size, uint64_t value, bool swap)
{
	const bool big = swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	for (size_t i = 0; i < size; i++)
		at[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

struct layout {
	bool wide, swap;
	uint8_t *image;
	size_t headers;      /* offset of the section headers */
};

static void put_section(const struct layout *l, size_t number, uint32_t name, uint32_t type, uint64_t offset,
			uint64_t size)
{
	uint8_t *at = l->image + l->headers + number * (l->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	const size_t word = l->wide ? 8 : 4;
	store_word(at, 4, name, l->swap);
	store_word(at + 4, 4, type, l->swap);
	store_word(at + 8 + 2 * word, word, offset, l->swap);
	store_word(at + 8 + 3 * word, word, size, l->swap);
	store_word(at + 16 + 4 * word, word, 1, l->swap);   /* alignment */
}

static void put_header(const struct layout *l, const struct pd_elf *elf)
{
	const size_t word = l->wide ? 8 : 4, flags_at = 24 + 3 * word;   /* e_flags */
	memcpy(l->image, elf->header.e_ident, EI_NIDENT);
	store_word(l->image + 16, 2, ET_EXEC, l->swap);
	store_word(l->image + 18, 2, elf->header.e_machine, l->swap);
	store_word(l->image + 20, 4, EV_CURRENT, l->swap);
	store_word(l->image + 24 + 2 * word, word, l->headers, l->swap);
	store_word(l->image + flags_at + 4, 2, l->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), l->swap);
	store_word(l->image + flags_at + 10, 2, l->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), l->swap);
	store_word(l->image + flags_at + 12, 2, WANTED + 2, l->swap);
	store_word(l->image + flags_at + 14, 2, WANTED + 1, l->swap);
}

/* Joins all sections, with a NUL after each: libdw reads some strings without checking for their end. */
static enum perfdata_status join_parts(const struct pd_elf *elf, struct part *parts, struct pd_dwarf_image *ret)
{
	struct layout l = { .wide = elf->header.e_ident[EI_CLASS] != ELFCLASS32, .swap = pd_elf_swaps(elf) };
	char names[256] = "";
	size_t used = 1, name_at[WANTED + 1];
	for (size_t i = 0; i <= WANTED; i++) {
		name_at[i] = used;
		used += (size_t)snprintf(names + used, sizeof names - used, i < WANTED ? ".debug_%s" : ".shstrtab",
					 i < WANTED ? wanted[i] : "") + 1;
	}
	size_t size = l.wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	for (size_t i = 0; i < WANTED; i++)
		size += (size_t)parts[i].size + 1;
	l.headers = (size + used + 7) & ~(size_t)7;
	ret->size = l.headers + (WANTED + 2) * (l.wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	ret->bytes = l.image = pd_calloc(1, ret->size);
	if (!l.image)
		return PERFDATA_ENOMEM;
	ret->swap = l.swap;
	put_header(&l, elf);
	size_t at = l.wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	for (size_t i = 0; i < WANTED; i++) {
		if (!parts[i].bytes)
			continue;
		memcpy(l.image + at, parts[i].bytes, (size_t)parts[i].size);
		put_section(&l, 1 + i, (uint32_t)name_at[i], SHT_PROGBITS, at, parts[i].size);
		if (numbers[i] != PD_DWARF_SECTIONS) {
			ret->sections[numbers[i]].at = at;
			ret->sections[numbers[i]].size = (size_t)parts[i].size;
		}
		pd_free(parts[i].bytes);
		parts[i].bytes = NULL;
		at += (size_t)parts[i].size + 1;
	}
	memcpy(l.image + at, names, used);
	put_section(&l, 1 + WANTED, (uint32_t)name_at[WANTED], SHT_STRTAB, at, used);
	return PERFDATA_OK;
}

enum perfdata_status pd_dwarf_image_make(const struct pd_elf *elf, struct pd_work *work, struct pd_dwarf_image *ret)
{
	struct part parts[WANTED] = { 0 };
	enum perfdata_status status = read_parts(elf, work, parts);
	struct survey survey = { parts, pd_meter(work), pd_elf_swaps(elf), UINT64_MAX, 0 };
	if (!status && parts[INFO].bytes && parts[ABBREV].bytes)
		status = read_units(&survey);
	uint64_t size = 0;
	for (size_t i = 0; i < WANTED; i++)
		size += parts[i].size;
	if (!status)
		status = parts[INFO].bytes ? pd_work_room(work, 2 * size) : PERFDATA_ABSENT;
	if (!status)
		status = join_parts(elf, parts, ret);
	for (size_t i = 0; i < WANTED; i++)
		pd_free(parts[i].bytes);
	return status;
}

#endif
