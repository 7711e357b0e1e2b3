/* SPDX-License-Identifier: MIT */
/* The code of a program or library: its addresses and its bytes. */
#ifndef PD_CODE_FILE_H
#define PD_CODE_FILE_H

#include "symbols/disassemble/disassemble.h"

struct pd_code_range {
	uint64_t start, end;     /* [start, end), addresses of the file */
	uint64_t offset;         /* file offset of start */
};

/* Valid as long as the dso. Addresses are the file's virtual addresses (p_vaddr). */
struct pd_code_file {
	struct perfdata_symbols_dso *dso;
	enum pd_code_kind kind;
	bool has_kind;                   /* instructions can be decoded as `kind` */
	bool is_fixed;                   /* ET_EXEC: always loaded at these addresses */
	uint64_t load_base;              /* lowest loaded address, rounded down to a page */
	uint64_t text_base;              /* address of the first segment with code, rounded down to a page */
	struct pd_code_range *segments;  /* segments with code, rounded to whole pages as they are mapped */
	size_t nr_segments;
	struct pd_code_range *sections;  /* sections with instructions, sorted by address; without .plt */
	size_t nr_sections;
	struct pd_code_range linkage;    /* .plt; empty: none */
};

/* Opens the file of a dso. PERFDATA_ABSENT: there is no such file, or it has no code. PERFDATA_EUNSUP: built without
 * elfutils. PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_code_file_open(struct perfdata_symbols_dso *dso, struct pd_code_file **ret);
void pd_code_file_close(struct pd_code_file *file);   /* ignores NULL */

/* Converts a file offset to an address, as the kernel maps the file: if segments share a page of the file, the segment
 * with code counts. False: no code is there. */
bool pd_code_file_address(const struct pd_code_file *file, uint64_t offset, uint64_t *ret);
/* Converts an address of code to a file offset; false: no code is there. */
bool pd_code_file_offset(const struct pd_code_file *file, uint64_t address, uint64_t *ret);
/* Whether the program has no dynamic symbols. */
bool pd_code_file_is_static(const struct pd_code_file *file);
/* Returns the section with the address, or NULL. */
const struct pd_code_range *pd_code_file_section(const struct pd_code_file *file, uint64_t address);
/* Copies bytes of code; false: the file does not have them. */
bool pd_code_file_read(const struct pd_code_file *file, uint64_t address, void *out, size_t size);

/* --- code_symbols.c ----------------------------------------------------------------------------------------------- */

/* A symbol of the file's table; its texts are valid during the call of `take`. */
struct pd_code_symbol {
	const char *name;        /* never NULL */
	const char *source;      /* local symbols: name of the FILE symbol before it; NULL: none */
	uint64_t address, size;
	uint32_t section;
	bool is_local, is_function, is_section;
	bool is_placed;          /* is in a section of the file */
	bool is_code;            /* is in a section with instructions */
};
typedef bool pd_take_code_symbol(void *user, const struct pd_code_symbol *symbol);
/* Calls `take` for each symbol except FILE symbols, in the order of the table, until `take` returns false.
 * PERFDATA_ABSENT: there is no table, or a damaged one. PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_code_file_symbols(const struct pd_code_file *file, pd_take_code_symbol *take, void *user);

#endif
