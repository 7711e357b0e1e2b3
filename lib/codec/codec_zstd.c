/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "codec/codec_impl.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#include "base/memory.h"

#define FUNCTIONS(FUNCTION) \
	FUNCTION(ZSTD_CCtx_reset) FUNCTION(ZSTD_CCtx_setParameter) FUNCTION(ZSTD_DCtx_reset) \
	FUNCTION(ZSTD_DCtx_setParameter) FUNCTION(ZSTD_cParam_getBounds) FUNCTION(ZSTD_compressStream2) \
	FUNCTION(ZSTD_createCCtx) FUNCTION(ZSTD_createDCtx) FUNCTION(ZSTD_decompressStream) \
	FUNCTION(ZSTD_freeCCtx) FUNCTION(ZSTD_freeDCtx) FUNCTION(ZSTD_getErrorCode) FUNCTION(ZSTD_isError)

struct table {
	FUNCTIONS(PD_LIBRARY_MEMBER)
};

#ifdef PD_LOADS_CODECS
static struct table libzstd;

PD_LIBRARY_FINDER(find_functions, FUNCTIONS, libzstd)

PD_NOTE_LIBRARY(zstd, "zstd", "Compressed recordings (perf record -z) and outputs", "recommended",
		"[\"libzstd.so.1\"]");

static struct pd_library zstd_library = { .name = "libzstd.so.1", .find_functions = find_functions };

enum perfdata_status pd_zstd_load(struct pd_codec_reason *ret_reason)
{
	return pd_codec_load_library(&zstd_library, ret_reason);
}
#else
static const struct table libzstd = { FUNCTIONS(PD_LIBRARY_LINKED) };

enum perfdata_status pd_zstd_load(struct pd_codec_reason *ret_reason)
{
	(void)ret_reason;
	return PERFDATA_OK;
}
#endif

#define LARGEST_WINDOW_LOG 27  /* 128 MiB */

/* --- decoder --- */

struct zstd_decoder {
	struct pd_decoder base;
	ZSTD_DCtx *context;
	bool between;  /* the next byte starts a frame */
	size_t wanted; /* bytes that complete the next header or block */
};

/* Bytes that libzstd needs to find the length of a frame's header. */
#define FRAME_START 5

static void zstd_decoder_free(struct pd_decoder *decoder)
{
	struct zstd_decoder *zstd = (struct zstd_decoder *)decoder;
	libzstd.ZSTD_freeDCtx(zstd->context);
	pd_free(zstd);
}

static void zstd_decoder_reset(struct pd_decoder *decoder)
{
	struct zstd_decoder *zstd = (struct zstd_decoder *)decoder;
	libzstd.ZSTD_DCtx_reset(zstd->context, ZSTD_reset_session_only);
	zstd->between = true;
	zstd->wanted = FRAME_START;
}

static enum perfdata_status status_of(size_t result)
{
	switch (libzstd.ZSTD_getErrorCode(result)) {
	case ZSTD_error_memory_allocation: return PERFDATA_ENOMEM;
	case ZSTD_error_frameParameter_windowTooLarge: return PERFDATA_ELIMIT;
	default: return PERFDATA_DAMAGED;
	}
}

/* Decodes at most one block. A failed call reports no progress, and must not lose the contents of earlier blocks. (For
 * frames of early versions, a failed call of libzstd claims that it filled the output, which is unchanged.) */
static size_t decode_block(struct zstd_decoder *zstd, const struct pd_codec_buffers *b)
{
	size_t left = b->in_size - *b->in_used, part = left < zstd->wanted ? left : zstd->wanted;
	ZSTD_inBuffer in = { b->in, *b->in_used + part, *b->in_used };
	ZSTD_outBuffer out = { b->out, b->out_size, *b->out_used };
	size_t wanted = libzstd.ZSTD_decompressStream(zstd->context, &out, &in);
	if (libzstd.ZSTD_isError(wanted))
		return wanted;
	*b->in_used = in.pos;
	*b->out_used = out.pos;
	zstd->between = wanted == 0;
	zstd->wanted = wanted ? wanted : FRAME_START;
	return wanted;
}

static enum perfdata_status zstd_decoder_run(struct pd_decoder *decoder, const struct pd_codec_buffers *b)
{
	struct zstd_decoder *zstd = (struct zstd_decoder *)decoder;
	for (;;) {
		/* without input between two frames, libzstd would return the size of its next read instead of the
		 * end */
		if (zstd->between && *b->in_used == b->in_size)
			return PERFDATA_END;
		if (*b->in_used == b->in_size && *b->out_used == b->out_size)
			return PERFDATA_OK;
		size_t before_in = *b->in_used, before_out = *b->out_used;
		size_t result = decode_block(zstd, b);
		if (libzstd.ZSTD_isError(result))
			return status_of(result);
		if (zstd->between)
			return PERFDATA_END;
		if (*b->in_used == before_in && *b->out_used == before_out)
			return PERFDATA_OK;
	}
}

struct pd_decoder *pd_zstd_decoder_new(void)
{
	struct zstd_decoder *zstd = pd_calloc(1, sizeof *zstd);
	if (!zstd)
		return NULL;
	zstd->base = (struct pd_decoder){ zstd_decoder_free, zstd_decoder_reset, zstd_decoder_run };
	zstd->between = true;
	zstd->wanted = FRAME_START;
	zstd->context = libzstd.ZSTD_createDCtx();
	if (!zstd->context || libzstd.ZSTD_isError(libzstd.ZSTD_DCtx_setParameter(zstd->context, ZSTD_d_windowLogMax,
									       LARGEST_WINDOW_LOG))) {
		zstd_decoder_free(&zstd->base);
		return NULL;
	}
	return &zstd->base;
}

/* --- encoder --- */

struct zstd_encoder {
	struct pd_encoder base;
	ZSTD_CCtx *context;
	bool finished;
};

static void zstd_encoder_free(struct pd_encoder *encoder)
{
	struct zstd_encoder *zstd = (struct zstd_encoder *)encoder;
	libzstd.ZSTD_freeCCtx(zstd->context);
	pd_free(zstd);
}

static void zstd_encoder_reset(struct pd_encoder *encoder)
{
	struct zstd_encoder *zstd = (struct zstd_encoder *)encoder;
	libzstd.ZSTD_CCtx_reset(zstd->context, ZSTD_reset_session_only);
	zstd->finished = false;
}

static enum perfdata_status zstd_encoder_run(struct pd_encoder *encoder, const struct pd_codec_buffers *b, bool finish)
{
	struct zstd_encoder *zstd = (struct zstd_encoder *)encoder;
	if (zstd->finished)
		return PERFDATA_END;
	ZSTD_inBuffer in = { b->in, b->in_size, *b->in_used };
	ZSTD_outBuffer out = { b->out, b->out_size, *b->out_used };
	size_t left = libzstd.ZSTD_compressStream2(zstd->context, &out, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
	*b->in_used = in.pos;
	*b->out_used = out.pos;
	if (libzstd.ZSTD_isError(left))
		return PERFDATA_ENOMEM;
	zstd->finished = finish && left == 0;
	return zstd->finished ? PERFDATA_END : PERFDATA_OK;
}

static bool configure_context(ZSTD_CCtx *context, int level)
{
	ZSTD_bounds bounds = libzstd.ZSTD_cParam_getBounds(ZSTD_c_compressionLevel);
	if (!level)
		level = ZSTD_CLEVEL_DEFAULT;
	if (level > bounds.upperBound)
		level = bounds.upperBound;
	if (level < bounds.lowerBound)
		level = bounds.lowerBound;
	return !libzstd.ZSTD_isError(libzstd.ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) &&
	       !libzstd.ZSTD_isError(libzstd.ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
}

struct pd_encoder *pd_zstd_encoder_new(int level)
{
	struct zstd_encoder *zstd = pd_calloc(1, sizeof *zstd);
	if (!zstd)
		return NULL;
	zstd->base = (struct pd_encoder){ zstd_encoder_free, zstd_encoder_reset, zstd_encoder_run };
	zstd->context = libzstd.ZSTD_createCCtx();
	if (!zstd->context || !configure_context(zstd->context, level)) {
		zstd_encoder_free(&zstd->base);
		return NULL;
	}
	return &zstd->base;
}

#else

enum perfdata_status pd_zstd_load(struct pd_codec_reason *ret_reason)
{
	return pd_codec_is_not_built("zstd", ret_reason);
}

struct pd_decoder *pd_zstd_decoder_new(void) { return NULL; }

struct pd_encoder *pd_zstd_encoder_new(int level)
{
	(void)level;
	return NULL;
}

#endif
