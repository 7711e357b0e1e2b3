/* SPDX-License-Identifier: MIT */
/* The rules by which the delivery of a sample is filled in: deliver.c applies them to one sample, sample_run.c to each
 * of a run. Frames get their numbers in the order of these calls. */
#ifndef SESSION_SAMPLE_RULES_H
#define SESSION_SAMPLE_RULES_H

#include "schema/sample_scan.h"
#include "session/session.h"
#include "session/state.h"

static inline bool pd_event_samples(const struct perfdata_event *event, uint64_t bits)
{
	return (event->attr->sample_type & bits) == bits;
}

static inline unsigned pd_cpumode_of(const struct perfdata_raw *raw) { return raw->misc & PERFDATA_CPUMODE_MASK; }

/* The id of the sample's counter; UINT64_MAX: not recorded. */
static inline uint64_t pd_sample_id_of(const struct perfdata_event *event, const struct pd_sample_scan *scan)
{
	const uint64_t ids = PERFDATA_SAMPLE_IDENTIFIER | PERFDATA_SAMPLE_ID;
	return event->attr->sample_type & ids ? scan->id : UINT64_MAX;
}

static inline uint64_t pd_sample_period_of(const struct perfdata_event *event, const struct pd_sample_scan *scan)
{
	return pd_event_samples(event, PERFDATA_SAMPLE_PERIOD) ? scan->period : event->config->sample_period;
}

/* Fills in the members that need neither threads nor maps. */
static inline void pd_delivery_begin(struct perfdata_delivery *ret, const struct perfdata_raw *raw,
				     const struct perfdata_event *event, uint64_t address, uint64_t id, uint64_t period)
{
	ret->record = raw;
	ret->event = event;
	ret->deferred = NULL;
	ret->address = address;
	ret->id = id;
	ret->period = period;
	ret->flags = PERFDATA_DELIVERY_FIRST;
	ret->pid = raw->pid;
	ret->tid = raw->tid;
	ret->machine_pid = ret->vcpu = 0;
	ret->comm = ret->script_comm = ret->ip = ret->addr = ret->stack = ret->steps = ret->branches = PERFDATA_NONE;
	ret->nr_steps = ret->node = ret->thread = 0;
}

/* Fills in the thread of the sample, and the frames of its addresses. */
static inline void pd_delivery_place(struct perfdata_session *session, const struct pd_thread *thread,
				     const struct pd_sample_scan *scan, struct perfdata_delivery *delivery)
{
	struct pd_state *state = session->state;
	const unsigned cpumode = pd_cpumode_of(delivery->record);
	delivery->pid = thread->pid;
	delivery->thread = thread->number;
	delivery->comm = thread->comm;
	delivery->script_comm = thread->script_comm;
	if (!pd_needs(session, PERFDATA_NEED_FRAMES))
		return;
	delivery->ip = pd_frame_of(state, thread, cpumode, scan->ip);
	if (state->symbols && delivery->flags & PERFDATA_DELIVERY_FIRST)
		pd_leaf_count(state, delivery->ip);
	if (pd_event_samples(delivery->event, PERFDATA_SAMPLE_ADDR))
		delivery->addr = pd_frame_of_data(state, thread, cpumode, scan->addr);
}

static inline bool pd_needs_chains(const struct perfdata_session *session)
{
	return pd_needs(session, NEED_ANY_STACKS | PERFDATA_NEED_CHAIN_DSOS);
}

/* Takes what the session needs of a chain. False after an error: see the state's status. */
static inline bool pd_chain_take(struct perfdata_session *session, struct pd_batch *batch,
				 const struct pd_thread *thread, const struct pd_chain *chain, struct pd_stack *ret)
{
	*ret = (struct pd_stack){ .steps = PERFDATA_NONE, .stack = PERFDATA_NONE };
	if (pd_needs(session, NEED_ANY_STACKS) &&
	    pd_stack_get(session->state, thread, chain, &batch->steps, ret) < 0)
		return false;
	if (pd_needs(session, PERFDATA_NEED_CHAIN_DSOS))
		pd_chain_mark(session->state, thread, chain);
	return true;
}

/* Gives a sample without a chain a stack: the sample's own address. */
static inline void pd_delivery_end(struct perfdata_session *session, const struct pd_thread *thread,
				   const struct pd_sample_scan *scan, struct perfdata_delivery *delivery)
{
	if (pd_needs(session, PERFDATA_NEED_NODES) && !delivery->node)
		(void)pd_stack_alone(session->state, thread, pd_cpumode_of(delivery->record), scan->ip, delivery->ip,
				     &delivery->node);
}

#endif
