/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "emit/stacks/stack_pack.h"

static void pack_group(char *at, const uint8_t *bytes, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)(size > 1 ? bytes[1] : 0) << 8 |
			      (size > 2 ? bytes[2] : 0);
	at[0] = digits[bits >> 18];
	at[1] = digits[bits >> 12 & 63];
	at[2] = size > 1 ? digits[bits >> 6 & 63] : '=';
	at[3] = size > 2 ? digits[bits & 63] : '=';
}

void pd_stack_text_base64(struct perfdata_text *out, const uint8_t *bytes, size_t size)
{
	char *at = perfdata_text_reserve(out, (size + 2) / 3 * 4);
	if (!at)
		return;
	for (size_t i = 0; i < size; i += 3, at += 4)
		pack_group(at, bytes + i, size - i < 3 ? size - i : 3);
	perfdata_text_commit(out, at);
}

static void put_bytes(struct stack_pack *pack, const uint8_t *bytes, size_t size)
{
	if (!pack->base64) {
		perfdata_text_append(pack->out, bytes, size);
		return;
	}
	while (size && pack->nr_rest) {
		pack->rest[pack->nr_rest++] = *bytes++;
		size--;
		if (pack->nr_rest == 3) {
			pd_stack_text_base64(pack->out, pack->rest, 3);
			pack->nr_rest = 0;
		}
	}
	const size_t whole = size / 3 * 3;
	pd_stack_text_base64(pack->out, bytes, whole);
	for (size_t i = whole; i < size; i++)
		pack->rest[pack->nr_rest++] = bytes[i];
}

static void run_codec(struct stack_pack *pack, const void *bytes, size_t size, bool finish)
{
	uint8_t packed[16384];
	size_t used = 0;
	enum perfdata_status status = PERFDATA_OK;
	while (!pack->failed && (finish ? status != PERFDATA_END : used < size)) {
		size_t made = 0;
		status = pd_encoder_run(pack->encoder, bytes, size, &used, packed, sizeof packed, &made, finish);
		pack->failed |= status != PERFDATA_OK && status != PERFDATA_END;
		put_bytes(pack, packed, made);
		perfdata_text_cut(pack->out);
	}
}

/* At zlib's default level, compression takes a third of a profile's time; at this level a twelfth, for 10 % more
 * bytes. */
enum { PACK_LEVEL = 1 };

enum perfdata_status pd_stack_pack_load(const struct perfdata_emit_context *context)
{
	struct pd_codec_reason reason;
	const enum perfdata_status status = pd_codec_load(PD_CODEC_GZIP, &reason);
	return status ? pd_error(context->reterr, status, PERFDATA_NO_OFFSET, "cannot be compressed: %s", reason.text)
		      : status;
}

bool pd_stack_pack_begin(struct stack_pack *pack, struct perfdata_text *out, bool base64)
{
	memset(pack, 0, sizeof *pack);
	pack->out = out;
	pack->base64 = base64;
	pack->encoder = pd_encoder_new(PD_CODEC_GZIP, PACK_LEVEL);
	return pack->encoder;
}

void pd_stack_pack_write(struct stack_pack *pack, const void *bytes, size_t size)
{
	run_codec(pack, bytes, size, false);
}

bool pd_stack_pack_end(struct stack_pack *pack)
{
	run_codec(pack, "", 0, true);
	if (pack->nr_rest)
		pd_stack_text_base64(pack->out, pack->rest, pack->nr_rest);
	pd_encoder_free(pack->encoder);
	return !pack->failed && !perfdata_text_failed(pack->out);
}
