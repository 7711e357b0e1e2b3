/* SPDX-License-Identifier: MIT */
/* Call frame information: how to find the caller of a frame, by the place in the code. .eh_frame and .debug_frame hold
 * entries for ranges of code (FDEs); each FDE refers to an entry that several FDEs share (CIE). Both are as hostile as
 * the recording that names the file. */
#ifndef PD_UNWIND_ENTRIES_H
#define PD_UNWIND_ENTRIES_H

#include "base/cursor.h"
#include "symbols/elf/symbol_elf.h"

/* Each step of unwinding runs the instructions of one entry and of its CIE. Compilers write a few hundred bytes, for
 * the longest function of cc1plus 20,000. */
#define PD_FRAME_MOST_ENTRY 65536u

/* A table of entries; a part of its bytes is in memory. */
struct pd_frame_table {
	uint64_t address;    /* of the table, in the file's own addresses */
	bool is_debug;       /* .debug_frame */
	bool wide, swap;     /* of the file */
};

struct pd_frame_entry {
	uint64_t at;              /* its offset in the table */
	const uint8_t *bytes;     /* where that is in memory */
	struct pd_cursor rest;    /* after the id */
	uint64_t next;            /* offset of the entry after it */
	uint64_t cie;             /* offset of its CIE */
	bool is_cie;
};

struct pd_frame_cie {
	uint64_t at;              /* UINT64_MAX: none was read */
	bool is_sized;            /* its entries have augmentation data, with a size */
	bool is_signal;           /* their code is where the kernel returns to after a signal */
	uint8_t encoding;         /* of pointers (DW_EH_PE_*) */
	unsigned address_size;    /* 0: it may not be used */
	uint64_t code_factor;
	int64_t data_factor;
	unsigned return_address;  /* number of the register */
	struct pd_cursor instructions;
};

/* How many bytes the entry has from its begin on, by its first bytes; 0: the table ends here. */
uint64_t pd_frame_entry_size(const struct pd_frame_table *table, const uint8_t *bytes, size_t size);
/* The entry at the offset `at`, whose first bytes these are. false: the table ends here, or lacks bytes. */
bool pd_frame_take_entry(const struct pd_frame_table *table, const uint8_t *bytes, size_t size, uint64_t at,
			 struct pd_frame_entry *ret);
/* false: it may not be used. Its instructions were not looked at. */
bool pd_frame_read_cie(const struct pd_frame_table *table, const struct pd_frame_entry *entry,
		       struct pd_frame_cie *ret);
/* Moves entry->rest over the head of an FDE, to its instructions. */
bool pd_frame_pass_head(const struct pd_frame_cie *cie, struct pd_frame_entry *entry);
/* The same; and says for which code the entry is. false: also where addresses have another form than compilers
 * write. */
bool pd_frame_read_head(const struct pd_frame_table *table, const struct pd_frame_cie *cie,
			struct pd_frame_entry *entry, uint64_t *ret_start, uint64_t *ret_end);
/* Whether instructions ask for no more memory and work than frames of compilers do. */
bool pd_frame_are_bounded(const struct pd_frame_table *table, const struct pd_cursor *instructions,
			  unsigned address_size);

/* Where .eh_frame is: by its index, or by its section. */
struct pd_frame_place {
	uint64_t offset, size, address;
	bool is_indexed;          /* elf->frame_index is in the one form that linkers write, and leads to it */
};
#define PD_FRAME_INDEX_HEAD 12u   /* version, encodings, where .eh_frame is, the number of entries */
/* index_head: its first bytes, if it is indexed. false: there are no entries. */
bool pd_frame_find_eh(const struct pd_elf *elf, uint8_t index_head[PD_FRAME_INDEX_HEAD], struct pd_frame_place *ret);

/* --- unwind_rows.c ------------------------------------------------------------------------------------------------ */

/* Where the caller's value of a register is. */
enum pd_frame_how {
	PD_FRAME_DEFAULT,           /* the table does not say: as the ABI says */
	PD_FRAME_UNDEFINED, PD_FRAME_SAME,
	PD_FRAME_AT_CFA,            /* in memory, at the CFA and an offset */
	PD_FRAME_OTHER,
};
struct pd_frame_register {
	enum pd_frame_how how;
	int64_t offset;
};
#define PD_FRAME_REGISTERS 34u      /* x86-64 needs 17, aarch64 33 */
/* The rules at one address of the code. */
struct pd_frame_row {
	bool cfa_is_other;          /* not a register and an offset */
	uint8_t plt_offset;         /* of the entries of x86-64's linkage table: the CFA is the stack pointer and this
				     * much, 0: it is none of these */
	bool is_signed;             /* aarch64: the return address is signed */
	uint64_t cfa_register;
	int64_t cfa_offset;
	struct pd_frame_register registers[PD_FRAME_REGISTERS];
};
/* The row of an address, by the instructions of an entry after its head. `first`: the row after the instructions of
 * the CIE; NULL: those are being run. *ret_steps: of work (symbol_work.h). false: the instructions are of forms that
 * are left to libdw. */
bool pd_frame_run(const struct pd_frame_cie *cie, struct pd_cursor instructions, const struct pd_frame_row *first,
		  uint64_t start, uint64_t address, unsigned machine, struct pd_frame_row *row,
		  uint64_t *ret_steps);

#endif
