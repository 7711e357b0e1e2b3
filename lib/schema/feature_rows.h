/* SPDX-License-Identifier: MIT */
/* What the decoder of feature sections needs besides the rows of perfdata_feature_layout(). */
#ifndef PD_FEATURE_ROWS_H
#define PD_FEATURE_ROWS_H

#include "perfdata/feature.h"
#include "schema/feature.h"
#include "schema/layout.h"

/* The layout of BUILD_ID entries without a pid, from old recorders, and the row of the pid that the decoder adds to
 * them. */
extern const struct perfdata_layout pd_build_id_old;
extern const struct perfdata_field *const pd_build_id_pid;

/* An array of a BPF program: offsets in struct bpf_prog_info of the array's offset (u64), of its count (u32) and, if
 * size is 0, of the size of an element (u32). */
struct pd_bpf_array {
	uint16_t pointer_at, count_at, size, size_at;
};
#define PD_NR_BPF_ARRAYS 9
extern const struct pd_bpf_array pd_bpf_arrays[PD_NR_BPF_ARRAYS];

#define PD_COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))
/* A section: number, key, name that its recorder writes, text, fields, how merging makes it, flags. */
#define PD_SECTION(number, key, spelled, text, rows, merged, traits)                                            \
	{                                                                                                       \
		.layout = { .name = key, .perf_name = spelled, .doc = text, .id = number, .fields = rows,       \
			    .nr_fields = PD_COUNT_OF(rows) },                                                   \
		.joining = PD_JOIN_##merged, .flags = traits                                                    \
	}
#define PD_PART(key, text, rows) { .name = key, .doc = text, .fields = rows, .nr_fields = PD_COUNT_OF(rows) }
/* A row of a protocol buffer message, with its field number. All rows of a message use this macro. */
#define PD_MESSAGE_FIELD(number) .count_field = PERFDATA_COUNT_MESSAGE, .count = number

/* Sections of simpleperf, from PERFDATA_FEATURE_FILE on. */
extern const struct pd_section_row pd_simpleperf_sections[];

#endif
