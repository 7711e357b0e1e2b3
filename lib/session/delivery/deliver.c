/* SPDX-License-Identifier: MIT */
/* From records to deliveries: decides which deliveries a record becomes, by the rules of perf's session
 * (tools/perf/util/session.c). */
#include "config.h"
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "session/delivery/sample_rules.h"

/* The most samples that wait for deferred chains; beyond that, the oldest is delivered without its chain. */
#define MAX_WAITING 4096u

struct pd_waiting {
	struct perfdata_raw raw;      /* its chunk is held */
	uint64_t cookie;
	struct pd_waiting *next;
};

/* A sample on its way to one or more deliveries. */
struct sample_view {
	struct perfdata_session *session;
	struct pd_batch *batch;
	const struct perfdata_raw *raw;        /* the record that the deliveries will point to */
	const struct perfdata_raw *deferred;
	const struct perfdata_sample *sample;  /* decoded; NULL if the scan suffices */
	struct pd_sample_scan scan;            /* scanned with PD_SCAN_DELIVERY */
	const struct perfdata_list *deferred_chain;
	int32_t pid, tid;
	bool has_chain;
	bool first;                            /* the record has no delivery yet */
	bool muted;                            /* the record did not pass the filter */
	bool is_whole;                         /* the sample is known to have no damage */
	bool chain_lost;                       /* PERFDATA_DELIVERY_CHAIN_LOST */
	bool chain_taken;
	struct pd_stack stack;                 /* valid if chain_taken */
};

/* Takes pid, tid, period and chain of an off-CPU sample from its raw data. */
static void take_offcpu(struct sample_view *view, bool swap)
{
	struct pd_off_cpu_sample own;
	if (!pd_off_cpu_sample_read(view->sample->raw, swap, &own))
		return;
	view->pid = own.pid;
	view->tid = own.tid;
	view->scan.period = own.period;
	view->scan.callchain = own.callchain;
	view->has_chain = true;
	if (own.callchain.count > 1)
		view->scan.ip = perfdata_list_u64(&view->scan.callchain, 1);
}

/* Takes what the session needs of the sample's chain: the recorded part, and what unwinding adds. */
static void take_chain(struct sample_view *view, const struct pd_thread *thread)
{
	const uint64_t branch_call_stack = 1 << 11;
	const struct perfdata_event *event = view->raw->event;
	struct pd_chain chain = { .recorded = &view->scan.callchain,
				  .deferred = view->deferred_chain,
				  .ip = view->scan.ip,
				  .cpumode = pd_cpumode_of(view->raw) };
	if (pd_event_samples(event, PERFDATA_SAMPLE_BRANCH_STACK) &&
	    event->attr->branch_sample_type & branch_call_stack)
		chain.branches = &view->sample->branch_stack.entries;
	if (pd_event_samples(event, PERFDATA_SAMPLE_REGS_USER | PERFDATA_SAMPLE_STACK_USER))
		pd_unwind(view->session->state, thread, view->raw, view->sample, &chain);
	else if (pd_event_samples(event, PERFDATA_SAMPLE_REGS_USER))
		chain.leaf_caller = pd_unwind_leaf(view->session->state, thread, view->sample, &view->scan.callchain);
	view->chain_taken = pd_chain_take(view->session, view->batch, thread, &chain, &view->stack);
}

/* Adds the frames at which the sample's branches begin and end. */
static enum perfdata_status add_branches(struct sample_view *view, const struct pd_thread *thread,
					 struct perfdata_delivery *delivery)
{
	const struct perfdata_list *entries = view->sample ? &view->sample->branch_stack.entries : NULL;
	if (!pd_event_samples(delivery->event, PERFDATA_SAMPLE_BRANCH_STACK) || !entries || !entries->count)
		return PERFDATA_OK;
	delivery->branches = pd_batch_add_frames(view->batch, 2 * (size_t)entries->count);
	if (delivery->branches == PERFDATA_NONE)
		return PERFDATA_ENOMEM;
	pd_frames_of_branches(view->session->state, thread, pd_cpumode_of(view->raw), entries,
			      &view->batch->frames[delivery->branches]);
	return PERFDATA_OK;
}

static enum perfdata_status resolve_delivery(struct sample_view *view, struct perfdata_delivery *delivery)
{
	struct perfdata_session *session = view->session;
	if (!session->state)
		return PERFDATA_OK;
	const struct pd_thread *thread = pd_thread_get(session->state, view->pid, view->tid);
	if (!thread)
		return PERFDATA_ENOMEM;
	pd_delivery_place(session, thread, &view->scan, delivery);
	if (pd_needs(session, PERFDATA_NEED_FRAMES) && add_branches(view, thread, delivery) != PERFDATA_OK)
		return PERFDATA_ENOMEM;
	if (view->has_chain && pd_needs_chains(session)) {
		if (!view->chain_taken)
			take_chain(view, thread);
		pd_delivery_set_stack(delivery, &view->stack);
	}
	pd_delivery_end(session, thread, &view->scan, delivery);
	return session->state->status;
}

static struct perfdata_delivery *add_delivery(struct sample_view *view, const struct perfdata_event *event, uint64_t id,
					      uint64_t period)
{
	struct perfdata_delivery *delivery = pd_batch_next_delivery(view->batch);
	if (!delivery)
		return NULL;
	pd_delivery_begin(delivery, view->raw, event, view->scan.ip, id, period);
	delivery->deferred = view->deferred;
	delivery->pid = view->pid;
	delivery->tid = view->tid;
	delivery->flags = (view->first ? PERFDATA_DELIVERY_FIRST : 0) |
			  (view->chain_lost ? PERFDATA_DELIVERY_CHAIN_LOST : 0);
	view->first = false;
	return delivery;
}

/* Delivers a sample among the threads and maps of its machine: the host or a guest. */
static enum perfdata_status resolve_in_machine(struct sample_view *view, struct perfdata_delivery *delivery,
					       uint64_t id)
{
	struct pd_state *state = view->session->state;
	if (!state || !state->guests)
		return resolve_delivery(view, delivery);
	(void)pd_guest_of_id(state, id, &delivery->machine_pid, &delivery->vcpu);
	if (!pd_is_guest_mode(view->raw->misc))
		return resolve_delivery(view, delivery);
	if (pd_guest_enter(state, view->raw->misc, id, view->pid) < 0)
		return PERFDATA_ENOMEM;
	delivery->flags |= PERFDATA_DELIVERY_GUEST;
	const enum perfdata_status status = resolve_delivery(view, delivery);
	state->guest = NULL;
	return status;
}

static enum perfdata_status deliver_one(struct sample_view *view, const struct perfdata_event *event, uint64_t id,
					uint64_t period)
{
	if (pd_count_delivery(&view->session->counts, event) != PERFDATA_OK)
		return PERFDATA_ENOMEM;
	if (view->muted || !pd_filter_event(&view->session->filter, event))
		return PERFDATA_OK;
	struct perfdata_delivery *delivery = add_delivery(view, event, id, period);
	if (!delivery)
		return PERFDATA_ENOMEM;
	view->session->counts.summary.deliveries_out++;
	return resolve_in_machine(view, delivery, id);
}

struct pd_counter pd_counter_at(const struct perfdata_reader *reader, const struct perfdata_event *sampled,
				const struct perfdata_list *values, uint64_t i, int32_t tid)
{
	const bool has_id = sampled->attr->read_format & PERFDATA_READ_FORMAT_ID;
	const bool per_thread = perfdata_attr_has(sampled->attr, PERFDATA_ATTR_INHERIT) &&
				pd_event_samples(sampled, PERFDATA_SAMPLE_TID);
	struct perfdata_read_value value = { 0 };
	perfdata_list_get(values, i, &value, sizeof value);
	const uint64_t id = has_id ? value.id : sampled->nr_ids ? sampled->ids[0] : 0;
	return (struct pd_counter){
		.event = has_id ? perfdata_reader_event_by_id(reader, id) : sampled,
		.id = id,
		/* ids and tids are both small and consecutive: one must be hashed before both are combined */
		.key = per_thread ? pd_hash_u64(pd_hash_u64(id, 1), (uint64_t)(uint32_t)tid + 1) : id,
		.value = value.value,
	};
}

enum perfdata_status pd_counter_growth(struct pd_hash_map *last, const struct pd_counter *counter, uint64_t *ret)
{
	uint64_t before = 0;
	(void)pd_hash_map_get(last, counter->key, &before);
	*ret = counter->value - before;
	return pd_hash_map_put(last, counter->key, counter->value) < 0 ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static enum perfdata_status deliver_read(struct sample_view *view, const struct perfdata_event *event)
{
	struct perfdata_session *session = view->session;
	const struct perfdata_list *values = &view->sample->read.values;
	for (uint64_t i = 0; i < values->count; i++) {
		const struct pd_counter counter = pd_counter_at(session->reader, event, values, i, view->tid);
		uint64_t grown;
		if (!counter.event) {
			session->counts.summary.unknown_ids++;
			continue;
		}
		enum perfdata_status status = pd_counter_growth(&session->read_values, &counter, &grown);
		if (status == PERFDATA_OK && grown)
			status = deliver_one(view, counter.event, counter.id, grown);
		if (status != PERFDATA_OK)
			return status;
	}
	return PERFDATA_OK;
}

bool pd_group_passes(struct perfdata_session *session, const struct perfdata_raw *raw)
{
	const struct perfdata_event *event = raw->event;
	struct perfdata_record record;
	(void)perfdata_decode(event->config, raw->bytes, raw->size, &record);
	const struct perfdata_sample *sample = &record.u.sample;
	const int32_t tid = pd_event_samples(event, PERFDATA_SAMPLE_TID) ? sample->tid : -1;
	for (uint64_t i = 0; i < sample->read.values.count; i++) {
		const struct pd_counter counter = pd_counter_at(session->reader, event, &sample->read.values, i, tid);
		uint64_t last = 0;
		(void)pd_hash_map_get(&session->read_values, counter.key, &last);
		if (counter.event && counter.value != last && pd_filter_event(&session->filter, counter.event))
			return true;
	}
	return false;
}

/* Decodes the parts of a sample that deliveries need; `record` is memory for that. */
static void take_sample(struct sample_view *view, struct perfdata_record *record)
{
	const struct perfdata_raw *raw = view->raw;
	const struct perfdata_event *event = raw->event;
	const struct perfdata_sample *sample = &record->u.sample;
	view->has_chain = pd_event_samples(event, PERFDATA_SAMPLE_CALLCHAIN);
	if (!pd_is_offcpu(event) &&
	    pd_sample_scan(event->config, raw->bytes, raw->size, PD_SCAN_DELIVERY | PD_SCAN_WHOLE, &view->scan)) {
		view->pid = raw->pid;
		view->tid = raw->tid;
		view->is_whole = view->scan.is_whole;
	} else {
		const enum perfdata_status status = perfdata_decode(event->config, raw->bytes, raw->size, record);
		view->is_whole = status == PERFDATA_OK && !record->rest.size;
		view->sample = sample;
		view->pid = pd_event_samples(event, PERFDATA_SAMPLE_TID) ? sample->pid : -1;
		view->tid = pd_event_samples(event, PERFDATA_SAMPLE_TID) ? sample->tid : -1;
		view->scan = (struct pd_sample_scan){
			.id = pd_event_samples(event, PERFDATA_SAMPLE_IDENTIFIER) ? sample->identifier : sample->id,
			.ip = sample->ip,
			.addr = sample->addr,
			.period = sample->period,
			.callchain = sample->callchain,
		};
	}
	view->scan.period = pd_sample_period_of(event, &view->scan);
	if (pd_is_offcpu(event))
		take_offcpu(view, record->swap);
}

/* Makes the deliveries of a sample after take_sample. */
static enum perfdata_status deliver_sample(struct sample_view *view)
{
	const struct perfdata_event *event = view->raw->event;
	if (pd_event_samples(event, PERFDATA_SAMPLE_READ))
		return deliver_read(view, event);
	return deliver_one(view, event, pd_sample_id_of(event, &view->scan), view->scan.period);
}

static enum perfdata_status deliver_silently(struct sample_view *view, struct perfdata_delivery **ret)
{
	*ret = add_delivery(view, view->raw->event, UINT64_MAX, view->scan.period);
	if (!*ret)
		return PERFDATA_ENOMEM;
	(*ret)->flags |= PERFDATA_DELIVERY_SILENT;
	return PERFDATA_OK;
}

/* Makes a delivery for a sample whose counters did not grow, for callers that want it nevertheless. */
static enum perfdata_status deliver_unchanged(struct sample_view *view)
{
	struct perfdata_delivery *delivery;
	enum perfdata_status status = deliver_silently(view, &delivery);
	return status == PERFDATA_OK ? resolve_in_machine(view, delivery, view->scan.id) : status;
}

/* --- deferred chains --- */

static bool wants_deferred(const struct sample_view *view, uint64_t *ret_cookie)
{
	const struct perfdata_list *chain = &view->scan.callchain;
	if (!pd_event_samples(view->raw->event, PERFDATA_SAMPLE_CALLCHAIN) ||
	    !pd_chain_is_deferred(view->session, chain))
		return false;
	*ret_cookie = perfdata_list_u64(chain, chain->count - 1);
	return true;
}

/* Takes one waiting sample off the list and delivers it; `deferred`: the record with its deferred chain, or NULL if
 * none came. */
static enum perfdata_status release_sample(struct perfdata_session *session, struct pd_batch *batch,
					   struct pd_waiting **link, const struct perfdata_raw *deferred,
					   const struct perfdata_list *chain, bool lost)
{
	struct pd_waiting *waiting = *link;
	*link = waiting->next;
	if (!*link)
		session->waiting_end = link;
	session->nr_waiting--;
	struct sample_view view = { .session = session, .batch = batch, .deferred = deferred, .deferred_chain = chain,
				    .chain_lost = lost };
	/* the record had its first delivery when it was read */
	enum perfdata_status status = PERFDATA_OK;
	view.raw = pd_batch_keep(batch, &waiting->raw);
	if (session->state)
		session->state->now = waiting->raw.time;
	if (view.raw) {
		struct perfdata_record record;
		take_sample(&view, &record);
		status = deliver_sample(&view);
	} else {
		status = PERFDATA_ENOMEM;
	}
	pd_chunk_drop(waiting->raw.chunk);
	pd_free(waiting);
	return status;
}

static enum perfdata_status wait_for_chain(struct sample_view *view, uint64_t cookie)
{
	struct perfdata_session *session = view->session;
	struct perfdata_delivery *delivery;
	enum perfdata_status status = deliver_silently(view, &delivery);
	if (status == PERFDATA_OK && session->nr_waiting >= MAX_WAITING)
		status = release_sample(session, view->batch, &session->waiting, NULL, NULL, false);
	if (status != PERFDATA_OK)
		return status;
	struct pd_waiting *waiting = pd_malloc(sizeof *waiting);
	if (!waiting)
		return PERFDATA_ENOMEM;
	*waiting = (struct pd_waiting){ .raw = *view->raw, .cookie = cookie };
	pd_chunk_hold(waiting->raw.chunk);
	*session->waiting_end = waiting;
	session->waiting_end = &waiting->next;
	session->nr_waiting++;
	return PERFDATA_OK;
}

/* --- deferred chains, joined --- */

/* Joins the samples that waited for this chain. Samples of the same thread that wait for another chain are delivered
 * without it: it will not come. */
static enum perfdata_status join_chain(struct perfdata_session *session, struct pd_batch *batch,
				       const struct perfdata_raw *raw, const struct perfdata_record *record)
{
	const struct perfdata_callchain_deferred *chain = &record->u.callchain_deferred;
	enum perfdata_status status = PERFDATA_OK;
	for (struct pd_waiting **link = &session->waiting; *link && status == PERFDATA_OK;) {
		struct pd_waiting *waiting = *link;
		if (waiting->raw.tid != raw->tid) {
			link = &waiting->next;
			continue;
		}
		bool own = waiting->cookie == chain->cookie;
		status = release_sample(session, batch, link, own ? raw : NULL, own ? &chain->callchain : NULL, !own);
	}
	return status;
}

enum perfdata_status pd_deliver_waiting(struct perfdata_session *session)
{
	while (session->waiting) {
		struct pd_batch *batch = pd_batch_open(session);
		enum perfdata_status status = batch ? release_sample(session, batch, &session->waiting, NULL, NULL,
								     false)
						    : PERFDATA_ENOMEM;
		if (status != PERFDATA_OK)
			return status;
	}
	return PERFDATA_OK;
}

void pd_waiting_free(struct perfdata_session *session)
{
	while (session->waiting) {
		struct pd_waiting *waiting = session->waiting;
		session->waiting = waiting->next;
		pd_chunk_drop(waiting->raw.chunk);
		pd_free(waiting);
	}
	session->waiting_end = &session->waiting;
}

/* --- records --- */

static bool is_user_mode(const struct perfdata_raw *raw)
{
	const unsigned cpumode = raw->misc & PERFDATA_CPUMODE_MASK;
	return cpumode == PERFDATA_CPUMODE_USER || cpumode == PERFDATA_CPUMODE_GUEST_USER;
}

/* The thread that a record other than a sample is about: by the record's own pid and tid, else by the trailer's. */
static struct pd_thread *thread_of(struct pd_state *state, const struct perfdata_raw *raw,
				   const struct perfdata_record *record)
{
	switch (raw->type) {
	case PERFDATA_RECORD_COMM:
		return pd_thread_get(state, record->u.comm.pid, record->u.comm.tid);
	case PERFDATA_RECORD_FORK:
	case PERFDATA_RECORD_EXIT:
		return pd_thread_get(state, record->u.task.pid, record->u.task.tid);
	case PERFDATA_RECORD_MMAP:
		/* for a guest's kernel, the record has the pid of the guest, but the thread does not belong to that
		 * process */
		return pd_thread_get(state, state->guest && !is_user_mode(raw) ? -1 : record->u.mmap.pid,
				     record->u.mmap.tid);
	case PERFDATA_RECORD_MMAP2:
		return pd_thread_get(state, record->u.mmap2.pid, record->u.mmap2.tid);
	case PERFDATA_RECORD_NAMESPACES:
		return pd_thread_get(state, record->u.namespaces.pid, record->u.namespaces.tid);
	}
	return pd_thread_get(state, raw->pid, raw->tid);
}

static enum perfdata_status name_thread(struct perfdata_delivery *delivery, const struct pd_thread *thread)
{
	if (!thread)
		return PERFDATA_ENOMEM;
	delivery->pid = thread->pid;
	delivery->tid = thread->tid;
	delivery->thread = thread->number;
	delivery->comm = thread->comm;
	delivery->script_comm = thread->script_comm;
	return PERFDATA_OK;
}

/* The id of the counter of a record other than a sample, if the record's trailer has the id. */
static uint64_t trailer_id(const struct perfdata_raw *raw, const struct perfdata_record *record)
{
	if (!record->sample_id.present || !raw->event)
		return UINT64_MAX;
	const uint64_t recorded = raw->event->attr->sample_type;
	return recorded & PERFDATA_SAMPLE_IDENTIFIER ? record->sample_id.identifier :
	       recorded & PERFDATA_SAMPLE_ID ? record->sample_id.id : UINT64_MAX;
}

static int enter_machine(struct pd_state *state, const struct perfdata_raw *raw, const struct perfdata_record *record)
{
	const int32_t pid = raw->type == PERFDATA_RECORD_MMAP ? record->u.mmap.pid :
			    raw->type == PERFDATA_RECORD_MMAP2 ? record->u.mmap2.pid : raw->pid;
	return pd_guest_enter(state, raw->misc, trailer_id(raw, record), pid);
}

static enum perfdata_status deliver_other(struct sample_view *view, const struct perfdata_record *record)
{
	struct perfdata_session *session = view->session;
	struct pd_state *state = session->state;
	const struct perfdata_raw *raw = view->raw;
	bool kernel = raw->type < PERFDATA_RECORD_USER_FIRST;
	struct perfdata_delivery *delivery = view->muted
						     ? NULL
						     : add_delivery(view, raw->event, UINT64_MAX, view->scan.period);
	if (!view->muted && !delivery)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = PERFDATA_OK;
	if (state && state->guests && enter_machine(state, raw, record) < 0)
		return PERFDATA_ENOMEM;
	if (state && state->guests && delivery)
		(void)pd_guest_of_id(state, trailer_id(raw, record), &delivery->machine_pid, &delivery->vcpu);
	if (state) {
		/* an EXIT is delivered before it changes the state, every other record after */
		if (delivery && raw->type == PERFDATA_RECORD_EXIT)
			status = name_thread(delivery, thread_of(state, raw, record));
		if (status == PERFDATA_OK && pd_state_record(state, record) < 0)
			status = PERFDATA_ENOMEM;
		if (delivery && kernel && raw->type != PERFDATA_RECORD_EXIT && status == PERFDATA_OK)
			status = name_thread(delivery, thread_of(state, raw, record));
	}
	if (state)
		state->guest = NULL;
	if (status == PERFDATA_OK && raw->type == PERFDATA_RECORD_CALLCHAIN_DEFERRED && session->waiting)
		status = join_chain(session, view->batch, raw, record);
	return status;
}

enum perfdata_status pd_deliver(struct perfdata_session *session, struct pd_batch *batch,
				const struct perfdata_raw *raw, struct perfdata_raw *own)
{
	const bool sample = raw->type == PERFDATA_RECORD_SAMPLE, wanted = own;
	if (session->state)
		session->state->now = raw->time;
	/* unwanted records still change counters and process state, and are counted */
	if (sample && !wanted && !raw->event)
		return PERFDATA_OK;
	if (sample && !wanted && !pd_event_samples(raw->event, PERFDATA_SAMPLE_READ))
		return pd_count_delivery(&session->counts, raw->event);
	struct sample_view view = { .session = session,
				    .batch = batch,
				    .raw = own ? own : raw,
				    .pid = raw->pid,
				    .tid = raw->tid,
				    .first = true,
				    .muted = !wanted };
	struct perfdata_record record;
	if (!sample) {
		(void)perfdata_raw_decode(session->reader, raw, &record);
		return deliver_other(&view, &record);
	}
	struct perfdata_delivery *unknown;
	if (!raw->event)
		return deliver_silently(&view, &unknown);
	if (!pd_off_cpu_counts(session, raw->event))
		return deliver_silently(&view, &unknown);
	take_sample(&view, &record);
	if (own)
		own->known_whole = view.is_whole;
	uint64_t cookie;
	if (wanted && wants_deferred(&view, &cookie))
		return wait_for_chain(&view, cookie);
	enum perfdata_status status = deliver_sample(&view);
	return status == PERFDATA_OK && view.first && wanted ? deliver_unchanged(&view) : status;
}
