/* SPDX-License-Identifier: MIT */
/* Reads the entries of ELF symbol tables, and finds the string tables. */
#include "config.h"
#include "base/cursor.h"
#include "symbols/elf/symbol_elf.h"

size_t pd_elf_symbol_size(const struct pd_elf *elf)
{
	return elf->header.e_ident[EI_CLASS] == ELFCLASS32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
}

Elf64_Sym pd_elf_symbol(const struct pd_elf *elf, const uint8_t *entry)
{
	const bool swap = pd_elf_swaps(elf);
	if (elf->header.e_ident[EI_CLASS] == ELFCLASS32)
		return (Elf64_Sym){
			.st_name = pd_load32(entry, swap),
			.st_value = pd_load32(entry + 4, swap),
			.st_size = pd_load32(entry + 8, swap),
			.st_info = entry[12],
			.st_other = entry[13],
			.st_shndx = pd_load16(entry + 14, swap),
		};
	return (Elf64_Sym){
		.st_name = pd_load32(entry, swap),
		.st_info = entry[4],
		.st_other = entry[5],
		.st_shndx = pd_load16(entry + 6, swap),
		.st_value = pd_load64(entry + 8, swap),
		.st_size = pd_load64(entry + 16, swap),
	};
}

bool pd_elf_place_strings(struct pd_strings *strings, const struct pd_elf *elf, size_t symbols)
{
	const size_t link = elf->sections[symbols].header.sh_link;
	const struct pd_elf_section *section = link < elf->section_count ? &elf->sections[link] : NULL;
	if (!section || section->header.sh_size >= UINT32_MAX ||
	    !pd_elf_in_file(elf, &section->header))
		return false;
	*strings = (struct pd_strings){ NULL, (size_t)section->header.sh_size, 0, elf, section->header.sh_offset };
	return true;
}
