/* SPDX-License-Identifier: MIT */
/* lib/auxtrace: packets and their fields, records of SPE, and payloads in pieces. What perf prints of each packet is in
 * testdata/perf/expected/trace-*. */
#include "config.h"
#include <stdlib.h>
#include "unit.h"
#include "base/memory.h"
#include "auxtrace/cs_cuts.h"

static struct pd_packet first(uint32_t type, const void *bytes, size_t size, struct pd_aux_state *state)
{
	const struct pd_aux_trace trace = { .tracer = pd_tracer_of(type), .size = size };
	struct pd_packet packet = { 0 };
	CHECK(pd_aux_next(&trace, state, bytes, size, &packet));
	return packet;
}

/* The field of that name; fails where the packet has none. */
static uint64_t field(uint32_t type, const struct pd_packet *packet, const char *name)
{
	const struct pd_packet_kind *kind = &pd_tracer_of(type)->kinds[packet->kind];
	for (unsigned i = 0; i < kind->nr_fields; i++)
		if (!strcmp(kind->fields[i].name, name) && pd_packet_has(packet, &kind->fields[i]))
			return pd_packet_value(packet, &kind->fields[i]);
	FAIL(name);
	return UINT64_MAX;
}

static const char *name_of(uint32_t type, const struct pd_packet *packet)
{
	return pd_tracer_of(type)->kinds[packet->kind].name;
}

#define PT(...) \
	struct pd_aux_state state = { 0 }; \
	const uint8_t bytes[] = { __VA_ARGS__ }; \
	const struct pd_packet packet = first(PD_AUX_INTEL_PT, bytes, sizeof bytes, &state)

static void test_pt_fields(void)
{
	{
		PT(0x19, 0xcd, 0xab, 0x90, 0x78, 0x56, 0x34, 0x12);
		CHECK_STR(name_of(PD_AUX_INTEL_PT, &packet), "TSC");
		CHECK_EQ(field(PD_AUX_INTEL_PT, &packet, "tsc"), 0x1234567890abcd);
		CHECK_EQ(state.at, 8);
	}
	{
		PT(0x02, 0x43, 0x03, 0, 0, 0, 0x01, 0);
		CHECK_EQ(field(PD_AUX_INTEL_PT, &packet, "cr3"), (0x100000003ull >> 1) << 5);
		CHECK_EQ(field(PD_AUX_INTEL_PT, &packet, "non_root"), 1);
	}
	{
		PT(0x02, 0xa2, 0x21, 0x0f, 0, 0, 0);
		CHECK_EQ(field(PD_AUX_INTEL_PT, &packet, "last_c_state"), 2);
		CHECK_EQ(field(PD_AUX_INTEL_PT, &packet, "deepest_c_state"), 1);
		CHECK_EQ(field(PD_AUX_INTEL_PT, &packet, "wake_reason"), 0xf);
	}
	{
		PT(0x1c, 0, 0, 0, 0);
		CHECK_EQ(packet.size, 1);
		CHECK_EQ(packet.line, 5);
		CHECK_EQ(packet.words[0], 6);
		CHECK_EQ(packet.words[1], 3);
	}
}

/* Addresses that depend on the previous address. */
static void test_pt_addresses(void)
{
	static const struct {
		uint8_t bytes[9], size;
		uint64_t address;
	} steps[] = {
		{ { 0xcd, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11 }, 9, 0x1122334455667788 },
		{ { 0x2d, 0xcd, 0xab }, 3, 0x112233445566abcd },
		{ { 0x5d, 0x04, 0x03, 0x02, 0x01 }, 5, 0x1122334401020304 },
		{ { 0x91, 1, 0, 0, 0, 0, 0x80 }, 7, 0x1122800000000001 },
		{ { 0x71, 1, 0, 0, 0, 0, 0x80 }, 7, 0xffff800000000001 },
		{ { 0x61, 1, 0, 0, 0, 0, 0x70 }, 7, 0x0000700000000001 },
	};
	const struct pd_aux_trace trace = { .tracer = &pd_pt_tracer };
	struct pd_aux_state state = { 0 };
	struct pd_packet packet;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		CHECK(pd_aux_next(&trace, &state, steps[i].bytes, steps[i].size, &packet));
		CHECK_EQ(packet.size, steps[i].size);
		CHECK_EQ(field(PD_AUX_INTEL_PT, &packet, "address"), steps[i].address);
	}
	const uint8_t none[] = { 0x0d };
	CHECK(pd_aux_next(&trace, &state, none, sizeof none, &packet));
	const struct pd_packet_kind *kind = &pd_pt_tracer.kinds[packet.kind];
	CHECK(!pd_packet_has(&packet, &kind->fields[0]));
}

/* What begins no packet is one byte, and the next byte may begin one. */
static void test_bad_bytes(void)
{
	static const uint8_t bytes[] = { 0x02, 0x05, 0x09, 0x19, 1, 2, 3, 4 };
	static const char *const names[] = { "bad", "bad", "bad", "bad", "TIP.PGD" };
	const struct pd_aux_trace trace = { .tracer = &pd_pt_tracer };
	struct pd_aux_state state = { 0 };
	struct pd_packet packet;
	unsigned n = 0;
	while (state.at < sizeof bytes) {
		const size_t at = (size_t)state.at;
		CHECK(pd_aux_next(&trace, &state, bytes + at, sizeof bytes - at, &packet));
		if (n < 5)
			CHECK_STR(name_of(PD_AUX_INTEL_PT, &packet), names[n]);
		n++;
	}
	CHECK(n >= 6);
	CHECK_EQ(state.at, sizeof bytes);
}

static void test_spe_record(void)
{
	static const uint8_t bytes[] = {
		0xb0, 0x38, 0x61, 0x40, 0, 0, 0, 0, 0x80, 0x64, 100, 0, 0, 0, 0x98, 0xc0, 0, 0x99, 0x84, 0, 0x49, 0x01,
		0x52, 0x16, 0, 0xb2, 0x10, 0, 0, 0, 0, 0x7f, 0xf0, 0xab, 0, 0, 0x71, 0xfb, 0xe1, 0xf5, 0x05, 0, 0, 0, 0,
		0xb0, 1, 0, 0, 0, 0, 0, 0, 0xa0, 0x01,
	};
	const struct pd_aux_trace trace = { .tracer = &pd_spe_tracer };
	struct pd_aux_state state = { 0 };
	struct pd_spe_record record = { 0 };
	struct pd_packet packet;
	unsigned whole = 0;
	while (state.at < sizeof bytes) {
		const size_t at = (size_t)state.at;
		CHECK(pd_aux_next(&trace, &state, bytes + at, sizeof bytes - at, &packet));
		if (!pd_spe_take(&record, &packet, at))
			continue;
		if (!whole++) {
			CHECK_EQ(record.pc, 0x406138);
			CHECK_EQ(record.virtual_address, 0xfff07f0000000010ull);
			CHECK_EQ(record.total, 192);
			CHECK_EQ(record.issue, 132);
			CHECK_EQ(record.context, 100);
			CHECK_EQ(record.timer, 100000251);
			CHECK_EQ(record.events, 0x16);
			CHECK_EQ(record.op_class, 1);
			CHECK_EQ(record.from, 0);
			CHECK_EQ(record.end, 45);
		} else {
			CHECK_EQ(record.pc, 0xff00000000000001ull);
			CHECK_EQ(record.present, PD_SPE_PC);
		}
		record = (struct pd_spe_record){ 0 };
	}
	CHECK_EQ(whole, 2);
}

/* Of a payload that is not s390's nothing is shown, in no piece of it. */
static void test_refused(void)
{
	static const uint8_t bytes[256] = { 0 };
	const struct pd_aux_trace trace = { .tracer = &pd_s390_tracer, .size = 9000 };
	struct pd_aux_state state = { 0 };
	struct perfdata_text text;
	perfdata_text_init(&text);
	pd_aux_begin(&trace, &state, bytes, sizeof bytes);
	CHECK(state.refused);
	pd_aux_lines(&trace, &state, bytes, sizeof bytes, 4096, 4200, &text);
	pd_aux_skip(&trace, &state, bytes, sizeof bytes, 8192, 8300);
	CHECK_EQ(text.size, 0);
	CHECK_EQ(state.at, 0);
	perfdata_text_release(&text);
}

/* --- CoreSight --- */

static const struct pd_cs_source one_source = {
	.id = 0x10,
	.protocol = PD_CS_ETMV4,
	.cpu = 3,
	.sink = PD_CS_ANY_SINK,
	.setup = { .version = 0x42, .commits_implied = true, .cycle_bits = 12, .vmid_bytes = 1, .context_id_bytes = 4 },
};
#define A_SYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80

/* The packets of one source, in one cut. */
static void test_etm_packets(void)
{
	static const uint8_t bytes[] = {
		0x04, A_SYNC, 0x01, 0x01, 0x00,
		0x9d, 0x0d, 0x09, 0x08, 0x10, 0x00, 0x80, 0xff, 0xff,   /* address */
		0x95, 0x05, 0x91,                                       /* its lower bits, and the one before */
		0x81, 0xd1, 0x07, 0x01, 0x02, 0x03, 0x00,               /* context */
		0x03, 0x85, 0x01, 0x09, 0xd9, 0x05,                     /* time, atoms, a reserved byte */
		0x9a, 0x01,                                             /* cut */
	};
	static const struct {
		const char *name, *field;
		uint64_t value, at;
	} want[] = {
		{ "I_NOT_SYNC", "source", 0x10, 0 },
		{ "I_ASYNC", "source_cpu", 3, 1 },
		{ "I_TRACE_INFO", "info", 0, 13 },
		{ "I_ADDR_L_64IS0", "address", 0xffff800010081234, 16 },
		{ "I_ADDR_S_IS0", "address", 0xffff800010081214, 25 },
		{ "I_ADDR_MATCH", "address", 0xffff800010081234, 27 },
		{ "I_CTXT", "context_id", 0x30201, 28 },
		{ "I_TIMESTAMP", "timestamp", 0x85, 35 },
		{ "I_ATOM_F2", "atoms", 1, 39 },
		{ "I_RESERVED", "byte", 5, 40 },
	};
	const struct pd_cs_cut cut = { 0, sizeof bytes, true };
	struct pd_cs_stream *stream = pd_cs_stream_new(&one_source, 1, 3, 0x1000, &cut, 1);
	struct pd_packet packet;
	uint64_t at;
	CHECK(stream && pd_cs_stream_is_decoded(stream));
	CHECK_EQ(pd_cs_next(stream, bytes, sizeof bytes, 0, sizeof bytes, &packet, &at), PD_CS_CUT);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		CHECK_EQ(pd_cs_next(stream, bytes, sizeof bytes, 0, sizeof bytes, &packet, &at), PD_CS_PACKET);
		CHECK_STR(name_of(PD_AUX_CORESIGHT, &packet), want[i].name);
		CHECK_EQ(field(PD_AUX_CORESIGHT, &packet, want[i].field), want[i].value);
		CHECK_EQ(at, want[i].at);
		CHECK_EQ(packet.words[PD_ETM_INDEX], 0x1000 + at);
	}
	CHECK_EQ(pd_cs_next(stream, bytes, sizeof bytes, 0, sizeof bytes, &packet, &at), PD_CS_END);
	pd_free(stream);
}

/* A frame of two sources, one of them unknown; then cuts that are no frames, and marks. */
static void test_cs_frames(void)
{
	static const uint8_t bytes[] = {
		/* id 10 at once; id 33 after a byte of 10; 10 again: an odd byte; lowest bits */
		0x21, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0x67, 0x00, 0x21, 0x00, 0x21, 0x20,
		0x80, 0x00, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x00,
		0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
		0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		1, 2, 3,
	};
	const struct pd_cs_cut cuts[3] = { { 0, 48, false }, { 48, 64, false }, { 64, 67, false } };
	static const enum pd_cs_step steps[] = { PD_CS_CUT, PD_CS_RESET, PD_CS_CUT, PD_CS_BAD_SYNC, PD_CS_CUT,
						 PD_CS_BAD_SIZE, PD_CS_END };
	struct pd_cs_stream *stream = pd_cs_stream_new(&one_source, 1, 3, 0, cuts, 3);
	struct pd_packet packet;
	uint64_t at;
	unsigned packets = 0;
	CHECK(stream != NULL);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		enum pd_cs_step step;
		while ((step = pd_cs_next(stream, bytes, sizeof bytes, 0, sizeof bytes, &packet, &at)) == PD_CS_PACKET)
			if (!packets++) {
				CHECK_STR(name_of(PD_AUX_CORESIGHT, &packet), "I_ASYNC");
				CHECK_EQ(at, 1);
			}
		CHECK_EQ(step, steps[i]);
	}
	CHECK_EQ(packets, 14);
	pd_free(stream);
}

/* A source that no packets are decoded of; no sources. */
static void test_cs_undecoded(void)
{
	struct pd_cs_source source = one_source;
	const struct pd_cs_cut cut = { 0, 4, true };
	static const uint8_t bytes[4] = { 0 };
	struct pd_packet packet;
	uint64_t at;
	source.protocol = PD_CS_PTM;
	for (size_t nr = 0; nr < 2; nr++) {
		struct pd_cs_stream *stream = pd_cs_stream_new(&source, nr, -1, 0, &cut, 1);
		CHECK(stream && pd_cs_stream_is_decoded(stream) == !nr);
		CHECK_EQ(pd_cs_next(stream, bytes, 4, 0, 4, &packet, &at), PD_CS_CUT);
		CHECK_EQ(pd_cs_head(stream).size, 4);
		CHECK_STR(pd_cs_head(stream).name, nr ? "PTM" : "ETMV3");
		CHECK_EQ(pd_cs_next(stream, bytes, 4, 0, 4, &packet, &at), PD_CS_END);
		pd_free(stream);
	}
}

/* Parts of a payload: in order, without overlaps, of its own processor; what is left after them. */
static void test_cs_cuts(void)
{
	static const struct { uint64_t offset, size, flags; int32_t cpu; } aux[] = {
		{ 0x1040, 0x10, 0, 0 },  { 0x1000, 0x20, 0x100, 0 }, { 0x1010, 0x20, 0, 0 }, { 0x1000, 0x20, 0, 1 },
		{ 0x1000, 0x900, 0, 0 }, { UINT64_MAX, 2, 0, 0 },    { 0x1030, 0, 0, 0 },    { 0x1100, 0x10, 2, 0 },
		{ 0x1100, 0x10, 0, 0 },
	};
	static const struct pd_cs_cut want[] = { { 0, 0x20, true }, { 0x40, 0x50, false }, { 0xf0, 0x100, false } };
	const struct perfdata_auxtrace payload = { .size = 0x100, .offset = 0x1000, .tid = -1, .cpu = 0 };
	struct pd_cs_trace trace = { 0 };
	struct pd_cs_cuts cuts;
	for (size_t i = 0; i < sizeof aux / sizeof *aux; i++) {
		const struct perfdata_aux record = { .aux_offset = aux[i].offset,
						     .aux_size = aux[i].size,
						     .flags = aux[i].flags };
		CHECK_EQ(pd_cs_trace_area(&trace, &record, aux[i].cpu, 100), PERFDATA_OK);
	}
	CHECK_EQ(pd_cs_trace_cuts(&trace, &payload, &cuts), PERFDATA_OK);
	CHECK_EQ(cuts.nr, sizeof want / sizeof *want);
	for (size_t i = 0; i < cuts.nr && i < sizeof want / sizeof *want; i++) {
		CHECK_EQ(cuts.list[i].from, want[i].from);
		CHECK_EQ(cuts.list[i].to, want[i].to);
		CHECK_EQ(cuts.list[i].raw, want[i].raw);
	}
	pd_free(cuts.list);
	/* what waits: parts of the other processor, and parts that begin after the payload */
	CHECK_EQ(trace.nr_areas, 3);
	const struct perfdata_auxtrace next = { .size = 0x20, .offset = 0x1100, .tid = -1, .cpu = 0 };
	CHECK_EQ(pd_cs_trace_cuts(&trace, &next, &cuts), PERFDATA_OK);
	CHECK_EQ(cuts.nr, 2);
	CHECK_EQ(cuts.list[1].from, 0x10);
	CHECK_EQ(cuts.list[1].to, 0x20);
	pd_free(cuts.list);
	pd_cs_trace_release(&trace);
}

/* Every kind has a name and a meaning, and its fields lie inside. */
static void test_tables(void)
{
	for (uint32_t type = 0; type < 10; type++) {
		const struct pd_tracer *tracer = pd_tracer_of(type);
		if (!tracer)
			continue;
		CHECK_EQ(tracer->type, type);
		CHECK(tracer->nr_kinds && tracer->kinds && tracer->name);
		const struct pd_packet_kind *kinds = tracer->kinds;
		for (unsigned i = 0; i < tracer->nr_kinds; i++) {
			CHECK(kinds[i].name && kinds[i].doc);
			for (unsigned j = 0; j < kinds[i].nr_fields; j++) {
				const struct pd_packet_field *f = &kinds[i].fields[j];
				CHECK(f->name && f->doc && f->word < PD_PACKET_WORDS && f->bits &&
				      f->shift + f->bits <= 64);
			}
		}
	}
	CHECK_STR(pd_tracer_of(1)->name, "intel_pt");
	CHECK(!pd_tracer_of(0) && !pd_tracer_of(8));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "fields of Intel PT", test_pt_fields },       { "addresses of Intel PT", test_pt_addresses },
		{ "bytes that are no packet", test_bad_bytes }, { "a record of SPE", test_spe_record },
		{ "packets of ETMv4", test_etm_packets },       { "frames of CoreSight", test_cs_frames },
		{ "sources not decoded", test_cs_undecoded },   { "parts of a payload", test_cs_cuts },
		{ "a payload that is refused", test_refused },  { "tables", test_tables },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
