/* SPDX-License-Identifier: MIT */
/* Counts samples by frame while a recording is read. Callers sum them up by file at the end. */
#ifndef FRAME_HITS_H
#define FRAME_HITS_H

#include "perfdata/session.h"

struct frame_hits {
	uint64_t *at;            /* number of samples, by frame id */
	size_t room;
	uint64_t samples, outside;   /* all samples; those whose address is in no map */
	bool failed;             /* memory ran out */
};

/* Counts the samples of a batch. The session needs PERFDATA_NEED_FRAMES. */
void frame_hits_take(struct frame_hits *hits, const struct perfdata_batch *batch);
/* Samples of a file, by whether their address has a name. */
struct name_hits {
	uint64_t named, unnamed;
};
/* Looks up the name of each frame with samples; all commands count names by this function. *ret has an entry for each
 * dso, then one for samples in no file; for free(). PERFDATA_ENOMEM; PERFDATA_EREAD. */
enum perfdata_status frame_hits_names(const struct frame_hits *hits, const struct perfdata_session *session,
				      struct name_hits **ret);
void frame_hits_release(struct frame_hits *hits);

#endif
