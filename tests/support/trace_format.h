/* SPDX-License-Identifier: MIT */
/* Makes the tracing data of a recording with one tracepoint from the text of its format. */
#ifndef PD_TEST_TRACE_FORMAT_H
#define PD_TEST_TRACE_FORMAT_H

#include <stdlib.h>
#include <string.h>
#include "schema/trace.h"

static inline uint8_t *put_trace_bytes(uint8_t *at, const void *bytes, size_t size)
{
	memcpy(at, size ? bytes : "", size);
	return at + size;
}

static inline uint8_t *put_trace_number(uint8_t *at, uint64_t value, unsigned size, bool big)
{
	for (unsigned i = 0; i < size; i++)
		*at++ = (uint8_t)(value >> 8 * (big ? size - 1 - i : i));
	return at;
}

/* Loads the format of an event of the system "toy". *ret_complete: the format has a name and an ID; may be NULL. */
static inline enum perfdata_status load_trace_format(bool big, uint8_t long_size, const char *text, size_t size,
						     struct perfdata_trace **ret, bool *ret_complete)
{
	uint8_t *bytes = malloc(128 + size);
	if (!bytes)
		return PERFDATA_ENOMEM;
	uint8_t *at = put_trace_bytes(bytes, "\x17\x08\x44tracing0.6", 14);
	at = put_trace_number(at, big, 1, big);
	at = put_trace_number(at, long_size, 1, big);
	at = put_trace_number(at, 4096, 4, big);
	at = put_trace_number(put_trace_bytes(at, "header_page", 12), 0, 8, big);
	at = put_trace_number(put_trace_bytes(at, "header_event", 13), 0, 8, big);
	at = put_trace_number(put_trace_number(at, 0, 4, big), 1, 4, big);
	at = put_trace_number(put_trace_bytes(at, "toy", 4), 1, 4, big);
	at = put_trace_bytes(put_trace_number(at, size, 8, big), text, size);
	at = put_trace_number(put_trace_number(put_trace_number(at, 0, 4, big), 0, 4, big), 0, 8, big);
	const enum perfdata_status status = pd_trace_load(bytes, (size_t)(at - bytes), NULL, NULL, ret, ret_complete);
	free(bytes);
	return status;
}

#endif
