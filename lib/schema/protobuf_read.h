/* SPDX-License-Identifier: MIT */
/* Reads the fields of a protocol buffer message (proto3) one by one. Nothing is read beyond the message, and nothing is
 * allocated. */
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
	const uint8_t *at;             /* of its tag */
	uint32_t number;
	enum pd_wire wire;
	uint64_t value;                /* VARINT, 64, 32 */
	struct perfdata_bytes bytes;   /* BYTES */
};

/* The next number, or false where the message ends inside it or it has more than 64 bits: the cursor has failed. */
bool pd_protobuf_varint(struct pd_cursor *c, uint64_t *ret);

/* The next field, or false: the message has ended, or, where the cursor has failed, it has no whole field there. */
bool pd_protobuf_next(struct pd_cursor *c, struct pd_protobuf_field *ret);

#endif
