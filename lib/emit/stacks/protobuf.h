/* SPDX-License-Identifier: MIT */
/* Writes fields of protobuf messages. An inner message is written to a separate text first. */
#ifndef PD_PROTOBUF_H
#define PD_PROTOBUF_H

#include "emit/values/varint.h"

/* Writes nothing for 0, which is the default. */
static inline void pd_protobuf_number(struct perfdata_text *out, unsigned field, uint64_t value)
{
	if (!value)
		return;
	pd_text_varint(out, (uint64_t)field << 3);
	pd_text_varint(out, value);
}
/* Writes 0 too: for a member of a oneof, or a field whose presence means something. */
static inline void pd_protobuf_present(struct perfdata_text *out, unsigned field, uint64_t value)
{
	pd_text_varint(out, (uint64_t)field << 3);
	pd_text_varint(out, value);
}
/* A field of type fixed64, eight bytes little-endian; 0 is written too. */
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
