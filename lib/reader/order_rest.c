/* SPDX-License-Identifier: MIT */
/* Whether the records not yet read are in time order already. Recorders that write no FINISHED_ROUND (simpleperf, and
 * tools that make recordings) mostly sort them, and then no record has to wait until the end of the file. */
#include "config.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "reader/order_rest.h"
#include "reader/reader_impl.h"

#define BUFFER_SIZE ((size_t)1 << 18)   /* more than the largest record */

/* Whether the rest can be examined: one file, not packed, whose records have the time at one place for all events. */
static bool can_look(const struct perfdata_reader *reader)
{
	const struct pd_stream *stream = reader->streams[0];
	return reader->nr_streams == 1 && reader->nr_events && !reader->layouts_differ && reader->nr_layouts == 1 &&
	       !stream->is_fed && !stream->inner.chunk && stream->raw.limit != UINT64_MAX &&
	       pd_input_seekable(stream->input);
}

/* Counts the bytes of whole records in order. False at a record that is out of order, has no time or is damaged. */
static bool are_sorted(const struct perfdata_reader *reader, const uint8_t *bytes, size_t size, uint64_t *newest,
		       size_t *ret_used)
{
	const struct perfdata_config *config = reader->events[0]->config;
	size_t at = 0;
	while (size - at >= 8) {
		const struct pd_record_header header = pd_record_header(bytes + at, reader->config.swap);
		struct perfdata_peek peek;
		if (!header.type || header.type >= PERFDATA_RECORD_USER_FIRST || header.size < 8 || header.size % 8)
			return false;
		if (header.size > size - at)
			break;
		pd_peek(config, bytes + at, header.size, &peek);
		if (!peek.time || peek.time == UINT64_MAX || peek.time < *newest)
			return false;
		*newest = peek.time;
		at += header.size;
	}
	*ret_used = at;
	return true;
}

bool pd_order_rest_is_sorted(const struct perfdata_reader *reader, uint64_t newest)
{
	if (!can_look(reader))
		return false;
	const struct pd_window *window = &reader->streams[0]->raw;
	uint64_t offset = window->offset;
	uint8_t *buffer = pd_malloc(BUFFER_SIZE);
	bool sorted = buffer;
	while (sorted && offset < window->limit) {
		const uint64_t left = window->limit - offset;
		size_t got = 0, used = 0;
		sorted = !pd_cancelled(reader->options.cancel) &&
			 !pd_input_read_at(reader->streams[0]->input, offset, buffer,
					   left < BUFFER_SIZE ? (size_t)left : BUFFER_SIZE, &got) &&
			 are_sorted(reader, buffer, got, &newest, &used) && used;
		offset += used;
	}
	pd_free(buffer);
	return sorted;
}
