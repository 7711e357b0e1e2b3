/* SPDX-License-Identifier: MIT */
/* Data that simpleperf (record -z) compresses in zstd frames outside the stream of records: payloads of traces and the
 * section INIT_MAP. An AUXTRACE record states the compressed size of its payload. The reader decompresses the payload
 * before it returns the record, since callers need the decompressed size. The records of INIT_MAP are carriers. */
#include "config.h"
#include "base/memory.h"
#include "reader/reader_impl.h"
#include "schema/feature.h"

#define STEP (256u << 10)
#define RATIO_SLACK (64ull << 20)   /* small payloads may grow to this size at any ratio */

/* Decompresses all frames. PERFDATA_DAMAGED, PERFDATA_ELIMIT (above `limit`): *ret has the bytes before the failure. */
static enum perfdata_status unpack_frames(struct pd_account *account, struct perfdata_bytes in, uint64_t limit,
					  struct pd_unpacked *ret)
{
	struct pd_decoder *decoder = pd_decoder_new(PD_CODEC_ZSTD);
	enum perfdata_status status = decoder ? PERFDATA_OK : PERFDATA_ENOMEM;
	size_t used = 0;

	*ret = (struct pd_unpacked){ 0 };
	while (status == PERFDATA_OK) {
		const size_t before = ret->size, used_before = used, room_before = ret->room;
		if (before >= limit)
			status = PERFDATA_ELIMIT;
		else if (pd_vector_grow(&ret->bytes, &ret->room, before + STEP - 1, 1) < 0)
			status = PERFDATA_ENOMEM;
		if (status != PERFDATA_OK)
			break;
		pd_account_take(account, PD_USE_BATCHES, ret->room - room_before);
		status = pd_decoder_run(decoder, in.data, in.size, &used, ret->bytes, before + STEP, &ret->size);
		if (status == PERFDATA_END && used < in.size)
			status = PERFDATA_OK;
		else if (status == PERFDATA_OK && ret->size == before && used == used_before)
			status = PERFDATA_DAMAGED;   /* `in` ends inside a frame */
	}
	pd_decoder_free(decoder);
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

static void unpacked_free(struct pd_account *account, struct pd_unpacked *unpacked)
{
	pd_account_give(account, PD_USE_BATCHES, unpacked->room);
	pd_free(unpacked->bytes);
	*unpacked = (struct pd_unpacked){ 0 };
}

static uint64_t limit_of(const struct perfdata_reader *reader, uint64_t compressed)
{
	const uint64_t ratio = reader->options.max_ratio;
	return ratio ? RATIO_SLACK + compressed * ratio : UINT64_MAX;
}

enum perfdata_status pd_trace_unpack(struct pd_window *window, struct perfdata_raw *raw, struct perfdata_bytes in)
{
	struct pd_stream *stream = window->stream;
	struct perfdata_reader *reader = stream->reader;
	struct pd_unpacked unpacked;
	enum perfdata_status status = pd_reader_load_zstd(reader, raw->offset);

	if (status)
		return status;
	status = unpack_frames(pd_reader_account(reader), in, limit_of(reader, in.size), &unpacked);
	if (status == PERFDATA_ENOMEM) {
		unpacked_free(pd_reader_account(reader), &unpacked);
		return status;
	}
	if (status != PERFDATA_OK)
		pd_reader_finding(reader, status == PERFDATA_ELIMIT ? PERFDATA_FINDING_COMPRESSED_RATIO
				  : PERFDATA_FINDING_COMPRESSED_FRAME, raw->file, raw->offset,
				  "the compressed payload of this record unpacks to %zu bytes only", unpacked.size);
	struct pd_chunk *chunk = pd_chunk_wrap(reader->pool, unpacked.bytes, unpacked.size);
	if (!chunk) {
		unpacked_free(pd_reader_account(reader), &unpacked);
		return PERFDATA_ENOMEM;
	}
	raw->payload = unpacked.size;
	raw->flags |= PERFDATA_RAW_UNPACKED;
	window->payload.active = true;
	window->payload.left = unpacked.size;
	window->payload.overlap = 0;
	window->payload.unpacked = chunk;
	window->payload.unpacked_at = 0;
	window->payload.offset = raw->offset + raw->size;
	window->payload.charged = unpacked.room;
	return PERFDATA_OK;
}

void pd_trace_unpacked_release(struct pd_window *window)
{
	if (!window->payload.unpacked)
		return;
	pd_account_give(pd_reader_account(window->stream->reader), PD_USE_BATCHES, window->payload.charged);
	pd_chunk_drop(window->payload.unpacked);
	window->payload.unpacked = NULL;
}

/* Returns the next piece of an unpacked payload. */
void pd_trace_unpacked_piece(struct pd_window *window, size_t fresh, struct perfdata_raw *ret)
{
	struct pd_chunk *chunk = window->payload.unpacked;
	const unsigned before = window->payload.overlap;

	*ret = pd_window_begin_piece(window, fresh);
	ret->bytes = chunk->data + window->payload.unpacked_at - before;
	ret->offset = window->payload.offset;
	ret->inner = window->payload.unpacked_at - before;
	ret->chunk = chunk;
	window->payload.unpacked_at += fresh;
	if (window->payload.active)
		return;
	/* the reader's hold keeps the bytes of the returned piece */
	pd_reader_hold(window->stream->reader, chunk);
	pd_trace_unpacked_release(window);
}

/* Joins the payloads of the carriers. */
static enum perfdata_status join_carriers(struct perfdata_bytes section, bool swap, struct pd_unpacked *ret)
{
	struct pd_cursor c = pd_cursor(section.data, section.size, swap);

	*ret = (struct pd_unpacked){ 0 };
	while (pd_left(&c) >= 8) {
		const struct pd_record_header header = pd_record_header(c.at, swap);
		const uint8_t *bytes = header.size >= 8 ? pd_take(&c, header.size) : NULL;
		const size_t size = bytes ? header.size - 8u : 0;
		if (!bytes)
			break;
		if (header.type != PERFDATA_RECORD_COMPRESSED || !size)
			continue;
		if (pd_vector_grow(&ret->bytes, &ret->room, ret->size + size - 1, 1) < 0)
			return PERFDATA_ENOMEM;
		memcpy(ret->bytes + ret->size, bytes + 8, size);
		ret->size += size;
	}
	return PERFDATA_OK;
}

enum perfdata_status pd_reader_init_map(struct perfdata_reader *reader, struct pd_unpacked *ret)
{
	const struct perfdata_feature *feature = reader->sections[PERFDATA_FEATURE_INIT_MAP].feature;
	const struct perfdata_bytes section = feature ? pd_feature_bytes(feature) : (struct perfdata_bytes){ NULL, 0 };
	struct pd_unpacked joined;

	*ret = (struct pd_unpacked){ 0 };
	if (section.size < 8)
		return PERFDATA_OK;
	if (pd_record_header(section.data, reader->config.swap).type != PERFDATA_RECORD_COMPRESSED) {
		ret->bytes = pd_malloc(section.size);
		if (!ret->bytes)
			return PERFDATA_ENOMEM;
		memcpy(ret->bytes, section.data, section.size);
		ret->size = ret->room = section.size;
		pd_account_take(pd_reader_account(reader), PD_USE_BATCHES, ret->room);
		return PERFDATA_OK;
	}
	enum perfdata_status status =
		pd_reader_load_zstd(reader, reader->sections[PERFDATA_FEATURE_INIT_MAP].public.offset);
	if (status)
		return status;
	status = join_carriers(section, reader->config.swap, &joined);
	if (status == PERFDATA_OK)
		status = unpack_frames(pd_reader_account(reader),
				       (struct perfdata_bytes){ joined.bytes, joined.size },
				       limit_of(reader, joined.size), ret);
	pd_free(joined.bytes);
	if (status == PERFDATA_ENOMEM)
		return status;
	if (status != PERFDATA_OK)
		pd_reader_finding(reader, PERFDATA_FINDING_FEATURE_DAMAGED, 0,
				  reader->sections[PERFDATA_FEATURE_INIT_MAP].public.offset,
				  "the records of feature section INIT_MAP unpack to %zu bytes only", ret->size);
	return PERFDATA_OK;
}

void pd_reader_unpacked_free(struct perfdata_reader *reader, struct pd_unpacked *unpacked)
{
	unpacked_free(pd_reader_account(reader), unpacked);
}
