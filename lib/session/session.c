#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "schema/decode.h"
#include "session/session.h"
#include "session/state.h"

/* The header's table of build-ids, which is read before any record. */
static enum perfdata_status add_header_build_ids(struct perfdata_session *session)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(session->reader, PERFDATA_FEATURE_BUILD_ID);
	if (!section || !section->feature || perfdata_reader_header(session->reader)->container == PERFDATA_CONTAINER_PIPE)
		return PERFDATA_OK;
	const struct perfdata_node *list = perfdata_feature_root(section->feature)->child;
	for (const struct perfdata_node *node = list ? list->child : NULL; node; node = node->next) {
		const struct perfdata_node *filename = perfdata_node_get(node, "filename");
		const struct perfdata_node *build_id = perfdata_node_get(node, "build_id");
		const struct perfdata_node *pid = perfdata_node_get(node, "pid"), *misc = perfdata_node_get(node, "misc");
		if (!filename || !build_id)
			continue;
		if (pd_table_id_add(session->state, filename->v.bytes, build_id->v.bytes, pid ? (int32_t)pid->v.u : -1,
				    misc ? misc->v.u & PERFDATA_CPUMODE_MASK : 0, PERFDATA_BUILD_ID_HEADER) < 0)
			return PERFDATA_ENOMEM;
	}
	return PERFDATA_OK;
}

enum perfdata_status perfdata_session_open(struct perfdata_reader *reader, const struct perfdata_session_options *options,
					   struct perfdata_session **ret, struct perfdata_error *reterr)
{
	struct perfdata_session *session = pd_calloc(1, sizeof *session);
	enum perfdata_status status = session ? PERFDATA_OK : PERFDATA_ENOMEM;
	if (status == PERFDATA_OK) {
		session->reader = reader;
		memcpy(&session->options, options, options->size < sizeof session->options ? options->size : sizeof session->options);
		session->counts.summary.first_time = session->counts.summary.last_time = UINT64_MAX;
		session->waiting_end = &session->waiting;
		status = pd_filter_init(&session->filter, &session->options.filter);
		if (session->filter.places)
			session->options.needs |= PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES;
		if (session->filter.given.nr_comms)
			session->options.needs |= PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS;
	}
	const uint32_t stateful = PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS;
	if (status == PERFDATA_OK && session->options.needs & stateful) {
		session->options.needs |= PERFDATA_NEED_DELIVERIES;
		session->state = pd_state_new();
		status = session->state ? add_header_build_ids(session) : PERFDATA_ENOMEM;
		if (status == PERFDATA_OK) {
			session->state->symbols = session->options.symbols;
			session->state->use_host = session->options.use_host;
			session->state->reader = reader;
			session->state->keep_exited = session->options.keep_exited;
		}
	}
	if (status != PERFDATA_OK) {
		perfdata_session_close(session);
		if (reterr)
			*reterr = (struct perfdata_error){ .status = status, .offset = PERFDATA_NO_OFFSET, .message = "out of memory" };
		return status;
	}
	*ret = session;
	return PERFDATA_OK;
}

void perfdata_session_close(struct perfdata_session *session)
{
	if (!session)
		return;
	pd_waiting_free(session);
	pd_batches_free(session);
	pd_state_free(session->state);
	pd_filter_release(&session->filter);
	pd_counts_release(&session->counts);
	pd_map_release(&session->read_values);
	pd_free(session);
}

const struct perfdata_reader *perfdata_session_reader(const struct perfdata_session *session) { return session->reader; }

const struct perfdata_error *perfdata_session_error(const struct perfdata_session *session) { return &session->error; }

static const char *comm_of(const struct perfdata_session *session, const struct perfdata_raw *raw)
{
	if (!session->filter.given.nr_comms || !session->state)
		return NULL;
	const struct pd_thread *thread = pd_thread_find(session->state, raw->tid);
	return thread ? pd_intern_get(session->state->comms, thread->comm, NULL) : NULL;
}

/* Takes one record into the open batch, if it passes. */
static enum perfdata_status take_record(struct perfdata_session *session, const struct perfdata_raw *raw, uint64_t chain)
{
	bool deliver = session->options.needs & PERFDATA_NEED_DELIVERIES;
	/* a group's sample belongs to all its events: its deliveries are looked at one by one */
	bool group = deliver && raw->event && raw->type == PERFDATA_RECORD_SAMPLE &&
		     (raw->event->config.attr.sample_type & PERFDATA_SAMPLE_READ);
	enum perfdata_status status = pd_count_record(&session->counts, raw);
	if (status != PERFDATA_OK)
		return status;
	bool wanted = pd_filter_record(&session->filter, raw, comm_of(session, raw), !group);
	if (wanted && session->filter.places)
		status = pd_filter_place(session, raw, &wanted);
	if (!deliver && raw->type == PERFDATA_RECORD_SAMPLE)
		status = pd_deliver(session, NULL, raw, false, 0);   /* counts only */
	if (status != PERFDATA_OK || (!wanted && !deliver))
		return status;
	struct pd_batch *batch = pd_batch_open(session);
	if (!batch)
		return PERFDATA_ENOMEM;
	const struct perfdata_raw *own = wanted ? pd_batch_add_record(batch, raw) : raw;
	if (!own)
		return PERFDATA_ENOMEM;
	session->counts.summary.records_out += wanted;
	return deliver ? pd_deliver(session, batch, own, wanted, chain) : PERFDATA_OK;
}

static enum perfdata_status fail(struct perfdata_session *session, enum perfdata_status status)
{
	session->end = status;
	session->error = (struct perfdata_error){ .status = status, .offset = PERFDATA_NO_OFFSET };
	strncpy(session->error.message, perfdata_status_text(status), sizeof session->error.message - 1);
	return status;
}

static bool limit_is_reached(const struct perfdata_session *session)
{
	return session->options.limit && session->counts.summary.records_out >= session->options.limit;
}

static bool batch_is_due(const struct perfdata_session *session)
{
	const struct pd_batch *batch = session->open;
	if (!batch || session->upcoming.at < session->upcoming.few.nr)
		return batch && pd_batch_is_full(batch);
	return pd_batch_is_full(batch) || (batch->public.nr_records && !pd_reader_ready(session->reader));
}

static void expect_stacks(const struct perfdata_session *session, struct pd_upcoming *upcoming)
{
	for (unsigned i = 0; i < upcoming->few.nr; i++) {
		const struct perfdata_raw *raw = &upcoming->few.records[i];
		struct perfdata_list chain;
		upcoming->chains[i] = (struct pd_expected_chain){ 0 };
		if (raw->type == PERFDATA_RECORD_SAMPLE && raw->event && pd_sample_chain(&raw->event->config, raw->bytes, raw->size, &chain))
			pd_stack_expect(session->state, raw->tid, &chain, &upcoming->chains[i]);
	}
	pd_stacks_fetch(session->state, upcoming->chains, upcoming->few.nr);
}

/* The next record. */
static enum perfdata_status next_record(struct perfdata_session *session, const struct perfdata_raw **ret, uint64_t *ret_chain)
{
	struct pd_upcoming *upcoming = &session->upcoming;
	if (upcoming->at == upcoming->few.nr) {
		upcoming->at = upcoming->few.nr = 0;
		const enum perfdata_status status = pd_reader_next_few(session->reader, &upcoming->few);
		if (status != PERFDATA_OK)
			return status;
		if (session->options.needs & PERFDATA_NEED_STACKS)
			expect_stacks(session, upcoming);
	}
	*ret = &upcoming->few.records[upcoming->at];
	*ret_chain = upcoming->chains[upcoming->at++].hash;
	return PERFDATA_OK;
}

enum perfdata_status perfdata_session_next(struct perfdata_session *session, struct perfdata_batch **ret)
{
	while (session->end == PERFDATA_OK && !batch_is_due(session)) {
		const struct perfdata_raw *raw;
		uint64_t chain;
		enum perfdata_status status = next_record(session, &raw, &chain);
		if (status == PERFDATA_END) {
			status = pd_deliver_waiting(session);
			session->end = status == PERFDATA_OK ? PERFDATA_END : fail(session, status);
		} else if (status != PERFDATA_OK) {
			session->error = *perfdata_reader_error(session->reader);
			session->end = status;
		} else {
			status = take_record(session, raw, chain);
			if (status != PERFDATA_OK)
				fail(session, status);
			else if (limit_is_reached(session))
				session->end = PERFDATA_END;
		}
	}
	if (!session->open)
		return session->end;
	*ret = &session->open->public;
	session->open = NULL;
	return PERFDATA_OK;
}

const struct perfdata_summary *perfdata_session_summary(struct perfdata_session *session)
{
	/* without memory the lists stay as they were published last, and the session has failed; the sums are right */
	if (pd_counts_publish(session) != PERFDATA_OK) {
		fail(session, PERFDATA_ENOMEM);
		session->counts.summary.complete = false;
	}
	return &session->counts.summary;
}
