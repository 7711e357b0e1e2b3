/* SPDX-License-Identifier: MIT */
/* SIGINT and SIGTERM ask for an orderly end; a second one ends the program at once. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include "perfdata/base.h"

/* Catches the signals from now on. */
void interrupt_catch(void);
/* Cancelled once a signal came. NULL before interrupt_catch, and without memory. */
struct perfdata_cancel *interrupt_cancel(void);
bool interrupted(void);

#endif
