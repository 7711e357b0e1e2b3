/* SPDX-License-Identifier: MIT */
/* The limit of a comparison's work. Reading, matching and judging take time in proportion to the size of the sides;
 * searches for causes, moved weight and renames take time in proportion to its square. Recordings need few of the
 * allowed steps: 5,000 functions that changed among 20,000 need a hundred million. */
#include "config.h"
#include "base/cancel.h"
#include "profile/compare_impl.h"

enum { CHECK_EVERY = 1 << 20, STEPS_OF_PART = 4096 };

void pd_compare_allot(struct pd_compare_work *work, uint64_t parts)
{
	const uint64_t steps = parts < UINT32_MAX ? parts * STEPS_OF_PART : UINT64_C(1) << 44;
	work->left += work->left < UINT64_C(1) << 62 ? steps : 0;
}

bool pd_compare_spend(struct pd_compare_work *work, uint64_t steps)
{
	if (work->status != PERFDATA_OK)
		return false;
	work->since_check += steps;
	if (steps > work->left) {
		work->status = PERFDATA_ENOMEM;
	} else if (work->since_check >= CHECK_EVERY || !steps) {
		work->since_check = 0;
		if (pd_cancelled(work->cancel))
			work->status = PERFDATA_EINTR;
	}
	work->left -= work->status == PERFDATA_OK ? steps : 0;
	return work->status == PERFDATA_OK;
}
