/* SPDX-License-Identifier: MIT */
/* Row macros for the layout tables, and the tables that several files of this folder share. */
#ifndef PD_LAYOUT_H
#define PD_LAYOUT_H

#include "perfdata/schema.h"
#include "schema/schema.h"

/* A row. Further members of struct perfdata_field follow the text. */
#define PD_FIELD(name_, kind_, show_, doc_, ...) \
	{ .name = name_, .doc = doc_, .kind = PERFDATA_KIND_##kind_, .show = PERFDATA_SHOW_##show_, ##__VA_ARGS__ }
/* A row for member `mem` of struct perfdata_<view>. */
#define PD_ROW_AS(name_, view, mem, kind_, show_, doc_, ...) \
	PD_FIELD(name_, kind_, show_, doc_, .member = offsetof(struct perfdata_##view, mem), ##__VA_ARGS__)
#define PD_ROW(view, mem, kind_, show_, doc_, ...) PD_ROW_AS(#mem, view, mem, kind_, show_, doc_, ##__VA_ARGS__)
#define PD_PAD(bytes, ...) \
	{ .name = "pad", .doc = "Without meaning.", .kind = PERFDATA_KIND_PAD, .count_field = PERFDATA_COUNT_FIXED, \
	  .count = bytes, ##__VA_ARGS__ }
/* Zeros that fill the record after a last field whose size is no multiple of 8. Other bytes become `rest`. */
#define PD_PAD_REST \
	{ .name = "pad", .doc = "Without meaning.", .kind = PERFDATA_KIND_PAD, .count_field = PERFDATA_COUNT_REST }

#define PD_WHEN(when_, value) .when = PERFDATA_##when_, .when_value = value
#define PD_WHEN_FIELD(when_, index, value) .when = PERFDATA_##when_, .when_field = index, .when_value = value
#define PD_UNIT(unit_) .unit = PERFDATA_UNIT_##unit_
#define PD_COUNT(index) .count_field = index
#define PD_COUNT_REST .count_field = PERFDATA_COUNT_REST
#define PD_COUNT_FIXED(n) .count_field = PERFDATA_COUNT_FIXED, .count = n
/* A count precedes the elements: a u64, or a u32 if `count` is 4. */
#define PD_COUNT_PREFIX .count_field = PERFDATA_COUNT_PREFIX

#define PD_FIELDS(array) .fields = array, .nr_fields = sizeof(array) / sizeof *(array)

/* Layouts of records by their type, from `first` on; NULL: no record has this type. */
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
/* Bits of misc that only this record has, besides the cpumode that all records have. */
#define PD_MISC(...) .misc = (const struct perfdata_bits[]){ PD_MISC_CPUMODE, __VA_ARGS__, PD_MISC_END }

enum { PD_SAMPLE_CALLCHAIN_ROW = 12, PD_SAMPLE_RAW_ROW = 13 };   /* indexes in the sample's rows */
extern const struct perfdata_layout pd_sample_layout, pd_sample_id_layout;
extern const struct perfdata_layout pd_read_layout, pd_read_value_layout;
extern const struct perfdata_layout pd_branch_stack_layout, pd_branch_layout;
extern const struct perfdata_layout pd_regs_layout, pd_user_stack_layout, pd_weight_layout;
#define PD_REGS_WITH_MASK 16   /* when_value of registers whose mask is in the record, after abi */
extern const struct perfdata_layout pd_attr_layout;
/* Corrects precise_ip by the event's name if the recorder of a big-endian file reversed its two bits. */
void pd_attr_trust_name(struct perfdata_attr *attr, const char *name, size_t size);
extern const struct perfdata_layout pd_schedstat_cpu_layout, pd_schedstat_domain_layout;

/* Returns the layout of SCHEDSTAT records of this version. For an unknown version: the fields that all versions
 * have. */
const struct perfdata_layout *pd_schedstat_layout(uint32_t type, uint16_t version);
/* Returns layout number `index` of the older versions, in ascending order of type; NULL after the last. */
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
