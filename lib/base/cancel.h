/* SPDX-License-Identifier: MIT */
/* What waits for bytes looks at a cancel object too. The public part is in perfdata/base.h. */
#ifndef PD_CANCEL_H
#define PD_CANCEL_H

#include "perfdata/base.h"

/* Readable once it was cancelled; -1 for NULL, which poll takes as nothing to wait for. */
int pd_cancel_fd(const struct perfdata_cancel *cancel);
/* false for NULL. */
static inline bool pd_cancelled(const struct perfdata_cancel *cancel) { return cancel && perfdata_cancelled(cancel); }

#endif
