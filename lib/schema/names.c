/* SPDX-License-Identifier: MIT */
/* Names of numbers: enumerations, flags and bit-fields of the ABI; see include/uapi/linux/perf_event.h. */
#include "config.h"
#include "schema/layout.h"
#include "schema/schema.h"

#define END { 0, NULL }
#define BITS_END { NULL, 0, 0, false, NULL }
#define SAMPLE_BIT(name) { PERFDATA_SAMPLE_##name, #name }

const struct perfdata_name pd_names_none[] = { END };

const struct perfdata_name pd_names_attr_type[] = { { 0, "HARDWARE" },
						    { 1, "SOFTWARE" },
						    { 2, "TRACEPOINT" },
						    { 3, "HW_CACHE" },
						    { 4, "RAW" },
						    { 5, "BREAKPOINT" },
						    END };
const struct perfdata_name pd_names_sample_type[] = { SAMPLE_BIT(IP),
						      SAMPLE_BIT(TID),
						      SAMPLE_BIT(TIME),
						      SAMPLE_BIT(ADDR),
						      SAMPLE_BIT(READ),
						      SAMPLE_BIT(CALLCHAIN),
						      SAMPLE_BIT(ID),
						      SAMPLE_BIT(CPU),
						      SAMPLE_BIT(PERIOD),
						      SAMPLE_BIT(STREAM_ID),
						      SAMPLE_BIT(RAW),
						      SAMPLE_BIT(BRANCH_STACK),
						      SAMPLE_BIT(REGS_USER),
						      SAMPLE_BIT(STACK_USER),
						      SAMPLE_BIT(WEIGHT),
						      SAMPLE_BIT(DATA_SRC),
						      SAMPLE_BIT(IDENTIFIER),
						      SAMPLE_BIT(TRANSACTION),
						      SAMPLE_BIT(REGS_INTR),
						      SAMPLE_BIT(PHYS_ADDR),
						      SAMPLE_BIT(AUX),
						      SAMPLE_BIT(CGROUP),
						      SAMPLE_BIT(DATA_PAGE_SIZE),
						      SAMPLE_BIT(CODE_PAGE_SIZE),
						      SAMPLE_BIT(WEIGHT_STRUCT),
						      END };
const struct perfdata_name pd_names_read_format[] = { { PERFDATA_READ_FORMAT_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
						      { PERFDATA_READ_FORMAT_TIME_RUNNING, "TOTAL_TIME_RUNNING" },
						      { PERFDATA_READ_FORMAT_ID, "ID" },
						      { PERFDATA_READ_FORMAT_GROUP, "GROUP" },
						      { PERFDATA_READ_FORMAT_LOST, "LOST" },
						      END };
const struct perfdata_name pd_names_branch_sample_type[] = {
	{ 1 << 0, "USER" },       { 1 << 1, "KERNEL" },     { 1 << 2, "HV" },
	{ 1 << 3, "ANY" },        { 1 << 4, "ANY_CALL" },   { 1 << 5, "ANY_RETURN" },
	{ 1 << 6, "IND_CALL" },   { 1 << 7, "ABORT_TX" },   { 1 << 8, "IN_TX" },
	{ 1 << 9, "NO_TX" },      { 1 << 10, "COND" },      { 1 << 11, "CALL_STACK" },
	{ 1 << 12, "IND_JUMP" },  { 1 << 13, "CALL" },      { 1 << 14, "NO_FLAGS" },
	{ 1 << 15, "NO_CYCLES" }, { 1 << 16, "TYPE_SAVE" }, { 1 << 17, "HW_INDEX" },
	{ 1 << 18, "PRIV_SAVE" }, { 1 << 19, "COUNTERS" },  END
};
const struct perfdata_name pd_names_bp_type[] = { { 1, "R" }, { 2, "W" }, { 4, "X" }, END };
const struct perfdata_name pd_names_aux_action[] = {
	{ 1, "aux_start_paused" }, { 2, "aux_pause" }, { 4, "aux_resume" }, END
};
const struct perfdata_name pd_names_prot[] = { { 1, "READ" }, { 2, "WRITE" }, { 4, "EXEC" }, END };
const struct perfdata_name pd_names_map_flags[] = {
	{ 0x1, "SHARED" }, { 0x2, "PRIVATE" }, { 0x10, "FIXED" }, { 0x20, "ANONYMOUS" }, { 0x100, "GROWSDOWN" },
	{ 0x800, "DENYWRITE" }, { 0x1000, "EXECUTABLE" }, { 0x2000, "LOCKED" }, { 0x4000, "NORESERVE" },
	{ 0x8000, "POPULATE" }, { 0x10000, "NONBLOCK" }, { 0x20000, "STACK" }, { 0x40000, "HUGETLB" }, END
};
const struct perfdata_name pd_names_aux_flags[] = { { 0x1, "TRUNCATED" },       { 0x2, "OVERWRITE" },
						    { 0x4, "PARTIAL" },         { 0x8, "COLLISION" },
						    { 0x100, "CORESIGHT_RAW" }, END };
const struct perfdata_name pd_names_ksymbol_type[] = { { 0, "UNKNOWN" }, { 1, "BPF" }, { 2, "OOL" }, END };
const struct perfdata_name pd_names_ksymbol_flags[] = { { 1, "UNREGISTER" }, END };
const struct perfdata_name pd_names_bpf_event_type[] = {
	{ 0, "UNKNOWN" }, { 1, "PROG_LOAD" }, { 2, "PROG_UNLOAD" }, END
};
const struct perfdata_name pd_names_auxtrace_type[] = { { 0, "UNKNOWN" },  { 1, "INTEL_PT" }, { 2, "INTEL_BTS" },
							{ 3, "CS_ETM" },   { 4, "ARM_SPE" },  { 5, "S390_CPUMSF" },
							{ 6, "HISI_PTT" }, { 7, "VPA_DTL" },  END };
const struct perfdata_name pd_names_auxtrace_error_type[] = { { 1, "ITRACE" }, END };
const struct perfdata_name pd_names_stat_config_tag[] = {
	{ 0, "AGGR_MODE" }, { 1, "INTERVAL" }, { 2, "SCALE" }, { 3, "AGGR_LEVEL" }, END
};
const struct perfdata_name pd_names_stat_round_type[] = { { 0, "INTERVAL" }, { 1, "FINAL" }, END };
const struct perfdata_name pd_names_event_update_type[] = {
	{ 0, "UNIT" }, { 1, "SCALE" }, { 2, "NAME" }, { 3, "CPUS" }, END
};
const struct perfdata_name pd_names_regs_abi[] = { { 0, "NONE" }, { 1, "32" }, { 2, "64" }, END };

const struct perfdata_bits pd_bits_attr_flags[] = { { "disabled", 0, 1, false, NULL },
						    { "inherit", 1, 1, false, NULL },
						    { "pinned", 2, 1, false, NULL },
						    { "exclusive", 3, 1, false, NULL },
						    { "exclude_user", 4, 1, false, NULL },
						    { "exclude_kernel", 5, 1, false, NULL },
						    { "exclude_hv", 6, 1, false, NULL },
						    { "exclude_idle", 7, 1, false, NULL },
						    { "mmap", 8, 1, false, NULL },
						    { "comm", 9, 1, false, NULL },
						    { "freq", 10, 1, false, NULL },
						    { "inherit_stat", 11, 1, false, NULL },
						    { "enable_on_exec", 12, 1, false, NULL },
						    { "task", 13, 1, false, NULL },
						    { "watermark", 14, 1, false, NULL },
						    { "precise_ip", 15, 2, false, NULL },
						    { "mmap_data", 17, 1, false, NULL },
						    { "sample_id_all", 18, 1, false, NULL },
						    { "exclude_host", 19, 1, false, NULL },
						    { "exclude_guest", 20, 1, false, NULL },
						    { "exclude_callchain_kernel", 21, 1, false, NULL },
						    { "exclude_callchain_user", 22, 1, false, NULL },
						    { "mmap2", 23, 1, false, NULL },
						    { "comm_exec", 24, 1, false, NULL },
						    { "use_clockid", 25, 1, false, NULL },
						    { "context_switch", 26, 1, false, NULL },
						    { "write_backward", 27, 1, false, NULL },
						    { "namespaces", 28, 1, false, NULL },
						    { "ksymbol", 29, 1, false, NULL },
						    { "bpf_event", 30, 1, false, NULL },
						    { "aux_output", 31, 1, false, NULL },
						    { "cgroup", 32, 1, false, NULL },
						    { "text_poke", 33, 1, false, NULL },
						    { "build_id", 34, 1, false, NULL },
						    { "inherit_thread", 35, 1, false, NULL },
						    { "remove_on_exec", 36, 1, false, NULL },
						    { "sigtrap", 37, 1, false, NULL },
						    { "defer_callchain", 38, 1, false, NULL },
						    { "defer_output", 39, 1, false, NULL },
						    { "reserved", 40, 24, false, NULL },
						    BITS_END };

static const struct perfdata_name branch_types[] = {
	{ 0, "UNKNOWN" }, { 1, "COND" }, { 2, "UNCOND" }, { 3, "IND" }, { 4, "CALL" }, { 5, "IND_CALL" }, { 6, "RET" },
	{ 7, "SYSCALL" }, { 8, "SYSRET" }, { 9, "COND_CALL" }, { 10, "COND_RET" }, { 11, "ERET" }, { 12, "IRQ" },
	{ 13, "SERROR" }, { 14, "NO_TX" }, { 15, "EXTEND_ABI" }, END
};
static const struct perfdata_name branch_spec[] = {
	{ 0, "NA" }, { 1, "SPEC_WRONG_PATH" }, { 2, "NON_SPEC_CORRECT_PATH" }, { 3, "SPEC_CORRECT_PATH" }, END
};
static const struct perfdata_name branch_new_types[] = { { 0, "FAULT_ALGN" }, { 1, "FAULT_DATA" }, { 2, "FAULT_INST" },
							 { 3, "ARCH_1" },     { 4, "ARCH_2" },     { 5, "ARCH_3" },
							 { 6, "ARCH_4" },     { 7, "ARCH_5" },     END };
static const struct perfdata_name branch_priv[] = {
	{ 0, "UNKNOWN" }, { 1, "USER" }, { 2, "KERNEL" }, { 3, "HV" }, END
};
const struct perfdata_bits pd_bits_branch[] = {
	{ "mispred", 0, 1, false, NULL }, { "predicted", 1, 1, false, NULL }, { "in_tx", 2, 1, false, NULL },
	{ "abort", 3, 1, false, NULL }, { "cycles", 4, 16, false, NULL }, { "type", 20, 4, false, branch_types },
	{ "spec", 24, 2, false, branch_spec }, { "new_type", 26, 4, false, branch_new_types },
	{ "priv", 30, 3, false, branch_priv }, { "reserved", 33, 31, false, NULL }, BITS_END
};

static const struct perfdata_name mem_op[] = {
	{ 1, "NA" }, { 2, "LOAD" }, { 4, "STORE" }, { 8, "PFETCH" }, { 16, "EXEC" }, END
};
static const struct perfdata_name mem_lvl[] = {
	{ 0x1, "NA" }, { 0x2, "HIT" }, { 0x4, "MISS" }, { 0x8, "L1" }, { 0x10, "LFB" }, { 0x20, "L2" }, { 0x40, "L3" },
	{ 0x80, "LOC_RAM" }, { 0x100, "REM_RAM1" }, { 0x200, "REM_RAM2" }, { 0x400, "REM_CCE1" }, { 0x800, "REM_CCE2" },
	{ 0x1000, "IO" }, { 0x2000, "UNC" }, END
};
static const struct perfdata_name mem_snoop[] = {
	{ 1, "NA" }, { 2, "NONE" }, { 4, "HIT" }, { 8, "MISS" }, { 16, "HITM" }, END
};
static const struct perfdata_name mem_lock[] = { { 1, "NA" }, { 2, "LOCKED" }, END };
static const struct perfdata_name mem_dtlb[] = {
	{ 1, "NA" }, { 2, "HIT" }, { 4, "MISS" }, { 8, "L1" }, { 16, "L2" }, { 32, "WK" }, { 64, "OS" }, END
};
static const struct perfdata_name mem_lvl_num[] = {
	{ 1, "L1" }, { 2, "L2" }, { 3, "L3" }, { 4, "L4" }, { 5, "L2_MHB" }, { 6, "MSC" }, { 7, "L0" }, { 8, "UNC" },
	{ 9, "CXL" }, { 10, "IO" }, { 11, "ANY_CACHE" }, { 12, "LFB" }, { 13, "RAM" }, { 14, "PMEM" }, { 15, "NA" }, END
};
static const struct perfdata_name mem_snoopx[] = { { 1, "FWD" }, { 2, "PEER" }, END };
static const struct perfdata_name mem_blk[] = { { 1, "NA" }, { 2, "DATA" }, { 4, "ADDR" }, END };
static const struct perfdata_name mem_hops[] = {
	{ 1, "HOPS_0" }, { 2, "HOPS_1" }, { 3, "HOPS_2" }, { 4, "HOPS_3" }, END
};
static const struct perfdata_name mem_region[] = { { 0, "NA" },
						   { 1, "RSVD" },
						   { 2, "L_SHARE" },
						   { 3, "L_NON_SHARE" },
						   { 4, "O_IO" },
						   { 5, "O_SHARE" },
						   { 6, "O_NON_SHARE" },
						   { 7, "MMIO" },
						   { 8, "MEM0" },
						   { 9, "MEM1" },
						   { 10, "MEM2" },
						   { 11, "MEM3" },
						   { 12, "MEM4" },
						   { 13, "MEM5" },
						   { 14, "MEM6" },
						   { 15, "MEM7" },
						   END };
const struct perfdata_bits pd_bits_data_src[] = { { "op", 0, 5, true, mem_op },
						  { "lvl", 5, 14, true, mem_lvl },
						  { "snoop", 19, 5, true, mem_snoop },
						  { "lock", 24, 2, true, mem_lock },
						  { "dtlb", 26, 7, true, mem_dtlb },
						  { "lvl_num", 33, 4, false, mem_lvl_num },
						  { "remote", 37, 1, false, NULL },
						  { "snoopx", 38, 2, true, mem_snoopx },
						  { "blk", 40, 3, true, mem_blk },
						  { "hops", 43, 3, false, mem_hops },
						  { "region", 46, 5, false, mem_region },
						  { "reserved", 51, 13, false, NULL },
						  BITS_END };
const struct perfdata_bits pd_bits_transaction[] = {
	{ "elision", 0, 1, false, NULL }, { "transaction", 1, 1, false, NULL }, { "sync", 2, 1, false, NULL },
	{ "async", 3, 1, false, NULL }, { "retry", 4, 1, false, NULL }, { "conflict", 5, 1, false, NULL },
	{ "capacity_write", 6, 1, false, NULL }, { "capacity_read", 7, 1, false, NULL },
	{ "reserved", 8, 24, false, NULL }, { "abort_code", 32, 32, false, NULL }, BITS_END
};

/* --- misc ------------------------------------------------------------------------------------------------------- */

const struct perfdata_name pd_names_cpumode[] = { { PERFDATA_CPUMODE_UNKNOWN, "UNKNOWN" },
						  { PERFDATA_CPUMODE_KERNEL, "KERNEL" },
						  { PERFDATA_CPUMODE_USER, "USER" },
						  { PERFDATA_CPUMODE_HYPERVISOR, "HYPERVISOR" },
						  { PERFDATA_CPUMODE_GUEST_KERNEL, "GUEST_KERNEL" },
						  { PERFDATA_CPUMODE_GUEST_USER, "GUEST_USER" },
						  END };

const struct perfdata_bits *pd_misc_bits(uint32_t type)
{
	static const struct perfdata_bits any[] = { PD_MISC_CPUMODE, BITS_END };
	const struct perfdata_layout *layout = perfdata_record_layout(type);

	return layout && layout->misc ? layout->misc : any;
}

const struct perfdata_name pd_names_simpleperf_dso_type[] = { { 0, "kernel" }, { 1, "kernel_module" },
							      { 2, "elf" },    { 3, "dex" },
							      { 4, "symbol_map" }, { 5, "unknown" }, END };
const struct perfdata_name pd_names_simpleperf_chain_type[] = {
	{ 0, "ORIGINAL_OFFLINE" }, { 1, "ORIGINAL_REMOTE" }, { 2, "JOINED_OFFLINE" }, { 3, "JOINED_REMOTE" }, END
};
const struct perfdata_name pd_names_simpleperf_unwind_error[] = {
	{ 0, "NONE" },       { 1, "MEMORY_INVALID" },       { 2, "UNWIND_INFO" },    { 3, "UNSUPPORTED" },
	{ 4, "INVALID_MAP" }, { 5, "MAX_FRAMES_EXCEEDED" }, { 6, "REPEATED_FRAME" }, { 7, "INVALID_ELF" }, END
};

/* --- look-ups --------------------------------------------------------------------------------------------------- */

const struct perfdata_name *pd_sample_type_names(void) { return pd_names_sample_type; }

const char *perfdata_name_of(const struct perfdata_name *names, uint64_t value)
{
	for (; names && names->name; names++)
		if (names->value == value)
			return names->name;
	return NULL;
}

const char *pd_callchain_marker_name(uint64_t entry)
{
	static const struct perfdata_name contexts[] = {
		{ PERFDATA_CONTEXT_HV, "PERF_CONTEXT_HV" },
		{ PERFDATA_CONTEXT_KERNEL, "PERF_CONTEXT_KERNEL" },
		{ PERFDATA_CONTEXT_USER, "PERF_CONTEXT_USER" },
		{ PERFDATA_CONTEXT_USER_DEFERRED, "PERF_CONTEXT_USER_DEFERRED" },
		{ PERFDATA_CONTEXT_GUEST, "PERF_CONTEXT_GUEST" },
		{ PERFDATA_CONTEXT_GUEST_KERNEL, "PERF_CONTEXT_GUEST_KERNEL" },
		{ PERFDATA_CONTEXT_GUEST_USER, "PERF_CONTEXT_GUEST_USER" },
		END
	};
	return entry >= PERFDATA_CONTEXT_MAX ? perfdata_name_of(contexts, entry) : NULL;
}

/* 0 is no record type */
static const struct perfdata_layout *layout_in(const struct pd_record_table *table, uint32_t type)
{
	return type >= table->first && type - table->first < table->nr ? table->layouts[type - table->first] : NULL;
}

const struct perfdata_layout *perfdata_record_layout(uint32_t type)
{
	return layout_in(type < PERFDATA_RECORD_USER_FIRST         ? &pd_kernel_records
			 : type < PERFDATA_RECORD_SIMPLEPERF_FIRST ? &pd_user_records
								   : &pd_simpleperf_records,
			 type);
}

const struct perfdata_layout *perfdata_record_layout_at(size_t index)
{
	const struct pd_record_table *const tables[] = { &pd_kernel_records, &pd_user_records,
							 &pd_simpleperf_records };

	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (uint32_t i = 0; i < tables[t]->nr; i++)
			if (tables[t]->layouts[i] && !index--)
				return tables[t]->layouts[i];
	return pd_schedstat_older(index);
}

uint64_t perfdata_layout_bits(const struct perfdata_layout *layout, size_t member)
{
	uint64_t bits = 0;
	for (uint32_t i = 0; layout && i < layout->nr_fields; i++)
		if (layout->fields[i].member == member && layout->fields[i].kind != PERFDATA_KIND_PAD)
			bits |= UINT64_C(1) << i;
	return bits;
}
