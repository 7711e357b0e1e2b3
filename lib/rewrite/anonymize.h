/* SPDX-License-Identifier: MIT */
/* Making a recording anonymous: a decision for each field, and the state that carries them out. */
#ifndef PD_ANONYMIZE_H
#define PD_ANONYMIZE_H

#include "rewrite/moved_maps.h"
#include "rewrite/rewriter.h"

enum pd_decision {
	PD_UNDECIDED,    /* as CLEAR */
	PD_CLEAR,        /* zero or nothing */
	PD_KEEP,
	PD_DROP,         /* with the whole record or section */
	PD_PARTS,        /* its parts have decisions of their own */
	PD_CODE,         /* an address in a file is kept, one of the kernel is moved */
	PD_PID, PD_TIME, PD_ADDRESS, PD_MAP, PD_EVENT_ID, PD_NUMBER,
	PD_COMM, PD_PATH, PD_NAME, PD_EVENT_NAME, PD_BUILD_ID, PD_RELEASE,
	/* kept where perf or the kernel spells it so, else a pseudonym; see public_names.h */
	PD_PMU, PD_UNIT, PD_MACHINE, PD_CAPABILITY, PD_VALUE,
	PD_CONFIG,       /* of an attr: kept where its type says what it means */
};
enum pd_decision pd_decision_of(const struct perfdata_layout *layout, const struct perfdata_field *field);

struct pd_anonymizer {
	struct pd_pseudonyms names;
	struct pd_moved_maps *maps;
	struct pd_hash_map decisions;             /* field → enum pd_decision */
	struct pd_hash_map event_ids;             /* recorded → new */
	struct pd_hash_map event_names;           /* hashes of names that perf and the kernel gave */
	struct pd_arena scratch;             /* of a record */
	uint64_t first_time;                 /* of the recording */
	int32_t pid;                         /* of the record that is edited */
	bool in_kernel;                      /* the record's addresses are the kernel's, as far as is known */
	struct perfdata_anonymize_counts counts;
};

/* The key of the options; zeros ask for a random one. PERFDATA_EREAD: none can be made. */
enum perfdata_status pd_anonymize_key_of(const struct perfdata_anonymize_options *options, uint8_t ret_key[16],
					 struct perfdata_error *reterr);
/* NULL without memory. */
struct pd_anonymizer *pd_anonymizer_new(const struct perfdata_anonymize_options *options, const uint8_t key[16]);
void pd_anonymizer_free(struct pd_anonymizer *anonymizer);
/* Changes the views of a record; PERFDATA_ABSENT: it is dropped. */
enum perfdata_status pd_anonymize_record(struct pd_anonymizer *anonymizer, const struct perfdata_raw *raw,
					 struct perfdata_record *record);
void pd_anonymize_attr(struct pd_anonymizer *anonymizer, struct perfdata_attr *attr);
uint64_t pd_anonymize_event_id(struct pd_anonymizer *anonymizer, uint64_t id);
uint64_t pd_anonymize_time(const struct pd_anonymizer *anonymizer, uint64_t time);
/* Learns which names of the recording's events are kept; to be called before records are copied. */
void pd_anonymize_note_events(struct pd_anonymizer *anonymizer, const struct perfdata_reader *reader);
/* The name of the event in the output; NULL without memory; valid until the next record. */
const char *pd_anonymize_event_name(struct pd_anonymizer *anonymizer, const struct perfdata_event *event);
/* Whether anything of the section stays; and the function of a feature edit that carries out the decisions: its `user`
 * is the anonymizer. */
bool pd_anonymize_keeps_section(uint32_t id);
bool pd_anonymize_value(void *user, const struct perfdata_layout *section, struct perfdata_node *value);
/* anonymize_device.c: sections of simpleperf, and its symbols of the kernel. */
bool pd_anonymize_is_device_section(uint32_t id);
enum perfdata_status pd_anonymize_device_section(struct pd_anonymizer *anonymizer, uint32_t id,
						 const struct perfdata_feature *feature, struct perfdata_text *out);
void pd_anonymize_kernel_symbols(struct pd_anonymizer *anonymizer, struct perfdata_kernel_symbol *symbols);

#endif
