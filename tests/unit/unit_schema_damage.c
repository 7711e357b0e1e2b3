/* SPDX-License-Identifier: MIT */
/* Damage: counts beyond the record, records cut off at every byte, random bytes. */
#include "config.h"
#include "schema_records.h"
#include "schema/schema.h"

static void test_counts_beyond(void)
{
	static struct build b;
	struct perfdata_record r;

	for (unsigned big = 0; big < 2; big++) {
		build_begin(&b, big, PERFDATA_RECORD_SAMPLE, 0);
		put_u64(&b, UINT64_MAX), put_u64(&b, 1), put_u64(&b, 2), put_u32(&b, 3);
		build_end(&b);
		CHECK_EQ(decode(&b, PERFDATA_SAMPLE_CALLCHAIN | PERFDATA_SAMPLE_PHYS_ADDR, &r), PERFDATA_DAMAGED);
		CHECK_EQ(r.problem_code, PERFDATA_FINDING_RECORD_SHORT);
		CHECK(r.problem != NULL);
		CHECK_EQ(r.u.sample.callchain.count, 2);
		CHECK_EQ(r.u.present, rows_of(PERFDATA_SAMPLE_CALLCHAIN));
		CHECK_EQ(r.rest.size, 4);

		build_begin(&b, big, PERFDATA_RECORD_SAMPLE, 0);
		put_u64(&b, 0x401000), put_u32(&b, 100), put_u32(&b, 1);
		build_end(&b);
		CHECK_EQ(decode(&b, PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_RAW, &r), PERFDATA_DAMAGED);
		CHECK_EQ(r.u.present, rows_of(PERFDATA_SAMPLE_IP));
		CHECK_EQ(r.rest_offset, 16);

		build_begin(&b, big, PERFDATA_RECORD_THREAD_MAP, 0);
		put_u64(&b, UINT64_C(1) << 61), put_u64(&b, 5), put_chars(&b, "one", 16);
		build_end(&b);
		CHECK_EQ(decode(&b, 0, &r), PERFDATA_DAMAGED);
		CHECK_EQ(r.u.thread_map.threads.count, 1);
		CHECK_EQ(r.u.thread_map.present, 3);
	}
	/* A sample that is shorter than its fixed words keeps those it has. */
	build_begin(&b, true, PERFDATA_RECORD_SAMPLE, 0);
	put_u64(&b, 0x401000), put_u32(&b, 11), put_u32(&b, 12);
	build_end(&b);
	CHECK_EQ(decode(&b, PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_TID | PERFDATA_SAMPLE_TIME, &r), PERFDATA_DAMAGED);
	CHECK_EQ(r.u.present, rows_of(PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_TID));
	CHECK(r.u.sample.ip == 0x401000 && r.u.sample.pid == 11 && r.u.sample.tid == 12 && !r.rest.size);
}

/* The first `size` bytes of a record in a block of just that size, so that a sanitizer sees a step beyond. */
static void decode_exactly(const struct perfdata_config *config, const uint8_t *data, size_t size)
{
	struct perfdata_record r;
	struct perfdata_peek peek;
	uint8_t *bytes = malloc(size ? size : 1), *image = malloc(size ? size : 1);

	if (!bytes || !image)
		abort();
	memcpy(bytes, data, size);
	enum perfdata_status status = perfdata_decode(config, bytes, size, &r);
	CHECK((status == PERFDATA_DAMAGED) == (r.problem != NULL));
	CHECK(r.rest_offset + r.rest.size <= size);
	/* whatever else is wrong with a record that is cut off, its finding says that it is */
	uint16_t stated = config->swap ? 0x800 : 8;   /* of a header that is cut off itself */
	if (size >= 8)
		memcpy(&stated, bytes + 6, sizeof stated);
	if (config->swap)
		stated = __builtin_bswap16(stated);
	CHECK_EQ(r.problem_code == PERFDATA_FINDING_TRUNCATED, size < stated);
	touch(&r);
	pd_peek(config, bytes, size, &peek);
	pd_record_native(config, &r, image);
	free(image);
	free(bytes);
}

static void test_truncation(void)
{
	static struct build b;
	struct perfdata_config config;
	struct perfdata_attr attr;

	for (unsigned big = 0; big < 2; big++) {
		make_attr(&attr, TRAILER);
		pd_config_init(&config, &attr, order_of(big));
		for (uint32_t type = 1; type; type = next_type(type))
			for (unsigned variant = 0; variant < 4 && build_record(&b, big, type, variant); variant++)
				for (size_t size = 0, whole = b.size; size <= whole; size++) {
					/* cut off, and the same with a header that says so */
					decode_exactly(&config, b.data, size);
					if (size < 8)
						continue;
					b.size = size;
					build_end(&b);
					decode_exactly(&config, b.data, size);
					b.size = whole;
					build_end(&b);
				}
		for (unsigned group = 0; group < 2; group++) {
			make_attr(&attr, PERFDATA_SAMPLE_KNOWN);
			attr.branch_sample_type = 1 << 17 | 1 << 19;
			attr.read_format = group ? 31 : 23;
			pd_config_init(&config, &attr, order_of(big));
			build_sample(&b, big, attr.sample_type, &attr);
			for (size_t size = 8; size <= b.size; size++)
				decode_exactly(&config, b.data, size);
		}
	}
}

/* Which field comes first decides the way that is taken: each alone and each two of them, cut at every byte. */
static void test_truncated_samples(void)
{
	static struct build b;
	struct perfdata_config config;
	struct perfdata_attr attr;

	for (unsigned bits = 0; bits < 64 * 64; bits++) {
		const uint64_t type = UINT64_C(1) << bits % 64 | UINT64_C(1) << bits / 64;
		if (bits % 64 > bits / 64 || (type & ~(uint64_t)PERFDATA_SAMPLE_KNOWN))
			continue;
		make_attr(&attr, type);
		pd_config_init(&config, &attr, PERFDATA_BYTE_ORDER_LITTLE);
		build_sample(&b, false, type, &attr);
		for (size_t size = 8, whole = b.size; size <= whole; size++) {
			b.size = size;
			build_end(&b);
			decode_exactly(&config, b.data, size);
		}
	}
}

static void test_random_bytes(void)
{
	uint64_t seed = getenv("UNIT_SEED") ? strtoull(getenv("UNIT_SEED"), NULL, 0) : 20240229;
	struct perfdata_config config;
	struct perfdata_attr attr;
	uint8_t bytes[600];

	printf("# seed %llu (UNIT_SEED)\n", (unsigned long long)seed);
	random_state = seed | 1;
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t r = random_u64();
		bool big = r & 1;
		size_t size = 8 + (size_t)((r >> 8) % (sizeof bytes - 8));
		for (size_t k = 0; k < size; k++)
			/* small numbers make plausible counts */
			bytes[k] = (uint8_t)(random_u64() & (r & 2 ? 0xff : 0x07));
		struct build b = { .big = big };
		put_u32(&b, r & 4 ? PERFDATA_RECORD_SAMPLE : (uint32_t)(r >> 16) % 90);
		put_u16(&b, (uint16_t)(r >> 32));
		put_u16(&b, (uint16_t)size);
		memcpy(bytes, b.data, 8);
		make_attr(&attr, random_u64() & (PERFDATA_SAMPLE_KNOWN | 1 << 25));
		attr.read_format = r >> 48 & 31;
		attr.branch_sample_type = (r >> 53 & 7) << 17;
		attr.flags = random_u64();
		pd_config_init(&config, &attr, order_of(big));
		decode_exactly(&config, bytes, size);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "counts beyond the record", test_counts_beyond },
		{ "truncation at every byte", test_truncation },
		{ "samples of one or two fields, truncated at every byte", test_truncated_samples },
		{ "random bytes", test_random_bytes },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
