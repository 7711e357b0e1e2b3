/* SPDX-License-Identifier: MIT */
/* Reads the two sides of a comparison from recordings and stored baselines. */
#ifndef DIFF_SIDES_H
#define DIFF_SIDES_H

#include "options.h"
#include "perfdata/compare.h"

/* Reads all files of a side. inlines: inlined functions are rows of their own. Joins the exit codes of the files into
 * *code. NULL after a failure, which is already reported. */
struct perfdata_baseline *diff_side_read(const struct options *options, const struct text_list *files, bool inlines,
					 enum exit_code *code);
/* Whether any file of the side names inlined functions. */
bool diff_side_has_inlines(const struct perfdata_baseline *side);
/* Writes the side as a baseline to the path of --save. */
enum exit_code diff_side_save(const struct options *options, const struct perfdata_baseline *side);

#endif
