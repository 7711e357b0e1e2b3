/* SPDX-License-Identifier: MIT */
/* Reads the fields of a protocol buffer message (proto3) one by one. Reads nothing after the message, and allocates
 * nothing. */
#ifndef PD_PROTOBUF_READ_H
#define PD_PROTOBUF_READ_H

#include "base/cursor.h"

enum pd_wire {
	PD_WIRE_VARINT = 0,
	PD_WIRE_64 = 1,
	PD_WIRE_BYTES = 2,     /* texts, messages, packed lists */
	PD_WIRE_32 = 5,
};

struct pd_protobuf_field {
	const uint8_t *at;             /* the field's tag */
	uint32_t number;
	enum pd_wire wire;
	uint64_t value;                /* for the wire types VARINT, 64, 32 */
	struct perfdata_bytes bytes;   /* for the wire type BYTES */
};

/* Reads a number. False: the message ends inside the number, or it has more than 64 bits; the cursor has failed. */
bool pd_protobuf_varint(struct pd_cursor *c, uint64_t *ret);

/* Reads a field. False: the message has ended, or the field is damaged, and then the cursor has failed. */
bool pd_protobuf_next(struct pd_cursor *c, struct pd_protobuf_field *ret);

#endif
