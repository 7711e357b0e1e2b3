/* SPDX-License-Identifier: MIT */
/* Runs of waiting records in a temporary file. They come in the order of the file, and are merged in levels: the number
 * of runs stays small enough to read all of them at once with a fixed share of the memory, however large the recording
 * is. */
#ifndef PD_ORDER_SPILLED_H
#define PD_ORDER_SPILLED_H

#include "reader/order_runs.h"

struct pd_spilled {
	struct pd_order_runs runs;
	struct pd_spill *spill;
	uint64_t next_number;
	struct pd_chunk *gathered;   /* held: the chunk with the records taken last; or NULL */
	size_t gathered_bytes;       /* bytes of it, from the start of its headroom */
};

void pd_spilled_free(struct pd_spilled *spilled);
/* Drops the chunk of the records taken last. */
void pd_spilled_trim(struct pd_spilled *spilled);
/* Ends the run being written to spilled->spill, whose first record has this time, and adds it. */
enum perfdata_status pd_spilled_add(struct pd_spilled *spilled, uint64_t time);
/* Merges runs if there are too many. After a failure, the records that were not lost are still in runs, but no run can
 * be added. PERFDATA_EREAD: a run could not be read to its end. */
enum perfdata_status pd_spilled_merge(struct perfdata_reader *reader, struct pd_spilled *spilled);
/* Takes the oldest records, at most PD_MAX_RECORDS, none newer than `limit`, all in one chunk. After a failure, too,
 * *ret_nr records were taken. PERFDATA_END: there are none. */
enum perfdata_status pd_spilled_take(struct perfdata_reader *reader, struct pd_spilled *spilled, uint64_t limit,
				     struct perfdata_raw *ret, unsigned *ret_nr);

#endif
