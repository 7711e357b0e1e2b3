/* SPDX-License-Identifier: MIT */
/* Compresses a stream of bytes with gzip, and encodes it as base64 on request. */
#ifndef PD_STACK_PACK_H
#define PD_STACK_PACK_H

#include "codec/codec.h"
#include "perfdata/emit.h"
#include "perfdata/text.h"

struct stack_pack {
	struct pd_encoder *encoder;
	struct perfdata_text *out;
	bool base64, failed;
	uint8_t rest[3];             /* bytes that are less than a group of three */
	size_t nr_rest;
};

/* Loads the compressor for pd_stack_pack_begin; a failure becomes the context's error. */
enum perfdata_status pd_stack_pack_load(const struct perfdata_emit_context *context);
/* False without memory. */
bool pd_stack_pack_begin(struct stack_pack *pack, struct perfdata_text *out, bool base64);
void pd_stack_pack_write(struct stack_pack *pack, const void *bytes, size_t size);
/* Frees the state. False if any call failed. */
bool pd_stack_pack_end(struct stack_pack *pack);

void pd_stack_text_base64(struct perfdata_text *out, const uint8_t *bytes, size_t size);

#endif
