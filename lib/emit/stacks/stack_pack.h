/* SPDX-License-Identifier: MIT */
/* Compresses a stream of bytes with gzip, and encodes it as base64 on request. */
#ifndef PD_STACK_PACK_H
#define PD_STACK_PACK_H

#include "codec/codec.h"
#include "perfdata/text.h"

struct stack_pack {
	struct pd_encoder *encoder;
	struct perfdata_text *out;
	bool base64, failed;
	uint8_t rest[3];             /* bytes that are less than a group of three */
	size_t nr_rest;
};

/* False without memory, or if the library was built without zlib. */
bool pd_stack_pack_begin(struct stack_pack *pack, struct perfdata_text *out, bool base64);
void pd_stack_pack_write(struct stack_pack *pack, const void *bytes, size_t size);
/* Frees the state. False if any call failed. */
bool pd_stack_pack_end(struct stack_pack *pack);

void pd_stack_text_base64(struct perfdata_text *out, const uint8_t *bytes, size_t size);

#endif
