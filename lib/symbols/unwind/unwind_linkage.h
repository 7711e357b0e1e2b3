/* SPDX-License-Identifier: MIT */
/* The procedure linkage tables of x86: how to go from an entry to its caller. GNU ld writes rules for them, lld and
 * mold do not. */
#ifndef PD_UNWIND_LINKAGE_H
#define PD_UNWIND_LINKAGE_H

#include "symbols/elf/symbol_elf.h"

#define PD_MOST_LINKAGE_TABLES 5u

struct pd_linkage_table {
	uint64_t start, end;
	uint8_t pushes_before;   /* from this offset of an entry on, it has pushed a word */
};
struct pd_linkage {
	struct pd_linkage_table tables[PD_MOST_LINKAGE_TABLES];
	unsigned nr;
};

/* Finds the tables of a file; none if it is not of x86, or its entries have another form. false: a read failed. */
bool pd_linkage_find(const struct pd_elf *elf, struct pd_linkage *ret);
/* Makes the rule of a virtual address in a table: PD_RULE_FRAME_OF_LEAF; else leaves *ret unchanged. */
void pd_linkage_rule(const struct pd_linkage *linkage, const struct pd_elf *elf, uint64_t vaddr, struct pd_rule *ret);

#endif
