/* SPDX-License-Identifier: MIT */
/* A decision for each field of each record and feature section: what is not listed here is cleared, and a test asks for the missing line. */
#include "config.h"
#include "recording/anonymize.h"

struct row {
	const char *layout, *field;      /* field NULL: all of the layout */
	enum pd_decision decision;
};

#define TASK(name) \
	{ name, "pid", PD_PID }, { name, "tid", PD_PID }
#define THROTTLING(name) \
	{ name, "time", PD_TIME }, { name, "id", PD_EVENT_ID }, { name, "stream_id", PD_EVENT_ID }

static const struct row rows[] = {
	/* records of the kernel */
	TASK("mmap"), { "mmap", "addr", PD_MAP }, { "mmap", "len", PD_KEEP }, { "mmap", "pgoff", PD_MAP }, { "mmap", "filename", PD_PATH },
	TASK("mmap2"), { "mmap2", "addr", PD_MAP }, { "mmap2", "len", PD_KEEP }, { "mmap2", "pgoff", PD_MAP }, { "mmap2", "filename", PD_PATH },
	{ "mmap2", "build_id_size", PD_KEEP }, { "mmap2", "build_id", PD_BUILD_ID }, { "mmap2", "maj", PD_CLEAR }, { "mmap2", "min", PD_CLEAR },
	{ "mmap2", "ino", PD_NUMBER }, { "mmap2", "ino_generation", PD_CLEAR }, { "mmap2", "prot", PD_KEEP }, { "mmap2", "flags", PD_KEEP },
	{ "lost", "id", PD_EVENT_ID }, { "lost", "lost", PD_KEEP },
	TASK("comm"), { "comm", "comm", PD_COMM },
	TASK("exit"), { "exit", "ppid", PD_PID }, { "exit", "ptid", PD_PID }, { "exit", "time", PD_TIME },
	TASK("fork"), { "fork", "ppid", PD_PID }, { "fork", "ptid", PD_PID }, { "fork", "time", PD_TIME },
	THROTTLING("throttle"), THROTTLING("unthrottle"),
	TASK("read"), { "read", "read", PD_PARTS }, { "read_values", "time_enabled", PD_KEEP }, { "read_values", "time_running", PD_KEEP },
	{ "read_values", "values", PD_PARTS }, { "read_value", "value", PD_KEEP }, { "read_value", "id", PD_EVENT_ID }, { "read_value", "lost", PD_KEEP },
	{ "lost_samples", "lost", PD_KEEP },
	{ "switch_cpu_wide", "next_prev_pid", PD_PID }, { "switch_cpu_wide", "next_prev_tid", PD_PID },
	TASK("namespaces"), { "namespaces", "nr", PD_KEEP }, { "namespaces", "namespaces", PD_PARTS }, { "namespace", "dev", PD_CLEAR },
	{ "namespace", "ino", PD_NUMBER },
	{ "ksymbol", "addr", PD_ADDRESS }, { "ksymbol", "len", PD_KEEP }, { "ksymbol", "ksym_type", PD_KEEP }, { "ksymbol", "flags", PD_KEEP },
	{ "ksymbol", "name", PD_NAME },
	{ "cgroup", "cgroup", PD_NUMBER }, { "cgroup", "path", PD_PATH },
	{ "callchain_deferred", "cookie", PD_NUMBER }, { "callchain_deferred", "nr", PD_KEEP }, { "callchain_deferred", "callchain", PD_ADDRESS },
	{ "bpf_event", NULL, PD_DROP }, { "text_poke", NULL, PD_DROP }, { "aux", NULL, PD_DROP }, { "itrace_start", NULL, PD_DROP },
	{ "aux_output_hw_id", NULL, PD_DROP },

	/* samples and trailers */
	{ "sample", "identifier", PD_EVENT_ID }, { "sample", "ip", PD_ADDRESS }, TASK("sample"), { "sample", "time", PD_TIME },
	{ "sample", "addr", PD_ADDRESS }, { "sample", "id", PD_EVENT_ID }, { "sample", "stream_id", PD_EVENT_ID }, { "sample", "cpu", PD_KEEP },
	{ "sample", "period", PD_KEEP }, { "sample", "read", PD_PARTS }, { "sample", "callchain", PD_ADDRESS }, { "sample", "raw", PD_CLEAR },
	{ "sample", "branch_stack", PD_PARTS }, { "sample", "user_regs", PD_CLEAR }, { "sample", "user_stack", PD_CLEAR }, { "sample", "weight", PD_KEEP },
	{ "sample", "weight_struct", PD_KEEP }, { "sample", "data_src", PD_KEEP }, { "sample", "transaction", PD_KEEP },
	{ "sample", "intr_regs", PD_CLEAR }, { "sample", "phys_addr", PD_CLEAR }, { "sample", "cgroup", PD_NUMBER },
	{ "sample", "data_page_size", PD_KEEP }, { "sample", "code_page_size", PD_KEEP }, { "sample", "aux", PD_CLEAR },
	{ "branch_stack", "hw_idx", PD_KEEP }, { "branch_stack", "entries", PD_PARTS }, { "branch_stack", "counters", PD_KEEP },
	{ "branch", "from", PD_ADDRESS }, { "branch", "to", PD_ADDRESS }, { "branch", "branch_flags", PD_KEEP },
	{ "regs", NULL, PD_CLEAR }, { "user_stack", NULL, PD_CLEAR }, { "weight", NULL, PD_KEEP },
	TASK("sample_id"), { "sample_id", "time", PD_TIME }, { "sample_id", "id", PD_EVENT_ID }, { "sample_id", "stream_id", PD_EVENT_ID },
	{ "sample_id", "cpu", PD_KEEP }, { "sample_id", "identifier", PD_EVENT_ID },

	/* records of perf's own; attrs, names, features and build-ids of a stream are told as those of a file */
	{ "event_type", NULL, PD_DROP }, { "tracing_data", NULL, PD_DROP }, { "feature", NULL, PD_DROP },
	{ "compressed", "data", PD_DROP }, { "compressed2", NULL, PD_DROP }, { "auxtrace_info", NULL, PD_DROP }, { "auxtrace", NULL, PD_DROP },
	{ "auxtrace_error", NULL, PD_DROP }, { "time_conv", NULL, PD_DROP }, { "bpf_metadata", NULL, PD_DROP }, { "bpf_metadata_entry", NULL, PD_DROP },
	{ "schedstat_cpu", NULL, PD_DROP }, { "schedstat_domain", NULL, PD_DROP }, { "schedstat_domain_15", NULL, PD_DROP },
	{ "schedstat_domain_16", NULL, PD_DROP },
	{ "attr", "attr", PD_DROP }, { "attr", "ids", PD_DROP }, { "build_id", "pid", PD_DROP }, { "build_id", "build_id_size", PD_DROP },
	{ "build_id", "filename", PD_DROP },
	{ "id_index", "nr", PD_KEEP }, { "id_index", "entries", PD_PARTS }, { "id_index", "guests", PD_PARTS }, { "id_index_entry", "id", PD_EVENT_ID },
	{ "id_index_entry", "idx", PD_KEEP }, { "id_index_entry", "cpu", PD_KEEP }, { "id_index_entry", "tid", PD_PID },
	{ "id_index_guest", "machine_pid", PD_PID }, { "id_index_guest", "vcpu", PD_KEEP },
	{ "thread_map", "nr", PD_KEEP }, { "thread_map", "threads", PD_PARTS }, { "thread_map_entry", "pid", PD_PID }, { "thread_map_entry", "comm", PD_COMM },
	{ "cpu_map", NULL, PD_KEEP }, { "stat_config", NULL, PD_KEEP }, { "stat_config_entry", NULL, PD_KEEP },
	{ "stat", "id", PD_EVENT_ID }, { "stat", "cpu", PD_KEEP }, { "stat", "thread", PD_KEEP }, { "stat", "val", PD_KEEP }, { "stat", "ena", PD_KEEP },
	{ "stat", "run", PD_KEEP }, { "stat_round", NULL, PD_KEEP },
	{ "event_update", "update_type", PD_KEEP }, { "event_update", "id", PD_EVENT_ID }, { "event_update", "unit", PD_KEEP },
	{ "event_update", "scale", PD_KEEP }, { "event_update", "name", PD_EVENT_NAME }, { "event_update", "cpus", PD_KEEP },

	/* attrs: see pd_anonymize_attr */
	{ "attr", "type", PD_KEEP }, { "attr", "size", PD_KEEP }, { "attr", "config", PD_KEEP }, { "attr", "sample_period", PD_KEEP },
	{ "attr", "sample_type", PD_KEEP }, { "attr", "read_format", PD_KEEP }, { "attr", "attr_flags", PD_KEEP }, { "attr", "wakeup_events", PD_KEEP },
	{ "attr", "bp_type", PD_KEEP }, { "attr", "config1", PD_CLEAR }, { "attr", "config2", PD_CLEAR }, { "attr", "branch_sample_type", PD_KEEP },
	{ "attr", "sample_regs_user", PD_CLEAR }, { "attr", "sample_stack_user", PD_CLEAR }, { "attr", "clockid", PD_KEEP },
	{ "attr", "sample_regs_intr", PD_CLEAR }, { "attr", "aux_watermark", PD_CLEAR }, { "attr", "sample_max_stack", PD_KEEP },
	{ "attr", "aux_sample_size", PD_CLEAR }, { "attr", "aux_action", PD_CLEAR }, { "attr", "sig_data", PD_CLEAR }, { "attr", "config3", PD_CLEAR },
	{ "attr", "config4", PD_CLEAR }, { "attr", "attr_rest", PD_CLEAR },

	/* feature sections; EVENT_DESC, SAMPLE_TIME and COMPRESSED are made anew */
	{ "tracing_data", "tracing_data", PD_DROP },
	{ "build_id", "build_id", PD_PARTS }, { "build_id_entry", "misc", PD_KEEP }, { "build_id_entry", "size", PD_KEEP },
	{ "build_id_entry", "pid", PD_PID }, { "build_id_entry", "build_id", PD_BUILD_ID }, { "build_id_entry", "build_id_size", PD_KEEP },
	{ "build_id_entry", "filename", PD_PATH },
	{ "hostname", NULL, PD_NAME }, { "osrelease", NULL, PD_RELEASE }, { "version", NULL, PD_RELEASE }, { "arch", NULL, PD_KEEP },
	{ "nrcpus", NULL, PD_KEEP }, { "cpudesc", NULL, PD_DROP }, { "cpuid", NULL, PD_DROP }, { "total_mem", NULL, PD_DROP },
	{ "cmdline", NULL, PD_DROP }, { "string", "", PD_DROP }, { "event_desc", NULL, PD_DROP }, { "event_desc_entry", NULL, PD_DROP },
	{ "event_id", "", PD_DROP }, { "cpu_topology", NULL, PD_DROP }, { "topology_cpu", NULL, PD_DROP }, { "die_id", "", PD_DROP },
	{ "numa_topology", NULL, PD_DROP }, { "numa_node", NULL, PD_DROP },
	{ "pmu_mappings", NULL, PD_PARTS }, { "pmu", "type", PD_KEEP }, { "pmu", "name", PD_KEEP },
	{ "group_desc", NULL, PD_PARTS }, { "group_desc_entry", "name", PD_EVENT_NAME }, { "group_desc_entry", "leader", PD_KEEP },
	{ "group_desc_entry", "nr_members", PD_KEEP }, { "auxtrace_entry", NULL, PD_DROP }, { "cache", NULL, PD_DROP }, { "cache_entry", NULL, PD_DROP },
	{ "sample_time", NULL, PD_DROP }, { "mem_topology", NULL, PD_DROP }, { "memory_node", NULL, PD_DROP }, { "clockid", NULL, PD_KEEP },
	{ "dir_format", NULL, PD_DROP }, { "bpf_prog_info", NULL, PD_DROP }, { "bpf_prog", NULL, PD_DROP }, { "bpf_info", NULL, PD_DROP },
	{ "u32", "", PD_DROP }, { "address", "", PD_DROP }, { "tag", "", PD_DROP }, { "bpf_btf", NULL, PD_DROP }, { "btf", NULL, PD_DROP },
	{ "compressed", NULL, PD_DROP }, { "cpu_pmu_caps", NULL, PD_PARTS }, { "capability", NULL, PD_KEEP }, { "clock_data", NULL, PD_DROP },
	{ "hybrid_topology", NULL, PD_DROP }, { "hybrid_node", NULL, PD_DROP }, { "pmu_caps", NULL, PD_PARTS }, { "pmu_caps_entry", "caps", PD_PARTS },
	{ "pmu_caps_entry", "pmu_name", PD_KEEP }, { "cpu_domain_info", NULL, PD_DROP }, { "domain_cpu", NULL, PD_DROP }, { "sched_domain", NULL, PD_DROP },
	{ "e_machine", NULL, PD_KEEP }, { "cln_size", NULL, PD_KEEP }, { "note", NULL, PD_DROP },
};

enum pd_decision pd_decision_of(const struct perfdata_layout *layout, const struct perfdata_field *field)
{
	const char *name = field->name ? field->name : "";

	if (field->kind == PERFDATA_KIND_PAD)
		return PD_CLEAR;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].layout, layout->name) && (!rows[i].field || !strcmp(rows[i].field, name)))
			return rows[i].decision;
	return PD_UNDECIDED;
}

const char *perfdata_anonymize_decision(const struct perfdata_layout *layout, const struct perfdata_field *field)
{
	static const char *const names[] = {
		[PD_CLEAR] = "clear", [PD_KEEP] = "keep", [PD_DROP] = "drop", [PD_PARTS] = "parts", [PD_PID] = "pid", [PD_TIME] = "time",
		[PD_ADDRESS] = "address", [PD_MAP] = "map", [PD_EVENT_ID] = "event_id", [PD_NUMBER] = "number", [PD_COMM] = "comm", [PD_PATH] = "path",
		[PD_NAME] = "name", [PD_EVENT_NAME] = "event_name", [PD_BUILD_ID] = "build_id", [PD_RELEASE] = "release",
	};
	return names[pd_decision_of(layout, field)];
}
