/* SPDX-License-Identifier: MIT */
/* Functions that wait for bytes also watch a cancel object. The public part is in perfdata/base.h. */
#ifndef PD_CANCEL_H
#define PD_CANCEL_H

#include "perfdata/base.h"

/* A descriptor that becomes readable when the object is cancelled; -1 for NULL, which poll(2) ignores. */
int pd_cancel_fd(const struct perfdata_cancel *cancel);
/* false for NULL. */
bool pd_cancelled(const struct perfdata_cancel *cancel);

#endif
