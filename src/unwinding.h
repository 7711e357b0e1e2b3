/* SPDX-License-Identifier: MIT */
#ifndef UNWINDING_H
#define UNWINDING_H

#include "json_build.h"
#include "perfdata.h"

/* Why simpleperf did not follow stacks to their end: sums of UNWINDING_RESULT records. */
struct unwinding {
	uint64_t stacks;            /* all of them */
	uint64_t of[9];             /* by error code; the last: codes without a name */
	uint64_t not_enough_stack;  /* of those with MEMORY_INVALID: more stack was needed than was recorded */
};

void unwinding_add(struct unwinding *unwinding, const struct perfdata_unwinding_result *result);
/* Appends a line; nothing where there are none. */
void unwinding_show(struct perfdata_text *out, const struct unwinding *unwinding);
json_object *unwinding_json(const struct unwinding *unwinding);

#endif
