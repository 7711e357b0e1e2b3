/* SPDX-License-Identifier: MIT */
/* Runs of waiting records. A recorder writes the buffers of the CPUs one after the other; inside a buffer, records are
 * sorted by time or nearly so. Taking the oldest records merges the runs; records of equal times keep the order of the
 * file. */
#ifndef PD_ORDER_RUNS_H
#define PD_ORDER_RUNS_H

#include "reader/reader_impl.h"

#define PD_BLOCK_RECORDS 1024u

/* Memory for waiting records, filled from its start to its end, and reused once no run in it waits. */
struct pd_order_block {
	struct pd_order_block *next_free;
	struct pd_large_page *page;  /* the memory that it shares with other blocks; NULL: it has its own */
	unsigned nr_used, nr_runs;
	struct perfdata_raw raws[PD_BLOCK_RECORDS];
};

/* Waiting records, oldest first: adjacent ones of a block, all in one chunk, and those of further parts, which come
 * next in the recording; or the next record of a spilled run. */
struct pd_order_run {
	uint64_t time;               /* time of the first record */
	uint64_t number;             /* runs that begin later in the recording have larger numbers */
	const struct perfdata_raw *at;
	size_t nr;
	union {
		struct pd_order_block *block;
		struct pd_run *spilled;
	} in;
	uint32_t next_part;          /* index of the next part; PD_NO_PART: none */
	uint32_t level;              /* of a spilled run: how often its records were merged at most */
};

/* The records of a run in another block or chunk. With one run for each buffer of the recorder, however large, the heap
 * stays small. */
struct pd_order_part {
	const struct perfdata_raw *at;
	size_t nr;
	struct pd_order_block *block;
	uint32_t next;               /* as next_part; or the next free part */
};
#define PD_NO_PART UINT32_MAX
struct pd_order_parts {
	struct pd_order_part *items;
	size_t nr, room;
	uint32_t free;               /* the first free part; PD_NO_PART: none */
};

/* A heap: the run with the oldest record first. */
struct pd_order_runs {
	struct pd_order_run *heap;
	size_t nr, room;
};

/* Adds a run. PERFDATA_ENOMEM. */
enum perfdata_status pd_runs_add(struct pd_order_runs *runs, const struct pd_order_run *run);
/* Restores the order of the runs after the first one has changed; removes it if it has no records left. */
void pd_runs_update(struct pd_order_runs *runs);
/* Copies the oldest records: at most `max` of the first part of the first run, none newer than `limit`. *ret_left: the
 * block of the part if these were its last records, else NULL. */
unsigned pd_runs_take(struct pd_order_runs *runs, const struct pd_order_parts *parts, uint64_t limit,
		      struct perfdata_raw *ret, unsigned max, struct pd_order_block **ret_left);

/* Adds a part without records; returns its index. PD_NO_PART without memory. */
uint32_t pd_parts_add(struct pd_order_parts *parts);
void pd_parts_recycle(struct pd_order_parts *parts, uint32_t part);

#endif
