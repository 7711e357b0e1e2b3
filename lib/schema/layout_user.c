/* SPDX-License-Identifier: MIT */
/* Records that perf itself writes (64 to 86); see tools/lib/perf/include/perf/event.h. Only the BUILD_ID records of
 * perf inject have a trailer. */
#include "config.h"
#include "schema/layout.h"

static const struct perfdata_field attr_record_fields[] = {
	PD_ROW(attr_record, attr, ATTR, DEC, "How the event was configured.", .element = &pd_attr_layout),
	PD_ROW(attr_record, ids, LIST, EVENT_ID, "Its ids: one for each CPU or thread.", PD_COUNT_REST),
};
static const struct perfdata_layout attr_record_layout = {
	.name = "attr", .perf_name = "ATTR", .doc = "An event of a recording in pipe form.",
	.id = PERFDATA_RECORD_ATTR, .min_size = 72, .view_size = sizeof(struct perfdata_attr_record),
	PD_FIELDS(attr_record_fields),
};

static const struct perfdata_field event_type_fields[] = {
	PD_ROW(event_type, event_id, U64, HEX, "The config of the event."),
	PD_ROW(event_type, name, TEXT, TEXT, "Its name.", PD_COUNT_REST),
};
/* perf 3.x wrote the name padded to 8 bytes, without a NUL if the name fills them. perf 7.3 drops records shorter than
 * 80 bytes. */
static const struct perfdata_layout event_type_layout = {
	.name = "event_type",
	.perf_name = "EVENT_TYPE",
	.doc = "Name of an event, from old recorders.",
	.id = PERFDATA_RECORD_EVENT_TYPE,
	.min_size = 17,
	.perf_min_size = 80,
	.view_size = sizeof(struct perfdata_event_type),
	PD_FIELDS(event_type_fields),
};

static const struct perfdata_field tracing_data_fields[] = {
	PD_ROW_AS("payload_size", tracing_data, size, U32, DEC,
		  "Tracing data that follows the record, or is inside it (`size` in perf's record).", PD_UNIT(BYTES)),
	PD_ROW(tracing_data, data, BYTES, BYTES_HEX, "The tracing data, in records of simpleperf of 2016 to 2018.",
	       PD_COUNT(0), PD_WHEN(IF_LEFT, 8)),
	PD_PAD(4, PD_WHEN(IF_LEFT, 4)),
	PD_PAD_REST,
};
static const struct perfdata_layout tracing_data_layout = {
	.name = "tracing_data", .perf_name = "TRACING_DATA", .doc = "Formats of tracepoints follow the record.",
	.id = PERFDATA_RECORD_TRACING_DATA, .min_size = 12, .view_size = sizeof(struct perfdata_tracing_data),
	PD_FIELDS(tracing_data_fields),
};

static const struct perfdata_field build_id_record_fields[] = {
	PD_ROW(build_id_record, pid, S32, DEC, "-1: the host's kernel; else 0 or a guest's process."),
	PD_ROW(build_id_record, build_id, BYTES, BYTES_HEX,
	       "Build-id; filled up with zeros where its length is not stated.", PD_COUNT_FIXED(20)),
	PD_ROW(build_id_record, build_id_size, U8, DEC, "Length of the build-id.", PD_UNIT(BYTES),
	       PD_WHEN(IF_MISC, PERFDATA_MISC_BUILD_ID_SIZE)),
	PD_PAD(1, PD_WHEN(UNLESS_MISC, PERFDATA_MISC_BUILD_ID_SIZE)),
	PD_PAD(3),
	PD_ROW(build_id_record, filename, TEXT, TEXT, "The file."),
};
static const struct perfdata_layout build_id_record_layout = {
	PD_MISC(PD_MISC_BIT(15, "BUILD_ID_SIZE")),
	.name = "build_id", .perf_name = "BUILD_ID", .doc = "Build-id of a file.",
	.id = PERFDATA_RECORD_BUILD_ID, .min_size = 36, .view_size = sizeof(struct perfdata_build_id_record),
	PD_FIELDS(build_id_record_fields),
};

static const struct perfdata_layout finished_round_layout = {
	.name = "finished_round",
	.perf_name = "FINISHED_ROUND",
	.doc = "All buffers were read once; what comes later is not older than what came before the round in front of "
	       "this one.",
	.id = PERFDATA_RECORD_FINISHED_ROUND,
	.min_size = 8,
	.view_size = sizeof(struct perfdata_finished),
};
static const struct perfdata_layout finished_init_layout = {
	.name = "finished_init", .perf_name = "FINISHED_INIT", .doc = "The initial state is written.",
	.id = PERFDATA_RECORD_FINISHED_INIT, .min_size = 8, .view_size = sizeof(struct perfdata_finished),
};

static const struct perfdata_field id_index_entry_fields[] = {
	PD_ROW(id_index_entry, id, U64, EVENT_ID, "Id of an event."),
	PD_ROW(id_index_entry, idx, U64, DEC, "Number of the AUX buffer."),
	PD_ROW(id_index_entry, cpu, S64, DEC, "CPU; -1 for any."),
	PD_ROW(id_index_entry, tid, S64, DEC, "Thread; -1 for any."),
};
static const struct perfdata_layout id_index_entry_layout = {
	.name = "id_index_entry", .doc = "The event, CPU and thread of an id.",
	.view_size = sizeof(struct perfdata_id_index_entry),
	PD_FIELDS(id_index_entry_fields),
};
static const struct perfdata_field id_index_guest_fields[] = {
	PD_ROW(id_index_guest, machine_pid, S64, DEC, "Process of the guest's hypervisor; 0 for the host."),
	PD_ROW(id_index_guest, vcpu, S64, DEC, "CPU of the guest; -1 for any."),
};
static const struct perfdata_layout id_index_guest_layout = {
	.name = "id_index_guest", .doc = "The guest of an id.", .view_size = sizeof(struct perfdata_id_index_guest),
	PD_FIELDS(id_index_guest_fields),
};
static const struct perfdata_field id_index_fields[] = {
	PD_ROW(id_index, nr, U64, DEC, "Number of entries."),
	PD_ROW(id_index, entries, LIST, DEC, "The event, CPU and thread of each id.", PD_COUNT(0),
	       .element = &id_index_entry_layout),
	PD_ROW(id_index, guests, LIST, DEC, "The guest of each entry.", PD_COUNT(0), PD_WHEN(IF_LEFT, 1),
	       .element = &id_index_guest_layout),
};
static const struct perfdata_layout id_index_layout = {
	.name = "id_index", .perf_name = "ID_INDEX", .doc = "CPUs and threads of the ids of events.",
	.id = PERFDATA_RECORD_ID_INDEX, .min_size = 16, .view_size = sizeof(struct perfdata_id_index),
	PD_FIELDS(id_index_fields),
};

static const struct perfdata_field auxtrace_info_fields[] = {
	PD_ROW_AS("auxtrace_type", auxtrace_info, type, U32, ENUM, "Kind of trace (`type` in perf's record).",
		  .names = pd_names_auxtrace_type),
	PD_PAD(4),
	PD_ROW(auxtrace_info, priv, LIST, HEX, "Words whose meaning depends on the kind.", PD_COUNT_REST),
};
static const struct perfdata_layout auxtrace_info_layout = {
	.name = "auxtrace_info", .perf_name = "AUXTRACE_INFO", .doc = "How AUX data was recorded.",
	.id = PERFDATA_RECORD_AUXTRACE_INFO, .min_size = 16, .view_size = sizeof(struct perfdata_auxtrace_info),
	PD_FIELDS(auxtrace_info_fields),
};

static const struct perfdata_field auxtrace_fields[] = {
	PD_ROW_AS("payload_size", auxtrace, size, U64, DEC,
		  "AUX data that follows the record (`size` in perf's record).", PD_UNIT(BYTES)),
	PD_ROW_AS("aux_offset", auxtrace, offset, U64, HEX,
		  "Where the data began in the AUX area (`offset` in perf's record)."),
	PD_ROW(auxtrace, reference, U64, HEX, "Joins pieces that belong together."),
	PD_ROW(auxtrace, idx, U32, DEC, "Number of the AUX buffer."),
	PD_ROW(auxtrace, tid, S32, DEC, "Thread; -1 for a CPU's buffer."),
	PD_ROW(auxtrace, cpu, S32, DEC, "CPU; -1 for a thread's buffer."),
	PD_PAD(4),
};
static const struct perfdata_layout auxtrace_layout = {
	.name = "auxtrace", .perf_name = "AUXTRACE", .doc = "AUX data follows the record.",
	.id = PERFDATA_RECORD_AUXTRACE, .min_size = 48, .view_size = sizeof(struct perfdata_auxtrace),
	PD_FIELDS(auxtrace_fields),
};

static const struct perfdata_field auxtrace_error_fields[] = {
	PD_ROW_AS("error_type", auxtrace_error, type, U32, ENUM, "Kind of error (`type` in perf's record).",
		  .names = pd_names_auxtrace_error_type),
	PD_ROW(auxtrace_error, code, U32, DEC, "Number of the error; the decoder's own."),
	PD_ROW(auxtrace_error, cpu, U32, DEC, "CPU."),
	PD_ROW(auxtrace_error, pid, S32, DEC, "Process."),
	PD_ROW(auxtrace_error, tid, S32, DEC, "Thread."),
	PD_ROW(auxtrace_error, fmt, U32, DEC, "Version of this record: 1 has a time, 2 a machine."),
	PD_ROW(auxtrace_error, ip, U64, HEX, "Where the decoder was."),
	PD_ROW(auxtrace_error, time, U64, DEC, "When it was there.", PD_UNIT(NS), PD_WHEN_FIELD(IF_FIELD_GE, 5, 1)),
	PD_ROW(auxtrace_error, msg, CHARS, TEXT, "What is wrong.", PD_COUNT_FIXED(64)),
	PD_ROW(auxtrace_error, machine_pid, U32, DEC, "Process of the guest's hypervisor; 0 for the host.",
	       PD_WHEN(IF_LEFT, 8)),
	PD_ROW(auxtrace_error, vcpu, U32, DEC, "CPU of the guest.", PD_WHEN(IF_LEFT, 4)),
};
static const struct perfdata_layout auxtrace_error_layout = {
	.name = "auxtrace_error", .perf_name = "AUXTRACE_ERROR", .doc = "AUX data could not be decoded.",
	.id = PERFDATA_RECORD_AUXTRACE_ERROR, .min_size = 49, .view_size = sizeof(struct perfdata_auxtrace_error),
	PD_FIELDS(auxtrace_error_fields),
};

static const struct perfdata_field thread_map_entry_fields[] = {
	PD_ROW(thread_map_entry, pid, U64, DEC, "Thread; all ones for any."),
	PD_ROW(thread_map_entry, comm, CHARS, TEXT, "Its name.", PD_COUNT_FIXED(16)),
};
static const struct perfdata_layout thread_map_entry_layout = {
	.name = "thread_map_entry",
	.doc = "A thread that was recorded.",
	.view_size = sizeof(struct perfdata_thread_map_entry),
	PD_FIELDS(thread_map_entry_fields),
};
static const struct perfdata_field thread_map_fields[] = {
	PD_ROW(thread_map, nr, U64, DEC, "Number of threads."),
	PD_ROW(thread_map, threads, LIST, DEC, "The threads.", PD_COUNT(0), .element = &thread_map_entry_layout),
};
static const struct perfdata_layout thread_map_layout = {
	.name = "thread_map", .perf_name = "THREAD_MAP", .doc = "The threads that were recorded.",
	.id = PERFDATA_RECORD_THREAD_MAP, .min_size = 16, .view_size = sizeof(struct perfdata_thread_map),
	PD_FIELDS(thread_map_fields),
};

static const struct perfdata_field cpu_map_fields[] = {
	PD_ROW(cpu_map, cpus, CPUS, DEC, "The CPUs."),
	PD_PAD_REST,
};
static const struct perfdata_layout cpu_map_layout = {
	.name = "cpu_map",
	.perf_name = "CPU_MAP",
	.doc = "The CPUs that were recorded.",
	.id = PERFDATA_RECORD_CPU_MAP,
	.min_size = 16,
	.view_size = sizeof(struct perfdata_cpu_map),
	PD_FIELDS(cpu_map_fields),
};

static const struct perfdata_field stat_config_entry_fields[] = {
	PD_ROW(stat_config_entry, tag, U64, ENUM, "Which setting.", .names = pd_names_stat_config_tag),
	PD_ROW(stat_config_entry, val, U64, DEC, "Its value; interval in ms."),
};
static const struct perfdata_layout stat_config_entry_layout = {
	.name = "stat_config_entry",
	.doc = "A setting of perf stat.",
	.view_size = sizeof(struct perfdata_stat_config_entry),
	PD_FIELDS(stat_config_entry_fields),
};
static const struct perfdata_field stat_config_fields[] = {
	PD_ROW(stat_config, nr, U64, DEC, "Number of settings."),
	PD_ROW(stat_config, entries, LIST, DEC, "The settings.", PD_COUNT(0), .element = &stat_config_entry_layout),
};
static const struct perfdata_layout stat_config_layout = {
	.name = "stat_config", .perf_name = "STAT_CONFIG", .doc = "Settings of perf stat.",
	.id = PERFDATA_RECORD_STAT_CONFIG, .min_size = 16, .view_size = sizeof(struct perfdata_stat_config),
	PD_FIELDS(stat_config_fields),
};

static const struct perfdata_field stat_fields[] = {
	PD_ROW(stat, id, U64, EVENT_ID, "Id of the event."),
	PD_ROW(stat, cpu, S32, DEC, "CPU; -1 for any."),
	PD_ROW(stat, thread, U32, DEC, "Index into the threads of THREAD_MAP; not a thread's number."),
	PD_ROW(stat, val, U64, DEC, "Count."),
	PD_ROW(stat, ena, U64, DEC, "How long the event was enabled.", PD_UNIT(NS)),
	PD_ROW(stat, run, U64, DEC, "How long it was counted.", PD_UNIT(NS)),
};
static const struct perfdata_layout stat_layout = {
	.name = "stat", .perf_name = "STAT", .doc = "A count of perf stat.",
	.id = PERFDATA_RECORD_STAT, .min_size = 48, .view_size = sizeof(struct perfdata_stat), PD_FIELDS(stat_fields),
};

static const struct perfdata_field stat_round_fields[] = {
	PD_ROW_AS("round_type", stat_round, type, U64, ENUM, "Why the counts were read (`type` in perf's record).",
		  .names = pd_names_stat_round_type),
	PD_ROW(stat_round, time, U64, DEC, "When, since the start.", PD_UNIT(NS)),
};
static const struct perfdata_layout stat_round_layout = {
	.name = "stat_round", .perf_name = "STAT_ROUND", .doc = "All counts were read once.",
	.id = PERFDATA_RECORD_STAT_ROUND, .min_size = 24, .view_size = sizeof(struct perfdata_stat_round),
	PD_FIELDS(stat_round_fields),
};

static const struct perfdata_field event_update_fields[] = {
	PD_ROW_AS("update_type", event_update, type, U64, ENUM, "What is updated (`type` in perf's record).",
		  .names = pd_names_event_update_type),
	PD_ROW(event_update, id, U64, EVENT_ID, "First id of the event."),
	PD_ROW(event_update, unit, TEXT, TEXT, "Unit of its counts.", PD_WHEN_FIELD(IF_FIELD, 0, 0)),
	PD_ROW(event_update, scale, F64, DEC, "Factor for its counts.", PD_WHEN_FIELD(IF_FIELD, 0, 1)),
	PD_ROW(event_update, name, TEXT, TEXT, "Its name.", PD_WHEN_FIELD(IF_FIELD, 0, 2)),
	PD_ROW(event_update, cpus, CPUS, DEC, "CPUs it is counted on.", PD_WHEN_FIELD(IF_FIELD, 0, 3)),
	PD_PAD_REST,
};
static const struct perfdata_layout event_update_layout = {
	.name = "event_update",
	.perf_name = "EVENT_UPDATE",
	.doc = "Something about an event that its attr does not say.",
	.id = PERFDATA_RECORD_EVENT_UPDATE,
	.min_size = 24,
	.view_size = sizeof(struct perfdata_event_update),
	PD_FIELDS(event_update_fields),
};

static const struct perfdata_field time_conv_fields[] = {
	PD_ROW(time_conv, time_shift, U64, DEC, "Shift of the conversion from hardware time."),
	PD_ROW(time_conv, time_mult, U64, DEC, "Its factor."),
	PD_ROW(time_conv, time_zero, U64, DEC, "The time of hardware time 0.", PD_UNIT(NS)),
	PD_ROW(time_conv, time_cycles, U64, DEC, "Hardware time when the numbers were taken.", PD_UNIT(CYCLES),
	       PD_WHEN(IF_LEFT, 24)),
	PD_ROW(time_conv, time_mask, U64, HEX, "Bits of a short hardware time.", PD_WHEN(IF_LEFT, 16)),
	PD_ROW(time_conv, cap_user_time_zero, U8, BOOL, "time_zero is valid.", PD_WHEN(IF_LEFT, 8)),
	PD_ROW(time_conv, cap_user_time_short, U8, BOOL,
	       "Hardware time is short: time_cycles and time_mask complete it.", PD_WHEN(IF_LEFT, 7)),
	PD_PAD_REST,
};
static const struct perfdata_layout time_conv_layout = {
	.name = "time_conv", .perf_name = "TIME_CONV", .doc = "How hardware time becomes the recording's time.",
	.id = PERFDATA_RECORD_TIME_CONV, .min_size = 32, .view_size = sizeof(struct perfdata_time_conv),
	PD_FIELDS(time_conv_fields),
};

static const struct perfdata_field feature_record_fields[] = {
	PD_ROW(feature_record, feat_id, U64, DEC, "Number of the feature; without a payload: the end of the features."),
	PD_ROW(feature_record, payload, FEATURE, DEC, "What the feature section of a file holds.", PD_COUNT_REST),
};
static const struct perfdata_layout feature_record_layout = {
	.name = "feature", .perf_name = "FEATURE", .doc = "A feature section of a recording in pipe form.",
	.id = PERFDATA_RECORD_FEATURE, .min_size = 16, .view_size = sizeof(struct perfdata_feature_record),
	PD_FIELDS(feature_record_fields),
};

static const struct perfdata_field compressed_fields[] = {
	PD_ROW(compressed, data, BYTES, BYTES_HEX, "Part of a zstd frame that runs through the stream.", PD_COUNT_REST),
};
static const struct perfdata_layout compressed_layout = {
	.name = "compressed", .perf_name = "COMPRESSED", .doc = "Records, compressed.",
	.id = PERFDATA_RECORD_COMPRESSED, .min_size = 8, .view_size = sizeof(struct perfdata_compressed),
	PD_FIELDS(compressed_fields),
};
static const struct perfdata_field compressed2_fields[] = {
	PD_ROW(compressed, data_size, U64, DEC, "Length of the data without padding.", PD_UNIT(BYTES)),
	PD_ROW(compressed, data, BYTES, BYTES_HEX, "Part of a zstd frame that runs through the stream.", PD_COUNT(0)),
	PD_PAD_REST,
};
static const struct perfdata_layout compressed2_layout = {
	.name = "compressed2", .perf_name = "COMPRESSED2", .doc = "Records, compressed; the record is padded.",
	.id = PERFDATA_RECORD_COMPRESSED2, .min_size = 16, .view_size = sizeof(struct perfdata_compressed),
	PD_FIELDS(compressed2_fields),
};

static const struct perfdata_field bpf_metadata_entry_fields[] = {
	PD_ROW(bpf_metadata_entry, key, CHARS, TEXT, "Name of a variable.", PD_COUNT_FIXED(64)),
	PD_ROW_AS("value_text", bpf_metadata_entry, value, CHARS, TEXT, "Its value (`value` in perf's record).",
		  PD_COUNT_FIXED(256)),
};
static const struct perfdata_layout bpf_metadata_entry_layout = {
	.name = "bpf_metadata_entry", .doc = "A variable of a BPF program.",
	.view_size = sizeof(struct perfdata_bpf_metadata_entry), PD_FIELDS(bpf_metadata_entry_fields),
};
static const struct perfdata_field bpf_metadata_fields[] = {
	PD_ROW(bpf_metadata, prog_name, CHARS, TEXT, "Name of the BPF program.", PD_COUNT_FIXED(512)),
	PD_ROW(bpf_metadata, nr, U64, DEC, "Number of variables."),
	PD_ROW(bpf_metadata, entries, LIST, DEC, "The variables.", PD_COUNT(1), .element = &bpf_metadata_entry_layout),
	PD_PAD_REST,
};
static const struct perfdata_layout bpf_metadata_layout = {
	.name = "bpf_metadata", .perf_name = "BPF_METADATA", .doc = "What a BPF program says about itself.",
	.id = PERFDATA_RECORD_BPF_METADATA, .min_size = 528, .view_size = sizeof(struct perfdata_bpf_metadata),
	PD_FIELDS(bpf_metadata_fields),
};

#define USER(type) [PERFDATA_RECORD_##type - PERFDATA_RECORD_USER_FIRST]
static const struct perfdata_layout *const layouts[] = {
	USER(ATTR) = &attr_record_layout,
	USER(EVENT_TYPE) = &event_type_layout,
	USER(TRACING_DATA) = &tracing_data_layout,
	USER(BUILD_ID) = &build_id_record_layout,
	USER(FINISHED_ROUND) = &finished_round_layout,
	USER(ID_INDEX) = &id_index_layout,
	USER(AUXTRACE_INFO) = &auxtrace_info_layout,
	USER(AUXTRACE) = &auxtrace_layout,
	USER(AUXTRACE_ERROR) = &auxtrace_error_layout,
	USER(THREAD_MAP) = &thread_map_layout,
	USER(CPU_MAP) = &cpu_map_layout,
	USER(STAT_CONFIG) = &stat_config_layout,
	USER(STAT) = &stat_layout,
	USER(STAT_ROUND) = &stat_round_layout,
	USER(EVENT_UPDATE) = &event_update_layout,
	USER(TIME_CONV) = &time_conv_layout,
	USER(FEATURE) = &feature_record_layout,
	USER(COMPRESSED) = &compressed_layout,
	USER(FINISHED_INIT) = &finished_init_layout,
	USER(COMPRESSED2) = &compressed2_layout,
	USER(BPF_METADATA) = &bpf_metadata_layout,
	USER(SCHEDSTAT_CPU) = &pd_schedstat_cpu_layout,
	USER(SCHEDSTAT_DOMAIN) = &pd_schedstat_domain_layout,
};
const struct pd_record_table pd_user_records = { layouts, PERFDATA_RECORD_USER_FIRST,
						 sizeof layouts / sizeof *layouts };
