/* SPDX-License-Identifier: MIT */
#ifndef UNWINDING_H
#define UNWINDING_H

#include "json_build.h"
#include "perfdata.h"

/* Why simpleperf could not unwind stacks: counts of UNWINDING_RESULT records. */
struct unwinding {
	uint64_t stacks;            /* all of them */
	uint64_t of[9];             /* by error code; the last element: unknown codes */
	uint64_t not_enough_stack;  /* of those with MEMORY_INVALID: the recorded stack was too small */
};

void unwinding_add(struct unwinding *unwinding, const struct perfdata_unwinding_result *result);
/* Appends a line; nothing if there are no such records. */
void unwinding_show(struct perfdata_text *out, const struct unwinding *unwinding);
json_object *unwinding_json(const struct unwinding *unwinding);

#endif
