/* SPDX-License-Identifier: MIT */
/* Rules of a file: how to come from a frame to its caller, by the place in the code. A rule is found once, and read by
 * any number of threads without a lock from then on. */
#ifndef PD_UNWIND_RULES_H
#define PD_UNWIND_RULES_H

#include "symbols/symbols.h"

/* DWARF's numbers of registers. */
struct pd_rule_registers { uint8_t sp, fp, kept, return_address; };
/* false: stacks of that machine are left to libdwfl. */
bool pd_rule_registers_of(unsigned machine, struct pd_rule_registers *ret);

struct pd_frame_row;
struct pd_frame_cie;
/* What a row of a table of frames says, if it is of the common forms. */
struct pd_rule pd_rule_of_row(const struct pd_frame_row *row, const struct pd_frame_cie *cie, unsigned machine);

struct pd_rules;
/* For any thread; `vaddr` in the file's own addresses. The dso is loaded and has a text. in_turn: stacks are looked up
 * in the order of the recording, so the work counts against the file's limit; a look-up ahead of its turn must not
 * count, and returns false where it would have to. */
bool pd_rule_find(struct perfdata_symbols_dso *dso, uint64_t vaddr, bool in_turn, struct pd_rule *ret);
void pd_rules_close(struct perfdata_symbols_dso *dso);

/* unwind_jit.c: the same by the rules that a JIT compiler wrote for its code. For any thread; the dso is loaded. false:
 * it wrote none for this address at this time. */
bool pd_jit_rule_find(const struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time, struct pd_rule *ret);
/* The same for a code and an offset inside it, as pd_asked_rule notes them. */
bool pd_jit_rule_of_place(const struct perfdata_symbols_dso *dso, uint64_t place, uint64_t *ret_key,
			  struct pd_rule *ret);

#endif
