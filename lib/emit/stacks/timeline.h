/* SPDX-License-Identifier: MIT */
/* Samples and what else happened, in time: for viewers that show threads on a timeline. */
#ifndef PD_TIMELINE_H
#define PD_TIMELINE_H

#include "emit/stacks/stack_gather.h"

enum timeline_kind { TIMELINE_SAMPLE, TIMELINE_MARKER };

struct timeline_row {
	uint64_t time;               /* ns as recorded */
	uint64_t weight;             /* of a sample: its period */
	uint32_t thread;             /* pd_timeline_thread */
	uint32_t event;              /* of a sample, or of a marker that is a sample, too; else PERFDATA_NONE */
	uint32_t node;               /* of the profile */
	uint32_t cpu;                /* UINT32_MAX: unknown */
	uint32_t name;               /* of a marker: pd_timeline_string */
	uint32_t text;
	uint32_t kind;               /* enum timeline_kind */
	uint32_t number;             /* in the order of the recording */
};

struct timeline_thread {
	int32_t pid, tid;
	uint32_t comm;               /* perfdata_session_comm of its last row, or PERFDATA_NONE */
	uint32_t generation;         /* 0 for the first thread with this pid and tid */
	uint64_t first, last;
};

struct timeline;
/* The account may be NULL. NULL without memory. */
struct timeline *pd_timeline_new(const struct perfdata_reader *reader, const struct perfdata_session *session,
				 struct pd_account *account);
void pd_timeline_free(struct timeline *timeline);

/* Collects the rows of one batch. Any thread. NULL without memory. */
void *pd_timeline_collect(const struct timeline *timeline, const struct perfdata_batch *batch);
void pd_timeline_part_free(void *part);
/* Adds a part, in the order of batches, and takes it over. */
enum perfdata_status pd_timeline_add(struct timeline *timeline, void *part);
/* Sorts the rows by thread, event (those of the first sampling event first), and time. */
void pd_timeline_sort(struct timeline *timeline);
/* Whether samples of the event are drawn as stacks: the event samples, or no event does and this one is the first. */
bool pd_timeline_samples(const struct timeline *timeline, uint32_t event);

size_t pd_timeline_nr(const struct timeline *timeline);
const struct timeline_row *pd_timeline_rows(const struct timeline *timeline);
size_t pd_timeline_nr_threads(const struct timeline *timeline);
const struct timeline_thread *pd_timeline_thread(const struct timeline *timeline, uint32_t thread);
uint32_t pd_timeline_nr_strings(const struct timeline *timeline);
const char *pd_timeline_string(const struct timeline *timeline, uint32_t string);

#endif
