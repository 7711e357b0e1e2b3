/* SPDX-License-Identifier: MIT */
/* Copies of user stacks that are left out. perf record reserves up to 64 KiB in each sample; most stacks fill less than
 * a quarter of it. So nearly all bytes of such a recording are copies. For a session whose consumer reads no copies,
 * the window reads the start of a large sample, passes over the rest of its copy, and reads on where the copy ends.
 * Whoever unwinds the stack reads the rest as far as the kernel filled it, in its own thread.
 *
 * The window keeps its form: bytes have the same distances as in the file, and the bytes left out are uninitialized
 * memory. They lie within the record at the window's position. If that record may be none, or if bytes other than
 * records follow, the window reads all bytes from its position to the end of the chunk that a reader of all bytes would
 * have: then both decide alike. Only bytes in the page cache are read this way: a device is faster when it is read in
 * order. So a window that met other bytes reads whole chunks, and tries again after more and more of them. */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "reader/reader_impl.h"

#ifndef LEAST_LEFT_OUT               /* fuzzing sets smaller sizes */
#define LEAST_LEFT_OUT 16384u        /* bytes; passing over fewer saves no time */
#define START_SIZE 8192u             /* bytes to read after a copy: then half of the stacks are complete */
#define LEAST_START 1024u            /* as above if other threads unwind, and so read the rest of most stacks */
#endif
#define MOST_WHOLE 64u               /* chunks */
#define MOST_AT_ONCE (256u << 10)    /* bytes; a window without large samples for longer reads whole chunks */

void pd_reader_leave_out_stacks(struct perfdata_reader *reader)
{
	/* only files leave out bytes, and their events are known */
	for (size_t i = 0; i < reader->nr_events; i++)
		reader->leaves_out_stacks |= (reader->events[i]->attr->sample_type & PERFDATA_SAMPLE_STACK_USER) != 0;
}

/* The part of the sample at the window's position that may be left out: from the bytes at hand to the end of its copy
 * of the stack. False: it is not known, or not large enough. */
static bool find_part(const struct pd_window *window, size_t *ret_from, size_t *ret_to)
{
	const size_t left = pd_window_left(window);
	struct pd_record_header header;
	const struct perfdata_event *event = pd_window_large_sample(window, LEAST_LEFT_OUT, &header);
	struct perfdata_record record;
	if (!event || !(event->attr->sample_type & PERFDATA_SAMPLE_STACK_USER))
		return false;
	(void)perfdata_decode(event->config, window->at, left, &record);
	const uint64_t size_at = record.u.sample.user_stack.offset;
	if (!size_at || size_at + 8 > left)
		return false;
	const uint64_t size = pd_load64(window->at + size_at, event->config->swap);
	if (size > header.size || size_at + 8 + size > header.size)
		return false;
	*ret_from = left;
	*ret_to = (size_t)(size_at + 8 + size);
	return *ret_to >= left + LEAST_LEFT_OUT;
}

static void read_whole_chunks(struct pd_window *window)
{
	const unsigned next = window->next_whole_chunks ? window->next_whole_chunks : 1;
	window->whole_chunks = (uint8_t)next;
	window->next_whole_chunks = (uint8_t)(2 * next < MOST_WHOLE ? 2 * next : MOST_WHOLE);
}

/* Makes room for `size` bytes at the end of the window. */
static bool make_room(struct pd_window *window, size_t size)
{
	const uint8_t *room_end = window->chunk->data + PD_CHUNK_SIZE;
	if (size > PD_CHUNK_SIZE)
		return false;
	if (window->end <= room_end && (size_t)(room_end - window->end) >= size)
		return true;
	struct pd_chunk *chunk = pd_chunk_get(window->stream->reader->pool);
	if (!chunk)
		return false;
	chunk->offset = window->offset + pd_window_left(window);
	pd_window_set_chunk(window, chunk);
	return true;
}

/* Reads bytes of the page cache into the window, after `gap` bytes that stay unread; fewer than `least`: none. */
static bool read_after(struct pd_window *window, size_t gap, size_t size, size_t least)
{
	struct pd_input *input = window->stream->input;
	const uint64_t at = window->offset + pd_window_left(window) + gap;
	const uint64_t most = at < window->limit ? window->limit - at : 0;
	size = size < most ? size : (size_t)most;
	if (size < least || !make_room(window, gap + size))
		return false;
	struct pd_chunk *chunk = window->chunk;
	uint8_t *end = chunk->data + (window->end - chunk->data);
	const size_t got = pd_input_read_cached(input, at, end + gap, size);
	if (got < least)
		return false;
	if (!chunk->input)   /* others may read it already, for earlier records */
		chunk->input = input;
	window->end = end + gap + got;
	chunk->size = (size_t)(window->end - chunk->data);
	window->strays = true;
	return true;
}

bool pd_window_fill_partly(struct pd_window *window)
{
	const struct pd_stream *stream = window->stream;
	size_t from, to;
	if (!stream->reader->leaves_out_stacks || !window->chunk || window->is_inner || window->searching ||
	    window->skip || window->payload.active || window->limit == UINT64_MAX || window->left_out)
		return false;
	if (window->whole_chunks) {
		window->whole_chunks--;
		return false;
	}
	if (find_part(window, &from, &to)) {
		const size_t tail = pd_record_header(window->at, stream->reader->config.swap).size - to;
		const size_t start = stream->reader->has_helpers ? LEAST_START : START_SIZE;
		if (!read_after(window, to - from, tail + start, tail + 8)) {
			read_whole_chunks(window);
			return false;
		}
		window->next_whole_chunks = 1;
		window->left_out_at = (uint16_t)from;
		window->left_out = (uint16_t)(to - from);
		window->next_size = (uint32_t)start;
		return true;
	}
	if (!window->next_size || !read_after(window, 0, window->next_size, 1))
		return false;
	window->next_size = window->next_size < MOST_AT_ONCE ? 2 * window->next_size : 0;
	return true;
}

void pd_window_read_whole(struct pd_window *window, size_t size)
{
	struct pd_input *input = window->stream->input;
	if (!window->strays)
		return;
	size_t keep = window->left_out ? window->left_out_at : pd_window_left(window), got = 0;
	keep = keep < size ? keep : size;
	window->end = window->at + keep;
	window->left_out = 0;
	window->strays = false;
	(void)pd_input_seek(input, window->offset + keep, window->limit);   /* stops a thread that reads ahead */
	const uint64_t last = window->offset + size - 1;
	const uint64_t start = last - (last - window->first_chunk) % PD_CHUNK_SIZE;
	const uint64_t end = window->limit - start < PD_CHUNK_SIZE ? window->limit : start + PD_CHUNK_SIZE;
	/* Without memory, the next pd_window_fill needs it too, and fails. */
	struct pd_chunk *chunk = last < window->limit ? pd_chunk_get(window->stream->reader->pool) : NULL;
	if (chunk) {
		chunk->offset = start > window->offset ? start : window->offset;
		uint8_t *at = chunk->data - (chunk->offset - window->offset);
		memcpy(at, window->at, keep);
		(void)pd_input_read_at(input, window->offset + keep, at + keep,
				       (size_t)(end - window->offset - keep), &got);
		pd_chunk_drop(window->chunk);
		window->chunk = chunk;
		window->at = at;
		window->end = at + keep + got;
		chunk->size = window->end > chunk->data ? (size_t)(window->end - chunk->data) : 0;
	}
	(void)pd_input_seek(input, window->offset + keep + got, window->limit);
}

enum perfdata_status pd_raw_read_stack(const struct perfdata_raw *raw, size_t end, struct perfdata_error *reterr)
{
	const size_t at = raw->left_out_at;
	if (!raw->left_out || end <= at)
		return PERFDATA_OK;
	const size_t last = at + raw->left_out, size = (end < last ? end : last) - at;
	struct pd_chunk *chunk = raw->chunk;
	/* the chunk's own pointer: the record's bytes are constant for everybody else */
	uint8_t *part = chunk->data + (raw->bytes - chunk->data) + at;
	const int code = pd_input_reread(chunk->input, raw->offset + at, part, size);
	return code ? pd_error_errno(reterr, PERFDATA_EREAD, raw->offset + at, code, "cannot be read") : PERFDATA_OK;
}
