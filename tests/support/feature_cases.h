/* SPDX-License-Identifier: MIT */
/* A case for each feature section: how it is built, and a check of what it decodes to. */
#ifndef TESTS_FEATURE_CASES_H
#define TESTS_FEATURE_CASES_H

#include <stdbool.h>
#include <stdint.h>
#include "feature_section.h"
#include "unit.h"
#include "perfdata/feature.h"
#include "schema/schema.h"

#define NR_CPUS 2

/* --- sections ---------------------------------------------------------------------------------------------------- */

static void build_hostname(struct build *b) { put_string(b, "host-7"); }
static void check_hostname(const struct perfdata_node *root) { CHECK_STR(text(root, "hostname"), "host-7"); }

static void build_nrcpus(struct build *b)
{
	put32(b, 8);
	put32(b, 6);
}
static void check_nrcpus(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "available"), 8);
	CHECK_EQ(number(root, "online"), 6);
}

static void build_total_mem(struct build *b) { put64(b, 0x123456789a); }
static void check_total_mem(const struct perfdata_node *root) { CHECK_EQ(number(root, "total_mem"), 0x123456789a); }

static void build_cmdline(struct build *b)
{
	put32(b, 3);
	put_string(b, "perf");
	put_string(b, "record");
	put_string(b, "");
}
static void check_cmdline(const struct perfdata_node *root)
{
	CHECK_EQ(at(root, "cmdline")->v.count, 3);
	CHECK_STR(text(root, "cmdline/1"), "record");
	CHECK_STR(text(root, "cmdline/2"), "");
}

static void put_attr(struct build *b, uint32_t size, uint64_t config)
{
	put32(b, 1);
	put32(b, size);
	put64(b, config);
	put64(b, 4000);
	put64(b, PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_TID);
	put64(b, 4);
	put64(b, b->order == PERFDATA_BYTE_ORDER_BIG ? UINT64_C(1) << 63 : 1);
	put_zeros(b, size - 48);
}
static void build_event_desc(struct build *b)
{
	put32(b, 2);
	put32(b, 96);
	put_attr(b, 96, 3);
	put32(b, 2);
	put_string(b, "context-switches");
	put64(b, 41);
	put64(b, 42);
	put_attr(b, 96, 9);
	put32(b, 0);
	put_string(b, "dummy:u");
}
static void check_event_desc(const struct perfdata_node *root)
{
	const struct perfdata_node *attr = at(root, "event_desc/0/attr");
	CHECK(attr && attr->kind == PERFDATA_KIND_ATTR);
	CHECK_EQ(attr->v.attr->type, 1);
	CHECK_EQ(attr->v.attr->config, 3);
	CHECK(perfdata_attr_has(attr->v.attr, PERFDATA_ATTR_DISABLED));
	CHECK_STR(text(root, "event_desc/0/name"), "context-switches");
	CHECK_EQ(number(root, "event_desc/0/ids/1"), 42);
	CHECK_EQ(at(root, "event_desc/1/attr")->v.attr->config, 9);
	CHECK_EQ(at(root, "event_desc/1/ids")->v.count, 0);
	CHECK(!at(root, "nr_events") && !at(root, "event_desc/0/nr_ids"));
}

static void build_topology(struct build *b)
{
	put32(b, 1);
	put_string(b, "0-1");
	put32(b, 2);
	put_string(b, "0");
	put_string(b, "1");
}
static void check_topology(const struct perfdata_node *root)
{
	CHECK_STR(text(root, "sockets/0"), "0-1");
	CHECK_STR(text(root, "threads/1"), "1");
	CHECK(!at(root, "cpus") && !at(root, "dies"));
}
static void build_topology_cpus(struct build *b)
{
	build_topology(b);
	for (uint32_t cpu = 0; cpu < NR_CPUS; cpu++) {
		put32(b, cpu + 10);
		put32(b, UINT32_MAX);
	}
}
static void check_topology_cpus(const struct perfdata_node *root)
{
	CHECK_EQ(at(root, "cpus")->v.count, NR_CPUS);
	CHECK_EQ(number(root, "cpus/1/core_id"), 11);
	CHECK_EQ(number(root, "cpus/1/socket_id"), UINT32_MAX);
	CHECK(!at(root, "dies"));
}
static void build_topology_dies(struct build *b)
{
	build_topology_cpus(b);
	put32(b, 1);
	put_string(b, "0-1");
	put32(b, 0);
	put32(b, 5);
}
static void check_topology_dies(const struct perfdata_node *root)
{
	CHECK_EQ(at(root, "cpus")->v.count, NR_CPUS);
	CHECK_STR(text(root, "dies/0"), "0-1");
	CHECK_EQ(number(root, "die_ids/1"), 5);
}

static void build_numa(struct build *b)
{
	put32(b, 1);
	put32(b, 3);
	put64(b, 1000);
	put64(b, 900);
	put_string(b, "0-1");
}
static void check_numa(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "numa_topology/0/node"), 3);
	CHECK_EQ(number(root, "numa_topology/0/total"), 1000);
	CHECK_EQ(number(root, "numa_topology/0/free"), 900);
	CHECK_STR(text(root, "numa_topology/0/cpus"), "0-1");
}

static void build_pmus(struct build *b)
{
	put32(b, 2);
	put32(b, 1);
	put_string(b, "software");
	put32(b, 4294967294u);
	put_string(b, "tool");
}
static void check_pmus(const struct perfdata_node *root)
{
	CHECK_STR(text(root, "pmu_mappings/0/name"), "software");
	CHECK_EQ(number(root, "pmu_mappings/1/type"), 4294967294u);
}

static void build_groups(struct build *b)
{
	put32(b, 1);
	put_string(b, "{anon_group}");
	put32(b, 2);
	put32(b, 3);
}
static void check_groups(const struct perfdata_node *root)
{
	CHECK_STR(text(root, "group_desc/0/name"), "{anon_group}");
	CHECK_EQ(number(root, "group_desc/0/leader"), 2);
	CHECK_EQ(number(root, "group_desc/0/nr_members"), 3);
}

static void build_auxtrace(struct build *b)
{
	put64(b, 2);
	put64(b, 0x1000);
	put64(b, 48);
	put64(b, 0x2000);
	put64(b, 48);
}
static void check_auxtrace(const struct perfdata_node *root)
{
	CHECK_EQ(at(root, "auxtrace")->v.count, 2);
	CHECK_EQ(number(root, "auxtrace/1/offset"), 0x2000);
}

static void build_cache(struct build *b)
{
	put32(b, 1);
	put32(b, 1);
	put32(b, 2);
	put32(b, 64);
	put32(b, 512);
	put32(b, 8);
	put_string(b, "Unified");
	put_string(b, "256K");
	put_string(b, "0-1");
}
static void check_cache(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "version"), 1);
	CHECK_EQ(number(root, "caches/0/sets"), 512);
	CHECK_STR(text(root, "caches/0/size"), "256K");
}

static void build_sample_time(struct build *b)
{
	put64(b, 1000000001);
	put64(b, 2000000002);
}
static void check_sample_time(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "first"), 1000000001);
	CHECK_EQ(number(root, "last"), 2000000002);
}

static void build_memory(struct build *b)
{
	put64(b, 1);
	put64(b, 0x8000000);
	put64(b, 1);
	put64(b, 0);
	put64(b, 70);
	put64(b, 70);
	put64(b, 0x8000000000000003);
	put64(b, UINT64_MAX);
}
static void check_memory(const struct perfdata_node *root)
{
	static const uint8_t expected[16] = { 3, 0, 0, 0, 0, 0, 0, 0x80, 0x3f };
	const struct perfdata_node *set = at(root, "nodes/0/set");
	CHECK_EQ(number(root, "block_size"), 0x8000000);
	CHECK(set && set->kind == PERFDATA_KIND_BITMAP);
	CHECK_EQ(set->v.bytes.size, sizeof expected);
	CHECK(!memcmp(set->v.bytes.data, expected, sizeof expected));
}

static void build_u64(struct build *b) { put64(b, 1); }
static void check_clockid(const struct perfdata_node *root) { CHECK_EQ(number(root, "clockid"), 1); }
static void check_dir_format(const struct perfdata_node *root) { CHECK_EQ(number(root, "dir_format"), 1); }

static void build_compressed(struct build *b)
{
	for (uint64_t i = 1; i < 5; i++)
		put32(b, i);
	put32(b, 528384);
}
static void check_compressed(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "type"), 2);
	CHECK_EQ(number(root, "mmap_len"), 528384);
}

static void put_capability(struct build *b, const char *name, const char *value)
{
	put_string(b, name);
	put_string(b, value);
}
static void build_cpu_caps(struct build *b)
{
	put32(b, 1);
	put_capability(b, "max_precise", "3");
}
static void check_cpu_caps(const struct perfdata_node *root)
{
	CHECK_STR(text(root, "cpu_pmu_caps/0/name"), "max_precise");
	CHECK_STR(text(root, "cpu_pmu_caps/0/value"), "3");
}

static void build_clock_data(struct build *b)
{
	put32(b, 1);
	put32(b, 7);
	put64(b, 1700000000000000000);
	put64(b, 55);
}
static void check_clock_data(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "clockid"), 7);
	CHECK_EQ(number(root, "wall_clock"), 1700000000000000000);
	CHECK_EQ(number(root, "clockid_time"), 55);
}

static void build_hybrid(struct build *b)
{
	put32(b, 1);
	put_string(b, "cpu_core");
	put_string(b, "0-7");
}
static void check_hybrid(const struct perfdata_node *root)
{
	CHECK_STR(text(root, "hybrid_topology/0/pmu_name"), "cpu_core");
	CHECK_STR(text(root, "hybrid_topology/0/cpus"), "0-7");
}

static void build_pmu_caps(struct build *b)
{
	put32(b, 2);
	put32(b, 1);
	put_capability(b, "branches", "32");
	put_string(b, "cpu_core");
	put32(b, 0);
	put_string(b, "cpu_atom");
}
static void check_pmu_caps(const struct perfdata_node *root)
{
	CHECK_STR(text(root, "pmu_caps/0/pmu_name"), "cpu_core");
	CHECK_STR(text(root, "pmu_caps/0/caps/0/value"), "32");
	CHECK_STR(text(root, "pmu_caps/1/pmu_name"), "cpu_atom");
}

static void put_domains(struct build *b, uint32_t version)
{
	put32(b, version);
	put32(b, 2);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		put32(b, cpu);
		put32(b, 1);
		put32(b, 7);
		if (version >= 17)
			put_string(b, "MC");
		put_string(b, "3");
		put_string(b, "0-1");
	}
}
static void build_domains_17(struct build *b) { put_domains(b, 17); }
static void check_domains_17(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "cpus/1/cpu"), 1);
	CHECK_EQ(number(root, "cpus/1/domains/0/domain"), 7);
	CHECK_STR(text(root, "cpus/1/domains/0/name"), "MC");
	CHECK_STR(text(root, "cpus/1/domains/0/cpulist"), "0-1");
}
static void build_domains_15(struct build *b) { put_domains(b, 15); }
static void check_domains_15(const struct perfdata_node *root)
{
	CHECK(!at(root, "cpus/1/domains/0/name"));
	CHECK_STR(text(root, "cpus/1/domains/0/cpumask"), "3");
}

static void build_e_machine(struct build *b)
{
	put32(b, 62);
	put32(b, 5);
}
static void check_e_machine(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "e_machine"), 62);
	CHECK_EQ(number(root, "e_flags"), 5);
}

static void build_u32(struct build *b) { put32(b, 64); }
static void check_cln_size(const struct perfdata_node *root) { CHECK_EQ(number(root, "cln_size"), 64); }

static void build_nothing(struct build *b) { b->size = 0; }
static void check_nothing(const struct perfdata_node *root) { CHECK(!root->child); }

/* --- build-ids --------------------------------------------------------------------------------------------------- */

static void put_build_id(struct build *b, uint16_t misc, uint64_t pid, unsigned size, const char *name)
{
	uint8_t id[20];
	for (uint8_t i = 0; i < sizeof id; i++)
		id[i] = (uint8_t)(i + 1);
	put32(b, 0);
	put16(b, misc);
	put16(b, 36 + (strlen(name) + 8) / 8 * 8);
	put32(b, pid);
	put_raw(b, id, sizeof id);
	b->bytes[b->size++] = (uint8_t)size;
	put_zeros(b, 3);
	put_raw(b, name, strlen(name));
	put_zeros(b, (strlen(name) + 8) / 8 * 8 - strlen(name));
}
static void build_build_ids(struct build *b)
{
	put_build_id(b, 0x8002, 17, 16, "/usr/bin/true");
	put_build_id(b, 1, (uint64_t)-1, 0, "[kernel.kallsyms]");
}
static void check_build_ids(const struct perfdata_node *root)
{
	CHECK_EQ(at(root, "build_id")->v.count, 2);
	CHECK_EQ(number(root, "build_id/0/misc"), 0x8002);
	CHECK_EQ(number(root, "build_id/0/pid"), 17);
	CHECK_EQ(at(root, "build_id/0/build_id")->v.bytes.size, 16);
	CHECK_EQ(at(root, "build_id/0/build_id")->v.bytes.data[15], 16);
	CHECK_STR(text(root, "build_id/0/filename"), "/usr/bin/true");
	CHECK_EQ(number(root, "build_id/1/pid"), (uint64_t)-1);
	CHECK_EQ(at(root, "build_id/1/build_id")->v.bytes.size, 20);
	CHECK_STR(text(root, "build_id/1/filename"), "[kernel.kallsyms]");
}

static void put_old_build_id(struct build *b, uint16_t misc, const char *name)
{
	put32(b, 0);
	put16(b, misc);
	put16(b, 32 + 64);
	for (uint8_t i = 0; i < 20; i++)
		b->bytes[b->size++] = i;
	put_zeros(b, 4);
	put_raw(b, name, strlen(name));
	put_zeros(b, 64 - strlen(name));
}
static void build_old_build_ids(struct build *b)
{
	put_old_build_id(b, 2, "/lib/libc.so");
	put_old_build_id(b, 1, "[kernel.kallsyms]");
	put_old_build_id(b, 4, "[guest.kernel.kallsyms]");
}
static void check_old_build_ids(const struct perfdata_node *root)
{
	CHECK_EQ(at(root, "build_id")->v.count, 3);
	CHECK_STR(text(root, "build_id/0/filename"), "/lib/libc.so");
	CHECK_EQ(number(root, "build_id/0/pid"), (uint64_t)-1);
	CHECK_EQ(at(root, "build_id/0/build_id")->v.bytes.data[19], 19);
	CHECK_STR(text(root, "build_id/1/filename"), "[kernel.kallsyms]");
	CHECK_EQ(number(root, "build_id/2/pid"), 0);
}

/* --- BPF --------------------------------------------------------------------------------------------------------- */

#define INFO_SIZE 232

static void put_at(struct build *b, size_t where, uint64_t value, unsigned width)
{
	size_t size = b->size;
	b->size = where;
	put(b, value, width);
	b->size = size;
}

/* A BPF program of two parts, with addresses, sizes, hashes and func_info. */
static void build_bpf_prog(struct build *b)
{
	put32(b, 1);
	put32(b, INFO_SIZE);
	put32(b, 16 + 8 + 16 + 16);
	put64(b, 1 << 3 | 1 << 4 | 1 << 5 | 1 << 8);
	size_t info = b->size;
	put_zeros(b, INFO_SIZE);
	put_at(b, info, 6, 4);
	put_at(b, info + 4, 250, 4);
	memcpy(b->bytes + info + 8, "tagbytes", 8);
	memcpy(b->bytes + info + 64, "progname", 8);
	put_at(b, info + 104, 2, 4);
	put_at(b, info + 108, 2, 4);
	put_at(b, info + 112, 0, 8);
	put_at(b, info + 120, 16, 8);
	put_at(b, info + 128, 77, 4);
	put_at(b, info + 132, 8, 4);
	put_at(b, info + 136, 40, 8);
	put_at(b, info + 144, 2, 4);
	put_at(b, info + 180, 2, 4);
	put_at(b, info + 184, 24, 8);
	put64(b, 0xffffffffc0001000);
	put64(b, 0xffffffffc0002000);
	put32(b, 23);
	put32(b, 107);
	put_raw(b, "\1\2\3\4\5\6\7\10\x11\x12\x13\x14\x15\x16\x17\x18", 16);
	put32(b, 0);
	put32(b, 1);
	put32(b, 4);
	put32(b, 3);
}
static void check_bpf_prog(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "bpf_prog_info/0/info/type"), 6);
	CHECK_EQ(number(root, "bpf_prog_info/0/info/id"), 250);
	CHECK_STR(text(root, "bpf_prog_info/0/info/name"), "progname");
	CHECK(!memcmp(at(root, "bpf_prog_info/0/info/tag")->v.bytes.data, "tagbytes", 8));
	CHECK_EQ(at(root, "bpf_prog_info/0/jited_ksyms")->v.count, 2);
	CHECK_EQ(number(root, "bpf_prog_info/0/jited_ksyms/1"), 0xffffffffc0002000);
	CHECK_EQ(at(root, "bpf_prog_info/0/jited_ksyms/1")->field->show, PERFDATA_SHOW_HEX);
	CHECK_EQ(number(root, "bpf_prog_info/0/jited_func_lens/1"), 107);
	CHECK_EQ(at(root, "bpf_prog_info/0/prog_tags/1")->v.bytes.data[0], 0x11);
	CHECK_EQ(at(root, "bpf_prog_info/0/func_info")->v.bytes.size, 16);
	CHECK(!at(root, "bpf_prog_info/0/data") && !at(root, "bpf_prog_info/0/map_ids"));
}

/* A BPF program with the shorter info of an older recorder, and arrays of a newer one. */
static void build_bpf_short(struct build *b)
{
	put32(b, 1);
	put32(b, 48);
	put32(b, 4);
	put64(b, 1 << 12);
	put32(b, 6);
	put32(b, 9);
	put_zeros(b, 40);
	put_raw(b, "data", 4);
}
static void check_bpf_short(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "bpf_prog_info/0/info/id"), 9);
	CHECK_EQ(number(root, "bpf_prog_info/0/info/load_time"), 0);
	CHECK(!at(root, "bpf_prog_info/0/info/created_by_uid"));
	CHECK_EQ(at(root, "bpf_prog_info/0/data")->v.bytes.size, 4);
}

static void put_btf_type(struct build *b, uint32_t name, uint32_t kind, uint32_t members)
{
	put32(b, name);
	put32(b, kind << 24 | members);
	put32(b, 0);
}
static void build_btf(struct build *b)
{
	static const char strings[] = "\0main\0bump";
	size_t types = 12 + 12 + 8 + 12;

	put32(b, 1);
	put32(b, 77);
	put32(b, 24 + types + sizeof strings);
	put16(b, 0xeb9f);
	put16(b, 1);
	put32(b, 24);
	put32(b, 0);
	put32(b, types);
	put32(b, types);
	put32(b, sizeof strings);
	put_btf_type(b, 1, 12, 0);
	put_btf_type(b, 0, 13, 1);
	put_zeros(b, 8);
	put_btf_type(b, 6, 12, 0);
	put_raw(b, strings, sizeof strings);
}
static void check_btf(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "bpf_btf/0/id"), 77);
	CHECK_EQ(at(root, "bpf_btf/0/data")->v.bytes.size, 24 + 44 + 11);
}

/* --- files of simpleperf ----------------------------------------------------------------------------------------- */

/* Writes the size of an entry before the entry. */
static size_t open_entry(struct build *b)
{
	put32(b, 0);
	return b->size;
}
static void close_entry(struct build *b, size_t start) { put_at(b, start - 4, b->size - start, 4); }

static void put_file(struct build *b, const char *path, uint32_t type, uint64_t min_vaddr, uint32_t nr_symbols)
{
	put_raw(b, path, strlen(path) + 1);
	put32(b, type);
	put64(b, min_vaddr);
	put32(b, nr_symbols);
}
static void put_file_symbol(struct build *b, uint64_t address, uint32_t length, const char *name)
{
	put64(b, address);
	put32(b, length);
	put_raw(b, name, strlen(name) + 1);
}

static void build_files(struct build *b)
{
	size_t start = open_entry(b);
	put_file(b, "[kernel.kallsyms]", 0, 0, 2);
	put_file_symbol(b, 0xffffffff81000100, 0x40, "do_work");
	put_file_symbol(b, 0xffffffff81000200, 0x80, "do_more");
	close_entry(b, start);
	start = open_entry(b);
	put_file(b, "/vendor/wifi.ko", 1, 0x1000, 0);
	put64(b, 0x2000);
	close_entry(b, start);
	start = open_entry(b);
	put_file(b, "/system/lib64/libz.so", 2, 0x3000, 1);
	put_file_symbol(b, 0x3010, 16, "_Z4workv");
	put64(b, 0x4000);
	close_entry(b, start);
	start = open_entry(b);
	put_file(b, "/data/app/base.vdex", 3, 0, 1);
	put_file_symbol(b, 0x88, 12, "pkg.Main.run");
	put32(b, 2);
	put64(b, 0x20);
	put64(b, 0x10020);
	close_entry(b, start);
	start = open_entry(b);
	put_file(b, "perf-7.map", 4, 0, 0);
	close_entry(b, start);
}
static void check_files(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "file/0/type"), 0);
	CHECK_EQ(number(root, "file/0/symbols/1/address"), 0xffffffff81000200);
	CHECK_STR(text(root, "file/0/symbols/1/name"), "do_more");
	CHECK_EQ(number(root, "file/1/memory_offset_of_min_vaddr"), 0x2000);
	CHECK(!at(root, "file/1/file_offset_of_min_vaddr") && !at(root, "file/0/memory_offset_of_min_vaddr"));
	CHECK_STR(text(root, "file/2/path"), "/system/lib64/libz.so");
	CHECK_EQ(number(root, "file/2/min_vaddr"), 0x3000);
	CHECK_EQ(number(root, "file/2/symbols/0/length"), 16);
	CHECK_EQ(number(root, "file/2/file_offset_of_min_vaddr"), 0x4000);
	CHECK_EQ(number(root, "file/3/dex_file_offsets/1"), 0x10020);
	CHECK_STR(text(root, "file/4/path"), "perf-7.map");
	CHECK(!at(root, "file/5"));
}

static void put_varint(struct build *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put(b, value | 0x80, 1);
	put(b, value, 1);
}
static void put_number_field(struct build *b, unsigned field, uint64_t value)
{
	put_varint(b, field << 3);
	put_varint(b, value);
}
static void put_bytes_field(struct build *b, unsigned field, const void *bytes, size_t size)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, size);
	put_raw(b, bytes, size);
}
static void put_symbol_field(struct build *b, uint64_t address, uint32_t length, const char *name)
{
	struct build symbol = { .size = 0 };
	put_number_field(&symbol, 1, address);
	put_number_field(&symbol, 2, length);
	put_bytes_field(&symbol, 3, name, strlen(name));
	put_bytes_field(b, 4, symbol.bytes, symbol.size);
}

static void build_files2(struct build *b)
{
	struct build part = { .size = 0 };
	size_t start = open_entry(b);
	put_bytes_field(b, 1, "[kernel.kallsyms]", 17);
	put_symbol_field(b, 0xffffffff81000100, 0x40, "do_work");
	put_symbol_field(b, 0xffffffff81000200, 0x80, "do_more");
	close_entry(b, start);
	start = open_entry(b);
	/* The fields before the path: the type, and an empty message, which leaves out the offset 0. */
	put_number_field(b, 2, 2);
	put_bytes_field(b, 6, "", 0);
	put_bytes_field(b, 1, "/system/lib64/libz.so", 21);
	put_symbol_field(b, 0x3010, 16, "_Z4workv");
	put_number_field(b, 3, 0x3000);
	close_entry(b, start);
	start = open_entry(b);
	put_bytes_field(b, 1, "/data/app/base.vdex", 19);
	put_number_field(b, 2, 3);
	put_varint(&part, 0x20);
	put_varint(&part, 0x10020);
	const size_t packed = part.size;
	put_bytes_field(&part, 1, part.bytes, packed);
	put_number_field(&part, 1, 0x20020);
	put_bytes_field(b, 5, part.bytes + packed, part.size - packed);
	close_entry(b, start);
	start = open_entry(b);
	put_bytes_field(b, 1, "/vendor/wifi.ko", 15);
	put_number_field(b, 2, 1);
	put_bytes_field(b, 7, "\x08\x80\x40", 3);
	close_entry(b, start);
}
static void check_files2(const struct perfdata_node *root)
{
	CHECK_EQ(number(root, "file2/0/type"), 0);
	CHECK_EQ(number(root, "file2/0/symbols/1/address"), 0xffffffff81000200);
	CHECK_STR(text(root, "file2/0/symbols/1/name"), "do_more");
	CHECK(!at(root, "file2/0/elf_file"));
	CHECK_STR(text(root, "file2/1/path"), "/system/lib64/libz.so");
	CHECK_EQ(number(root, "file2/1/min_vaddr"), 0x3000);
	CHECK_EQ(number(root, "file2/1/elf_file/file_offset_of_min_vaddr"), 0);
	CHECK_EQ(number(root, "file2/2/dex_file/dex_file_offsets/1"), 0x10020);
	CHECK_EQ(number(root, "file2/2/dex_file/dex_file_offsets/2"), 0x20020);
	CHECK_EQ(number(root, "file2/3/kernel_module/memory_offset_of_min_vaddr"), 0x2000);
	CHECK(!at(root, "file2/4") && !at(root, "file2/3/rest"));
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

static const struct section {
	uint32_t id;
	void (*build)(struct build *b);
	void (*check)(const struct perfdata_node *root);
} sections[] = {
	{ PERFDATA_FEATURE_BUILD_ID, build_build_ids, check_build_ids },
	{ PERFDATA_FEATURE_BUILD_ID, build_old_build_ids, check_old_build_ids },
	{ PERFDATA_FEATURE_HOSTNAME, build_hostname, check_hostname },
	{ PERFDATA_FEATURE_NRCPUS, build_nrcpus, check_nrcpus },
	{ PERFDATA_FEATURE_TOTAL_MEM, build_total_mem, check_total_mem },
	{ PERFDATA_FEATURE_CMDLINE, build_cmdline, check_cmdline },
	{ PERFDATA_FEATURE_EVENT_DESC, build_event_desc, check_event_desc },
	{ PERFDATA_FEATURE_CPU_TOPOLOGY, build_topology, check_topology },
	{ PERFDATA_FEATURE_CPU_TOPOLOGY, build_topology_cpus, check_topology_cpus },
	{ PERFDATA_FEATURE_CPU_TOPOLOGY, build_topology_dies, check_topology_dies },
	{ PERFDATA_FEATURE_NUMA_TOPOLOGY, build_numa, check_numa },
	{ PERFDATA_FEATURE_BRANCH_STACK, build_nothing, check_nothing },
	{ PERFDATA_FEATURE_PMU_MAPPINGS, build_pmus, check_pmus },
	{ PERFDATA_FEATURE_GROUP_DESC, build_groups, check_groups },
	{ PERFDATA_FEATURE_AUXTRACE, build_auxtrace, check_auxtrace },
	{ PERFDATA_FEATURE_STAT, build_nothing, check_nothing },
	{ PERFDATA_FEATURE_CACHE, build_cache, check_cache },
	{ PERFDATA_FEATURE_SAMPLE_TIME, build_sample_time, check_sample_time },
	{ PERFDATA_FEATURE_MEM_TOPOLOGY, build_memory, check_memory },
	{ PERFDATA_FEATURE_CLOCKID, build_u64, check_clockid },
	{ PERFDATA_FEATURE_DIR_FORMAT, build_u64, check_dir_format },
	{ PERFDATA_FEATURE_BPF_PROG_INFO, build_bpf_prog, check_bpf_prog },
	{ PERFDATA_FEATURE_BPF_PROG_INFO, build_bpf_short, check_bpf_short },
	{ PERFDATA_FEATURE_BPF_BTF, build_btf, check_btf },
	{ PERFDATA_FEATURE_COMPRESSED, build_compressed, check_compressed },
	{ PERFDATA_FEATURE_CPU_PMU_CAPS, build_cpu_caps, check_cpu_caps },
	{ PERFDATA_FEATURE_CLOCK_DATA, build_clock_data, check_clock_data },
	{ PERFDATA_FEATURE_HYBRID_TOPOLOGY, build_hybrid, check_hybrid },
	{ PERFDATA_FEATURE_PMU_CAPS, build_pmu_caps, check_pmu_caps },
	{ PERFDATA_FEATURE_CPU_DOMAIN_INFO, build_domains_17, check_domains_17 },
	{ PERFDATA_FEATURE_CPU_DOMAIN_INFO, build_domains_15, check_domains_15 },
	{ PERFDATA_FEATURE_E_MACHINE, build_e_machine, check_e_machine },
	{ PERFDATA_FEATURE_CLN_SIZE, build_u32, check_cln_size },
	{ PERFDATA_FEATURE_FILE, build_files, check_files },
	{ PERFDATA_FEATURE_FILE2, build_files2, check_files2 },
};
#define NR_SECTIONS (sizeof sections / sizeof *sections)

#endif
