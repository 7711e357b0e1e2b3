/* SPDX-License-Identifier: MIT */
/* Finds the next plausible record after damage. The position only moves forward, and at each position the search looks
 * at a bounded number of headers, so the work is linear in the skipped bytes. */
#include "config.h"
#include "reader/reader_impl.h"

#define CHAIN 4   /* number of headers that have to be plausible */

bool pd_header_is_plausible(struct pd_record_header header, bool unaligned)
{
	if (header.type > 0xffff || header.size < 8)
		return false;
	const struct perfdata_layout *layout = perfdata_record_layout(header.type);
	if (!layout || header.size < layout->min_size)
		return false;
	if (perfdata_record_is_simpleperf(header.type))
		return !header.misc;
	switch (header.type) {
	case PERFDATA_RECORD_TRACING_DATA:
	case PERFDATA_RECORD_FEATURE:
	case PERFDATA_RECORD_COMPRESSED:
		return true;
	default:
		return unaligned || header.size % 8 == 0;
	}
}

bool pd_is_magic(const uint8_t *at)
{
	return !memcmp(at, "PERFILE2", 8) || !memcmp(at, "2ELIFREP", 8) || !memcmp(at, "PERFFILE", 8);
}

/* The size of the payload that belongs to a record and follows it. */
static uint64_t payload_of(const uint8_t *at, struct pd_record_header header, bool swap)
{
	if (header.type == PERFDATA_RECORD_AUXTRACE && header.size >= 16)
		return pd_load64(at + 8, swap);
	if (header.type == PERFDATA_RECORD_TRACING_DATA && header.size >= 12 && header.size <= PD_TRACING_DATA_ALONE)
		return ((uint64_t)pd_load32(at + 8, swap) + 7) & ~7ull;
	return 0;
}

bool pd_chain_is_plausible(const struct pd_window *window, const uint8_t *at)
{
	const bool swap = window->stream->reader->config.swap;

	for (unsigned n = 0; n < CHAIN; n++) {
		const size_t left = (size_t)(window->end - at);
		if (left < 8)
			/* the window ends here, or inside a header: plausible if whole records came before */
			return n && (window->ended ? !left || n > 1 : true);
		const struct pd_record_header header = pd_record_header(at, swap);
		if (!pd_header_is_plausible(header, window->unaligned))
			return false;
		if (header.size > left || (header.type == PERFDATA_RECORD_AUXTRACE && left < 16))
			return n > 0;
		const uint64_t payload = payload_of(at, header, swap);
		if (payload > left - header.size)
			return !window->ended && payload < 1ull << 40 && header.type == PERFDATA_RECORD_AUXTRACE &&
			       header.size == 48;
		at += header.size + payload;
	}
	return true;
}

void pd_search_begin(struct pd_window *window, enum perfdata_finding_code code, bool is_cut, const char *reason)
{
	window->searching = true;
	window->gap.code = code;
	window->gap.start = window->offset;
	window->gap.reason = reason;
	window->gap.is_cut = is_cut;
	window->gap.is_text = window->gap.is_zero = true;
	window->gap.starts_anew = false;
}

static inline bool is_text_byte(uint8_t c) { return (c >= 0x20 && c < 0x7f) || (c >= '\a' && c <= '\r') || c == 0x1b; }

static void pass_bytes(struct pd_window *window, const uint8_t *to)
{
	bool text = window->gap.is_text, zero = window->gap.is_zero;
	for (const uint8_t *p = window->at; p < to && (text || zero); p++) {
		text = text && is_text_byte(*p);
		zero = zero && !*p;
	}
	window->gap.is_text = text;
	window->gap.is_zero = zero;
	pd_window_move(window, (size_t)(to - window->at));
}

static void report_gap(struct pd_window *window)
{
	pd_reader_finding(window->stream->reader, window->gap.code, window->stream->file, window->gap.start,
			  "%s%s; %llu bytes were skipped up to the next plausible record",
			  window->is_inner ? "in unpacked data: " : "", window->gap.reason,
			  (unsigned long long)(window->offset - window->gap.start));
	window->after_gap = true;
	window->searching = false;
}

/* Reports a gap at the end, after which no record was found. */
static void report_tail(struct pd_window *window)
{
	struct pd_stream *stream = window->stream;
	const unsigned long long size = window->offset - window->gap.start;
	const uint64_t at = window->gap.start;

	window->searching = false;
	if (!size)
		return;
	if (window->is_inner)
		pd_reader_finding(stream->reader, PERFDATA_FINDING_COMPRESSED_TAIL, stream->file,
				  stream->unpack.carrier, "unpacked data ends with %llu bytes that are no whole record",
				  size);
	else if (window->gap.is_text && size >= 8)
		pd_reader_finding(stream->reader, PERFDATA_FINDING_TRAILING_TEXT, stream->file, at,
				  "%llu bytes of text follow the last record", size);
	else if (window->gap.is_cut || size < 8)
		pd_reader_finding(stream->reader, PERFDATA_FINDING_TRUNCATED, stream->file, at,
				  "the records end inside this one, of which %llu bytes are there", size);
	else
		pd_reader_finding(stream->reader, PERFDATA_FINDING_TRAILING_GARBAGE, stream->file, at,
				  "%s; no record was found in the last %llu bytes%s", window->gap.reason, size,
				  window->gap.is_zero ? ", which are zero" : "");
}

bool pd_search(struct pd_window *window)
{
	const bool swap = window->stream->reader->config.swap;

	pd_window_read_whole(window, 8);
	/* the search has tried the start of the gap already */
	if (window->offset == window->gap.start && pd_window_left(window) && !window->gap.starts_anew)
		pass_bytes(window, window->at + 1);
	for (;;) {
		const bool whole = pd_window_need(window, PD_CHUNK_HEADROOM);
		if (!whole && pd_window_go_on(window))
			continue;
		if ((!whole && !window->ended) || !pd_window_settle(window))
			return false;
		/* after `stop`, a record and the next header may reach beyond the window */
		const size_t left = pd_window_left(window);
		const uint8_t *stop = whole       ? window->end - PD_CHUNK_HEADROOM + 1
				      : left >= 8 ? window->end - 7
						  : window->at;
		for (const uint8_t *p = window->at; p < stop; p++) {
			const uint32_t type = pd_load32(p, swap);
			if (type - 1 > 0xffff || !pd_chain_is_plausible(window, p))
				continue;
			pass_bytes(window, p);
			report_gap(window);
			return true;
		}
		if (whole) {
			pass_bytes(window, stop);
			continue;
		}
		pass_bytes(window, window->end);
		report_tail(window);
		return false;
	}
}
