/* SPDX-License-Identifier: MIT */
/* Strings of C as strings of JSON. */
#ifndef PD_JSON_QUOTED_H
#define PD_JSON_QUOTED_H

#include <string.h>
#include "perfdata/text.h"

/* perfdata_text_json_string for what ends with a NUL. */
static inline void pd_json_text(struct perfdata_text *out, const char *text)
{
	perfdata_text_json_string(out, text, strlen(text));
}

#endif
