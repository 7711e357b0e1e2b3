/* SPDX-License-Identifier: MIT */
/* COMPRESSED records. All of a file's carriers together hold one zstd stream; records straddle carriers. When the
 * stream is broken, it restarts at a later carrier that begins a frame. */
#include "config.h"
#include "base/error.h"
#include "reader/reader_impl.h"

#define RATIO_SLACK (64ull << 20)   /* small files may grow to this size at any ratio */

bool pd_frame_begins(const uint8_t *bytes, size_t size)
{
	static const uint8_t magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	return size >= sizeof magic && !memcmp(bytes, magic, sizeof magic);
}

enum perfdata_status pd_reader_load_zstd(struct perfdata_reader *reader, uint64_t offset)
{
	struct pd_codec_reason reason;
	const enum perfdata_status status = pd_codec_load(PD_CODEC_ZSTD, &reason);
	if (!status)
		return status;
	return pd_error(&reader->error, status, offset, "records are compressed with zstd, but %s", reason.text);
}

static void note_broken(struct pd_stream *stream, const char *what)
{
	pd_reader_finding(stream->reader, PERFDATA_FINDING_COMPRESSED_FRAME, stream->file, stream->unpack.carrier, "%s",
			  what);
	stream->unpack.broken = true;
	stream->unpack.may_have_more = false;
	stream->unpack.in_used = stream->unpack.in_size;
}

/* The payload of a carrier. */
static struct perfdata_bytes payload_of(struct pd_stream *stream, const struct perfdata_raw *carrier)
{
	if (carrier->type == PERFDATA_RECORD_COMPRESSED)
		return (struct perfdata_bytes){ carrier->bytes + 8, carrier->size - 8 };
	if (carrier->size < 16)
		return (struct perfdata_bytes){ carrier->bytes, 0 };
	const uint64_t stated = pd_load64(carrier->bytes + 8, stream->reader->config.swap);
	const size_t present = carrier->size - 16;
	if (stated <= present && present - stated < 8)
		return (struct perfdata_bytes){ carrier->bytes + 16, (size_t)stated };
	pd_reader_finding(stream->reader, PERFDATA_FINDING_COMPRESSED_FRAME, stream->file, carrier->offset,
			  "a compressed record states %llu bytes of data and has %zu", (unsigned long long)stated,
			  present);
	return (struct perfdata_bytes){ carrier->bytes + 16, present };
}

static enum perfdata_status begin_stream(struct pd_stream *stream, const struct perfdata_raw *carrier)
{
	struct pd_unpack *unpack = &stream->unpack;

	unpack->carrier = carrier->offset;
	if (unpack->finished)
		return PERFDATA_OK;
	if (!unpack->decoder) {
		const enum perfdata_status status = pd_reader_load_zstd(stream->reader, carrier->offset);
		if (status)
			return status;
		unpack->decoder = pd_decoder_new(PD_CODEC_ZSTD);
		if (!unpack->decoder)
			return PERFDATA_ENOMEM;
	}
	const struct perfdata_bytes payload = payload_of(stream, carrier);
	if (unpack->broken) {
		if (!pd_frame_begins(payload.data, payload.size)) {
			note_broken(stream, "this record continues compressed data that could not be unpacked");
			return PERFDATA_OK;
		}
		pd_decoder_reset(unpack->decoder);
		unpack->broken = false;
		/* bytes left over from the broken frame do not begin a record of the next frame */
		pd_window_move(&stream->inner, pd_window_left(&stream->inner));
		stream->inner.skip = 0;
		stream->inner.searching = false;
		stream->inner.after_gap = true;
	}
	unpack->in = payload.data;
	unpack->in_size = payload.size;
	unpack->in_used = 0;
	unpack->compressed += payload.size;
	unpack->decompressed_before = unpack->decompressed;
	unpack->in_chunk = carrier->chunk;
	pd_chunk_hold(unpack->in_chunk);
	unpack->active = true;
	return PERFDATA_OK;
}

/* perf flushes the stream at the end of each record, so that each carrier yields bytes. In recordings of simpleperf a
 * block may cross from one carrier to the next, and the first carrier yields none. */
static bool is_part_of_block(const struct pd_stream *stream)
{
	return pd_reader_is_simpleperf(stream->reader) && !stream->unpack.broken && !stream->unpack.finished;
}

void pd_unpack_end(struct pd_stream *stream)
{
	const struct pd_unpack *unpack = &stream->unpack;

	if (unpack->in_size && !unpack->broken && !unpack->finished && !is_part_of_block(stream) &&
	    unpack->decompressed == unpack->decompressed_before)
		pd_reader_finding(stream->reader, PERFDATA_FINDING_COMPRESSED_FRAME, stream->file, unpack->carrier,
				  "a compressed record unpacks to nothing");
	pd_chunk_drop(stream->unpack.in_chunk);
	stream->unpack.in_chunk = NULL;
	stream->unpack.in = NULL;
	stream->unpack.in_size = stream->unpack.in_used = 0;
	stream->unpack.active = false;
}

void pd_unpack_release(struct pd_stream *stream)
{
	pd_unpack_end(stream);
	pd_decoder_free(stream->unpack.decoder);
	stream->unpack.decoder = NULL;
}

static bool ratio_is_exceeded(const struct pd_stream *stream)
{
	const uint32_t limit = stream->reader->options.max_ratio;
	const struct pd_unpack *unpack = &stream->unpack;
	return limit && unpack->decompressed > RATIO_SLACK &&
	       (unpack->decompressed - RATIO_SLACK) / limit > unpack->compressed;
}

/* Makes sure that the window's chunk has room for decompressed bytes. */
static bool make_room(struct pd_window *window)
{
	struct pd_stream *stream = window->stream;

	if (window->chunk && window->chunk->size < PD_CHUNK_SIZE)
		return true;
	struct pd_chunk *chunk = pd_chunk_get(stream->reader->pool);
	if (!chunk) {
		stream->status = PERFDATA_ENOMEM;
		return false;
	}
	chunk->offset = stream->unpack.decompressed;
	chunk->size = 0;
	pd_window_set_chunk(window, chunk);
	return true;
}

bool pd_unpack_fill(struct pd_window *window)
{
	struct pd_stream *stream = window->stream;
	struct pd_unpack *unpack = &stream->unpack;

	while (unpack->in_used < unpack->in_size || unpack->may_have_more) {
		if (!make_room(window))
			return false;
		struct pd_chunk *chunk = window->chunk;
		const size_t before = chunk->size, used = unpack->in_used;
		const enum perfdata_status status = pd_decoder_run(unpack->decoder, unpack->in, unpack->in_size,
								   &unpack->in_used, chunk->data, PD_CHUNK_SIZE,
								   &chunk->size);
		const size_t grown = chunk->size - before;
		window->end = chunk->data + chunk->size;
		unpack->decompressed += grown;
		unpack->may_have_more = chunk->size == PD_CHUNK_SIZE;
		if (status == PERFDATA_ENOMEM) {
			stream->status = status;
			unpack->in_used = unpack->in_size;
			unpack->may_have_more = false;
		} else if (status < 0 || status == PERFDATA_DAMAGED) {
			note_broken(stream, status == PERFDATA_ELIMIT ? "compressed data needs too large a window" :
					    "compressed data could not be unpacked; going on with the next frame");
		} else if (!grown && unpack->in_used == used) {
			unpack->may_have_more = false;
			if (unpack->in_used < unpack->in_size)
				note_broken(stream,
					    "compressed data could not be unpacked; going on with the next frame");
		}
		if (ratio_is_exceeded(stream)) {
			pd_reader_finding(stream->reader, PERFDATA_FINDING_COMPRESSED_RATIO, stream->file,
					  unpack->carrier,
					  "compressed records grow more than %u times; the rest was not unpacked",
					  stream->reader->options.max_ratio);
			unpack->finished = true;
			unpack->may_have_more = false;
			unpack->in_used = unpack->in_size;
		}
		if (grown)
			return true;
	}
	return false;
}

enum perfdata_status pd_unpack_begin(struct pd_stream *stream, struct perfdata_raw *carrier)
{
	const enum perfdata_status status = begin_stream(stream, carrier);
	/* the flag says that the carrier was not decompressed */
	if (status == PERFDATA_OK && (!stream->unpack.active || !pd_unpack_fill(&stream->inner)))
		carrier->flags |= is_part_of_block(stream) ? 0 : PERFDATA_RAW_NOT_DECOMPRESSED;
	return status;
}
