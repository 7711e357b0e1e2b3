/* SPDX-License-Identifier: MIT */
/* What a person at a terminal sees: its width, colours, a pager for long answers. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include "options.h"

/* Gives the emitter the options that fit where its output goes, as far as the user did not; starts the pager. False
 * after a message. */
bool terminal_prepare(struct options *options);
/* Behind the last output: waits until the pager was left. */
void terminal_finish(void);

#endif
