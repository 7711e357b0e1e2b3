/* SPDX-License-Identifier: MIT */
/* What the decoder of feature sections needs beside the rows that perfdata_feature_layout() gives. */
#ifndef PD_FEATURE_ROWS_H
#define PD_FEATURE_ROWS_H

#include "perfdata/feature.h"
#include "schema/feature.h"

/* Entries of BUILD_ID as they were before they had a pid, and the row of the pid that the decoder gives them. */
extern const struct perfdata_layout pd_build_id_old;
extern const struct perfdata_field *const pd_build_id_pid;

/* An array of a BPF program: offsets in struct bpf_prog_info of the array's offset (u64), of its count (u32) and, if
 * size is 0, of the size of an element (u32). */
struct pd_bpf_array {
	uint16_t pointer_at, count_at, size, size_at;
};
#define PD_NR_BPF_ARRAYS 9
extern const struct pd_bpf_array pd_bpf_arrays[PD_NR_BPF_ARRAYS];

#endif
