/* An open ELF file, for the files of this folder that use libelf. */
#ifndef PD_SYMBOL_ELF_H
#define PD_SYMBOL_ELF_H

#include <gelf.h>
#include "symbols/symbols.h"

struct pd_elf_section {
	GElf_Shdr header;
	const char *name;    /* borrowed from libelf; never NULL */
	Elf_Scn *scn;
};

struct pd_elf {
	Elf *elf;
	int fd;                    /* -1: the image is in memory */
	bool embedded;             /* .gnu_debugdata: it has the symbols that another file lacks */
	char *image;               /* decompressed file; may be NULL */
	size_t image_size;
	GElf_Ehdr header;
	struct pd_elf_section *sections;
	size_t section_count;
	struct pd_segment *segments;
	size_t segment_count;
	size_t symtab, dynsym;     /* numbers of sections; 0: none */
	char *debug_link;          /* may be NULL */
	uint32_t debug_link_crc;
};

/* The first section of this name, or NULL. */
const struct pd_elf_section *pd_elf_section(const struct pd_elf *elf, const char *name);
/* Adds `NAME@plt` for the entries of the procedure linkage table. */
enum perfdata_status pd_elf_plt(struct pd_symbol_table *table, struct pd_elf *elf);

#endif
