/* SPDX-License-Identifier: MIT */
/* Rules of a file: how to come from a frame to its caller, by the place in the code. A rule is found once, and read by
 * any number of threads without a lock from then on. */
#ifndef PD_UNWIND_RULES_H
#define PD_UNWIND_RULES_H

#include "symbols/symbols.h"

enum pd_rule_kind {
	PD_RULE_LIBDWFL,        /* of another form, or nothing is known: libdwfl has to unwind */
	PD_RULE_NONE,           /* the file says nothing of this code */
	PD_RULE_END,            /* the outermost frame */
	PD_RULE_FRAME,          /* the caller's frame is at a register and an offset */
	PD_RULE_FRAME_OF_LEAF,  /* the same, if this is the innermost frame */
};
enum pd_rule_place { PD_RULE_SAME, PD_RULE_AT_CFA, PD_RULE_UNKNOWN };
/* Where a frame begins that is moved to a larger boundary, a register that calls keep has the former stack pointer: rbx
 * in the dynamic linker of x86. Only this one is followed beside the frame pointer. */
enum pd_rule_base { PD_RULE_FROM_SP, PD_RULE_FROM_FP, PD_RULE_FROM_KEPT };
struct pd_rule {
	enum pd_rule_kind kind;
	enum pd_rule_base base;               /* of the caller's frame */
	bool is_signed;                       /* the return address is */
	enum pd_rule_place return_address, fp, kept;
	int32_t cfa, return_address_at, fp_at, kept_at;   /* offsets */
};
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
