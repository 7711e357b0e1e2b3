/* The counts of records that `perf report --stats` prints, and that stand at the end of `perf report -D`. */
#ifndef EMIT_STATS_TEXT_H
#define EMIT_STATS_TEXT_H

#include "perfdata_session.h"
#include "perfdata_text.h"

/* What LOST_SAMPLES records say, summed up for each event. Zeros to begin with. */
struct lost_sums {
	struct lost_sum {
		uint64_t samples, dropped_by_bpf;
	} *items;            /* by the event's index */
	size_t count;
};

/* PERFDATA_ENOMEM. */
enum perfdata_status lost_sums_take(struct lost_sums *sums, const struct perfdata_event *event, const struct perfdata_record *record);
void lost_sums_release(struct lost_sums *sums);

/* lost: NULL where samples that were lost are not told (perf report -D). */
void stats_text(struct perfdata_text *out, const struct perfdata_reader *reader, const struct perfdata_summary *summary,
		const struct lost_sums *lost);

#endif
