/* SPDX-License-Identifier: MIT */
/* Common parts of formats with source lines: turns the sums of branches into a profile of lines at the end of the
 * run. */
#ifndef PD_LINE_GATHER_H
#define PD_LINE_GATHER_H

#include "branches/line_profile.h"
#include "emit/compilers/branch_gather.h"

/* The emitter's state, or its first member. */
struct line_gather {
	struct branch_gather gather;
	struct pd_code_ranges *ranges;
	struct pd_line_profile *profile;
	enum perfdata_status status;
};

/* First step of an emitter's `end`. PERFDATA_EUSAGE with a message if the program, its debug information, branch stacks
 * or the disassembler are missing. Writes nothing to `out`. */
enum perfdata_status pd_line_gather_finish(struct line_gather *gather, enum pd_line_rule rule,
					   struct perfdata_text *out, struct perfdata_error *reterr);
void pd_line_gather_release(void *state);   /* also frees the state */

#endif
