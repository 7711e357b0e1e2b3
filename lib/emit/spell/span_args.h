/* SPDX-License-Identifier: MIT */
/* The fields of the sample at the begin of a span, as a JSON object. */
#ifndef EMIT_SPAN_ARGS_H
#define EMIT_SPAN_ARGS_H

#include "emit/spell/json_style.h"
#include "spans/spans.h"

/* Appends the object, after `key` if that is not NULL. False: there are no fields besides the span's name, and nothing
 * was appended. */
bool pd_span_args_json(struct perfdata_text *out, const struct pd_span *span, struct record_cache *cache,
		       const struct json_style *style, const char *key);

#endif
