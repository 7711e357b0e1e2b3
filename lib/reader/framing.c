/* SPDX-License-Identifier: MIT */
/* Takes records out of a window: checks the header and its size, and recovers from an impossible size. */
#include "config.h"
#include <string.h>
#include "base/prefetch.h"
#include "reader/passed_samples.h"
#include "reader/reader_impl.h"

#define FETCH_AHEAD 2048u    /* bytes; prefetches what the next samples need */

/* Whether to accept a record of unknown type: a plausible record follows it, or the data ends with it. */
static bool unknown_is_record(struct pd_window *window, struct pd_record_header header)
{
	const bool swap = window->stream->reader->config.swap;

	pd_window_read_whole(window, (size_t)header.size + 8);
	if (!pd_window_need(window, (size_t)header.size + 8)) {
		const size_t left = pd_window_left(window);
		return left == header.size || (!window->ended && left > header.size);
	}
	const struct pd_record_header next = pd_record_header(window->at + header.size, swap);
	if (pd_header_is_plausible(next, window->unaligned))
		return true;
	return header.type <= 0xffff && next.type && pd_header_is_possible(next);
}

/* Whether the record that ends at `end` may contain headers of other records. */
static bool may_hold_records(const struct pd_window *window, const uint8_t *end)
{
	const bool swap = window->stream->reader->config.swap;

	for (const uint8_t *p = window->at + 8; p < end; p += 8)
		if (pd_header_is_plausible(pd_record_header(p, swap), true))
			return true;
	return false;
}

/* Whether a record must wait until the header after it is fed: the bytes that follow could show that its size is wrong
 * or, in a compressed input, that the data breaks here. */
static bool needs_next_header(const struct pd_window *window, struct pd_record_header header)
{
	return header.size % 8 || strcmp(window->stream->reader->header.packing, "none") != 0 ||
	       may_hold_records(window, window->at + header.size);
}

/* Whether the record's size is possible but wrong: no record follows it, and plausible records are inside it. False
 * with window->waits: unknown until more bytes are fed. */
static bool size_is_wrong(struct pd_window *window, struct pd_record_header header)
{
	const bool swap = window->stream->reader->config.swap;

	if (header.type == PERFDATA_RECORD_AUXTRACE || header.type == PERFDATA_RECORD_TRACING_DATA)
		return false;
	if (!(window->stream->is_live ? pd_window_left(window) >= (size_t)header.size + 8 :
					pd_window_need(window, (size_t)header.size + 8))) {
		window->waits = window->waits && needs_next_header(window, header);
		return false;
	}
	const uint8_t *next = window->at + header.size;
	if (pd_header_is_possible(pd_record_header(next, swap)) || pd_is_magic(next))
		return false;
	if (!pd_window_settle(window))
		return false;
	pd_window_read_whole(window, (size_t)header.size + 8);
	if (!pd_window_need(window, (size_t)header.size + 8))
		return false;
	next = window->at + header.size;
	for (const uint8_t *p = window->at + 8; p < next; p += 8)
		if (pd_load32(p, swap) <= 0xffff && pd_chain_is_plausible(window, p))
			return true;
	return false;
}

/* Ends this recording: the next bytes are the magic of another one. */
static void end_at_magic(struct pd_window *window)
{
	pd_reader_finding(window->stream->reader, PERFDATA_FINDING_CONCATENATED, window->stream->file, window->offset,
			  "another recording begins here; it was not read");
	window->at = window->end;
	window->ended = true;
}

static void note_oddities(struct pd_window *window, struct pd_record_header header)
{
	struct perfdata_reader *reader = window->stream->reader;
	const uint64_t offset = window->is_inner ? window->stream->unpack.carrier : window->offset;

	if (perfdata_record_is_simpleperf(header.type)) {
		window->unaligned |= header.size % 8 != 0;
	} else if (header.size % 8) {
		switch (header.type) {
		case PERFDATA_RECORD_TRACING_DATA:
		case PERFDATA_RECORD_FEATURE:
		case PERFDATA_RECORD_COMPRESSED:
			break;
		default:
			window->unaligned = true;
			if (pd_reader_type_is_new(reader, PERFDATA_FINDING_RECORD_UNALIGNED, header.type))
				pd_reader_finding(reader, PERFDATA_FINDING_RECORD_UNALIGNED, window->stream->file,
						  offset, "a record of type %u has %u bytes, which is no multiple of 8",
						  header.type, header.size);
		}
	}
	if (!header.type) {
		pd_reader_finding(reader, PERFDATA_FINDING_RECORD_TYPE, window->stream->file, offset,
				  "a record has type 0, which no recorder writes");
		return;
	}
	if (!perfdata_record_layout(header.type) &&
	    pd_reader_type_is_new(reader, PERFDATA_FINDING_RECORD_UNKNOWN, header.type))
		pd_reader_finding(reader, PERFDATA_FINDING_RECORD_UNKNOWN, window->stream->file, offset,
				  "records of type %u are not known", header.type);
}

/* Handles a rest that is shorter than a header or the record. True if a search for records begins or continues. */
static bool at_tail(struct pd_window *window, bool is_cut)
{
	if (pd_window_go_on(window))
		return true;
	if (!window->ended || !pd_window_left(window) || window->stream->status == PERFDATA_EINTR)
		return false;
	pd_search_begin(window, PERFDATA_FINDING_RECORD_SIZE, is_cut,
			is_cut ? "a record reaches beyond the end of the records" : "bytes that are no record");
	return true;
}

/* Takes the record at a position of the window. Copies member by member: a struct copy right after the members were
 * written would stall on store forwarding. */
static inline void take_bytes(const struct pd_window *window, const uint8_t *at, struct pd_record_header header,
			      struct perfdata_raw *ret)
{
	const struct pd_stream *stream = window->stream;
	const uint64_t offset = window->offset + (size_t)(at - window->at);

	ret->bytes = at;
	ret->offset = window->is_inner ? stream->unpack.carrier : offset;
	ret->inner = window->is_inner ? offset : PERFDATA_NO_OFFSET;
	ret->payload = 0;
	ret->size = header.size;
	ret->type = header.type;
	ret->misc = header.misc;
	ret->file = stream->file;
	ret->flags = 0;
	ret->known_whole = 0;
	ret->left_out_at = ret->left_out = 0;
	ret->chunk = window->chunk;
}

/* Passes on what was left out of the record at the window's position. */
static inline void take_part(struct pd_window *window, struct perfdata_raw *ret)
{
	if (!window->left_out)
		return;
	ret->left_out_at = window->left_out_at;
	ret->left_out = window->left_out;
	window->left_out = 0;
}

static inline void take_record(struct pd_window *window, struct pd_record_header header, struct perfdata_raw *ret)
{
	take_bytes(window, window->at, header, ret);
	take_part(window, ret);
	ret->event = NULL;
	ret->number = 0;
	ret->time = UINT64_MAX;
	ret->pid = ret->tid = -1;
	ret->cpu = UINT32_MAX;
}

/* The offset of the id in every sample, in bytes from its start; 0 if every sample belongs to the only event; -1 if
 * there is no such place. */
static int place_of_ids(const struct perfdata_reader *reader)
{
	if (reader->nr_events == 1)
		return 0;
	if (!reader->nr_events || reader->nr_layouts != 1 || reader->events[0]->config->sample_id_at < 0)
		return -1;
	return 8 + 8 * reader->events[0]->config->sample_id_at;
}

/* The event of a sample; NULL if only pd_event_match can find it. */
static inline const struct perfdata_event *event_of(const struct perfdata_reader *reader, int id_at,
						    const uint8_t *bytes, size_t size, bool swap)
{
	const struct perfdata_event *event = reader->events[0];

	if (!id_at)
		return event;
	if (size < 8 + 8u * event->config->sample_fixed)
		return NULL;
	const uint64_t id = pd_load64(bytes + id_at, swap);
	return id ? pd_event_of_id(reader, id) : NULL;
}

const struct perfdata_event *pd_window_large_sample(const struct pd_window *window, size_t least,
						    struct pd_record_header *ret)
{
	const struct perfdata_reader *reader = window->stream->reader;
	const size_t left = pd_window_left(window);
	const int id_at = place_of_ids(reader);

	if (left < 8 || id_at < 0)
		return NULL;
	*ret = pd_record_header(window->at, reader->config.swap);
	if (ret->type != PERFDATA_RECORD_SAMPLE || ret->size <= least || ret->size <= left || ret->size % 8)
		return NULL;
	return event_of(reader, id_at, window->at, left, reader->config.swap);
}

/* Consecutive samples, from the window's position on. Values that change with each sample are here and not in the
 * window, so that the compiler can hold them in registers. */
struct samples {
	const uint8_t *at;
	size_t left;                        /* bytes in the window from `at` on */
	int id_at;                          /* result of place_of_ids */
	bool swap;
	struct pd_record_header header, next;   /* headers of the next sample and of the record after it */
};

/* Prepares for a run of samples; false: the caller takes samples one by one. */
static inline bool begin_samples(const struct pd_window *window, uint64_t room, bool swap, struct samples *ret)
{
	const struct perfdata_reader *reader = window->stream->reader;

	ret->at = window->at;
	ret->left = room < pd_window_left(window) ? (size_t)room : pd_window_left(window);
	ret->id_at = place_of_ids(reader);
	if (window->skip || window->payload.active || window->searching || ret->left < 16 || ret->id_at < 0)
		return false;
	ret->swap = swap;
	ret->header = pd_record_header(window->at, swap);
	return true;
}

/* Whether a sample is at the position, followed by a possible record. */
static inline bool is_framed(struct samples *samples)
{
	const struct pd_record_header header = samples->header;

	if (header.type != PERFDATA_RECORD_SAMPLE || header.size < 8 || header.size % 8 ||
	    samples->left < (size_t)header.size + 8)
		return false;
	samples->next = pd_record_header(samples->at + header.size, samples->swap);
	if (!pd_header_is_possible(samples->next))
		return false;
	if (samples->left > FETCH_AHEAD + 64) {
		pd_prefetch(samples->at + FETCH_AHEAD);
		pd_prefetch(samples->at + FETCH_AHEAD + 64);
	}
	return true;
}

static inline void pass_sample(struct samples *samples)
{
	samples->at += samples->header.size;
	samples->left -= samples->header.size;
	samples->header = samples->next;
}

/* Passes over samples; returns how many. */
static inline __attribute__((always_inline)) unsigned pass_over(const struct pd_window *window, bool swap,
								struct samples *samples)
{
	const struct perfdata_reader *reader = window->stream->reader;
	struct pd_passed_samples *passed = reader->passed;
	const size_t least = 8 + 8u * reader->events[0]->config->sample_fixed;
	const uint8_t *first = samples->at;
	uint64_t first_time = atomic_load_explicit(&passed->first_time, memory_order_relaxed),
		 last_time = atomic_load_explicit(&passed->last_time, memory_order_relaxed);
	unsigned nr = 0;
	for (; samples->id_at && is_framed(samples) && samples->header.size >= least; pass_sample(samples), nr++) {
		const uint64_t near = pd_load64(samples->at + samples->id_at, swap) - reader->first_id;
		const uint32_t index = near < reader->nr_near_ids ? reader->near_ids[near] : 0;
		if (!index || index > passed->nr_events)
			break;
		struct pd_passed_event *event = &passed->events[index - 1];
		if (!pd_passed_allows(passed, event, swap, samples->at, samples->header.size))
			break;
		const uint64_t time = pd_load64(samples->at + event->layout.time_at, swap);
		first_time = time < first_time ? time : first_time;
		last_time = time > last_time ? time : last_time;
		pd_passed_add(&event->nr_passed, 1);
	}
	const uint64_t bytes = (uint64_t)(samples->at - first);
	if (!nr)
		return 0;
	atomic_store_explicit(&passed->first_time, first_time, memory_order_relaxed);
	atomic_store_explicit(&passed->last_time, last_time, memory_order_relaxed);
	pd_passed_add(&passed->bytes, bytes);
	pd_passed_add(&passed->file_bytes, window->is_inner ? 0 : bytes);
	passed->recently_passed += bytes;
	return nr;
}

static inline __attribute__((always_inline)) unsigned frame_samples(struct pd_window *window, bool swap, uint64_t room,
								    uint64_t *number, struct perfdata_raw *ret,
								    unsigned max)
{
	const struct perfdata_reader *reader = window->stream->reader;
	struct pd_passed_samples *passed = reader->passed;
	struct samples samples;
	unsigned nr = 0;

	if (!begin_samples(window, room, swap, &samples))
		return 0;
	for (; nr < max; pass_sample(&samples)) {
		if (passed)
			*number += pass_over(window, swap, &samples);
		if (!is_framed(&samples))
			break;
		const uint16_t size = samples.header.size;
		const struct perfdata_event *event = event_of(reader, samples.id_at, samples.at, size, swap);
		if (!event)
			break;
		take_bytes(window, samples.at, samples.header, &ret[nr]);
		ret[nr].number = (*number)++;
		pd_event_set_words(event, swap, &ret[nr]);
		if (passed)
			pd_passed_see(passed, &ret[nr]);
		nr++;
	}
	if (window->left_out && nr && ret->bytes == window->at)
		take_part(window, ret);
	pd_window_move(window, (size_t)(samples.at - window->at));
	return nr;
}

unsigned pd_window_samples(struct pd_window *window, uint64_t room, uint64_t *number, struct perfdata_raw *ret,
			   unsigned max)
{
	/* a constant `swap`: the compiler makes code for each byte order */
	return window->stream->reader->config.swap ? frame_samples(window, true, room, number, ret, max)
						   : frame_samples(window, false, room, number, ret, max);
}

unsigned pd_window_summaries(struct pd_window *window, struct pd_sample_summary *ret, unsigned max)
{
	const struct perfdata_reader *reader = window->stream->reader;
	struct samples samples;
	unsigned nr = 0;

	if (window->after_gap || !begin_samples(window, UINT64_MAX, reader->config.swap, &samples))
		return 0;
	for (; nr < max && is_framed(&samples); nr++, pass_sample(&samples)) {
		const uint16_t size = samples.header.size;
		const struct perfdata_event *event = event_of(reader, samples.id_at, samples.at, size, samples.swap);
		struct pd_sample_scan scan;
		if (!event || !pd_sample_scan(event->config, samples.at, size, PD_SCAN_TIME | PD_SCAN_WHOLE, &scan) ||
		    !scan.is_whole)
			break;
		ret[nr].event = event;
		ret[nr].time = scan.time;
		ret[nr].size = size;
	}
	pd_window_move(window, (size_t)(samples.at - window->at));
	return nr;
}

/* Takes the next record. PERFDATA_END: none is at hand; with window->waits, one may come with more bytes. */
static enum perfdata_status window_next(struct pd_window *window, struct perfdata_raw *ret)
{
	struct pd_stream *stream = window->stream;
	const bool swap = stream->reader->config.swap;

	window->waits = false;
	for (;;) {
		if (window->payload.active) {
			if (pd_window_piece(window, ret) == PERFDATA_OK)
				return PERFDATA_OK;
			if (pd_window_go_on(window))
				continue;
			return PERFDATA_END;
		}
		if (window->skip && !pd_window_pass(window)) {
			if (pd_window_go_on(window))
				continue;
			if (window->ended && !window->is_inner && stream->status != PERFDATA_EINTR)
				pd_reader_finding(stream->reader, PERFDATA_FINDING_TRUNCATED, stream->file,
						  window->offset, "the payload of the last record lacks %llu bytes",
						  (unsigned long long)window->skip);
			return PERFDATA_END;
		}
		if (window->searching && !pd_search(window))
			return PERFDATA_END;
		if (!pd_window_need(window, 8)) {
			if (!at_tail(window, false))
				return PERFDATA_END;
			continue;
		}
		const struct pd_record_header header = pd_record_header(window->at, swap);
		if (header.size < 8) {
			pd_search_begin(window, PERFDATA_FINDING_RECORD_SIZE, false, "a record states a size below 8");
			continue;
		}
		if (perfdata_record_is_simpleperf(header.type) && header.misc) {
			pd_search_begin(window, PERFDATA_FINDING_RECORD_SIZE, false,
					"a record states a size that only joined records can have");
			continue;
		}
		if (!perfdata_record_layout(header.type)) {
			if (pd_is_magic(window->at) && !window->is_inner) {
				end_at_magic(window);
				return PERFDATA_END;
			}
			const bool is_record = unknown_is_record(window, header);
			if (window->waits)
				return PERFDATA_END;
			if (!is_record) {
				if (pd_window_go_on(window))
					continue;
				if (!window->ended && pd_window_left(window) < (size_t)header.size + 8)
					return PERFDATA_END;
				pd_search_begin(window, PERFDATA_FINDING_GARBAGE, false, "bytes that are no record");
				continue;
			}
		}
		if (!pd_window_need(window, header.size)) {
			if (!at_tail(window, true))
				return PERFDATA_END;
			continue;
		}
		if (size_is_wrong(window, header)) {
			pd_search_begin(window, PERFDATA_FINDING_RECORD_SIZE, false,
					"a record's size leads to no other record");
			continue;
		}
		if (window->waits)
			return PERFDATA_END;
		if (header.size % 8 || !perfdata_record_layout(header.type))
			note_oddities(window, header);
		take_record(window, header, ret);
		ret->flags = window->after_gap ? PERFDATA_RAW_AFTER_GAP : 0;
		window->after_gap = false;
		pd_window_move(window, header.size);
		return PERFDATA_OK;
	}
}

enum perfdata_status pd_stream_next(struct pd_stream *stream, struct perfdata_raw *ret, struct pd_window **ret_window)
{
	for (;;) {
		if (stream->unpack.active) {
			*ret_window = &stream->inner;
			if (window_next(&stream->inner, ret) == PERFDATA_OK)
				return PERFDATA_OK;
			pd_unpack_end(stream);
		}
		*ret_window = &stream->raw;
		if (window_next(&stream->raw, ret) == PERFDATA_OK)
			return PERFDATA_OK;
		if (stream->raw.waits)
			return PERFDATA_AGAIN;
		if (stream->inner.ended || !stream->inner.chunk || stream->status == PERFDATA_EINTR)
			return stream->status != PERFDATA_OK ? stream->status : PERFDATA_END;
		/* no carrier follows: the inner window has to decide about the bytes that are left over */
		stream->inner.ended = true;
		stream->unpack.active = true;
	}
}

static bool window_is_ready(const struct pd_window *window)
{
	if (window->payload.active)
		return pd_window_has_piece(window);
	if (pd_window_left(window) < 8 || window->skip || window->searching)
		return false;
	const struct pd_record_header header = pd_record_header(window->at, window->stream->reader->config.swap);
	return header.size <= pd_window_left(window);
}

bool pd_stream_is_ready(const struct pd_stream *stream)
{
	return !stream->is_live || stream->raw.ended || window_is_ready(&stream->raw) ||
	       (stream->unpack.active &&
		(window_is_ready(&stream->inner) || stream->unpack.in_used < stream->unpack.in_size));
}
