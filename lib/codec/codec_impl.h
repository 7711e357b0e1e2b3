/* SPDX-License-Identifier: MIT */
/* The functions that each codec defines. A codec is in a file of its own, the only one that uses its library (zlib,
 * libzstd, liblzma); in a build without that library its constructors return NULL. */
#ifndef PD_CODEC_IMPL_H
#define PD_CODEC_IMPL_H

#include "base/library.h"
#include "codec/codec.h"

struct pd_codec_buffers {
	const uint8_t *in;
	size_t in_size;
	size_t *in_used;
	uint8_t *out;
	size_t out_size;
	size_t *out_used;
};

/* A decoder or encoder begins with its table of functions. */
struct pd_decoder {
	void (*free)(struct pd_decoder *decoder);
	void (*reset)(struct pd_decoder *decoder);
	enum perfdata_status (*run)(struct pd_decoder *decoder, const struct pd_codec_buffers *buffers);
};

struct pd_encoder {
	void (*free)(struct pd_encoder *encoder);
	void (*reset)(struct pd_encoder *encoder);
	enum perfdata_status (*run)(struct pd_encoder *encoder, const struct pd_codec_buffers *buffers, bool finish);
};

/* As pd_codec_load. */
enum perfdata_status pd_gzip_load(struct pd_codec_reason *ret_reason);
enum perfdata_status pd_zstd_load(struct pd_codec_reason *ret_reason);
enum perfdata_status pd_xz_load(struct pd_codec_reason *ret_reason);
/* For these functions: the results of a build without the codec, and of a build that loads the libraries at first
 * need (PD_LOADS_CODECS). */
enum perfdata_status pd_codec_is_not_built(const char *name, struct pd_codec_reason *ret_reason);
enum perfdata_status pd_codec_load_library(struct pd_library *library, struct pd_codec_reason *ret_reason);

struct pd_decoder *pd_gzip_decoder_new(void);
struct pd_decoder *pd_zstd_decoder_new(void);
struct pd_decoder *pd_xz_decoder_new(void);
struct pd_encoder *pd_gzip_encoder_new(int level);
struct pd_encoder *pd_zstd_encoder_new(int level);

#endif
