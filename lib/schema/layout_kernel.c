/* SPDX-License-Identifier: MIT */
/* Records that the kernel writes (1 to 22); see include/uapi/linux/perf_event.h. SAMPLE is in layout_sample.c. */
#include "config.h"
#include "schema/layout.h"

static const struct perfdata_field mmap_fields[] = {
	PD_ROW(mmap, pid, S32, DEC, "Process."),
	PD_ROW(mmap, tid, S32, DEC, "Thread that made the mapping."),
	PD_ROW(mmap, addr, U64, HEX, "First address."),
	PD_ROW(mmap, len, U64, DEC, "Length of the mapping.", PD_UNIT(BYTES)),
	PD_ROW(mmap, pgoff, U64, HEX, "Offset in the file, in bytes."),
	PD_ROW(mmap, filename, TEXT, TEXT, "Mapped file, or a name in brackets or after // for other memory."),
};
static const struct perfdata_layout mmap_layout = {
	PD_MISC(PD_MISC_BIT(12, "PROC_MAP_PARSE_TIMEOUT"), PD_MISC_BIT(13, "MMAP_DATA")),
	.name = "mmap", .perf_name = "MMAP", .doc = "An executable (or, with MMAP_DATA, other) mapping was made.",
	.id = PERFDATA_RECORD_MMAP, .min_size = 41, .view_size = sizeof(struct perfdata_mmap), PD_FIELDS(mmap_fields),
};

static const struct perfdata_field lost_fields[] = {
	PD_ROW(lost, id, U64, EVENT_ID, "Id of the event whose buffer was full."),
	PD_ROW(lost, lost, U64, DEC, "Number of records lost."),
};
static const struct perfdata_layout lost_layout = {
	.name = "lost", .perf_name = "LOST", .doc = "Records were lost because a buffer was full.",
	.id = PERFDATA_RECORD_LOST, .min_size = 24, .view_size = sizeof(struct perfdata_lost), PD_FIELDS(lost_fields),
};

static const struct perfdata_field comm_fields[] = {
	PD_ROW(comm, pid, S32, DEC, "Process."),
	PD_ROW(comm, tid, S32, DEC, "Thread that has the name."),
	PD_ROW(comm, comm, TEXT, TEXT, "Its new name."),
};
static const struct perfdata_layout comm_layout = {
	PD_MISC(PD_MISC_BIT(13, "COMM_EXEC")),
	.name = "comm", .perf_name = "COMM", .doc = "A thread got a name, by exec (COMM_EXEC) or by renaming.",
	.id = PERFDATA_RECORD_COMM, .min_size = 17, .view_size = sizeof(struct perfdata_comm), PD_FIELDS(comm_fields),
};

static const struct perfdata_field task_fields[] = {
	PD_ROW(task, pid, S32, DEC, "Process; of FORK the child's."),
	PD_ROW(task, ppid, S32, DEC, "Parent process; equal to pid where a thread was made."),
	PD_ROW(task, tid, S32, DEC, "Thread; of FORK the child's."),
	PD_ROW(task, ptid, S32, DEC, "Parent thread."),
	PD_ROW(task, time, U64, DEC, "When it happened.", PD_UNIT(NS)),
};
static const struct perfdata_layout exit_layout = {
	.name = "exit", .perf_name = "EXIT", .doc = "A thread ended.",
	.id = PERFDATA_RECORD_EXIT, .min_size = 32, .view_size = sizeof(struct perfdata_task), PD_FIELDS(task_fields),
};
static const struct perfdata_layout fork_layout = {
	PD_MISC(PD_MISC_BIT(13, "FORK_EXEC")),
	.name = "fork", .perf_name = "FORK", .doc = "A process or thread was made.",
	.id = PERFDATA_RECORD_FORK, .min_size = 32, .view_size = sizeof(struct perfdata_task), PD_FIELDS(task_fields),
};

static const struct perfdata_field throttle_fields[] = {
	PD_ROW(throttle, time, U64, DEC, "When it happened.", PD_UNIT(NS)),
	PD_ROW(throttle, id, U64, EVENT_ID, "Id of the event."),
	PD_ROW(throttle, stream_id, U64, DEC, "Id of the event's instance."),
};
static const struct perfdata_layout throttle_layout = {
	.name = "throttle", .perf_name = "THROTTLE", .doc = "The kernel stopped an event that came too often.",
	.id = PERFDATA_RECORD_THROTTLE, .min_size = 32, .view_size = sizeof(struct perfdata_throttle),
	PD_FIELDS(throttle_fields),
};
static const struct perfdata_layout unthrottle_layout = {
	.name = "unthrottle", .perf_name = "UNTHROTTLE", .doc = "A throttled event runs again.",
	.id = PERFDATA_RECORD_UNTHROTTLE, .min_size = 32, .view_size = sizeof(struct perfdata_throttle),
	PD_FIELDS(throttle_fields),
};

static const struct perfdata_field read_record_fields[] = {
	PD_ROW(read_record, pid, S32, DEC, "Process."),
	PD_ROW(read_record, tid, S32, DEC, "Thread."),
	PD_ROW(read_record, read, STRUCT, DEC, "Values of the counter.", .element = &pd_read_layout),
};
static const struct perfdata_layout read_record_layout = {
	.name = "read", .perf_name = "READ", .doc = "Counter values of a thread that ended (attr flag inherit_stat).",
	.id = PERFDATA_RECORD_READ, .min_size = 24, .view_size = sizeof(struct perfdata_read_record),
	PD_FIELDS(read_record_fields),
};

static const struct perfdata_field mmap2_fields[] = {
	PD_ROW(mmap2, pid, S32, DEC, "Process."),
	PD_ROW(mmap2, tid, S32, DEC, "Thread that made the mapping."),
	PD_ROW(mmap2, addr, U64, HEX, "First address."),
	PD_ROW(mmap2, len, U64, DEC, "Length of the mapping.", PD_UNIT(BYTES)),
	PD_ROW(mmap2, pgoff, U64, HEX, "Offset in the file, in bytes."),
	PD_ROW(mmap2, build_id_size, U8, DEC, "Length of the build-id.", PD_UNIT(BYTES),
	       PD_WHEN(IF_MISC, PERFDATA_MISC_MMAP_BUILD_ID)),
	PD_PAD(3, PD_WHEN(IF_MISC, PERFDATA_MISC_MMAP_BUILD_ID)),
	PD_ROW(mmap2, build_id, BYTES, BYTES_HEX, "Build-id of the file.", PD_COUNT_FIXED(20),
	       PD_WHEN(IF_MISC, PERFDATA_MISC_MMAP_BUILD_ID)),
	PD_ROW(mmap2, maj, U32, DEC, "Major number of the file's device.",
	       PD_WHEN(UNLESS_MISC, PERFDATA_MISC_MMAP_BUILD_ID)),
	PD_ROW(mmap2, min, U32, DEC, "Minor number of the file's device.",
	       PD_WHEN(UNLESS_MISC, PERFDATA_MISC_MMAP_BUILD_ID)),
	PD_ROW(mmap2, ino, U64, DEC, "Inode of the file.", PD_WHEN(UNLESS_MISC, PERFDATA_MISC_MMAP_BUILD_ID)),
	PD_ROW(mmap2, ino_generation, U64, DEC, "Generation of the inode.",
	       PD_WHEN(UNLESS_MISC, PERFDATA_MISC_MMAP_BUILD_ID)),
	/* Linux 3.12 to 3.15 wrote the name here */
	PD_ROW(mmap2, prot, U32, FLAGS, "Protection: PROT_ of the recorded machine.", .names = pd_names_prot,
	       PD_WHEN(UNLESS_NAME, 0)),
	PD_ROW(mmap2, flags, U32, FLAGS,
	       "Kind of mapping: MAP_ of the recorded machine; names are those of most machines.",
	       .names = pd_names_map_flags, PD_WHEN(UNLESS_NAME, 0)),
	PD_ROW(mmap2, filename, TEXT, TEXT, "Mapped file, or a name in brackets or after // for other memory."),
};
static const struct perfdata_layout mmap2_layout = {
	PD_MISC(PD_MISC_BIT(12, "PROC_MAP_PARSE_TIMEOUT"), PD_MISC_BIT(13, "MMAP_DATA"),
		PD_MISC_BIT(14, "MMAP_BUILD_ID")),
	.name = "mmap2",
	.perf_name = "MMAP2",
	.doc = "A mapping was made; with the file's device and inode, or its build-id.",
	.id = PERFDATA_RECORD_MMAP2,
	.min_size = 73,
	.view_size = sizeof(struct perfdata_mmap2),
	PD_FIELDS(mmap2_fields),
};

static const struct perfdata_field aux_fields[] = {
	PD_ROW(aux, aux_offset, U64, HEX, "Where the new data begins in the AUX area."),
	PD_ROW(aux, aux_size, U64, DEC, "How much new data there is.", PD_UNIT(BYTES)),
	PD_ROW(aux, flags, U64, FLAGS, "What is special about the data.", .names = pd_names_aux_flags),
};
static const struct perfdata_layout aux_layout = {
	.name = "aux", .perf_name = "AUX", .doc = "New data in the AUX area.",
	.id = PERFDATA_RECORD_AUX, .min_size = 32, .view_size = sizeof(struct perfdata_aux), PD_FIELDS(aux_fields),
};

static const struct perfdata_field itrace_start_fields[] = {
	PD_ROW(itrace_start, pid, S32, DEC, "Process."),
	PD_ROW(itrace_start, tid, S32, DEC, "Thread."),
};
static const struct perfdata_layout itrace_start_layout = {
	.name = "itrace_start", .perf_name = "ITRACE_START", .doc = "An instruction trace began while the thread ran.",
	.id = PERFDATA_RECORD_ITRACE_START, .min_size = 16, .view_size = sizeof(struct perfdata_itrace_start),
	PD_FIELDS(itrace_start_fields),
};

static const struct perfdata_field lost_samples_fields[] = {
	PD_ROW(lost_samples, lost, U64, DEC, "Number of samples lost, or dropped by a filter (misc LOST_SAMPLES_BPF)."),
};
static const struct perfdata_layout lost_samples_layout = {
	PD_MISC(PD_MISC_BIT(15, "LOST_SAMPLES_BPF")),
	.name = "lost_samples", .perf_name = "LOST_SAMPLES", .doc = "Samples were lost in the hardware or the buffer.",
	.id = PERFDATA_RECORD_LOST_SAMPLES, .min_size = 16, .view_size = sizeof(struct perfdata_lost_samples),
	PD_FIELDS(lost_samples_fields),
};

static const struct perfdata_layout switch_layout = {
	PD_MISC(PD_MISC_BIT(13, "SWITCH_OUT"), PD_MISC_BIT(14, "SWITCH_OUT_PREEMPT")),
	.name = "switch", .perf_name = "SWITCH", .doc = "A thread was switched in, or out (misc SWITCH_OUT).",
	.id = PERFDATA_RECORD_SWITCH, .min_size = 8, .view_size = sizeof(struct perfdata_switch),
};
static const struct perfdata_field switch_cpu_wide_fields[] = {
	PD_ROW(switch, next_prev_pid, S32, DEC, "Process that comes next (out) or ran before (in)."),
	PD_ROW(switch, next_prev_tid, S32, DEC, "Thread that comes next (out) or ran before (in)."),
};
static const struct perfdata_layout switch_cpu_wide_layout = {
	PD_MISC(PD_MISC_BIT(13, "SWITCH_OUT"), PD_MISC_BIT(14, "SWITCH_OUT_PREEMPT")),
	.name = "switch_cpu_wide",
	.perf_name = "SWITCH_CPU_WIDE",
	.doc = "A context switch seen by an event of a whole CPU.",
	.id = PERFDATA_RECORD_SWITCH_CPU_WIDE,
	.min_size = 16,
	.view_size = sizeof(struct perfdata_switch),
	PD_FIELDS(switch_cpu_wide_fields),
};

static const struct perfdata_field namespace_fields[] = {
	PD_ROW(namespace, dev, U64, HEX, "Device of the namespace, as the kernel encodes it."),
	PD_ROW(namespace, ino, U64, DEC, "Inode: names the namespace."),
};
static const struct perfdata_layout namespace_layout = {
	.name = "namespace",
	.doc = "A namespace.",
	.view_size = sizeof(struct perfdata_namespace),
	PD_FIELDS(namespace_fields),
};
static const struct perfdata_field namespaces_fields[] = {
	PD_ROW(namespaces, pid, S32, DEC, "Process."),
	PD_ROW(namespaces, tid, S32, DEC, "Thread."),
	PD_ROW(namespaces, nr, U64, DEC, "Number of namespaces."),
	PD_ROW(namespaces, namespaces, LIST, DEC, "Namespaces in the order net, uts, ipc, pid, user, mnt, cgroup.",
	       PD_COUNT(2), .element = &namespace_layout),
};
static const struct perfdata_layout namespaces_layout = {
	.name = "namespaces", .perf_name = "NAMESPACES", .doc = "The namespaces of a thread.",
	.id = PERFDATA_RECORD_NAMESPACES, .min_size = 24, .view_size = sizeof(struct perfdata_namespaces),
	PD_FIELDS(namespaces_fields),
};

static const struct perfdata_field ksymbol_fields[] = {
	PD_ROW(ksymbol, addr, U64, HEX, "First address."),
	PD_ROW(ksymbol, len, U32, DEC, "Length of the code.", PD_UNIT(BYTES)),
	PD_ROW_AS("ksym_type", ksymbol, type, U16, ENUM, "What made the code (`ksym_type` in the kernel's record).",
		  .names = pd_names_ksymbol_type),
	PD_ROW(ksymbol, flags, U16, FLAGS, "UNREGISTER where the symbol goes away.", .names = pd_names_ksymbol_flags),
	PD_ROW(ksymbol, name, TEXT, TEXT, "Name of the symbol."),
};
static const struct perfdata_layout ksymbol_layout = {
	.name = "ksymbol",
	.perf_name = "KSYMBOL",
	.doc = "Kernel code came or went while recording.",
	.id = PERFDATA_RECORD_KSYMBOL,
	.min_size = 25,
	.view_size = sizeof(struct perfdata_ksymbol),
	PD_FIELDS(ksymbol_fields),
};

static const struct perfdata_field bpf_event_fields[] = {
	PD_ROW_AS("bpf_type", bpf_event, type, U16, ENUM,
		  "What happened to the program (`type` in the kernel's record).", .names = pd_names_bpf_event_type),
	PD_ROW(bpf_event, flags, U16, FLAGS, "None are defined.", .names = pd_names_none),
	PD_ROW_AS("prog_id", bpf_event, id, U32, DEC, "Number of the BPF program (`id` in the kernel's record)."),
	PD_ROW_AS("prog_tag", bpf_event, tag, BYTES, BYTES_HEX,
		  "Tag of the BPF program: a hash of its code (`tag` in the kernel's record).", PD_COUNT_FIXED(8)),
};
static const struct perfdata_layout bpf_event_layout = {
	.name = "bpf_event", .perf_name = "BPF_EVENT", .doc = "A BPF program was loaded or unloaded.",
	.id = PERFDATA_RECORD_BPF_EVENT, .min_size = 24, .view_size = sizeof(struct perfdata_bpf_event),
	PD_FIELDS(bpf_event_fields),
};

static const struct perfdata_field cgroup_fields[] = {
	PD_ROW_AS("cgroup", cgroup, id, U64, DEC,
		  "Id of the cgroup (`id` in the kernel's record), as in the samples' `cgroup`."),
	PD_ROW(cgroup, path, TEXT, TEXT, "Its path, from the root of the hierarchy."),
};
static const struct perfdata_layout cgroup_layout = {
	.name = "cgroup",
	.perf_name = "CGROUP",
	.doc = "A cgroup and its path.",
	.id = PERFDATA_RECORD_CGROUP,
	.min_size = 17,
	.view_size = sizeof(struct perfdata_cgroup),
	PD_FIELDS(cgroup_fields),
};

static const struct perfdata_field text_poke_fields[] = {
	PD_ROW(text_poke, addr, U64, HEX, "Where the kernel's code was changed."),
	PD_ROW(text_poke, old_len, U16, DEC, "Length of the old code.", PD_UNIT(BYTES)),
	PD_ROW(text_poke, new_len, U16, DEC, "Length of the new code.", PD_UNIT(BYTES)),
	PD_ROW(text_poke, old_bytes, BYTES, BYTES_HEX, "The old code.", PD_COUNT(1)),
	PD_ROW(text_poke, new_bytes, BYTES, BYTES_HEX, "The new code.", PD_COUNT(2)),
	PD_PAD_REST,
};
static const struct perfdata_layout text_poke_layout = {
	.name = "text_poke", .perf_name = "TEXT_POKE", .doc = "The kernel changed its own code.",
	.id = PERFDATA_RECORD_TEXT_POKE, .min_size = 24, .view_size = sizeof(struct perfdata_text_poke),
	PD_FIELDS(text_poke_fields),
};

static const struct perfdata_field aux_output_hw_id_fields[] = {
	PD_ROW(aux_output_hw_id, hw_id, U64, HEX, "Number by which the AUX data names the event."),
};
static const struct perfdata_layout aux_output_hw_id_layout = {
	.name = "aux_output_hw_id",
	.perf_name = "AUX_OUTPUT_HW_ID",
	.doc = "The number that means an event in AUX data.",
	.id = PERFDATA_RECORD_AUX_OUTPUT_HW_ID,
	.min_size = 16,
	.view_size = sizeof(struct perfdata_aux_output_hw_id),
	PD_FIELDS(aux_output_hw_id_fields),
};

static const struct perfdata_field callchain_deferred_fields[] = {
	PD_ROW(callchain_deferred, cookie, U64, DEC, "Joins the samples whose chains end with the same cookie."),
	PD_ROW(callchain_deferred, nr, U64, DEC, "Number of entries."),
	PD_ROW(callchain_deferred, callchain, LIST, CALLCHAIN, "User addresses after a context marker, callee first.",
	       PD_COUNT(1)),
};
static const struct perfdata_layout callchain_deferred_layout = {
	.name = "callchain_deferred",
	.perf_name = "CALLCHAIN_DEFERRED",
	.doc = "The user part of callchains, taken when the thread went back to user space.",
	.id = PERFDATA_RECORD_CALLCHAIN_DEFERRED,
	.min_size = 16,
	.view_size = sizeof(struct perfdata_callchain_deferred),
	PD_FIELDS(callchain_deferred_fields),
};

static const struct perfdata_layout *const layouts[] = {
	[PERFDATA_RECORD_MMAP] = &mmap_layout,
	[PERFDATA_RECORD_LOST] = &lost_layout,
	[PERFDATA_RECORD_COMM] = &comm_layout,
	[PERFDATA_RECORD_EXIT] = &exit_layout,
	[PERFDATA_RECORD_THROTTLE] = &throttle_layout,
	[PERFDATA_RECORD_UNTHROTTLE] = &unthrottle_layout,
	[PERFDATA_RECORD_FORK] = &fork_layout,
	[PERFDATA_RECORD_READ] = &read_record_layout,
	[PERFDATA_RECORD_SAMPLE] = &pd_sample_layout,
	[PERFDATA_RECORD_MMAP2] = &mmap2_layout,
	[PERFDATA_RECORD_AUX] = &aux_layout,
	[PERFDATA_RECORD_ITRACE_START] = &itrace_start_layout,
	[PERFDATA_RECORD_LOST_SAMPLES] = &lost_samples_layout,
	[PERFDATA_RECORD_SWITCH] = &switch_layout,
	[PERFDATA_RECORD_SWITCH_CPU_WIDE] = &switch_cpu_wide_layout,
	[PERFDATA_RECORD_NAMESPACES] = &namespaces_layout,
	[PERFDATA_RECORD_KSYMBOL] = &ksymbol_layout,
	[PERFDATA_RECORD_BPF_EVENT] = &bpf_event_layout,
	[PERFDATA_RECORD_CGROUP] = &cgroup_layout,
	[PERFDATA_RECORD_TEXT_POKE] = &text_poke_layout,
	[PERFDATA_RECORD_AUX_OUTPUT_HW_ID] = &aux_output_hw_id_layout,
	[PERFDATA_RECORD_CALLCHAIN_DEFERRED] = &callchain_deferred_layout,
};
const struct pd_record_table pd_kernel_records = { layouts, 0, sizeof layouts / sizeof *layouts };
