/* SPDX-License-Identifier: MIT */
/* Header sections and attrs as perf spells them. */
#include "config.h"
#include "unit.h"
#include "feature_cases.h"
#include "emit/perf/header_text.h"
#include "schema/feature.h"

/* --- what sections refer to -------------------------------------------------------------------------------------- */

struct recording {
	struct perfdata_feature *features[PERFDATA_FEATURE_LAST];
};

static const struct perfdata_feature *feature_of(const void *user, uint32_t id)
{
	const struct recording *recording = user;
	return id < PERFDATA_FEATURE_LAST ? recording->features[id] : NULL;
}

static bool event_name_of(const void *user, size_t index, struct perfdata_text *out)
{
	static const char *const names[] = { "dummy:u", "page-faults", "cycles", "instructions", "branches" };
	(void)user;
	if (index < sizeof names / sizeof *names)
		perfdata_text_string(out, names[index]);
	return index < sizeof names / sizeof *names;
}

static void add(struct recording *recording, uint32_t id, void (*build)(struct build *b))
{
	struct build b = { .order = PERFDATA_BYTE_ORDER_BIG };
	build(&b);
	pd_feature_free(recording->features[id]);
	recording->features[id] = NULL;
	CHECK_EQ(pd_feature_decode(id, b.bytes, b.size, b.order, NR_CPUS, &recording->features[id], NULL),
		 PERFDATA_OK);
}

static void clear(struct recording *recording)
{
	for (uint32_t id = 0; id < PERFDATA_FEATURE_LAST; id++)
		pd_feature_free(recording->features[id]);
}

static const char *spelled(struct recording *recording, uint32_t id, bool full)
{
	static char copy[4096];
	struct header_text_source source = { recording, feature_of, event_name_of };
	struct perfdata_text out;

	perfdata_text_init(&out);
	pd_header_text_feature(&out, recording->features[id], full, &source);
	snprintf(copy, sizeof copy, "%.*s", (int)out.size, out.size ? out.data : "");
	perfdata_text_release(&out);
	return copy;
}

/* --- sections ---------------------------------------------------------------------------------------------------- */

static void build_quotes(struct build *b)
{
	put32(b, 2);
	put_string(b, "perf");
	put_string(b, "it's");
}
static void build_none(struct build *b) { put32(b, 0); }
static void build_named_group(struct build *b)
{
	put32(b, 2);
	put_string(b, "{anon_group}");
	put32(b, 1);
	put32(b, 2);
	put_string(b, "mine");
	put32(b, 3);
	put32(b, 9);
}
static void build_zeros(struct build *b) { put_zeros(b, 20); }
static void build_times(struct build *b)
{
	put64(b, 1500000999);
	put64(b, 1512345678);
}

static void test_sections(void)
{
	static const struct {
		uint32_t id;
		void (*build)(struct build *b);
		const char *text;
	} cases[] = {
		{ PERFDATA_FEATURE_BUILD_ID, build_build_ids, "" },
		{ PERFDATA_FEATURE_HOSTNAME, build_hostname, "# hostname : host-7\n" },
		{ PERFDATA_FEATURE_OSRELEASE, build_hostname, "# os release : host-7\n" },
		{ PERFDATA_FEATURE_VERSION, build_hostname, "# perf version : host-7\n" },
		{ PERFDATA_FEATURE_ARCH, build_hostname, "# arch : host-7\n" },
		{ PERFDATA_FEATURE_CPUDESC, build_hostname, "# cpudesc : host-7\n" },
		{ PERFDATA_FEATURE_CPUDESC, build_nothing, "# cpudesc : (null)\n" },
		{ PERFDATA_FEATURE_CPUID, build_hostname, "# cpuid : host-7\n" },
		{ PERFDATA_FEATURE_NRCPUS, build_nrcpus, "# nrcpus online : 6\n# nrcpus avail : 8\n" },
		{ PERFDATA_FEATURE_TOTAL_MEM, build_total_mem, "# total memory : 78187493530 kB\n" },
		{ PERFDATA_FEATURE_CMDLINE, build_quotes, "# cmdline : perf it\\'s \n" },
		{ PERFDATA_FEATURE_EVENT_DESC, build_event_desc,
		  "# event : name = context-switches, , id = { 41, 42 }, type = 1 (PERF_TYPE_SOFTWARE), size = 96, "
		  "config = 0x3 "
		  "(PERF_COUNT_SW_CONTEXT_SWITCHES), { sample_period, sample_freq } = 4000, sample_type = IP|TID, "
		  "read_format = ID, "
		  "disabled = 1\n"
		  "# event : name = dummy:u, , type = 1 (PERF_TYPE_SOFTWARE), size = 96, config = 0x9 "
		  "(PERF_COUNT_SW_DUMMY), "
		  "{ sample_period, sample_freq } = 4000, sample_type = IP|TID, read_format = ID, disabled = 1\n" },
		{ PERFDATA_FEATURE_EVENT_DESC, build_nothing, "# event desc: not available or unable to read\n" },
		{ PERFDATA_FEATURE_BRANCH_STACK, build_nothing, "# contains samples with branch stack\n" },
		{ PERFDATA_FEATURE_PMU_MAPPINGS, build_pmus, "# pmu mappings: software = 1, tool = 4294967294\n" },
		{ PERFDATA_FEATURE_PMU_MAPPINGS, build_none, "# pmu mappings: not available\n" },
		{ PERFDATA_FEATURE_GROUP_DESC, build_named_group,
		  "# group: {page-faults,cycles}\n# group: mine{instructions,branches}\n" },
		{ PERFDATA_FEATURE_AUXTRACE, build_auxtrace, "# contains AUX area data (e.g. instruction trace)\n" },
		{ PERFDATA_FEATURE_STAT, build_nothing, "# contains stat data\n" },
		{ PERFDATA_FEATURE_SAMPLE_TIME, build_times,
		  "# time of first sample : 1.500000\n# time of last sample : 1.512345\n# sample duration :     12.345 "
		  "ms\n" },
		{ PERFDATA_FEATURE_CLOCKID, build_u64, "# clockid frequency: 1000 MHz\n" },
		{ PERFDATA_FEATURE_DIR_FORMAT, build_u64, "# directory data version : 1\n" },
		{ PERFDATA_FEATURE_BPF_PROG_INFO, build_none, "# bpf_prog_info empty\n" },
		{ PERFDATA_FEATURE_BPF_BTF, build_none, "# btf info empty\n" },
		{ PERFDATA_FEATURE_BPF_BTF, build_btf, "# btf info of id 77\n" },
		{ PERFDATA_FEATURE_BPF_PROG_INFO, build_bpf_prog,
		  "# bpf_prog_info 250:\n"
		  "# \tsub_prog 0: bpf_prog_0102030405060708_main addr 0xffffffffc0001000 size 23\n"
		  "# \tsub_prog 1: bpf_prog_1112131415161718_bump addr 0xffffffffc0002000 size 107\n" },
		{ PERFDATA_FEATURE_COMPRESSED, build_compressed, "# compressed : Unknown, level = 3, ratio = 4\n" },
		{ PERFDATA_FEATURE_COMPRESSED, build_zeros, "# compressed : Unknown, level = 0, ratio = 0\n" },
		{ PERFDATA_FEATURE_CPU_PMU_CAPS, build_none, "# cpu pmu capabilities: not available\n" },
		{ PERFDATA_FEATURE_CPU_PMU_CAPS, build_cpu_caps, "# cpu pmu capabilities: max_precise=3\n" },
		{ PERFDATA_FEATURE_PMU_CAPS, build_none, "" },
		{ PERFDATA_FEATURE_PMU_CAPS, build_pmu_caps,
		  "# cpu_core pmu capabilities: branches=32\n# cpu_atom pmu capabilities: not available\n" },
		{ PERFDATA_FEATURE_CLOCK_DATA, build_clock_data,
		  "# clockid: boottime (7)\n# reference time: 2023-11-14 22:13:20.000000 = 1700000000.000000 (TOD) = "
		  "0.000000055 (boottime)\n" },
		{ PERFDATA_FEATURE_E_MACHINE, build_e_machine, "# e_machine : 62\n#   e_flags : 5\n" },
		{ PERFDATA_FEATURE_CLN_SIZE, build_u32, "# cacheline size: 64\n" },
	};
	struct recording recording = { .features = { NULL } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		add(&recording, cases[i].id, cases[i].build);
		CHECK_STR(spelled(&recording, cases[i].id, true), cases[i].text);
		CHECK_STR(spelled(&recording, cases[i].id, false), cases[i].text);
	}
	clear(&recording);
}

static void test_long_sections(void)
{
	static const struct {
		uint32_t id;
		void (*build)(struct build *b);
		const char *full, *summary;
	} cases[] = {
		{ PERFDATA_FEATURE_CPU_TOPOLOGY, build_topology,
		  "# sibling sockets : 0-1\n# sibling threads : 0\n# sibling threads : 1\n"
		  "# Core ID and Socket ID information is not available\n",
		  "# CPU_TOPOLOGY info available, use -I to display\n" },
		{ PERFDATA_FEATURE_CPU_TOPOLOGY, build_topology_cpus,
		  "# sibling sockets : 0-1\n# sibling threads : 0\n# sibling threads : 1\n"
		  "# CPU 0: Core ID 10, Socket ID -1\n# CPU 1: Core ID 11, Socket ID -1\n",
		  "# CPU_TOPOLOGY info available, use -I to display\n" },
		{ PERFDATA_FEATURE_CPU_TOPOLOGY, build_topology_dies,
		  "# sibling sockets : 0-1\n# sibling dies    : 0-1\n# sibling threads : 0\n# sibling threads : 1\n"
		  "# CPU 0: Core ID 10, Die ID 0, Socket ID -1\n# CPU 1: Core ID 11, Die ID 5, Socket ID -1\n",
		  "# CPU_TOPOLOGY info available, use -I to display\n" },
		{ PERFDATA_FEATURE_NUMA_TOPOLOGY, build_numa,
		  "# node3 meminfo  : total = 1000 kB, free = 900 kB\n# node3 cpu list : 0-1\n",
		  "# NUMA_TOPOLOGY info available, use -I to display\n" },
		{ PERFDATA_FEATURE_CACHE, build_cache, "# CPU cache info:\n#  L2 Unified             256K [0-1]\n",
		  "# CACHE info available, use -I to display\n" },
		{ PERFDATA_FEATURE_MEM_TOPOLOGY, build_memory,
		  "# memory nodes (nr 1, block size 0x8000000):\n#    0 [1G]: 0-1,63-69\n",
		  "# MEM_TOPOLOGY info available, use -I to display\n" },
		{ PERFDATA_FEATURE_HYBRID_TOPOLOGY, build_hybrid, "# hybrid cpu system:\n# cpu_core cpu list : 0-7\n",
		  "# HYBRID_TOPOLOGY info available, use -I to display\n" },
		{ PERFDATA_FEATURE_CPU_DOMAIN_INFO, build_domains_17,
		  "# schedstat version\t: 17\n# Maximum sched domains\t: 2\n"
		  "# cpu\t\t: 0\n# nr_domains\t: 1\n# Domain\t\t: 7\n# Domain name      : MC\n"
		  "# Domain cpu map   : 3\n# Domain cpu list  : 0-1\n"
		  "# cpu\t\t: 1\n# nr_domains\t: 1\n# Domain\t\t: 7\n# Domain name      : MC\n"
		  "# Domain cpu map   : 3\n# Domain cpu list  : 0-1\n",
		  "# CPU_DOMAIN_INFO info available, use -I to display\n" },
	};
	struct recording recording = { .features = { NULL } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		add(&recording, cases[i].id, cases[i].build);
		CHECK_STR(spelled(&recording, cases[i].id, true), cases[i].full);
		CHECK_STR(spelled(&recording, cases[i].id, false), cases[i].summary);
	}
	clear(&recording);
}

static void build_many_blocks(struct build *b)
{
	put64(b, 1);
	put64(b, 1);
	put64(b, 1);
	put64(b, 0);
	put64(b, 640);
	put64(b, 640);
	for (int i = 0; i < 10; i++)
		put64(b, 0x5555555555555555);
}

/* perf spells a bitmap into a buffer of 100 characters. */
static void test_long_bitmap(void)
{
	struct recording recording = { .features = { NULL } };
	add(&recording, PERFDATA_FEATURE_MEM_TOPOLOGY, build_many_blocks);
	const char *line = spelled(&recording, PERFDATA_FEATURE_MEM_TOPOLOGY, true);
	const char *bitmap = strstr(line, "]: ");
	CHECK(bitmap && strlen(bitmap + 3) == 99 + 1);
	CHECK(strstr(line, "[320B]: 0,2,4,6,"));
	clear(&recording);
}

static void build_ibs(struct build *b)
{
	put32(b, 1);
	put32(b, 11);
	put_string(b, "ibs_op");
}
static void build_not_precise(struct build *b)
{
	put32(b, 1);
	put_capability(b, "max_precise", "0");
}
static void test_hint(void)
{
	struct recording recording = { .features = { NULL } };
	add(&recording, PERFDATA_FEATURE_PMU_MAPPINGS, build_ibs);
	add(&recording, PERFDATA_FEATURE_CPU_PMU_CAPS, build_not_precise);
	add(&recording, PERFDATA_FEATURE_PMU_CAPS, build_none);
	CHECK(strstr(spelled(&recording, PERFDATA_FEATURE_PMU_CAPS, true), "# AMD systems uses ibs_op// PMU"));
	clear(&recording);
}

/* --- attrs ------------------------------------------------------------------------------------------------------- */

#define FLAG(name) (UINT64_C(1) << PERFDATA_ATTR_##name)

static const char *attr_text(const struct perfdata_attr *attr)
{
	static char copy[2048];
	struct perfdata_text out;
	perfdata_text_init(&out);
	perfdata_perf_event(&out, "e", attr);
	snprintf(copy, sizeof copy, "%.*s", (int)out.size, out.data);
	perfdata_text_release(&out);
	return copy;
}

static void test_attrs(void)
{
	static const struct {
		struct perfdata_attr attr;
		const char *text;
	} cases[] = {
		{ { .type = 0 }, "e: type: 0 (PERF_TYPE_HARDWARE), config: 0 (PERF_COUNT_HW_CPU_CYCLES)" },
		{ { .type = 0, .config = UINT64_C(10) << 32 },
		  "e: type: 0 (PERF_TYPE_HARDWARE), config: 0xa00000000 "
		  "(PERF_COUNT_HW_CPU_CYCLES)" },
		{ { .type = 0, .config = UINT64_C(4) << 32 | 1 },
		  "e: type: 0 (PERF_TYPE_HARDWARE), config: 0x400000001 "
		  "(cpu/PERF_COUNT_HW_INSTRUCTIONS/)" },
		{ { .type = 0, .config = UINT64_C(4) << 32 | 25 },
		  "e: type: 0 (PERF_TYPE_HARDWARE), config: 0x400000019 "
		  "(cpu/config=0x400000019/)" },
		{ { .type = 0, .config = 77 }, "e: type: 0 (PERF_TYPE_HARDWARE), config: 0x4d" },
		{ { .type = 1, .config = 12 }, "e: type: 1 (PERF_TYPE_SOFTWARE), config: 0xc" },
		{ { .type = 2, .config = 0x174 }, "e: type: 2 (PERF_TYPE_TRACEPOINT), config: 0x174" },
		{ { .type = 3, .config = 0x10000 },
		  "e: type: 3 (PERF_TYPE_HW_CACHE), config: 0x10000 "
		  "(PERF_COUNT_HW_CACHE_RESULT_MISS | PERF_COUNT_HW_CACHE_OP_READ | PERF_COUNT_HW_CACHE_L1D)" },
		{ { .type = 3, .config = 9 }, "e: type: 3 (PERF_TYPE_HW_CACHE), config: 0x9" },
		{ { .type = 4, .config = 0x1c2 }, "e: type: 4 (cpu), config: 0x1c2" },
		{ { .type = 5, .bp_type = 3, .config1 = 0x1000, .config2 = 8 },
		  "e: type: 5 (PERF_TYPE_BREAKPOINT), config: 0, "
		  "bp_type: 3, { bp_addr, config1 }: 0x1000, { bp_len, config2 }: 0x8" },
		{ { .type = 33, .flags = FLAG(DISABLED) | 2u << PERFDATA_ATTR_PRECISE_IP | FLAG(DEFER_OUTPUT) },
		  "e: type: 33, config: 0, disabled: 1, precise_ip: 2, defer_output: 1" },
		/* TRANSACTION, config3 and config4 have no text; the order of the sample bits is perf's. */
		{ { .type = 33, .sample_type = PERFDATA_SAMPLE_KNOWN, .read_format = 31, .config3 = 1, .config4 = 1 },
		  "e: type: 33, config: 0, sample_type: "
		  "IP|TID|TIME|ADDR|READ|CALLCHAIN|ID|CPU|PERIOD|STREAM_ID|RAW|BRANCH_STACK|"
		  "REGS_USER|STACK_USER|IDENTIFIER|REGS_INTR|DATA_SRC|WEIGHT|PHYS_ADDR|AUX|CGROUP|DATA_PAGE_SIZE|CODE_"
		  "PAGE_SIZE|"
		  "WEIGHT_STRUCT, read_format: TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|GROUP|LOST" },
		{ { .type = 33,
		    .wakeup_events = 2,
		    .branch_sample_type = 9,
		    .sample_regs_user = 0xff,
		    .sample_stack_user = 8192,
		    .clockid = -2,
		    .sample_regs_intr = 0x10,
		    .aux_watermark = 3,
		    .sample_max_stack = 4,
		    .aux_sample_size = 5,
		    .aux_action = 5,
		    .sig_data = 6 },
		  "e: type: 33, config: 0, { wakeup_events, wakeup_watermark }: 2, branch_sample_type: USER|ANY, "
		  "sample_regs_user: 0xff, sample_stack_user: 8192, clockid: -2, sample_regs_intr: 0x10, "
		  "aux_watermark: 3, "
		  "sample_max_stack: 4, aux_sample_size: 5, sig_data: 6, aux_start_paused: 1, aux_resume: 1" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_STR(attr_text(&cases[i].attr), cases[i].text);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "sections", test_sections },
		{ "long sections, whole and as one line", test_long_sections },
		{ "a bitmap too long to print", test_long_bitmap },
		{ "the hint for AMD machines", test_hint },
		{ "attrs", test_attrs },
	};
	setenv("TZ", "UTC", 1);
	return unit_main(cases, sizeof cases / sizeof *cases);
}
