/* SPDX-License-Identifier: MIT */
/* lib/auxtrace: packets and their fields, records of SPE, and payloads in pieces. What perf prints of each packet is in
 * testdata/perf/expected/trace-*. */
#include "config.h"
#include <stdlib.h>
#include "unit.h"
#include "auxtrace/auxtrace.h"

static struct pd_packet first(uint32_t type, const void *bytes, size_t size, struct pd_aux_state *state)
{
	const struct pd_aux_trace trace = { .type = type, .size = size };
	struct pd_packet packet = { 0 };
	CHECK(pd_aux_next(&trace, state, bytes, size, &packet));
	return packet;
}

/* The field of that name; fails where the packet has none. */
static uint64_t field(uint32_t type, const struct pd_packet *packet, const char *name)
{
	unsigned nr;
	const struct pd_packet_kind *kind = &pd_aux_kinds(type, &nr)[packet->kind];
	for (unsigned i = 0; i < kind->nr_fields; i++)
		if (!strcmp(kind->fields[i].name, name) && pd_packet_has(packet, &kind->fields[i]))
			return pd_packet_value(packet, &kind->fields[i]);
	FAIL(name);
	return UINT64_MAX;
}

static const char *name_of(uint32_t type, const struct pd_packet *packet)
{
	unsigned nr;
	return pd_aux_kinds(type, &nr)[packet->kind].name;
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

/* Addresses that are told by the last one. */
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
	const struct pd_aux_trace trace = { .type = PD_AUX_INTEL_PT };
	struct pd_aux_state state = { 0 };
	struct pd_packet packet;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		CHECK(pd_aux_next(&trace, &state, steps[i].bytes, steps[i].size, &packet));
		CHECK_EQ(packet.size, steps[i].size);
		CHECK_EQ(field(PD_AUX_INTEL_PT, &packet, "address"), steps[i].address);
	}
	const uint8_t none[] = { 0x0d };
	CHECK(pd_aux_next(&trace, &state, none, sizeof none, &packet));
	unsigned nr;
	const struct pd_packet_kind *kind = &pd_aux_kinds(PD_AUX_INTEL_PT, &nr)[packet.kind];
	CHECK(!pd_packet_has(&packet, &kind->fields[0]));
}

/* What begins no packet is one byte, and the next byte may begin one. */
static void test_bad_bytes(void)
{
	static const uint8_t bytes[] = { 0x02, 0x05, 0x09, 0x19, 1, 2, 3, 4 };
	static const char *const names[] = { "bad", "bad", "bad", "bad", "TIP.PGD" };
	const struct pd_aux_trace trace = { .type = PD_AUX_INTEL_PT };
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
	const struct pd_aux_trace trace = { .type = PD_AUX_ARM_SPE };
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
	const struct pd_aux_trace trace = { .type = PD_AUX_S390, .size = 9000 };
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

/* Every kind has a name and a meaning, and its fields lie inside. */
static void test_tables(void)
{
	for (uint32_t type = 0; type < 10; type++) {
		unsigned nr;
		const struct pd_packet_kind *kinds = pd_aux_kinds(type, &nr);
		CHECK(!nr == !kinds);
		for (unsigned i = 0; i < nr; i++) {
			CHECK(kinds[i].name && kinds[i].doc);
			for (unsigned j = 0; j < kinds[i].nr_fields; j++) {
				const struct pd_packet_field *f = &kinds[i].fields[j];
				CHECK(f->name && f->doc && f->word < PD_PACKET_WORDS && f->bits &&
				      f->shift + f->bits <= 64);
			}
		}
	}
	CHECK_STR(pd_aux_name(1), "intel_pt");
	CHECK(!pd_aux_name(0) && !pd_aux_name(8));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "fields of Intel PT", test_pt_fields },       { "addresses of Intel PT", test_pt_addresses },
		{ "bytes that are no packet", test_bad_bytes }, { "a record of SPE", test_spe_record },
		{ "a payload that is refused", test_refused },  { "tables", test_tables },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
