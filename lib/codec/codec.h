/* SPDX-License-Identifier: MIT */
/* Compresses and decompresses gzip and zstd; decompresses xz. A codec allocates only its window, whose size is limited,
 * writes only into the caller's buffer, and updates the positions in input and output. */
#ifndef PD_CODEC_H
#define PD_CODEC_H

#include "perfdata/base.h"

#define PD_CODEC_MAGIC 6

enum pd_codec_kind { PD_CODEC_NONE, PD_CODEC_GZIP, PD_CODEC_ZSTD, PD_CODEC_XZ };

/* Detects the compression from the first bytes of a file, at most PD_CODEC_MAGIC. zstd skippable frames count as
 * zstd. */
enum pd_codec_kind pd_codec_probe(const uint8_t *bytes, size_t size);
/* Returns the compression that an output's suffix (.gz, .zst, .xz) names, or none. */
enum pd_codec_kind pd_codec_by_suffix(const char *path);

/* Why a codec cannot be used: the end of a sentence, such as "this build has no zstd". */
struct pd_codec_reason {
	char text[160];
};

/* Loads the library of a codec, unless it is loaded or linked; a decoder and an encoder do so, too, but give no reason.
 * PERFDATA_OK: the codec decompresses, and compresses unless it is xz. PERFDATA_EUNSUP: this build lacks the codec, or
 * its library is not installed. Other statuses: the library could not be loaded, for example without descriptors.
 * ret_reason: filled in on failure; may be NULL. */
enum perfdata_status pd_codec_load(enum pd_codec_kind kind, struct pd_codec_reason *ret_reason);

struct pd_decoder;
/* Makes a decoder. It decodes concatenated gzip members, zstd frames and xz streams as one stream. NULL: no memory, or
 * pd_codec_load fails. */
struct pd_decoder *pd_decoder_new(enum pd_codec_kind kind);
/* Makes a decoder for one stream in zlib format, as ELF sections contain. NULL as pd_decoder_new. */
struct pd_decoder *pd_zlib_decoder_new(void);
void pd_decoder_free(struct pd_decoder *decoder);
/* Resets the decoder to the start of a frame. */
void pd_decoder_reset(struct pd_decoder *decoder);
/* Reads from in[*in_used..in_size), writes to out[*out_used..out_size), and moves both positions. PERFDATA_OK: made
 * progress, or needs more input or room. PERFDATA_END: a frame ended at *in_used (another call with more input starts
 * the next frame). PERFDATA_DAMAGED: the data is damaged near *in_used. PERFDATA_ENOMEM. PERFDATA_ELIMIT: the window is
 * larger than 128 MiB. */
enum perfdata_status pd_decoder_run(struct pd_decoder *decoder, const uint8_t *in, size_t in_size, size_t *in_used,
				    uint8_t *out, size_t out_size, size_t *out_used);

struct pd_encoder;
/* Makes an encoder. NULL: no memory, pd_codec_load fails, or xz, which is not compressed. */
struct pd_encoder *pd_encoder_new(enum pd_codec_kind kind, int level /* 0 = default */);
void pd_encoder_free(struct pd_encoder *encoder);
/* Resets the encoder to start another frame, which costs less than a new encoder. */
void pd_encoder_reset(struct pd_encoder *encoder);
/* Encodes in[*in_used..) while there is room. finish: ends the frame, and returns PERFDATA_END when all is written. */
enum perfdata_status pd_encoder_run(struct pd_encoder *encoder, const uint8_t *in, size_t in_size, size_t *in_used,
				    uint8_t *out, size_t out_size, size_t *out_used, bool finish);

/* --- a gzip member in pieces --- */

/* A gzip member can be compressed in pieces, each without those before it, so that several threads share the work. The
 * member is pd_gzip_head, all pieces in their order, and pd_gzip_tail. */
#define PD_GZIP_PIECE_REACH ((size_t)32 << 10)
#define PD_GZIP_HEAD 10
#define PD_GZIP_TAIL 8
/* Makes an encoder for pieces. NULL as pd_encoder_new. */
struct pd_encoder *pd_gzip_piece_encoder_new(int level /* 0 = default */);
/* Begins a piece. One call of pd_encoder_run, with `finish` and room for PD_GZIP_PIECE_ROOM bytes, then compresses the
 * whole piece and returns PERFDATA_END. before: the bytes before the piece, to which it may refer; the last
 * PD_GZIP_PIECE_REACH suffice. is_last: no other piece follows. */
#define PD_GZIP_PIECE_ROOM(size) ((size) + (size) / 8 + 1024)
void pd_gzip_piece_begin(struct pd_encoder *encoder, const uint8_t *before, size_t size, bool is_last);
/* Continues the checksum of the uncompressed bytes; begin with 0. */
uint32_t pd_gzip_checksum(uint32_t checksum, const void *bytes, size_t size);
void pd_gzip_head(uint8_t ret[PD_GZIP_HEAD], int level);
/* checksum, size: of all uncompressed bytes. */
void pd_gzip_tail(uint8_t ret[PD_GZIP_TAIL], uint32_t checksum, uint64_t size);

#endif
