/* SPDX-License-Identifier: MIT */
/* Writes C strings as JSON strings. */
#ifndef PD_JSON_QUOTED_H
#define PD_JSON_QUOTED_H

#include <string.h>
#include "perfdata/text.h"

/* Calls perfdata_text_json_string for a NUL-terminated text. */
static inline void pd_json_text(struct perfdata_text *out, const char *text)
{
	perfdata_text_json_string(out, text, strlen(text));
}

#endif
