/* SPDX-License-Identifier: MIT */
/* Output on a terminal: its width, colors, and a pager for long output. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include "options.h"

/* If stdout is a terminal, sets the emitter's options `width` and `color` unless the user did, and starts the pager.
 * False after a message. */
bool terminal_prepare(struct options *options);
/* Width for lines on stdout: the terminal's; 100 if stdout is no terminal. */
size_t terminal_columns(void);
/* Waits for the end of the pager; to be called after the last output. */
void terminal_finish(void);

#endif
