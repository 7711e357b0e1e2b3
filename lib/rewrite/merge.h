/* SPDX-License-Identifier: MIT */
/* What the files that merge recordings share.
 *
 *   merge.c            reads the inputs, and copies their records in the order of time
 *   merge_check.c      checks that the inputs are of one host and one clock
 *   merge_device.c     joins the sections of simpleperf
 *   merge_sections.c   joins the other feature sections
 */
#ifndef PD_MERGE_H
#define PD_MERGE_H

#include "base/hash.h"
#include "rewrite/rewriter.h"
#include "write/writing.h"

/* The address and build-id of the kernel, from the first record that maps it. */
struct pd_merge_kernel {
	bool is_known;
	uint64_t addr;
	uint8_t build_id[20];
	size_t build_id_size;            /* 0: unknown */
};

struct pd_merge_input {
	struct perfdata_reader *known;   /* read to its end, so it has all events and sections */
	struct perfdata_reader *reader;  /* reads the records a second time */
	struct pd_choice choice;
	size_t first_event;              /* index of its first event in the output */
	bool shares_events;              /* an earlier input has the same events */
	struct pd_hash_map ids;          /* recorded id → id in the output */
	struct pd_merge_kernel kernel;
	bool restarts;                   /* its counters in samples do not continue those of other inputs */
	struct pd_hash_map last;         /* then: counter → its last value in this input */
	uint64_t first_time;             /* time of its first record, ns; UINT64_MAX if no record has one */
	const struct perfdata_raw *next; /* valid until advance_input() */
	uint64_t at;                     /* place of `next` in the order of time, ns */
	bool is_due;
};

struct pd_merge_event {
	struct perfdata_attr attr;
	uint32_t attr_size;              /* bytes of the attr in the output; 0: as recorded */
	const char *name;
	uint64_t *ids;
	size_t nr_ids, ids_room;
	struct perfdata_config config;   /* layout of the event's records in the output */
};

#define PD_MERGE_MAPS 3u             /* types: THREAD_MAP, CPU_MAP, STAT_CONFIG */

/* simpleperf's sections, joined from all inputs, in the byte order of the inputs. An empty one is left out. */
struct pd_merge_device {
	struct perfdata_text file, file2, facts;
};

#define PD_MERGE_VALUES 8190u       /* counters that fit into a sample */

struct pd_merge {
	struct pd_hash_map last;         /* counter → its last value in inputs that continue each other */
	struct pd_hash_map sums;         /* counter → its last value in the output */
	struct pd_merge_input *inputs;
	size_t nr_inputs, inputs_room;
	struct pd_merge_input *current;  /* the input of the record that is copied */
	struct pd_merge_event *events;   /* events of the output */
	size_t nr_events, events_room;
	struct pd_hash_map owners;       /* id in the output → index in `events` */
	uint64_t nr_new_ids;
	size_t since_round;              /* records with a time since the last round */
	uint64_t left_out[2];            /* bit n: a note said that records of type n are left out */
	struct pd_merge_device device;
	struct pd_intern *kernel_maps;   /* kernel maps that were written */
	struct perfdata_bytes maps[PD_MERGE_MAPS];   /* the first record of each of these types */
	uint8_t list[PD_RECORD_ROOM];              /* the list of a record with new ids */
};

/* Returns the text of a feature section. NULL: no such section, or its value only says that the value is unknown. */
const char *pd_merge_text(const struct pd_merge_input *input, uint32_t id);
static inline const char *pd_merge_name(const struct pd_merge_input *input)
{
	return perfdata_reader_header(input->known)->name;
}

/* --- merge_check.c --- */
void pd_merge_note_kernel(struct pd_merge_kernel *kernel, const struct perfdata_reader *reader,
			  const struct perfdata_raw *raw);
/* Returns PERFDATA_EUNSUP with the reason if the inputs cannot be merged. */
enum perfdata_status pd_merge_check(struct perfdata_rewriter *rewriter);

/* --- merge_device.c --- */
/* Joins the sections. PERFDATA_EUNSUP with the reason: inputs differ about a file or the weight of samples. */
enum perfdata_status pd_merge_join_device(struct perfdata_rewriter *rewriter);
void pd_merge_device_release(struct pd_merge_device *device);

#endif
