/* SPDX-License-Identifier: MIT */
/* The exception index of 32-bit ARM (.ARM.exidx): how to go from a frame to its caller, for code without call frame
 * information. Compilers write it for each function, for C only with -funwind-tables. */
#ifndef PD_UNWIND_EXIDX_H
#define PD_UNWIND_EXIDX_H

#include "symbols/elf/symbol_elf.h"

/* Makes the rule of a virtual address: PD_RULE_FRAME_OF_EXIDX, PD_RULE_END, or PD_RULE_NONE if no entry covers it. An
 * entry describes its function between prologue and epilogue; the rule is right for the first instruction, too, before
 * which nothing is saved. false: a read failed. */
bool pd_exidx_rule(const struct pd_elf *elf, uint64_t vaddr, struct pd_rule *ret);

#endif
