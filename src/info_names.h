/* SPDX-License-Identifier: MIT */
/* Counts samples with a symbol name, and the files of the other samples, for `info`. */
#ifndef INFO_NAMES_H
#define INFO_NAMES_H

#include "json_build.h"
#include "answers.h"
#include "frame_hits.h"

struct unnamed {
	const char *filename;    /* borrowed from the session; NULL: samples in no file */
	uint64_t samples;
};
struct name_counts {
	uint64_t samples, named;
	struct unnamed *list;    /* most samples first */
	size_t nr;
};

/* Looks up the frames in `hits`. PERFDATA_ENOMEM; PERFDATA_EREAD: `counts` needs no release. */
enum perfdata_status name_counts_make(struct name_counts *counts, const struct perfdata_session *session,
				      const struct frame_hits *hits);
void name_counts_release(struct name_counts *counts);
void name_counts_text(struct perfdata_text *out, const struct name_counts *counts);
json_object *name_counts_json(struct input *input, const struct name_counts *counts);

#endif
