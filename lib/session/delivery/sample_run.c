/* SPDX-License-Identifier: MIT */
/* Delivers runs of plain samples, which are nearly all records of most recordings. This file makes once for the run the
 * checks that deliver.c makes for each record, and prefetches the cache slots of the samples' stacks before it reads
 * them. Both files fill in deliveries by the same rules: sample_rules.h. */
#include "config.h"
#include <assert.h>
#include "session/delivery/sample_rules.h"

struct sample {
	const struct perfdata_raw *raw;
	struct pd_sample_scan scan;            /* scanned with PD_SCAN_DELIVERY */
	struct pd_thread *thread;
	struct pd_chain_key chain;
	const struct pd_steps_ahead *ahead;    /* steps that were found before, or NULL */
};

static inline bool has_chain(const struct sample *sample)
{
	return pd_event_samples(sample->raw->event, PERFDATA_SAMPLE_CALLCHAIN);
}

static inline struct pd_chain chain_of(const struct sample *sample)
{
	return (struct pd_chain){ .recorded = &sample->scan.callchain, .ip = sample->scan.ip,
				  .cpumode = pd_cpumode_of(sample->raw) };
}

static inline bool is_simple(const struct perfdata_session *session, const struct perfdata_raw *raw, struct sample *ret)
{
	const struct perfdata_event *event = raw->event;
	ret->raw = raw;
	ret->ahead = NULL;
	if (raw->type != PERFDATA_RECORD_SAMPLE || !event || (session->spans && pd_session_spans_use(session, event)))
		return false;
	if (!pd_needs(session, PERFDATA_NEED_DELIVERIES))
		return !(event->attr->sample_type & PERFDATA_SAMPLE_READ);
	return pd_sample_scan(event->config, raw->bytes, raw->size, PD_SCAN_DELIVERY | PD_SCAN_WHOLE, &ret->scan) &&
	       !pd_is_offcpu(event) && !pd_chain_is_deferred(session, &ret->scan.callchain);
}

/* Keeps the samples that pass the filter. */
static enum perfdata_status keep_wanted(struct perfdata_session *session, struct sample *samples, unsigned *nr)
{
	const unsigned count = *nr;
	*nr = 0;
	for (unsigned i = 0; i < count; i++) {
		bool wanted;
		const enum perfdata_status status = pd_session_wants(session, samples[i].raw, PD_FILTER_ALL,
							     &wanted);
		if (status != PERFDATA_OK)
			return status;
		if (wanted)
			samples[(*nr)++] = samples[i];
	}
	return PERFDATA_OK;
}

static_assert(PD_MAX_RECORDS <= PD_STACKS_AHEAD, "a run has more samples than stacks are looked at ahead");

/* Prefetches the memory that the look-ups of the samples' stacks will read. */
static void fetch_stacks(const struct pd_state *state, struct sample *samples, unsigned nr, struct pd_steps_ahead *room)
{
	size_t nr_ahead = 0;
	for (unsigned i = 0; i < nr; i++)
		if (has_chain(&samples[i]) &&
		    pd_stack_fetch(state, samples[i].thread, &samples[i].chain, &room[nr_ahead]))
			samples[i].ahead = &room[nr_ahead++];
	pd_stack_fetch_paths(state, room, nr_ahead);
}

static enum perfdata_status find_threads(struct perfdata_session *session, struct sample *samples, unsigned nr,
					 struct pd_steps_ahead *room)
{
	struct pd_state *state = session->state;
	for (unsigned i = 0; i < nr; i++) {
		samples[i].thread = pd_thread_get(state, samples[i].raw->pid, samples[i].raw->tid);
		if (!samples[i].thread)
			return PERFDATA_ENOMEM;
	}
	for (unsigned i = 0; pd_needs(session, PERFDATA_NEED_FRAMES) && i < nr; i++)
		pd_frame_expect(state, samples[i].thread, pd_cpumode_of(samples[i].raw), samples[i].scan.ip);
	if (!pd_needs(session, NEED_ANY_STACKS))
		return PERFDATA_OK;
	for (unsigned i = 0; i < nr; i++) {
		if (!has_chain(&samples[i]))
			continue;
		const struct pd_chain chain = chain_of(&samples[i]);
		pd_stack_expect(state, samples[i].thread, &chain, &samples[i].chain);
	}
	fetch_stacks(state, samples, nr, room);
	return PERFDATA_OK;
}

static inline void resolve_delivery(struct perfdata_session *session, struct pd_batch *batch,
				    const struct sample *sample, struct perfdata_delivery *delivery)
{
	session->state->now = sample->raw->time;
	pd_delivery_place(session, sample->thread, &sample->scan, delivery);
	if (has_chain(sample) && pd_needs_chains(session)) {
		struct pd_chain chain = chain_of(sample);
		struct pd_stack stack;
		chain.key = &sample->chain;
		chain.ahead = sample->ahead;
		if (pd_chain_take(session, batch, sample->thread, &chain, &stack))
			pd_delivery_set_stack(delivery, &stack);
	}
	pd_delivery_end(session, sample->thread, &sample->scan, delivery);
}

static enum perfdata_status deliver_samples(struct perfdata_session *session, struct pd_batch *batch,
					    struct sample *samples, unsigned nr)
{
	struct pd_steps_ahead room[PD_MAX_RECORDS];
	if (session->state && find_threads(session, samples, nr, room) != PERFDATA_OK)
		return PERFDATA_ENOMEM;
	for (unsigned i = 0; i < nr; i++) {
		struct perfdata_raw *own = pd_batch_add_record(batch, samples[i].raw);
		struct perfdata_delivery *delivery = own ? pd_batch_next_delivery(batch) : NULL;
		if (!delivery)
			return PERFDATA_ENOMEM;
		own->known_whole = samples[i].scan.is_whole;
		pd_delivery_begin(delivery, own, own->event, samples[i].scan.ip,
				  pd_sample_id_of(own->event, &samples[i].scan),
				  pd_sample_period_of(own->event, &samples[i].scan));
		if (session->state)
			resolve_delivery(session, batch, &samples[i], delivery);
	}
	return session->state ? session->state->status : PERFDATA_OK;
}

static inline const struct pd_span_use *use_of(struct perfdata_session *session, const struct perfdata_event *event)
{
	struct pd_span_use *use = &session->span_uses[event->index % PD_SPAN_USES];
	if (use->event != event)
		*use = (struct pd_span_use){
			.event = event,
			.is_plain = !pd_event_samples(event, PERFDATA_SAMPLE_READ) && !pd_is_offcpu(event),
			.is_used = pd_session_spans_use(session, event),
		};
	return use;
}

/* What spans take of the sample; NULL: spans and the sample's thread are not all that needs it. A sample that is not
 * whole needs a batch, where its damage is found. */
static inline const struct pd_span_use *use_for_spans_alone(struct perfdata_session *session,
							    const struct perfdata_raw *raw)
{
	if (raw->type != PERFDATA_RECORD_SAMPLE || !raw->event || !raw->known_whole)
		return NULL;
	const struct pd_span_use *use = use_of(session, raw->event);
	return use->is_plain ? use : NULL;
}

/* Whether no sample of the session needs special treatment on account of its options. */
static bool takes_runs(const struct perfdata_session *session)
{
	const bool weighs = session->off_cpu && session->off_cpu != PERFDATA_OFF_CPU_BESIDE;
	return !session->options.limit && !weighs;
}

/* Whether samples that come in runs concern only spans, their threads and the counts of events. */
static bool is_for_spans_alone(const struct perfdata_session *session)
{
	return session->only_spans && session->filter.passes_samples;
}

enum perfdata_status pd_pass_over_samples(struct perfdata_session *session)
{
	const struct perfdata_event *event, *waking = NULL;
	enum perfdata_status status = PERFDATA_OK;
	if (!takes_runs(session) || !is_for_spans_alone(session) || !pd_reader_may_pass_over(session->reader))
		return PERFDATA_OK;
	for (size_t i = 0; !waking && (event = perfdata_reader_event(session->reader, i)); i++)
		waking = pd_session_spans_use_waking(session, event) ? event : NULL;
	for (size_t i = 0; status == PERFDATA_OK && (event = perfdata_reader_event(session->reader, i)); i++) {
		const struct pd_span_use *use = use_of(session, event);
		const bool is_wakeup = waking && pd_session_spans_use_wakeup(session, event);
		if (use->is_plain && (is_wakeup || !use->is_used))
			status = pd_reader_pass_over(session->reader, event, is_wakeup ? waking : NULL);
	}
	return status;
}

/* Passes samples to spans only: they are counted, but get into no batch. */
static enum perfdata_status take_for_spans(struct perfdata_session *session, const struct perfdata_raw *raws,
					   unsigned nr, unsigned *ret_taken)
{
	const struct pd_span_use *use;
	bool uses[PD_MAX_RECORDS];
	unsigned count = 0;

	enum perfdata_status status = pd_session_spans_follow(session);
	if (status != PERFDATA_OK)
		return status;
	for (; count < nr && (use = use_for_spans_alone(session, &raws[count])); count++)
		uses[count] = use->is_used;
	*ret_taken = count;
	if (!count)
		return PERFDATA_OK;
	status = pd_session_spans_take_samples(session, raws, uses, count);
	/* the batch's `bytes` say to the caller how far the session has come */
	struct pd_batch *batch = pd_batch_open(session);
	if (!batch)
		return PERFDATA_ENOMEM;
	session->counts.summary.records_out += count;
	session->counts.summary.samples_out += count;
	session->counts.summary.deliveries_out += count;
	pd_batch_count_bytes(batch, raws, count);
	return status == PERFDATA_OK ? pd_count_samples(&session->counts, raws, count) : status;
}

enum perfdata_status pd_take_samples(struct perfdata_session *session, const struct perfdata_raw *raws, unsigned nr,
				     unsigned *ret_taken)
{
	struct sample samples[PD_MAX_RECORDS];
	unsigned count = 0;

	*ret_taken = 0;
	if (!takes_runs(session) || (session->state && session->state->guests))
		return PERFDATA_OK;
	if (is_for_spans_alone(session))
		return take_for_spans(session, raws, nr, ret_taken);
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
		return deliver_samples(session, batch, samples, count);
	}
	for (unsigned i = 0; i < count; i++)
		if (!pd_batch_add_record(batch, samples[i].raw))
			return PERFDATA_ENOMEM;
	return PERFDATA_OK;
}
