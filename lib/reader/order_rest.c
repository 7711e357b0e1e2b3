/* SPDX-License-Identifier: MIT */
/* Whether the records not yet read are in time order already. Recorders that write no FINISHED_ROUND (simpleperf, and
 * tools that make recordings) mostly sort them, and then no record has to wait until the end of the file. */
#include "config.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "reader/order_rest.h"
#include "reader/reader_impl.h"

#define BUFFER_SIZE ((size_t)1 << 18)   /* more than the largest record */
#define LARGE_RECORD 4096u              /* bytes; of such records only the start is read */
#define START_SIZE ((size_t)256)        /* bytes of a sample with its time */

/* Whether the rest can be examined: one file, not packed, whose records have the time at one place for all events. */
static bool can_look(const struct perfdata_reader *reader)
{
	const struct pd_stream *stream = reader->streams[0];
	return reader->nr_streams == 1 && reader->nr_events && !reader->layouts_differ && reader->nr_layouts == 1 &&
	       !stream->is_fed && !stream->inner.chunk && stream->raw.limit != UINT64_MAX &&
	       pd_input_seekable(stream->input);
}

/* Records that were examined. */
struct seen {
	uint64_t newest;   /* time of the last one */
	size_t size, nr;
};

/* Examines records up to one whose bytes at hand do not suffice; those of a sample begin with its time. False at a
 * record that is out of order, has no time or is damaged. */
static bool are_sorted(const struct perfdata_reader *reader, const uint8_t *bytes, size_t size, struct seen *seen)
{
	const struct perfdata_config *config = reader->events[0]->config;
	seen->size = seen->nr = 0;
	while (seen->size + 8 <= size) {
		const uint8_t *at = bytes + seen->size;
		const size_t left = size - seen->size;
		const struct pd_record_header header = pd_record_header(at, reader->config.swap);
		struct perfdata_peek peek;
		if (!header.type || header.type >= PERFDATA_RECORD_USER_FIRST || header.size < 8 || header.size % 8)
			return false;
		if (header.size > left && (header.type != PERFDATA_RECORD_SAMPLE || left < START_SIZE))
			break;
		pd_peek(config, at, header.size < left ? header.size : left, &peek);
		if (!peek.time || peek.time == UINT64_MAX || peek.time < seen->newest)
			return false;
		seen->newest = peek.time;
		seen->size += header.size;
		seen->nr++;
	}
	return true;
}

bool pd_order_rest_is_sorted(const struct perfdata_reader *reader, uint64_t newest)
{
	if (!can_look(reader))
		return false;
	const struct pd_window *window = &reader->streams[0]->raw;
	uint64_t offset = window->offset;
	uint8_t *buffer = pd_malloc(BUFFER_SIZE);
	bool sorted = buffer, reads_starts = false;
	struct seen seen = { .newest = newest };
	while (sorted && offset < window->limit) {
		const uint64_t left = window->limit - offset;
		const size_t wanted = reads_starts ? START_SIZE : BUFFER_SIZE;
		size_t got = 0;
		sorted = !pd_cancelled(reader->options.cancel) &&
			 !pd_input_read_at(reader->streams[0]->input, offset, buffer,
					   left < wanted ? (size_t)left : wanted, &got) &&
			 are_sorted(reader, buffer, got, &seen) && (seen.nr || reads_starts);
		offset += seen.size;
		reads_starts = seen.nr && seen.size / seen.nr >= LARGE_RECORD;
	}
	pd_free(buffer);
	return sorted && offset == window->limit;
}
