/* SPDX-License-Identifier: MIT */
/* Call frame information: how to find a frame's caller from an address of code. .eh_frame and .debug_frame contain an
 * entry for each range of code (FDE), and entries that several FDEs share (CIE). Any of them may be hostile, as may the
 * recording that names the file. */
#ifndef PD_UNWIND_ENTRIES_H
#define PD_UNWIND_ENTRIES_H

#include "base/cursor.h"
#include "symbols/elf/symbol_elf.h"

/* Limit of an entry in bytes: each step of unwinding runs the instructions of one FDE and of its CIE. Compilers write a
 * few hundred bytes, and 20,000 for the longest function of cc1plus. */
#define PD_FRAME_MOST_ENTRY 65536u
/* Limit of a CIE in bytes for the rules of perfdata, which run its instructions without counting them; libdwfl reads
 * longer ones. Compilers write about 24 bytes. */
#define PD_FRAME_MOST_CIE 512u

/* A section with entries; callers read the bytes. */
struct pd_frame_table {
	uint64_t address;    /* virtual address of the table in the file */
	bool is_debug;       /* .debug_frame, else .eh_frame */
	bool wide, swap;     /* 64-bit file; foreign byte order */
};

struct pd_frame_entry {
	uint64_t at;              /* offset in the table */
	const uint8_t *bytes;     /* the entry in memory */
	struct pd_cursor rest;    /* the bytes after the id */
	uint64_t next;            /* offset of the next entry */
	uint64_t cie;             /* offset of its CIE */
	bool is_cie;
};

struct pd_frame_cie {
	uint64_t at;              /* UINT64_MAX: none was read */
	bool is_sized;            /* the FDEs have augmentation data, after its size */
	bool is_signal;           /* its FDEs describe signal trampolines */
	uint8_t encoding;         /* encoding of pointers (DW_EH_PE_*) */
	unsigned address_size;    /* bytes of a pointer; 0: the CIE cannot be used */
	uint64_t code_factor;
	int64_t data_factor;
	unsigned return_address;  /* number of the register */
	struct pd_cursor instructions;
};

/* Returns the size of the entry that begins with these bytes; 0: the table ends here. */
uint64_t pd_frame_entry_size(const struct pd_frame_table *table, const uint8_t *bytes, size_t size);
/* Reads the entry at offset `at`, which begins with these bytes. false: the table ends here, or bytes are missing. */
bool pd_frame_take_entry(const struct pd_frame_table *table, const uint8_t *bytes, size_t size, uint64_t at,
			 struct pd_frame_entry *ret);
/* Reads a CIE without checking its instructions; false: it cannot be used. */
bool pd_frame_read_cie(const struct pd_frame_table *table, const struct pd_frame_entry *entry,
		       struct pd_frame_cie *ret);
/* Moves entry->rest past the head of an FDE, to the instructions. */
bool pd_frame_pass_head(const struct pd_frame_cie *cie, struct pd_frame_entry *entry);
/* As pd_frame_pass_head, and returns the range of code of the FDE. false also if addresses have a form that compilers
 * do not write. */
bool pd_frame_read_head(const struct pd_frame_table *table, const struct pd_frame_cie *cie,
			struct pd_frame_entry *entry, uint64_t *ret_start, uint64_t *ret_end);
/* Whether instructions ask for no more memory and work than frames of compilers do. */
bool pd_frame_are_bounded(const struct pd_frame_table *table, const struct pd_cursor *instructions,
			  unsigned address_size);

/* The place of .eh_frame, found by its index or its section. */
struct pd_frame_place {
	uint64_t offset, size, address;
	bool is_indexed;          /* elf->frame_index leads to it, and has the one form that linkers write */
};
#define PD_FRAME_INDEX_HEAD 12u   /* version, encodings, place of .eh_frame, number of entries */
/* Finds .eh_frame. index_head: the first bytes of the index if is_indexed. false: there are no entries. */
bool pd_frame_find_eh(const struct pd_elf *elf, uint8_t index_head[PD_FRAME_INDEX_HEAD], struct pd_frame_place *ret);
/* Finds .debug_frame in a file with code, or in its separate file with debug information (may be NULL). *ret_file: the
 * file that has it. NULL: neither has it. */
const struct pd_elf_section *pd_frame_find_debug(const struct pd_elf *code, const struct pd_elf *debug,
						 const struct pd_elf **ret_file);

/* --- unwind_rows.c ------------------------------------------------------------------------------------------------ */

/* DWARF numbers of the registers that rules use; kept: a callee-saved register (enum pd_rule_base). */
struct pd_rule_registers { uint8_t sp, fp, kept, return_address; };
/* false: only libdwfl unwinds stacks of this machine. */
bool pd_rule_registers_of(unsigned machine, struct pd_rule_registers *ret);

/* How to get the caller's value of a register. */
enum pd_frame_how {
	PD_FRAME_DEFAULT,           /* the table has no rule: the ABI decides */
	PD_FRAME_UNDEFINED, PD_FRAME_SAME,
	PD_FRAME_AT_CFA,            /* in memory, at CFA + offset */
	PD_FRAME_AT_FP,             /* in memory, at the frame pointer + offset */
	PD_FRAME_IS_CFA,            /* the value is CFA + offset */
	PD_FRAME_IN_REGISTER,       /* in another register, whose number is the offset */
	PD_FRAME_OTHER,
};
struct pd_frame_register {
	enum pd_frame_how how;
	int64_t offset;
};
/* The registers that rules use (struct pd_rule_registers). Rows keep no others: they are copied for each rule. */
enum pd_frame_kept { PD_FRAME_OF_SP, PD_FRAME_OF_FP, PD_FRAME_OF_KEPT, PD_FRAME_OF_RETURN, PD_FRAME_REGISTERS };
/* The rules at one address of the code. */
struct pd_frame_row {
	bool cfa_is_other;          /* the CFA is not a register plus an offset */
	bool cfa_is_at_fp;          /* cfa_is_other: it is in memory, at the frame pointer plus cfa_offset */
	uint8_t plt_offset;         /* in the procedure linkage table of x86-64: the CFA is the stack pointer plus
				     * plt_offset; 0: not in this table */
	bool is_signed;             /* aarch64: the return address is signed */
	uint64_t cfa_register;
	int64_t cfa_offset;
	uint64_t start, end;        /* the addresses whose row this is; end UINT64_MAX: all that follow in the FDE */
	struct pd_frame_register registers[PD_FRAME_REGISTERS];   /* by enum pd_frame_kept */
};
/* Computes the row of an address by running the instructions of an FDE or CIE. first: the row after the instructions
 * of the CIE; NULL: these are the instructions of the CIE. *ret_steps: steps of work (symbol_work.h). false: only libdw
 * understands the instructions. */
bool pd_frame_run(const struct pd_frame_cie *cie, struct pd_cursor instructions, const struct pd_frame_row *first,
		  uint64_t start, uint64_t address, unsigned machine, struct pd_frame_row *row,
		  uint64_t *ret_steps);

/* A CIE, and the row after its instructions. */
struct pd_frame_known_cie {
	struct pd_frame_cie facts;
	bool is_fine;               /* rows of its FDEs can be computed */
	struct pd_frame_row row;
};
/* Reads a CIE and runs its instructions. A CIE longer than PD_FRAME_MOST_CIE is not fine. */
void pd_frame_know_cie(const struct pd_frame_table *table, const struct pd_frame_entry *entry, unsigned machine,
		       struct pd_frame_known_cie *ret);

#endif
