/* SPDX-License-Identifier: MIT */
/* PERF_RECORD_SAMPLE, its parts, and the trailer of other kernel records. The rows up to `period` are whole words,
 * whose places an attr fixes; the configuration turns them into steps once. */
#include "config.h"
#include "schema/layout.h"
#include "schema/schema.h"

#define SAMPLE_IF(bit) PD_WHEN(IF_SAMPLE_TYPE, PERFDATA_SAMPLE_##bit)
#define READ_IF(bit) PD_WHEN(IF_READ_FORMAT, PERFDATA_READ_FORMAT_##bit)

static const struct perfdata_field read_value_fields[] = {
	PD_ROW(read_value, value, U64, DEC, "Count."),
	PD_ROW(read_value, id, U64, EVENT_ID, "Id of the event that was counted.", READ_IF(ID)),
	PD_ROW(read_value, lost, U64, DEC, "Records that this event lost.", READ_IF(LOST)),
};
const struct perfdata_layout pd_read_value_layout = {
	.name = "read_value", .doc = "The value of one counter.", .view_size = sizeof(struct perfdata_read_value),
	PD_FIELDS(read_value_fields),
};

static const struct perfdata_field read_fields[] = {
	PD_ROW(read, time_enabled, U64, DEC, "How long the event was enabled.", PD_UNIT(NS), READ_IF(TIME_ENABLED)),
	PD_ROW(read, time_running, U64, DEC, "How long it was counted.", PD_UNIT(NS), READ_IF(TIME_RUNNING)),
	PD_ROW(read, values, LIST, DEC, "One value, or one for each member of the group.", PD_COUNT_PREFIX,
	       .element = &pd_read_value_layout),
};
const struct perfdata_layout pd_read_layout = {
	.name = "read_values",
	.doc = "Counter values as read_format lays them out.",
	.view_size = sizeof(struct perfdata_read),
	PD_FIELDS(read_fields),
};

static const struct perfdata_field branch_fields[] = {
	PD_ROW(branch, from, U64, HEX, "Address of the branch."),
	PD_ROW(branch, to, U64, HEX, "Its target."),
	PD_ROW_AS("branch_flags", branch, flags, U64, BITS, "What is known about the branch.", .bits = pd_bits_branch),
};
const struct perfdata_layout pd_branch_layout = {
	.name = "branch",
	.doc = "A taken branch.",
	.view_size = sizeof(struct perfdata_branch),
	PD_FIELDS(branch_fields),
};

static const struct perfdata_field branch_stack_fields[] = {
	PD_ROW(branch_stack, hw_idx, U64, DEC, "Index of the newest entry in the hardware; all ones: unknown."),
	PD_ROW(branch_stack, entries, LIST, DEC, "Branches, newest first.", PD_COUNT_PREFIX,
	       .element = &pd_branch_layout),
	PD_ROW(branch_stack, counters, LIST, HEX,
	       "Counts of the group's events between branches, packed: one word per entry.", PD_COUNT_PREFIX),
};
const struct perfdata_layout pd_branch_stack_layout = {
	.name = "branch_stack", .doc = "The last branches before the sample.",
	.view_size = sizeof(struct perfdata_branch_stack), PD_FIELDS(branch_stack_fields),
};

static const struct perfdata_field regs_fields[] = {
	PD_ROW(regs, abi, U64, ENUM, "Word size of the thread.", .names = pd_names_regs_abi),
	PD_ROW(regs, mask, U64, HEX, "Which registers: bit n is number n of the architecture (from the attr)."),
	PD_ROW_AS("regs", regs, values, LIST, REGS, "Values in ascending order of the mask's bits.", PD_COUNT_PREFIX),
};
const struct perfdata_layout pd_regs_layout = {
	.name = "regs", .doc = "Registers.", .view_size = sizeof(struct perfdata_regs), PD_FIELDS(regs_fields),
};

static const struct perfdata_field user_stack_fields[] = {
	PD_ROW_AS("stack_size", user_stack, size, U64, DEC,
		  "Bytes reserved for the stack (`size` in the kernel's record).", PD_UNIT(BYTES)),
	PD_ROW(user_stack, data, BYTES, BYTES_HEX, "The stack from its pointer on; valid are the first dyn_size bytes.",
	       PD_COUNT(0), PD_WHEN_FIELD(IF_FIELD_GE, 0, 1)),
	PD_ROW(user_stack, dyn_size, U64, DEC, "Bytes that hold stack.", PD_UNIT(BYTES),
	       PD_WHEN_FIELD(IF_FIELD_GE, 0, 1)),
};
const struct perfdata_layout pd_user_stack_layout = {
	.name = "user_stack", .doc = "A copy of the user stack.", .view_size = sizeof(struct perfdata_user_stack),
	PD_FIELDS(user_stack_fields),
};

static const struct perfdata_field weight_fields[] = {
	PD_ROW(weight, var1, U32, DEC, "Latency of the access."),
	PD_ROW(weight, var2, U16, DEC, "x86: latency of the instruction; powerpc: a pipeline stage."),
	PD_ROW(weight, var3, U16, DEC, "x86: latency of its retirement; powerpc: a pipeline stage."),
};
const struct perfdata_layout pd_weight_layout = {
	.name = "weight", .doc = "What the event cost, in parts.", .view_size = sizeof(struct perfdata_weight),
	PD_FIELDS(weight_fields),
};

static const struct perfdata_field sample_fields[] = {
	PD_ROW(sample, identifier, U64, EVENT_ID, "Id of the event.", SAMPLE_IF(IDENTIFIER)),
	PD_ROW(sample, ip, U64, HEX, "Instruction pointer.", SAMPLE_IF(IP)),
	PD_ROW(sample, pid, S32, DEC, "Process.", SAMPLE_IF(TID)),
	PD_ROW(sample, tid, S32, DEC, "Thread.", SAMPLE_IF(TID)),
	PD_ROW(sample, time, U64, DEC, "Time of the recording's clock.", PD_UNIT(NS), SAMPLE_IF(TIME)),
	PD_ROW(sample, addr, U64, HEX, "Data address, or what the event defines.", SAMPLE_IF(ADDR)),
	PD_ROW(sample, id, U64, EVENT_ID, "Id of the event, or of its group leader.", SAMPLE_IF(ID)),
	PD_ROW(sample, stream_id, U64, DEC, "Id of the event's instance.", SAMPLE_IF(STREAM_ID)),
	PD_ROW(sample, cpu, U32, DEC, "CPU.", SAMPLE_IF(CPU)),
	PD_PAD(4, SAMPLE_IF(CPU)),
	PD_ROW(sample, period, U64, DEC, "How many events the sample represents.", SAMPLE_IF(PERIOD)),
	PD_ROW(sample, read, STRUCT, DEC, "Counter values.", SAMPLE_IF(READ), .element = &pd_read_layout),
	PD_ROW(sample, callchain, LIST, CALLCHAIN, "Addresses and context markers, callee first.", PD_COUNT_PREFIX,
	       SAMPLE_IF(CALLCHAIN)),
	PD_ROW(sample, raw, BYTES, RAW, "Raw data: a tracepoint's fields, or what the event defines.", PD_COUNT_PREFIX,
	       .count = 4, SAMPLE_IF(RAW)),
	PD_ROW(sample, branch_stack, STRUCT, DEC, "The last branches.", SAMPLE_IF(BRANCH_STACK),
	       .element = &pd_branch_stack_layout),
	PD_ROW(sample, user_regs, STRUCT, DEC, "User registers.", SAMPLE_IF(REGS_USER), .element = &pd_regs_layout),
	PD_ROW(sample, user_stack, STRUCT, DEC, "User stack.", SAMPLE_IF(STACK_USER), .element = &pd_user_stack_layout),
	PD_ROW(sample, weight, U64, DEC, "What the event cost.", SAMPLE_IF(WEIGHT)),
	PD_ROW(sample, weight_struct, STRUCT, DEC, "What the event cost, in parts.", SAMPLE_IF(WEIGHT_STRUCT),
	       .element = &pd_weight_layout),
	PD_ROW(sample, data_src, U64, BITS, "Where the data came from.", SAMPLE_IF(DATA_SRC), .bits = pd_bits_data_src),
	PD_ROW(sample, transaction, U64, BITS, "Why a transaction was aborted.", SAMPLE_IF(TRANSACTION),
	       .bits = pd_bits_transaction),
	PD_ROW(sample, intr_regs, STRUCT, DEC, "Registers when the sample was taken.", SAMPLE_IF(REGS_INTR),
	       .element = &pd_regs_layout),
	PD_ROW(sample, phys_addr, U64, HEX, "Physical address of the data.", SAMPLE_IF(PHYS_ADDR)),
	PD_ROW(sample, cgroup, U64, DEC, "Id of the cgroup; CGROUP records give its path.", SAMPLE_IF(CGROUP)),
	PD_ROW(sample, data_page_size, U64, DEC, "Size of the page of addr.", PD_UNIT(BYTES),
	       SAMPLE_IF(DATA_PAGE_SIZE)),
	PD_ROW(sample, code_page_size, U64, DEC, "Size of the page of ip.", PD_UNIT(BYTES), SAMPLE_IF(CODE_PAGE_SIZE)),
	PD_ROW(sample, aux, BYTES, BYTES_HEX, "AUX data taken with the sample.", PD_COUNT_PREFIX, SAMPLE_IF(AUX)),
};
const struct perfdata_layout pd_sample_layout = {
	PD_MISC(PD_MISC_BIT(14, "EXACT_IP")),
	.name = "sample",
	.perf_name = "SAMPLE",
	.doc = "A sample.",
	.id = PERFDATA_RECORD_SAMPLE,
	.min_size = 8,
	.view_size = sizeof(struct perfdata_sample),
	PD_FIELDS(sample_fields),
};

static const struct perfdata_field sample_id_fields[] = {
	PD_ROW(sample_id, pid, S32, DEC, "Process.", SAMPLE_IF(TID)),
	PD_ROW(sample_id, tid, S32, DEC, "Thread.", SAMPLE_IF(TID)),
	PD_ROW(sample_id, time, U64, DEC, "Time of the recording's clock.", PD_UNIT(NS), SAMPLE_IF(TIME)),
	PD_ROW(sample_id, id, U64, EVENT_ID, "Id of the event.", SAMPLE_IF(ID)),
	PD_ROW(sample_id, stream_id, U64, DEC, "Id of the event's instance.", SAMPLE_IF(STREAM_ID)),
	PD_ROW(sample_id, cpu, U32, DEC, "CPU.", SAMPLE_IF(CPU)),
	PD_PAD(4, SAMPLE_IF(CPU)),
	PD_ROW(sample_id, identifier, U64, EVENT_ID, "Id of the event.", SAMPLE_IF(IDENTIFIER)),
};
const struct perfdata_layout pd_sample_id_layout = {
	.name = "sample_id", .doc = "The trailer of kernel records other than SAMPLE (attr flag sample_id_all).",
	.view_size = sizeof(struct perfdata_sample_id), PD_FIELDS(sample_id_fields),
};
const struct perfdata_layout *pd_trailer_layout(void) { return &pd_sample_id_layout; }
