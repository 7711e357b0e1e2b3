/* SPDX-License-Identifier: MIT */
/* Formats the lines of `folded`, in several threads, and appends them to the output in order. */
#ifndef PD_FOLDED_LINES_H
#define PD_FOLDED_LINES_H

#include "perfdata/text.h"
#include "profile/fold.h"

/* The text of a label. */
struct folded_name {
	const char *text;
	size_t size;
};
/* `names` has an item for each label. PERFDATA_EINTR: the profile was cancelled. */
enum perfdata_status pd_folded_lines(struct pd_fold *fold, const struct pd_profile *profile,
				     const struct folded_name *names, unsigned jobs, struct perfdata_text *out);

#endif
