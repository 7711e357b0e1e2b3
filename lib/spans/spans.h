/* SPDX-License-Identifier: MIT */
/* Spans: intervals that begin with one record and end with another: a thread runs, waits, waits for a CPU; a system
 * call, a lock, a request of a disk, an interrupt, a guest's exit.
 *
 * The engine takes records in the order of time, and returns each span when its end is known. It holds the state of
 * each CPU and thread and the open span of each key, so its memory does not grow with the number of records. A begin or
 * end without a record stays unknown: the span says which one is missing and why, and pd_span_facts counts it. */
#ifndef PD_SPANS_H
#define PD_SPANS_H

#include "perfdata/session.h"
#include "base/account.h"

/* What a thread was doing. The first values are numbers of pseudo frames: see pd_span_state_name. */
enum pd_span_state {
	PD_STATE_UNKNOWN,            /* off the CPU; no record says why */
	PD_STATE_SLEEPING,
	PD_STATE_UNINTERRUPTIBLE,
	PD_STATE_STOPPED,
	PD_STATE_TRACED,
	PD_STATE_DEAD,
	PD_STATE_PARKED,
	PD_STATE_IDLE,               /* a kernel thread that has nothing to do */
	PD_STATE_PREEMPTED,          /* off the CPU, but runnable */
	PD_STATE_RUN_QUEUE,          /* woken, and waiting for a CPU */
	PD_STATE_RUNNING,
	PD_SPAN_STATES
};
/* "sleeping", "preempted", "run queue", … */
const char *pd_span_state_name(enum pd_span_state state);
const char *pd_span_kind_name(enum perfdata_span_kind kind);

/* The records from which the begin and the end of a span come. */
enum pd_span_source {
	PD_SPAN_OF_TRACEPOINTS,
	PD_SPAN_OF_SWITCH_RECORDS,
	PD_SPAN_OF_BOTH,             /* times from SWITCH records; stack and state from sched_switch */
	PD_SPAN_OF_SIMPLEPERF,       /* sample at the switch-out; later sample or SWITCH of the thread */
	PD_SPAN_OF_OFF_CPU_SAMPLES,  /* samples of perf record --off-cpu */
};
const char *pd_span_source_name(enum pd_span_source source);

enum pd_span_unknown {
	PD_SPAN_KNOWN,
	PD_SPAN_NO_BEGIN,            /* an end without a begin */
	PD_SPAN_NO_END,              /* the next begin came first, or the recording ended */
	PD_SPAN_LOST,                /* begin and end are known, but records between them were lost */
};
const char *pd_span_unknown_name(enum pd_span_unknown unknown);   /* "" for PD_SPAN_KNOWN */

struct pd_span_who {
	int32_t pid;                 /* -1: unknown */
	uint32_t comm;               /* perfdata_session_comm, or PERFDATA_NONE */
	uint32_t thread;             /* perfdata_delivery.thread */
};
struct pd_span_stack {
	uint32_t node, stack;        /* as in a delivery; 0, PERFDATA_NONE: no stack, or not requested */
};
/* A record's position: perfdata_raw.offset and inner. PERFDATA_NO_OFFSET, 0: no record. */
struct pd_span_place {
	uint64_t offset, inner;
};

struct pd_span {
	enum perfdata_span_kind kind;
	enum pd_span_unknown unknown;
	enum pd_span_source source;
	enum pd_span_state state;    /* for OFF: why the thread was off the CPU */
	uint64_t state_raw;          /* prev_state as recorded; UINT64_MAX: not recorded */
	/* ns; UINT64_MAX: unknown. At least one of both is known */
	uint64_t begin, end;
	/* pd_spans_name, or UINT32_MAX. Of RUN, OFF and RUNQ: the system call in which the thread was, if system calls
	 * were recorded and requested */
	uint32_t name;
	int32_t tid;                 /* -1: no thread, or unknown */
	struct pd_span_who who;
	uint32_t cpu, end_cpu;       /* UINT32_MAX: unknown */
	/* of OFF: ns until the thread was woken, and ns from then on; UINT64_MAX: no wake-up was recorded */
	uint64_t blocked, queued;
	uint64_t summed;             /* of OFF: ns of several waits, recorded as a sum without times; or 0 */
	struct pd_span_stack stack;  /* stack at the begin */
	int32_t waker;               /* tid; -1: unknown */
	struct pd_span_who waker_who;
	struct pd_span_stack waker_stack;
	uint64_t woken;              /* time of the wake-up; UINT64_MAX: unknown */
	int64_t result;
	bool has_result;             /* `result` is set: a system call or a lock */
	/* of a span that an event begins: the event and, if requested, the raw data of the sample, borrowed; or NULL */
	const struct perfdata_event *event;
	struct perfdata_bytes args;
	struct pd_span_place begins, ends;
};
/* Whether begin and end are known. */
static inline bool pd_span_is_whole(const struct pd_span *span)
{
	return span->begin != UINT64_MAX && span->end != UINT64_MAX;
}
static inline uint64_t pd_span_duration(const struct pd_span *span) { return span->end - span->begin; }

/* --- the callbacks of the engine ---------------------------------------------------------------------------------- */

/* A bit of perfdata_session_options.spans in addition to the kinds: spans have `args`. */
#define PD_SPANS_ARGS (UINT32_C(1) << 31)

struct pd_spans_options {
	uint32_t kinds;              /* the wanted kinds: bits 1 << enum perfdata_span_kind */
	bool swap;                   /* the recording has the other byte order */
	bool stacks;                 /* fill in the stacks of spans */
	bool args;                   /* fill in pd_span.args */
	enum perfdata_arch arch;     /* architecture of system call numbers */
	/* finds the thread that has this tid now */
	void (*who)(void *user, int32_t tid, struct pd_span_who *ret);
	/* finds the stack of a sample */
	enum perfdata_status (*stack)(void *user, const struct perfdata_raw *raw, struct pd_span_stack *ret);
	/* Returns memory for the next span, which `take` gets, or for one that is dropped. NULL without memory. */
	struct pd_span *(*room)(void *user);
	/* Takes the span in the memory of the last `room`, with borrowed `args`. It may change the span. `raw` is the
	 * record that ended it; NULL at the end of the recording. */
	enum perfdata_status (*take)(void *user, struct pd_span *span, const struct perfdata_raw *raw);
	void *user;
};

/* Numbers of spans, and of spans without a begin or an end. */
struct pd_span_facts {
	struct pd_span_count {
		uint64_t spans, total;         /* whole spans, and their sum in ns */
		uint64_t no_begin, no_end;     /* ends without a begin; begins followed by another begin */
		uint64_t open;                 /* begun, but not ended at the end of the recording */
		uint64_t with_losses;          /* whole spans during which records were lost */
	} kinds[PERFDATA_SPAN_KINDS];
	uint64_t switches;           /* samples of sched_switch, if each switch was sampled */
	uint64_t switch_records;
	uint64_t sampled_switches;   /* samples of sched_switch, if only some were: ignored */
	uint64_t gaps;               /* switches where another thread than the known one leaves the CPU */
	uint64_t wakes;
	uint64_t sums, summed;       /* samples that sum up waits, and their ns; in no other count */
	bool wide;                   /* SWITCH_CPU_WIDE records came */
	bool both;                   /* OFF spans are PD_SPAN_OF_BOTH or PD_SPAN_OF_SWITCH_RECORDS */
	bool simpleperf;             /* OFF spans are PD_SPAN_OF_SIMPLEPERF */
};

struct pd_spans;
/* NULL without memory. */
struct pd_spans *pd_spans_new(const struct pd_spans_options *options, struct pd_account *account);
void pd_spans_free(struct pd_spans *spans);
/* Whether the engine uses samples of the event, if only to count those that it ignores. */
bool pd_spans_use(struct pd_spans *spans, const struct perfdata_event *event);
/* Whether the engine uses samples of the event as sched_waking's; as sched_wakeup's. After the first sample of
 * sched_waking, it ignores those of sched_wakeup. */
bool pd_spans_use_waking(struct pd_spans *spans, const struct perfdata_event *event);
bool pd_spans_use_wakeup(struct pd_spans *spans, const struct perfdata_event *event);
/* The recording has SWITCH records, which have the times of both ends of a run. Call it before the first record. */
void pd_spans_expect_switch_records(struct pd_spans *spans);
/* The recording is one of simpleperf's --trace-offcpu. A sample of `event` says that its thread leaves the CPU; the
 * thread's next sample, or a SWITCH record before it, says that the thread runs again. Call it before the first
 * record. */
void pd_spans_expect_simpleperf(struct pd_spans *spans, const struct perfdata_event *event);
/* From now on the engine ignores samples of perf record --off-cpu: switches have the same waits. */
void pd_spans_ignore_wait_samples(struct pd_spans *spans);
/* Takes the next record. Returns PERFDATA_ENOMEM, or what `stack` and `take` return. */
enum perfdata_status pd_spans_record(struct pd_spans *spans, const struct perfdata_raw *raw);
/* Whether the last record, a sample of a pair of events or a SWITCH record, began or ended a span: spans then have all
 * that the record says about its thread. */
bool pd_spans_took(const struct pd_spans *spans);
/* Whether the event begins spans, and the field only repeats their name. */
bool pd_spans_field_is_name(const struct perfdata_event *event, const struct perfdata_trace_field *field);
/* After the last record: counts the open spans and reports them as spans without an end. */
enum perfdata_status pd_spans_end(struct pd_spans *spans);
const struct pd_span_facts *pd_spans_facts(const struct pd_spans *spans);
/* The text of a span's name; valid as long as the engine, in any thread that has received the span. */
const char *pd_spans_name(const struct pd_spans *spans, uint32_t name);

#endif
