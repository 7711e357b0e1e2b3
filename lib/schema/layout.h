/* SPDX-License-Identifier: MIT */
/* Row macros for the layout tables, and the tables that several files of this folder share. */
#ifndef PD_LAYOUT_H
#define PD_LAYOUT_H

#include "perfdata/schema.h"
#include "schema/schema.h"

/* A row; further members of it follow the text. */
#define PD_FIELD(name_, kind_, show_, doc_, ...) \
	{ .name = name_, .doc = doc_, .kind = PERFDATA_KIND_##kind_, .show = PERFDATA_SHOW_##show_, ##__VA_ARGS__ }
/* A row for member `mem` of struct perfdata_<view>. */
#define PD_ROW_AS(name_, view, mem, kind_, show_, doc_, ...) \
	PD_FIELD(name_, kind_, show_, doc_, .member = offsetof(struct perfdata_##view, mem), ##__VA_ARGS__)
#define PD_ROW(view, mem, kind_, show_, doc_, ...) PD_ROW_AS(#mem, view, mem, kind_, show_, doc_, ##__VA_ARGS__)
#define PD_PAD(bytes, ...) \
	{ .name = "pad", .doc = "Without meaning.", .kind = PERFDATA_KIND_PAD, .count_field = PERFDATA_COUNT_FIXED, \
	  .count = bytes, ##__VA_ARGS__ }
/* Zeros up to the end of the record, after a last field that fills no 8 bytes; other bytes stay in `rest`. */
#define PD_PAD_REST \
	{ .name = "pad", .doc = "Without meaning.", .kind = PERFDATA_KIND_PAD, .count_field = PERFDATA_COUNT_REST }

#define PD_WHEN(when_, value) .when = PERFDATA_##when_, .when_value = value
#define PD_WHEN_FIELD(when_, index, value) .when = PERFDATA_##when_, .when_field = index, .when_value = value
#define PD_UNIT(unit_) .unit = PERFDATA_UNIT_##unit_
#define PD_COUNT(index) .count_field = index
#define PD_COUNT_REST .count_field = PERFDATA_COUNT_REST
#define PD_COUNT_FIXED(n) .count_field = PERFDATA_COUNT_FIXED, .count = n
/* The count in front is a u64, or a u32 where `count` is 4. */
#define PD_COUNT_PREFIX .count_field = PERFDATA_COUNT_PREFIX

#define PD_FIELDS(array) .fields = array, .nr_fields = sizeof(array) / sizeof *(array)

/* Layouts of records by their type, from `first` on; numbers without a record have NULL. */
struct pd_record_table {
	const struct perfdata_layout *const *layouts;
	uint32_t first, nr;
};
extern const struct pd_record_table pd_kernel_records, pd_user_records, pd_simpleperf_records;

/* Bits of misc, for the `misc` of a layout. */
extern const struct perfdata_name pd_names_cpumode[];
#define PD_MISC_CPUMODE { "cpumode", 0, 3, false, pd_names_cpumode }
#define PD_MISC_BIT(number, name) { name, number, 1, false, NULL }
#define PD_MISC_END { NULL, 0, 0, false, NULL }
/* A record's own bits of misc, in addition to the cpumode that all records have. */
#define PD_MISC(...) .misc = (const struct perfdata_bits[]){ PD_MISC_CPUMODE, __VA_ARGS__, PD_MISC_END }

enum { PD_SAMPLE_CALLCHAIN_ROW = 12, PD_SAMPLE_RAW_ROW = 13 };   /* indexes in the sample's rows */
extern const struct perfdata_layout pd_sample_layout, pd_sample_id_layout;
extern const struct perfdata_layout pd_read_layout, pd_read_value_layout;
extern const struct perfdata_layout pd_branch_stack_layout, pd_branch_layout;
extern const struct perfdata_layout pd_regs_layout, pd_user_stack_layout, pd_weight_layout;
#define PD_REGS_WITH_MASK 16   /* when_value of registers whose mask is in the record, after the abi */
extern const struct perfdata_layout pd_attr_layout;
/* For attrs of big-endian files, once a name is known: corrects precise_ip where the writer exchanged its two bits. */
void pd_attr_trust_name(struct perfdata_attr *attr, const char *name, size_t size);
extern const struct perfdata_layout pd_schedstat_cpu_layout, pd_schedstat_domain_layout;

/* The layout for a SCHEDSTAT record of this version; for an unknown version, the part that all versions share. */
const struct perfdata_layout *pd_schedstat_layout(uint32_t type, uint16_t version);
/* Layouts of older versions, in ascending order of type: index 0 until NULL. */
const struct perfdata_layout *pd_schedstat_older(size_t index);

extern const struct perfdata_name pd_names_attr_type[], pd_names_sample_type[], pd_names_read_format[];
extern const struct perfdata_name pd_names_branch_sample_type[], pd_names_bp_type[], pd_names_aux_action[];
extern const struct perfdata_name pd_names_prot[], pd_names_map_flags[], pd_names_aux_flags[];
extern const struct perfdata_name pd_names_ksymbol_type[], pd_names_ksymbol_flags[];
extern const struct perfdata_name pd_names_bpf_event_type[], pd_names_none[];
extern const struct perfdata_name pd_names_auxtrace_type[], pd_names_auxtrace_error_type[];
extern const struct perfdata_name pd_names_stat_config_tag[], pd_names_stat_round_type[];
extern const struct perfdata_name pd_names_event_update_type[], pd_names_regs_abi[];
extern const struct perfdata_name pd_names_simpleperf_dso_type[], pd_names_simpleperf_chain_type[];
extern const struct perfdata_name pd_names_simpleperf_unwind_error[];
extern const struct perfdata_bits pd_bits_attr_flags[], pd_bits_branch[], pd_bits_data_src[], pd_bits_transaction[];

#endif
