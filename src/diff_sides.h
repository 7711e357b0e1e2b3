/* SPDX-License-Identifier: MIT */
/* The sides of a comparison: from recordings and stored baselines. */
#ifndef DIFF_SIDES_H
#define DIFF_SIDES_H

#include "options.h"
#include "perfdata/compare.h"

/* Reads all files of a side. NULL after a failure that was said; *code is joined with what happened. inlines: tell
 * inlined functions apart. */
struct perfdata_baseline *diff_side_read(const struct options *options, const struct text_list *files, bool inlines,
					 enum exit_code *code);
/* Whether any recording of the side tells inlined functions apart. */
bool diff_side_has_inlines(const struct perfdata_baseline *side);
/* Writes the side to --save. */
enum exit_code diff_side_save(const struct options *options, const struct perfdata_baseline *side);

#endif
