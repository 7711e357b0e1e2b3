/* SPDX-License-Identifier: MIT */
/* How many samples fell to each place: counted by frame while records are read, told by file at the end. */
#ifndef FRAME_HITS_H
#define FRAME_HITS_H

#include "perfdata/session.h"

struct frame_hits {
	uint64_t *at;            /* by frame id */
	size_t room;
	uint64_t samples, outside;   /* all; those that lie in nothing */
	bool failed;             /* no memory */
};

/* The samples of a batch whose session gives frames. */
void frame_hits_take(struct frame_hits *hits, const struct perfdata_batch *batch);
void frame_hits_release(struct frame_hits *hits);

#endif
