/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "schema/protobuf_read.h"

#define MAX_VARINT 10       /* bytes of a 64-bit number */

bool pd_protobuf_varint(struct pd_cursor *c, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < MAX_VARINT; i++) {
		const uint8_t byte = pd_u8(c);
		if (c->failed)
			return false;
		if (i == MAX_VARINT - 1 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (!(byte & 0x80)) {
			*ret = value;
			return true;
		}
	}
	c->failed = true;
	return false;
}

static uint64_t load_little(const uint8_t *at, unsigned size)
{
	uint64_t value = 0;
	for (unsigned i = 0; at && i < size; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

bool pd_protobuf_next(struct pd_cursor *c, struct pd_protobuf_field *ret)
{
	uint64_t tag, size;

	*ret = (struct pd_protobuf_field){ .at = c->at };
	if (c->failed || !pd_left(c) || !pd_protobuf_varint(c, &tag))
		return false;
	if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3) {
		c->failed = true;
		return false;
	}
	ret->number = (uint32_t)(tag >> 3);
	ret->wire = (enum pd_wire)(tag & 7);
	switch (ret->wire) {
	case PD_WIRE_VARINT: pd_protobuf_varint(c, &ret->value); break;
	case PD_WIRE_64: ret->value = load_little(pd_take(c, 8), 8); break;
	case PD_WIRE_32: ret->value = load_little(pd_take(c, 4), 4); break;
	case PD_WIRE_BYTES:
		if (pd_protobuf_varint(c, &size))
			ret->bytes = (struct perfdata_bytes){ pd_take(c, size), (size_t)size };
		break;
	default: c->failed = true;      /* groups of proto2, and undefined wire types */
	}
	return !c->failed;
}
