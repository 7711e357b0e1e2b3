/* SPDX-License-Identifier: MIT */
/* Records other than samples: every type in both byte orders, oddities of recorders, and what is built on the
 * decoder. */
#include "config.h"
#include "schema_records.h"
#include "schema/schema.h"

static void test_every_type(void)
{
	static struct build little, big;
	struct perfdata_record a, b;

	for (uint32_t type = 1; type; type = next_type(type))
		for (unsigned variant = 0; variant < 4; variant++) {
			if (!build_record(&little, false, type, variant))
				break;
			build_record(&big, true, type, variant);
			enum perfdata_status status = decode(&little, TRAILER, &a);
			/* variant 3 of SCHEDSTAT is a version of the future */
			size_t rest = variant < 3 ? 0 : type == PERFDATA_RECORD_SCHEDSTAT_DOMAIN ? 184 :
				      type == PERFDATA_RECORD_SCHEDSTAT_CPU ? 48 : 0;
			if (status != PERFDATA_OK || a.rest.size != rest)
				printf("# type %u variant %u: %s, rest %zu\n", type, variant,
				       a.problem ? a.problem : "fine", a.rest.size);
			CHECK_EQ(status, PERFDATA_OK);
			CHECK_EQ(a.rest.size, rest);
			CHECK_EQ(a.type, type);
			CHECK_EQ(decode(&big, TRAILER, &b), PERFDATA_OK);
			CHECK(same_record(&a, &b));
			bool kernel = type < PERFDATA_RECORD_USER_FIRST;
			CHECK_EQ(a.sample_id.present, kernel ? 0xbf : 0);
			if (kernel)
				CHECK(a.sample_id.pid == 11 && a.sample_id.tid == 12 && a.sample_id.time == 123456789 &&
				      a.sample_id.id == 77 && a.sample_id.stream_id == 78 && a.sample_id.cpu == 3 &&
				      a.sample_id.identifier == 79);
		}
}

static void test_views(void)
{
	static struct build b;
	struct perfdata_record r;
	struct perfdata_bytes id;

	build_record(&b, true, PERFDATA_RECORD_MMAP2, 1);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(perfdata_mmap2_build_id(&r, &id) && is_text(id, "0123456789abcdef"));
	CHECK(r.u.mmap2.pid == 11 && r.u.mmap2.addr == 0x400000 && r.u.mmap2.prot == 5 && r.u.mmap2.flags == 2);
	CHECK(is_text(r.u.mmap2.filename, "/usr/bin/true"));
	CHECK_EQ(r.u.mmap2.present, 0x70bf);
	build_record(&b, true, PERFDATA_RECORD_MMAP2, 0);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(!perfdata_mmap2_build_id(&r, &id) && r.u.mmap2.maj == 8 && r.u.mmap2.ino == 4711);
	CHECK_EQ(r.u.mmap2.present, 0x7f1f);

	build_record(&b, true, PERFDATA_RECORD_BUILD_ID, 1);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(r.u.build_id.pid == -1 && is_text(r.u.build_id.build_id, "0123456789abcdef"));
	CHECK(is_text(r.u.build_id.filename, "[kernel.kallsyms]"));
	build_record(&b, true, PERFDATA_RECORD_BUILD_ID, 0);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK_EQ(r.u.build_id.build_id.size, 20);

	build_record(&b, true, PERFDATA_RECORD_ATTR, 0);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	const struct perfdata_attr *attr = &r.u.attr.attr;
	CHECK_EQ(attr->flags, 1 << 1 | 2 << 15 | 1 << 18);
	CHECK_EQ(perfdata_attr_precise_ip(attr), 2);
	CHECK(attr->aux_action == 2 && attr->clockid == 4 && attr->sample_regs_intr == 105 && attr->config3 == 108);
	CHECK_EQ(attr->present & 1 << 23, 0);
	CHECK(r.u.attr.ids.count == 2 && perfdata_list_u64(&r.u.attr.ids, 1) == 78);

	struct perfdata_thread_map_entry thread;
	build_record(&b, true, PERFDATA_RECORD_THREAD_MAP, 0);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	perfdata_list_get(&r.u.thread_map.threads, 1, &thread, sizeof thread);
	CHECK(thread.pid == 12 && is_text(thread.comm, "0123456789abcdef"));

	struct perfdata_id_index_entry entry;
	struct perfdata_id_index_guest guest;
	build_record(&b, true, PERFDATA_RECORD_ID_INDEX, 1);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	perfdata_list_get(&r.u.id_index.entries, 0, &entry, sizeof entry);
	perfdata_list_get(&r.u.id_index.guests, 1, &guest, sizeof guest);
	CHECK(entry.cpu == -1 && entry.tid == 3 && guest.machine_pid == 10 && guest.vcpu == 11);
	build_record(&b, true, PERFDATA_RECORD_ID_INDEX, 0);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK_EQ(r.u.id_index.present, 3);

	build_record(&b, true, PERFDATA_RECORD_EVENT_UPDATE, 1);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(r.u.event_update.scale == 0.25 && r.u.event_update.present == 0xb);

	build_record(&b, true, PERFDATA_RECORD_AUXTRACE_ERROR, 1);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(is_text(r.u.auxtrace_error.msg, "lost") && r.u.auxtrace_error.present == 0x1ff);
	build_record(&b, true, PERFDATA_RECORD_AUXTRACE_ERROR, 2);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(r.u.auxtrace_error.machine_pid == 100 && r.u.auxtrace_error.vcpu == 1);

	build_record(&b, true, PERFDATA_RECORD_COMPRESSED2, 0);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK_EQ(r.u.compressed.data.size, 9);
}

static const char *schedstat_name(uint32_t type, unsigned version, unsigned counter)
{
	static struct build b;
	struct perfdata_record r;

	build_record(&b, true, type, version - 15);
	if (decode(&b, TRAILER, &r) != PERFDATA_OK)
		return "damaged";
	for (uint32_t i = 0; i < r.layout->nr_fields; i++)
		if (r.u.present >> i & 1 &&
		    r.layout->fields[i].member == offsetof(struct perfdata_schedstat, counters) + 4 * counter)
			return r.u.schedstat.counters[counter] == 1000 + counter ? r.layout->fields[i].name
										 : "wrong value";
	return "none";
}

static void test_schedstat(void)
{
	CHECK_STR(schedstat_name(85, 15, 5), "ttwu_local");
	CHECK_STR(schedstat_name(85, 17, 0), "yld_count");
	CHECK_STR(schedstat_name(86, 15, 0), "idle_lb_count");
	CHECK_STR(schedstat_name(86, 15, 8), "busy_lb_count");
	CHECK_STR(schedstat_name(86, 16, 0), "busy_lb_count");
	CHECK_STR(schedstat_name(86, 16, 35), "ttwu_move_balance");
	CHECK_STR(schedstat_name(86, 17, 6), "busy_lb_imbalance_misfit");
	CHECK_STR(schedstat_name(86, 17, 44), "ttwu_move_balance");
	CHECK_STR(schedstat_name(86, 18, 0), "none");
}

static void test_cpus(void)
{
	static const int32_t want[][5] = { { -1, 2, 300 }, { 0, 2, 127 }, { -1, 4, 5, 6 }, { 0, 2, 63 } };
	static const unsigned counts[] = { 3, 3, 4, 3 };
	static struct build b;
	struct perfdata_record r;

	for (unsigned big = 0; big < 2; big++)
		for (unsigned variant = 0; variant < 4; variant++) {
			build_record(&b, big, PERFDATA_RECORD_CPU_MAP, variant);
			CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
			uint64_t position = 0;
			int32_t cpu;
			unsigned n = 0;
			for (; pd_cpus_next(&r.u.cpu_map.cpus, &position, &cpu); n++)
				CHECK(n < counts[variant] && cpu == want[variant][n]);
			CHECK_EQ(n, counts[variant]);
			CHECK_EQ(r.u.cpu_map.cpus.any, variant == 0 || variant == 2);
		}
}

static void test_texts(void)
{
	static struct build b;
	struct perfdata_record r;

	/* no NUL in the body: the text ends where the trailer begins */
	build_begin(&b, true, PERFDATA_RECORD_COMM, 0);
	put_u32(&b, 11), put_u32(&b, 12), put_bytes(&b, "12345678", 8);
	put_trailer(&b);
	build_end(&b);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_DAMAGED);
	CHECK_EQ(r.problem_code, PERFDATA_FINDING_TEXT_UNTERMINATED);
	CHECK(is_text(r.u.comm.comm, "12345678") && r.u.comm.present == 7 && r.sample_id.tid == 12 && !r.rest.size);

	/* recorders that write no trailer although the attr promises one */
	build_begin(&b, true, PERFDATA_RECORD_COMM, 0);
	put_u32(&b, 11), put_u32(&b, 12), put_text(&b, "a name that is longer than a trailer is, by far");
	build_end(&b);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(is_text(r.u.comm.comm, "a name that is longer than a trailer is, by far") && !r.sample_id.present);
	build_begin(&b, true, PERFDATA_RECORD_FORK, 0);
	put_kernel_body(&b, PERFDATA_RECORD_FORK, 0);
	build_end(&b);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(r.u.task.time == 99 && !r.sample_id.present);

	/* padding to 8 may hold anything; bytes after it may not */
	build_begin(&b, true, PERFDATA_RECORD_COMM, 0);
	put_u32(&b, 11), put_u32(&b, 12), put_bytes(&b, "abc\0xyz", 8), put_zeros(&b, 8);
	put_trailer(&b);
	build_end(&b);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(is_text(r.u.comm.comm, "abc") && !r.rest.size);
	b.data[26] = 'x';
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(is_text(r.u.comm.comm, "abc") && r.rest.size == 8 && r.rest_offset == 24);

	/* perf inject writes BUILD_ID records with a trailer */
	build_begin(&b, true, PERFDATA_RECORD_BUILD_ID, PERFDATA_MISC_BUILD_ID_SIZE);
	put_user_body(&b, PERFDATA_RECORD_BUILD_ID, 1);
	b.size = 36;
	put_chars(&b, "[kernel.kallsyms]", 20);
	put_trailer(&b);
	build_end(&b);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(is_text(r.u.build_id.filename, "[kernel.kallsyms]") && r.sample_id.time == 123456789 && !r.rest.size);
}

static void test_odd_records(void)
{
	static struct build b;
	struct perfdata_record r;
	struct perfdata_config none;
	struct perfdata_attr attr;

	/* a type of the future: its trailer is known, its body is not */
	build_begin(&b, true, 23, 0);
	put_u64(&b, 1);
	put_trailer(&b);
	build_end(&b);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(!r.layout && r.rest.size == 8 && r.sample_id.time == 123456789);
	/* more than the rows explain */
	build_begin(&b, true, PERFDATA_RECORD_LOST, 0);
	put_kernel_body(&b, PERFDATA_RECORD_LOST, 0);
	put_u64(&b, 4711);
	put_trailer(&b);
	build_end(&b);
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(r.u.lost.lost == 5 && r.rest.size == 8 && r.rest_offset == 24);
	/* no attr */
	make_attr(&attr, PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_CALLCHAIN);
	build_sample(&b, true, attr.sample_type, &attr);
	pd_config_init(&none, NULL, PERFDATA_BYTE_ORDER_BIG);
	CHECK_EQ(perfdata_decode(&none, b.data, b.size, &r), PERFDATA_OK);
	CHECK(r.layout && !r.u.present && r.rest.size == b.size - 8);
	build_record(&b, true, PERFDATA_RECORD_READ, 0);
	CHECK_EQ(perfdata_decode(&none, b.data, b.size, &r), PERFDATA_OK);
	CHECK(r.u.read.present == 3 && r.u.read.tid == 12 && r.rest_offset == 16);
	struct perfdata_peek peek;
	pd_peek(&none, b.data, b.size, &peek);
	CHECK(!peek.has_id && peek.time == UINT64_MAX && peek.pid == -1 && peek.cpu == UINT32_MAX);
	/* the buffer holds more than the record */
	build_record(&b, true, PERFDATA_RECORD_COMM, 0);
	b.size += 100;
	CHECK_EQ(decode(&b, TRAILER, &r), PERFDATA_OK);
	CHECK(r.size == b.size - 100 && r.sample_id.present);
}

static void test_attr(void)
{
	static struct build b;
	struct perfdata_attr attr;
	size_t size = 0;

	for (unsigned big = 0; big < 2; big++) {
		b = (struct build){ .big = big };
		put_attr(&b, 0x167);
		CHECK_EQ(perfdata_attr_decode(b.data, b.size, order_of(big), &attr, &size), PERFDATA_OK);
		CHECK(size == 136 && attr.sample_type == 0x167 &&
		      perfdata_attr_has(&attr, PERFDATA_ATTR_SAMPLE_ID_ALL));
		CHECK(!attr.rest.size);
		/* a newer one */
		b.size = 4;
		put_u32(&b, 160);
		b.size = 136;
		put_u64(&b, 109), put_u64(&b, 1), put_u64(&b, 2);
		CHECK_EQ(perfdata_attr_decode(b.data, b.size, order_of(big), &attr, &size), PERFDATA_OK);
		CHECK(size == 160 && attr.config4 == 109 && attr.rest.size == 16);
		/* the first one; size 0 means the same */
		for (unsigned zero = 0; zero < 2; zero++) {
			b.size = 4;
			put_u32(&b, zero ? 0 : 64);
			CHECK_EQ(perfdata_attr_decode(b.data, 160, order_of(big), &attr, &size), PERFDATA_OK);
			CHECK(size == 64 && attr.config1 == 100 && attr.config2 == 0 && attr.bp_type == 3 &&
			      !attr.rest.size);
		}
		static const uint32_t bad[] = { 1, 63, 65, 168, UINT32_MAX };
		for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
			b.size = 4;
			put_u32(&b, bad[i]);
			CHECK_EQ(perfdata_attr_decode(b.data, 160, order_of(big), &attr, &size), PERFDATA_DAMAGED);
			CHECK(size <= 160 && attr.sample_type == 0x167 && attr.config3 == 108);
		}
		CHECK_EQ(perfdata_attr_decode(b.data, 20, order_of(big), &attr, &size), PERFDATA_DAMAGED);
		CHECK(attr.config == 0x123 && attr.sample_type == 0);
	}
}

/* The image of a foreign record is the native record, but for the words of 32-bit pairs, which perf swaps as one. */
static void test_native(void)
{
	static struct build little, big;
	static uint8_t image[8192];
	struct perfdata_record r;
	struct perfdata_config config;
	struct perfdata_attr attr;

	make_attr(&attr, PERFDATA_SAMPLE_TIME | PERFDATA_SAMPLE_IDENTIFIER);
	for (uint32_t type = 1; type; type = next_type(type))
		for (unsigned variant = 0; variant < 3 && type != PERFDATA_RECORD_SAMPLE; variant++) {
			bool foreign_big = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
			struct build *native = foreign_big ? &little : &big, *foreign = foreign_big ? &big : &little;
			for (unsigned is_big = 0; is_big < 2; is_big++) {
				struct build *b = is_big ? &big : &little;
				if (!build_record(b, is_big, type, variant))
					break;
				if (type >= PERFDATA_RECORD_USER_FIRST)
					continue;
				b->size -= 48;   /* put_trailer's, for one without pairs */
				put_u64(b, 123456789), put_u64(b, 79);
				build_end(b);
			}
			if (!perfdata_record_layout(type))
				break;
			pd_config_init(&config, &attr, order_of(foreign->big));
			perfdata_decode(&config, foreign->data, foreign->size, &r);
			pd_record_native(&config, &r, image);
			size_t same = 0;
			while (same < native->size && image[same] == native->data[same])
				same++;
			if (type != PERFDATA_RECORD_ATTR || foreign_big)
				CHECK_EQ(same, native->size);
			pd_config_init(&config, &attr, order_of(native->big));
			perfdata_decode(&config, native->data, native->size, &r);
			pd_record_native(&config, &r, image);
			CHECK(!memcmp(image, native->data, native->size));
		}
	/* raw data stays as recorded, its size does not */
	make_attr(&attr, PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_RAW | PERFDATA_SAMPLE_PHYS_ADDR);
	bool foreign_big = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	build_sample(&big, foreign_big, attr.sample_type, &attr);
	build_sample(&little, !foreign_big, attr.sample_type, &attr);
	pd_config_init(&config, &attr, order_of(foreign_big));
	CHECK_EQ(perfdata_decode(&config, big.data, big.size, &r), PERFDATA_OK);
	pd_record_native(&config, &r, image);
	CHECK(!memcmp(image, little.data, little.size));
}

/* Where perf_event_open(2) has the fields of records, in bytes after the header. */
static void test_places(void)
{
	static const struct { uint32_t type; const char *name; unsigned offset; } places[] = {
		{ PERFDATA_RECORD_MMAP, "pid", 0 }, { PERFDATA_RECORD_MMAP, "tid", 4 },
		{ PERFDATA_RECORD_MMAP, "addr", 8 }, { PERFDATA_RECORD_MMAP, "len", 16 },
		{ PERFDATA_RECORD_MMAP, "pgoff", 24 }, { PERFDATA_RECORD_LOST, "id", 0 },
		{ PERFDATA_RECORD_LOST, "lost", 8 }, { PERFDATA_RECORD_COMM, "pid", 0 },
		{ PERFDATA_RECORD_COMM, "tid", 4 }, { PERFDATA_RECORD_FORK, "pid", 0 },
		{ PERFDATA_RECORD_FORK, "ppid", 4 }, { PERFDATA_RECORD_FORK, "tid", 8 },
		{ PERFDATA_RECORD_FORK, "ptid", 12 }, { PERFDATA_RECORD_EXIT, "time", 16 },
		{ PERFDATA_RECORD_THROTTLE, "time", 0 }, { PERFDATA_RECORD_THROTTLE, "id", 8 },
		{ PERFDATA_RECORD_THROTTLE, "stream_id", 16 }, { PERFDATA_RECORD_READ, "pid", 0 },
		{ PERFDATA_RECORD_READ, "tid", 4 }, { PERFDATA_RECORD_MMAP2, "pid", 0 },
		{ PERFDATA_RECORD_MMAP2, "tid", 4 }, { PERFDATA_RECORD_MMAP2, "addr", 8 },
		{ PERFDATA_RECORD_MMAP2, "len", 16 }, { PERFDATA_RECORD_MMAP2, "pgoff", 24 },
		{ PERFDATA_RECORD_MMAP2, "maj", 32 }, { PERFDATA_RECORD_MMAP2, "min", 36 },
		{ PERFDATA_RECORD_MMAP2, "ino", 40 }, { PERFDATA_RECORD_MMAP2, "ino_generation", 48 },
		{ PERFDATA_RECORD_MMAP2, "prot", 56 }, { PERFDATA_RECORD_MMAP2, "flags", 60 },
		{ PERFDATA_RECORD_AUX, "aux_offset", 0 }, { PERFDATA_RECORD_AUX, "aux_size", 8 },
		{ PERFDATA_RECORD_AUX, "flags", 16 }, { PERFDATA_RECORD_ITRACE_START, "pid", 0 },
		{ PERFDATA_RECORD_ITRACE_START, "tid", 4 }, { PERFDATA_RECORD_LOST_SAMPLES, "lost", 0 },
		{ PERFDATA_RECORD_SWITCH_CPU_WIDE, "next_prev_pid", 0 },
		{ PERFDATA_RECORD_SWITCH_CPU_WIDE, "next_prev_tid", 4 },
		{ PERFDATA_RECORD_NAMESPACES, "pid", 0 }, { PERFDATA_RECORD_NAMESPACES, "tid", 4 },
		{ PERFDATA_RECORD_KSYMBOL, "addr", 0 }, { PERFDATA_RECORD_KSYMBOL, "len", 8 },
		{ PERFDATA_RECORD_KSYMBOL, "ksym_type", 12 }, { PERFDATA_RECORD_KSYMBOL, "flags", 14 },
		{ PERFDATA_RECORD_BPF_EVENT, "bpf_type", 0 }, { PERFDATA_RECORD_BPF_EVENT, "flags", 2 },
		{ PERFDATA_RECORD_BPF_EVENT, "prog_id", 4 }, { PERFDATA_RECORD_CGROUP, "cgroup", 0 },
	};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const struct perfdata_layout *layout = perfdata_record_layout(places[i].type);
		const struct perfdata_field *field = NULL;
		struct perfdata_record r;
		struct build b;
		uint64_t value = 0, wanted = 0;

		for (uint32_t k = 0; k < layout->nr_fields; k++)
			if (!strcmp(layout->fields[k].name, places[i].name))
				field = &layout->fields[k];
		/* bytes that count, and zeros for texts */
		build_begin(&b, false, places[i].type, 0);
		for (unsigned byte = 0; byte < 64; byte++)
			put_u8(&b, (uint8_t)(byte + 1));
		put_zeros(&b, 64);
		build_end(&b);
		decode(&b, 0, &r);
		const unsigned size = field ? member_size(field->kind) : 0;
		if (size == 4) {
			uint32_t word;
			memcpy(&word, (const char *)&r.u + field->member, size);
			value = word;
		} else if (size == 2) {
			uint16_t half;
			memcpy(&half, (const char *)&r.u + field->member, size);
			value = half;
		} else if (size == 8) {
			memcpy(&value, (const char *)&r.u + field->member, size);
		}
		for (unsigned byte = 0; byte < size; byte++)
			wanted |= (uint64_t)(places[i].offset + byte + 1) << 8 * byte;
		if (!field || value != wanted)
			printf("# %s.%s: %#llx\n", layout->name, places[i].name, (unsigned long long)value);
		CHECK(field && value == wanted);
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "every record type in both byte orders", test_every_type },
		{ "fields are where perf_event_open(2) has them", test_places },
		{ "views hold what was written", test_views },
		{ "schedstat counters by version", test_schedstat },
		{ "cpu maps", test_cpus },
		{ "texts, trailers and padding", test_texts },
		{ "odd records", test_odd_records },
		{ "attrs of every size", test_attr },
		{ "native images", test_native },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
