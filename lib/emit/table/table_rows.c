/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/table/span_cells.h"
#include "emit/table/table_rows.h"
#include "emit/values/aux_values.h"

#define NS PERFDATA_UNIT_NS
#define SIZE PERFDATA_UNIT_BYTES
#define PLAIN PERFDATA_UNIT_NONE
#define KEY(column, holds, about) { .name = column, .doc = about, .type = COLUMN_##holds, .required = true }
#define RISING_KEY(column, holds, about) \
	{ .name = column, .doc = about, .type = COLUMN_##holds, .required = true, .rising = true }
#define SEQUENCE(column, holds, about) \
	{ .name = column, .doc = about, .type = COLUMN_##holds, .sequences = true }

static const char *const mapping_fields[] = {
	"type",      "offset",   "inner",     "file",         "time",    "pid", "tid", "addr",           "len",
	"pgoff",     "build_id", "filename",  "filename_hex", "maj",     "min", "ino", "ino_generation", "prot_raw",
	"flags_raw", "late",     "after_gap", "rest",         "problem", NULL
};
static const char *const thread_fields[] = { "type",      "offset", "inner",    "file", "time", "pid",
					     "tid",       "comm",   "comm_hex", "ppid", "ptid", "late",
					     "after_gap", "rest",   "problem",  NULL };
static const char *const lost_fields[] = { "type",  "offset", "inner", "file", "time",      "pid",  "tid",     "cpu",
					   "event", "id",     "lost",  "late", "after_gap", "rest", "problem", NULL };
static const char *const chain_fields[] = { "type", "offset", "inner", "file", "time", "callchain", NULL };

static const struct table_column stacks[] = {
	[STACKS_STACK_ID] = RISING_KEY("stack_id", INT32, "Id of the stack, as in samples."),
	[STACKS_DEPTH] = KEY("depth", INT32, "Index of the step; 0 is the innermost function."),
	[STACKS_FRAME_ID] = SEQUENCE("frame_id", INT32,
				     "Id of the frame; null if the address is in no mapping."),
	[STACKS_UNMAPPED_IP] = SEQUENCE("unmapped_ip", UINT64, "The recorded address, if it has no frame."),
	/* the frame has the address too; this column would be most of a profile's tables */
	[STACKS_IP] = { .name = "ip",
			.doc = "The address as recorded or unwound.",
			.type = COLUMN_UINT64,
			.sequences = true,
			.bulky = true },
	[STACKS_ORIGIN] = COLUMN("origin", TEXT, PLAIN, "Origin of the step: recorded, branch or unwound."),
	{ 0 },
};
static const struct table_column frames[] = {
	[FRAMES_FRAME_ID] = RISING_KEY("frame_id", INT32, "Id of the frame, as in stacks and samples."),
	[FRAMES_DSO_ID] = COLUMN("dso_id", INT32, PLAIN, "Id of the file, as in `build_ids`."),
	[FRAMES_LOCATION + LOCATION_DSO] = COLUMN("dso", TEXT, PLAIN,
						  "The file (or other mapping) that contains the address."),
	[FRAMES_LOCATION + LOCATION_BUILD_ID] = COLUMN("build_id", TEXT, PLAIN,
						       "Build-id of the file in hex, if recorded."),
	[FRAMES_LOCATION + LOCATION_ADDRESS] = COLUMN(
		"address", UINT64, PLAIN,
		"The address in it: an offset in files; the recorded address in the kernel, its modules and JIT "
		"areas."),
	[FRAMES_LOCATION + LOCATION_SYMBOL] = COLUMN("symbol", TEXT, PLAIN, "Symbol at the address."),
	[FRAMES_LOCATION + LOCATION_SYMBOL_OFFSET] = COLUMN("symbol_offset", INT64, SIZE,
							    "Offset of the address in the symbol."),
	[FRAMES_LOCATION + LOCATION_FILE] = COLUMN("file", TEXT, PLAIN, "Source file (--lines)."),
	[FRAMES_LOCATION + LOCATION_LINE] = COLUMN(
		"line", INT32, PLAIN,
		"Line in the source file (--lines). The address of a caller is a return address, whose line may be "
		"the one after the call."),
	[FRAMES_LOCATION + LOCATION_INLINED] = COLUMN(
		"inlined", JSON, PLAIN,
		"Inlined functions at the address, innermost first (--lines)."),
	{ 0 },
};
static const struct table_column events[] = {
	[EVENTS_INDEX] = KEY("event_index", INT32, "Index of the event in the recording."),
	[EVENTS_NAME] = COLUMN("event", TEXT, PLAIN, "Name of the event, as in samples."),
	[EVENTS_LEADER] = COLUMN("leader_index", INT32, PLAIN, "Index of the leader of its group."),
	[EVENTS_TYPE] = COLUMN("type", INT64, PLAIN, "attr.type: the PMU."),
	[EVENTS_CONFIG] = COLUMN("config", UINT64, PLAIN, "attr.config: the event of the PMU."),
	[EVENTS_PERIOD] = COLUMN("sample_period", INT64, PLAIN,
				 "Events between two samples; with `freq`: samples per second."),
	[EVENTS_FREQ] = COLUMN("freq", BOOLEAN, PLAIN, "`sample_period` is a frequency."),
	[EVENTS_SAMPLE_TYPE] = COLUMN("sample_type_raw", UINT64, PLAIN, "Fields in its samples."),
	[EVENTS_READ_FORMAT] = COLUMN("read_format_raw", UINT64, PLAIN, "Layout of its counter values."),
	[EVENTS_UNIT] = COLUMN("unit", TEXT, PLAIN, "Unit of its counts (perf stat)."),
	[EVENTS_SCALE] = COLUMN("scale", DOUBLE, PLAIN, "Factor for counts (perf stat)."),
	[EVENTS_IDS] = COLUMN("ids", LIST_UINT64, PLAIN, "Ids of its counters."),
	[EVENTS_SAMPLES] = COLUMN("samples", INT64, PLAIN, "Number of its SAMPLE records."),
	[EVENTS_DELIVERIES] = COLUMN("deliveries", INT64, PLAIN, "Number of its samples as perf counts them."),
	[EVENTS_ATTR] = COLUMN("attr", JSON, PLAIN, "All of its perf_event_attr."),
	{ 0 },
};
static const struct table_column features[] = {
	[FEATURES_FEATURE] = KEY("feature", TEXT, "Name of the section."),
	[FEATURES_ID] = COLUMN("id", INT32, PLAIN, "Number of the section."),
	[FEATURES_VALUE] = COLUMN("value", JSON, PLAIN, "Content of the section, as in the first line of ndjson."),
	{ 0 },
};
static const struct table_column findings[] = {
	[FINDINGS_NUMBER] = KEY("n", INT32, "Number of the finding, from 0."),
	[FINDINGS_CODE] = COLUMN("code", INT32, PLAIN, "Code of the finding: see `perfdata explain`."),
	[FINDINGS_SEVERITY] = COLUMN("severity", TEXT, PLAIN, "note, warning or error."),
	[FINDINGS_FILE] = COLUMN("file", TEXT, PLAIN, "The file of the finding."),
	[FINDINGS_OFFSET] = COLUMN("offset", INT64, SIZE, "Offset in the file."),
	[FINDINGS_RECORD] = COLUMN("record", INT64, PLAIN, "Number of the record, from 0."),
	[FINDINGS_MESSAGE] = COLUMN("message", TEXT, PLAIN, "What was found."),
	{ 0 },
};
static const struct table_column build_ids[] = {
	[BUILD_IDS_DSO_ID] = KEY("dso_id", INT32, "Number of the file in the recording."),
	[BUILD_IDS_DSO] = COLUMN("dso", TEXT, PLAIN, "The file (or other mapping)."),
	[BUILD_IDS_BUILD_ID] = COLUMN("build_id", TEXT, PLAIN, "Build-id in hex, as known at the end of the "
							       "recording."),
	[BUILD_IDS_SOURCE] = COLUMN("source", TEXT, PLAIN, "Source of the build-id: mmap2, record or header."),
	[BUILD_IDS_KIND] = COLUMN("kind", TEXT, PLAIN, "user, kernel, module, vdso, jit, bpf or other."),
	[BUILD_IDS_MAPPINGS] = COLUMN("mappings", INT64, PLAIN, "Number of mappings of the file."),
	[BUILD_IDS_INODE] = COLUMN("ino", INT64, PLAIN, "Inode number, if recorded."),
	{ 0 },
};
static const struct table_column cpus[] = {
	[CPUS_CPU] = KEY("cpu", INT32, "Number of the CPU."),
	[CPUS_CORE] = COLUMN("core_id", INT32, PLAIN, "Core of the CPU."),
	[CPUS_SOCKET] = COLUMN("socket_id", INT32, PLAIN, "Package of the CPU."),
	[CPUS_DIE] = COLUMN("die_id", INT32, PLAIN, "Die of the CPU."),
	{ 0 },
};
static const struct table_column recordings[] = {
	[RECORDINGS_CONTAINER] = COLUMN("container", TEXT, PLAIN, "file, pipe or directory."),
	[RECORDINGS_BYTE_ORDER] = COLUMN("byte_order", TEXT, PLAIN, "little or big."),
	[RECORDINGS_PACKING] = COLUMN("packing", TEXT, PLAIN, "Compression: none, gzip, zstd or xz."),
	[RECORDINGS_FILE_SIZE] = COLUMN("file_size", INT64, SIZE, "Size after decompression."),
	[RECORDINGS_PERF] = COLUMN("perf_version", TEXT, PLAIN, "Version of the perf that recorded."),
	[RECORDINGS_HOSTNAME] = COLUMN("hostname", TEXT, PLAIN, "Name of the recorded host."),
	[RECORDINGS_RELEASE] = COLUMN("os_release", TEXT, PLAIN, "Release of the recorded kernel."),
	[RECORDINGS_ARCH] = COLUMN("arch", TEXT, PLAIN, "Machine, as in uname -m."),
	[RECORDINGS_CPU] = COLUMN("cpu", TEXT, PLAIN, "Name of the processor."),
	[RECORDINGS_CPUID] = COLUMN("cpuid", TEXT, PLAIN, "Family, model and stepping of the processor."),
	[RECORDINGS_CPUS] = COLUMN("cpus_online", INT32, PLAIN, "CPUs that were online."),
	[RECORDINGS_MEMORY] = COLUMN("memory_kb", INT64, PERFDATA_UNIT_KB, "Memory of the host."),
	[RECORDINGS_COMMAND] = COLUMN("cmdline", LIST_TEXT, PLAIN, "Command line of perf."),
	[RECORDINGS_WALL_OFFSET] = COLUMN("wall_offset_ns", INT64, NS,
					  "Add it to a time for ns since 1970; null if the clocks were not compared."),
	[RECORDINGS_FIRST] = COLUMN("first_time", INT64, NS, "Time of the first sample."),
	[RECORDINGS_LAST] = COLUMN("last_time", INT64, NS, "Time of the last sample."),
	[RECORDINGS_RECORDS] = COLUMN("records", INT64, PLAIN, "Number of records."),
	[RECORDINGS_SAMPLES] = COLUMN("samples", INT64, PLAIN, "Number of SAMPLE records."),
	[RECORDINGS_LOST_RECORDS] = COLUMN("lost_records", INT64, PLAIN, "Number of records that the kernel lost."),
	[RECORDINGS_LOST_SAMPLES] = COLUMN("lost_samples", INT64, PLAIN, "Number of samples that the kernel lost."),
	[RECORDINGS_LATE] = COLUMN("late", INT64, PLAIN, "Number of records that are older than a record before them."),
	[RECORDINGS_UNKNOWN_IDS] = COLUMN("unknown_ids", INT64, PLAIN, "Number of records with an id of no event."),
	[RECORDINGS_FINDINGS] = COLUMN("findings", INT64, PLAIN, "Number of findings."),
	[RECORDINGS_COMPLETE] = COLUMN("complete", BOOLEAN, PLAIN, "All of the recording was read, without damage."),
	{ 0 },
};
/* A part of a word: text formats have the whole word as JSON. */
#define BIT(column, holds, about) { .name = column, .doc = about, .type = COLUMN_##holds, .derived = true }
#define PART_COLUMNS \
	[PART_FILE] = COLUMN("file", TEXT, PLAIN, "File with the record, if the recording has several."), \
	[PART_OFFSET] = RISING_KEY("offset", INT64, "Offset of the record, as in `samples`."), \
	[PART_INNER] = COLUMN("inner", INT64, SIZE, "Offset in decompressed data, as in `samples`."), \
	[PART_INDEX] = KEY("index", INT32, "Index of the part in the record, from 0.")
static const struct table_column branches[] = {
	PART_COLUMNS,
	[BRANCHES_FROM] = COLUMN("from", UINT64, PLAIN, "Address of the branch; `index` 0 is the newest one."),
	[BRANCHES_TO] = COLUMN("to", UINT64, PLAIN, "Target of the branch."),
	[BRANCHES_FLAGS] = COLUMN("branch_flags", JSON, PLAIN, "All flags of the branch."),
	[BRANCHES_COUNTER] = COLUMN("counter", UINT64, PLAIN,
				    "Counts of the group's events since the branch before, packed."),
	[BRANCHES_MISPRED] = BIT("mispred", BOOLEAN, "The branch was mispredicted."),
	[BRANCHES_PREDICTED] = BIT("predicted", BOOLEAN, "The branch was predicted. Neither flag: unknown."),
	[BRANCHES_IN_TX] = BIT("in_tx", BOOLEAN, "Inside a transaction."),
	[BRANCHES_ABORT] = BIT("abort", BOOLEAN, "A transaction was aborted."),
	[BRANCHES_CYCLES] = BIT("cycles", INT32, "Cycles since the branch before; 0: unknown."),
	[BRANCHES_TYPE] = BIT("type", TEXT, "Kind of branch: COND, CALL, RET, …"),
	{ 0 },
};
static const struct table_column regs[] = {
	PART_COLUMNS,
	[REGS_SET] = COLUMN("set", TEXT, PLAIN, "user: of the thread in user mode; intr: where the sample was taken."),
	[REGS_REGISTER] = COLUMN("register", TEXT, PLAIN, "Name of the register."),
	[REGS_VALUE] = COLUMN("value", UINT64, PLAIN, "Value of the register."),
	{ 0 },
};
static const struct table_column read_values[] = {
	PART_COLUMNS,
	[READ_VALUES_ID] = COLUMN("id", UINT64, PLAIN, "Id of the counter."),
	[READ_VALUES_EVENT] = COLUMN("event", TEXT, PLAIN, "The event of the counter."),
	[READ_VALUES_VALUE] = COLUMN("value", INT64, PLAIN, "Value of the counter."),
	[READ_VALUES_LOST] = COLUMN("lost", INT64, PLAIN, "Number of lost samples of the event."),
	{ 0 },
};
static const struct table_column chain[] = {
	PART_COLUMNS,
	[CHAIN_IP] = COLUMN("ip", UINT64, PLAIN, "The address, or the name of a context marker."),
	{ 0 },
};

#define TYPES_OF_TRACES PERFDATA_RECORD_AUXTRACE_INFO, PERFDATA_RECORD_AUXTRACE, PERFDATA_RECORD_TIME_CONV
#define ROW_NUMBER(table) ROW_##table,
enum { TABLES_OF_ALL(ROW_NUMBER, ROW_NUMBER) TABLES_ON_REQUEST(ROW_NUMBER, ROW_NUMBER) NR_ROWS };

static const struct table_row rows[NR_ROWS] = {
	[ROW_recordings] = { .name = "recordings",
	  .doc = "One row for the recording.",
	  .rows = TABLE_OF_RECORDING,
	  .columns = recordings },
	[ROW_events] = { .name = "events",
	  .doc = "One row for each event.",
	  .rows = TABLE_OF_EVENTS,
	  .columns = events },
	[ROW_samples] = { .name = "samples",
	  .doc = "One row for each SAMPLE record.",
	  .rows = TABLE_OF_RECORDS,
	  .types = { PERFDATA_RECORD_SAMPLE } },
	[ROW_stacks] = { .name = "stacks",
	  .doc = "One row for each step of each stack of samples.",
	  .rows = TABLE_OF_STACKS,
	  .columns = stacks },
	[ROW_frames] = { .name = "frames",
	  .doc = "One row for each address in a file that stacks and samples have.",
	  .rows = TABLE_OF_FRAMES,
	  .columns = frames },
	[ROW_mappings] = { .name = "mappings",
	  .doc = "One row for each MMAP and MMAP2 record.",
	  .rows = TABLE_OF_RECORDS,
	  .types = { PERFDATA_RECORD_MMAP2, PERFDATA_RECORD_MMAP },
	  .fields = mapping_fields },
	[ROW_build_ids] = { .name = "build_ids",
	  .doc = "One row for each mapped file.",
	  .rows = TABLE_OF_BUILD_IDS,
	  .columns = build_ids },
	[ROW_threads] = { .name = "threads",
	  .doc = "One row for each COMM, FORK and EXIT record: when threads started, were named, and ended.",
	  .rows = TABLE_OF_RECORDS,
	  .types = { PERFDATA_RECORD_COMM, PERFDATA_RECORD_FORK, PERFDATA_RECORD_EXIT },
	  .fields = thread_fields },
	[ROW_lost] = { .name = "lost",
	  .doc = "One row for each record about losses or throttling.",
	  .rows = TABLE_OF_RECORDS,
	  .types = { PERFDATA_RECORD_LOST, PERFDATA_RECORD_LOST_SAMPLES, PERFDATA_RECORD_THROTTLE,
		     PERFDATA_RECORD_UNTHROTTLE },
	  .fields = lost_fields },
	[ROW_cpu] = { .name = "cpu",
	  .doc = "One row for each CPU, if the recording describes CPUs.",
	  .rows = TABLE_OF_CPUS,
	  .columns = cpus },
	[ROW_features] = { .name = "features",
	  .doc = "One row for each feature section.",
	  .rows = TABLE_OF_FEATURES,
	  .columns = features },
	[ROW_findings] = { .name = "findings",
	  .doc = "One row for each finding.",
	  .rows = TABLE_OF_FINDINGS,
	  .columns = findings },
	[ROW_callchain] = { .name = "callchain",
	  .on_request = true,
	  .doc = "One row for each record with a call chain, as recorded, with context markers; in CSV one for each "
		 "address of it.",
	  .rows = TABLE_OF_RECORDS,
	  .in_csv = TABLE_OF_CHAIN,
	  .types = { PERFDATA_RECORD_SAMPLE, PERFDATA_RECORD_CALLCHAIN_DEFERRED },
	  .fields = chain_fields },
	[ROW_branches] = { .name = "branches",
	  .on_request = true,
	  .doc = "One row for each branch of each SAMPLE record with a branch stack.",
	  .rows = TABLE_OF_BRANCHES,
	  .types = { PERFDATA_RECORD_SAMPLE },
	  .columns = branches },
	[ROW_regs] = { .name = "regs",
	  .on_request = true,
	  .doc = "One row for each register of each SAMPLE record with registers.",
	  .rows = TABLE_OF_REGS,
	  .types = { PERFDATA_RECORD_SAMPLE },
	  .columns = regs },
	[ROW_read_values] = { .name = "read_values",
	  .on_request = true,
	  .doc = "One row for each counter's value in each SAMPLE and READ record with such values.",
	  .rows = TABLE_OF_READ_VALUES,
	  .types = { PERFDATA_RECORD_SAMPLE, PERFDATA_RECORD_READ },
	  .columns = read_values },
	[ROW_aux_packets] = { .name = "aux_packets",
	  .on_request = true,
	  .doc = "One row for each packet of the traces in AUX areas.",
	  .rows = TABLE_OF_PACKETS,
	  .types = { TYPES_OF_TRACES },
	  .columns = pd_packet_columns },
	[ROW_spe_samples] = { .name = "spe_samples",
	  .on_request = true,
	  .doc = "One row for each sampled operation of Arm SPE.",
	  .rows = TABLE_OF_SPE_SAMPLES,
	  .types = { TYPES_OF_TRACES },
	  .columns = pd_spe_columns },
	[ROW_spans] = { .name = "spans",
	  .on_request = true,
	  .doc = "One row for each interval between two records: waits, system calls, locks, disk requests, "
		 "interrupts. Rows are in the order of their ends.",
	  .rows = TABLE_OF_SPANS,
	  .columns = pd_span_columns },
	[ROW_threads_time] = { .name = "threads_time",
	  .on_request = true,
	  .doc = "One row for each thread: its time in each state.",
	  .rows = TABLE_OF_THREAD_TIMES,
	  .columns = pd_thread_time_columns },
};

const struct table_column *pd_table_own_columns(enum table_rows of)
{
	size_t i = 0;
	if (of == TABLE_OF_CHAIN)
		return chain;
	while (rows[i].rows != of)
		i++;
	return rows[i].columns;
}

const struct table_row *pd_table_row_at(size_t index)
{
	return index < NR_ROWS ? &rows[index] : NULL;
}

bool pd_table_row_named(const char *name, struct table_row *ret)
{
	const struct perfdata_layout *layout;
	for (size_t i = 0; i < NR_ROWS; i++)
		if (!strcmp(rows[i].name, name)) {
			*ret = rows[i];
			return true;
		}
	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++)
		if (!strcmp(layout->name, name)) {
			*ret = (struct table_row){ .name = layout->name,
						   .doc = layout->doc,
						   .rows = TABLE_OF_RECORDS,
						   .types = { layout->id } };
			return true;
		}
	return false;
}

size_t pd_table_row_types(const struct table_row *row)
{
	size_t nr = 0;
	while (nr < TABLE_TYPES && row->types[nr])
		nr++;
	return nr;
}
