/* SPDX-License-Identifier: MIT */
/* The fields of a tracepoint's sample as a part of lines (emit/spell/line.h). */
#ifndef EMIT_TRACE_LINE_H
#define EMIT_TRACE_LINE_H

#include "emit/spell/trace_json.h"

/* Adds the object to a line whose samples have all integer fields completely (line_maker.fields). */
struct line_maker;
void pd_trace_json_line(struct line_maker *maker, const struct speller *s);

#endif
