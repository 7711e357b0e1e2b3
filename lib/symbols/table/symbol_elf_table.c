/* SPDX-License-Identifier: MIT */
/* Adds the symbols of the two symbol tables of an ELF file, by perf's rules. Tables are read in pieces; their names are
 * not kept. */
#include "config.h"
#include "symbols/symbols.h"

#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "base/prefetch.h"
#include "symbols/elf/symbol_elf.h"

#define AHEAD 16                /* names are prefetched this many symbols ahead */

static bool is_arm(unsigned machine) { return machine == EM_ARM || machine == EM_AARCH64; }

/* Whether it is a mapping symbol, with which an assembler marks code and data. */
static bool is_mapping_symbol(unsigned machine, const char *name)
{
	if (is_arm(machine) && name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.'))
		return true;
	return machine == EM_RISCV && (name[0] == '$' || !strncmp(name, ".L", 2) || !strncmp(name, "L0", 2));
}

/* Whether a symbol without a type is a label of hand-written code, since it is visible from outside. */
static bool is_label(const Elf64_Sym *sym)
{
	unsigned char visible = ELF64_ST_VISIBILITY(sym->st_other);
	return ELF64_ST_TYPE(sym->st_info) == STT_NOTYPE && visible != STV_HIDDEN && visible != STV_INTERNAL;
}

static bool is_wanted_type(const Elf64_Sym *sym)
{
	unsigned char type = ELF64_ST_TYPE(sym->st_info);
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT;
}

struct loading {
	struct pd_symbol_table *table;
	struct pd_elf *elf;         /* file with the symbols */
	const struct pd_elf *text;  /* file with the segments */
	enum pd_strings_number strings;
	enum pd_elf_place place;
	uint64_t module_base;       /* file offset of .text in a module */
	bool may_have_long_names;   /* the string table has room for a name of PD_SYMBOL_NAME_LIMIT bytes */
};

static bool place_of(const struct loading *load, const Elf64_Sym *sym, const Elf64_Shdr *section, bool label,
		     uint64_t *ret)
{
	uint64_t value = sym->st_value;
	if (load->elf->header.e_machine == EM_ARM && ELF64_ST_TYPE(sym->st_info) == STT_FUNC)
		value &= ~(uint64_t)1;  /* bit 0 marks Thumb code */
	switch (load->place) {
	case PD_ELF_VADDR:
		*ret = value;
		return true;
	case PD_ELF_MODULE:
		*ret = value + section->sh_offset - load->module_base;
		return section->sh_offset >= load->module_base;
	case PD_ELF_OFFSET:
		break;
	}
	if (pd_elf_offset(load->text, value, ret))
		return true;
	*ret = value - (section->sh_addr - section->sh_offset);
	return !label;
}

static enum perfdata_symbol_binding binding_of(const Elf64_Sym *sym)
{
	switch (ELF64_ST_BIND(sym->st_info)) {
	case STB_LOCAL: return PERFDATA_BIND_LOCAL;
	case STB_WEAK: return PERFDATA_BIND_WEAK;
	default: return PERFDATA_BIND_GLOBAL;
	}
}

static int add_symbol(const struct loading *load, const Elf64_Sym *sym, const char *name)
{
	bool label = is_label(sym);
	if (!*name || (!label && !is_wanted_type(sym)) || is_mapping_symbol(load->elf->header.e_machine, name))
		return 0;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE || sym->st_shndx >= load->elf->section_count)
		return 0;
	const struct pd_elf_section *section = &load->elf->sections[sym->st_shndx];
	if (!(section->header.sh_flags & SHF_ALLOC))
		return 0;
	if (label && !strstr(section->name, "text") && !strstr(section->name, "data"))
		return 0;
	uint64_t start;
	if (!place_of(load, sym, &section->header, label, &start))
		return 0;
	if (load->may_have_long_names && strnlen(name, PD_SYMBOL_NAME_LIMIT) == PD_SYMBOL_NAME_LIMIT) {
		load->table->lacks_long = true;
		return 0;
	}
	if (pd_symtab_add(load->table, start, sym->st_size, load->strings, sym->st_name, binding_of(sym)))
		return -1;
	load->table->items[load->table->count - 1].is_label = label;
	return 0;
}

/* Whether a string table may have a name of PD_SYMBOL_NAME_LIMIT bytes, which would contain one of these parts. */
static bool may_have_long_names(const struct pd_strings *strings)
{
	const size_t part = PD_SYMBOL_NAME_LIMIT / 2;
	for (size_t at = 0; strings->size - at >= part; at += part)
		if (!memchr(strings->bytes + at, 0, part))
			return true;
	return false;
}

/* Reads a string table into memory, at least until all symbols are added. */
static enum perfdata_status load_strings(const struct loading *load, size_t symbols)
{
	struct pd_strings *strings = &load->table->strings[load->strings];
	if (!pd_elf_place_strings(strings, load->elf, symbols))
		return PERFDATA_DAMAGED;
	if (load->table->work && pd_work_room(load->table->work, strings->size))
		return PERFDATA_ELIMIT;
	strings->room = pd_large_size(strings->size + 1);
	strings->bytes = pd_malloc_large(strings->room);
	if (!strings->bytes)
		return PERFDATA_ENOMEM;
	strings->bytes[strings->size] = '\0';
	if (pd_elf_read(load->elf, strings->offset, strings->bytes, strings->size))
		return PERFDATA_OK;
	pd_free(strings->bytes);
	strings->bytes = NULL;
	const enum perfdata_status failure = pd_elf_failure(load->elf);
	return failure ? failure : PERFDATA_DAMAGED;
}

static int load_piece(void *user, const uint8_t *entries, size_t count, uint64_t first)
{
	const struct loading *load = user;
	const struct pd_strings *strings = &load->table->strings[load->strings];
	const size_t size = pd_elf_symbol_size(load->elf);
	const bool swap = pd_elf_swaps(load->elf);
	if (pd_symtab_is_stopped(load->table, count))
		return -1;
	for (size_t i = first ? 0 : 1; i < count; i++) {
		const Elf64_Sym sym = pd_elf_symbol(load->elf, entries + i * size);
		/* the name is the first member of an entry in both ELF classes */
		const uint32_t later = i + AHEAD < count ? pd_load32(entries + (i + AHEAD) * size, swap) : 0;
		if (later < strings->size)
			pd_prefetch(strings->bytes + later);
		if (sym.st_name < strings->size && add_symbol(load, &sym, strings->bytes + sym.st_name))
			return -1;
	}
	return 0;
}

static enum perfdata_status load_table(struct loading *load, size_t number)
{
	const Elf64_Shdr *header = &load->elf->sections[number].header;
	if (!pd_elf_in_file(load->elf, header))
		return PERFDATA_DAMAGED;
	enum perfdata_status status = load_strings(load, number);
	if (!status) {
		load->may_have_long_names = may_have_long_names(&load->table->strings[load->strings]);
		status = pd_elf_read_table(load->elf, header, pd_elf_symbol_size(load->elf), load_piece, load);
	}
	if (!status && pd_symtab_finish(load->table))
		status = PERFDATA_ENOMEM;
	return status == PERFDATA_ENOMEM ? pd_symtab_status(load->table) : status;
}

/* Whether reading must stop, for all tables. */
static bool is_end(enum perfdata_status status)
{
	return status == PERFDATA_ENOMEM || status == PERFDATA_ELIMIT || status == PERFDATA_EINTR;
}

/* Returns the number of entries of a table; 0: no table, or the file ends before it does. */
static uint64_t entries_of(const struct pd_elf *elf, size_t number)
{
	const Elf64_Shdr *header = number ? &elf->sections[number].header : NULL;
	return header && pd_elf_in_file(elf, header) ? header->sh_size / pd_elf_symbol_size(elf) : 0;
}

enum perfdata_status pd_elf_symbols(struct pd_symbol_table *table, struct pd_elf *symbols, struct pd_elf *text,
				    enum pd_elf_place place)
{
	const struct pd_elf_section *code = pd_elf_section(symbols, ".text");
	struct loading load = {
		.table = table, .elf = symbols, .text = text, .strings = PD_STRINGS_SYMTAB, .place = place,
		.module_base = code ? code->header.sh_offset : 0,
	};
	enum perfdata_status status = PERFDATA_OK;
	if (table->work)
		pd_work_add_bytes(table->work, pd_elf_size(symbols));
	struct pd_elf *dynamic_file = symbols->embedded ? text : symbols;
	const size_t dynsym = place == PD_ELF_OFFSET ? dynamic_file->dynsym : 0;
	/* room for both tables at once, so that the symbols of the first one are not moved */
	pd_symtab_reserve(table, entries_of(symbols, symbols->symtab) + entries_of(dynamic_file, dynsym));
	if (pd_elf_has_symtab(symbols))
		status = load_table(&load, symbols->symtab);
	load.elf = dynamic_file;
	load.strings = PD_STRINGS_DYNSYM;
	if (dynsym && !is_end(status)) {
		enum perfdata_status dynamic = load_table(&load, dynsym);
		status = dynamic ? dynamic : status;
	}
	const bool has_plt = place == PD_ELF_OFFSET && !is_end(status);
	const enum perfdata_status plt = has_plt ? pd_elf_plt(table, text) : PERFDATA_OK;
	status = is_end(plt) ? plt : status;
	return status;
}
