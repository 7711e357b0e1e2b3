/* SPDX-License-Identifier: MIT */
/* The code of a program or library: at which addresses it lies, and its bytes. */
#ifndef PD_CODE_FILE_H
#define PD_CODE_FILE_H

#include "symbols/disassemble/disassemble.h"

struct pd_code_range {
	uint64_t start, end;     /* [start, end), addresses of the file */
	uint64_t offset;         /* of start, in the file */
};

/* Valid as long as the dso. Addresses are those that the file itself states (p_vaddr). */
struct pd_code_file {
	struct perfdata_symbols_dso *dso;
	enum pd_code_kind kind;
	bool has_kind;                   /* instructions of this kind can be decoded */
	bool is_fixed;                   /* ET_EXEC: always loaded at its addresses */
	uint64_t load_base;              /* the lowest address that is loaded, down to its page */
	uint64_t text_base;              /* of the first segment with code, rounded down to a page */
	struct pd_code_range *segments;  /* with code, as mapped: whole pages */
	size_t nr_segments;
	struct pd_code_range *sections;  /* with instructions, by address; without the linkage table (.plt) */
	size_t nr_sections;
	struct pd_code_range linkage;    /* .plt; empty where there is none */
};

/* Loads the file of a dso. PERFDATA_ABSENT: there is no such file, or no code in it. PERFDATA_EUNSUP: built without
 * elfutils. PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_code_file_open(struct perfdata_symbols_dso *dso, struct pd_code_file **ret);
void pd_code_file_close(struct pd_code_file *file);   /* NULL is fine */

/* The address of an offset in the file, as the kernel maps it: of segments that share a page of the file, the one with
 * code. false: no code is there. */
bool pd_code_file_address(const struct pd_code_file *file, uint64_t offset, uint64_t *ret);
/* The offset in the file of an address with code; false: there is none. */
bool pd_code_file_offset(const struct pd_code_file *file, uint64_t address, uint64_t *ret);
/* Whether it has no dynamic symbols. */
bool pd_code_file_is_static(const struct pd_code_file *file);
/* The section with an address, or NULL. */
const struct pd_code_range *pd_code_file_section(const struct pd_code_file *file, uint64_t address);
/* Copies bytes of code. false: the file does not have them. */
bool pd_code_file_read(const struct pd_code_file *file, uint64_t address, void *out, size_t size);

/* --- code_symbols.c ----------------------------------------------------------------------------------------------- */

/* A symbol as the table of the file has it; its texts live as long as the call of `take`. */
struct pd_code_symbol {
	const char *name;        /* never NULL */
	const char *source;      /* of local symbols: the FILE symbol in front; NULL: there is none */
	uint64_t address, size;
	uint32_t section;
	bool is_local, is_function, is_section;
	bool is_placed;          /* lies in a section of the file */
	bool is_code;            /* in one with instructions */
};
typedef bool pd_take_code_symbol(void *user, const struct pd_code_symbol *symbol);
/* Calls `take` for each symbol but FILE symbols, in the order of the table, until that returns false. PERFDATA_ABSENT:
 * there is no table, or it is damaged. PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_code_file_symbols(const struct pd_code_file *file, pd_take_code_symbol *take, void *user);

#endif
