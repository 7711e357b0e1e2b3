/* SPDX-License-Identifier: MIT */
/* Conversions with -o DIR/: each input gets its own output. */
#ifndef CONVERT_MANY_H
#define CONVERT_MANY_H

#include "options.h"

/* Converts options->inputs in parallel, within the limits of threads and memory. Checks all output paths before it
 * creates a file, so that wrong use leaves no file. */
enum exit_code convert_to_many(const struct options *options);

#endif
