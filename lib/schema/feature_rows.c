/* SPDX-License-Identifier: MIT */
/* Feature sections: one row for each section, one for each field. Layouts are those that tools/perf of Linux writes, in
 * all its versions; a field of a later version is present IF_LEFT. */
#include "config.h"
#include "schema/feature_rows.h"

#define SECTION PD_SECTION
#define PART PD_PART
#define EMPTY_SECTION(number, key, spelled, text, merged, traits)                                               \
	{                                                                                                       \
		.layout = { .name = key, .perf_name = spelled, .doc = text, .id = number },                     \
		.joining = PD_JOIN_##merged, .flags = traits                                                    \
	}

/* --- plain values as elements of lists --------------------------------------------------------------------------- */

static const struct perfdata_field string_fields[] = {
	{ .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT, .doc = "A text." },
};
static const struct perfdata_layout string_element = PART("string", "A text.", string_fields);

static const struct perfdata_field u32_fields[] = {
	{ .kind = PERFDATA_KIND_U32, .doc = "A number." },
};
static const struct perfdata_layout u32_element = PART("u32", "A number.", u32_fields);

static const struct perfdata_field address_fields[] = {
	{ .kind = PERFDATA_KIND_U64, .show = PERFDATA_SHOW_HEX, .doc = "An address." },
};
static const struct perfdata_layout address_element = PART("address", "An address.", address_fields);

static const struct perfdata_field event_id_fields[] = {
	{ .kind = PERFDATA_KIND_U64, .show = PERFDATA_SHOW_EVENT_ID, .doc = "A sample id of the event." },
};
static const struct perfdata_layout event_id_element = PART("event_id", "A sample id of the event.", event_id_fields);

static const struct perfdata_field tag_fields[] = {
	{ .kind = PERFDATA_KIND_BYTES, .show = PERFDATA_SHOW_BYTES_HEX, .count_field = PERFDATA_COUNT_FIXED, .count = 8,
	  .doc = "Hash of a part of the program." },
};
static const struct perfdata_layout tag_element = PART("tag", "Hash of a part of the program.", tag_fields);

static const struct perfdata_field die_fields[] = {
	{ .kind = PERFDATA_KIND_U32, .doc = "Die of the CPU; 4294967295 if unknown." },
};
static const struct perfdata_layout die_element = PART("die_id", "Die of a CPU.", die_fields);

/* --- names of values --------------------------------------------------------------------------------------------- */

static const struct perfdata_name clock_names[] = {
	{ 0, "realtime" },
	{ 1, "monotonic" },
	{ 2, "process_cputime" },
	{ 3, "thread_cputime" },
	{ 4, "monotonic_raw" },
	{ 5, "realtime_coarse" },
	{ 6, "monotonic_coarse" },
	{ 7, "boottime" },
	{ 11, "tai" },
	{ 0, NULL },
};

static const struct perfdata_name compression_names[] = {
	{ 0, "none" }, { 1, "zstd" }, { 0, NULL },
};

static const struct perfdata_name bpf_array_names[] = {
	{ 1 << 0, "jited_prog_insns" }, { 1 << 1, "xlated_prog_insns" },
	{ 1 << 2, "map_ids" },          { 1 << 3, "jited_ksyms" },
	{ 1 << 4, "jited_func_lens" },  { 1 << 5, "func_info" },
	{ 1 << 6, "line_info" },        { 1 << 7, "jited_line_info" },
	{ 1 << 8, "prog_tags" },        { 0, NULL },
};

static const struct perfdata_name build_id_misc_names[] = {
	{ PERFDATA_CPUMODE_UNKNOWN, "unknown" },
	{ PERFDATA_CPUMODE_KERNEL, "kernel" },
	{ PERFDATA_CPUMODE_USER, "user" },
	{ PERFDATA_CPUMODE_HYPERVISOR, "hypervisor" },
	{ PERFDATA_CPUMODE_GUEST_KERNEL, "guest_kernel" },
	{ PERFDATA_CPUMODE_GUEST_USER, "guest_user" },
	{ 0, NULL },
};
static const struct perfdata_bits build_id_misc_bits[] = {
	{ .name = "cpumode", .shift = 0, .width = 3, .names = build_id_misc_names },
	{ .name = "build_id_size", .shift = 15, .width = 1 },
	{ .name = NULL },
};

/* --- texts and numbers ------------------------------------------------------------------------------------------- */

static const struct perfdata_field tracing_data_fields[] = {
	{ .name = "tracing_data",
	  .doc = "Tracepoint formats and kernel symbols of the recorded machine.",
	  .kind = PERFDATA_KIND_BYTES,
	  .show = PERFDATA_SHOW_BYTES_HEX,
	  .count_field = PERFDATA_COUNT_REST },
};
static const struct perfdata_field hostname_fields[] = {
	{ .name = "hostname", .doc = "Name of the machine.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_field osrelease_fields[] = {
	{ .name = "osrelease",
	  .doc = "Release of the kernel.",
	  .kind = PERFDATA_KIND_STRING,
	  .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_field version_fields[] = {
	{ .name = "version", .doc = "Version of perf.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_field arch_fields[] = {
	{ .name = "arch",
	  .doc = "Machine as uname tells it.",
	  .kind = PERFDATA_KIND_STRING,
	  .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_field nrcpus_fields[] = {
	{ .name = "available", .doc = "CPUs configured.", .kind = PERFDATA_KIND_U32 },
	{ .name = "online", .doc = "CPUs online.", .kind = PERFDATA_KIND_U32 },
};
static const struct perfdata_field cpudesc_fields[] = {
	{ .name = "cpudesc",
	  .doc = "Description of the CPU.",
	  .kind = PERFDATA_KIND_STRING,
	  .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_field cpuid_fields[] = {
	{ .name = "cpuid",
	  .doc = "Identification of the CPU; its form depends on the architecture.",
	  .kind = PERFDATA_KIND_STRING,
	  .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_field total_mem_fields[] = {
	{ .name = "total_mem", .doc = "Memory of the machine.", .kind = PERFDATA_KIND_U64, .unit = PERFDATA_UNIT_KB },
};
static const struct perfdata_field cmdline_fields[] = {
	{ .name = "cmdline",
	  .doc = "Arguments of the recorder.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &string_element },
};
static const struct perfdata_field sample_time_fields[] = {
	{ .name = "first", .doc = "Time of the first sample.", .kind = PERFDATA_KIND_U64, .unit = PERFDATA_UNIT_NS },
	{ .name = "last", .doc = "Time of the last sample.", .kind = PERFDATA_KIND_U64, .unit = PERFDATA_UNIT_NS },
};
static const struct perfdata_field clockid_fields[] = {
	{ .name = "clockid",
	  .doc = "Resolution of the clock that -k chose.",
	  .kind = PERFDATA_KIND_U64,
	  .unit = PERFDATA_UNIT_NS },
};
static const struct perfdata_field dir_format_fields[] = {
	{ .name = "dir_format", .doc = "Version of the directory's layout.", .kind = PERFDATA_KIND_U64 },
};
static const struct perfdata_field compressed_fields[] = {
	{ .name = "version", .doc = "Version of this section.", .kind = PERFDATA_KIND_U32 },
	{ .name = "type",
	  .doc = "Method.",
	  .kind = PERFDATA_KIND_U32,
	  .show = PERFDATA_SHOW_ENUM,
	  .names = compression_names },
	{ .name = "level", .doc = "Level of the compressor.", .kind = PERFDATA_KIND_U32 },
	{ .name = "ratio", .doc = "Unpacked bytes for one packed byte.", .kind = PERFDATA_KIND_U32 },
	{ .name = "mmap_len",
	  .doc = "Most bytes that one record unpacks to.",
	  .kind = PERFDATA_KIND_U32,
	  .unit = PERFDATA_UNIT_BYTES },
};
static const struct perfdata_field clock_data_fields[] = {
	{ .name = "version", .doc = "Version of this section.", .kind = PERFDATA_KIND_U32 },
	{ .name = "clockid",
	  .doc = "Clock of the recording's times.",
	  .kind = PERFDATA_KIND_U32,
	  .show = PERFDATA_SHOW_ENUM,
	  .names = clock_names },
	{ .name = "wall_clock",
	  .doc = "Wall clock since 1970, at the moment of clockid_time.",
	  .kind = PERFDATA_KIND_U64,
	  .unit = PERFDATA_UNIT_NS },
	{ .name = "clockid_time",
	  .doc = "The recording's clock at that moment.",
	  .kind = PERFDATA_KIND_U64,
	  .unit = PERFDATA_UNIT_NS },
};
static const struct perfdata_field e_machine_fields[] = {
	{ .name = "e_machine", .doc = "ELF machine number.", .kind = PERFDATA_KIND_U32 },
	{ .name = "e_flags",
	  .doc = "ELF flags.",
	  .kind = PERFDATA_KIND_U32,
	  .show = PERFDATA_SHOW_HEX,
	  .when = PERFDATA_IF_LEFT,
	  .when_value = 4 },
};
static const struct perfdata_field cln_size_fields[] = {
	{ .name = "cln_size", .doc = "Size of a cache line.", .kind = PERFDATA_KIND_U32, .unit = PERFDATA_UNIT_BYTES },
};

/* --- build-ids --------------------------------------------------------------------------------------------------- */

static const struct perfdata_field build_id_element_fields[] = {
	{ .name = "type",
	  .doc = "Record type; not used.",
	  .kind = PERFDATA_KIND_PAD,
	  .count_field = PERFDATA_COUNT_FIXED,
	  .count = 4 },
	{ .name = "misc",
	  .doc = "Where the file is mapped.",
	  .kind = PERFDATA_KIND_U16,
	  .show = PERFDATA_SHOW_BITS,
	  .bits = build_id_misc_bits },
	{ .name = "size", .doc = "Bytes of this entry.", .kind = PERFDATA_KIND_U16, .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "pid",
	  .doc = "-1: the host's kernel, 0: a guest's, else the guest's process",
	  .kind = PERFDATA_KIND_S32 },
	{ .name = "build_id",
	  .doc = "Build-id; cut to its length where the entry states it.",
	  .kind = PERFDATA_KIND_BYTES,
	  .show = PERFDATA_SHOW_BYTES_HEX,
	  .count_field = PERFDATA_COUNT_FIXED,
	  .count = 20 },
	{ .name = "build_id_size",
	  .doc = "Length of the build-id.",
	  .kind = PERFDATA_KIND_U8,
	  .show = PERFDATA_SHOW_HIDDEN,
	  .unit = PERFDATA_UNIT_BYTES },
	{ .name = "reserved",
	  .doc = "Not used.",
	  .kind = PERFDATA_KIND_PAD,
	  .count_field = PERFDATA_COUNT_FIXED,
	  .count = 3 },
	{ .name = "filename",
	  .doc = "Path of the file, or [kernel.kallsyms], [vdso], [module].",
	  .kind = PERFDATA_KIND_TEXT,
	  .show = PERFDATA_SHOW_TEXT,
	  .count_field = PERFDATA_COUNT_REST },
};
static const struct perfdata_layout build_id_element =
	PART("build_id_entry", "The build-id of a file with samples.", build_id_element_fields);

static const struct perfdata_field build_id_old_fields[] = {
	{ .name = "type",
	  .doc = "Record type; not used.",
	  .kind = PERFDATA_KIND_PAD,
	  .count_field = PERFDATA_COUNT_FIXED,
	  .count = 4 },
	{ .name = "misc",
	  .doc = "Where the file is mapped.",
	  .kind = PERFDATA_KIND_U16,
	  .show = PERFDATA_SHOW_BITS,
	  .bits = build_id_misc_bits },
	{ .name = "size", .doc = "Bytes of this entry.", .kind = PERFDATA_KIND_U16, .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "build_id",
	  .doc = "Build-id.",
	  .kind = PERFDATA_KIND_BYTES,
	  .show = PERFDATA_SHOW_BYTES_HEX,
	  .count_field = PERFDATA_COUNT_FIXED,
	  .count = 20 },
	{ .name = "reserved",
	  .doc = "Not used.",
	  .kind = PERFDATA_KIND_PAD,
	  .count_field = PERFDATA_COUNT_FIXED,
	  .count = 4 },
	{ .name = "filename",
	  .doc = "Path of the file.",
	  .kind = PERFDATA_KIND_TEXT,
	  .show = PERFDATA_SHOW_TEXT,
	  .count_field = PERFDATA_COUNT_REST },
};
const struct perfdata_layout pd_build_id_old = PART("build_id_entry", "The build-id of a file.", build_id_old_fields);
const struct perfdata_field *const pd_build_id_pid = &build_id_element_fields[3];

static const struct perfdata_field build_id_fields[] = {
	{ .name = "build_id", .doc = "Files with samples, and their build-ids.", .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_FRAMED, .element = &build_id_element },
};

/* --- events ------------------------------------------------------------------------------------------------------ */

static const struct perfdata_field event_desc_element_fields[] = {
	{ .name = "attr",
	  .doc = "How the event was opened.",
	  .kind = PERFDATA_KIND_ATTR,
	  .count_field = PERFDATA_COUNT_ROOT,
	  .count = 1 },
	{ .name = "nr_ids", .doc = "Number of ids.", .kind = PERFDATA_KIND_U32, .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "name", .doc = "Name of the event.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
	{ .name = "ids",
	  .doc = "Sample ids of the event.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = 1,
	  .element = &event_id_element },
};
static const struct perfdata_layout event_desc_element = PART("event_desc_entry", "An event.",
							      event_desc_element_fields);
static const struct perfdata_field event_desc_fields[] = {
	{ .name = "nr_events", .doc = "Number of events.", .kind = PERFDATA_KIND_U32, .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "attr_size",
	  .doc = "Bytes of an attr here.",
	  .kind = PERFDATA_KIND_U32,
	  .show = PERFDATA_SHOW_HIDDEN,
	  .unit = PERFDATA_UNIT_BYTES },
	{ .name = "event_desc",
	  .doc = "Events in the order of the attr table.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = 0,
	  .element = &event_desc_element },
};

static const struct perfdata_field group_fields[] = {
	{ .name = "name", .doc = "Name of the group; {anon_group} if it has none.", .kind = PERFDATA_KIND_STRING,
	  .show = PERFDATA_SHOW_TEXT },
	{ .name = "leader", .doc = "Index of the leading event.", .kind = PERFDATA_KIND_U32 },
	{ .name = "nr_members", .doc = "Number of events, the leader among them.", .kind = PERFDATA_KIND_U32 },
};
static const struct perfdata_layout group_element = PART("group_desc_entry", "A group of events.", group_fields);
static const struct perfdata_field group_desc_fields[] = {
	{ .name = "group_desc",
	  .doc = "Groups of events.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &group_element },
};

/* --- the machine ------------------------------------------------------------------------------------------------- */

static const struct perfdata_field topology_cpu_fields[] = {
	{ .name = "core_id", .doc = "Core of the CPU; 4294967295 if unknown.", .kind = PERFDATA_KIND_U32 },
	{ .name = "socket_id", .doc = "Package of the CPU; 4294967295 if unknown.", .kind = PERFDATA_KIND_U32 },
};
static const struct perfdata_layout topology_cpu_element = PART("topology_cpu", "Place of a CPU.", topology_cpu_fields);
static const struct perfdata_field cpu_topology_fields[] = {
	{ .name = "sockets",
	  .doc = "CPUs of each package.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &string_element },
	{ .name = "threads",
	  .doc = "CPUs of each core.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &string_element },
	{ .name = "cpus",
	  .doc = "Place of each available CPU.",
	  .kind = PERFDATA_KIND_LIST,
	  .when = PERFDATA_IF_LEFT,
	  .when_value = 8,
	  .count_field = PERFDATA_COUNT_CPUS,
	  .element = &topology_cpu_element },
	{ .name = "dies",
	  .doc = "CPUs of each die.",
	  .kind = PERFDATA_KIND_LIST,
	  .when = PERFDATA_IF_LEFT,
	  .when_value = 8,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &string_element },
	{ .name = "die_ids",
	  .doc = "Die of each available CPU.",
	  .kind = PERFDATA_KIND_LIST,
	  .when = PERFDATA_IF_LEFT,
	  .when_value = 4,
	  .count_field = PERFDATA_COUNT_CPUS,
	  .element = &die_element },
};

static const struct perfdata_field numa_node_fields[] = {
	{ .name = "node", .doc = "Number of the node.", .kind = PERFDATA_KIND_U32 },
	{ .name = "total", .doc = "Memory of the node.", .kind = PERFDATA_KIND_U64, .unit = PERFDATA_UNIT_KB },
	{ .name = "free", .doc = "Free memory of the node.", .kind = PERFDATA_KIND_U64, .unit = PERFDATA_UNIT_KB },
	{ .name = "cpus", .doc = "CPUs of the node.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_layout numa_node_element = PART("numa_node", "A NUMA node.", numa_node_fields);
static const struct perfdata_field numa_topology_fields[] = {
	{ .name = "numa_topology",
	  .doc = "NUMA nodes.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &numa_node_element },
};

static const struct perfdata_field pmu_fields[] = {
	{ .name = "type", .doc = "Attr.type of its events.", .kind = PERFDATA_KIND_U32 },
	{ .name = "name", .doc = "Name of the PMU.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_layout pmu_element = PART("pmu", "A PMU.", pmu_fields);
static const struct perfdata_field pmu_mappings_fields[] = {
	{ .name = "pmu_mappings",
	  .doc = "PMUs of the machine.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &pmu_element },
};

static const struct perfdata_field cache_level_fields[] = {
	{ .name = "level", .doc = "Level.", .kind = PERFDATA_KIND_U32 },
	{ .name = "line_size", .doc = "Size of a line.", .kind = PERFDATA_KIND_U32, .unit = PERFDATA_UNIT_BYTES },
	{ .name = "sets", .doc = "Number of sets.", .kind = PERFDATA_KIND_U32 },
	{ .name = "ways", .doc = "Number of ways.", .kind = PERFDATA_KIND_U32 },
	{ .name = "type",
	  .doc = "Data, Instruction or Unified.",
	  .kind = PERFDATA_KIND_STRING,
	  .show = PERFDATA_SHOW_TEXT },
	{ .name = "size", .doc = "Size, such as 48K.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
	{ .name = "cpus", .doc = "CPUs that share it.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_layout cache_element = PART("cache_entry", "A CPU cache.", cache_level_fields);
static const struct perfdata_field cache_fields[] = {
	{ .name = "version", .doc = "Version of this section.", .kind = PERFDATA_KIND_U32 },
	{ .name = "caches", .doc = "CPU caches.", .kind = PERFDATA_KIND_LIST, .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &cache_element },
};

static const struct perfdata_field memory_node_fields[] = {
	{ .name = "node", .doc = "Number of the node.", .kind = PERFDATA_KIND_U64 },
	{ .name = "size", .doc = "Number of the last memory block, plus one.", .kind = PERFDATA_KIND_U64 },
	{ .name = "set", .doc = "Memory blocks of the node.", .kind = PERFDATA_KIND_BITMAP },
};
static const struct perfdata_layout memory_node_element = PART("memory_node", "Memory of a node.", memory_node_fields);
static const struct perfdata_field mem_topology_fields[] = {
	{ .name = "version", .doc = "Version of this section.", .kind = PERFDATA_KIND_U64 },
	{ .name = "block_size",
	  .doc = "Size of a memory block.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HEX,
	  .unit = PERFDATA_UNIT_BYTES },
	{ .name = "nr_nodes", .doc = "Number of nodes.", .kind = PERFDATA_KIND_U64, .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "nodes",
	  .doc = "Nodes with memory.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = 2,
	  .element = &memory_node_element },
};

static const struct perfdata_field capability_fields[] = {
	{ .name = "name", .doc = "Name.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
	{ .name = "value", .doc = "Value.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_layout capability_element = PART("capability", "What a PMU can do.", capability_fields);
static const struct perfdata_field cpu_pmu_caps_fields[] = {
	{ .name = "cpu_pmu_caps", .doc = "What the PMU `cpu` can do.", .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX, .element = &capability_element },
};

static const struct perfdata_field hybrid_node_fields[] = {
	{ .name = "pmu_name", .doc = "Name of the PMU.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
	{ .name = "cpus", .doc = "CPUs of the PMU.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_layout hybrid_node_element = PART("hybrid_node", "CPUs of one kind.", hybrid_node_fields);
static const struct perfdata_field hybrid_topology_fields[] = {
	{ .name = "hybrid_topology",
	  .doc = "Kinds of CPUs.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &hybrid_node_element },
};

/* The name comes after the capabilities. */
static const struct perfdata_field pmu_caps_element_fields[] = {
	{ .name = "caps",
	  .doc = "What the PMU can do.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &capability_element },
	{ .name = "pmu_name", .doc = "Name of the PMU.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_layout pmu_caps_element = PART("pmu_caps_entry", "A PMU and what it can do.",
							    pmu_caps_element_fields);
static const struct perfdata_field pmu_caps_fields[] = {
	{ .name = "pmu_caps",
	  .doc = "PMUs and what they can do.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &pmu_caps_element },
};

static const struct perfdata_field domain_fields[] = {
	{ .name = "domain", .doc = "Level of the domain.", .kind = PERFDATA_KIND_U32 },
	{ .name = "name", .doc = "Name of the domain.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT,
	  .when = PERFDATA_IF_ROOT_GE, .when_field = 0, .when_value = 17 },
	{ .name = "cpumask", .doc = "CPUs as a mask.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
	{ .name = "cpulist", .doc = "CPUs as a list.", .kind = PERFDATA_KIND_STRING, .show = PERFDATA_SHOW_TEXT },
};
static const struct perfdata_layout domain_element = PART("sched_domain", "A scheduling domain.", domain_fields);
static const struct perfdata_field domain_cpu_fields[] = {
	{ .name = "cpu", .doc = "Number of the CPU.", .kind = PERFDATA_KIND_U32 },
	{ .name = "domains",
	  .doc = "Scheduling domains of the CPU.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &domain_element },
};
static const struct perfdata_layout domain_cpu_element = PART("domain_cpu", "Scheduling domains of a CPU.",
							      domain_cpu_fields);
static const struct perfdata_field cpu_domain_info_fields[] = {
	{ .name = "schedstat_version", .doc = "Version of /proc/schedstat.", .kind = PERFDATA_KIND_U32 },
	{ .name = "max_sched_domains", .doc = "Most domains of a CPU.", .kind = PERFDATA_KIND_U32 },
	{ .name = "cpus", .doc = "CPUs online.", .kind = PERFDATA_KIND_LIST, .count_field = PERFDATA_COUNT_REST,
	  .element = &domain_cpu_element },
};

/* --- AUX area ---------------------------------------------------------------------------------------------------- */

static const struct perfdata_field auxtrace_entry_fields[] = {
	{ .name = "offset",
	  .doc = "Place of an AUXTRACE record in the file.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HEX },
	{ .name = "size", .doc = "Size of the record.", .kind = PERFDATA_KIND_U64, .unit = PERFDATA_UNIT_BYTES },
};
static const struct perfdata_layout auxtrace_element = PART("auxtrace_entry", "An AUXTRACE record.",
							    auxtrace_entry_fields);
static const struct perfdata_field auxtrace_fields[] = {
	{ .name = "nr_entries", .doc = "Number of records; simpleperf writes none.", .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HIDDEN, .when = PERFDATA_UNLESS_ENTRIES, .when_value = 16 },
	{ .name = "auxtrace", .doc = "AUXTRACE records.", .kind = PERFDATA_KIND_LIST, .count_field = 0,
	  .element = &auxtrace_element, .when = PERFDATA_IF_FIELD_GE, .when_field = 0, .when_value = 1 },
	{ .name = "auxtrace", .doc = "AUXTRACE records, without their number in front.", .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_REST, .element = &auxtrace_element, .when = PERFDATA_IF_FIELD,
	  .when_field = 0, .when_value = 0 },
};

/* --- BPF --------------------------------------------------------------------------------------------------------- */

/* struct bpf_prog_info of include/uapi/linux/bpf.h, as long as the recorder's. The pointers (*_at) are offsets in the
 * data. */
static const struct perfdata_field bpf_info_fields[] = {
	{ .name = "type", .doc = "BPF_PROG_TYPE_*.", .kind = PERFDATA_KIND_U32 },
	{ .name = "id", .doc = "Id of the program.", .kind = PERFDATA_KIND_U32 },
	{ .name = "tag",
	  .doc = "Hash of the program.",
	  .kind = PERFDATA_KIND_BYTES,
	  .show = PERFDATA_SHOW_BYTES_HEX,
	  .count_field = PERFDATA_COUNT_FIXED,
	  .count = 8 },
	{ .name = "jited_prog_len",
	  .doc = "Size of the machine code.",
	  .kind = PERFDATA_KIND_U32,
	  .unit = PERFDATA_UNIT_BYTES },
	{ .name = "xlated_prog_len",
	  .doc = "Size of the BPF code.",
	  .kind = PERFDATA_KIND_U32,
	  .unit = PERFDATA_UNIT_BYTES },
	{ .name = "jited_prog_insns_at",
	  .doc = "Place of the machine code.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "xlated_prog_insns_at",
	  .doc = "Place of the BPF code.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "load_time",
	  .doc = "Time of loading since boot.",
	  .kind = PERFDATA_KIND_U64,
	  .unit = PERFDATA_UNIT_NS },
	{ .name = "created_by_uid", .doc = "User who loaded it.", .kind = PERFDATA_KIND_U32 },
	{ .name = "nr_map_ids", .doc = "Number of maps.", .kind = PERFDATA_KIND_U32 },
	{ .name = "map_ids_at",
	  .doc = "Place of the ids of its maps.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "name",
	  .doc = "Name of the program.",
	  .kind = PERFDATA_KIND_CHARS,
	  .show = PERFDATA_SHOW_TEXT,
	  .count_field = PERFDATA_COUNT_FIXED,
	  .count = 16 },
	{ .name = "ifindex", .doc = "Network device that it is offloaded to.", .kind = PERFDATA_KIND_U32 },
	{ .name = "flags",
	  .doc = "Bit 0 (of the recorder's byte order): licence compatible with the GPL.",
	  .kind = PERFDATA_KIND_U32,
	  .show = PERFDATA_SHOW_HEX },
	{ .name = "netns_dev", .doc = "Device of the network namespace.", .kind = PERFDATA_KIND_U64 },
	{ .name = "netns_ino", .doc = "Inode of the network namespace.", .kind = PERFDATA_KIND_U64 },
	{ .name = "nr_jited_ksyms", .doc = "Number of parts in memory.", .kind = PERFDATA_KIND_U32 },
	{ .name = "nr_jited_func_lens", .doc = "Number of sizes of parts.", .kind = PERFDATA_KIND_U32 },
	{ .name = "jited_ksyms_at",
	  .doc = "Place of the addresses.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "jited_func_lens_at",
	  .doc = "Place of the sizes.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "btf_id", .doc = "Id of its BTF.", .kind = PERFDATA_KIND_U32 },
	{ .name = "func_info_rec_size",
	  .doc = "Size of an entry of func_info.",
	  .kind = PERFDATA_KIND_U32,
	  .unit = PERFDATA_UNIT_BYTES },
	{ .name = "func_info_at",
	  .doc = "Place of func_info.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "nr_func_info", .doc = "Entries of func_info.", .kind = PERFDATA_KIND_U32 },
	{ .name = "nr_line_info", .doc = "Entries of line_info.", .kind = PERFDATA_KIND_U32 },
	{ .name = "line_info_at",
	  .doc = "Place of line_info.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "jited_line_info_at",
	  .doc = "Place of jited_line_info.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "nr_jited_line_info", .doc = "Entries of jited_line_info.", .kind = PERFDATA_KIND_U32 },
	{ .name = "line_info_rec_size",
	  .doc = "Size of an entry of line_info.",
	  .kind = PERFDATA_KIND_U32,
	  .unit = PERFDATA_UNIT_BYTES },
	{ .name = "jited_line_info_rec_size",
	  .doc = "Size of an entry of jited_line_info.",
	  .kind = PERFDATA_KIND_U32,
	  .unit = PERFDATA_UNIT_BYTES },
	{ .name = "nr_prog_tags", .doc = "Number of hashes of parts.", .kind = PERFDATA_KIND_U32 },
	{ .name = "prog_tags_at",
	  .doc = "Place of the hashes.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "run_time_ns", .doc = "Time it ran.", .kind = PERFDATA_KIND_U64, .unit = PERFDATA_UNIT_NS },
	{ .name = "run_cnt", .doc = "Times it ran.", .kind = PERFDATA_KIND_U64 },
	{ .name = "recursion_misses",
	  .doc = "Times it did not run because it was running.",
	  .kind = PERFDATA_KIND_U64 },
	{ .name = "verified_insns", .doc = "Instructions that the verifier looked at.", .kind = PERFDATA_KIND_U32 },
	{ .name = "attach_btf_obj_id", .doc = "BTF of what it is attached to.", .kind = PERFDATA_KIND_U32 },
	{ .name = "attach_btf_id", .doc = "BTF type of what it is attached to.", .kind = PERFDATA_KIND_U32 },
	{ .name = "padding",
	  .doc = "Not used.",
	  .kind = PERFDATA_KIND_PAD,
	  .count_field = PERFDATA_COUNT_FIXED,
	  .count = 4 },
};
static const struct perfdata_layout bpf_info = PART("bpf_info", "Struct bpf_prog_info.", bpf_info_fields);

/* Where the arrays of a program are: the numbers are offsets in struct bpf_prog_info. In the order of the bits of
 * `arrays`. */
const struct pd_bpf_array pd_bpf_arrays[PD_NR_BPF_ARRAYS] = {
	{ .pointer_at = 24, .count_at = 16, .size = 1 },
	{ .pointer_at = 32, .count_at = 20, .size = 1 },
	{ .pointer_at = 56, .count_at = 52, .size = 4 },
	{ .pointer_at = 112, .count_at = 104, .size = 8 },
	{ .pointer_at = 120, .count_at = 108, .size = 4 },
	{ .pointer_at = 136, .count_at = 144, .size_at = 132 },
	{ .pointer_at = 152, .count_at = 148, .size_at = 172 },
	{ .pointer_at = 160, .count_at = 168, .size_at = 176 },
	{ .pointer_at = 184, .count_at = 180, .size = 8 },
};

#define BPF_BYTES(number, key, text)                                                                    \
	{                                                                                               \
		.name = key, .doc = text, .kind = PERFDATA_KIND_BYTES, .show = PERFDATA_SHOW_BYTES_HEX, \
		.when = PERFDATA_IF_FIELD_BITS, .when_field = 2, .when_value = 1u << (number),          \
		.count_field = PERFDATA_COUNT_BPF, .count = number                                      \
	}
#define BPF_LIST(number, key, text, of) \
	{ .name = key, .doc = text, .kind = PERFDATA_KIND_LIST, .when = PERFDATA_IF_FIELD_BITS, .when_field = 2, \
	  .when_value = 1u << (number), .count_field = PERFDATA_COUNT_BPF, .count = number, .element = of }

static const struct perfdata_field bpf_prog_fields[] = {
	{ .name = "info_len", .doc = "Size of info.", .kind = PERFDATA_KIND_U32, .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "data_len", .doc = "Size of all arrays.", .kind = PERFDATA_KIND_U32, .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "arrays",
	  .doc = "Arrays that were recorded.",
	  .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_FLAGS,
	  .names = bpf_array_names },
	{ .name = "info",
	  .doc = "What the kernel tells about the program.",
	  .kind = PERFDATA_KIND_STRUCT,
	  .count_field = 0,
	  .element = &bpf_info },
	BPF_LIST(2, "map_ids", "Ids of its maps.", &u32_element),
	BPF_LIST(3, "jited_ksyms", "Addresses of its parts.", &address_element),
	BPF_LIST(4, "jited_func_lens", "Sizes of its parts.", &u32_element),
	BPF_LIST(8, "prog_tags", "Hashes of its parts.", &tag_element),
	BPF_BYTES(5, "func_info", "Struct bpf_func_info entries."),
	BPF_BYTES(6, "line_info", "Struct bpf_line_info entries."),
	BPF_BYTES(7, "jited_line_info", "Addresses of the lines."),
	BPF_BYTES(1, "xlated_prog_insns", "BPF code after the verifier."),
	BPF_BYTES(0, "jited_prog_insns", "Machine code."),
	/* A node of its own only if the data holds arrays that have no row. */
	{ .name = "data",
	  .doc = "All arrays.",
	  .kind = PERFDATA_KIND_BYTES,
	  .show = PERFDATA_SHOW_BYTES_HEX,
	  .when = PERFDATA_IF_FIELD_BITS,
	  .when_field = 2,
	  .when_value = ~0ull << PD_NR_BPF_ARRAYS,
	  .count_field = 1 },
	{ .name = "data",
	  .doc = "All arrays.",
	  .kind = PERFDATA_KIND_PAD,
	  .when = PERFDATA_UNLESS_FIELD_BITS,
	  .when_field = 2,
	  .when_value = ~0ull << PD_NR_BPF_ARRAYS,
	  .count_field = 1 },
};
static const struct perfdata_layout bpf_prog_element = PART("bpf_prog", "A BPF program.", bpf_prog_fields);
static const struct perfdata_field bpf_prog_info_fields[] = {
	{ .name = "bpf_prog_info",
	  .doc = "BPF programs.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &bpf_prog_element },
};

static const struct perfdata_field btf_fields[] = {
	{ .name = "id", .doc = "Id of the BTF.", .kind = PERFDATA_KIND_U32 },
	{ .name = "size", .doc = "Size of the BTF.", .kind = PERFDATA_KIND_U32, .show = PERFDATA_SHOW_HIDDEN },
	{ .name = "data",
	  .doc = "The BTF.",
	  .kind = PERFDATA_KIND_BYTES,
	  .show = PERFDATA_SHOW_BYTES_HEX,
	  .count_field = 1 },
};
static const struct perfdata_layout btf_element = PART("btf", "Type data of BPF programs.", btf_fields);
static const struct perfdata_field bpf_btf_fields[] = {
	{ .name = "bpf_btf",
	  .doc = "Type data of BPF programs.",
	  .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &btf_element },
};

/* --- all sections ------------------------------------------------------------------------------------------------ */

#define META PD_SECTION_IS_META
#define NO_RECORD PD_SECTION_HAS_NO_RECORD
static const struct pd_section_row sections[] = {
	SECTION(1, "tracing_data", "TRACING_DATA", "Formats of tracepoints.", tracing_data_fields, ANEW, NO_RECORD),
	SECTION(2, "build_id", "BUILD_ID", "Build-ids of the files with samples.", build_id_fields, LISTS, NO_RECORD),
	SECTION(3, "hostname", "HOSTNAME", "Name of the machine.", hostname_fields, EQUAL, META),
	SECTION(4, "osrelease", "OSRELEASE", "Release of the kernel.", osrelease_fields, EQUAL, META),
	SECTION(5, "version", "VERSION", "Version of perf.", version_fields, FIRST, META),
	SECTION(6, "arch", "ARCH", "Architecture of the machine.", arch_fields, EQUAL, 0),
	SECTION(7, "nrcpus", "NRCPUS", "Number of CPUs.", nrcpus_fields, EQUAL, 0),
	SECTION(8, "cpudesc", "CPUDESC", "Description of the CPU.", cpudesc_fields, EQUAL, META),
	SECTION(9, "cpuid", "CPUID", "Identification of the CPU.", cpuid_fields, EQUAL, META),
	SECTION(10, "total_mem", "TOTAL_MEM", "Memory of the machine.", total_mem_fields, FIRST, META),
	SECTION(11, "cmdline", "CMDLINE", "Command line of the recorder.", cmdline_fields, FIRST, META),
	SECTION(12, "event_desc", "EVENT_DESC", "Events with their names and ids.", event_desc_fields, ANEW, 0),
	SECTION(13, "cpu_topology", "CPU_TOPOLOGY", "Packages, dies, cores and threads.",
		cpu_topology_fields, EQUAL, META),
	SECTION(14, "numa_topology", "NUMA_TOPOLOGY", "NUMA nodes.", numa_topology_fields, FIRST, META),
	EMPTY_SECTION(15, "branch_stack", "BRANCH_STACK", "Samples may hold branch stacks.", FIRST, NO_RECORD),
	SECTION(16, "pmu_mappings", "PMU_MAPPINGS", "Numbers and names of PMUs.", pmu_mappings_fields, FIRST, 0),
	SECTION(17, "group_desc", "GROUP_DESC", "Groups of events.", group_desc_fields, ANEW, 0),
	SECTION(18, "auxtrace", "AUXTRACE", "Where the AUXTRACE records are.", auxtrace_fields, ANEW, NO_RECORD),
	EMPTY_SECTION(19, "stat", "STAT", "The file was written by perf stat.", EQUAL, NO_RECORD),
	SECTION(20, "cache", "CACHE", "CPU caches.", cache_fields, EQUAL, META | NO_RECORD),
	SECTION(21, "sample_time", "SAMPLE_TIME", "Times of the first and last sample.", sample_time_fields, ANEW, 0),
	SECTION(22, "mem_topology", "MEM_TOPOLOGY", "Memory blocks of the nodes.", mem_topology_fields, EQUAL, META),
	SECTION(23, "clockid", "CLOCKID", "Resolution of the chosen clock.", clockid_fields, EQUAL, 0),
	SECTION(24, "dir_format", "DIR_FORMAT", "The file is part of a directory.", dir_format_fields, ANEW, NO_RECORD),
	SECTION(25, "bpf_prog_info", "BPF_PROG_INFO", "BPF programs.", bpf_prog_info_fields, LISTS, 0),
	SECTION(26, "bpf_btf", "BPF_BTF", "Type data of BPF programs.", bpf_btf_fields, LISTS, 0),
	SECTION(27, "compressed", "COMPRESSED", "How records are compressed.", compressed_fields, ANEW, NO_RECORD),
	SECTION(28, "cpu_pmu_caps", "CPU_PMU_CAPS", "What the CPU's PMU can do.", cpu_pmu_caps_fields, EQUAL, 0),
	SECTION(29, "clock_data", "CLOCK_DATA", "The recording's clock and the wall clock.",
		clock_data_fields, FIRST, META),
	SECTION(30, "hybrid_topology", "HYBRID_TOPOLOGY", "Kinds of CPUs.",
		hybrid_topology_fields, EQUAL, META | NO_RECORD),
	SECTION(31, "pmu_caps", "PMU_CAPS", "What the PMUs can do.", pmu_caps_fields, EQUAL, 0),
	SECTION(32, "cpu_domain_info", "CPU_DOMAIN_INFO", "Scheduling domains.", cpu_domain_info_fields, EQUAL, META),
	SECTION(33, "e_machine", "E_MACHINE", "ELF machine of the recorded system.", e_machine_fields, EQUAL, 0),
	SECTION(34, "cln_size", "CLN_SIZE", "Size of a cache line.", cln_size_fields, EQUAL, 0),
};
_Static_assert(sizeof sections / sizeof *sections == PERFDATA_FEATURE_LAST - 1, "one row for each section");

static const struct perfdata_field note_fields[] = {
	{ .name = "note",
	  .doc = "How a repaired recording came to be; written by perfdata.",
	  .kind = PERFDATA_KIND_STRING,
	  .show = PERFDATA_SHOW_TEXT },
};
static const struct pd_section_row note_section =
	SECTION(PERFDATA_FEATURE_NOTE, "note", "NOTE", "A note of perfdata's own, which perf passes over.", note_fields,
		ANEW, META);

const struct pd_section_row *pd_section_row(uint32_t id)
{
	if (id == PERFDATA_FEATURE_NOTE)
		return &note_section;
	if (id >= PERFDATA_FEATURE_FILE && id < PERFDATA_FEATURE_SIMPLEPERF_LAST) {
		const struct pd_section_row *row = &pd_simpleperf_sections[id - PERFDATA_FEATURE_FILE];
		return row->layout.name ? row : NULL;
	}
	return id > 0 && id < PERFDATA_FEATURE_LAST ? &sections[id - 1] : NULL;
}

const struct perfdata_layout *perfdata_feature_layout(uint32_t id)
{
	const struct pd_section_row *row = pd_section_row(id);
	return row ? &row->layout : NULL;
}
