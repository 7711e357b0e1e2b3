/* SPDX-License-Identifier: MIT */
/* What perf prints about a recording as a whole, byte for byte: its header, its events, its counts. */
#ifndef PERFDATA_PERF_H
#define PERFDATA_PERF_H

#include "perfdata/session.h"
#include "perfdata/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each function appends to `out`; test perfdata_text_failed afterwards. */

/* What `perf script --header-only` prints, from what the reader has read so far. full: as with -I; otherwise one line
 * replaces each long section. */
PERFDATA_API void perfdata_perf_header(struct perfdata_text *out, const struct perfdata_reader *reader, bool full);
/* "NAME: type: 1 (PERF_TYPE_SOFTWARE), size: 144, …", without a newline. */
PERFDATA_API void perfdata_perf_event(struct perfdata_text *out, const char *name, const struct perfdata_attr *attr);

/* Sums of the counts in LOST_SAMPLES records, by event. */
struct perfdata_lost_sums;
/* NULL without memory. */
PERFDATA_API struct perfdata_lost_sums *perfdata_lost_sums_new(void);
PERFDATA_API void perfdata_lost_sums_free(struct perfdata_lost_sums *sums);
/* Adds a LOST_SAMPLES record of the event. An unknown event (NULL) adds nothing. PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_lost_sums_add(struct perfdata_lost_sums *sums,
							 const struct perfdata_event *event,
							 const struct perfdata_record *record);

/* What `perf report --stats` prints, and what `perf report -D` prints at its end. `lost` is NULL for `perf report -D`,
 * which does not print lost samples. */
PERFDATA_API void perfdata_perf_stats(struct perfdata_text *out, const struct perfdata_reader *reader,
				      const struct perfdata_summary *summary, const struct perfdata_lost_sums *lost);

#ifdef __cplusplus
}
#endif

#endif
