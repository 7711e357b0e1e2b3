/* SPDX-License-Identifier: MIT */
/* Feature sections, for the rooms of the library; programs have perfdata/feature.h. */
#ifndef PD_ROOM_FEATURE_H
#define PD_ROOM_FEATURE_H

#include "perfdata/feature.h"

/* Decodes the section `id`. nr_cpus_avail: from NRCPUS, 0 if unknown (CPU_TOPOLOGY needs it). A section without content
 * gives an empty tree: some recorders write such, and streams end their features with one. An unknown id gives a tree
 * with its bytes as `bytes`. Bytes behind the last field are given as `rest`. *ret is set on PERFDATA_OK and on
 * PERFDATA_DAMAGED (the tree ends before the damage; reterr says where, as an offset inside the section). reterr may be
 * NULL. */
enum perfdata_status pd_feature_decode(uint32_t id, const void *bytes, size_t size,
							  enum perfdata_byte_order order, uint32_t nr_cpus_avail,
							  struct perfdata_feature **ret, struct perfdata_error *reterr);
void pd_feature_free(struct perfdata_feature *feature);
uint32_t pd_feature_id(const struct perfdata_feature *feature);

/* The section's bytes, valid as long as the feature. */
struct perfdata_bytes pd_feature_bytes(const struct perfdata_feature *feature);

/* Appends the symbol of a part of a BPF program, such as "bpf_prog_9886dc654b418c90_main". prog: an element of
 * BPF_PROG_INFO; part: from 0, below the number of its prog_tags, else false. btf: the section BPF_BTF, which holds the
 * names of functions, or NULL. */
bool pd_bpf_part_name(const struct perfdata_node *prog, uint64_t part,
					 const struct perfdata_feature *btf, struct perfdata_text *text);

#endif
