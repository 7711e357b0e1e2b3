/* SPDX-License-Identifier: MIT */
/* Stacks of a profile that end too early. */
#ifndef PD_STACK_BROKEN_H
#define PD_STACK_BROKEN_H

#include "emit/stacks/stack_route.h"
#include "profile/broken_stacks.h"

/* Adds `samples` samples of a complete stack. False without memory. */
bool pd_stack_broken_add(struct pd_broken_stacks *broken, const struct perfdata_session *session,
			 const struct stack_path *path, uint64_t samples);

#endif
