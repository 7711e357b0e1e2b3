/* SPDX-License-Identifier: MIT */
/* Conversions with -o DIR/: each input gets its own output. */
#ifndef CONVERT_MANY_H
#define CONVERT_MANY_H

#include "options.h"

/* Converts options->inputs; the inputs share the threads and the memory that the options allow. Checks the paths of all
 * outputs before it creates a file, so that wrong use leaves no file. */
enum exit_code convert_to_many(const struct options *options);

#endif
