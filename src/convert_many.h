/* SPDX-License-Identifier: MIT */
/* Conversions with an output of its own for each input: -o DIR/. */
#ifndef CONVERT_MANY_H
#define CONVERT_MANY_H

#include "options.h"

/* The inputs share the threads and the memory that the options allow. Nothing is created before all that can be known
 * to be wrong was looked at. */
enum exit_code convert_to_many(const struct options *options);

#endif
