/* SPDX-License-Identifier: MIT */
/* Writes fields of protocol buffer messages, and reads values from the tree of a section. */
#ifndef PD_PROTOBUF_WRITE_H
#define PD_PROTOBUF_WRITE_H

#include "perfdata/feature.h"
#include "perfdata/text.h"
#include "schema/protobuf_read.h"

static inline void pd_put_varint(struct perfdata_text *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		perfdata_text_char(out, (char)(value | 0x80));
	perfdata_text_char(out, (char)value);
}

/* Leaves the field out if the number is 0, the default of protocol buffers. */
static inline void pd_put_number(struct perfdata_text *out, uint32_t number, uint64_t value)
{
	if (!value)
		return;
	pd_put_varint(out, number << 3 | PD_WIRE_VARINT);
	pd_put_varint(out, value);
}

static inline void pd_put_bytes(struct perfdata_text *out, uint32_t number, const void *bytes, size_t size)
{
	pd_put_varint(out, number << 3 | PD_WIRE_BYTES);
	pd_put_varint(out, size);
	perfdata_text_append(out, bytes, size);
}

static inline struct perfdata_bytes pd_node_text(const struct perfdata_node *node, const char *key)
{
	const struct perfdata_node *text = perfdata_node_get(node, key);
	return text ? text->v.bytes : (struct perfdata_bytes){ NULL, 0 };
}

static inline uint64_t pd_node_number(const struct perfdata_node *node, const char *key)
{
	const struct perfdata_node *number = perfdata_node_get(node, key);
	return number ? number->v.u : 0;
}

#endif
