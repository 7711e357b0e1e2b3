/* SPDX-License-Identifier: MIT */
/* Rules of a file: how to go from a frame to its caller, for each address of code. A rule is made once; from then on,
 * any number of threads read it without a lock. */
#ifndef PD_UNWIND_RULES_H
#define PD_UNWIND_RULES_H

#include "symbols/symbols.h"

/* DWARF numbers of the registers that rules use; kept: a callee-saved register (enum pd_rule_base). */
struct pd_rule_registers { uint8_t sp, fp, kept, return_address; };
/* false: only libdwfl unwinds stacks of this machine. */
bool pd_rule_registers_of(unsigned machine, struct pd_rule_registers *ret);

struct pd_frame_row;
struct pd_frame_cie;
/* Converts a row to a rule; PD_RULE_LIBDWFL: the row has an uncommon form. */
struct pd_rule pd_rule_of_row(const struct pd_frame_row *row, const struct pd_frame_cie *cie, unsigned machine);

struct pd_rules;
/* Finds the rule of a virtual address of the file, in any thread. The dso must be loaded and have code. in_turn: stacks
 * are unwound in the order of the recording, so work counts against the file's limit. A look-up ahead of its turn
 * counts no work, and returns false if it would have to. */
bool pd_rule_find(struct perfdata_symbols_dso *dso, uint64_t vaddr, bool in_turn, struct pd_rule *ret);
void pd_rules_close(struct perfdata_symbols_dso *dso);

/* Finds the rule that a JIT compiler wrote for an address at a time, in any thread (unwind_jit.c). The dso must be
 * loaded. false: there is none. */
bool pd_jit_rule_find(const struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time, struct pd_rule *ret);
/* Finds the rule for a code and an offset in it, as pd_asked_rule notes them; *ret_key: its key in answers. */
bool pd_jit_rule_of_place(const struct perfdata_symbols_dso *dso, uint64_t place, uint64_t *ret_key,
			  struct pd_rule *ret);

#endif
