/* SPDX-License-Identifier: MIT */
/* What the decoder of feature sections needs beside the rows that perfdata_feature_layout() gives. */
#ifndef PD_FEATURE_ROWS_H
#define PD_FEATURE_ROWS_H

#include "perfdata/feature.h"
#include "schema/feature.h"
#include "schema/layout.h"

/* Entries of BUILD_ID of old recorders, which had no pid, and the row of the pid that the decoder adds to them. */
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
/* A section: its number, its key, its name as its recorder writes it, its fields, what merging does, its flags. */
#define PD_SECTION(number, key, spelled, text, rows, merged, traits)                                            \
	{                                                                                                       \
		.layout = { .name = key, .perf_name = spelled, .doc = text, .id = number, .fields = rows,       \
			    .nr_fields = PD_COUNT_OF(rows) },                                                   \
		.joining = PD_JOIN_##merged, .flags = traits                                                    \
	}
#define PD_PART(key, text, rows) { .name = key, .doc = text, .fields = rows, .nr_fields = PD_COUNT_OF(rows) }
/* A row of a protocol buffer message: the number of the field there. All rows of the message have one. */
#define PD_MESSAGE_FIELD(number) .count_field = PERFDATA_COUNT_MESSAGE, .count = number

/* Sections of simpleperf, from PERFDATA_FEATURE_FILE on. */
extern const struct pd_section_row pd_simpleperf_sections[];

#endif
