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
enum pd_rule_place { PD_RULE_SAME, PD_RULE_AT_CFA };
struct pd_rule {
	enum pd_rule_kind kind;
	bool from_frame_pointer;              /* else from the stack pointer */
	bool is_signed;                       /* the return address is */
	enum pd_rule_place frame_pointer, return_address;
	int32_t cfa, frame_pointer_at, return_address_at;   /* offsets */
};

struct pd_rules;
/* For any thread; `vaddr` in the file's own addresses. The dso is loaded and has a text. */
struct pd_rule pd_rule_find(struct perfdata_symbols_dso *dso, uint64_t vaddr);
void pd_rules_close(struct perfdata_symbols_dso *dso);

#endif
