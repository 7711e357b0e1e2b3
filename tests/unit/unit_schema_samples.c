/* SPDX-License-Identifier: MIT */
/* Samples: every field alone and together, read values in every format, and the traps of the kernel. */
#include "config.h"
#include "schema_records.h"
#include "schema/schema.h"

static void sample_of_type(uint64_t type, uint64_t read_format, uint64_t branch_sample_type)
{
	static struct build b[2];
	struct perfdata_record r[2];
	struct perfdata_config config;
	struct perfdata_attr attr;
	struct perfdata_peek peek;

	make_attr(&attr, type);
	attr.read_format = read_format;
	attr.branch_sample_type = branch_sample_type;
	for (unsigned big = 0; big < 2; big++) {
		pd_config_init(&config, &attr, order_of(big));
		build_sample(&b[big], big, type, &attr);
		CHECK_EQ(perfdata_decode(&config, b[big].data, b[big].size, &r[big]), PERFDATA_OK);
		CHECK_EQ(r[big].rest.size, 0);
		CHECK_EQ(r[big].u.present, rows_of(type));
		check_sample(&r[big].u.sample, type, &attr);
		pd_peek(&config, b[big].data, b[big].size, &peek);
		CHECK_EQ(peek.has_id, HAS(IDENTIFIER) || HAS(ID));
		CHECK(!peek.has_id || peek.id == (HAS(IDENTIFIER) ? 77 : 78));
		CHECK_EQ(peek.time, HAS(TIME) ? 123456789 : UINT64_MAX);
		CHECK(HAS(TID) ? peek.pid == 11 && peek.tid == 12 : peek.pid == -1 && peek.tid == -1);
		CHECK_EQ(peek.cpu, HAS(CPU) ? 3 : UINT32_MAX);
	}
	CHECK(same_record(&r[0], &r[1]));
}

static void test_sample_fields(void)
{
	for (unsigned bit = 0; bit < 25; bit++)
		sample_of_type(UINT64_C(1) << bit, PERFDATA_READ_FORMAT_ID, 0);
	sample_of_type(0, 0, 0);
	for (unsigned branches = 0; branches < 4; branches++)
		sample_of_type(PERFDATA_SAMPLE_KNOWN, PERFDATA_READ_FORMAT_ID,
			       (branches & 1) << 17 | (branches & 2) << 18);
	for (unsigned i = 0; i < 500; i++)
		sample_of_type(random_u64() & PERFDATA_SAMPLE_KNOWN, random_u64() & 31, (random_u64() & 5) << 17);
}

static void test_read_values(void)
{
	static struct build b;
	struct perfdata_record r;
	struct perfdata_config config;
	struct perfdata_attr attr;
	struct perfdata_read_value value;

	for (uint64_t format = 0; format < 32; format++)
		for (unsigned big = 0; big < 2; big++) {
			make_attr(&attr, PERFDATA_SAMPLE_READ | PERFDATA_SAMPLE_PHYS_ADDR);
			attr.read_format = format;
			pd_config_init(&config, &attr, order_of(big));
			build_sample(&b, big, attr.sample_type, &attr);
			CHECK_EQ(perfdata_decode(&config, b.data, b.size, &r), PERFDATA_OK);
			const struct perfdata_read *read = &r.u.sample.read;
			CHECK_EQ(r.u.sample.phys_addr, 0x7000);
			CHECK_EQ(read->present, 4 | (format & 3));
			CHECK(!(format & 1) || read->time_enabled == 501);
			CHECK(!(format & 2) || read->time_running == 502);
			CHECK_EQ(read->values.count, format & PERFDATA_READ_FORMAT_GROUP ? 2 : 1);
			for (uint64_t i = 0; i < read->values.count; i++) {
				perfdata_list_get(&read->values, i, &value, sizeof value);
				CHECK_EQ(value.value, 1000 + i);
				CHECK_EQ(value.id, format & PERFDATA_READ_FORMAT_ID ? 77 + i : 0);
				CHECK_EQ(value.lost, format & PERFDATA_READ_FORMAT_LOST ? 9 + i : 0);
			}
			CHECK_EQ(read->values.present, 1 | (format & 4) >> 1 | (format & 16) >> 2);
		}
}

/* Without branch data the kernel writes a count of 0 and no hw_idx. */
static void test_missing_hw_idx(void)
{
	static struct build b;
	struct perfdata_record r;
	struct perfdata_config config;
	struct perfdata_attr attr;

	make_attr(&attr, PERFDATA_SAMPLE_BRANCH_STACK | PERFDATA_SAMPLE_REGS_USER | PERFDATA_SAMPLE_STACK_USER);
	attr.branch_sample_type = 1 << 17;
	for (unsigned i = 0; i < 4; i++) {
		bool big = i & 1, hw_idx = i & 2;
		pd_config_init(&config, &attr, order_of(big));
		build_begin(&b, big, PERFDATA_RECORD_SAMPLE, 0);
		put_u64(&b, 0);
		if (hw_idx)
			put_u64(&b, UINT64_MAX);
		put_u64(&b, 2), put_u64(&b, 1), put_u64(&b, 2), put_u64(&b, 3);
		put_u64(&b, 0);
		build_end(&b);
		CHECK_EQ(perfdata_decode(&config, b.data, b.size, &r), PERFDATA_OK);
		CHECK_EQ(r.rest.size, 0);
		CHECK_EQ(r.u.sample.branch_stack.present, hw_idx ? 3 : 2);
		CHECK_EQ(r.u.sample.user_regs.abi, 2);
		CHECK_EQ(r.u.sample.user_regs.values.count, 3);
		CHECK_EQ(r.u.sample.user_stack.present, 1);
	}
}

static void test_unknown_bits(void)
{
	static struct build b;
	struct perfdata_record r;
	uint64_t known = PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_CALLCHAIN | PERFDATA_SAMPLE_CODE_PAGE_SIZE;
	struct perfdata_attr attr;

	make_attr(&attr, known);
	build_sample(&b, true, known, &attr);
	put_u64(&b, 4711);
	put_u64(&b, 8), put_bytes(&b, "aux data", 8);
	build_end(&b);
	CHECK_EQ(decode(&b, known | PERFDATA_SAMPLE_AUX | UINT64_C(1) << 25, &r), PERFDATA_OK);
	CHECK(r.u.sample.ip == 0x401000 && r.u.sample.code_page_size == 2097152);
	CHECK_EQ(r.u.sample.present, rows_of(known));
	CHECK_EQ(r.rest.size, 24);
	CHECK_EQ(r.rest_offset, b.size - 24);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "sample fields alone and together", test_sample_fields },
		{ "read values in every format", test_read_values },
		{ "branch stacks without hw_idx", test_missing_hw_idx },
		{ "unknown sample bits", test_unknown_bits },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
