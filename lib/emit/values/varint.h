/* SPDX-License-Identifier: MIT */
/* The varint of protobuf and thrift: 7 bits in each byte, lowest bits first. */
#ifndef EMIT_VARINT_H
#define EMIT_VARINT_H

#include "perfdata/text.h"

/* Returns the end; at most 10 bytes, or 5 for a value below 2^35. */
static inline char *pd_put_varint(char *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	return at;
}

static inline void pd_text_varint(struct perfdata_text *out, uint64_t value)
{
	char *at = perfdata_text_reserve(out, 10);
	if (at)
		perfdata_text_commit(out, pd_put_varint(at, value));
}

#endif
