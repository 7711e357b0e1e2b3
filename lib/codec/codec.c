/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/cursor.h"
#include "codec/codec_impl.h"

/* magic numbers: RFC 1952 (ID1, ID2, CM), RFC 8878 (little-endian), and the .xz file format, 2.1.1 */
#define ZSTD_FRAME 0xfd2fb528u
#define ZSTD_SKIPPABLE 0x184d2a50u
#define ZSTD_SKIPPABLE_MASK 0xfffffff0u

enum pd_codec_kind pd_codec_probe(const uint8_t *bytes, size_t size)
{
	static const uint8_t xz_magic[PD_CODEC_MAGIC] = { 0xfd, '7', 'z', 'X', 'Z', 0 };
	if (size >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8)
		return PD_CODEC_GZIP;
	if (size >= sizeof xz_magic && !memcmp(bytes, xz_magic, sizeof xz_magic))
		return PD_CODEC_XZ;
	if (size < 4)
		return PD_CODEC_NONE;
	uint32_t magic = pd_load32(bytes, pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE));
	bool zstd = magic == ZSTD_FRAME || (magic & ZSTD_SKIPPABLE_MASK) == ZSTD_SKIPPABLE;
	return zstd ? PD_CODEC_ZSTD : PD_CODEC_NONE;
}

enum pd_codec_kind pd_codec_by_suffix(const char *path)
{
	const char *suffix = strrchr(path, '.');
	/* a name such as ".gz" has no suffix */
	if (!suffix || suffix == path || suffix[-1] == '/' || strchr(suffix, '/'))
		return PD_CODEC_NONE;
	if (!strcmp(suffix, ".gz"))
		return PD_CODEC_GZIP;
	if (!strcmp(suffix, ".xz"))
		return PD_CODEC_XZ;
	return strcmp(suffix, ".zst") ? PD_CODEC_NONE : PD_CODEC_ZSTD;
}

enum perfdata_status pd_codec_load(enum pd_codec_kind kind, struct pd_codec_reason *ret_reason)
{
	switch (kind) {
	case PD_CODEC_GZIP: return pd_gzip_load(ret_reason);
	case PD_CODEC_ZSTD: return pd_zstd_load(ret_reason);
	case PD_CODEC_XZ: return pd_xz_load(ret_reason);
	case PD_CODEC_NONE: break;
	}
	return PERFDATA_OK;
}

struct pd_decoder *pd_decoder_new(enum pd_codec_kind kind)
{
	if (pd_codec_load(kind, NULL))
		return NULL;
	switch (kind) {
	case PD_CODEC_GZIP: return pd_gzip_decoder_new();
	case PD_CODEC_ZSTD: return pd_zstd_decoder_new();
	case PD_CODEC_XZ: return pd_xz_decoder_new();
	case PD_CODEC_NONE: break;
	}
	return NULL;
}

void pd_decoder_free(struct pd_decoder *decoder)
{
	if (decoder)
		decoder->free(decoder);
}

void pd_decoder_reset(struct pd_decoder *decoder) { decoder->reset(decoder); }

enum perfdata_status pd_decoder_run(struct pd_decoder *decoder, const uint8_t *in, size_t in_size, size_t *in_used,
				    uint8_t *out, size_t out_size, size_t *out_used)
{
	return decoder->run(decoder, &(struct pd_codec_buffers){ in, in_size, in_used, out, out_size, out_used });
}

struct pd_encoder *pd_encoder_new(enum pd_codec_kind kind, int level)
{
	if (pd_codec_load(kind, NULL))
		return NULL;
	switch (kind) {
	case PD_CODEC_GZIP: return pd_gzip_encoder_new(level);
	case PD_CODEC_ZSTD: return pd_zstd_encoder_new(level);
	case PD_CODEC_XZ:
	case PD_CODEC_NONE: break;
	}
	return NULL;
}

void pd_encoder_free(struct pd_encoder *encoder)
{
	if (encoder)
		encoder->free(encoder);
}

void pd_encoder_reset(struct pd_encoder *encoder) { encoder->reset(encoder); }

enum perfdata_status pd_encoder_run(struct pd_encoder *encoder, const uint8_t *in, size_t in_size, size_t *in_used,
				    uint8_t *out, size_t out_size, size_t *out_used, bool finish)
{
	return encoder->run(encoder, &(struct pd_codec_buffers){ in, in_size, in_used, out, out_size, out_used },
			    finish);
}

/* --- a gzip member in pieces --- */

/* RFC 1952, as zlib writes it: no time, the compressor's effort, Unix. */
void pd_gzip_head(uint8_t ret[PD_GZIP_HEAD], int level)
{
	enum { IS_DEFLATE = 8, MOST_EFFORT = 2, LEAST_EFFORT = 4, ON_UNIX = 3 };
	const uint8_t effort = level == 9 ? MOST_EFFORT : level == 1 ? LEAST_EFFORT : 0;
	memcpy(ret, (const uint8_t[PD_GZIP_HEAD]){ 0x1f, 0x8b, IS_DEFLATE, [8] = effort, ON_UNIX }, PD_GZIP_HEAD);
}

void pd_gzip_tail(uint8_t ret[PD_GZIP_TAIL], uint32_t checksum, uint64_t size)
{
	const uint64_t tail = (size & UINT32_MAX) << 32 | checksum;
	for (unsigned i = 0; i < PD_GZIP_TAIL; i++)
		ret[i] = (uint8_t)(tail >> 8 * i);
}
