/* SPDX-License-Identifier: MIT */
/* Anonymous recordings: a decision for each field, and the state that carries the decisions out. */
#ifndef PD_ANONYMIZE_H
#define PD_ANONYMIZE_H

#include "rewrite/moved_maps.h"
#include "rewrite/rewriter.h"

enum pd_decision {
	PD_UNDECIDED,    /* treated as PD_CLEAR */
	PD_CLEAR,        /* set to zero or to nothing */
	PD_KEEP,
	PD_DROP,         /* the whole record or section is left out */
	PD_PARTS,        /* each of its parts has a decision */
	PD_CODE,         /* keeps an address in a file, moves an address of the kernel */
	PD_PID, PD_TIME, PD_ADDRESS, PD_MAP, PD_EVENT_ID, PD_NUMBER,
	PD_COMM, PD_PATH, PD_NAME, PD_EVENT_NAME, PD_BUILD_ID, PD_RELEASE,
	/* kept if public_names.h lists the value, else replaced by a pseudonym */
	PD_PMU, PD_UNIT, PD_MACHINE, PD_CAPABILITY, PD_VALUE,
	PD_CONFIG,       /* config of an attr: kept where attr.type alone gives it a meaning */
};
enum pd_decision pd_decision_of(const struct perfdata_layout *layout, const struct perfdata_field *field);

struct pd_anonymizer {
	struct pd_pseudonyms names;
	struct pd_moved_maps *maps;
	struct pd_hash_map decisions;             /* field → enum pd_decision */
	struct pd_hash_map event_ids;             /* recorded event id → new id */
	struct pd_hash_map event_names;           /* hashes of the names that perf or the kernel made */
	struct pd_arena scratch;             /* emptied before each record */
	uint64_t first_time;                 /* time of the recording's first record, ns */
	int32_t pid;                         /* process of the record that is edited */
	bool in_kernel;                      /* the record's addresses are probably the kernel's */
	struct perfdata_anonymize_counts counts;
};

/* Takes the key from the options; makes a random one if it is all zeros. PERFDATA_EREAD: no random bytes. */
enum perfdata_status pd_anonymize_key_of(const struct perfdata_anonymize_options *options, uint8_t ret_key[16],
					 struct perfdata_error *reterr);
/* Returns NULL without memory. */
struct pd_anonymizer *pd_anonymizer_new(const struct perfdata_anonymize_options *options, const uint8_t key[16]);
void pd_anonymizer_free(struct pd_anonymizer *anonymizer);
/* Replaces the contents of a decoded record. PERFDATA_ABSENT: leave the record out. */
enum perfdata_status pd_anonymize_record(struct pd_anonymizer *anonymizer, const struct perfdata_raw *raw,
					 struct perfdata_record *record);
void pd_anonymize_attr(struct pd_anonymizer *anonymizer, struct perfdata_attr *attr);
uint64_t pd_anonymize_event_id(struct pd_anonymizer *anonymizer, uint64_t id);
uint64_t pd_anonymize_time(const struct pd_anonymizer *anonymizer, uint64_t time);
/* Learns which event names are kept. Call this before records are copied. */
void pd_anonymize_note_events(struct pd_anonymizer *anonymizer, const struct perfdata_reader *reader);
/* Returns the name of the event in the output, valid until the next record; NULL without memory. */
const char *pd_anonymize_event_name(struct pd_anonymizer *anonymizer, const struct perfdata_event *event);
/* pd_anonymize_keeps_section: whether any value of the section is kept. pd_anonymize_value is the callback of a feature
 * edit; its `user` is the anonymizer. */
bool pd_anonymize_keeps_section(uint32_t id);
bool pd_anonymize_value(void *user, const struct perfdata_layout *section, struct perfdata_node *value);
/* Functions of anonymize_device.c: sections of simpleperf, and its records of kernel symbols. */
bool pd_anonymize_is_device_section(uint32_t id);
enum perfdata_status pd_anonymize_device_section(struct pd_anonymizer *anonymizer, uint32_t id,
						 const struct perfdata_feature *feature, struct perfdata_text *out);
void pd_anonymize_kernel_symbols(struct pd_anonymizer *anonymizer, struct perfdata_kernel_symbol *symbols);

#endif
