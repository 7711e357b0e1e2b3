/* SPDX-License-Identifier: MIT */
/* Output on a terminal: its width, colors, and a pager for long output. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include "options.h"

/* If stdout is a terminal, sets the emitter's options `width` and `color` that the user did not set, and starts the
 * pager. False after a message. */
bool terminal_prepare(struct options *options);
/* How many columns lines on stdout should have: the terminal's; 100 where stdout is no terminal. */
size_t terminal_columns(void);
/* Waits until the user leaves the pager; to be called after the last output. */
void terminal_finish(void);

#endif
