/* SPDX-License-Identifier: MIT */
/* Feature sections, for the rooms of the library; programs have perfdata/feature.h. */
#ifndef PD_ROOM_FEATURE_H
#define PD_ROOM_FEATURE_H

#include "perfdata/feature.h"
#include "schema/schema.h"

/* What merging makes of a section that several recordings have. */
enum pd_joining {
	PD_JOIN_EQUAL,                 /* stays where all inputs that have the section agree */
	PD_JOIN_FIRST,                 /* of the first input that has it */
	PD_JOIN_LISTS,                 /* entries of all inputs */
	PD_JOIN_DEVICE,                /* made of those of all inputs, as simpleperf would have written it */
	PD_JOIN_ANEW,                  /* written anew, by the merge or by the writer */
};
enum pd_section_flag {
	PD_SECTION_IS_META = 1,        /* facts of host, time and recorder: the reader's option no_meta hides it */
	PD_SECTION_HAS_NO_RECORD = 2,  /* streams have it in another form than a FEATURE record, or not at all */
};
/* All that is known of a section. How perf prints it, what anonymizing keeps of it and when perf refuses it are rows of
 * header_text.c, anonymize_rows.c and mend.c. */
struct pd_section_row {
	struct perfdata_layout layout;
	enum pd_joining joining;
	unsigned flags;
};
/* NULL for an unknown id. */
const struct pd_section_row *pd_section_row(uint32_t id);

struct pd_account;
/* Decodes the section `id`. nr_cpus_avail: from NRCPUS, 0 if unknown (CPU_TOPOLOGY needs it). A section without content
 * gives an empty tree: some recorders write such, and streams end their features with one. An unknown id gives a tree
 * with its bytes as `bytes`. Bytes behind the last field are given as `rest`. *ret is set on PERFDATA_OK and on
 * PERFDATA_DAMAGED (the tree ends before the damage; reterr says where, as an offset inside the section). reterr may be
 * NULL. The tree draws from the account (NULL: from none) as long as the section lives; PERFDATA_ENOMEM: the account is
 * exhausted, too. */
enum perfdata_status pd_feature_decode_within(struct pd_account *account, uint32_t id, const void *bytes, size_t size,
					      enum perfdata_byte_order order, uint32_t nr_cpus_avail,
					      struct perfdata_feature **ret, struct perfdata_error *reterr);
static inline enum perfdata_status pd_feature_decode(uint32_t id, const void *bytes, size_t size,
						     enum perfdata_byte_order order, uint32_t nr_cpus_avail,
						     struct perfdata_feature **ret, struct perfdata_error *reterr)
{
	return pd_feature_decode_within(NULL, id, bytes, size, order, nr_cpus_avail, ret, reterr);
}
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
