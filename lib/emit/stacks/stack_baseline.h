/* SPDX-License-Identifier: MIT */
/* The text of `baseline`, for emitters that compare recordings. */
#ifndef PD_STACK_BASELINE_H
#define PD_STACK_BASELINE_H

#include "emit/stacks/stack_gather.h"

/* Appends the baseline by function of a finished profile. `gather` needs all members except the last. */
enum perfdata_status pd_stack_baseline_of(const struct stack_gather *gather, bool inlines,
					  const struct perfdata_summary *summary, struct perfdata_text *out);

#endif
