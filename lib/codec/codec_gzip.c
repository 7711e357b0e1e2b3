/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "codec/codec_impl.h"

#ifdef HAVE_ZLIB
#include <limits.h>
#include <zlib.h>
#include "base/memory.h"

/* inflateInit2 and deflateInit2 are macros that call the functions with an underscore. */
#define FUNCTIONS(FUNCTION) \
	FUNCTION(crc32) FUNCTION(deflate) FUNCTION(deflateEnd) FUNCTION(deflateInit2_) FUNCTION(deflateReset) \
	FUNCTION(deflateSetDictionary) FUNCTION(inflate) FUNCTION(inflateEnd) FUNCTION(inflateInit2_) \
	FUNCTION(inflateReset)

struct table {
	FUNCTIONS(PD_LIBRARY_MEMBER)
};

#ifdef PD_LOADS_CODECS
static struct table libz;

PD_LIBRARY_FINDER(find_functions, FUNCTIONS, libz)

PD_NOTE_LIBRARY(zlib, "gzip", "Compressed outputs and recordings, pages of flame graphs, symbol tables", "recommended",
		"[\"libz.so.1\"]");

static struct pd_library gzip_library = { .name = "libz.so.1", .find_functions = find_functions };

enum perfdata_status pd_gzip_load(struct pd_codec_reason *ret_reason)
{
	return pd_codec_load_library(&gzip_library, ret_reason);
}
#else
static const struct table libz = { FUNCTIONS(PD_LIBRARY_LINKED) };

enum perfdata_status pd_gzip_load(struct pd_codec_reason *ret_reason)
{
	(void)ret_reason;
	return PERFDATA_OK;
}
#endif

/* zlib's windowBits: the largest window, plus 16 for gzip, negative for data without head and tail */
#define GZIP_ONLY (15 + 16)
#define ZLIB_ONLY 15
#define DEFLATE_ONLY -15

static voidpf allocate_for_zlib(voidpf opaque, uInt count, uInt size)
{
	(void)opaque;
	return pd_calloc(count, size);
}

static void free_memory(voidpf opaque, voidpf memory)
{
	(void)opaque;
	pd_free(memory);
}

/* zlib's sizes are unsigned int: passes larger buffers in parts, and the caller calls again. */
static uInt offered_size(size_t size) { return size > UINT_MAX ? UINT_MAX : (uInt)size; }

/* Calls inflate or deflate once on the caller's buffers. */
static int step_stream(z_stream *stream, const struct pd_codec_buffers *b, int (*work)(z_stream *stream, int flush),
		       int flush)
{
	uInt in = offered_size(b->in_size - *b->in_used), out = offered_size(b->out_size - *b->out_used);
	stream->next_in = (z_const Bytef *)(uintptr_t)(b->in ? b->in + *b->in_used : NULL);
	stream->avail_in = in;
	stream->next_out = b->out + *b->out_used;
	stream->avail_out = out;
	int result = work(stream, flush);
	*b->in_used += in - stream->avail_in;
	*b->out_used += out - stream->avail_out;
	return result;
}


/* --- decoder --- */

struct gzip_decoder {
	struct pd_decoder base;
	z_stream stream;
	bool between;  /* a member has ended; another member may follow */
};

static void gzip_decoder_free(struct pd_decoder *decoder)
{
	struct gzip_decoder *gzip = (struct gzip_decoder *)decoder;
	libz.inflateEnd(&gzip->stream);
	pd_free(gzip);
}

static void gzip_decoder_reset(struct pd_decoder *decoder)
{
	struct gzip_decoder *gzip = (struct gzip_decoder *)decoder;
	libz.inflateReset(&gzip->stream);
	gzip->between = false;
}

static enum perfdata_status gzip_decoder_run(struct pd_decoder *decoder, const struct pd_codec_buffers *b)
{
	struct gzip_decoder *gzip = (struct gzip_decoder *)decoder;
	if (gzip->between && *b->in_used < b->in_size)
		gzip_decoder_reset(decoder);
	if (gzip->between)
		return PERFDATA_END;
	switch (step_stream(&gzip->stream, b, libz.inflate, Z_NO_FLUSH)) {
	case Z_STREAM_END:
		gzip->between = true;
		return PERFDATA_END;
	case Z_OK:
	case Z_BUF_ERROR:  /* zlib needs input or room */
		return PERFDATA_OK;
	case Z_MEM_ERROR:
		return PERFDATA_ENOMEM;
	default:
		return PERFDATA_DAMAGED;
	}
}

static struct pd_decoder *decoder_new(int window_bits)
{
	struct gzip_decoder *gzip = pd_calloc(1, sizeof *gzip);
	if (!gzip)
		return NULL;
	gzip->base = (struct pd_decoder){ gzip_decoder_free, gzip_decoder_reset, gzip_decoder_run };
	gzip->stream.zalloc = allocate_for_zlib;
	gzip->stream.zfree = free_memory;
	if (libz.inflateInit2_(&gzip->stream, window_bits, ZLIB_VERSION, (int)sizeof(z_stream)) != Z_OK) {
		pd_free(gzip);
		return NULL;
	}
	return &gzip->base;
}

struct pd_decoder *pd_gzip_decoder_new(void) { return decoder_new(GZIP_ONLY); }
struct pd_decoder *pd_zlib_decoder_new(void) { return pd_gzip_load(NULL) ? NULL : decoder_new(ZLIB_ONLY); }

/* --- encoder --- */

struct gzip_encoder {
	struct pd_encoder base;
	z_stream stream;
	int ending;    /* how the bytes of a run that finishes end: Z_FINISH, or Z_SYNC_FLUSH before another piece */
	bool finished;
};

static void gzip_encoder_free(struct pd_encoder *encoder)
{
	struct gzip_encoder *gzip = (struct gzip_encoder *)encoder;
	libz.deflateEnd(&gzip->stream);
	pd_free(gzip);
}

static void gzip_encoder_reset(struct pd_encoder *encoder)
{
	struct gzip_encoder *gzip = (struct gzip_encoder *)encoder;
	libz.deflateReset(&gzip->stream);
	gzip->finished = false;
}

static enum perfdata_status gzip_encoder_run(struct pd_encoder *encoder, const struct pd_codec_buffers *b, bool finish)
{
	struct gzip_encoder *gzip = (struct gzip_encoder *)encoder;
	if (gzip->finished)
		return PERFDATA_END;
	bool all_offered = b->in_size - *b->in_used <= UINT_MAX;
	const int result = step_stream(&gzip->stream, b, libz.deflate,
				       finish && all_offered ? gzip->ending : Z_NO_FLUSH);
	if (result != Z_OK && result != Z_BUF_ERROR && result != Z_STREAM_END)
		return PERFDATA_ENOMEM;
	/* zlib has flushed all if it leaves room */
	const bool flushed = finish && gzip->ending == Z_SYNC_FLUSH && !gzip->stream.avail_in && gzip->stream.avail_out;
	gzip->finished = result == Z_STREAM_END || flushed;
	return gzip->finished ? PERFDATA_END : PERFDATA_OK;
}

static struct pd_encoder *encoder_new(int level, int window_bits)
{
	struct gzip_encoder *gzip = pd_calloc(1, sizeof *gzip);
	if (!gzip)
		return NULL;
	gzip->base = (struct pd_encoder){ gzip_encoder_free, gzip_encoder_reset, gzip_encoder_run };
	gzip->stream.zalloc = allocate_for_zlib;
	gzip->stream.zfree = free_memory;
	gzip->ending = Z_FINISH;
	if (level < 0 || level > Z_BEST_COMPRESSION)
		level = Z_BEST_COMPRESSION;
	if (libz.deflateInit2_(&gzip->stream, level ? level : Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8,
			       Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int)sizeof(z_stream)) != Z_OK) {
		pd_free(gzip);
		return NULL;
	}
	return &gzip->base;
}

struct pd_encoder *pd_gzip_encoder_new(int level) { return encoder_new(level, GZIP_ONLY); }

/* --- a gzip member in pieces --- */

struct pd_encoder *pd_gzip_piece_encoder_new(int level)
{
	return pd_gzip_load(NULL) ? NULL : encoder_new(level, DEFLATE_ONLY);
}

void pd_gzip_piece_begin(struct pd_encoder *encoder, const uint8_t *before, size_t size, bool is_last)
{
	struct gzip_encoder *gzip = (struct gzip_encoder *)encoder;
	const size_t reached = size < PD_GZIP_PIECE_REACH ? size : PD_GZIP_PIECE_REACH;
	gzip_encoder_reset(encoder);
	if (reached)
		libz.deflateSetDictionary(&gzip->stream, before + size - reached, (uInt)reached);
	gzip->ending = is_last ? Z_FINISH : Z_SYNC_FLUSH;
}

uint32_t pd_gzip_checksum(uint32_t checksum, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	for (size_t left = size; left; at += offered_size(left), left -= offered_size(left))
		checksum = (uint32_t)libz.crc32(checksum, at, offered_size(left));
	return checksum;
}

#else

enum perfdata_status pd_gzip_load(struct pd_codec_reason *ret_reason)
{
	return pd_codec_is_not_built("zlib", ret_reason);
}

struct pd_decoder *pd_gzip_decoder_new(void) { return NULL; }
struct pd_decoder *pd_zlib_decoder_new(void) { return NULL; }

struct pd_encoder *pd_gzip_encoder_new(int level)
{
	(void)level;
	return NULL;
}

struct pd_encoder *pd_gzip_piece_encoder_new(int level) { return pd_gzip_encoder_new(level); }

/* Not called, since there is no encoder. */
void pd_gzip_piece_begin(struct pd_encoder *encoder, const uint8_t *before, size_t size, bool is_last)
{
	(void)encoder, (void)before, (void)size, (void)is_last;
}

uint32_t pd_gzip_checksum(uint32_t checksum, const void *bytes, size_t size)
{
	(void)bytes, (void)size;
	return checksum;
}

#endif
