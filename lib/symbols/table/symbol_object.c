/* SPDX-License-Identifier: MIT */
/* Finds the source of a function without debug information by the FILE symbols of the symbol table, as addr2line, and
 * so perf, does. Observed rules: the function at an address is the last one in its section that starts at or before the
 * address, whatever its size; of several with the same start, the largest, then the first. A local function belongs to
 * the FILE symbol before it. Global functions come after all FILE symbols, so the file of a global function is known
 * only if no FILE symbol follows another symbol. */
#include "config.h"
#include "symbols/symbols.h"

#include <stdlib.h>
#include "base/memory.h"
#include "base/search.h"
#include "symbols/elf/symbol_elf.h"

#define NO_FILE UINT32_MAX

struct function {
	uint64_t start, size;
	uint32_t section, order;
	uint32_t file;         /* index in `files`, or NO_FILE */
};

struct file {
	uint32_t name;         /* offset in the string table */
	const char *text;      /* NULL until first use */
};

struct pd_objects {
	const struct pd_elf *elf;
	struct pd_strings strings;
	struct function *functions;
	size_t nr_functions, functions_room;
	struct file *files;
	size_t nr_files, files_room;
	struct pd_arena texts;
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

struct scan {
	struct pd_objects *objects;
	bool symbol_seen, file_after_symbol;   /* a symbol was read that is no FILE; a FILE symbol after one */
};

static bool may_be_function(const Elf64_Sym *sym)
{
	const unsigned char type = ELF64_ST_TYPE(sym->st_info);
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

static int scan_symbol(struct scan *scan, const Elf64_Sym *sym)
{
	struct pd_objects *objects = scan->objects;
	if (ELF64_ST_TYPE(sym->st_info) == STT_FILE) {
		if (pd_vector_grow(&objects->files, &objects->files_room, objects->nr_files, sizeof *objects->files))
			return -1;
		objects->files[objects->nr_files++] = (struct file){ sym->st_name, NULL };
		scan->file_after_symbol |= scan->symbol_seen;
		return 0;
	}
	scan->symbol_seen = true;
	const size_t section = sym->st_shndx;
	if (!may_be_function(sym) || section == SHN_UNDEF || section >= objects->elf->section_count ||
	    !(objects->elf->sections[section].header.sh_flags & SHF_EXECINSTR))
		return 0;
	if (pd_vector_grow(&objects->functions, &objects->functions_room, objects->nr_functions,
			   sizeof *objects->functions))
		return -1;
	const bool is_known = objects->nr_files &&
			      (ELF64_ST_BIND(sym->st_info) == STB_LOCAL || !scan->file_after_symbol);
	objects->functions[objects->nr_functions] = (struct function){
		.start = sym->st_value, .size = sym->st_size, .section = (uint32_t)section,
		.order = (uint32_t)objects->nr_functions,
		.file = is_known ? (uint32_t)objects->nr_files - 1 : NO_FILE,
	};
	objects->nr_functions++;
	return 0;
}

static int scan_piece(void *user, const uint8_t *entries, size_t count, uint64_t first)
{
	struct scan *scan = user;
	const size_t size = pd_elf_symbol_size(scan->objects->elf);
	for (size_t i = first ? 0 : 1; i < count; i++) {
		const Elf64_Sym sym = pd_elf_symbol(scan->objects->elf, entries + i * size);
		if (scan_symbol(scan, &sym))
			return -1;
	}
	return 0;
}

/* Orders by section and address; of equal ones, the one that counts is last. */
static int compare_symbols(const void *left, const void *right)
{
	const struct function *a = left, *b = right;
	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return a->order > b->order ? -1 : 1;
}

void pd_objects_free(struct pd_objects *objects)
{
	if (!objects)
		return;
	pd_arena_release(&objects->texts);
	pd_free(objects->files);
	pd_free(objects->functions);
	pd_free(objects);
}

size_t pd_objects_size(const struct pd_objects *objects)
{
	return sizeof *objects + objects->functions_room * sizeof *objects->functions +
	       objects->files_room * sizeof *objects->files;
}

enum perfdata_status pd_objects_new(const struct pd_elf *elf, struct pd_objects **ret)
{
	*ret = NULL;
	/* perf does not call addr2line for files without line tables */
	if (!pd_elf_has_symtab(elf) || !pd_elf_section(elf, ".debug_line"))
		return PERFDATA_ABSENT;
	struct pd_objects *objects = pd_calloc(1, sizeof *objects);
	if (!objects)
		return PERFDATA_ENOMEM;
	objects->elf = elf;
	enum perfdata_status status = PERFDATA_ABSENT;
	const Elf64_Shdr *header = &elf->sections[elf->symtab].header;
	if (pd_elf_place_strings(&objects->strings, elf, elf->symtab) && pd_elf_in_file(elf, header)) {
		struct scan scan = { .objects = objects };
		status = pd_elf_read_table(elf, header, pd_elf_symbol_size(elf), scan_piece, &scan);
	}
	/* symbols with unreadable names are skipped */
	if (status && status != PERFDATA_DAMAGED) {
		pd_objects_free(objects);
		return status;
	}
	if (objects->nr_functions)
		qsort(objects->functions, objects->nr_functions, sizeof *objects->functions, compare_symbols);
	*ret = objects;
	return PERFDATA_OK;
}

/* --- look-up ------------------------------------------------------------------------------------------------------ */

static size_t section_of(const struct pd_elf *elf, uint64_t vaddr)
{
	for (size_t i = 1; i < elf->section_count; i++) {
		const Elf64_Shdr *header = &elf->sections[i].header;
		if (header->sh_flags & SHF_ALLOC && vaddr >= header->sh_addr &&
		    vaddr - header->sh_addr < header->sh_size)
			return i;
	}
	return 0;
}

static const struct function *function_at(const struct pd_objects *objects, uint64_t vaddr)
{
	const size_t section = section_of(objects->elf, vaddr);
	const struct function key = { .start = vaddr, .size = UINT64_MAX, .section = (uint32_t)section };
	size_t low;
	PD_COUNT_BEFORE(low, objects->nr_functions, at, compare_symbols(&objects->functions[at], &key) < 0);
	const struct function *before = low ? &objects->functions[low - 1] : NULL;
	return section && before && before->section == section ? before : NULL;
}

enum perfdata_status pd_objects_find(struct pd_objects *objects, uint64_t vaddr, const char **ret)
{
	const struct function *function = function_at(objects, vaddr);
	if (!function)
		return PERFDATA_ABSENT;
	*ret = NULL;
	if (function->file == NO_FILE)
		return PERFDATA_OK;
	struct file *file = &objects->files[function->file];
	if (!file->text && !(file->text = pd_strings_read(&objects->strings, file->name, &objects->texts)))
		return pd_strings_failure(&objects->strings);
	*ret = file->text;
	return PERFDATA_OK;
}
