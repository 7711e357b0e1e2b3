/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "emit/values/span_values.h"
#include "session/session.h"

#define NS PERFDATA_UNIT_NS
#define PLAIN PERFDATA_UNIT_NONE

const struct table_column pd_span_columns[] = {
	[SPAN_KIND] = COLUMN("kind", TEXT, PLAIN, "run, off, runq, syscall, lock, block, irq, softirq or guest."),
	[SPAN_NAME] = COLUMN("name", TEXT, PLAIN,
			     "Name: for off the state, otherwise the system call, kind of lock, handler, …"),
	[SPAN_BEGIN] = COLUMN("begin", INT64, NS, "Begin; null: unknown."),
	[SPAN_END] = COLUMN("end", INT64, NS, "End; null: unknown."),
	[SPAN_DURATION] = COLUMN("duration", INT64, NS, "Duration; null if begin or end is unknown."),
	[SPAN_PID] = COLUMN("pid", INT32, PLAIN, "Process of the thread."),
	[SPAN_TID] = COLUMN("tid", INT32, PLAIN, "The thread; for interrupts, the interrupted thread."),
	[SPAN_COMM] = COLUMN("comm", TEXT, PLAIN, "Name of the thread."),
	[SPAN_CPU] = COLUMN("cpu", INT32, PLAIN, "CPU at the begin."),
	[SPAN_END_CPU] = COLUMN("end_cpu", INT32, PLAIN, "CPU at the end."),
	[SPAN_STATE] = COLUMN("state", TEXT, PLAIN, "For off and runq: why the thread left the CPU."),
	[SPAN_STATE_RAW] = COLUMN("state_raw", UINT64, PLAIN, "The state as the kernel recorded it (prev_state)."),
	[SPAN_BLOCKED] = COLUMN("blocked_ns", INT64, NS, "For off: time until the wakeup; null without wakeups."),
	[SPAN_RUNQ] = COLUMN("runq_ns", INT64, NS, "For off: time from the wakeup on, waiting for a CPU."),
	[SPAN_SYSCALL] = COLUMN("syscall", TEXT, PLAIN, "For off: the system call in which the thread waited, if "
							"known."),
	[SPAN_STACK] = COLUMN("stack_id", INT32, PLAIN, "Id of the stack at the begin, as in `stacks`."),
	[SPAN_WAKER_PID] = COLUMN("waker_pid", INT32, PLAIN, "Process of the thread that woke this thread."),
	[SPAN_WAKER] = COLUMN("waker_tid", INT32, PLAIN, "The thread that woke this thread."),
	[SPAN_WAKER_STACK] = COLUMN("waker_stack_id", INT32, PLAIN, "Id of the waker's stack, as in `stacks`."),
	[SPAN_WOKEN] = COLUMN("woken", INT64, NS, "Time of the wakeup."),
	[SPAN_BEGIN_OFFSET] = COLUMN("begin_offset", INT64, PLAIN, "`offset` of the record that began the span."),
	[SPAN_BEGIN_INNER] = COLUMN("begin_inner", INT64, PLAIN, "`inner` of the record that began the span."),
	[SPAN_END_OFFSET] = COLUMN("end_offset", INT64, PLAIN, "`offset` of the record that ended the span."),
	[SPAN_END_INNER] = COLUMN("end_inner", INT64, PLAIN, "`inner` of the record that ended the span."),
	[SPAN_SOURCE] = COLUMN("source", TEXT, PLAIN, "Source: tracepoint, switch (records) or both."),
	[SPAN_RESULT] = COLUMN("result", INT64, PLAIN, "Result of the system call, or the lock's `ret`."),
	[SPAN_ARGS] = COLUMN("args", JSON, PLAIN, "Fields of the event at the begin, except the name."),
	[SPAN_UNKNOWN] = COLUMN("unknown", TEXT, PLAIN,
				"begin, end: this side is unknown; lost: records were lost during the span."),
	{ 0 },
};

uint32_t pd_span_kinds_of(bool spans, bool with_runs, bool threads_time)
{
	const uint32_t all = (1u << PERFDATA_SPAN_KINDS) - 1, run = 1u << PERFDATA_SPAN_RUN;
	const uint32_t of_threads = run | 1u << PERFDATA_SPAN_OFF | 1u << PERFDATA_SPAN_RUNQ |
				    1u << PERFDATA_SPAN_SYSCALL | 1u << PERFDATA_SPAN_IRQ;
	return (spans ? with_runs ? all : all & ~run : 0) | (threads_time ? of_threads : 0);
}

/* --- a span ------------------------------------------------------------------------------------------------------- */

static struct value known_value(uint64_t value, uint64_t unknown) { return value_number(value != unknown, value); }

static struct value name_value(const char *text) { return value_text(*text ? text : NULL); }

static struct value id_value(int32_t number) { return value_number(number >= 0, (uint64_t)number); }

struct value pd_span_value(const struct perfdata_session *session, const struct pd_span *span, unsigned column)
{
	const bool has_state = span->kind == PERFDATA_SPAN_OFF || span->kind == PERFDATA_SPAN_RUNQ;
	switch (column) {
	case SPAN_KIND: return name_value(pd_span_kind_name(span->kind));
	case SPAN_NAME: return name_value(pd_session_span_name(session, span));
	case SPAN_BEGIN: return known_value(span->begin, UINT64_MAX);
	case SPAN_END: return known_value(span->end, UINT64_MAX);
	case SPAN_DURATION: return value_number(pd_span_is_whole(span), pd_span_duration(span));
	case SPAN_PID: return id_value(span->who.pid);
	case SPAN_TID: return id_value(span->tid);
	case SPAN_COMM:
		return value_text(span->who.comm == PERFDATA_NONE ? NULL
								  : perfdata_session_comm(session, span->who.comm));
	case SPAN_CPU: return known_value(span->cpu, UINT32_MAX);
	case SPAN_END_CPU: return known_value(span->end_cpu, UINT32_MAX);
	case SPAN_STATE: return value_text(has_state ? pd_span_state_name(span->state) : NULL);
	case SPAN_STATE_RAW: return known_value(span->state_raw, UINT64_MAX);
	case SPAN_BLOCKED: return known_value(span->blocked, UINT64_MAX);
	case SPAN_RUNQ: return known_value(span->queued, UINT64_MAX);
	case SPAN_SYSCALL:
		return name_value(span->kind <= PERFDATA_SPAN_RUNQ ? pd_session_span_text(session, span->name) : "");
	case SPAN_STACK: return known_value(span->stack.stack, PERFDATA_NONE);
	case SPAN_WAKER_PID: return id_value(span->waker_who.pid);
	case SPAN_WAKER: return id_value(span->waker);
	case SPAN_WAKER_STACK: return known_value(span->waker_stack.stack, PERFDATA_NONE);
	case SPAN_WOKEN: return known_value(span->woken, UINT64_MAX);
	case SPAN_BEGIN_OFFSET: return known_value(span->begins.offset, PERFDATA_NO_OFFSET);
	case SPAN_BEGIN_INNER: return known_value(span->begins.inner, PERFDATA_NO_OFFSET);
	case SPAN_END_OFFSET: return known_value(span->ends.offset, PERFDATA_NO_OFFSET);
	case SPAN_END_INNER: return known_value(span->ends.inner, PERFDATA_NO_OFFSET);
	case SPAN_SOURCE: return name_value(pd_span_source_name(span->source));
	case SPAN_RESULT:
		return (struct value){ .kind = span->has_result ? IS_SIGNED : IS_ABSENT,
				       .number = (uint64_t)span->result };
	case SPAN_UNKNOWN: return name_value(pd_span_unknown_name(span->unknown));
	default: return (struct value){ .kind = IS_ABSENT };
	}
}

/* --- sums by thread ----------------------------------------------------------------------------------------------- */

const struct table_column pd_thread_time_columns[] = {
	[TIME_PID] = COLUMN("pid", INT32, PLAIN, "The process."),
	[TIME_TID] = COLUMN("tid", INT32, PLAIN, "The thread; a later thread with this number has another row."),
	[TIME_COMM] = COLUMN("comm", TEXT, PLAIN, "Last name of the thread."),
	[TIME_FIRST] = COLUMN("first", INT64, NS, "Begin of the thread's first span."),
	[TIME_LAST] = COLUMN("last", INT64, NS, "End of the thread's last span."),
	[TIME_RUN] = COLUMN("run_ns", INT64, NS, "Time on CPUs."),
	[TIME_RUN_COUNT] = COLUMN("run_count", INT64, PLAIN, "Number of times on a CPU."),
	[TIME_RUN_MAX] = COLUMN("run_max_ns", INT64, NS, "Longest time on a CPU."),
	[TIME_OFF] = COLUMN("off_ns", INT64, NS, "Time off the CPU: the sum of the next six."),
	[TIME_SLEEP] = COLUMN("sleep_ns", INT64, NS, "Time off the CPU, sleeping."),
	[TIME_UNINTERRUPTIBLE] = COLUMN("uninterruptible_ns", INT64, NS,
					"Time off the CPU, uninterruptible, such as waits for disks."),
	[TIME_PREEMPTED] = COLUMN("preempted_ns", INT64, NS, "Time off the CPU, preempted while runnable."),
	[TIME_STOPPED] = COLUMN("stopped_ns", INT64, NS, "Time off the CPU, stopped or traced."),
	[TIME_IDLE] = COLUMN("idle_ns", INT64, NS, "Time off the CPU, a kernel thread without work."),
	[TIME_OTHER] = COLUMN("other_ns", INT64, NS, "Time off the CPU for other or unrecorded reasons."),
	[TIME_OFF_COUNT] = COLUMN("off_count", INT64, PLAIN, "Number of times off the CPU."),
	[TIME_PREEMPTED_COUNT] = COLUMN("preempted_count", INT64, PLAIN, "Number of preemptions."),
	[TIME_RUNQ] = COLUMN("runq_ns", INT64, NS, "Time waiting for a CPU, after preemption or wakeup."),
	[TIME_RUNQ_COUNT] = COLUMN("runq_count", INT64, PLAIN, "Number of waits for a CPU."),
	[TIME_RUNQ_MAX] = COLUMN("runq_max_ns", INT64, NS, "Longest time waiting for a CPU."),
	[TIME_BLOCKED] = COLUMN("blocked_ns", INT64, NS, "Time off the CPU until wakeups."),
	[TIME_WOKEN] = COLUMN("woken_count", INT64, PLAIN, "Number of waits that a wakeup ended."),
	[TIME_WAKES] = COLUMN("wakes_count", INT64, PLAIN, "Number of wakeups of other threads by this thread."),
	[TIME_MIGRATIONS] = COLUMN("migrations", INT64, PLAIN, "Number of migrations between CPUs while off the CPU."),
	[TIME_SYSCALLS] = COLUMN("syscalls", INT64, PLAIN, "Number of finished system calls."),
	[TIME_SYSCALL] = COLUMN("syscall_ns", INT64, NS, "Time in these system calls."),
	[TIME_IRQ] = COLUMN("irq_ns", INT64, NS, "Time of interrupts while the thread ran."),
	[TIME_UNKNOWN] = COLUMN("unknown_ns", INT64, NS, "Time between first and last that is neither run nor off."),
	[TIME_GAPS] = COLUMN("gaps", INT64, PLAIN, "Number of spans with an unknown begin or end."),
	{ 0 },
};

struct thread_time {
	int32_t pid, tid;
	uint32_t comm, thread;
	bool has_scheduler, has_wakes, has_syscalls, has_irqs;
	uint64_t sums[TIME_COLUMNS];      /* by column */
};
struct thread_times {
	const struct perfdata_session *session;
	struct thread_time *threads;
	size_t nr, room, accounted;
	struct pd_hash_map of;            /* number of the thread << 32 | tid → index + 1 */
	bool wakes, syscalls, irqs;       /* there are such spans */
};

struct thread_times *pd_thread_times_new(const struct perfdata_session *session)
{
	struct thread_times *times = pd_calloc(1, sizeof *times);
	if (times)
		times->session = session;
	return times;
}

void pd_thread_times_free(struct thread_times *times)
{
	if (!times)
		return;
	pd_account_give(pd_session_account(times->session), PD_USE_ROWS, times->accounted);
	pd_hash_map_release(&times->of);
	pd_free(times->threads);
	pd_free(times);
}

static struct thread_time *time_of(struct thread_times *times, int32_t tid, const struct pd_span_who *who)
{
	const uint64_t key = (uint64_t)who->thread << 32 | (uint32_t)tid;
	uint64_t index;
	if (!pd_hash_map_get(&times->of, key, &index)) {
		if (pd_vector_grow(&times->threads, &times->room, times->nr, sizeof *times->threads) < 0 ||
		    pd_hash_map_put(&times->of, key, times->nr + 1) < 0)
			return NULL;
		times->threads[times->nr] = (struct thread_time){ .pid = -1, .tid = tid, .comm = PERFDATA_NONE,
								  .thread = who->thread };
		times->threads[times->nr].sums[TIME_FIRST] = UINT64_MAX;
		index = ++times->nr;
	}
	struct thread_time *time = &times->threads[index - 1];
	if (who->pid != -1)
		time->pid = who->pid;
	if (who->comm != PERFDATA_NONE)
		time->comm = who->comm;
	return time;
}

static void keep_most(uint64_t *most, uint64_t value) { *most = value > *most ? value : *most; }

static void add_off(struct thread_time *time, const struct pd_span *span, uint64_t duration)
{
	static const uint8_t columns[PD_SPAN_STATES] = {
		[PD_STATE_SLEEPING] = TIME_SLEEP,   [PD_STATE_UNINTERRUPTIBLE] = TIME_UNINTERRUPTIBLE,
		[PD_STATE_STOPPED] = TIME_STOPPED,  [PD_STATE_TRACED] = TIME_STOPPED,
		[PD_STATE_IDLE] = TIME_IDLE,        [PD_STATE_PREEMPTED] = TIME_PREEMPTED,
	};
	time->sums[TIME_OFF] += duration;
	time->sums[columns[span->state] ? columns[span->state] : TIME_OTHER] += duration;
	time->sums[TIME_OFF_COUNT]++;
	time->sums[TIME_PREEMPTED_COUNT] += span->state == PD_STATE_PREEMPTED;
	time->sums[TIME_BLOCKED] += span->blocked == UINT64_MAX ? 0 : span->blocked;
	time->sums[TIME_WOKEN] += span->waker != -1;
	time->sums[TIME_MIGRATIONS] += span->cpu != span->end_cpu && span->cpu != UINT32_MAX;
}

static bool add_span(struct thread_times *times, const struct pd_span *span)
{
	if (span->tid <= 0 || span->kind == PERFDATA_SPAN_SOFTIRQ || span->kind == PERFDATA_SPAN_BLOCK)
		return true;
	struct thread_time *time = time_of(times, span->tid, &span->who);
	if (!time)
		return false;
	const bool whole = pd_span_is_whole(span);
	const uint64_t duration = whole ? pd_span_duration(span) : 0;
	time->has_scheduler |= span->kind <= PERFDATA_SPAN_RUNQ;
	times->wakes |= span->waker != -1;
	times->syscalls |= span->kind == PERFDATA_SPAN_SYSCALL;
	times->irqs |= span->kind == PERFDATA_SPAN_IRQ;
	if (span->kind <= PERFDATA_SPAN_RUNQ) {
		time->sums[TIME_GAPS] += !whole && span->kind == PERFDATA_SPAN_OFF;
		const uint64_t begin = span->begin == UINT64_MAX ? span->end : span->begin;
		time->sums[TIME_FIRST] = begin < time->sums[TIME_FIRST] ? begin : time->sums[TIME_FIRST];
		keep_most(&time->sums[TIME_LAST], span->end == UINT64_MAX ? span->begin : span->end);
	}
	if (!whole)
		return true;
	switch (span->kind) {
	case PERFDATA_SPAN_RUN:
		time->sums[TIME_RUN] += duration;
		time->sums[TIME_RUN_COUNT]++;
		keep_most(&time->sums[TIME_RUN_MAX], duration);
		break;
	case PERFDATA_SPAN_OFF:
		add_off(time, span, duration);
		break;
	case PERFDATA_SPAN_RUNQ:
		time->sums[TIME_RUNQ] += duration;
		time->sums[TIME_RUNQ_COUNT]++;
		keep_most(&time->sums[TIME_RUNQ_MAX], duration);
		break;
	case PERFDATA_SPAN_SYSCALL:
		time->sums[TIME_SYSCALL] += duration;
		time->sums[TIME_SYSCALLS]++;
		break;
	case PERFDATA_SPAN_IRQ:
		time->sums[TIME_IRQ] += duration;
		break;
	default:
		break;
	}
	if (span->kind != PERFDATA_SPAN_OFF || span->waker <= 0)
		return true;
	time = time_of(times, span->waker, &span->waker_who);
	if (time)
		time->sums[TIME_WAKES]++;
	return time;
}

bool pd_thread_times_add(struct thread_times *times, const struct perfdata_batch *batch)
{
	size_t nr;
	const struct pd_span *spans = pd_batch_spans(batch, &nr);
	struct pd_account *account = pd_session_account(times->session);
	for (size_t i = 0; i < nr; i++)
		if (!add_span(times, &spans[i]))
			return false;
	const size_t size = times->room * sizeof *times->threads + times->of.capacity * sizeof *times->of.slots;
	pd_account_change(account, PD_USE_ROWS, times->accounted, size);
	times->accounted = size;
	return !pd_account_is_exhausted(account);
}

static int compare_rows(const void *left, const void *right)
{
	const struct thread_time *a = left, *b = right;
	if (a->pid != b->pid)
		return a->pid > b->pid ? 1 : -1;
	if (a->tid != b->tid)
		return a->tid > b->tid ? 1 : -1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

static bool is_known(const struct thread_times *times, const struct thread_time *time, unsigned column)
{
	if (column == TIME_SYSCALLS || column == TIME_SYSCALL)
		return times->syscalls;
	if (column == TIME_IRQ)
		return times->irqs;
	if (column == TIME_BLOCKED || column == TIME_WOKEN || column == TIME_WAKES)
		return times->wakes;
	return time->has_scheduler;
}

size_t pd_thread_times_finish(struct thread_times *times)
{
	if (times->nr)
		qsort(times->threads, times->nr, sizeof *times->threads, compare_rows);
	for (size_t i = 0; i < times->nr; i++) {
		uint64_t *sums = times->threads[i].sums;
		const uint64_t known = sums[TIME_RUN] + sums[TIME_OFF], life = sums[TIME_LAST] - sums[TIME_FIRST];
		sums[TIME_UNKNOWN] = sums[TIME_LAST] > sums[TIME_FIRST] && life > known ? life - known : 0;
	}
	return times->nr;
}

struct value pd_thread_time_value(const struct thread_times *times, size_t row, unsigned column)
{
	const struct thread_time *time = &times->threads[row];
	switch (column) {
	case TIME_PID: return id_value(time->pid);
	case TIME_TID: return id_value(time->tid);
	case TIME_COMM:
		return value_text(time->comm == PERFDATA_NONE ? NULL
							      : perfdata_session_comm(times->session, time->comm));
	default: return value_number(is_known(times, time, column), time->sums[column]);
	}
}
