/* SPDX-License-Identifier: MIT */
/* What the files that merge recordings share.
 *
 *   merge.c            the inputs, their records in the order of time
 *   merge_check.c      whether they are of one host and one clock
 *   merge_device.c     what recordings of simpleperf hold, as one
 *   merge_sections.c   their feature sections as one
 */
#ifndef PD_MERGE_H
#define PD_MERGE_H

#include "base/hash.h"
#include "rewrite/rewriter.h"
#include "write/writing.h"

/* Where the kernel was, by the first record of its map. */
struct pd_merge_kernel {
	bool is_known;
	uint64_t addr;
	uint8_t build_id[20];
	size_t build_id_size;            /* 0: unknown */
};

struct pd_merge_input {
	struct perfdata_reader *known;   /* read to its end: has all events and sections */
	struct perfdata_reader *reader;  /* gives the records once more */
	struct pd_choice choice;
	size_t first_event;              /* number of its first event in the output */
	bool shares_events;              /* with an earlier input */
	struct pd_hash_map ids;          /* recorded → of the output */
	struct pd_merge_kernel kernel;
	uint64_t first_time;             /* of its records; UINT64_MAX if none has one */
	const struct perfdata_raw *next; /* until advance() */
	uint64_t at;                     /* the time at which `next` is due */
	bool is_due;
};

struct pd_merge_event {
	struct perfdata_attr attr;
	uint32_t attr_size;              /* of the attr as written; 0: as recorded */
	const char *name;
	uint64_t *ids;
	size_t nr_ids, ids_room;
	struct perfdata_config config;   /* of the output */
};

#define PD_MERGE_MAPS 3u             /* THREAD_MAP, CPU_MAP, STAT_CONFIG */

/* Sections of simpleperf, made of those of all inputs in their byte order; empty ones are left out. */
struct pd_merge_device {
	struct perfdata_text file, file2, facts;
};

struct pd_merge {
	struct pd_merge_input *inputs;
	size_t nr_inputs, inputs_room;
	struct pd_merge_input *current;  /* whose record is copied */
	struct pd_merge_event *events;   /* of the output */
	size_t nr_events, events_room;
	struct pd_hash_map owners;       /* id of the output → event */
	uint64_t nr_new_ids;
	size_t since_round;              /* records with a time since the last round */
	uint64_t left_out[2];            /* bit n: records of type n were left out, and a note said so */
	struct pd_merge_device device;
	struct pd_intern *kernel_maps;   /* kernel maps that were written */
	struct perfdata_bytes maps[PD_MERGE_MAPS];   /* the first record of each of these types */
	uint8_t list[PD_RECORD_ROOM];              /* the list of a record with new ids */
};

/* The text of a feature section. NULL: the recording does not have it, or has what the writer puts for it. */
const char *pd_merge_text(const struct pd_merge_input *input, uint32_t id);
static inline const char *pd_merge_name(const struct pd_merge_input *input)
{
	return perfdata_reader_header(input->known)->name;
}

/* --- merge_check.c --- */
void pd_merge_note_kernel(struct pd_merge_kernel *kernel, const struct perfdata_reader *reader,
			  const struct perfdata_raw *raw);
/* PERFDATA_EUNSUP with the reason if the inputs cannot be one recording. */
enum perfdata_status pd_merge_check(struct perfdata_rewriter *rewriter);

/* --- merge_device.c --- */
/* Makes the sections. PERFDATA_EUNSUP with the reason where the inputs name a path or weigh samples differently. */
enum perfdata_status pd_merge_join_device(struct perfdata_rewriter *rewriter);
void pd_merge_device_release(struct pd_merge_device *device);

#endif
