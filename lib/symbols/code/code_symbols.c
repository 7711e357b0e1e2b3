/* SPDX-License-Identifier: MIT */
/* Reads all symbols of a file with code. The tables of symbol_table.c keep only one name for each address, which perf
 * prints; tools for compilers use the others too. */
#include "config.h"
#include "symbols/code/code_file.h"
#include "symbols/symbols.h"

#include "base/memory.h"
#include "symbols/elf/symbol_elf.h"

struct walk {
	const struct pd_elf *elf;
	const char *strings;
	size_t strings_size;
	const char *source;      /* name of the last FILE symbol */
	pd_take_code_symbol *take;
	void *user;
	bool is_over;
};

static void take_symbol(struct walk *walk, const Elf64_Sym *sym)
{
	const char *name = sym->st_name < walk->strings_size ? walk->strings + sym->st_name : "";
	if (ELF64_ST_TYPE(sym->st_info) == STT_FILE) {
		walk->source = *name ? name : NULL;
		return;
	}
	const bool is_placed = sym->st_shndx != SHN_UNDEF && sym->st_shndx < walk->elf->section_count;
	const Elf64_Shdr *section = is_placed ? &walk->elf->sections[sym->st_shndx].header : NULL;
	const bool is_local = ELF64_ST_BIND(sym->st_info) == STB_LOCAL;
	const struct pd_code_symbol symbol = {
		.name = name,
		.source = is_local ? walk->source : NULL,
		.address = sym->st_value,
		.size = sym->st_size,
		.section = sym->st_shndx,
		.is_local = is_local,
		.is_function = ELF64_ST_TYPE(sym->st_info) == STT_FUNC || ELF64_ST_TYPE(sym->st_info) == STT_GNU_IFUNC,
		.is_section = ELF64_ST_TYPE(sym->st_info) == STT_SECTION,
		.is_placed = is_placed,
		.is_code = section && section->sh_flags & SHF_EXECINSTR,
	};
	walk->is_over = !walk->take(walk->user, &symbol);
}

static int take_piece(void *user, const uint8_t *entries, size_t count, uint64_t first)
{
	struct walk *walk = user;
	const size_t size = pd_elf_symbol_size(walk->elf);
	for (size_t i = first ? 0 : 1; i < count && !walk->is_over; i++) {
		const Elf64_Sym sym = pd_elf_symbol(walk->elf, entries + i * size);
		take_symbol(walk, &sym);
	}
	return walk->is_over ? -1 : 0;
}

static enum perfdata_status walk_table(const struct pd_elf *elf, const struct pd_strings *strings,
				       struct pd_account *account, struct walk *walk)
{
	char *bytes = pd_account_is_exhausted(account) ? NULL : pd_malloc(strings->size + 1);
	if (!bytes)
		return PERFDATA_ENOMEM;
	pd_account_take(account, PD_USE_SYMBOLS, strings->size);
	bytes[strings->size] = '\0';
	walk->strings = bytes;
	walk->strings_size = strings->size;
	enum perfdata_status status = PERFDATA_OK;
	if (!pd_elf_read(elf, strings->offset, bytes, strings->size))
		status = pd_elf_failure(elf) ? pd_elf_failure(elf) : PERFDATA_ABSENT;
	if (!status)
		status = pd_elf_read_table(elf, &elf->sections[elf->symtab].header, pd_elf_symbol_size(elf), take_piece,
					   walk);
	pd_account_give(account, PD_USE_SYMBOLS, strings->size);
	pd_free(bytes);
	return walk->is_over ? PERFDATA_OK : status == PERFDATA_DAMAGED ? PERFDATA_ABSENT : status;
}

enum perfdata_status pd_code_file_symbols(const struct pd_code_file *file, pd_take_code_symbol *take, void *user)
{
	const struct perfdata_symbols_dso *dso = file->dso;
	const struct pd_elf *elf = pd_elf_has_symtab(dso->text) ? dso->text : dso->debug;
	struct walk walk = { .elf = elf, .take = take, .user = user };
	struct pd_strings strings;
	if (!elf || !pd_elf_has_symtab(elf) || !pd_elf_in_file(elf, &elf->sections[elf->symtab].header) ||
	    !pd_elf_place_strings(&strings, elf, elf->symtab))
		return PERFDATA_ABSENT;
	return walk_table(elf, &strings, pd_symbols_account(dso->symbols), &walk);
}
