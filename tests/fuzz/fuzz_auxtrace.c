/* SPDX-License-Identifier: MIT */
/* Payloads of traces: in one piece, in small ones, packet by packet. */
#include "fuzz.h"
#include "base/memory.h"
#include "auxtrace/cs_stream.h"

#define PIECE 192u

static void touch_fields(const struct pd_packet_kind *kind, const struct pd_packet *packet)
{
	for (unsigned i = 0; i < kind->nr_fields; i++) {
		fuzz_require(kind->fields[i].word < PD_PACKET_WORDS, "a field lies outside");
		if (pd_packet_has(packet, &kind->fields[i]))
			(void)pd_packet_value(packet, &kind->fields[i]);
	}
}

/* Every byte is part of one packet's line, or of what no packet is wanted of. */
static void walk(const struct pd_aux_trace *trace, const uint8_t *data, size_t size, struct perfdata_text *text)
{
	struct pd_aux_state state = { 0 };
	struct pd_spe_record record = { 0 };
	struct pd_packet packet;
	const unsigned nr_kinds = trace->tracer ? trace->tracer->nr_kinds : 0;
	const struct pd_packet_kind *kinds = trace->tracer ? trace->tracer->kinds : NULL;

	pd_aux_begin(trace, &state, data, size);
	while (state.at < size) {
		const uint64_t at = state.at;
		if (!pd_aux_next(trace, &state, data + at, (size_t)(size - at), &packet))
			break;
		fuzz_require(packet.kind < nr_kinds, "a packet is of no kind");
		fuzz_require(packet.size && packet.size <= packet.line && packet.line <= size - at,
			     "a packet reaches beyond the end");
		fuzz_require(state.at == at + packet.line, "the decoder moved elsewhere");
		touch_fields(&kinds[packet.kind], &packet);
		perfdata_text_clear(text);
		pd_packet_text(trace, &packet, text);
		if (trace->tracer->has_operations && pd_spe_take(&record, &packet, at)) {
			fuzz_require(record.from < record.end && record.end <= size, "a record reaches beyond the end");
			fuzz_require(pd_spe_operation(&record) != NULL, "an operation has no name");
			record = (struct pd_spe_record){ 0 };
		}
	}
}

static void lines_of(const struct pd_aux_trace *trace, const uint8_t *data, size_t size, size_t piece,
		     struct perfdata_text *out)
{
	struct pd_aux_state state = { 0 };
	uint64_t from = 0;

	perfdata_text_clear(out);
	pd_aux_begin(trace, &state, data, size);
	pd_aux_head(trace, &state, out);
	for (;;) {
		const uint64_t end = size - from > piece + PD_PACKET_REACH ? from + piece + PD_PACKET_REACH : size;
		const uint64_t stop = end == size ? size : end - PD_PACKET_REACH;
		/* a copy of exactly its size: a byte too far is seen */
		uint8_t *copy = malloc((size_t)(end - from) + 1);
		if (!copy)
			exit(99);
		memcpy(copy, data + from, (size_t)(end - from));
		struct pd_aux_state skipped = state;
		pd_aux_skip(trace, &skipped, copy, (size_t)(end - from), from, stop);
		pd_aux_lines(trace, &state, copy, (size_t)(end - from), from, stop, out);
		free(copy);
		fuzz_require(skipped.at == state.at && skipped.ip == state.ip && skipped.form == state.form,
			     "passing over is not reading");
		if (end == size)
			return;
		from = stop;
	}
}

/* --- buffers of several sources --- */

/* Sources of ids 1, 2, … with all that their packets may have. */
static struct pd_cs_stream *stream_of(uint64_t how, size_t size)
{
	struct pd_cs_source sources[3] = { 0 };
	const struct pd_cs_cut cuts[3] = { { size / 8, size / 2, how & 32 }, { size / 2, size / 2 + size / 4, false },
					   { size - size % 16, size, how & 16 } };
	const struct pd_cs_cut whole = { 0, how & 32 ? size : size - size % 16, how & 32 };
	for (unsigned i = 0; i < 3; i++)
		sources[i] = (struct pd_cs_source){ .id = (uint8_t)(i + 1),
						    .protocol = PD_CS_ETMV4,
						    .cpu = (int32_t)i,
						    .sink = PD_CS_ANY_SINK,
						    .setup = { .version = how & 16 ? 0x53 : 0x46,
							       .commits_implied = how & 64,
							       .data_trace = i == 0,
							       .conditionals = i != 1,
							       .q_elements = i != 2,
							       .cycle_bits = (uint8_t)(12 + i),
							       .vmid_bytes = (uint8_t)(i == 2 ? 4 : i),
							       .context_id_bytes = i ? 4 : 0 } };
	return pd_cs_stream_new(sources, 3, 1, 4096, how & 128 ? cuts : &whole, how & 128 ? 3 : 1);
}

static void coresight_lines(uint64_t how, const uint8_t *data, size_t size, size_t piece, struct perfdata_text *out)
{
	struct pd_cs_stream *stream = stream_of(how, size);
	uint64_t from = 0, last;
	struct pd_packet packet;
	perfdata_text_clear(out);
	if (!stream)
		exit(99);
	for (;;) {
		const uint64_t end = size - from > piece + PD_PACKET_REACH ? from + piece + PD_PACKET_REACH : size;
		const uint64_t stop = end == size ? size : end - PD_PACKET_REACH;
		struct pd_cs_stream *copy = pd_cs_stream_copy(stream, stop);
		uint8_t *bytes = malloc((size_t)(end - from) + 1);
		if (!copy || !bytes)
			exit(99);
		memcpy(bytes, data + from, (size_t)(end - from));
		pd_cs_lines(copy, bytes, (size_t)(end - from), from, stop, out);
		enum pd_cs_step step;
		while ((step = pd_cs_next(stream, bytes, (size_t)(end - from), from, stop, &packet, &last)) !=
		       PD_CS_END) {
			if (step != PD_CS_PACKET)
				continue;
			fuzz_require(packet.kind < PD_ETM_KINDS && packet.size, "a packet is of no kind");
			fuzz_require(last < size, "a packet begins beyond the end");
			touch_fields(&pd_etm_kinds[packet.kind], &packet);
		}
		pd_free(copy);
		free(bytes);
		if (end == size)
			break;
		from = stop;
	}
	pd_free(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t midrs[4] = { 0, 0x410fd0c1, 0x480fd060, 0xc00fac40 };
	const uint64_t how = fuzz_take(&data, &size, 1);
	struct pd_aux_trace trace = { .tracer = pd_tracer_of((uint32_t)(how % 9)),
				      .size = size,
				      .address = how >> 4,
				      .midr = midrs[how >> 6],
				      .machine = how & 64 ? 2828 : 0 };
	struct perfdata_text whole, pieces;

	perfdata_text_init(&whole);
	perfdata_text_init(&pieces);
	if (trace.tracer == &pd_coresight_tracer) {
		coresight_lines(how, data, size, SIZE_MAX / 2, &whole);
		coresight_lines(how, data, size, PIECE, &pieces);
	} else {
		walk(&trace, data, size, &whole);
		trace.stops_at_bad = how & 128;
		lines_of(&trace, data, size, SIZE_MAX / 2, &whole);
		/* blocks of s390 come whole */
		lines_of(&trace, data, size, trace.tracer == &pd_s390_tracer ? PD_S390_BLOCK : PIECE, &pieces);
	}
	fuzz_require(whole.size == pieces.size && (!whole.size || !memcmp(whole.data, pieces.data, whole.size)),
		     "pieces differ from the whole");
	perfdata_text_release(&whole);
	perfdata_text_release(&pieces);
	return 0;
}
