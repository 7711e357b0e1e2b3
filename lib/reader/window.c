/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "reader/reader_impl.h"

void pd_window_init(struct pd_window *window, struct pd_stream *stream, uint64_t offset, uint64_t limit, bool is_inner)
{
	*window = (struct pd_window){
		.stream = stream, .offset = offset, .first_chunk = offset, .limit = limit, .is_inner = is_inner
	};
}

void pd_window_release(struct pd_window *window)
{
	pd_chunk_drop(window->chunk);
	pd_chunk_drop(window->after_break);
	pd_trace_unpacked_release(window);
	window->chunk = window->after_break = NULL;
	window->at = window->end = NULL;
}

void pd_window_set_chunk(struct pd_window *window, struct pd_chunk *chunk)
{
	const size_t left = pd_window_left(window);
	uint8_t *at = chunk->data - left;

	if (left)
		memcpy(at, window->at, left);
	pd_chunk_drop(window->chunk);
	window->chunk = chunk;
	window->at = at;
	window->end = chunk->data + chunk->size;
}

/* Reports why the input has no more bytes. */
static void note_end(struct pd_stream *stream, enum perfdata_status status, uint64_t offset,
		     const struct perfdata_error *error)
{
	struct perfdata_reader *reader = stream->reader;
	uint64_t compressed_offset = PERFDATA_NO_OFFSET;

	if (status == PERFDATA_END) {
		const enum perfdata_status damage = pd_input_damage(stream->input, &compressed_offset);
		/* after a failed read the input may have more bytes */
		if (damage != PERFDATA_EREAD && stream->raw.limit != UINT64_MAX && offset < stream->raw.limit)
			pd_reader_finding(reader, PERFDATA_FINDING_SHRUNK, stream->file, offset,
					  "the input ended here, but had bytes up to %#llx when it was opened",
					  (unsigned long long)stream->raw.limit);
		switch (damage) {
		case PERFDATA_DAMAGED:
			pd_reader_finding(reader, PERFDATA_FINDING_COMPRESSED_FRAME, stream->file, offset,
					  "the compressed input is damaged at its byte %llu; nothing after it was read",
					  (unsigned long long)compressed_offset);
			break;
		case PERFDATA_END:
			pd_reader_finding(reader, PERFDATA_FINDING_COMPRESSED_END, stream->file, offset,
					  "the packed input ends at its byte %llu, before its stream does",
					  (unsigned long long)compressed_offset);
			break;
		case PERFDATA_ELIMIT:
			pd_reader_finding(reader, PERFDATA_FINDING_COMPRESSED_RATIO, stream->file, offset,
					  "the packed input grows more than %u times; the rest was not read",
					  reader->options.max_ratio);
			break;
		case PERFDATA_EREAD:
			pd_reader_finding(reader, PERFDATA_FINDING_READ_FAILED, stream->file, offset,
					  "reading failed here");
			if (reader->read_error.status == PERFDATA_OK)
				(void)pd_input_read_error(stream->input, &reader->read_error);
			break;
		default:
			break;
		}
		return;
	}
	if (status == PERFDATA_EREAD) {
		pd_reader_finding(reader, PERFDATA_FINDING_READ_FAILED, stream->file, offset, "%s", error->message);
		if (reader->read_error.status == PERFDATA_OK)
			reader->read_error = *error;
		return;
	}
	if (status == PERFDATA_ELIMIT)
		pd_reader_finding(reader, PERFDATA_FINDING_LIMIT, stream->file, offset, "%s", error->message);
	stream->status = status;
	reader->error = *error;
}

/* Appends the bytes that were fed since the input returned the chunk, as far as they belong to it. */
static enum perfdata_status extend_chunk(struct pd_window *window)
{
	if (!window->stream->is_fed || !window->chunk)
		return PERFDATA_END;
	const enum perfdata_status status = pd_input_extend_chunk(window->stream->input, window->chunk);
	window->end = window->chunk->data + window->chunk->size;
	window->waits = status == PERFDATA_AGAIN;
	return status;
}

bool pd_window_settle(struct pd_window *window)
{
	if (window->is_inner || window->ended || window->after_break)
		return true;
	while (extend_chunk(window) == PERFDATA_OK)
		;
	return !window->waits;
}

bool pd_window_fill(struct pd_window *window)
{
	struct pd_stream *stream = window->stream;
	struct perfdata_error error = { .status = PERFDATA_OK };
	struct pd_chunk *chunk;

	if (window->is_inner)
		return pd_unpack_fill(window);
	if (window->ended || window->after_break)
		return false;
	enum perfdata_status status = extend_chunk(window);
	if (status == PERFDATA_OK || status == PERFDATA_AGAIN)
		return status == PERFDATA_OK;
	if (pd_window_fill_partly(window))
		return true;
	const size_t left = pd_window_left(window);
	pd_window_read_whole(window, left + 1);
	if (pd_window_left(window) > left)
		return true;
	/* in time order, a file of a directory would keep chunks read ahead until its turn comes */
	if (stream->reader->options.read_ahead & PERFDATA_AHEAD_BYTES &&
	    (stream->reader->nr_streams == 1 || !stream->reader->order))
		pd_input_read_ahead(stream->input);
	if (status == PERFDATA_END)
		status = pd_input_next_chunk(stream->input, stream->reader->pool, &chunk, &error);
	else
		(void)pd_error_of_status(&error, status, window->offset);
	window->waits = status == PERFDATA_AGAIN;
	if (window->waits)
		return false;
	if (status != PERFDATA_OK) {
		window->ended = true;
		note_end(stream, status, window->offset + pd_window_left(window), &error);
		return false;
	}
	uint64_t broken, found;
	if (pd_input_went_on(stream->input, &broken, &found)) {
		pd_reader_finding(stream->reader, PERFDATA_FINDING_COMPRESSED_FRAME, stream->file,
				  window->offset + pd_window_left(window),
				  "the packed input is broken at its byte %llu; reading went on at its byte %llu",
				  (unsigned long long)broken, (unsigned long long)found);
		window->after_break = chunk;
		return false;
	}
	pd_window_set_chunk(window, chunk);
	return true;
}

bool pd_window_go_on(struct pd_window *window)
{
	struct pd_chunk *chunk = window->after_break;
	if (!chunk)
		return false;
	window->after_break = NULL;
	window->skip = 0;
	window->payload.active = false;
	if (!window->searching)
		pd_search_begin(window, PERFDATA_FINDING_COMPRESSED_FRAME, false, "the packed input is broken");
	window->gap.starts_anew = true;
	pd_window_move(window, pd_window_left(window));
	pd_window_set_chunk(window, chunk);
	return true;
}

/* Seeks over long payloads of files instead of reading them. */
static bool jump_chunk(struct pd_window *window)
{
	struct pd_input *input = window->stream->input;
	const uint64_t target = window->offset + window->skip;

	if (window->is_inner || window->skip < PD_CHUNK_SIZE || window->limit == UINT64_MAX || target > window->limit)
		return false;
	if (pd_input_seek(input, target, window->limit) != PERFDATA_OK)
		return false;
	window->offset = window->first_chunk = target;
	window->skip = 0;
	return true;
}

bool pd_window_pass(struct pd_window *window)
{
	pd_window_read_whole(window, 8);
	while (window->skip) {
		const size_t left = pd_window_left(window);
		const size_t step = window->skip < left ? (size_t)window->skip : left;
		pd_window_move(window, step);
		window->skip -= step;
		if (window->skip && !jump_chunk(window) && !pd_window_fill(window))
			return false;
	}
	return true;
}

/* --- pieces of a payload ------------------------------------------------------------------------------------------ */

static size_t fresh_bytes(const struct pd_window *window)
{
	return window->payload.left < PERFDATA_PAYLOAD_PIECE ? (size_t)window->payload.left : PERFDATA_PAYLOAD_PIECE;
}

bool pd_window_has_piece(const struct pd_window *window)
{
	return window->payload.unpacked || pd_window_left(window) >= window->payload.overlap + fresh_bytes(window);
}

/* Handles an input that ends inside the payload: the bytes at hand are the last piece. */
static size_t end_of_payload(struct pd_window *window)
{
	const size_t have = pd_window_left(window) - window->payload.overlap;

	pd_reader_finding(window->stream->reader, PERFDATA_FINDING_TRUNCATED, window->stream->file,
			  window->offset + pd_window_left(window), "the payload of the last record lacks %llu bytes",
			  (unsigned long long)(window->payload.left - have));
	window->payload.left = have;
	return have;
}

struct perfdata_raw pd_window_begin_piece(struct pd_window *window, size_t fresh)
{
	const unsigned before = window->payload.overlap;
	window->payload.left -= fresh;
	window->payload.active = window->payload.left != 0;
	window->payload.overlap = window->payload.active ? PERFDATA_PAYLOAD_OVERLAP : 0;
	return (struct perfdata_raw){
		.time = UINT64_MAX,
		.payload = window->payload.left,
		.size = (uint32_t)(before + fresh),
		.type = PERFDATA_RECORD_AUXTRACE,
		.cpu = UINT32_MAX,
		.pid = -1,
		.tid = -1,
		.file = window->stream->file,
		.flags = PERFDATA_RAW_PAYLOAD,
	};
}

enum perfdata_status pd_window_piece(struct pd_window *window, struct perfdata_raw *ret)
{
	size_t fresh = fresh_bytes(window);

	if (window->payload.unpacked) {
		pd_trace_unpacked_piece(window, fresh, ret);
		return PERFDATA_OK;
	}
	if (!pd_window_need(window, window->payload.overlap + fresh)) {
		if (!window->ended || window->stream->status == PERFDATA_EINTR)
			return PERFDATA_END;
		fresh = end_of_payload(window);
	}
	*ret = pd_window_begin_piece(window, fresh);
	ret->bytes = window->at;
	ret->offset = window->is_inner ? window->stream->unpack.carrier : window->offset;
	ret->inner = window->is_inner ? window->offset : PERFDATA_NO_OFFSET;
	ret->chunk = window->chunk;
	pd_window_move(window, ret->size - window->payload.overlap);
	return PERFDATA_OK;
}
