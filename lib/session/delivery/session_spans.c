/* SPDX-License-Identifier: MIT */
/* Spans of a recording: passes records to the engine, filters its spans, puts them into batches, and delivers time off
 * the CPU as samples that weigh it. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "reader/reader.h"
#include "schema/sample_scan.h"
#include "session/session.h"

/* Limits `ends`; above it, all entries are dropped. */
#define MAX_KNOWN_ENDS 65536u

struct pd_session_spans {
	struct pd_spans *engine;
	uint32_t kinds;                        /* bits: the kinds of spans that batches have */
	uint32_t states;                       /* bits: time off the CPU in these states counts */
	/* the event to which time off the CPU adds weight; NULL: none, or the events of a pipe are still to come */
	const struct perfdata_event *off_event;
	const struct perfdata_event *source;   /* the source of spans off the CPU; filters by event test it */
	size_t nr_events;                      /* number of the reader's events when spans were last set up */
	bool weighs_runs;                      /* time on the CPU has weight, too */
	bool no_state_frames;
	bool is_wanted;                        /* the record at hand passes the filter */
	/* the record that ended the last span, as the batch holds it for deliveries */
	const struct perfdata_raw *kept;
	uint64_t kept_number, kept_batch;
	uint32_t frames[PD_SPAN_STATES];       /* by state; PERFDATA_NONE: not made yet */
	struct pd_hash_map ends;               /* node of a stack and the frame of its end → node of both */
	size_t ends_accounted;
	int8_t *is_scheduler;                  /* by frame: 0 not looked up yet, 1 yes, -1 no */
	size_t is_scheduler_room;
	struct pd_hash_map cpus;               /* CPUs whose switches were recorded, from ID_INDEX */
	struct perfdata_step *steps;           /* room for the steps of one stack */
	size_t steps_room;
};

/* --- what the engine asks ----------------------------------------------------------------------------------------- */

static void who_has(void *user, int32_t tid, struct pd_span_who *ret)
{
	struct perfdata_session *session = user;
	struct pd_thread *thread = pd_thread_find(session->state, tid);
	*ret = (struct pd_span_who){ -1, PERFDATA_NONE, 0 };
	/* the thread has no record yet: it keeps this number when its process becomes known */
	if (!thread && tid > 0)
		thread = pd_thread_get(session->state, -1, tid);
	if (thread)
		*ret = (struct pd_span_who){ thread->pid, thread->comm, thread->number };
}

static enum perfdata_status stack_of(void *user, const struct perfdata_raw *raw, struct pd_span_stack *ret)
{
	struct perfdata_session *session = user;
	struct pd_state *state = session->state;
	struct pd_batch *batch = pd_batch_open(session);
	const struct perfdata_event *event = raw->event;
	struct pd_sample_scan scan = { 0 };
	struct perfdata_record record;
	struct pd_stack stack = { .steps = PERFDATA_NONE, .stack = PERFDATA_NONE };
	if (!batch)
		return PERFDATA_ENOMEM;
	/* if ids are needed, a record that the filter leaves out adds no stack: spans do not change the ids */
	struct pd_off_cpu_sample waited = { .pid = raw->pid, .tid = raw->tid };
	if (pd_is_off_cpu_event(event)) {
		(void)perfdata_decode(event->config, raw->bytes, raw->size, &record);
		(void)pd_off_cpu_sample_read(record.u.sample.raw, record.swap, &waited);
	}
	const bool own_chain = waited.callchain.count;
	if ((!(event->attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN) && !own_chain) ||
	    (!session->spans->is_wanted && pd_needs(session, PERFDATA_NEED_STACK_IDS)))
		return PERFDATA_OK;
	struct pd_thread *thread = pd_thread_get(state, waited.pid, waited.tid);
	if (!thread)
		return PERFDATA_ENOMEM;
	state->now = raw->time;
	const uint64_t registers = PERFDATA_SAMPLE_REGS_USER | PERFDATA_SAMPLE_STACK_USER;
	const bool unwinds = (event->attr->sample_type & registers) == registers;
	struct pd_chain chain = { .cpumode = raw->misc & PERFDATA_CPUMODE_MASK };
	if (own_chain) {
		chain.recorded = &waited.callchain;
		chain.ip = perfdata_list_u64(&waited.callchain, waited.callchain.count > 1);
	} else if (!unwinds && pd_sample_scan(event->config, raw->bytes, raw->size, PD_SCAN_DELIVERY, &scan)) {
		chain.recorded = &scan.callchain;
		chain.ip = scan.ip;
	} else {
		(void)perfdata_decode(event->config, raw->bytes, raw->size, &record);
		chain.recorded = &record.u.sample.callchain;
		chain.ip = record.u.sample.ip;
		if (unwinds)
			pd_unwind(state, thread, raw, &record.u.sample, &chain);
	}
	if (pd_stack_get(state, thread, &chain, &batch->steps, &stack) < 0)
		return state->status;
	*ret = (struct pd_span_stack){ stack.node, stack.stack };
	return PERFDATA_OK;
}

/* --- stacks that end with a state --------------------------------------------------------------------------------- */

/* Whether the frame is in the scheduler: stacks of all waits begin there, so such frames are left out. */
static bool is_scheduler(struct perfdata_session *session, uint32_t frame)
{
	static const char *const names[] = { "__schedule", "schedule", "preempt_schedule", "preempt_schedule_common",
					     "preempt_schedule_irq", "preempt_schedule_notrace" };
	struct pd_session_spans *own = session->spans;
	const size_t before = own->is_scheduler_room;
	struct perfdata_symbol symbol;
	if (frame == PERFDATA_NONE ||
	    pd_vector_grow(&own->is_scheduler, &own->is_scheduler_room, frame, sizeof *own->is_scheduler) < 0)
		return false;
	if (own->is_scheduler_room > before)
		memset(own->is_scheduler + before, 0, own->is_scheduler_room - before);
	if (!own->is_scheduler[frame]) {
		own->is_scheduler[frame] = -1;
		const bool named = perfdata_session_symbol(session, frame, session->state->now, &symbol) == PERFDATA_OK;
		for (size_t i = 0; named && i < sizeof names / sizeof *names; i++)
			if (!strcmp(symbol.name, names[i]))
				own->is_scheduler[frame] = 1;
	}
	return own->is_scheduler[frame] > 0;
}

/* The frame [text], which names no code: stacks of waits end with such frames. PERFDATA_NONE without memory. */
static uint32_t named_frame(struct perfdata_session *session, const char *text)
{
	char name[96];
	snprintf(name, sizeof name, "[%.80s]", text);
	const struct pd_dso_key key = { .kind = PERFDATA_DSO_STATE, .filename = name, .filename_size = strlen(name),
					.pid = -1 };
	const struct perfdata_frame frame = { .dso = pd_dso_get(session->state, &key) };
	return frame.dso == PERFDATA_NONE ? PERFDATA_NONE : pd_frame_get(session->state, &frame);
}

static uint32_t frame_of_thread(struct perfdata_session *session, int32_t tid, const struct pd_span_who *who)
{
	char name[80];
	snprintf(name, sizeof name, "%.40s (%" PRId32 "/%" PRId32 ")",
		 who->comm == PERFDATA_NONE ? tid ? "" : "idle" : perfdata_session_comm(session, who->comm), who->pid,
		 tid);
	return named_frame(session, name);
}

/* The frame with which the stack of a span ends. PERFDATA_NONE without memory. */
static uint32_t frame_of(struct perfdata_session *session, const struct pd_span *span, enum pd_span_state state)
{
	struct pd_session_spans *own = session->spans;
	const enum perfdata_wait_frame kind =
		span->kind == PERFDATA_SPAN_RUN ? PERFDATA_WAIT_STATE : session->options.wait_frame;
	if (kind == PERFDATA_WAIT_SYSCALL)
		return named_frame(session, span->name == UINT32_MAX ? "no system call"
								     : pd_session_span_text(session, span->name));
	/* the waker ended the blocked part of the wait, not the time in the run queue */
	const bool of_waker = kind != PERFDATA_WAIT_STATE && state != PD_STATE_RUN_QUEUE;
	if (of_waker && span->waker == -1)
		return named_frame(session, "not woken");
	if (of_waker && kind == PERFDATA_WAIT_WAKER)
		return frame_of_thread(session, span->waker, &span->waker_who);
	if (of_waker && kind == PERFDATA_WAIT_WAKEE)
		return frame_of_thread(session, span->tid, &span->who);
	if (own->frames[state] == PERFDATA_NONE)
		own->frames[state] = named_frame(session, pd_span_state_name(state));
	return own->frames[state];
}

static void account_for_ends(struct perfdata_session *session)
{
	struct pd_session_spans *own = session->spans;
	if (own->ends.count > MAX_KNOWN_ENDS || (own->ends.count && pd_account_is_over(session->account))) {
		pd_hash_map_release(&own->ends);
		own->ends = (struct pd_hash_map){ 0 };
	}
	const size_t size = own->ends.capacity * sizeof *own->ends.slots;
	pd_account_change(session->account, PD_USE_CACHES, own->ends_accounted, size);
	own->ends_accounted = size;
}

/* Finds the node of the stack with `frame` in place of the scheduler's frames. */
static enum perfdata_status end_with(struct perfdata_session *session, uint32_t node, uint32_t frame, uint32_t *ret)
{
	struct pd_session_spans *own = session->spans;
	struct pd_step_tree *tree = &session->state->stacks.nodes;
	const uint64_t key = (uint64_t)node << 32 | frame;
	uint64_t known;
	if (frame == PERFDATA_NONE)
		return PERFDATA_ENOMEM;
	if (own->no_state_frames && node) {
		*ret = node;
		return PERFDATA_OK;
	}
	if (pd_hash_map_get(&own->ends, key, &known)) {
		*ret = (uint32_t)known;
		return PERFDATA_OK;
	}
	size_t nr = 1;
	bool inside = true;
	for (uint32_t at = node; at;) {
		struct perfdata_step step;
		if (pd_step_tree_get(tree, at, &at, &step) < 0)
			return tree->status;
		inside = inside && is_scheduler(session, step.frame);
		if (inside)
			continue;
		if (pd_vector_grow(&own->steps, &own->steps_room, nr, sizeof *own->steps) < 0)
			return PERFDATA_ENOMEM;
		own->steps[nr++] = step;
	}
	if (pd_vector_grow(&own->steps, &own->steps_room, 0, sizeof *own->steps) < 0)
		return PERFDATA_ENOMEM;
	own->steps[0] = (struct perfdata_step){ .frame = frame, .cpumode = PERFDATA_CPUMODE_KERNEL,
						.origin = PERFDATA_STEP_RECORDED };
	*ret = pd_step_tree_node(tree, own->steps, nr, NULL);
	if (*ret == UINT32_MAX)
		return tree->status;
	account_for_ends(session);
	return pd_hash_map_put(&own->ends, key, *ret) < 0 ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* --- what comes out ----------------------------------------------------------------------------------------------- */

static enum perfdata_status deliver_span(struct perfdata_session *session, const struct pd_span *span,
					 const struct perfdata_raw *raw, enum pd_span_state state, uint64_t begin,
					 uint64_t duration)
{
	struct pd_session_spans *own = session->spans;
	struct pd_batch *batch = pd_batch_open(session);
	if (!batch)
		return PERFDATA_ENOMEM;
	if (!own->kept || own->kept_number != raw->number || own->kept_batch != batch->public.number) {
		own->kept = pd_batch_keep(batch, raw);
		own->kept_number = raw->number;
		own->kept_batch = batch->public.number;
	}
	struct perfdata_delivery *delivery = own->kept ? pd_batch_next_delivery(batch) : NULL;
	if (!delivery)
		return PERFDATA_ENOMEM;
	*delivery = (struct perfdata_delivery){
		.record = own->kept,
		.event = own->off_event,
		.address = begin,
		.id = UINT64_MAX,
		.period = duration,
		.flags = PERFDATA_DELIVERY_SPAN,
		.pid = span->who.pid,
		.tid = span->tid,
		.thread = span->who.thread,
		.comm = span->who.comm,
		.script_comm = span->who.comm,
		.ip = PERFDATA_NONE,
		.addr = PERFDATA_NONE,
		.stack = PERFDATA_NONE,
		.steps = PERFDATA_NONE,
		.branches = PERFDATA_NONE,
	};
	session->counts.summary.deliveries_out++;
	if (!pd_needs(session, PERFDATA_NEED_NODES))
		return pd_count_delivery(&session->counts, own->off_event);
	const enum perfdata_status status =
		end_with(session, span->stack.node, frame_of(session, span, state), &delivery->node);
	return status == PERFDATA_OK ? pd_count_delivery(&session->counts, own->off_event) : status;
}

/* Time off the CPU has two parts: the thread is blocked, then it waits for a CPU. */
static enum perfdata_status weigh_span(struct perfdata_session *session, const struct pd_span *span,
				       const struct perfdata_raw *raw)
{
	const struct pd_session_spans *own = session->spans;
	const uint64_t duration = span->summed ? span->summed : pd_span_duration(span);
	if (own->source && !pd_filter_event(&session->filter, own->source))
		return PERFDATA_OK;
	if (span->kind == PERFDATA_SPAN_RUN)
		return own->weighs_runs ? deliver_span(session, span, raw, PD_STATE_RUNNING, span->begin, duration)
					: PERFDATA_OK;
	if (span->kind != PERFDATA_SPAN_OFF)
		return PERFDATA_OK;
	const bool parts = span->state != PD_STATE_PREEMPTED && span->queued != UINT64_MAX && span->queued &&
			   span->queued <= duration;
	enum perfdata_status status = PERFDATA_OK;
	if (own->states >> span->state & 1)
		status = deliver_span(session, span, raw, span->state, span->begin,
				      parts ? duration - span->queued : duration);
	return status == PERFDATA_OK && parts && own->states >> PD_STATE_RUN_QUEUE & 1
		       ? deliver_span(session, span, raw, PD_STATE_RUN_QUEUE, span->end - span->queued, span->queued)
		       : status;
}

static bool has_number(const int32_t *list, size_t nr, int32_t number)
{
	bool found = !nr;
	for (size_t i = 0; i < nr && !found; i++)
		found = list[i] == number;
	return found;
}

/* Whether the filter chooses the span. It applies to spans, not to their records. Cuts the span to the filter's window
 * of time. */
static bool span_passes(const struct perfdata_session *session, struct pd_span *span)
{
	const struct perfdata_filter *given = &session->filter.given;
	if (!has_number(given->pids, given->nr_pids, span->who.pid) ||
	    !has_number(given->tids, given->nr_tids, span->tid))
		return false;
	bool found = !given->nr_cpus;
	const uint32_t cpu = span->cpu == UINT32_MAX ? span->end_cpu : span->cpu;
	for (size_t i = 0; i < given->nr_cpus && !found; i++)
		found = given->cpus[i] == cpu;
	const char *comm = given->nr_comms ? perfdata_session_comm(session, span->who.comm) : "";
	bool named = !given->nr_comms;
	for (size_t i = 0; i < given->nr_comms && !named; i++)
		named = pd_glob(given->comms[i], comm);
	if (!found || !named)
		return false;
	const uint64_t last = given->time_last ? given->time_last : UINT64_MAX;
	if (span->summed)                        /* its times are unknown */
		return !given->time_first && last == UINT64_MAX;
	if ((span->end != UINT64_MAX && span->end < given->time_first) ||
	    (span->begin != UINT64_MAX && span->begin > last) ||
	    (span->begin == UINT64_MAX && span->end > last) ||
	    (span->end == UINT64_MAX && span->begin < given->time_first))
		return false;
	if (!pd_span_is_whole(span))
		return true;
	const uint64_t woken = span->blocked == UINT64_MAX ? UINT64_MAX : span->begin + span->blocked;
	if (span->begin < given->time_first)
		span->begin = given->time_first;
	if (span->end > last)
		span->end = last;
	if (woken != UINT64_MAX) {
		const uint64_t at = woken < span->begin ? span->begin : woken > span->end ? span->end : woken;
		span->blocked = at - span->begin;
		span->queued = span->end - at;
	}
	return true;
}

static struct pd_span *room_for_span(void *user)
{
	struct pd_batch *batch = pd_batch_open(user);
	if (!batch || pd_vector_grow(&batch->spans, &batch->spans_room, batch->nr_spans, sizeof *batch->spans) < 0)
		return NULL;
	return &batch->spans[batch->nr_spans];
}

/* Copies the span's arguments into the batch. */
static bool keep_args(struct pd_batch *batch, struct pd_span *span)
{
	const uint8_t *before = batch->args;
	const size_t size = span->args.size;
	if (pd_vector_grow(&batch->args, &batch->args_room, batch->nr_args + size, 1) < 0)
		return false;
	memcpy(batch->args + batch->nr_args, span->args.data, size);
	span->args.data = batch->args + batch->nr_args;
	batch->nr_args += size;
	/* if batch->args has moved, the spans before must point to its new place */
	size_t at = 0;
	for (size_t i = 0; batch->args != before && i < batch->nr_spans; i++) {
		batch->spans[i].args.data = batch->spans[i].args.size ? batch->args + at : NULL;
		at += batch->spans[i].args.size;
	}
	return true;
}

static enum perfdata_status take_span(void *user, struct pd_span *span, const struct perfdata_raw *raw)
{
	struct perfdata_session *session = user;
	struct pd_session_spans *own = session->spans;
	if (session->filter.any && !span_passes(session, span))
		return PERFDATA_OK;
	const bool chosen = span->kind != PERFDATA_SPAN_OFF || own->states >> span->state & 1;
	if (!span->summed && own->kinds >> span->kind & 1 && chosen) {
		struct pd_batch *batch = session->open;   /* room_for_span has opened it */
		if (!span->args.size)
			span->args.data = NULL;
		else if (!keep_args(batch, span))
			return PERFDATA_ENOMEM;
		batch->nr_spans++;
	}
	const bool has_length = span->summed || pd_span_is_whole(span);
	return own->off_event && raw && has_length ? weigh_span(session, span, raw) : PERFDATA_OK;
}

/* --- setting up --------------------------------------------------------------------------------------------------- */

struct sources {
	const struct perfdata_event *switches, *records, *waits, *clock;
	bool simpleperf;                       /* `switches` is simpleperf's event at switch-outs */
	bool sampled;                          /* sched_switch is there, but was sampled */
};

static struct sources find_sources(const struct perfdata_reader *reader)
{
	enum { CPU_CLOCK = 0, TASK_CLOCK = 1 };
	struct sources found = { 0 };
	const struct perfdata_event *event;
	if (pd_traces_off_cpu(reader)) {
		found.simpleperf = true;
		found.clock = perfdata_reader_event(reader, 0);
		found.switches = perfdata_reader_event(reader, 1);
		return found;
	}
	for (uint32_t i = 0; (event = perfdata_reader_event(reader, i)); i++) {
		const struct perfdata_attr *attr = event->attr;
		const bool is_switch = attr->type == PERFDATA_TYPE_TRACEPOINT && event->trace &&
				       !strcmp(event->trace->system, "sched") &&
				       !strcmp(event->trace->name, "sched_switch");
		const bool whole = !perfdata_attr_has(attr, PERFDATA_ATTR_FREQ) && attr->sample_period == 1;
		if (is_switch && whole && !found.switches)
			found.switches = event;
		found.sampled |= is_switch && !whole;
		if (!found.waits && pd_is_off_cpu_event(event))
			found.waits = event;
		if (!found.records && perfdata_attr_has(attr, PERFDATA_ATTR_CONTEXT_SWITCH))
			found.records = event;
		if (!found.clock && attr->type == PERFDATA_TYPE_SOFTWARE &&
		    (attr->config == CPU_CLOCK || attr->config == TASK_CLOCK))
			found.clock = event;
	}
	return found;
}

static enum perfdata_status read_states(struct pd_session_spans *own, const char *text, struct perfdata_error *reterr)
{
	own->states = text ? 0 : UINT32_MAX;
	while (text && *text) {
		const size_t size = strcspn(text, ",");
		unsigned state = 0;
		for (; state < PD_SPAN_STATES; state++) {
			const char *name = pd_span_state_name(state);
			if (strlen(name) == size && !memcmp(name, text, size))
				break;
		}
		if (state == PD_SPAN_STATES)
			return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					"there is no state %.*s: sleeping, uninterruptible, preempted, run queue, "
					"stopped, traced, parked, idle, dead, off-CPU",
					(int)(size < 64 ? size : 64), text);
		own->states |= 1u << state;
		text += size + (text[size] == ',');
	}
	return PERFDATA_OK;
}

/* The event to which time off the CPU adds weight with PERFDATA_OFF_CPU_BESIDE; NULL: no event records waits, or only
 * an event whose samples count another unit. */
static const struct perfdata_event *event_beside(const struct sources *found)
{
	const struct perfdata_event *event = found->switches ? found->switches : found->waits;
	return event ? event : found->records && found->records == found->clock ? found->clock : NULL;
}

bool pd_session_spans_can_weigh(const struct perfdata_session *session)
{
	const struct sources found = find_sources(session->reader);
	return !perfdata_reader_nr_events(session->reader) || event_beside(&found);
}

static void weigh_beside(struct perfdata_session *session, const struct sources *found)
{
	struct pd_session_spans *own = session->spans;
	own->off_event = event_beside(found);
	own->source = found->switches ? found->switches : found->records ? found->records : found->waits;
	own->weighs_runs = !found->clock;
}

static enum perfdata_status choose_weights(struct perfdata_session *session, const struct sources *found,
					   struct perfdata_error *reterr)
{
	struct pd_session_spans *own = session->spans;
	const enum perfdata_off_cpu off_cpu = session->off_cpu;
	if (off_cpu == PERFDATA_OFF_CPU_BESIDE) {
		weigh_beside(session, found);
		return PERFDATA_OK;
	}
	session->on_event = found->clock;
	own->weighs_runs = off_cpu == PERFDATA_OFF_CPU_WALL && !found->clock;
	own->source = found->switches ? found->switches : found->records ? found->records : found->waits;
	own->off_event = own->source;
	if (off_cpu == PERFDATA_OFF_CPU_WALL && own->off_event == found->waits && !found->clock)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"no time on the CPU was recorded, just waits: --weight off-cpu");
	if (off_cpu == PERFDATA_OFF_CPU_WALL && found->clock)
		own->off_event = found->clock;
	else
		pd_reader_weigh_off_cpu(session->reader, own->off_event->index);
	if (off_cpu == PERFDATA_OFF_CPU_BOTH && (!found->clock || found->clock == own->off_event))
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"on and off the CPU cannot be two events here%s: --weight wall, or off-cpu",
				found->clock ? "" : ", since no clock was sampled");
	return PERFDATA_OK;
}

static enum perfdata_status no_weights(const struct sources *found, struct perfdata_error *reterr)
{
	return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
			"no time off the CPU was recorded%s (perf record -e sched:sched_switch -c 1 --switch-events; "
			"simpleperf record --trace-offcpu)",
			found->sampled ? ": sched_switch was sampled, with most switches missing" : "");
}

/* Sets up spans by the reader's events: at the start for a file, whenever a record brings events for a pipe. */
static enum perfdata_status look_at_events(struct perfdata_session *session, struct perfdata_error *reterr)
{
	struct pd_session_spans *own = session->spans;
	const struct sources found = find_sources(session->reader);
	own->nr_events = perfdata_reader_nr_events(session->reader);
	memset(session->span_uses, 0, sizeof session->span_uses);
	if (found.simpleperf)
		pd_spans_expect_simpleperf(own->engine, found.switches);
	if (found.records)
		pd_spans_expect_switch_records(own->engine);
	if (found.records || found.switches)
		pd_spans_ignore_wait_samples(own->engine);
	return session->off_cpu > PERFDATA_OFF_CPU_ON && !own->off_event &&
			       (found.switches || found.records || found.waits)
		       ? choose_weights(session, &found, reterr)
		       : PERFDATA_OK;
}

enum perfdata_status pd_session_spans_begin(struct perfdata_session *session, struct perfdata_error *reterr)
{
	const enum perfdata_off_cpu off_cpu = session->off_cpu;
	const bool weighs = off_cpu > PERFDATA_OFF_CPU_ON;
	struct pd_session_spans *own = session->spans = pd_calloc(1, sizeof *own);
	if (!own)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	for (unsigned i = 0; i < PD_SPAN_STATES; i++)
		own->frames[i] = PERFDATA_NONE;
	own->kinds = session->options.spans & ~PD_SPANS_ARGS;
	own->no_state_frames = session->options.no_state_frames;
	const uint32_t off = weighs ? 1u << PERFDATA_SPAN_OFF : 0,
		       run = off_cpu >= PERFDATA_OFF_CPU_WALL ? 1u << PERFDATA_SPAN_RUN : 0,
		       calls = weighs && session->options.wait_frame == PERFDATA_WAIT_SYSCALL
				       ? 1u << PERFDATA_SPAN_SYSCALL : 0;
	const struct pd_spans_options options = {
		.kinds = own->kinds | off | run | calls,
		.stacks = pd_needs(session, NEED_ANY_STACKS),
		.args = session->options.spans & PD_SPANS_ARGS,
		.swap = pd_order_is_foreign(perfdata_reader_header(session->reader)->order),
		.arch = pd_reader_arch(session->reader),
		.who = who_has, .stack = stack_of, .room = room_for_span, .take = take_span, .user = session,
	};
	own->engine = pd_spans_new(&options, session->account);
	if (!own->engine)
		return pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	enum perfdata_status status = read_states(own, session->options.span_states, reterr);
	if (status == PERFDATA_OK && weighs && session->filter.places)
		status = pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				  "time off the CPU lies in no file or function: --dso and --symbol choose samples");
	if (status == PERFDATA_OK)
		status = look_at_events(session, reterr);
	if (status == PERFDATA_OK && pd_pass_over_samples(session) != PERFDATA_OK)
		status = pd_error(reterr, PERFDATA_ENOMEM, PERFDATA_NO_OFFSET, "out of memory");
	const struct sources found = find_sources(session->reader);
	if (status == PERFDATA_OK && weighs && own->nr_events && !own->off_event &&
	    off_cpu != PERFDATA_OFF_CPU_BESIDE)
		status = no_weights(&found, reterr);
	return status;
}

/* Whether records of the event say when threads get and leave a CPU. */
static bool is_of_switches(const struct sources *found, const struct perfdata_event *event)
{
	return found->records ? perfdata_attr_has(event->attr, PERFDATA_ATTR_CONTEXT_SWITCH)
			      : event == found->switches;
}

/* Takes from ID_INDEX the CPUs whose switches are recorded; an event of a single thread counts on every CPU. */
static enum perfdata_status take_index(struct perfdata_session *session, const struct perfdata_raw *raw)
{
	const struct sources found = find_sources(session->reader);
	struct perfdata_record record;
	if (perfdata_raw_decode(session->reader, raw, &record) != PERFDATA_OK)
		return PERFDATA_OK;
	const struct perfdata_list *entries = &record.u.id_index.entries;
	for (uint64_t i = 0; i < entries->count; i++) {
		struct perfdata_id_index_entry entry;
		perfdata_list_get(entries, i, &entry, sizeof entry);
		const struct perfdata_event *event = perfdata_reader_event_by_id(session->reader, entry.id);
		if (event && is_of_switches(&found, event) && entry.cpu >= 0 && entry.tid == -1 &&
		    pd_hash_map_put(&session->spans->cpus, (uint64_t)entry.cpu, 1) < 0)
			return PERFDATA_ENOMEM;
	}
	return PERFDATA_OK;
}

static void report_part(struct perfdata_session *session)
{
	const struct pd_span_facts *facts = pd_spans_facts(session->spans->engine);
	const struct perfdata_feature_section *section =
		perfdata_reader_feature(session->reader, PERFDATA_FEATURE_NRCPUS);
	const struct perfdata_node *online =
		section && section->feature
			? perfdata_node_get(perfdata_feature_root(section->feature), "online") : NULL;
	const size_t nr = session->spans->cpus.count;
	char message[128];
	if (!nr || !online || nr >= online->v.u || !facts->kinds[PERFDATA_SPAN_OFF].spans)
		return;
	snprintf(message, sizeof message, "switches of %zu of %" PRIu64 " processors", nr, online->v.u);
	pd_reader_tell(session->reader, PERFDATA_FINDING_SPANS_PART, message);
}

enum perfdata_status pd_session_spans_follow(struct perfdata_session *session)
{
	return session->spans->nr_events == perfdata_reader_nr_events(session->reader)
		       ? PERFDATA_OK
		       : look_at_events(session, &session->error);
}

enum perfdata_status pd_session_spans_take_samples(struct perfdata_session *session, const struct perfdata_raw *raws,
						   const bool *uses, unsigned nr)
{
	struct pd_spans *engine = session->spans->engine;
	struct pd_state *state = session->state;
	enum perfdata_status status = PERFDATA_OK;
	session->spans->is_wanted = true;
	for (unsigned i = 0; i < nr && status == PERFDATA_OK; i++) {
		const struct perfdata_raw *raw = &raws[i];
		/* the engine asks for the record's thread, but for no idle thread that has no record before this one */
		const bool is_thread = raw->tid > 0;
		state->now = raw->time;
		if (is_thread && !pd_thread_get(state, raw->pid, raw->tid))
			return PERFDATA_ENOMEM;
		if (uses[i])
			status = pd_spans_record(engine, raw);
		if (!is_thread && !pd_thread_get(state, raw->pid, raw->tid))
			return PERFDATA_ENOMEM;
	}
	return status;
}

enum perfdata_status pd_session_spans_take(struct perfdata_session *session, const struct perfdata_raw *raw,
					   bool wanted)
{
	const enum perfdata_status status = pd_session_spans_follow(session);
	session->spans->is_wanted = wanted;
	if (status != PERFDATA_OK)
		return status;
	if (raw->type == PERFDATA_RECORD_ID_INDEX)
		return take_index(session, raw);
	if (raw->type == PERFDATA_RECORD_SAMPLE && raw->tid > 0 && !pd_thread_get(session->state, raw->pid, raw->tid))
		return PERFDATA_ENOMEM;
	return pd_spans_record(session->spans->engine, raw);
}

/* Reports spans without a begin or an end if they are at least 1 % of a kind. */
static void report_unknown(struct perfdata_session *session)
{
	const struct pd_span_facts *facts = pd_spans_facts(session->spans->engine);
	char message[200];
	if (facts->sampled_switches && !facts->both) {
		snprintf(message, sizeof message, "%" PRIu64 " samples of sched_switch say nothing of times",
			 facts->sampled_switches);
		pd_reader_tell(session->reader, PERFDATA_FINDING_SPANS_SAMPLED, message);
	}
	for (unsigned i = 0; i < PERFDATA_SPAN_KINDS; i++) {
		const struct pd_span_count *count = &facts->kinds[i];
		const uint64_t missing = count->no_end + (i > PERFDATA_SPAN_RUNQ ? count->no_begin : 0),
			       all = missing + count->spans;
		if (!missing || missing < all / 100)
			continue;
		snprintf(message, sizeof message, "%s: %" PRIu64 " of %" PRIu64 " (%.1f %%) lack a begin or an end%s",
			 pd_span_kind_name(i), missing, all, 100.0 * (double)missing / (double)all,
			 facts->gaps && i <= PERFDATA_SPAN_RUNQ ? ": switches are missing" : "");
		pd_reader_tell(session->reader, PERFDATA_FINDING_SPANS_UNKNOWN, message);
	}
}

enum perfdata_status pd_session_spans_end(struct perfdata_session *session)
{
	if (!session->spans)
		return PERFDATA_OK;
	const struct sources found = find_sources(session->reader);
	if (session->off_cpu > PERFDATA_OFF_CPU_ON && !session->spans->off_event &&
	    session->off_cpu != PERFDATA_OFF_CPU_BESIDE)
		return no_weights(&found, &session->error);
	const enum perfdata_status status = pd_spans_end(session->spans->engine);
	if (status == PERFDATA_OK) {
		report_unknown(session);
		report_part(session);
	}
	return status;
}

const struct perfdata_event *pd_session_off_event(const struct perfdata_session *session)
{
	return session->spans ? session->spans->off_event : NULL;
}

bool pd_session_spans_took(const struct perfdata_session *session)
{
	return session->spans && pd_spans_took(session->spans->engine);
}

bool pd_session_spans_use(const struct perfdata_session *session, const struct perfdata_event *event)
{
	return pd_spans_use(session->spans->engine, event);
}

bool pd_session_spans_use_waking(const struct perfdata_session *session, const struct perfdata_event *event)
{
	return pd_spans_use_waking(session->spans->engine, event);
}

bool pd_session_spans_use_wakeup(const struct perfdata_session *session, const struct perfdata_event *event)
{
	return pd_spans_use_wakeup(session->spans->engine, event);
}

void pd_session_spans_free(struct perfdata_session *session)
{
	struct pd_session_spans *own = session->spans;
	if (!own)
		return;
	pd_account_give(session->account, PD_USE_CACHES, own->ends_accounted);
	pd_spans_free(own->engine);
	pd_hash_map_release(&own->ends);
	pd_hash_map_release(&own->cpus);
	pd_free(own->is_scheduler);
	pd_free(own->steps);
	pd_free(own);
	session->spans = NULL;
}

const struct pd_span_facts *pd_session_span_facts(const struct perfdata_session *session)
{
	return session->spans ? pd_spans_facts(session->spans->engine) : NULL;
}

void perfdata_session_span_counts(const struct perfdata_session *session, enum perfdata_span_kind kind,
				  struct perfdata_span_counts *ret)
{
	const struct pd_span_facts *facts = pd_session_span_facts(session);
	*ret = (struct perfdata_span_counts){ 0 };
	if (!facts || kind >= PERFDATA_SPAN_KINDS)
		return;
	const struct pd_span_count *count = &facts->kinds[kind];
	*ret = (struct perfdata_span_counts){
		.spans = count->spans, .total = count->total, .no_begin = count->no_begin, .no_end = count->no_end,
		.open = count->open, .with_losses = count->with_losses, .switches = facts->switches,
		.switch_records = facts->switch_records, .sampled_switches = facts->sampled_switches,
	};
}

const char *pd_session_span_name(const struct perfdata_session *session, const struct pd_span *span)
{
	if (span->kind == PERFDATA_SPAN_OFF || span->kind == PERFDATA_SPAN_RUN || span->kind == PERFDATA_SPAN_RUNQ)
		return pd_span_state_name(span->state);
	return pd_session_span_text(session, span->name);
}

const char *pd_session_span_text(const struct perfdata_session *session, uint32_t name)
{
	return session->spans ? pd_spans_name(session->spans->engine, name) : "";
}
