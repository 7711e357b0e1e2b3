/* SPDX-License-Identifier: MIT */
/* Checks fields of tracepoints that are parts of a line. */
#ifndef TESTS_TRACE_PART_H
#define TESTS_TRACE_PART_H

#include "text/lines.h"
#include "schema/trace.h"

/* Whether a line writes the field as `text`; also true if no line can write the field. *ret_is_part: a line can, which
 * needs a supported kind of field in this machine's byte order. */
static inline bool trace_part_says(const struct perfdata_trace_field *field, struct perfdata_bytes raw,
				   enum perfdata_byte_order order, const char *text, size_t size, bool *ret_is_part)
{
	const struct perfdata_part how = pd_trace_field_part(field);
	const void *const bases[] = { raw.data };
	struct perfdata_line line = { 0 };
	struct perfdata_text out;

	*ret_is_part = how.form != PERFDATA_PART_STOP &&
		       (order == PERFDATA_BYTE_ORDER_BIG) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (!*ret_is_part)
		return true;
	perfdata_text_init(&out);
	perfdata_text_append(&line.text, how.text, how.size);
	pd_line_part(&line, how);
	pd_line_part(&line, (struct perfdata_part){ .form = PERFDATA_PART_STOP });
	bool says = pd_line_finish(&line);
	const struct perfdata_part *part = perfdata_line_parts(&line);
	says = says && perfdata_text_parts(&out, &line, &part, bases) && out.size == size &&
	       !memcmp(out.data, text, size);
	pd_line_release(&line);
	perfdata_text_release(&out);
	return says;
}

#endif
