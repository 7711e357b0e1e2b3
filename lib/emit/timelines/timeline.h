/* SPDX-License-Identifier: MIT */
/* Samples and what else happened, in time: for viewers that show threads on a timeline. */
#ifndef PD_TIMELINE_H
#define PD_TIMELINE_H

#include "emit/stacks/stack_gather.h"

/* Rows grow with samples: where memory is short they go to a temporary file. */
struct timeline_row {
	uint64_t time;               /* ns as recorded */
	uint64_t weight;             /* of a sample: its period; of a marker: how long it lasts, or 0 */
	uint32_t event;              /* of a sample, or of a marker that is a sample, too; else PERFDATA_NONE */
	uint32_t node;               /* of the profile */
	uint32_t name;               /* of a marker: pd_timeline_string; else PERFDATA_NONE */
	uint32_t text;               /* of a marker: pd_timeline_string */
};

struct timeline_thread {
	int32_t pid, tid;
	uint32_t comm;               /* perfdata_session_comm of its last row, or PERFDATA_NONE */
	uint32_t generation;         /* 0 for the first thread with this pid and tid */
	uint64_t first, last;
	uint32_t nr_rows;
};

struct timeline;
/* The account may be NULL, and so may `cancel`, which makes sorting and reading of sorted rows fail. NULL without
 * memory. */
struct timeline *pd_timeline_new(const struct perfdata_reader *reader, const struct perfdata_session *session,
				 struct pd_account *account, const struct perfdata_cancel *cancel);
void pd_timeline_free(struct timeline *timeline);

/* Collects the rows of one batch. Any thread. NULL without memory. */
void *pd_timeline_collect(const struct timeline *timeline, const struct perfdata_batch *batch);
void pd_timeline_part_free(void *part);
/* Adds a part, in the order of batches, and takes it over. */
enum perfdata_status pd_timeline_add(struct timeline *timeline, void *part);
/* Sorts the rows by thread, time, and the order of the recording; call it after the last pd_timeline_add. */
enum perfdata_status pd_timeline_sort(struct timeline *timeline);
/* Turns samples that the profile excludes into rows that are neither samples nor markers. Call it after
 * pd_timeline_sort. */
enum perfdata_status pd_timeline_leave_out(struct timeline *timeline, const struct pd_profile *profile);
/* Whether samples of the event are drawn as stacks: the event samples, or no event does and this one is the first. */
bool pd_timeline_samples(const struct timeline *timeline, uint32_t event);

/* A sorted row, valid until the next call: rows of thread 0 come first. If a row cannot be read back from the file, the
 * function returns a row that is neither a sample nor a marker, and pd_timeline_failed returns true. */
const struct timeline_row *pd_timeline_row(struct timeline *timeline, size_t row);
/* PERFDATA_OK, PERFDATA_ENOMEM, PERFDATA_EWRITE, PERFDATA_EREAD, PERFDATA_EINTR. */
enum perfdata_status pd_timeline_failed(const struct timeline *timeline);
size_t pd_timeline_nr_threads(const struct timeline *timeline);
const struct timeline_thread *pd_timeline_thread(const struct timeline *timeline, uint32_t thread);
const char *pd_timeline_string(const struct timeline *timeline, uint32_t string);

#endif
