/* SPDX-License-Identifier: MIT */
/* Samples, and markers for other records and spans, in time, for viewers with timelines of threads. */
#ifndef PD_TIMELINE_H
#define PD_TIMELINE_H

#include "emit/stacks/stack_gather.h"

/* Rows grow with the number of samples: if memory is short, they move to a temporary file. */
struct timeline_row {
	uint64_t time;               /* ns as recorded */
	uint64_t weight;             /* of a sample: its period; of a marker: its duration in ns, or 0 */
	uint32_t event;              /* of a sample, or of a marker that is a sample; else PERFDATA_NONE */
	uint32_t node;               /* of the profile */
	uint32_t name;               /* of a marker: pd_timeline_string; else PERFDATA_NONE */
	uint32_t text;               /* of a marker: pd_timeline_string */
};

struct timeline_thread {
	int32_t pid, tid;
	uint32_t comm;               /* perfdata_session_comm of its last row, or PERFDATA_NONE */
	uint32_t generation;         /* number of earlier threads with this pid and tid */
	uint64_t first, last;
	uint32_t nr_rows;
};

struct timeline;
/* account and cancel may be NULL. After cancel, sorting and reading sorted rows fail. NULL without memory. */
struct timeline *pd_timeline_new(const struct perfdata_reader *reader, const struct perfdata_session *session,
				 struct pd_account *account, const struct perfdata_cancel *cancel);
void pd_timeline_free(struct timeline *timeline);

/* Collects the rows of a batch. Any thread. NULL without memory. */
void *pd_timeline_collect(const struct timeline *timeline, const struct perfdata_batch *batch);
void pd_timeline_part_free(void *part);
/* Adds a part, and takes ownership of it; in the order of batches. */
enum perfdata_status pd_timeline_add(struct timeline *timeline, void *part);
/* Sorts the rows by thread, time, and order of the recording. To be called after the last pd_timeline_add. */
enum perfdata_status pd_timeline_sort(struct timeline *timeline);
/* Makes rows of samples that the profile excludes neither samples nor markers. To be called after pd_timeline_sort. */
enum perfdata_status pd_timeline_leave_out(struct timeline *timeline, const struct pd_profile *profile);
/* Whether samples of the event are drawn as stacks: the event is no tracepoint, or all events are tracepoints and this
 * is the first. */
bool pd_timeline_samples(const struct timeline *timeline, uint32_t event);

/* A sorted row, valid until the next call; rows of thread 0 come first. If a row cannot be read from the file, it is
 * neither sample nor marker, and pd_timeline_failed says so. */
const struct timeline_row *pd_timeline_row(struct timeline *timeline, size_t row);
/* The first failure: PERFDATA_OK (none), PERFDATA_ENOMEM, PERFDATA_EWRITE, PERFDATA_EREAD, PERFDATA_EINTR. */
enum perfdata_status pd_timeline_failed(const struct timeline *timeline);
size_t pd_timeline_nr_threads(const struct timeline *timeline);
const struct timeline_thread *pd_timeline_thread(const struct timeline *timeline, uint32_t thread);
const char *pd_timeline_string(const struct timeline *timeline, uint32_t string);

#endif
