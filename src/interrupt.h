/* SPDX-License-Identifier: MIT */
/* The first SIGINT, SIGTERM or SIGHUP (unless ignored) cancels the work; a second one kills the program. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include "perfdata/base.h"

/* Installs the signal handlers. */
void interrupt_catch(void);
/* The object that a signal cancels, for options of the library; NULL before interrupt_catch, and without memory. */
struct perfdata_cancel *interrupt_cancel(void);
bool was_interrupted(void);

#endif
