/* SPDX-License-Identifier: MIT */
/* Where a text goes while it is still appended to. */
#ifndef PD_OUTLET_H
#define PD_OUTLET_H

#include "perfdata/text.h"

/* Called with a text that is full: takes some or all of its bytes off it, or leaves it as it is. */
struct pd_outlet {
	void (*leave)(struct pd_outlet *outlet, struct perfdata_text *text);
};

#endif
