/* SPDX-License-Identifier: MIT */
/* Samples that ask for nothing special: nearly all of most recordings. They are taken a few at a time: what deliver.c asks for each record is
 * asked once for all of them, and the places where their stacks may be known are on their way to the cache before they are looked at. What comes
 * out is what deliver.c would have made of each. */
#include "config.h"
#include "schema/decode.h"
#include "session/session.h"
#include "session/state.h"

struct plain {
	const struct perfdata_raw *raw;
	struct pd_sample_head head;
	struct pd_thread *thread;
	struct pd_chain_key chain;
};

static inline bool has_chain(const struct plain *plain)
{
	return plain->raw->event->attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN;
}

static inline bool is_plain(const struct perfdata_session *session, const struct perfdata_raw *raw, struct plain *ret)
{
	const struct perfdata_event *event = raw->event;
	ret->raw = raw;
	if (raw->type != PERFDATA_RECORD_SAMPLE || !event)
		return false;
	if (!pd_needs(session, PERFDATA_NEED_DELIVERIES))
		return !(event->attr->sample_type & PERFDATA_SAMPLE_READ);
	return pd_sample_head(event->config, raw->bytes, raw->size, &ret->head) && !pd_is_offcpu(event) &&
	       !pd_goes_on(session, &ret->head.callchain);
}

/* Leaves out what does not pass the filter. */
static enum perfdata_status keep_wanted(struct perfdata_session *session, struct plain *plain, unsigned *nr)
{
	const unsigned count = *nr;
	*nr = 0;
	for (unsigned i = 0; i < count; i++) {
		bool wanted;
		const enum perfdata_status status = pd_session_wants(session, plain[i].raw, true, &wanted);
		if (status != PERFDATA_OK)
			return status;
		if (wanted)
			plain[(*nr)++] = plain[i];
	}
	return PERFDATA_OK;
}

static enum perfdata_status find_threads(struct perfdata_session *session, struct plain *plain, unsigned nr)
{
	struct pd_state *state = session->state;
	for (unsigned i = 0; i < nr; i++) {
		plain[i].thread = pd_thread_get(state, plain[i].raw->pid, plain[i].raw->tid);
		if (!plain[i].thread)
			return PERFDATA_ENOMEM;
	}
	if (!pd_needs(session, NEED_ANY_STACKS))
		return PERFDATA_OK;
	for (unsigned i = 0; i < nr; i++)
		if (has_chain(&plain[i]))
			pd_stack_expect(state, plain[i].thread, &plain[i].head.callchain, &plain[i].chain);
	for (unsigned i = 0; i < nr; i++)
		if (has_chain(&plain[i]))
			pd_stack_fetch(state, &plain[i].chain);
	return PERFDATA_OK;
}

static inline void fill(struct perfdata_delivery *delivery, const struct plain *plain, const struct perfdata_raw *own)
{
	const struct perfdata_event *event = own->event;
	const uint64_t recorded = event->attr->sample_type;
	delivery->record = own;
	delivery->event = event;
	delivery->deferred = NULL;
	delivery->address = plain->head.ip;
	delivery->id = recorded & (PERFDATA_SAMPLE_IDENTIFIER | PERFDATA_SAMPLE_ID) ? plain->head.id : UINT64_MAX;
	delivery->period = recorded & PERFDATA_SAMPLE_PERIOD ? plain->head.period : event->config->sample_period;
	delivery->flags = PERFDATA_DELIVERY_FIRST;
	delivery->pid = own->pid;
	delivery->tid = own->tid;
	delivery->machine_pid = delivery->vcpu = 0;
	delivery->comm = delivery->ip = delivery->addr = delivery->stack = delivery->steps = delivery->branches = PERFDATA_NONE;
	delivery->nr_steps = delivery->node = delivery->thread = 0;
}

static inline void resolve(struct perfdata_session *session, struct pd_batch *batch, const struct plain *plain,
			   struct perfdata_delivery *delivery)
{
	struct pd_state *state = session->state;
	const struct pd_thread *thread = plain->thread;
	const uint64_t recorded = delivery->event->attr->sample_type;
	delivery->pid = thread->pid;
	delivery->thread = thread->number;
	delivery->comm = thread->comm;
	state->now = plain->raw->time;
	if (pd_needs(session, PERFDATA_NEED_FRAMES)) {
		const unsigned cpumode = plain->raw->misc & PERFDATA_CPUMODE_MASK;
		delivery->ip = pd_frame_of(state, thread, cpumode, plain->head.ip);
		if (state->symbols)
			pd_leaf_count(state, delivery->ip);
		if (recorded & PERFDATA_SAMPLE_ADDR)
			delivery->addr = pd_frame_of_data(state, thread, cpumode, plain->head.addr);
	}
	if (pd_needs(session, NEED_ANY_STACKS | PERFDATA_NEED_CHAIN_DSOS) && has_chain(plain)) {
		struct pd_chain chain = { .recorded = &plain->head.callchain, .ip = plain->head.ip };
		if (pd_needs(session, NEED_ANY_STACKS)) {
			struct pd_stack stack;
			chain.key = &plain->chain;
			if (pd_stack_get(state, thread, &chain, &batch->steps, &stack) == 0)
				pd_delivery_set_stack(delivery, &stack);
		}
		if (pd_needs(session, PERFDATA_NEED_CHAIN_DSOS))
			pd_chain_mark(state, thread, &chain);
	}
	if (pd_needs(session, PERFDATA_NEED_NODES) && !delivery->node)
		(void)pd_stack_alone(state, plain->raw->misc & PERFDATA_CPUMODE_MASK, plain->head.ip, delivery->ip, &delivery->node);
}

static enum perfdata_status deliver(struct perfdata_session *session, struct pd_batch *batch, struct plain *plain, unsigned nr)
{
	if (session->state && find_threads(session, plain, nr) != PERFDATA_OK)
		return PERFDATA_ENOMEM;
	for (unsigned i = 0; i < nr; i++) {
		struct perfdata_raw *own = pd_batch_add_record(batch, plain[i].raw);
		struct perfdata_delivery *delivery = own ? pd_batch_next_delivery(batch) : NULL;
		if (!delivery)
			return PERFDATA_ENOMEM;
		own->known_whole = pd_sample_ends_with(own->event->config, own->bytes, plain[i].head.end, own->size);
		fill(delivery, &plain[i], own);
		if (session->state)
			resolve(session, batch, &plain[i], delivery);
	}
	return session->state ? session->state->status : PERFDATA_OK;
}

enum perfdata_status pd_take_plain(struct perfdata_session *session, const struct perfdata_raw *raws, unsigned nr, unsigned *ret_taken)
{
	struct plain plain[PD_MAX_RECORDS];
	unsigned count = 0;

	*ret_taken = 0;
	if (session->options.limit || (session->state && session->state->guests))
		return PERFDATA_OK;
	while (count < nr && is_plain(session, &raws[count], &plain[count]))
		count++;
	*ret_taken = count;
	enum perfdata_status status = pd_count_plain(&session->counts, raws, count);
	if (status == PERFDATA_OK && !session->filter.passes_samples)
		status = keep_wanted(session, plain, &count);
	if (status != PERFDATA_OK || !count)
		return status;
	struct pd_batch *batch = pd_batch_open(session);
	if (!batch)
		return PERFDATA_ENOMEM;
	session->counts.summary.records_out += count;
	if (pd_needs(session, PERFDATA_NEED_DELIVERIES)) {
		session->counts.summary.deliveries_out += count;
		return deliver(session, batch, plain, count);
	}
	for (unsigned i = 0; i < count; i++)
		if (!pd_batch_add_record(batch, plain[i].raw))
			return PERFDATA_ENOMEM;
	return PERFDATA_OK;
}
