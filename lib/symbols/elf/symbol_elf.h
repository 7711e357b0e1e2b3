/* SPDX-License-Identifier: MIT */
/* An open ELF file, for files of this folder that know the format. */
#ifndef PD_SYMBOL_ELF_H
#define PD_SYMBOL_ELF_H

#include <elf.h>
#include "symbols/symbols.h"

/* Older C libraries, and musl, do not define these. */
#define PD_ELF_COMPRESS_ZSTD 2u
#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

struct pd_elf_section {
	Elf64_Shdr header;
	const char *name;    /* never NULL */
};

struct pd_elf {
	struct pd_kept_file *file; /* NULL: the image is in memory */
	bool embedded;             /* .gnu_debugdata: has only symbols that another file lacks */
	char *image;               /* bytes of a decompressed file; may be NULL */
	size_t image_size;
	struct pd_account *account;    /* charged for the image; NULL: none */
	Elf64_Ehdr header;
	struct pd_elf_section *sections;
	size_t section_count;
	char *names;               /* section names */
	size_t names_size;
	size_t nr_segments;        /* segments of all types */
	struct pd_segment *segments;   /* loaded segments */
	size_t segment_count;
	struct pd_segment frame_index; /* segment of .eh_frame_hdr; size 0: none */
	struct pd_segment exception_index; /* segment of 32-bit ARM's .ARM.exidx; size 0: none */
	size_t symtab, dynsym;     /* section indexes; 0: none */
	char *debug_link;          /* may be NULL */
	uint32_t debug_link_crc;
	char *alt_link;            /* may be NULL */
	struct pd_build_id alt_id;
};

/* Returns the first section with this name, or NULL. */
const struct pd_elf_section *pd_elf_section(const struct pd_elf *elf, const char *name);
/* Whether the file has the other byte order than this machine. */
bool pd_elf_swaps(const struct pd_elf *elf);
/* Size of the file or image in bytes. */
uint64_t pd_elf_size(const struct pd_elf *elf);
/* Whether the file has these bytes. */
bool pd_elf_holds(const struct pd_elf *elf, uint64_t offset, uint64_t size);

/* Whether the section has bytes, and the file contains them all. */
bool pd_elf_in_file(const struct pd_elf *elf, const Elf64_Shdr *header);
/* Whether a section contains code. */
static inline bool pd_elf_is_code(const Elf64_Shdr *header)
{
	return header->sh_type == SHT_PROGBITS && header->sh_flags & SHF_EXECINSTR;
}
/* Reads a table in pieces and calls `take` for each, which returns 0, or -1 without memory. Entries have `size` bytes;
 * `first` is the index of a piece's first entry. PERFDATA_DAMAGED: the file ends inside the table. PERFDATA_ENOMEM,
 * PERFDATA_EREAD. */
typedef int pd_elf_take(void *user, const uint8_t *entries, size_t count, uint64_t first);
enum perfdata_status pd_elf_read_table(const struct pd_elf *elf, const Elf64_Shdr *header, size_t size,
				       pd_elf_take *take, void *user);

/* Size of an entry of the symbol tables. */
size_t pd_elf_symbol_size(const struct pd_elf *elf);
Elf64_Sym pd_elf_symbol(const struct pd_elf *elf, const uint8_t *entry);
/* Finds the string table of a symbol table without reading it. False: there is none. */
bool pd_elf_place_strings(struct pd_strings *strings, const struct pd_elf *elf, size_t symbols);

/* Adds `NAME@plt` for the entries of the PLT. */
enum perfdata_status pd_elf_plt(struct pd_symbol_table *table, struct pd_elf *elf);

#endif
