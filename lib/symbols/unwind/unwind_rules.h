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

struct pd_rules;
/* For any thread; `vaddr` in the file's own addresses. The dso is loaded and has a text. in_turn: stacks are looked up
 * in the order of the recording, so the work counts against the file's limit; a look-up ahead of its turn must not
 * count, and returns false where it would have to. */
bool pd_rule_find(struct perfdata_symbols_dso *dso, uint64_t vaddr, bool in_turn, struct pd_rule *ret);
void pd_rules_close(struct perfdata_symbols_dso *dso);

#endif
