/* SPDX-License-Identifier: MIT */
/* Rows of spans, and of the time that threads spent in each state, for JSON, CSV and tables. */
#ifndef EMIT_SPAN_VALUES_H
#define EMIT_SPAN_VALUES_H

#include "emit/values/column_type.h"
#include "emit/values/value.h"
#include "perfdata/session.h"
#include "spans/spans.h"

/* End with name NULL. */
extern const struct table_column pd_span_columns[], pd_thread_time_columns[];

enum {
	SPAN_KIND, SPAN_NAME, SPAN_BEGIN, SPAN_END, SPAN_DURATION, SPAN_PID, SPAN_TID, SPAN_COMM, SPAN_CPU,
	SPAN_END_CPU, SPAN_STATE, SPAN_STATE_RAW, SPAN_BLOCKED, SPAN_RUNQ, SPAN_SYSCALL, SPAN_STACK,
	SPAN_WAKER_PID, SPAN_WAKER, SPAN_WAKER_STACK, SPAN_WOKEN, SPAN_BEGIN_OFFSET, SPAN_BEGIN_INNER,
	SPAN_END_OFFSET, SPAN_END_INNER, SPAN_SOURCE, SPAN_RESULT, SPAN_ARGS, SPAN_UNKNOWN
};
enum {
	TIME_PID, TIME_TID, TIME_COMM, TIME_FIRST, TIME_LAST, TIME_RUN, TIME_RUN_COUNT, TIME_RUN_MAX, TIME_OFF,
	TIME_SLEEP,
	TIME_UNINTERRUPTIBLE, TIME_PREEMPTED, TIME_STOPPED, TIME_IDLE, TIME_OTHER, TIME_OFF_COUNT, TIME_PREEMPTED_COUNT,
	TIME_RUNQ, TIME_RUNQ_COUNT, TIME_RUNQ_MAX, TIME_BLOCKED, TIME_WOKEN, TIME_WAKES, TIME_MIGRATIONS, TIME_SYSCALLS,
	TIME_SYSCALL, TIME_IRQ, TIME_UNKNOWN, TIME_GAPS, TIME_COLUMNS
};

/* Kinds of spans (bits 1 << enum perfdata_span_kind) that rows of spans and of threads' times need. */
uint32_t pd_span_kinds_of(bool spans, bool with_runs, bool threads_time);
/* The value of a column of a span; not for SPAN_ARGS, which has to be formatted. Texts live as long as the session. */
struct value pd_span_value(const struct perfdata_session *session, const struct pd_span *span, unsigned column);

/* Sums by thread; each batch adds to them. */
struct thread_times;
struct thread_times *pd_thread_times_new(const struct perfdata_session *session);   /* NULL without memory */
void pd_thread_times_free(struct thread_times *times);
bool pd_thread_times_add(struct thread_times *times, const struct perfdata_batch *batch);   /* false without memory */
/* Sorts the rows, one for each thread, by pid and tid; returns their number. To be called after the last batch. */
size_t pd_thread_times_finish(struct thread_times *times);
struct value pd_thread_time_value(const struct thread_times *times, size_t row, unsigned column);

#endif
