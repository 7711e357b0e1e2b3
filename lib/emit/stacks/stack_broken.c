/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/stacks/stack_broken.h"
#include "session/session.h"

bool pd_stack_broken_add(struct pd_broken_stacks *broken, const struct perfdata_session *session,
			 const struct stack_path *path, uint64_t samples)
{
	size_t nr = 0;
	/* without a chain, the end of the stack is unknown */
	if (!path->nr_steps || path->steps[0].origin == PD_ORIGIN_ALONE)
		return true;
	while (nr < path->nr_steps && !pd_session_frame_is_kernel(session, path->steps[nr].frame))
		nr++;
	const struct pd_broken_chain chain = { .nr = (uint32_t)nr,
					       .depth = (uint32_t)path->nr_steps,
					       .leaf = nr ? path->steps[nr - 1].frame : PERFDATA_NONE,
					       .root = path->steps[0].frame,
					       .is_cut = path->steps[0].is_cut };
	return pd_broken_stacks_add(broken, session, &chain, samples);
}
