/* SPDX-License-Identifier: MIT */
/* Fields of protobuf messages. A message inside another is written to a text of its own first. */
#ifndef PD_PROTOBUF_H
#define PD_PROTOBUF_H

#include "emit/values/varint.h"

/* Leaves out a number 0, which is the default. */
static inline void pd_protobuf_number(struct perfdata_text *out, unsigned field, uint64_t value)
{
	if (!value)
		return;
	pd_text_varint(out, (uint64_t)field << 3);
	pd_text_varint(out, value);
}
/* Writes 0 as well: for the case of a oneof, or where a reader asks whether the field is there. */
static inline void pd_protobuf_given(struct perfdata_text *out, unsigned field, uint64_t value)
{
	pd_text_varint(out, (uint64_t)field << 3);
	pd_text_varint(out, value);
}
/* A number of type fixed64, eight bytes in little-endian order: 0 is written, too. */
static inline void pd_protobuf_fixed64(struct perfdata_text *out, unsigned field, uint64_t value)
{
	pd_text_varint(out, (uint64_t)field << 3 | 1);
	for (unsigned i = 0; i < 8; i++)
		perfdata_text_char(out, (char)(unsigned char)(value >> 8 * i));
}
static inline void pd_protobuf_bytes(struct perfdata_text *out, unsigned field, const void *bytes, size_t size)
{
	pd_text_varint(out, (uint64_t)field << 3 | 2);
	pd_text_varint(out, size);
	perfdata_text_append(out, bytes, size);
}
static inline void pd_protobuf_message(struct perfdata_text *out, unsigned field, const struct perfdata_text *message)
{
	pd_protobuf_bytes(out, field, message->data, message->size);
	out->failed |= perfdata_text_failed(message);
}

#endif
