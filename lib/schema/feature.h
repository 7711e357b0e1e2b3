/* SPDX-License-Identifier: MIT */
/* Feature sections, for other folders of the library; programs include perfdata/feature.h. */
#ifndef PD_ROOM_FEATURE_H
#define PD_ROOM_FEATURE_H

#include "perfdata/feature.h"
#include "schema/schema.h"

/* The writer's HOSTNAME in files of an unknown host. Some readers infer from this section's bit how features are
 * numbered: perf in files of the other byte order, perfparser in all. */
#define PD_HOSTNAME_UNKNOWN "unknown"

/* How a merge makes a section from those of its inputs. */
enum pd_joining {
	PD_JOIN_EQUAL,                 /* copied if all inputs that have the section agree */
	PD_JOIN_FIRST,                 /* copied from the first input that has it */
	PD_JOIN_LISTS,                 /* contains the entries of all inputs */
	PD_JOIN_DEVICE,   /* joined by merge_device.c into the section that simpleperf would have written */
	PD_JOIN_ANEW,                  /* made by the merge or by the writer */
};
enum pd_section_flag {
	PD_SECTION_IS_META = 1,   /* facts about host, time and recorder, which the reader's option no_meta hides */
	PD_SECTION_HAS_NO_RECORD = 2,  /* streams have it in another form, or not at all */
};
/* The description of a section. Three files have further rows about sections: header_text.c (how perf prints them),
 * anonymize_rows.c (what anonymizing keeps) and mend.c (when perf refuses them). */
struct pd_section_row {
	struct perfdata_layout layout;
	enum pd_joining joining;
	unsigned flags;
};
/* Returns NULL for an unknown id. */
const struct pd_section_row *pd_section_row(uint32_t id);

struct pd_account;
/* Decodes the section `id`. nr_cpus_avail: from NRCPUS, 0 if unknown (CPU_TOPOLOGY needs it). An empty section gives an
 * empty tree: some recorders write empty sections, and an empty one ends the features of a stream. An unknown id gives
 * a tree with the section's bytes as `bytes`. Bytes after the last field become `rest`. PERFDATA_OK: *ret is set.
 * PERFDATA_DAMAGED: *ret is the tree before the damage, and reterr (may be NULL) has its offset in the section.
 * PERFDATA_ENOMEM: also if the account is exhausted. The account (NULL: none) is charged for the tree while it
 * exists. */
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
 * BPF_PROG_INFO; part: index of a prog_tag; false if there are fewer. btf: the section BPF_BTF, which has the names of
 * functions, or NULL. */
bool pd_bpf_part_name(const struct perfdata_node *prog, uint64_t part,
					 const struct perfdata_feature *btf, struct perfdata_text *text);

/* The source lines of a BPF program. */
struct pd_bpf_lines {
	struct perfdata_bytes btf;            /* contains the texts */
	const uint8_t *entries, *addresses;   /* line_info and jited_line_info: an entry for each line */
	size_t entry_size, address_size;
	uint64_t nr;
	bool swap;
};
struct pd_bpf_line {
	const char *file, *text;              /* valid as long as the BTF; text: the line in the file, may be empty */
	uint32_t line;
};
/* Finds the lines of a program; false: the recording has none. */
bool pd_bpf_lines_of(const struct perfdata_node *prog, const struct perfdata_feature *btf, struct pd_bpf_lines *ret);
/* Returns the address of the code of line number `index`. */
uint64_t pd_bpf_line_address(const struct pd_bpf_lines *lines, uint64_t index);
/* Reads line number `index`; false: the BTF lacks the name of its file. */
bool pd_bpf_line_at(const struct pd_bpf_lines *lines, uint64_t index, struct pd_bpf_line *ret);

#endif
