/* SPDX-License-Identifier: MIT */
/* Reads the frames of CoreSight: Arm, "CoreSight Architecture Specification", trace formatter. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "auxtrace/cs_stream.h"

#define FRAME 16u
#define SYNC "\xff\xff\xff\x7f"               /* four between frames mean that data is missing */

struct decoder { struct pd_cs_source source; struct pd_etm etm; };
/* A byte of a frame: its source, its offset in the frame, and the index that OpenCSD prints for it. */
struct frame_byte { uint8_t id, byte, place, index; };

struct pd_cs_stream {
	size_t size;                         /* bytes of this allocation, decoders and cuts included */
	uint64_t aux_offset, at;
	struct pd_cs_cut cut;
	bool in_cut, size_unchecked;
	uint8_t id;                          /* source of the next byte; PD_CS_NO_ID before the first */
	uint8_t last_id, protocol;           /* of the source with the highest id, named in perf's head line */
	uint64_t sync_at;   /* offset of the first of the marks before this place; UINT64_MAX: no marks */
	uint64_t frame_at;
	struct frame_byte bytes[FRAME];      /* the frame's bytes; those before `byte` are consumed */
	unsigned byte, nr_bytes;
	uint8_t of_id[PD_CS_NO_ID];          /* decoder number by source id, from 1; 0: none */
	uint8_t raw;                         /* decoder number if the buffer has no frames */
	size_t nr_cuts, next_cut, nr_decoders;
	struct decoder decoders[];
};

static struct pd_cs_cut *cuts_of(struct pd_cs_stream *stream)
{
	return (struct pd_cs_cut *)(void *)(stream->decoders + stream->nr_decoders);
}

/* --- payloads ----------------------------------------------------------------------------------------------------- */

/* Returns the sink of this processor's trace. */
static uint64_t sink_of(const struct pd_cs_source *sources, size_t nr, int32_t cpu)
{
	for (size_t i = 0; i < nr; i++)
		if (sources[i].cpu == cpu)
			return sources[i].sink;
	return PD_CS_ANY_SINK;
}

static void add_source(struct pd_cs_stream *stream, const struct pd_cs_source *source, int32_t cpu)
{
	struct decoder *decoder = &stream->decoders[stream->nr_decoders++];
	decoder->source = *source;
	if (source->id < PD_CS_NO_ID && !stream->of_id[source->id])
		stream->of_id[source->id] = (uint8_t)stream->nr_decoders;
	if (!stream->raw || source->cpu == cpu)
		stream->raw = (uint8_t)stream->nr_decoders;
	if (source->id >= stream->last_id) {
		stream->last_id = source->id;
		stream->protocol = source->protocol;
	}
}

/* Every source has an id, so there are at most as many sources as ids. */
struct pd_cs_stream *pd_cs_stream_new(const struct pd_cs_source *sources, size_t nr_sources, int32_t cpu,
				      uint64_t aux_offset, const struct pd_cs_cut *cuts, size_t nr_cuts)
{
	const uint64_t sink = sink_of(sources, nr_sources, cpu);
	size_t nr = 0;
	for (size_t i = 0; i < nr_sources && nr < PD_CS_NO_ID; i++)
		nr += sources[i].id < PD_CS_NO_ID && (sink == PD_CS_ANY_SINK || sources[i].sink == sink);
	const size_t size = sizeof(struct pd_cs_stream) + nr * sizeof(struct decoder) + nr_cuts * sizeof *cuts;
	struct pd_cs_stream *stream = pd_calloc(1, size);
	if (!stream)
		return NULL;
	*stream = (struct pd_cs_stream){ .size = size,
					 .aux_offset = aux_offset,
					 .id = PD_CS_NO_ID,
					 .sync_at = UINT64_MAX,
					 .nr_cuts = nr_cuts };
	for (size_t i = 0; i < nr_sources && stream->nr_decoders < nr; i++)
		if (sources[i].id < PD_CS_NO_ID && (sink == PD_CS_ANY_SINK || sources[i].sink == sink))
			add_source(stream, &sources[i], cpu);
	if (nr_cuts)
		memcpy(cuts_of(stream), cuts, nr_cuts * sizeof *cuts);
	return stream;
}

struct pd_cs_stream *pd_cs_stream_copy(const struct pd_cs_stream *stream, uint64_t stop)
{
	struct pd_cs_stream *from = (struct pd_cs_stream *)(uintptr_t)stream;
	const struct pd_cs_cut *cuts = cuts_of(from) + stream->next_cut;
	size_t nr_cuts = 0;
	while (stream->next_cut + nr_cuts < stream->nr_cuts && cuts[nr_cuts].from < stop)
		nr_cuts++;
	const size_t head = sizeof *stream + stream->nr_decoders * sizeof *stream->decoders,
		     size = head + nr_cuts * sizeof *cuts;
	/* twice the size: the working state, and its initial state */
	struct pd_cs_stream *copy = pd_calloc(2, size);
	if (!copy)
		return NULL;
	memcpy(copy, stream, head);
	copy->size = size;
	copy->nr_cuts = nr_cuts;
	copy->next_cut = 0;
	if (nr_cuts)
		memcpy(cuts_of(copy), cuts, nr_cuts * sizeof *cuts);
	memcpy((uint8_t *)copy + size, copy, size);
	return copy;
}

void pd_cs_stream_rewind(struct pd_cs_stream *copy) { memcpy(copy, (uint8_t *)copy + copy->size, copy->size); }

static bool is_decoded(const struct decoder *decoder) { return decoder->source.protocol >= PD_CS_ETMV4; }

bool pd_cs_stream_is_decoded(const struct pd_cs_stream *stream)
{
	for (size_t i = 0; i < stream->nr_decoders; i++)
		if (is_decoded(&stream->decoders[i]))
			return true;
	return !stream->nr_decoders;
}

uint8_t pd_cs_source_from(const struct pd_cs_stream *stream, uint8_t id)
{
	for (; id < PD_CS_NO_ID; id++)
		if (stream->of_id[id] && is_decoded(&stream->decoders[stream->of_id[id] - 1]))
			break;
	return id;
}

struct pd_cs_head pd_cs_head(const struct pd_cs_stream *stream)
{
	static const char *const names[] = { "ETMV3", "PTM", "ETMV4I", "ETE" };
	const uint8_t protocol = stream->cut.raw && stream->raw ? stream->decoders[stream->raw - 1].source.protocol
								: stream->protocol;
	return (struct pd_cs_head){ names[protocol], stream->cut.to - stream->cut.from, stream->aux_offset,
				    stream->cut.raw };
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

/* Consecutive bytes of a source. OpenCSD's index counts from the first byte, or from the id before it. */
struct group { unsigned first, size; };

static void put_byte(struct pd_cs_stream *stream, struct group *group, unsigned place, unsigned byte)
{
	stream->bytes[stream->nr_bytes++] = (struct frame_byte){ .id = stream->id,
								 .byte = (uint8_t)byte,
								 .place = (uint8_t)place,
								 .index = (uint8_t)(group->first + group->size++) };
}

/* An even byte of a frame is the id of a source, for the bytes from the next or the one after it on; or it is data
 * without its lowest bit, which the last byte holds. */
static void unpack_frame(struct pd_cs_stream *stream, const uint8_t *frame)
{
	struct group group = { 0, 0 };
	stream->byte = stream->nr_bytes = 0;
	for (unsigned place = 0; place < FRAME; place += 2) {
		const unsigned even = frame[place], odd = frame[place + 1], low = frame[15] >> place / 2 & 1;
		const bool is_id = even & 1, is_other = is_id && even >> 1 != stream->id;
		if (!is_id)
			put_byte(stream, &group, place, even | low);
		if (is_other && low && place < 14)
			put_byte(stream, &group, place + 1, odd);
		if (is_other) {
			stream->id = (uint8_t)(even >> 1);
			if (group.size)
				group = (struct group){ place, 0 };
		}
		if (place < 14 && !(is_other && low))
			put_byte(stream, &group, place + 1, odd);
	}
}

static void reset_stream(struct pd_cs_stream *stream)
{
	for (size_t i = 0; i < stream->nr_decoders; i++)
		pd_etm_reset(&stream->decoders[i].etm);
	stream->id = PD_CS_NO_ID;
}

static unsigned marks_at(const uint8_t *frame)
{
	unsigned nr = 0;
	while (nr < 4 && !memcmp(frame + 4 * nr, SYNC, 4))
		nr++;
	return nr;
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

/* Passes a byte to its decoder. True: a packet ended. */
static bool feed_byte(struct pd_cs_stream *stream, struct pd_packet *ret, uint64_t *ret_at)
{
	const struct frame_byte *byte = &stream->bytes[stream->byte];
	const unsigned number = stream->cut.raw ? stream->raw : byte->id < PD_CS_NO_ID ? stream->of_id[byte->id] : 0;
	struct decoder *decoder = number ? &stream->decoders[number - 1] : NULL;
	bool taken;
	if (!decoder || !is_decoded(decoder)) {
		stream->byte++;
		return false;
	}
	const bool whole = pd_etm_feed(&decoder->source.setup, &decoder->etm, byte->byte,
				       stream->aux_offset + stream->frame_at + byte->index,
				       stream->frame_at + byte->place, &taken, ret);
	stream->byte += taken;
	if (!whole)
		return false;
	*ret_at = decoder->etm.ended;
	ret->words[PD_ETM_SOURCE] = decoder->source.id | (uint64_t)(uint32_t)decoder->source.cpu << 32;
	return true;
}

static bool begin_cut(struct pd_cs_stream *stream, uint64_t stop)
{
	if (stream->next_cut == stream->nr_cuts || cuts_of(stream)[stream->next_cut].from >= stop)
		return false;
	stream->cut = cuts_of(stream)[stream->next_cut++];
	stream->at = stream->cut.from;
	stream->in_cut = stream->size_unchecked = true;
	stream->sync_at = UINT64_MAX;
	reset_stream(stream);
	return true;
}

/* Takes a frame, or a byte of a source without frames. PD_CS_PACKET: continue. */
static enum pd_cs_step take_bytes(struct pd_cs_stream *stream, const uint8_t *bytes, size_t size, uint64_t from)
{
	const size_t inside = (size_t)(stream->at - from);
	stream->frame_at = stream->at;
	if (stream->cut.raw) {
		if (inside >= size)
			return PD_CS_END;
		stream->bytes[0] = (struct frame_byte){ .byte = bytes[inside] };
		stream->byte = 0;
		stream->nr_bytes = 1;
		stream->at++;
		return PD_CS_PACKET;
	}
	if (inside > size || size - inside < FRAME)
		return PD_CS_END;
	const unsigned marks = marks_at(bytes + inside);
	if (marks && stream->sync_at == UINT64_MAX)
		stream->sync_at = stream->at;
	if (marks && marks < 4) {
		stream->at = stream->cut.to;
		return PD_CS_BAD_SYNC;
	}
	/* this frame follows the last mark */
	if (!marks && stream->sync_at != UINT64_MAX)
		return PD_CS_RESET;
	stream->at += FRAME;
	if (marks)
		return PD_CS_PACKET;
	unpack_frame(stream, bytes + inside);
	return PD_CS_PACKET;
}

enum pd_cs_step pd_cs_next(struct pd_cs_stream *stream, const uint8_t *bytes, size_t size, uint64_t from,
			   uint64_t stop, struct pd_packet *ret, uint64_t *ret_at)
{
	for (;;) {
		while (stream->byte < stream->nr_bytes)
			if (feed_byte(stream, ret, ret_at))
				return PD_CS_PACKET;
		if (stream->in_cut && stream->at >= stream->cut.to) {
			stream->in_cut = false;
			if (stream->sync_at != UINT64_MAX) {
				stream->sync_at = UINT64_MAX;
				return PD_CS_RESET;
			}
		}
		if (!stream->in_cut)
			return begin_cut(stream, stop) ? PD_CS_CUT : PD_CS_END;
		if (stream->size_unchecked) {
			stream->size_unchecked = false;
			if (!stream->cut.raw && (stream->cut.to - stream->cut.from) % FRAME) {
				stream->at = stream->cut.to;
				*ret_at = stream->cut.from;
				return PD_CS_BAD_SIZE;
			}
		}
		if (stream->at >= stop || stream->at < from)
			return PD_CS_END;
		const enum pd_cs_step step = take_bytes(stream, bytes, size, from);
		if (step == PD_CS_RESET) {
			reset_stream(stream);
			stream->sync_at = UINT64_MAX;
		} else if (step == PD_CS_BAD_SYNC) {
			*ret_at = stream->sync_at;
			stream->sync_at = UINT64_MAX;
		}
		if (step != PD_CS_PACKET)
			return step;
	}
}
