/* SPDX-License-Identifier: MIT */
/* Payloads of traces: in one piece, in small ones, packet by packet. */
#include "fuzz.h"
#include "auxtrace/auxtrace.h"

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
	unsigned nr_kinds;
	const struct pd_packet_kind *kinds = pd_aux_kinds(trace->type, &nr_kinds);

	pd_aux_begin(trace, &state, data, size);
	while (state.at < size) {
		const uint64_t at = state.at;
		if (!pd_aux_next(trace, &state, data + at, size - at, &packet))
			break;
		fuzz_require(packet.kind < nr_kinds, "a packet is of no kind");
		fuzz_require(packet.size && packet.size <= packet.line && packet.line <= size - at,
			     "a packet reaches beyond the end");
		fuzz_require(state.at == at + packet.line, "the decoder moved elsewhere");
		touch_fields(&kinds[packet.kind], &packet);
		perfdata_text_clear(text);
		pd_packet_text(trace, &packet, text);
		if (trace->type == PD_AUX_ARM_SPE && pd_spe_take(&record, &packet, at)) {
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
		uint8_t *copy = malloc(end - from + 1);
		if (!copy)
			exit(99);
		memcpy(copy, data + from, end - from);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t midrs[4] = { 0, 0x410fd0c1, 0x480fd060, 0xc00fac40 };
	const uint64_t how = fuzz_take(&data, &size, 1);
	struct pd_aux_trace trace = { .type = (uint32_t)(how % 9),
				      .size = size,
				      .address = how >> 4,
				      .midr = midrs[how >> 6],
				      .machine = how & 64 ? 2828 : 0 };
	struct perfdata_text whole, pieces;

	perfdata_text_init(&whole);
	perfdata_text_init(&pieces);
	walk(&trace, data, size, &whole);
	trace.stops_at_bad = how & 128;
	lines_of(&trace, data, size, SIZE_MAX / 2, &whole);
	/* blocks of s390 come whole */
	lines_of(&trace, data, size, trace.type == PD_AUX_S390 ? PD_S390_BLOCK : PIECE, &pieces);
	fuzz_require(whole.size == pieces.size && (!whole.size || !memcmp(whole.data, pieces.data, whole.size)),
		     "pieces differ from the whole");
	perfdata_text_release(&whole);
	perfdata_text_release(&pieces);
	return 0;
}
