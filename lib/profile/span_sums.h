/* SPDX-License-Identifier: MIT */
/* Sums of spans by name, and by thread or another key: number, total, mean, maximum, median and 99th percentile of
 * their lengths. */
#ifndef PD_SPAN_SUMS_H
#define PD_SPAN_SUMS_H

#include "perfdata/session.h"
#include "spans/spans.h"

enum pd_span_by {
	PD_SPANS_BY_NAME, PD_SPANS_BY_THREAD, PD_SPANS_BY_PROCESS, PD_SPANS_BY_COMM, PD_SPANS_BY_CPU,
	/* of OFF spans, how long they waited for the wake-up; of RUNQ spans, how long from then on. Rows of wakers have
	 * the wakee as their name, and the reverse */
	PD_SPANS_BY_WAKER, PD_SPANS_BY_WAKEE,
	PD_SPANS_BY_SYSCALL,           /* of OFF spans: in which system call they waited */
};
struct pd_span_row {
	int32_t pid, tid;              /* -1: not asked for, or unknown */
	uint32_t comm;                 /* perfdata_session_comm, or PERFDATA_NONE */
	uint32_t cpu;                  /* UINT32_MAX: not asked for, or unknown */
	/* of the span, or of the system call; lives as long as the session */
	const char *name;
	int32_t other_pid, other_tid;  /* of the wakee (BY_WAKER) or the waker, whose comm is other_comm */
	uint32_t other_comm;
	uint64_t count, total, least, most;   /* whole ones; ns */
	uint64_t p50, p99;             /* the percentile, up to a thousandth too large */
	uint64_t errors;               /* whose result is negative */
	uint64_t unknown;              /* spans without begin or without end: they count nowhere else */
};

struct pd_span_sums;
/* NULL without memory. Borrows the session. */
struct pd_span_sums *pd_span_sums_new(const struct perfdata_session *session, enum perfdata_span_kind kind,
				      enum pd_span_by by);
void pd_span_sums_free(struct pd_span_sums *sums);
struct pd_span_part;                   /* of a batch */
enum perfdata_status pd_span_sums_collect(const struct pd_span_sums *sums, const struct perfdata_batch *batch,
					  struct pd_span_part **ret);      /* any thread */
/* Takes the part over, also on failure. */
enum perfdata_status pd_span_sums_add(struct pd_span_sums *sums, struct pd_span_part *part);
/* After the last part: rows with most time first. */
enum perfdata_status pd_span_sums_finish(struct pd_span_sums *sums);
const struct pd_span_row *pd_span_sums_rows(const struct pd_span_sums *sums, size_t *ret_nr);
/* The sum of all rows; p50 and p99 are not set. */
struct pd_span_row pd_span_sums_total(const struct pd_span_sums *sums);

#endif
