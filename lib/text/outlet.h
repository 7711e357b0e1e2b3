/* SPDX-License-Identifier: MIT */
/* Takes bytes out of a text while more are appended. */
#ifndef PD_OUTLET_H
#define PD_OUTLET_H

#include "perfdata/text.h"

/* The function is called when the text is full. It removes some or all of its bytes, or none. */
struct pd_outlet {
	void (*leave)(struct pd_outlet *outlet, struct perfdata_text *text);
};

#endif
