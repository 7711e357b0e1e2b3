/* SPDX-License-Identifier: MIT */
/* What people type who know perf, or another command of ours, and what says the same here. */
#ifndef PERF_HABITS_H
#define PERF_HABITS_H

#include "options.h"

/* Returns what to say of an option, named without dashes, that was refused: it is unknown (text: NULL), or takes no
 * such text. NULL: it is no habit from perf. */
const char *perf_habit(const struct options *options, const char *name, const char *text);

#endif
