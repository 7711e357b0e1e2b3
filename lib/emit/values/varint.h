/* SPDX-License-Identifier: MIT */
/* The varint of protobuf and thrift: 7 bits in each byte, lowest bits first. */
#ifndef EMIT_VARINT_H
#define EMIT_VARINT_H

#include "perfdata/text.h"

static inline void pd_text_varint(struct perfdata_text *out, uint64_t value)
{
	char *at = perfdata_text_reserve(out, 10);
	if (!at)
		return;
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	perfdata_text_commit(out, at);
}

#endif
