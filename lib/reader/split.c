/* SPDX-License-Identifier: MIT */
/* Records of simpleperf that have more than 65535 bytes: the file holds their bytes in SPLIT records side by side, up
 * to SPLIT_END. The joined record has a header of its own, which states its size in 32 bits, and comes after
 * SPLIT_END. Carriers of compressed data may be between the parts. */
#include "config.h"
#include "base/memory.h"
#include "reader/reader_impl.h"

/* Sets how many collected bytes the account counts. */
static void account_for(struct pd_stream *stream, size_t bytes)
{
	struct pd_account *account = pd_reader_account(stream->reader);
	struct pd_split *split = &stream->split;

	if (bytes > split->charged)
		pd_account_take(account, PD_USE_BATCHES, bytes - split->charged);
	else
		pd_account_give(account, PD_USE_BATCHES, split->charged - bytes);
	split->charged = bytes;
}

static void forget_pieces(struct pd_stream *stream)
{
	struct pd_split *split = &stream->split;

	pd_free(split->bytes);
	split->bytes = NULL;
	split->size = split->room = 0;
	split->is_open = false;
}

/* Drops the joined record; the reader still returns the parts. */
static void give_up(struct pd_stream *stream, const struct perfdata_raw *raw, const char *what)
{
	if (!stream->split.is_broken)
		pd_reader_finding(stream->reader, PERFDATA_FINDING_SPLIT, stream->file,
				  raw ? raw->offset : stream->split.offset, "%s", what);
	forget_pieces(stream);
}

static enum perfdata_status take_part(struct pd_stream *stream, const struct perfdata_raw *raw)
{
	struct pd_split *split = &stream->split;
	const size_t size = raw->size - 8;

	if (!split->is_open) {
		split->offset = raw->offset;
		split->inner = raw->inner;
		split->is_open = true;
		account_for(stream, 0);
	}
	if (split->is_broken)
		return PERFDATA_OK;
	if (raw->flags & PERFDATA_RAW_AFTER_GAP && split->size) {
		give_up(stream, raw, "bytes are missing between the parts of a split record");
		split->is_open = split->is_broken = true;
		return PERFDATA_OK;
	}
	if (split->size + size > PD_MAX_JOINED) {
		give_up(stream, raw, "the parts of a split record are larger than any record that is joined");
		split->is_open = split->is_broken = true;
		return PERFDATA_OK;
	}
	if (size && pd_vector_grow(&split->bytes, &split->room, split->size + size - 1, 1) < 0)
		return PERFDATA_ENOMEM;
	if (size)
		memcpy(split->bytes + split->size, raw->bytes + 8, size);
	split->size += size;
	account_for(stream, split->room);
	return PERFDATA_OK;
}

/* Whether the joined bytes are a record whose header states their size. */
static bool is_record(const struct pd_stream *stream)
{
	const bool swap = stream->reader->config.swap;
	const struct pd_split *split = &stream->split;

	if (split->size < 8)
		return false;
	const struct pd_record_header header = pd_record_header(split->bytes, swap);
	if (header.type == PERFDATA_RECORD_SIMPLEPERF_SPLIT || header.type == PERFDATA_RECORD_SIMPLEPERF_SPLIT_END)
		return false;
	return perfdata_record_is_simpleperf(header.type) &&
	       split->size == (header.size | (size_t)header.misc << 16);
}

static enum perfdata_status join_pieces(struct pd_stream *stream, struct pd_window *window,
					const struct perfdata_raw *raw)
{
	struct pd_split *split = &stream->split;

	if (split->is_broken) {
		forget_pieces(stream);
		split->is_broken = false;
		return PERFDATA_OK;
	}
	if (!split->is_open || !is_record(stream)) {
		give_up(stream, raw,
			split->is_open ? "the parts of a split record do not have the size that it states"
				       : "a split record ends here that has no parts");
		return PERFDATA_OK;
	}
	struct pd_chunk *chunk = pd_chunk_wrap(stream->reader->pool, split->bytes, split->size);
	if (!chunk)
		return PERFDATA_ENOMEM;
	split->record = (struct perfdata_raw){
		.bytes = split->bytes,
		.offset = split->offset,
		.inner = split->inner == PERFDATA_NO_OFFSET ? split->offset : split->inner,
		.time = UINT64_MAX,
		.size = (uint32_t)split->size,
		.type = pd_load32(split->bytes, stream->reader->config.swap),
		.cpu = UINT32_MAX,
		.pid = -1,
		.tid = -1,
		.file = stream->file,
		.flags = PERFDATA_RAW_JOINED,
		.chunk = chunk,
	};
	split->ready = window;
	split->bytes = NULL;
	split->size = split->room = 0;
	split->is_open = false;
	return PERFDATA_OK;
}

enum perfdata_status pd_split_see(struct pd_stream *stream, struct pd_window *window, const struct perfdata_raw *raw)
{
	if (raw->flags & PERFDATA_RAW_JOINED)
		return PERFDATA_OK;
	switch (raw->type) {
	case PERFDATA_RECORD_SIMPLEPERF_SPLIT:
		return take_part(stream, raw);
	case PERFDATA_RECORD_SIMPLEPERF_SPLIT_END:
		return join_pieces(stream, window, raw);
	case PERFDATA_RECORD_COMPRESSED:
	case PERFDATA_RECORD_COMPRESSED2:
		return PERFDATA_OK;
	default:
		if (stream->split.is_open) {
			give_up(stream, raw, "a record lies between the parts of a split record");
			stream->split.is_broken = false;
		}
		return PERFDATA_OK;
	}
}

bool pd_split_next(struct pd_stream *stream, struct perfdata_raw *ret, struct pd_window **ret_window)
{
	struct pd_split *split = &stream->split;

	if (!split->ready)
		return false;
	*ret = split->record;
	*ret_window = split->ready;
	/* the reader's hold keeps the bytes of the returned record */
	pd_reader_hold(stream->reader, ret->chunk);
	pd_chunk_drop(ret->chunk);
	split->ready = NULL;
	return true;
}

void pd_split_end(struct pd_stream *stream)
{
	if (stream->split.is_open)
		give_up(stream, NULL, "the recording ends between the parts of a split record");
}

void pd_split_release(struct pd_stream *stream)
{
	if (stream->split.ready)
		pd_chunk_drop(stream->split.record.chunk);
	forget_pieces(stream);
	account_for(stream, 0);
}
