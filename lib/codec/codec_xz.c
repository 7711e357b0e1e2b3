/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "codec/codec_impl.h"

#ifdef HAVE_LZMA
#include <lzma.h>
#include "base/memory.h"

#define FUNCTIONS(FUNCTION) \
	FUNCTION(lzma_code) FUNCTION(lzma_end) FUNCTION(lzma_stream_decoder)

struct table {
	FUNCTIONS(PD_LIBRARY_MEMBER)
};

#ifdef PD_LOADS_CODECS
static struct table liblzma;

PD_LIBRARY_FINDER(find_functions, FUNCTIONS, liblzma)

PD_NOTE_LIBRARY(lzma, "xz", "Recordings, kernel modules and symbol tables that xz compressed", "recommended",
		"[\"liblzma.so.5\"]");

static struct pd_library xz_library = { .name = "liblzma.so.5", .find_functions = find_functions };

enum perfdata_status pd_xz_load(struct pd_codec_reason *ret_reason)
{
	return pd_codec_load_library(&xz_library, ret_reason);
}
#else
static const struct table liblzma = { FUNCTIONS(PD_LIBRARY_LINKED) };

enum perfdata_status pd_xz_load(struct pd_codec_reason *ret_reason)
{
	(void)ret_reason;
	return PERFDATA_OK;
}
#endif

/* a dictionary of 128 MiB, and the decoder's other memory */
#define MEMORY_LIMIT ((UINT64_C(128) << 20) + (UINT64_C(1) << 20))

struct xz_decoder {
	struct pd_decoder base;
	lzma_allocator allocator;
	lzma_stream stream;
	lzma_ret state;  /* result of the last call; LZMA_STREAM_END: padding or another stream follows */
};

static void *allocate_for_lzma(void *opaque, size_t count, size_t size)
{
	(void)opaque;
	return pd_calloc(count, size);
}

static void free_memory(void *opaque, void *memory)
{
	(void)opaque;
	pd_free(memory);
}

static void xz_decoder_free(struct pd_decoder *decoder)
{
	struct xz_decoder *xz = (struct xz_decoder *)decoder;
	liblzma.lzma_end(&xz->stream);
	pd_free(xz);
}

/* liblzma reuses its memory for the next stream. */
static void xz_decoder_reset(struct pd_decoder *decoder)
{
	struct xz_decoder *xz = (struct xz_decoder *)decoder;
	xz->state = liblzma.lzma_stream_decoder(&xz->stream, MEMORY_LIMIT, 0);
}

static enum perfdata_status status_of(lzma_ret state)
{
	switch (state) {
	case LZMA_OK:
	case LZMA_BUF_ERROR:  /* liblzma needs input or room */
		return PERFDATA_OK;
	case LZMA_STREAM_END: return PERFDATA_END;
	case LZMA_MEM_ERROR: return PERFDATA_ENOMEM;
	case LZMA_MEMLIMIT_ERROR: return PERFDATA_ELIMIT;
	default: return PERFDATA_DAMAGED;
	}
}

static enum perfdata_status xz_decoder_run(struct pd_decoder *decoder, const struct pd_codec_buffers *b)
{
	struct xz_decoder *xz = (struct xz_decoder *)decoder;
	if (xz->state == LZMA_STREAM_END) {
		/* zeros may follow a stream */
		while (*b->in_used < b->in_size && !b->in[*b->in_used])
			++*b->in_used;
		if (*b->in_used == b->in_size)
			return PERFDATA_END;
		xz_decoder_reset(decoder);
	}
	if (xz->state != LZMA_OK && xz->state != LZMA_BUF_ERROR)
		return status_of(xz->state);
	xz->stream.next_in = b->in ? b->in + *b->in_used : NULL;
	xz->stream.avail_in = b->in_size - *b->in_used;
	xz->stream.next_out = b->out + *b->out_used;
	xz->stream.avail_out = b->out_size - *b->out_used;
	xz->state = liblzma.lzma_code(&xz->stream, LZMA_RUN);
	*b->in_used = b->in_size - xz->stream.avail_in;
	*b->out_used = b->out_size - xz->stream.avail_out;
	return status_of(xz->state);
}

struct pd_decoder *pd_xz_decoder_new(void)
{
	struct xz_decoder *xz = pd_calloc(1, sizeof *xz);
	if (!xz)
		return NULL;
	xz->base = (struct pd_decoder){ xz_decoder_free, xz_decoder_reset, xz_decoder_run };
	xz->allocator = (lzma_allocator){ .alloc = allocate_for_lzma, .free = free_memory };
	xz->stream = (lzma_stream)LZMA_STREAM_INIT;
	xz->stream.allocator = &xz->allocator;
	xz_decoder_reset(&xz->base);
	if (xz->state != LZMA_OK) {
		xz_decoder_free(&xz->base);
		return NULL;
	}
	return &xz->base;
}

#else

enum perfdata_status pd_xz_load(struct pd_codec_reason *ret_reason)
{
	return pd_codec_is_not_built("liblzma", ret_reason);
}

struct pd_decoder *pd_xz_decoder_new(void) { return NULL; }

#endif
