/* SPDX-License-Identifier: MIT */
/* Decodes every record of a recording in time order, finds the frame of every address and the stack of every sample,
 * and prints no more than how many there were: what all conversions have to do before they spell anything. usage:
 * bench_walk FILE [THREADS] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <perfdata/session.h>
#include "reader/reader.h"

int main(int argc, char **argv)
{
	const struct perfdata_reader_options options = { .size = sizeof options,
							 .order = PERFDATA_ORDER_TIME,
							 .read_ahead = argc > 2 && atoi(argv[2]) > 1
									       ? PERFDATA_AHEAD_RECORDS
									       : 0u };
	const struct perfdata_session_options needs = {
		.size = sizeof needs,
		.needs = PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS,
	};
	struct perfdata_reader *reader;
	struct perfdata_session *session;
	struct perfdata_batch *batch;
	struct perfdata_error error;
	uint64_t records = 0, damaged = 0, deliveries = 0, steps = 0, period = 0;

	if (argc < 2 || perfdata_reader_open_path(argv[1], &options, &reader, &error) != PERFDATA_OK ||
	    perfdata_session_open(reader, &needs, &session, &error) != PERFDATA_OK) {
		fprintf(stderr, "%s\n", argc < 2 ? "usage: bench_walk FILE [THREADS]" : error.message);
		return 1;
	}
	while (perfdata_session_next(session, &batch) == PERFDATA_OK) {
		for (size_t i = 0; i < batch->nr_records; i++) {
			struct perfdata_record record;
			damaged += perfdata_raw_decode(reader, &batch->records[i], &record) != PERFDATA_OK;
			if (record.type == PERFDATA_RECORD_SAMPLE)
				period += record.u.sample.period;
		}
		records += batch->nr_records;
		deliveries += batch->nr_deliveries;
		steps += batch->nr_steps;
		perfdata_batch_release(batch);
	}
	printf("%" PRIu64 " records, %" PRIu64 " damaged, %" PRIu64 " deliveries, %" PRIu64 " steps, period %" PRIu64
	       "\n",
	       records, damaged, deliveries, steps, period);
	perfdata_session_close(session);
	perfdata_reader_close(reader);
	return 0;
}
