/* SPDX-License-Identifier: MIT */
/* Samples without anything special: nearly all of most recordings. They are taken a few at a time: this file checks
 * once for all of them what deliver.c checks for each record, and prefetches the places where their stacks may be known
 * before it looks at them. The deliveries are those that deliver.c would have made of each sample. */
#include "config.h"
#include "schema/sample_scan.h"
#include "session/session.h"
#include "session/state.h"

struct sample {
	const struct perfdata_raw *raw;
	struct pd_sample_scan scan;            /* PD_SCAN_DELIVERY */
	struct pd_thread *thread;
	struct pd_chain_key chain;
};

static inline bool has_chain(const struct sample *sample)
{
	return sample->raw->event->attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN;
}

static inline bool is_simple(const struct perfdata_session *session, const struct perfdata_raw *raw, struct sample *ret)
{
	const struct perfdata_event *event = raw->event;
	ret->raw = raw;
	if (raw->type != PERFDATA_RECORD_SAMPLE || !event)
		return false;
	if (!pd_needs(session, PERFDATA_NEED_DELIVERIES))
		return !(event->attr->sample_type & PERFDATA_SAMPLE_READ);
	return pd_sample_scan(event->config, raw->bytes, raw->size, PD_SCAN_DELIVERY | PD_SCAN_WHOLE, &ret->scan) &&
	       !pd_is_offcpu(event) && !pd_goes_on(session, &ret->scan.callchain);
}

/* Keeps the samples that pass the filter. */
static enum perfdata_status keep_wanted(struct perfdata_session *session, struct sample *samples, unsigned *nr)
{
	const unsigned count = *nr;
	*nr = 0;
	for (unsigned i = 0; i < count; i++) {
		bool wanted;
		const enum perfdata_status status = pd_session_wants(session, samples[i].raw, true, &wanted);
		if (status != PERFDATA_OK)
			return status;
		if (wanted)
			samples[(*nr)++] = samples[i];
	}
	return PERFDATA_OK;
}

static enum perfdata_status find_threads(struct perfdata_session *session, struct sample *samples, unsigned nr)
{
	struct pd_state *state = session->state;
	for (unsigned i = 0; i < nr; i++) {
		samples[i].thread = pd_thread_get(state, samples[i].raw->pid, samples[i].raw->tid);
		if (!samples[i].thread)
			return PERFDATA_ENOMEM;
	}
	if (!pd_needs(session, NEED_ANY_STACKS))
		return PERFDATA_OK;
	for (unsigned i = 0; i < nr; i++)
		if (has_chain(&samples[i]))
			pd_stack_expect(state, samples[i].thread, &samples[i].scan.callchain, &samples[i].chain);
	for (unsigned i = 0; i < nr; i++)
		if (has_chain(&samples[i]))
			pd_stack_fetch(state, &samples[i].chain);
	return PERFDATA_OK;
}

static inline void fill(struct perfdata_delivery *delivery, const struct sample *sample, const struct perfdata_raw *own)
{
	const struct perfdata_event *event = own->event;
	const uint64_t recorded = event->attr->sample_type;
	delivery->record = own;
	delivery->event = event;
	delivery->deferred = NULL;
	delivery->address = sample->scan.ip;
	delivery->id = recorded & (PERFDATA_SAMPLE_IDENTIFIER | PERFDATA_SAMPLE_ID) ? sample->scan.id : UINT64_MAX;
	delivery->period = recorded & PERFDATA_SAMPLE_PERIOD ? sample->scan.period : event->config->sample_period;
	delivery->flags = PERFDATA_DELIVERY_FIRST;
	delivery->pid = own->pid;
	delivery->tid = own->tid;
	delivery->machine_pid = delivery->vcpu = 0;
	delivery->comm = delivery->ip = delivery->addr = delivery->stack = delivery->steps = delivery->branches =
		PERFDATA_NONE;
	delivery->nr_steps = delivery->node = delivery->thread = 0;
}

static inline void resolve(struct perfdata_session *session, struct pd_batch *batch, const struct sample *sample,
			   struct perfdata_delivery *delivery)
{
	struct pd_state *state = session->state;
	const struct pd_thread *thread = sample->thread;
	const uint64_t recorded = delivery->event->attr->sample_type;
	delivery->pid = thread->pid;
	delivery->thread = thread->number;
	delivery->comm = thread->comm;
	state->now = sample->raw->time;
	if (pd_needs(session, PERFDATA_NEED_FRAMES)) {
		const unsigned cpumode = sample->raw->misc & PERFDATA_CPUMODE_MASK;
		delivery->ip = pd_frame_of(state, thread, cpumode, sample->scan.ip);
		if (state->symbols)
			pd_leaf_count(state, delivery->ip);
		if (recorded & PERFDATA_SAMPLE_ADDR)
			delivery->addr = pd_frame_of_data(state, thread, cpumode, sample->scan.addr);
	}
	if (pd_needs(session, NEED_ANY_STACKS | PERFDATA_NEED_CHAIN_DSOS) && has_chain(sample)) {
		struct pd_chain chain = { .recorded = &sample->scan.callchain, .ip = sample->scan.ip,
					  .cpumode = sample->raw->misc & PERFDATA_CPUMODE_MASK };
		if (pd_needs(session, NEED_ANY_STACKS)) {
			struct pd_stack stack;
			chain.key = &sample->chain;
			if (pd_stack_get(state, thread, &chain, &batch->steps, &stack) == 0)
				pd_delivery_set_stack(delivery, &stack);
		}
		if (pd_needs(session, PERFDATA_NEED_CHAIN_DSOS))
			pd_chain_mark(state, thread, &chain);
	}
	if (pd_needs(session, PERFDATA_NEED_NODES) && !delivery->node)
		(void)pd_stack_alone(state, sample->raw->misc & PERFDATA_CPUMODE_MASK, sample->scan.ip, delivery->ip,
				     &delivery->node);
}

static enum perfdata_status deliver(struct perfdata_session *session, struct pd_batch *batch, struct sample *samples,
				    unsigned nr)
{
	if (session->state && find_threads(session, samples, nr) != PERFDATA_OK)
		return PERFDATA_ENOMEM;
	for (unsigned i = 0; i < nr; i++) {
		struct perfdata_raw *own = pd_batch_add_record(batch, samples[i].raw);
		struct perfdata_delivery *delivery = own ? pd_batch_next_delivery(batch) : NULL;
		if (!delivery)
			return PERFDATA_ENOMEM;
		own->known_whole = samples[i].scan.is_whole;
		fill(delivery, &samples[i], own);
		if (session->state)
			resolve(session, batch, &samples[i], delivery);
	}
	return session->state ? session->state->status : PERFDATA_OK;
}

enum perfdata_status pd_take_samples(struct perfdata_session *session, const struct perfdata_raw *raws, unsigned nr,
				     unsigned *ret_taken)
{
	struct sample samples[PD_MAX_RECORDS];
	unsigned count = 0;

	*ret_taken = 0;
	if (session->options.limit || session->off_cpu || (session->state && session->state->guests))
		return PERFDATA_OK;
	while (count < nr && is_simple(session, &raws[count], &samples[count]))
		count++;
	*ret_taken = count;
	enum perfdata_status status = pd_count_samples(&session->counts, raws, count);
	if (status == PERFDATA_OK && !session->filter.passes_samples)
		status = keep_wanted(session, samples, &count);
	if (status != PERFDATA_OK || !count)
		return status;
	struct pd_batch *batch = pd_batch_open(session);
	if (!batch)
		return PERFDATA_ENOMEM;
	session->counts.summary.records_out += count;
	session->counts.summary.samples_out += count;
	if (pd_needs(session, PERFDATA_NEED_DELIVERIES)) {
		session->counts.summary.deliveries_out += count;
		return deliver(session, batch, samples, count);
	}
	for (unsigned i = 0; i < count; i++)
		if (!pd_batch_add_record(batch, samples[i].raw))
			return PERFDATA_ENOMEM;
	return PERFDATA_OK;
}
