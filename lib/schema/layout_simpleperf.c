/* SPDX-License-Identifier: MIT */
/* Records of Android's simpleperf (32769 to 32778). They have no trailer. The 16 bits that are misc in other records
 * are the upper half of their size; only records joined from parts need it. Sizes need not be multiples of 8. perf
 * drops all these records. */
#include "config.h"
#include "schema/layout.h"

#define DROPPED_BY_PERF .perf_min_size = UINT32_MAX

static const struct perfdata_field kernel_symbol_fields[] = {
	PD_ROW_AS("text_size", kernel_symbol, size, U32, DEC, "Length of the text.", PD_UNIT(BYTES)),
	PD_ROW(kernel_symbol, kallsyms, BYTES, TEXT, "Symbols of the kernel, as /proc/kallsyms lists them.",
	       PD_COUNT(0)),
	PD_PAD_REST,
};
static const struct perfdata_layout kernel_symbol_layout = {
	.name = "simpleperf_kernel_symbol",
	.perf_name = "SIMPLEPERF_KERNEL_SYMBOL",
	.doc = "Symbols of the kernel.",
	.id = PERFDATA_RECORD_SIMPLEPERF_KERNEL_SYMBOL,
	DROPPED_BY_PERF,
	.min_size = 12,
	.view_size = sizeof(struct perfdata_kernel_symbol),
	PD_FIELDS(kernel_symbol_fields),
};

static const struct perfdata_field dso_fields[] = {
	PD_ROW(dso_record, dso_type, U64, ENUM, "Kind of file.", .names = pd_names_simpleperf_dso_type),
	PD_ROW(dso_record, dso_id, U64, DEC, "Number by which symbols name the file."),
	PD_ROW(dso_record, min_vaddr, U64, HEX,
	       "Least address of the file's executable segments; since July 2016.", PD_WHEN(UNLESS_TEXT, 0)),
	PD_ROW(dso_record, path, TEXT, TEXT, "The file."),
};
static const struct perfdata_layout dso_layout = {
	.name = "simpleperf_dso", .perf_name = "SIMPLEPERF_DSO", .doc = "A file that symbols belong to; until 2016.",
	.id = PERFDATA_RECORD_SIMPLEPERF_DSO,
	DROPPED_BY_PERF, .min_size = 32, .view_size = sizeof(struct perfdata_dso_record),
	PD_FIELDS(dso_fields),
};

static const struct perfdata_field symbol_fields[] = {
	PD_ROW(symbol_record, addr, U64, HEX, "Address inside the file."),
	PD_ROW(symbol_record, len, U64, DEC, "Length of the code.", PD_UNIT(BYTES)),
	PD_ROW(symbol_record, dso_id, U64, DEC, "The file: dso_id of a SIMPLEPERF_DSO record."),
	PD_ROW(symbol_record, name, TEXT, TEXT, "What the address is called."),
};
static const struct perfdata_layout symbol_layout = {
	.name = "simpleperf_symbol", .perf_name = "SIMPLEPERF_SYMBOL", .doc = "A symbol of a file; until 2016.",
	.id = PERFDATA_RECORD_SIMPLEPERF_SYMBOL,
	DROPPED_BY_PERF, .min_size = 40, .view_size = sizeof(struct perfdata_symbol_record),
	PD_FIELDS(symbol_fields),
};

static const struct perfdata_field split_fields[] = {
	PD_ROW(split, data, BYTES, BYTES_HEX, "The next bytes of the record.", PD_COUNT_REST),
};
static const struct perfdata_layout split_layout = {
	.name = "simpleperf_split",
	.perf_name = "SIMPLEPERF_SPLIT",
	.doc = "Part of a record that is too large for one; the joined record follows the last part.",
	.id = PERFDATA_RECORD_SIMPLEPERF_SPLIT,
	DROPPED_BY_PERF,
	.min_size = 9,
	.view_size = sizeof(struct perfdata_split),
	PD_FIELDS(split_fields),
};
static const struct perfdata_layout split_end_layout = {
	.name = "simpleperf_split_end", .perf_name = "SIMPLEPERF_SPLIT_END", .doc = "The parts in front are all.",
	.id = PERFDATA_RECORD_SIMPLEPERF_SPLIT_END,
	DROPPED_BY_PERF, .min_size = 8, .view_size = sizeof(struct perfdata_finished),
};

static const struct perfdata_field event_id_entry_fields[] = {
	PD_ROW(event_id_entry, event_index, U64, DEC, "Number of the event in the table of attrs, from 0."),
	PD_ROW(event_id_entry, id, U64, EVENT_ID, "One more id of the event."),
};
static const struct perfdata_layout event_id_entry_layout = {
	.name = "simpleperf_event_id_entry", .doc = "One more id of an event.",
	.view_size = sizeof(struct perfdata_event_id_entry), PD_FIELDS(event_id_entry_fields),
};
static const struct perfdata_field event_id_fields[] = {
	PD_ROW(event_id_record, nr, U64, DEC, "Number of entries."),
	PD_ROW(event_id_record, entries, LIST, DEC, "Ids of CPUs that came online later.", PD_COUNT(0),
	       .element = &event_id_entry_layout),
};
static const struct perfdata_layout event_id_layout = {
	.name = "simpleperf_event_id", .perf_name = "SIMPLEPERF_EVENT_ID", .doc = "More ids of events; 2016 to 2020.",
	.id = PERFDATA_RECORD_SIMPLEPERF_EVENT_ID,
	DROPPED_BY_PERF, .min_size = 16, .view_size = sizeof(struct perfdata_event_id_record),
	PD_FIELDS(event_id_fields),
};

static const struct perfdata_field callchain_fields[] = {
	PD_ROW(callchain_record, pid, S32, DEC, "Process."),
	PD_ROW(callchain_record, tid, S32, DEC, "Thread."),
	PD_ROW(callchain_record, chain_type, U64, ENUM, "How the chain was made.",
	       .names = pd_names_simpleperf_chain_type),
	PD_ROW(callchain_record, time, U64, DEC, "Time of the sample.", PD_UNIT(NS)),
	PD_ROW(callchain_record, nr, U64, DEC, "Number of frames."),
	PD_ROW(callchain_record, ips, LIST, HEX, "Addresses, callee first.", PD_COUNT(4)),
	PD_ROW(callchain_record, sps, LIST, HEX, "Stack pointers of the frames.", PD_COUNT(4)),
};
static const struct perfdata_layout callchain_layout = {
	.name = "simpleperf_callchain",
	.perf_name = "SIMPLEPERF_CALLCHAIN",
	.doc = "A chain with its stack pointers, beside that of the sample; 2017 to 2018.",
	.id = PERFDATA_RECORD_SIMPLEPERF_CALLCHAIN,
	DROPPED_BY_PERF,
	.min_size = 40,
	.view_size = sizeof(struct perfdata_callchain_record),
	PD_FIELDS(callchain_fields),
};

static const struct perfdata_field unwinding_result_fields[] = {
	PD_ROW(unwinding_result, time, U64, DEC, "Time of the sample.", PD_UNIT(NS)),
	PD_ROW(unwinding_result, used_time, U64, DEC, "How long unwinding took.", PD_UNIT(NS)),
	PD_ROW(unwinding_result, error_code, U64, ENUM, "Why unwinding ended; in 2017 a number of another kind.",
	       .names = pd_names_simpleperf_unwind_error),
	PD_ROW(unwinding_result, error_addr, U64, HEX, "Where memory could not be read."),
	PD_ROW(unwinding_result, stack_start, U64, HEX, "First address of the recorded stack.", PD_WHEN(IF_LEFT, 16)),
	PD_ROW(unwinding_result, stack_end, U64, HEX, "Address after the last byte of the recorded stack.",
	       PD_WHEN(IF_LEFT, 8)),
	PD_ROW(unwinding_result, user_regs, STRUCT, DEC, "User registers; since 2021.",
	       PD_WHEN(IF_LEFT, PD_REGS_WITH_MASK), .element = &pd_regs_layout),
	PD_ROW(unwinding_result, user_stack, STRUCT, DEC, "User stack; since 2021.", PD_WHEN(IF_LEFT, 8),
	       .element = &pd_user_stack_layout),
	PD_ROW(unwinding_result, nr, U64, DEC, "Number of frames that were found.", PD_WHEN(IF_LEFT, 8)),
	PD_ROW(unwinding_result, ips, LIST, HEX, "Addresses, callee first.", PD_COUNT(8),
	       PD_WHEN_FIELD(IF_FIELD_GE, 8, 1)),
	PD_ROW(unwinding_result, sps, LIST, HEX, "Stack pointers of the frames.", PD_COUNT(8),
	       PD_WHEN_FIELD(IF_FIELD_GE, 8, 1)),
};
static const struct perfdata_layout unwinding_result_layout = {
	.name = "simpleperf_unwinding_result",
	.perf_name = "SIMPLEPERF_UNWINDING_RESULT",
	.doc = "Why the stack of the next sample is not whole.",
	.id = PERFDATA_RECORD_SIMPLEPERF_UNWINDING_RESULT,
	DROPPED_BY_PERF,
	.min_size = 40,
	.view_size = sizeof(struct perfdata_unwinding_result),
	PD_FIELDS(unwinding_result_fields),
};

static const struct perfdata_field tracing_data_fields[] = {
	PD_ROW_AS("data_size", tracing_data, size, U32, DEC, "Length of the data.", PD_UNIT(BYTES)),
	PD_ROW(tracing_data, data, BYTES, BYTES_HEX, "What the feature TRACING_DATA of perf holds.", PD_COUNT(0)),
	PD_PAD_REST,
};
static const struct perfdata_layout tracing_data_layout = {
	.name = "simpleperf_tracing_data",
	.perf_name = "SIMPLEPERF_TRACING_DATA",
	.doc = "Formats of tracepoints.",
	.id = PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA,
	DROPPED_BY_PERF,
	.min_size = 12,
	.view_size = sizeof(struct perfdata_tracing_data),
	PD_FIELDS(tracing_data_fields),
};

static const struct perfdata_field debug_fields[] = {
	PD_ROW(debug_record, time, U64, DEC, "Time.", PD_UNIT(NS)),
	PD_ROW(debug_record, text, TEXT, TEXT, "What the recorder says of itself."),
};
static const struct perfdata_layout debug_layout = {
	.name = "simpleperf_debug", .perf_name = "SIMPLEPERF_DEBUG", .doc = "A message of the recorder.",
	.id = PERFDATA_RECORD_SIMPLEPERF_DEBUG,
	DROPPED_BY_PERF, .min_size = 24, .view_size = sizeof(struct perfdata_debug_record),
	PD_FIELDS(debug_fields),
};

#define SIMPLEPERF(type) [PERFDATA_RECORD_SIMPLEPERF_##type - PERFDATA_RECORD_SIMPLEPERF_FIRST]
static const struct perfdata_layout *const layouts[] = {
	SIMPLEPERF(KERNEL_SYMBOL) = &kernel_symbol_layout,
	SIMPLEPERF(DSO) = &dso_layout,
	SIMPLEPERF(SYMBOL) = &symbol_layout,
	SIMPLEPERF(SPLIT) = &split_layout,
	SIMPLEPERF(SPLIT_END) = &split_end_layout,
	SIMPLEPERF(EVENT_ID) = &event_id_layout,
	SIMPLEPERF(CALLCHAIN) = &callchain_layout,
	SIMPLEPERF(UNWINDING_RESULT) = &unwinding_result_layout,
	SIMPLEPERF(TRACING_DATA) = &tracing_data_layout,
	SIMPLEPERF(DEBUG) = &debug_layout,
};
const struct pd_record_table pd_simpleperf_records = { layouts, PERFDATA_RECORD_SIMPLEPERF_FIRST,
						       sizeof layouts / sizeof *layouts };
