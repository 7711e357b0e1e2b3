/* SPDX-License-Identifier: MIT */
/* Sums of spans by name, and by thread or another key: number, total, mean, maximum, median and 99th percentile of
 * their lengths. */
#ifndef PD_SPAN_SUMS_H
#define PD_SPAN_SUMS_H

#include "perfdata/session.h"
#include "spans/spans.h"

enum pd_span_by {
	PD_SPANS_BY_NAME, PD_SPANS_BY_THREAD, PD_SPANS_BY_PROCESS, PD_SPANS_BY_COMM, PD_SPANS_BY_CPU,
	/* the time until the wake-up (OFF spans), or after the wake-up (RUNQ spans). BY_WAKER: a row is of a waker, and
	 * its name is the wakee; BY_WAKEE: the reverse */
	PD_SPANS_BY_WAKER, PD_SPANS_BY_WAKEE,
	PD_SPANS_BY_SYSCALL,           /* for OFF spans: the system call in which they waited */
};
struct pd_span_row {
	int32_t pid, tid;              /* -1: not requested, or unknown */
	uint32_t comm;                 /* perfdata_session_comm, or PERFDATA_NONE */
	uint32_t cpu;                  /* UINT32_MAX: not requested, or unknown */
	/* name of the span or system call; valid as long as the session */
	const char *name;
	int32_t other_pid, other_tid;  /* the wakee (BY_WAKER) or the waker; other_comm is its comm */
	uint32_t other_comm;
	uint64_t count, total, least, most;   /* of spans with begin and end; in ns */
	uint64_t p50, p99;             /* percentiles in ns, at most 0.1 % too large */
	uint64_t errors;               /* spans with a negative result */
	uint64_t unknown;              /* spans without begin or end, which count nowhere else */
};

struct pd_span_sums;
/* Makes empty sums, and borrows the session. NULL without memory. */
struct pd_span_sums *pd_span_sums_new(const struct perfdata_session *session, enum perfdata_span_kind kind,
				      enum pd_span_by by);
void pd_span_sums_free(struct pd_span_sums *sums);
struct pd_span_part;                   /* the spans of a batch */
enum perfdata_status pd_span_sums_collect(const struct pd_span_sums *sums, const struct perfdata_batch *batch,
					  struct pd_span_part **ret);      /* any thread */
/* Takes the part over, also on failure. */
enum perfdata_status pd_span_sums_add(struct pd_span_sums *sums, struct pd_span_part *part);
/* Makes the rows, longest total first; call it after the last part. */
enum perfdata_status pd_span_sums_finish(struct pd_span_sums *sums);
const struct pd_span_row *pd_span_sums_rows(const struct pd_span_sums *sums, size_t *ret_nr);
/* Returns the sum of all rows, without p50 and p99. */
struct pd_span_row pd_span_sums_total(const struct pd_span_sums *sums);

#endif
