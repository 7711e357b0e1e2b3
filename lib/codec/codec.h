/* SPDX-License-Identifier: MIT */
/* gzip and zstd, bytes to bytes, both directions; xz, only unpacking. A codec allocates no more than its window, whose
 * size is limited, writes only into the caller's buffer, and reports the positions in input and output. */
#ifndef PD_CODEC_H
#define PD_CODEC_H

#include "perfdata/base.h"

#define PD_CODEC_MAGIC 6

enum pd_codec_kind { PD_CODEC_NONE, PD_CODEC_GZIP, PD_CODEC_ZSTD, PD_CODEC_XZ };

/* The compression that the first bytes of a file show (needs up to PD_CODEC_MAGIC bytes). zstd skippable frames count
 * as zstd. */
enum pd_codec_kind pd_codec_probe(const uint8_t *bytes, size_t size);
/* By the suffix of an output's name: .gz, .zst, .xz, or none. */
enum pd_codec_kind pd_codec_by_suffix(const char *path);
/* Whether this build can decompress `kind`; no kind: true. */
bool pd_codec_available(enum pd_codec_kind kind);
bool pd_codec_can_pack(enum pd_codec_kind kind);

struct pd_decoder;
/* Concatenated gzip members, zstd frames and xz streams are one stream. NULL without memory or support. */
struct pd_decoder *pd_decoder_new(enum pd_codec_kind kind);
/* For one stream in zlib's own frame, as sections of ELF files have it. NULL as above. */
struct pd_decoder *pd_zlib_decoder_new(void);
void pd_decoder_free(struct pd_decoder *decoder);
/* Forget all state and expect the start of a frame. */
void pd_decoder_reset(struct pd_decoder *decoder);
/* Reads from in[*in_used..in_size), writes to out[*out_used..out_size), and moves both positions.
 * PERFDATA_OK: made progress, or needs more input or room. PERFDATA_END: a frame ended exactly at *in_used (calling
 * again with more input starts the next frame). PERFDATA_DAMAGED: the data is broken at about *in_used.
 * PERFDATA_ENOMEM, PERFDATA_ELIMIT (window larger than 128 MiB). */
enum perfdata_status pd_decoder_run(struct pd_decoder *decoder, const uint8_t *in, size_t in_size, size_t *in_used,
				    uint8_t *out, size_t out_size, size_t *out_used);

struct pd_encoder;
/* NULL without memory or support; nothing packs xz. */
struct pd_encoder *pd_encoder_new(enum pd_codec_kind kind, int level /* 0 = default */);
void pd_encoder_free(struct pd_encoder *encoder);
/* Forget all state and start another frame: cheaper than a new encoder. */
void pd_encoder_reset(struct pd_encoder *encoder);
/* Takes all of in[*in_used..) as room allows; with finish, ends the frame: PERFDATA_END when it is all written. */
enum perfdata_status pd_encoder_run(struct pd_encoder *encoder, const uint8_t *in, size_t in_size, size_t *in_used,
				    uint8_t *out, size_t out_size, size_t *out_used, bool finish);

#endif
