/* SPDX-License-Identifier: MIT */
/* Advice for options of perf, or of other commands of ours, that a command lacks. */
#ifndef PERF_HABITS_H
#define PERF_HABITS_H

#include "options.h"

/* Returns advice for a refused option (named without dashes): unknown if `text` is NULL, otherwise it does not take
 * this value. NULL: there is no advice. */
const char *perf_habit(const struct options *options, const char *name, const char *text);

#endif
