/* SPDX-License-Identifier: MIT */
/* Cancels functions that wait for bytes. The public part is in perfdata/base.h. */
#ifndef PD_CANCEL_H
#define PD_CANCEL_H

#include "perfdata/base.h"

/* Returns a descriptor that becomes readable when the object is cancelled. For NULL: -1, which poll(2) ignores. */
int pd_cancel_fd(const struct perfdata_cancel *cancel);
/* Returns false for NULL. */
bool pd_cancelled(const struct perfdata_cancel *cancel);

#endif
