/* SPDX-License-Identifier: MIT */
/* Counts samples by frame while a recording is read. Callers sum them up by file at the end. */
#ifndef FRAME_HITS_H
#define FRAME_HITS_H

#include "perfdata/session.h"

struct frame_hits {
	uint64_t *at;            /* number of samples, by frame id */
	size_t room;
	uint64_t samples, outside;   /* all samples; samples whose address is in no map */
	bool failed;             /* memory ran out */
};

/* Counts the samples of a batch. The session needs PERFDATA_NEED_FRAMES. */
void frame_hits_take(struct frame_hits *hits, const struct perfdata_batch *batch);
/* Of the samples in a file. */
struct name_hits {
	uint64_t named, unnamed;
};
/* Asks the session for the name of each frame that was hit: what all commands say of names is counted here. *ret has
 * an entry for each dso and one more, of samples in no file; to be freed. PERFDATA_ENOMEM; PERFDATA_EREAD. */
enum perfdata_status frame_hits_names(const struct frame_hits *hits, const struct perfdata_session *session,
				      struct name_hits **ret);
void frame_hits_release(struct frame_hits *hits);

#endif
