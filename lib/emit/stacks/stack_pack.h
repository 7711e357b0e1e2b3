/* SPDX-License-Identifier: MIT */
/* Compresses a stream of bytes with gzip, in several threads where they may be used, and encodes it as base64 on
 * request. The caller's thread appends to the output. */
#ifndef PD_STACK_PACK_H
#define PD_STACK_PACK_H

#include "codec/codec.h"
#include "perfdata/emit.h"
#include "perfdata/text.h"

struct stack_packing;
struct stack_pack {
	struct stack_packing *packing;   /* pieces, and the threads that compress them */
	struct perfdata_text *out;
	uint32_t checksum;           /* of the bytes so far */
	uint64_t size;
	bool base64, failed;
	uint8_t rest[3];             /* bytes that are less than a group of three */
	size_t nr_rest;
};

/* Loads the compressor for pd_stack_pack_begin; a failure becomes the context's error. */
enum perfdata_status pd_stack_pack_load(const struct perfdata_emit_context *context);
/* False without memory. threads: how many may compress, with the caller's; the number does not change the bytes. */
bool pd_stack_pack_begin(struct stack_pack *pack, struct perfdata_text *out, bool base64, unsigned threads);
void pd_stack_pack_write(struct stack_pack *pack, const void *bytes, size_t size);
/* Frees the state. False if any call failed. */
bool pd_stack_pack_end(struct stack_pack *pack);

void pd_stack_text_base64(struct perfdata_text *out, const uint8_t *bytes, size_t size);

#endif
