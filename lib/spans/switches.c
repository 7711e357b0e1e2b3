/* SPDX-License-Identifier: MIT */
/* Runs and waits of threads, and their causes, from samples of sched_switch and of wake-ups and from SWITCH records. */
#include "config.h"
#include "spans/spans_impl.h"

/* Who has the tid. A thread that has exited runs on until its last switch, and may wake others, but the session has
 * dropped it already. thread: the thread of the tid, or NULL. */
static struct pd_span_who who_is(const struct pd_spans *spans, int32_t tid, const struct pd_span_thread *thread)
{
	struct pd_span_who who = { -1, PERFDATA_NONE, 0 };
	if (thread && thread->has_exited)
		return thread->who;
	spans->options.who(spans->options.user, tid, &who);
	return who;
}

/* --- spans -------------------------------------------------------------------------------------------------------- */

static enum pd_span_source source_of(const struct pd_spans *spans)
{
	return spans->left_event   ? PD_SPAN_OF_SIMPLEPERF
	       : spans->by_records ? PD_SPAN_OF_SWITCH_RECORDS
				   : PD_SPAN_OF_TRACEPOINTS;
}

static enum perfdata_status give_run(struct pd_spans *spans, int32_t tid, const struct pd_span_who *who,
				     const struct pd_span_side *since, const struct perfdata_raw *raw)
{
	if (pd_spans_only_count(spans, PERFDATA_SPAN_RUN, since->time, raw->time, false))
		return PERFDATA_OK;
	struct pd_span *span = pd_spans_begin(spans, PERFDATA_SPAN_RUN);
	if (!span)
		return PERFDATA_ENOMEM;
	span->state = PD_STATE_RUNNING;
	span->source = source_of(spans);
	span->begin = since->time;
	span->tid = tid;
	span->who = *who;
	span->cpu = since->cpu;
	span->begins = since->place;
	pd_span_set_end(span, raw->time, raw);
	return pd_spans_give(spans, span, raw);
}

static bool has_wake(const struct pd_spans *spans, const struct pd_span_thread *thread)
{
	return thread->is_woken && thread->wake.epoch == spans->epoch;
}

static void set_wake(const struct pd_span_thread *thread, struct pd_span *span)
{
	span->waker = thread->wake.waker;
	span->waker_who = thread->wake.who;
	span->waker_stack = thread->wake.stack;
	span->woken = thread->wake.time;
}

/* Begins the span of a wait, or of its part in the run queue, with what was known when the thread left its CPU. NULL
 * without memory. */
static struct pd_span *begin_wait(struct pd_spans *spans, enum perfdata_span_kind kind,
				  const struct pd_span_thread *thread)
{
	struct pd_span *span = pd_spans_begin(spans, kind);
	if (!span)
		return NULL;
	span->state = thread->left.state;
	span->state_raw = thread->left.state_raw;
	span->source = spans->by_records && thread->left.known ? PD_SPAN_OF_BOTH : source_of(spans);
	span->begin = thread->out.time;
	span->tid = thread->tid;
	span->who = thread->who;
	span->cpu = thread->out.cpu;
	span->stack = thread->left.stack;
	span->name = thread->syscall - 1;
	span->begins = thread->out.place;
	return span;
}

/* A wait without an end: the thread left a CPU again, or the recording ended (raw: NULL). */
static enum perfdata_status give_endless(struct pd_spans *spans, const struct pd_span_thread *thread,
					 const struct perfdata_raw *raw)
{
	if (pd_spans_only_count(spans, PERFDATA_SPAN_OFF, thread->out.time, UINT64_MAX, !raw))
		return PERFDATA_OK;
	struct pd_span *span = begin_wait(spans, PERFDATA_SPAN_OFF, thread);
	return span ? pd_spans_give(spans, span, raw) : PERFDATA_ENOMEM;
}

/* Reports the time in the run queue: from the wake-up, or from the loss of the CPU, to the next run. */
static enum perfdata_status give_queued(struct pd_spans *spans, const struct pd_span_thread *thread, uint64_t since,
					bool woken, const struct perfdata_raw *raw)
{
	if (pd_spans_only_count(spans, PERFDATA_SPAN_RUNQ, since, raw->time, false))
		return PERFDATA_OK;
	struct pd_span *span = begin_wait(spans, PERFDATA_SPAN_RUNQ, thread);
	if (!span)
		return PERFDATA_ENOMEM;
	span->begin = since;
	pd_span_set_end(span, raw->time, raw);
	if (woken)
		set_wake(thread, span);
	return pd_spans_give(spans, span, raw);
}

/* Handles a thread that gets a CPU, though no record says when it left one. */
static enum perfdata_status come_unseen(struct pd_spans *spans, struct pd_span_thread *thread,
					const struct perfdata_raw *raw)
{
	const bool woken = has_wake(spans, thread);
	const enum perfdata_span_kind kind = woken ? PERFDATA_SPAN_RUNQ : PERFDATA_SPAN_OFF;
	const uint64_t begin = woken ? thread->wake.time : UINT64_MAX;
	const struct pd_span_who who = who_is(spans, thread->tid, thread);
	thread->is_woken = false;
	if (pd_spans_only_count(spans, kind, begin, raw->time, false))
		return PERFDATA_OK;
	struct pd_span *span = pd_spans_begin(spans, kind);
	if (!span)
		return PERFDATA_ENOMEM;
	span->begin = begin;
	span->tid = thread->tid;
	span->who = who;
	span->source = source_of(spans);
	pd_span_set_end(span, raw->time, raw);
	if (woken) {
		set_wake(thread, span);
		span->state = PD_STATE_RUN_QUEUE;
	}
	return pd_spans_give(spans, span, raw);
}

/* Handles a thread that gets a CPU: its wait ends. */
static enum perfdata_status enter_thread(struct pd_spans *spans, struct pd_span_thread *thread,
					 const struct perfdata_raw *raw)
{
	if (!thread->is_out)
		return come_unseen(spans, thread, raw);
	const uint64_t begin = thread->out.time;
	uint64_t end = raw->time < begin ? begin : raw->time, queued_since = UINT64_MAX;
	if (spans->left_event && end == begin)
		end++;                   /* a wait of simpleperf lasts at least 1 ns */
	const bool preempted = thread->left.state == PD_STATE_PREEMPTED,
		   woken = !preempted && has_wake(spans, thread) && thread->wake.time >= begin;
	if (preempted)
		queued_since = begin;
	else if (woken)
		queued_since = thread->wake.time > end ? end : thread->wake.time;
	const bool queued = queued_since != UINT64_MAX;
	enum perfdata_status status = PERFDATA_OK;
	thread->is_out = thread->is_woken = false;
	if (!pd_spans_only_count(spans, PERFDATA_SPAN_OFF, begin, end, false)) {
		struct pd_span *span = begin_wait(spans, PERFDATA_SPAN_OFF, thread);
		if (!span)
			return PERFDATA_ENOMEM;
		pd_span_set_end(span, end, raw);
		if (woken)
			set_wake(thread, span);
		if (queued) {
			span->blocked = queued_since - begin;
			span->queued = end - queued_since;
		}
		status = pd_spans_give(spans, span, raw);
	}
	return status == PERFDATA_OK && queued ? give_queued(spans, thread, queued_since, woken, raw) : status;
}

enum perfdata_status pd_spans_see_running(struct pd_spans *spans, const struct perfdata_raw *raw)
{
	struct pd_span_thread *thread = pd_spans_thread(spans, raw->tid, false);
	return thread && thread->is_out ? enter_thread(spans, thread, raw) : PERFDATA_OK;
}

enum perfdata_status pd_spans_go(struct pd_spans *spans, struct pd_span_thread *thread, const struct pd_left *left,
				 const struct perfdata_raw *raw)
{
	enum perfdata_status status = PERFDATA_OK;
	if (thread->is_out)
		status = give_endless(spans, thread, raw);
	thread->is_out = true;
	thread->is_woken = false;
	thread->out = pd_span_side(raw);
	thread->left = *left;
	return status;
}

/* --- sched_switch ------------------------------------------------------------------------------------------------- */

static enum perfdata_status leave_cpu(struct pd_spans *spans, struct pd_span_thread *thread,
				      const struct pd_span_who *who, const struct pd_left *left,
				      const struct perfdata_raw *raw)
{
	if (left->state == PD_STATE_DEAD) {
		if (thread->running)
			thread->is_out = thread->is_woken = thread->has_exited = false;
		else
			pd_spans_drop_thread(spans, thread);
		return PERFDATA_OK;
	}
	const enum perfdata_status status = pd_spans_go(spans, thread, left, raw);
	if (who->pid != -1 || thread->who.pid == -1)
		thread->who = *who;
	return status;
}

/* Compares `prev`, to which thread and who belong, with the thread known to be on the CPU, and ends that thread's
 * run. */
static enum perfdata_status change_cpu(struct pd_spans *spans, struct pd_span_cpu *cpu, int32_t prev,
				       struct pd_span_thread *thread, const struct pd_span_who *who,
				       const struct perfdata_raw *raw)
{
	enum perfdata_status status = PERFDATA_OK;
	if (!cpu->known)
		return status;
	if (cpu->tid != prev) {
		spans->facts.gaps++;
		thread = cpu->tid ? pd_spans_thread(spans, cpu->tid, false) : NULL;
	} else if (prev) {
		status = give_run(spans, prev, who->pid == -1 ? &cpu->who : who, &cpu->since, raw);
	}
	if (thread && thread->running)
		thread->running--;
	return status;
}

/* Handles the thread `next`, which gets the CPU; cpu is NULL if the number of the CPU was not recorded. */
static enum perfdata_status enter_cpu(struct pd_spans *spans, struct pd_span_cpu *cpu, int32_t next,
				      const struct perfdata_raw *raw)
{
	struct pd_span_thread *thread = next ? pd_spans_thread(spans, next, true) : NULL;
	if (next && !thread)
		return PERFDATA_ENOMEM;
	if (cpu) {
		cpu->known = true;
		cpu->tid = next;
		cpu->since = pd_span_side(raw);
		cpu->who = next ? who_is(spans, next, thread) : (struct pd_span_who){ -1, PERFDATA_NONE, 0 };
	}
	if (!next)
		return PERFDATA_OK;
	thread->running += raw->cpu != UINT32_MAX;
	return enter_thread(spans, thread, raw);
}

enum perfdata_status pd_spans_switch(struct pd_spans *spans, const struct pd_span_event *event,
				     const struct perfdata_raw *raw, struct perfdata_bytes data)
{
	uint64_t prev_pid, next_pid, prev_state;
	if (!pd_spans_number(spans, event->fields[0], data, &prev_pid) ||
	    !pd_spans_number(spans, event->fields[1], data, &next_pid) ||
	    !pd_spans_number(spans, event->fields[2], data, &prev_state))
		return PERFDATA_OK;
	const int32_t prev = (int32_t)prev_pid, next = (int32_t)next_pid;
	struct pd_left left = { .state = pd_span_state_of(event, prev_state), .state_raw = prev_state, .known = true };
	enum perfdata_status status = PERFDATA_OK;
	spans->facts.switches++;
	if (prev && left.state != PD_STATE_DEAD)
		status = pd_spans_stack(spans, raw, &left.stack);
	struct pd_span_thread *thread = prev ? pd_spans_thread(spans, prev, true) : NULL;
	if (prev && !thread)
		return PERFDATA_ENOMEM;
	if (spans->by_records) {
		if (thread && status == PERFDATA_OK)
			thread->next = left;
		return status;
	}
	/* without the number of the CPU, only threads are followed */
	struct pd_span_cpu *cpu = raw->cpu == UINT32_MAX ? NULL : pd_spans_cpu(spans, raw->cpu);
	if (!cpu && raw->cpu != UINT32_MAX)
		return PERFDATA_ENOMEM;
	const bool is_asked = prev && (left.state != PD_STATE_DEAD || (cpu && cpu->known && cpu->tid == prev));
	const struct pd_span_who who = is_asked ? who_is(spans, prev, thread)
						: (struct pd_span_who){ -1, PERFDATA_NONE, 0 };
	if (status == PERFDATA_OK && cpu)
		status = change_cpu(spans, cpu, prev, thread, &who, raw);
	if (status == PERFDATA_OK && thread)
		status = leave_cpu(spans, thread, &who, &left, raw);
	return status == PERFDATA_OK ? enter_cpu(spans, cpu, next, raw) : status;
}

/* --- wake-ups ----------------------------------------------------------------------------------------------------- */

enum perfdata_status pd_spans_wake(struct pd_spans *spans, const struct pd_span_event *event,
				   const struct perfdata_raw *raw, struct perfdata_bytes data)
{
	uint64_t pid;
	if (event->role == PD_ROLE_WAKEUP && spans->has_waking)
		return PERFDATA_OK;
	if (event->role == PD_ROLE_WAKING && !spans->has_waking) {
		/* sched_waking comes earlier and names the waker: forget the wake-ups that sched_wakeup reported */
		spans->has_waking = true;
		spans->epoch++;
	}
	if (!pd_spans_number(spans, event->fields[0], data, &pid))
		return PERFDATA_OK;
	struct pd_span_thread *thread = pd_spans_thread(spans, (int32_t)pid, true);
	if (!thread)
		return PERFDATA_ENOMEM;
	spans->facts.wakes++;
	if ((thread->is_out && thread->left.state == PD_STATE_PREEMPTED) || thread->running || thread->is_on ||
	    has_wake(spans, thread))
		return PERFDATA_OK;
	struct pd_span_stack stack;
	const enum perfdata_status status = pd_spans_stack(spans, raw, &stack);
	thread->is_woken = true;
	thread->wake.time = raw->time;
	thread->wake.epoch = spans->epoch;
	thread->wake.waker = raw->tid;
	thread->wake.who = who_is(spans, raw->tid, pd_spans_thread(spans, raw->tid, false));
	thread->wake.stack = stack;
	return status;
}

/* --- SWITCH records ----------------------------------------------------------------------------------------------- */

/* Whether SWITCH records say when threads run. By simpleperf's rule they say nothing about waits. */
static bool has_records(const struct pd_spans *spans) { return spans->by_records || spans->left_event; }

static enum perfdata_status end_on(struct pd_spans *spans, struct pd_span_thread *thread,
				   const struct perfdata_raw *raw)
{
	thread->is_on = false;
	return give_run(spans, thread->tid, &thread->who, &thread->on, raw);
}

enum perfdata_status pd_spans_switch_record(struct pd_spans *spans, const struct perfdata_raw *raw)
{
	const int32_t tid = raw->tid;
	const bool leaves = raw->misc & PERFDATA_MISC_SWITCH_OUT;
	enum perfdata_status status = PERFDATA_OK;
	spans->facts.switch_records++;
	spans->facts.wide |= raw->type == PERFDATA_RECORD_SWITCH_CPU_WIDE;
	if (spans->left_event && !leaves && (status = pd_spans_see_running(spans, raw)) != PERFDATA_OK)
		return status;
	if (!has_records(spans) || tid == 0 || tid == -1)
		return PERFDATA_OK;
	/* in system-wide recordings, a thread that has exited still has one switch-out */
	if (pd_hash_map_remove(&spans->exited, (uint32_t)tid) && leaves)
		return PERFDATA_OK;
	spans->took = !spans->left_event && pd_spans_want(spans, PERFDATA_SPAN_OFF);
	struct pd_span_thread *thread = pd_spans_thread(spans, tid, true);
	if (!thread)
		return PERFDATA_ENOMEM;
	const struct pd_span_who who = who_is(spans, tid, thread);
	if (who.pid != -1 || thread->who.pid == -1)
		thread->who = who;
	if (leaves && spans->left_event)
		return thread->is_on ? end_on(spans, thread, raw) : PERFDATA_OK;
	if (leaves) {
		const bool preempted = raw->misc & PERFDATA_MISC_SWITCH_OUT_PREEMPT;
		struct pd_left left = thread->next;
		if (!left.known || left.state == PD_STATE_DEAD)
			left = (struct pd_left){ .state = preempted ? PD_STATE_PREEMPTED : PD_STATE_UNKNOWN,
						 .state_raw = UINT64_MAX,
						 .stack = { 0, PERFDATA_NONE } };
		thread->next.known = false;
		if (thread->is_on)
			status = end_on(spans, thread, raw);
		return status == PERFDATA_OK ? pd_spans_go(spans, thread, &left, raw) : status;
	}
	if (thread->is_on)
		spans->facts.gaps++;
	if (!spans->left_event)
		status = enter_thread(spans, thread, raw);
	thread->is_on = true;
	thread->on = pd_span_side(raw);
	return status;
}

enum perfdata_status pd_spans_exit(struct pd_spans *spans, const struct perfdata_raw *raw, int32_t tid)
{
	struct pd_span_thread *thread = pd_spans_thread(spans, tid, false);
	enum perfdata_status status = PERFDATA_OK;
	if (thread && !has_records(spans)) {
		/* the thread's last switch is still to come, and needs its name */
		thread->who = who_is(spans, tid, thread);
		thread->has_exited = true;
	}
	if (!has_records(spans))
		return PERFDATA_OK;
	if (thread && thread->is_on)
		status = end_on(spans, thread, raw);
	if (thread)
		pd_spans_drop_thread(spans, thread);
	if (status == PERFDATA_OK && pd_hash_map_put(&spans->exited, (uint32_t)tid, 1) < 0)
		status = PERFDATA_ENOMEM;
	return status;
}

void pd_spans_fork(struct pd_spans *spans, int32_t tid)
{
	struct pd_span_thread *thread = pd_spans_thread(spans, tid, false);
	if (thread)
		thread->has_exited = false;
}

enum perfdata_status pd_spans_end_switches(struct pd_spans *spans)
{
	enum perfdata_status status = PERFDATA_OK;
	for (size_t i = 0; i < spans->nr_threads && status == PERFDATA_OK; i++) {
		if (spans->threads[i].is_out)
			status = give_endless(spans, &spans->threads[i], NULL);
	}
	return status;
}
