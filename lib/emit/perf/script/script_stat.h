/* SPDX-License-Identifier: MIT */
/* The tables that `perf script` prints for recordings of `perf stat`. */
#ifndef SCRIPT_STAT_H
#define SCRIPT_STAT_H

#include "perfdata/emit.h"
#include "emit/perf/event_names.h"

struct script_stat;
/* NULL without memory. Counters beyond the limit are dropped, with a finding to on_finding (may be NULL). */
struct script_stat *pd_script_stat_new(const struct event_names *names, perfdata_finding_fn *on_finding, void *user);
void pd_script_stat_free(struct script_stat *stat);

static inline bool script_stat_concerns(uint32_t type)
{
	return type == PERFDATA_RECORD_THREAD_MAP || type == PERFDATA_RECORD_CPU_MAP || type == PERFDATA_RECORD_STAT ||
	       type == PERFDATA_RECORD_STAT_CONFIG || type == PERFDATA_RECORD_STAT_ROUND;
}
/* Takes each record, in order, and appends the table at a STAT_ROUND. PERFDATA_OK or PERFDATA_ENOMEM. */
enum perfdata_status pd_script_stat_record(struct script_stat *stat, const struct perfdata_raw *raw,
					   const struct perfdata_record *record, struct perfdata_text *out);

#endif
