/* SPDX-License-Identifier: MIT */
/* Counts samples by frame and notes which frames have names, for the finding about samples without names. */
#ifndef PD_LEAVES_H
#define PD_LEAVES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pd_state;

#define PD_NAMED_FRAMES (1u << 17)
/* Numbers of samples by their innermost frame. */
struct pd_leaves {
	uint32_t *hits;
	size_t room;
	uint64_t samples, outside;         /* all samples; samples outside of any map */
	/* One bit for each of the first frames: a look-up found a name (named), or found none (nameless). Frames that
	 * were looked up while the output was written need no look-up at the end, when all threads would wait. */
	atomic_uint_least64_t named[PD_NAMED_FRAMES / 64], nameless[PD_NAMED_FRAMES / 64];
};
void pd_leaf_set_named(struct pd_leaves *leaves, uint32_t frame, bool named);   /* any thread */
/* Counts a sample; frame may be PERFDATA_NONE. */
void pd_leaf_count(struct pd_state *state, uint32_t frame);

#endif
