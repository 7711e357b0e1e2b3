/* SPDX-License-Identifier: MIT */
/* Feature sections: one row for each section, one for each field, in the layouts that any version of tools/perf writes.
 * A field of a later version is present IF_LEFT. */
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

static const struct perfdata_field string_fields[] = { PD_FIELD(NULL, STRING, TEXT, "A text.") };
static const struct perfdata_layout string_element = PART("string", "A text.", string_fields);

static const struct perfdata_field u32_fields[] = { PD_FIELD(NULL, U32, DEC, "A number.") };
static const struct perfdata_layout u32_element = PART("u32", "A number.", u32_fields);

static const struct perfdata_field address_fields[] = { PD_FIELD(NULL, U64, HEX, "An address.") };
static const struct perfdata_layout address_element = PART("address", "An address.", address_fields);

static const struct perfdata_field event_id_fields[] = { PD_FIELD(NULL, U64, EVENT_ID, "A sample id of the event.") };
static const struct perfdata_layout event_id_element = PART("event_id", "A sample id of the event.", event_id_fields);

static const struct perfdata_field tag_fields[] = {
	PD_FIELD(NULL, BYTES, BYTES_HEX, "Hash of a part of the program.", PD_COUNT_FIXED(8)),
};
static const struct perfdata_layout tag_element = PART("tag", "Hash of a part of the program.", tag_fields);

static const struct perfdata_field die_fields[] = {
	PD_FIELD(NULL, U32, DEC, "Die of the CPU; 4294967295 if unknown."),
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
	PD_FIELD("tracing_data", BYTES, BYTES_HEX, "Tracepoint formats and kernel symbols of the recorded machine.",
		 PD_COUNT_REST),
};
static const struct perfdata_field hostname_fields[] = { PD_FIELD("hostname", STRING, TEXT, "Name of the machine.") };
static const struct perfdata_field osrelease_fields[] = {
	PD_FIELD("osrelease", STRING, TEXT, "Release of the kernel."),
};
static const struct perfdata_field version_fields[] = { PD_FIELD("version", STRING, TEXT, "Version of perf.") };
static const struct perfdata_field arch_fields[] = { PD_FIELD("arch", STRING, TEXT, "Machine as in uname -m.") };
static const struct perfdata_field nrcpus_fields[] = {
	PD_FIELD("available", U32, DEC, "CPUs configured."),
	PD_FIELD("online", U32, DEC, "CPUs online."),
};
static const struct perfdata_field cpudesc_fields[] = { PD_FIELD("cpudesc", STRING, TEXT, "Description of the CPU.") };
static const struct perfdata_field cpuid_fields[] = {
	PD_FIELD("cpuid", STRING, TEXT, "Identification of the CPU; its form depends on the architecture."),
};
static const struct perfdata_field total_mem_fields[] = {
	PD_FIELD("total_mem", U64, DEC, "Memory of the machine.", PD_UNIT(KB)),
};
static const struct perfdata_field cmdline_fields[] = {
	PD_FIELD("cmdline", LIST, DEC, "Arguments of the recorder.", PD_COUNT_PREFIX, .element = &string_element),
};
static const struct perfdata_field sample_time_fields[] = {
	PD_FIELD("first", U64, DEC, "Time of the first sample.", PD_UNIT(NS)),
	PD_FIELD("last", U64, DEC, "Time of the last sample.", PD_UNIT(NS)),
};
static const struct perfdata_field clockid_fields[] = {
	PD_FIELD("clockid", U64, DEC, "Resolution of the clock that -k chose.", PD_UNIT(NS)),
};
static const struct perfdata_field dir_format_fields[] = {
	PD_FIELD("dir_format", U64, DEC, "Version of the directory's layout."),
};
static const struct perfdata_field compressed_fields[] = {
	PD_FIELD("version", U32, DEC, "Version of this section."),
	PD_FIELD("type", U32, ENUM, "Method.", .names = compression_names),
	PD_FIELD("level", U32, DEC, "Level of the compressor."),
	PD_FIELD("ratio", U32, DEC, "Unpacked bytes for one packed byte."),
	PD_FIELD("mmap_len", U32, DEC, "Most bytes that one record unpacks to.", PD_UNIT(BYTES)),
};
static const struct perfdata_field clock_data_fields[] = {
	PD_FIELD("version", U32, DEC, "Version of this section."),
	PD_FIELD("clockid", U32, ENUM, "Clock of the recording's times.", .names = clock_names),
	PD_FIELD("wall_clock", U64, DEC, "Wall clock since 1970, at the moment of clockid_time.", PD_UNIT(NS)),
	PD_FIELD("clockid_time", U64, DEC, "The recording's clock at that moment.", PD_UNIT(NS)),
};
static const struct perfdata_field e_machine_fields[] = {
	PD_FIELD("e_machine", U32, DEC, "ELF machine number."),
	PD_FIELD("e_flags", U32, HEX, "ELF flags.", PD_WHEN(IF_LEFT, 4)),
};
static const struct perfdata_field cln_size_fields[] = {
	PD_FIELD("cln_size", U32, DEC, "Size of a cache line.", PD_UNIT(BYTES)),
};

/* --- build-ids --------------------------------------------------------------------------------------------------- */

static const struct perfdata_field build_id_element_fields[] = {
	PD_FIELD("type", PAD, DEC, "Record type; not used.", PD_COUNT_FIXED(4)),
	PD_FIELD("misc", U16, BITS, "Where the file is mapped.", .bits = build_id_misc_bits),
	PD_FIELD("size", U16, HIDDEN, "Bytes of this entry."),
	PD_FIELD("pid", S32, DEC, "-1: the host's kernel, 0: a guest's, else the guest's process"),
	PD_FIELD("build_id", BYTES, BYTES_HEX, "Build-id; cut to its length where the entry states it.",
		 PD_COUNT_FIXED(20)),
	PD_FIELD("build_id_size", U8, HIDDEN, "Length of the build-id.", PD_UNIT(BYTES)),
	PD_FIELD("reserved", PAD, DEC, "Not used.", PD_COUNT_FIXED(3)),
	PD_FIELD("filename", TEXT, TEXT, "Path of the file, or [kernel.kallsyms], [vdso], [module].", PD_COUNT_REST),
};
static const struct perfdata_layout build_id_element =
	PART("build_id_entry", "The build-id of a file with samples.", build_id_element_fields);

static const struct perfdata_field build_id_old_fields[] = {
	PD_FIELD("type", PAD, DEC, "Record type; not used.", PD_COUNT_FIXED(4)),
	PD_FIELD("misc", U16, BITS, "Where the file is mapped.", .bits = build_id_misc_bits),
	PD_FIELD("size", U16, HIDDEN, "Bytes of this entry."),
	PD_FIELD("build_id", BYTES, BYTES_HEX, "Build-id.", PD_COUNT_FIXED(20)),
	PD_FIELD("reserved", PAD, DEC, "Not used.", PD_COUNT_FIXED(4)),
	PD_FIELD("filename", TEXT, TEXT, "Path of the file.", PD_COUNT_REST),
};
const struct perfdata_layout pd_build_id_old = PART("build_id_entry", "The build-id of a file.", build_id_old_fields);
const struct perfdata_field *const pd_build_id_pid = &build_id_element_fields[3];

static const struct perfdata_field build_id_fields[] = {
	PD_FIELD("build_id", LIST, DEC, "Files with samples, and their build-ids.",
		 .count_field = PERFDATA_COUNT_FRAMED, .element = &build_id_element),
};

/* --- events ------------------------------------------------------------------------------------------------------ */

static const struct perfdata_field event_desc_element_fields[] = {
	PD_FIELD("attr", ATTR, DEC, "How the event was opened.", .count_field = PERFDATA_COUNT_ROOT, .count = 1),
	PD_FIELD("nr_ids", U32, HIDDEN, "Number of ids."),
	PD_FIELD("name", STRING, TEXT, "Name of the event."),
	PD_FIELD("ids", LIST, DEC, "Sample ids of the event.", PD_COUNT(1), .element = &event_id_element),
};
static const struct perfdata_layout event_desc_element = PART("event_desc_entry", "An event.",
							      event_desc_element_fields);
static const struct perfdata_field event_desc_fields[] = {
	PD_FIELD("nr_events", U32, HIDDEN, "Number of events."),
	PD_FIELD("attr_size", U32, HIDDEN, "Bytes of an attr here.", PD_UNIT(BYTES)),
	PD_FIELD("event_desc", LIST, DEC, "Events in the order of the attr table.", PD_COUNT(0),
		 .element = &event_desc_element),
};

static const struct perfdata_field group_fields[] = {
	PD_FIELD("name", STRING, TEXT, "Name of the group; {anon_group} if it has none."),
	PD_FIELD("leader", U32, DEC, "Index of the leading event."),
	PD_FIELD("nr_members", U32, DEC, "Number of events, the leader among them."),
};
static const struct perfdata_layout group_element = PART("group_desc_entry", "A group of events.", group_fields);
static const struct perfdata_field group_desc_fields[] = {
	PD_FIELD("group_desc", LIST, DEC, "Groups of events.", PD_COUNT_PREFIX, .element = &group_element),
};

/* --- the machine ------------------------------------------------------------------------------------------------- */

static const struct perfdata_field topology_cpu_fields[] = {
	PD_FIELD("core_id", U32, DEC, "Core of the CPU; 4294967295 if unknown."),
	PD_FIELD("socket_id", U32, DEC, "Package of the CPU; 4294967295 if unknown."),
};
static const struct perfdata_layout topology_cpu_element = PART("topology_cpu", "Place of a CPU.", topology_cpu_fields);
static const struct perfdata_field cpu_topology_fields[] = {
	PD_FIELD("sockets", LIST, DEC, "CPUs of each package.", PD_COUNT_PREFIX, .element = &string_element),
	PD_FIELD("threads", LIST, DEC, "CPUs of each core.", PD_COUNT_PREFIX, .element = &string_element),
	PD_FIELD("cpus", LIST, DEC, "Place of each available CPU.", PD_WHEN(IF_LEFT, 8),
		 .count_field = PERFDATA_COUNT_CPUS, .element = &topology_cpu_element),
	PD_FIELD("dies", LIST, DEC, "CPUs of each die.", PD_WHEN(IF_LEFT, 8), PD_COUNT_PREFIX,
		 .element = &string_element),
	PD_FIELD("die_ids", LIST, DEC, "Die of each available CPU.", PD_WHEN(IF_LEFT, 4),
		 .count_field = PERFDATA_COUNT_CPUS, .element = &die_element),
};

static const struct perfdata_field numa_node_fields[] = {
	PD_FIELD("node", U32, DEC, "Number of the node."),
	PD_FIELD("total", U64, DEC, "Memory of the node.", PD_UNIT(KB)),
	PD_FIELD("free", U64, DEC, "Free memory of the node.", PD_UNIT(KB)),
	PD_FIELD("cpus", STRING, TEXT, "CPUs of the node."),
};
static const struct perfdata_layout numa_node_element = PART("numa_node", "A NUMA node.", numa_node_fields);
static const struct perfdata_field numa_topology_fields[] = {
	PD_FIELD("numa_topology", LIST, DEC, "NUMA nodes.", PD_COUNT_PREFIX, .element = &numa_node_element),
};

static const struct perfdata_field pmu_fields[] = {
	PD_FIELD("type", U32, DEC, "Attr.type of its events."),
	PD_FIELD("name", STRING, TEXT, "Name of the PMU."),
};
static const struct perfdata_layout pmu_element = PART("pmu", "A PMU.", pmu_fields);
static const struct perfdata_field pmu_mappings_fields[] = {
	PD_FIELD("pmu_mappings", LIST, DEC, "PMUs of the machine.", PD_COUNT_PREFIX, .element = &pmu_element),
};

static const struct perfdata_field cache_level_fields[] = {
	PD_FIELD("level", U32, DEC, "Level."),
	PD_FIELD("line_size", U32, DEC, "Size of a line.", PD_UNIT(BYTES)),
	PD_FIELD("sets", U32, DEC, "Number of sets."),
	PD_FIELD("ways", U32, DEC, "Number of ways."),
	PD_FIELD("type", STRING, TEXT, "Data, Instruction or Unified."),
	PD_FIELD("size", STRING, TEXT, "Size, such as 48K."),
	PD_FIELD("cpus", STRING, TEXT, "CPUs that share it."),
};
static const struct perfdata_layout cache_element = PART("cache_entry", "A CPU cache.", cache_level_fields);
static const struct perfdata_field cache_fields[] = {
	PD_FIELD("version", U32, DEC, "Version of this section."),
	PD_FIELD("caches", LIST, DEC, "CPU caches.", PD_COUNT_PREFIX, .element = &cache_element),
};

static const struct perfdata_field memory_node_fields[] = {
	PD_FIELD("node", U64, DEC, "Number of the node."),
	PD_FIELD("size", U64, DEC, "Number of the last memory block, plus one."),
	PD_FIELD("set", BITMAP, DEC, "Memory blocks of the node."),
};
static const struct perfdata_layout memory_node_element = PART("memory_node", "Memory of a node.", memory_node_fields);
static const struct perfdata_field mem_topology_fields[] = {
	PD_FIELD("version", U64, DEC, "Version of this section."),
	PD_FIELD("block_size", U64, HEX, "Size of a memory block.", PD_UNIT(BYTES)),
	PD_FIELD("nr_nodes", U64, HIDDEN, "Number of nodes."),
	PD_FIELD("nodes", LIST, DEC, "Nodes with memory.", PD_COUNT(2), .element = &memory_node_element),
};

static const struct perfdata_field capability_fields[] = {
	PD_FIELD("name", STRING, TEXT, "Name."),
	PD_FIELD("value", STRING, TEXT, "Value."),
};
static const struct perfdata_layout capability_element = PART("capability", "What a PMU can do.", capability_fields);
static const struct perfdata_field cpu_pmu_caps_fields[] = {
	PD_FIELD("cpu_pmu_caps", LIST, DEC, "What the PMU `cpu` can do.", PD_COUNT_PREFIX,
		 .element = &capability_element),
};

static const struct perfdata_field hybrid_node_fields[] = {
	PD_FIELD("pmu_name", STRING, TEXT, "Name of the PMU."),
	PD_FIELD("cpus", STRING, TEXT, "CPUs of the PMU."),
};
static const struct perfdata_layout hybrid_node_element = PART("hybrid_node", "CPUs of one kind.", hybrid_node_fields);
static const struct perfdata_field hybrid_topology_fields[] = {
	PD_FIELD("hybrid_topology", LIST, DEC, "Kinds of CPUs.", PD_COUNT_PREFIX, .element = &hybrid_node_element),
};

/* the name follows the capabilities */
static const struct perfdata_field pmu_caps_element_fields[] = {
	PD_FIELD("caps", LIST, DEC, "What the PMU can do.", PD_COUNT_PREFIX, .element = &capability_element),
	PD_FIELD("pmu_name", STRING, TEXT, "Name of the PMU."),
};
static const struct perfdata_layout pmu_caps_element = PART("pmu_caps_entry", "A PMU and what it can do.",
							    pmu_caps_element_fields);
static const struct perfdata_field pmu_caps_fields[] = {
	PD_FIELD("pmu_caps", LIST, DEC, "PMUs and what they can do.", PD_COUNT_PREFIX, .element = &pmu_caps_element),
};

static const struct perfdata_field domain_fields[] = {
	PD_FIELD("domain", U32, DEC, "Level of the domain."),
	PD_FIELD("name", STRING, TEXT, "Name of the domain.", PD_WHEN_FIELD(IF_ROOT_GE, 0, 17)),
	PD_FIELD("cpumask", STRING, TEXT, "CPUs as a mask."),
	PD_FIELD("cpulist", STRING, TEXT, "CPUs as a list."),
};
static const struct perfdata_layout domain_element = PART("sched_domain", "A scheduling domain.", domain_fields);
static const struct perfdata_field domain_cpu_fields[] = {
	PD_FIELD("cpu", U32, DEC, "Number of the CPU."),
	PD_FIELD("domains", LIST, DEC, "Scheduling domains of the CPU.", PD_COUNT_PREFIX, .element = &domain_element),
};
static const struct perfdata_layout domain_cpu_element = PART("domain_cpu", "Scheduling domains of a CPU.",
							      domain_cpu_fields);
static const struct perfdata_field cpu_domain_info_fields[] = {
	PD_FIELD("schedstat_version", U32, DEC, "Version of /proc/schedstat."),
	PD_FIELD("max_sched_domains", U32, DEC, "Most domains of a CPU."),
	PD_FIELD("cpus", LIST, DEC, "CPUs online.", PD_COUNT_REST, .element = &domain_cpu_element),
};

/* --- AUX area ---------------------------------------------------------------------------------------------------- */

static const struct perfdata_field auxtrace_entry_fields[] = {
	PD_FIELD("offset", U64, HEX, "Place of an AUXTRACE record in the file."),
	PD_FIELD("size", U64, DEC, "Size of the record.", PD_UNIT(BYTES)),
};
static const struct perfdata_layout auxtrace_element = PART("auxtrace_entry", "An AUXTRACE record.",
							    auxtrace_entry_fields);
static const struct perfdata_field auxtrace_fields[] = {
	PD_FIELD("nr_entries", U64, HIDDEN, "Number of records; simpleperf writes none.", PD_WHEN(UNLESS_ENTRIES, 16)),
	PD_FIELD("auxtrace", LIST, DEC, "AUXTRACE records.", PD_WHEN_FIELD(IF_FIELD_GE, 0, 1), PD_COUNT(0),
		 .element = &auxtrace_element),
	PD_FIELD("auxtrace", LIST, DEC, "AUXTRACE records, without their number in front.",
		 PD_WHEN_FIELD(IF_FIELD, 0, 0), PD_COUNT_REST, .element = &auxtrace_element),
};

/* --- BPF --------------------------------------------------------------------------------------------------------- */

/* struct bpf_prog_info of include/uapi/linux/bpf.h, as long as the recorder's. The pointers (*_at) are offsets in the
 * data. */
static const struct perfdata_field bpf_info_fields[] = {
	PD_FIELD("type", U32, DEC, "BPF_PROG_TYPE_*."),
	PD_FIELD("id", U32, DEC, "Id of the program."),
	PD_FIELD("tag", BYTES, BYTES_HEX, "Hash of the program.", PD_COUNT_FIXED(8)),
	PD_FIELD("jited_prog_len", U32, DEC, "Size of the machine code.", PD_UNIT(BYTES)),
	PD_FIELD("xlated_prog_len", U32, DEC, "Size of the BPF code.", PD_UNIT(BYTES)),
	PD_FIELD("jited_prog_insns_at", U64, HIDDEN, "Place of the machine code."),
	PD_FIELD("xlated_prog_insns_at", U64, HIDDEN, "Place of the BPF code."),
	PD_FIELD("load_time", U64, DEC, "Time of loading since boot.", PD_UNIT(NS)),
	PD_FIELD("created_by_uid", U32, DEC, "User who loaded it."),
	PD_FIELD("nr_map_ids", U32, DEC, "Number of maps."),
	PD_FIELD("map_ids_at", U64, HIDDEN, "Place of the ids of its maps."),
	PD_FIELD("name", CHARS, TEXT, "Name of the program.", PD_COUNT_FIXED(16)),
	PD_FIELD("ifindex", U32, DEC, "Network device that it is offloaded to."),
	PD_FIELD("flags", U32, HEX, "Bit 0 (of the recorder's byte order): licence compatible with the GPL."),
	PD_FIELD("netns_dev", U64, DEC, "Device of the network namespace."),
	PD_FIELD("netns_ino", U64, DEC, "Inode of the network namespace."),
	PD_FIELD("nr_jited_ksyms", U32, DEC, "Number of parts in memory."),
	PD_FIELD("nr_jited_func_lens", U32, DEC, "Number of sizes of parts."),
	PD_FIELD("jited_ksyms_at", U64, HIDDEN, "Place of the addresses."),
	PD_FIELD("jited_func_lens_at", U64, HIDDEN, "Place of the sizes."),
	PD_FIELD("btf_id", U32, DEC, "Id of its BTF."),
	PD_FIELD("func_info_rec_size", U32, DEC, "Size of an entry of func_info.", PD_UNIT(BYTES)),
	PD_FIELD("func_info_at", U64, HIDDEN, "Place of func_info."),
	PD_FIELD("nr_func_info", U32, DEC, "Entries of func_info."),
	PD_FIELD("nr_line_info", U32, DEC, "Entries of line_info."),
	PD_FIELD("line_info_at", U64, HIDDEN, "Place of line_info."),
	PD_FIELD("jited_line_info_at", U64, HIDDEN, "Place of jited_line_info."),
	PD_FIELD("nr_jited_line_info", U32, DEC, "Entries of jited_line_info."),
	PD_FIELD("line_info_rec_size", U32, DEC, "Size of an entry of line_info.", PD_UNIT(BYTES)),
	PD_FIELD("jited_line_info_rec_size", U32, DEC, "Size of an entry of jited_line_info.", PD_UNIT(BYTES)),
	PD_FIELD("nr_prog_tags", U32, DEC, "Number of hashes of parts."),
	PD_FIELD("prog_tags_at", U64, HIDDEN, "Place of the hashes."),
	PD_FIELD("run_time_ns", U64, DEC, "Time it ran.", PD_UNIT(NS)),
	PD_FIELD("run_cnt", U64, DEC, "Times it ran."),
	PD_FIELD("recursion_misses", U64, DEC, "Times it did not run because it was running."),
	PD_FIELD("verified_insns", U32, DEC, "Instructions that the verifier looked at."),
	PD_FIELD("attach_btf_obj_id", U32, DEC, "BTF of what it is attached to."),
	PD_FIELD("attach_btf_id", U32, DEC, "BTF type of what it is attached to."),
	PD_FIELD("padding", PAD, DEC, "Not used.", PD_COUNT_FIXED(4)),
};
static const struct perfdata_layout bpf_info = PART("bpf_info", "Struct bpf_prog_info.", bpf_info_fields);

/* The arrays of a program, in the order of the bits of `arrays`; the numbers are offsets in struct bpf_prog_info. */
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
	PD_FIELD("info_len", U32, HIDDEN, "Size of info."),
	PD_FIELD("data_len", U32, HIDDEN, "Size of all arrays."),
	PD_FIELD("arrays", U64, FLAGS, "Arrays that were recorded.", .names = bpf_array_names),
	PD_FIELD("info", STRUCT, DEC, "What the kernel says about the program.", PD_COUNT(0), .element = &bpf_info),
	BPF_LIST(2, "map_ids", "Ids of its maps.", &u32_element),
	BPF_LIST(3, "jited_ksyms", "Addresses of its parts.", &address_element),
	BPF_LIST(4, "jited_func_lens", "Sizes of its parts.", &u32_element),
	BPF_LIST(8, "prog_tags", "Hashes of its parts.", &tag_element),
	BPF_BYTES(5, "func_info", "Struct bpf_func_info entries."),
	BPF_BYTES(6, "line_info", "Struct bpf_line_info entries."),
	BPF_BYTES(7, "jited_line_info", "Addresses of the lines."),
	BPF_BYTES(1, "xlated_prog_insns", "BPF code after the verifier."),
	BPF_BYTES(0, "jited_prog_insns", "Machine code."),
	/* the data gets a node only if it holds arrays that have no row */
	PD_FIELD("data", BYTES, BYTES_HEX, "All arrays.", PD_WHEN_FIELD(IF_FIELD_BITS, 2, ~0ull << PD_NR_BPF_ARRAYS),
		 PD_COUNT(1)),
	PD_FIELD("data", PAD, DEC, "All arrays.", PD_WHEN_FIELD(UNLESS_FIELD_BITS, 2, ~0ull << PD_NR_BPF_ARRAYS),
		 PD_COUNT(1)),
};
static const struct perfdata_layout bpf_prog_element = PART("bpf_prog", "A BPF program.", bpf_prog_fields);
static const struct perfdata_field bpf_prog_info_fields[] = {
	PD_FIELD("bpf_prog_info", LIST, DEC, "BPF programs.", PD_COUNT_PREFIX, .element = &bpf_prog_element),
};

static const struct perfdata_field btf_fields[] = {
	PD_FIELD("id", U32, DEC, "Id of the BTF."),
	PD_FIELD("size", U32, HIDDEN, "Size of the BTF."),
	PD_FIELD("data", BYTES, BYTES_HEX, "The BTF.", PD_COUNT(1)),
};
static const struct perfdata_layout btf_element = PART("btf", "Type data of BPF programs.", btf_fields);
static const struct perfdata_field bpf_btf_fields[] = {
	PD_FIELD("bpf_btf", LIST, DEC, "Type data of BPF programs.", PD_COUNT_PREFIX, .element = &btf_element),
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
	PD_FIELD("note", STRING, TEXT, "How a repaired recording came to be; written by perfdata."),
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
