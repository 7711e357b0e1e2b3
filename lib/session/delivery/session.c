/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "base/option_struct.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "session/session.h"
#include "session/state.h"
#include "symbols/symbols.h"

/* The text of a payload is larger than the text of records by this factor. */
#define PAYLOAD_WEIGHT 4u

/* Adds the header's table of build-ids, which the reader has read before any record. */
static enum perfdata_status add_header_build_ids(struct perfdata_session *session)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(session->reader,
										 PERFDATA_FEATURE_BUILD_ID);
	if (!section || !section->feature ||
	    perfdata_reader_header(session->reader)->container == PERFDATA_CONTAINER_PIPE)
		return PERFDATA_OK;
	const struct perfdata_node *list = perfdata_feature_root(section->feature)->child;
	for (const struct perfdata_node *node = list ? list->child : NULL; node; node = node->next) {
		const struct perfdata_node *filename = perfdata_node_get(node, "filename");
		const struct perfdata_node *build_id = perfdata_node_get(node, "build_id");
		const struct perfdata_node *pid = perfdata_node_get(node, "pid"),
					   *misc = perfdata_node_get(node, "misc");
		if (!filename || !build_id)
			continue;
		if (pd_table_id_add(session->state, filename->v.bytes, build_id->v.bytes, pid ? (int32_t)pid->v.u : -1,
				    misc ? misc->v.u & PERFDATA_CPUMODE_MASK : 0, PERFDATA_BUILD_ID_HEADER) < 0)
			return PERFDATA_ENOMEM;
	}
	return PERFDATA_OK;
}

/* Adds the names that the recording holds, if the caller wants names. Without names, output is the same as perf's. */
static enum perfdata_status add_inside(struct perfdata_session *session)
{
	const struct perfdata_symbols *symbols = session->options.symbols;
	const enum perfdata_recorded_names asked = symbols ? symbols->options.recorded_names
							   : PERFDATA_RECORDED_NAMES_UNUSED;
	struct pd_state *state = session->state;

	if (asked == PERFDATA_RECORDED_NAMES_UNUSED ||
	    (asked == PERFDATA_RECORDED_NAMES_FOUND && !pd_inside_is_simpleperf(session->reader)))
		return PERFDATA_OK;
	state->inside = pd_inside_new(session->reader, session->account);
	if (!state->inside)
		return PERFDATA_ENOMEM;
	state->inside->raw_names = symbols->options.raw_names;
	state->inside->show_art = symbols->options.show_art_frames;
	return PERFDATA_OK;
}

/* Adds the maps that processes had before the first record: simpleperf may keep them in a section. */
static enum perfdata_status add_init_map(struct perfdata_session *session)
{
	const struct perfdata_event *event = perfdata_reader_event(session->reader, 0);
	const struct perfdata_config *config = event ? event->config : perfdata_reader_config(session->reader);
	struct pd_unpacked records;
	enum perfdata_status status = pd_reader_init_map(session->reader, &records);
	struct pd_cursor c = pd_cursor(records.bytes, records.size, session->counts.swap);

	while (status == PERFDATA_OK && pd_left(&c) >= 8) {
		struct perfdata_record record;
		const uint16_t size = pd_load16(c.at + 6, c.swap);
		const uint8_t *bytes = size >= 8 ? pd_take(&c, size) : NULL;
		if (!bytes)
			break;
		(void)perfdata_decode(config, bytes, size, &record);
		if (pd_state_record(session->state, &record) < 0)
			status = PERFDATA_ENOMEM;
	}
	pd_reader_unpacked_free(session->reader, &records);
	return status;
}

enum perfdata_status perfdata_session_open(struct perfdata_reader *reader,
					   const struct perfdata_session_options *options,
					   struct perfdata_session **ret, struct perfdata_error *reterr)
{
	struct perfdata_session *session = pd_calloc(1, sizeof *session);
	enum perfdata_status status = session ? PERFDATA_OK : PERFDATA_ENOMEM;
	if (status == PERFDATA_OK) {
		session->account = pd_reader_account(reader);
		status = PD_OPTIONS_COPY(&session->options, keep_exited, options, reterr);
	}
	if (status == PERFDATA_OK) {
		session->counts.swap = pd_order_is_foreign(perfdata_reader_header(reader)->order);
		session->counts.summary.first_time = session->counts.summary.last_time = UINT64_MAX;
		session->waiting_end = &session->waiting;
		status = pd_filter_init(&session->filter, session->options.filter, reterr);
		session->options.filter = &session->filter.given;   /* the filter's own copy */
		if (session->filter.places)
			session->options.needs |= PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS |
						  PERFDATA_NEED_FRAMES;
		if (session->filter.given.nr_comms)
			session->options.needs |= PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS;
	}
	if (status == PERFDATA_OK)
		status = pd_reader_attach(reader, session->options.needs != 0, reterr);
	if (status == PERFDATA_OK)
		session->reader = reader;   /* from here on, closing the session detaches the reader */
	if (status == PERFDATA_OK && session->options.needs & PERFDATA_NEED_PAYLOADS)
		pd_reader_give_payloads(reader);
	if (status == PERFDATA_OK && session->options.no_stack_copies)
		pd_reader_leave_out_stacks(reader);
	if (status == PERFDATA_OK)
		status = pd_reader_make_samples(reader, session->options.trace_samples);
	if (session && session->options.spans) {
		session->only_spans = !(session->options.needs & ~(uint32_t)PERFDATA_NEED_THREADS);
		session->options.needs |= PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS;
	}
	const uint32_t stateful = PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | NEED_ANY_STACKS |
				  PERFDATA_NEED_CHAIN_DSOS;
	if (status == PERFDATA_OK && session->options.needs & stateful) {
		session->options.needs |= PERFDATA_NEED_DELIVERIES;
		if (session->options.needs & PERFDATA_NEED_STACK_IDS)
			session->options.needs |= PERFDATA_NEED_STACKS;
		session->state = pd_state_new(session->options.needs, session->account);
		status = session->state ? add_header_build_ids(session) : PERFDATA_ENOMEM;
		if (status == PERFDATA_OK) {
			session->state->symbols = session->options.symbols;
			if (session->options.symbols)
				session->state->failures_before = pd_symbols_failed(session->options.symbols);
			session->state->no_host = session->options.no_host || !session->options.symbols;
			session->state->reader = reader;
			session->state->keep_exited = session->options.keep_exited;
			status = add_inside(session);
			if (status == PERFDATA_OK)
				status = add_init_map(session);
		}
	}
	if (status == PERFDATA_OK && session->options.needs & PERFDATA_NEED_DELIVERIES &&
	    (status = pd_off_cpu_begin(session, reterr)) != PERFDATA_OK) {
		perfdata_session_close(session);
		return status;
	}
	if (status != PERFDATA_OK) {
		perfdata_session_close(session);
		/* the check of the options has set the error already */
		return status == PERFDATA_EUSAGE ? status
						 : pd_error(reterr, status, PERFDATA_NO_OFFSET, "%s",
							    perfdata_status_text(status));
	}
	*ret = session;
	return PERFDATA_OK;
}

void perfdata_session_close(struct perfdata_session *session)
{
	if (!session)
		return;
	pd_session_report_lacking(session);
	if (session->reader)
		pd_reader_detach(session->reader);
	pd_upcoming_free(session);
	pd_waiting_free(session);
	pd_session_spans_free(session);
	pd_batches_free(session);
	pd_state_free(session->state);
	pd_filter_release(&session->filter);
	pd_counts_release(&session->counts);
	pd_hash_map_release(&session->read_values);
	pd_free(session);
}

bool pd_session_follows_simpleperf(const struct perfdata_session *session)
{
	return session->state && session->state->inside;
}

struct pd_account *pd_session_account(const struct perfdata_session *session) { return session->account; }

void pd_session_trim(struct perfdata_session *session)
{
	pd_batches_trim(session);
	if (session->read_whole)
		pd_reader_trim(session->reader);
}

struct pd_step_tree *pd_session_nodes(const struct perfdata_session *session)
{
	return session->state && session->state->stacks.with_nodes ? &session->state->stacks.nodes : NULL;
}

const struct perfdata_reader *pd_session_reader(const struct perfdata_session *session)
{
	return session->reader;
}

bool pd_session_gives(const struct perfdata_session *session, uint32_t needs)
{
	return (session->options.needs & needs) == needs;
}

bool pd_session_leaves_out(const struct perfdata_session *session)
{
	return session->filter.any || session->filter.places || session->options.limit;
}

struct pd_listener pd_session_listen(struct perfdata_session *session, struct pd_listener listener)
{
	return pd_reader_listen(session->reader, listener);
}

void pd_session_drop_stacks(struct perfdata_session *session)
{
	if (!pd_needs(session, PERFDATA_NEED_STACK_IDS))
		session->options.needs &= ~(uint32_t)PERFDATA_NEED_STACKS;
}

bool pd_session_makes_samples(const struct perfdata_session *session) { return session->options.trace_samples; }

const struct perfdata_error *perfdata_session_error(const struct perfdata_session *session) { return &session->error; }

static const char *comm_of(const struct perfdata_session *session, const struct perfdata_raw *raw)
{
	if (!session->filter.given.nr_comms || !session->state)
		return NULL;
	const uint32_t comm = pd_thread_comm(session->state, raw->tid, session->filter.given.samples_only);
	return comm == PERFDATA_NONE ? NULL : pd_intern_get(session->state->comms, comm, NULL);
}

enum perfdata_status pd_session_wants(struct perfdata_session *session, const struct perfdata_raw *raw,
				      unsigned conditions, bool *ret)
{
	struct perfdata_raw named;
	if (raw->flags & PERFDATA_RAW_SYNTHESIZED && session->filter.given.nr_pids && session->state) {
		/* an operation in a trace names its thread, not the process */
		const struct pd_thread *thread = pd_thread_find(session->state, raw->tid);
		named = *raw;
		named.pid = thread ? thread->pid : -1;
		raw = &named;
	}
	if (pd_filter_asks_owner(&session->filter, raw)) {
		named = *raw;
		pd_filter_set_owner(&named, session->reader);
		raw = &named;
	}
	*ret = pd_filter_record(&session->filter, raw, comm_of(session, raw), conditions);
	if (!*ret || !session->filter.places ||
	    (session->filter.given.samples_only && raw->type != PERFDATA_RECORD_SAMPLE))
		return PERFDATA_OK;
	return pd_filter_place(session, raw, ret);
}

void pd_session_watch(struct perfdata_session *session, pd_session_watch_fn *watch, void *user)
{
	session->watch = watch;
	session->watch_user = user;
}

bool pd_session_counts(struct perfdata_session *session, const struct perfdata_event *event)
{
	return pd_filter_event(&session->filter, event);
}

/* Adds a piece of a payload to the batch, unless its AUXTRACE record was left out. */
static enum perfdata_status take_payload(struct perfdata_session *session, const struct perfdata_raw *raw)
{
	session->payload_left = session->payload_wanted && raw->payload;
	if (!session->payload_wanted)
		return PERFDATA_OK;
	struct pd_batch *batch = pd_batch_open(session);
	const struct perfdata_raw *own = batch ? pd_batch_add_record(batch, raw) : NULL;
	if (!own)
		return PERFDATA_ENOMEM;
	batch->public.bytes += (PAYLOAD_WEIGHT - 1) * (size_t)raw->size;
	if (!(session->options.needs & PERFDATA_NEED_DELIVERIES))
		return PERFDATA_OK;
	struct perfdata_delivery *delivery = pd_batch_next_delivery(batch);
	if (!delivery)
		return PERFDATA_ENOMEM;
	*delivery = (struct perfdata_delivery){
		.record = own,
		.id = UINT64_MAX,
		.flags = PERFDATA_DELIVERY_FIRST | PERFDATA_DELIVERY_SILENT,
		.pid = -1,
		.tid = -1,
		.comm = PERFDATA_NONE,
		.script_comm = PERFDATA_NONE,
		.ip = PERFDATA_NONE,
		.addr = PERFDATA_NONE,
		.stack = PERFDATA_NONE,
		.branches = PERFDATA_NONE,
	};
	return PERFDATA_OK;
}

/* Whether nobody needs the record: FINISHED_ROUND records are frequent and do not concern threads. */
static bool is_for_nobody(const struct perfdata_session *session, const struct perfdata_raw *raw)
{
	return session->only_spans && raw->type == PERFDATA_RECORD_FINISHED_ROUND && raw->size == 8;
}

/* Adds one record to the open batch, if it passes the filter. */
static enum perfdata_status take_record(struct perfdata_session *session, const struct perfdata_raw *raw)
{
	if (raw->flags & PERFDATA_RAW_PAYLOAD)
		return take_payload(session, raw);
	bool deliver = session->options.needs & PERFDATA_NEED_DELIVERIES, wanted;
	/* a group's sample belongs to all its events: the filter looks at each of its deliveries */
	const bool group = raw->event && raw->type == PERFDATA_RECORD_SAMPLE &&
			   (raw->event->attr->sample_type & PERFDATA_SAMPLE_READ);
	enum perfdata_status status = pd_count_record(&session->counts, raw);
	if (status == PERFDATA_OK)
		status = pd_session_wants(session, raw, group ? PD_FILTER_TYPE : PD_FILTER_ALL, &wanted);
	if (status == PERFDATA_OK && group && session->filter.given.nr_events)
		wanted = wanted && pd_group_passes(session, raw);
	if (status == PERFDATA_OK && session->watch)
		status = session->watch(session->watch_user, session, raw);
	if (status == PERFDATA_OK && raw->type == PERFDATA_RECORD_AUXTRACE) {
		session->payload_wanted = wanted;
		session->payload_left = wanted && raw->payload && session->options.needs & PERFDATA_NEED_PAYLOADS;
	}
	if (status == PERFDATA_OK && !deliver && raw->type == PERFDATA_RECORD_SAMPLE)
		status = pd_deliver(session, NULL, raw, NULL);   /* only counts the deliveries */
	if (status == PERFDATA_OK && session->spans)
		status = pd_session_spans_take(session, raw, wanted);
	if (status != PERFDATA_OK || (!wanted && !deliver))
		return status;
	struct pd_batch *batch = pd_batch_open(session);
	if (!batch)
		return PERFDATA_ENOMEM;
	if (is_for_nobody(session, raw)) {
		session->counts.summary.records_out += wanted;
		pd_batch_count_bytes(batch, raw, wanted);
		return PERFDATA_OK;
	}
	struct perfdata_raw *own = wanted ? pd_batch_add_record(batch, raw) : NULL;
	if (wanted && !own)
		return PERFDATA_ENOMEM;
	session->counts.summary.records_out += wanted;
	session->counts.summary.samples_out += wanted && raw->type == PERFDATA_RECORD_SAMPLE;
	if (!deliver)
		return PERFDATA_OK;
	const size_t before = batch->public.nr_deliveries;
	status = pd_deliver(session, batch, raw, own);
	if (status != PERFDATA_OK)
		batch->public.nr_deliveries = before;   /* they may lack a stack */
	for (size_t i = before; own && pd_session_spans_took(session) && i < batch->public.nr_deliveries; i++)
		if (batch->deliveries[i].record == own)
			batch->deliveries[i].flags |= PERFDATA_DELIVERY_IN_SPAN;
	return status;
}

static enum perfdata_status fail_with(struct perfdata_session *session, enum perfdata_status status, const char *text)
{
	session->end = status;
	session->error = (struct perfdata_error){ .status = status, .offset = PERFDATA_NO_OFFSET };
	strncpy(session->error.message, text, sizeof session->error.message - 1);
	return status;
}

static enum perfdata_status fail_session(struct perfdata_session *session, enum perfdata_status status)
{
	if (session->error.status == status && *session->error.message)
		return session->end = status;   /* the error is set already */
	if (session->state && session->state->error.status == status) {
		session->error = session->state->error;
		return session->end = status;
	}
	return fail_with(session, status, pd_failure_text(status));
}

static bool limit_is_reached(const struct perfdata_session *session)
{
	return session->options.limit && session->counts.summary.records_out >= session->options.limit &&
	       !session->payload_left;
}

static bool batch_is_due(const struct perfdata_session *session)
{
	const struct pd_batch *batch = session->open;
	if (!batch || !pd_upcoming_is_empty(session))
		return batch && pd_batch_is_full(batch);
	return pd_batch_is_full(batch) || (batch->public.nr_records && !pd_reader_ready(session->reader));
}

static bool batch_has_content(const struct perfdata_session *session)
{
	const struct pd_batch *batch = session->open;
	return batch &&
	       (batch->public.nr_records || batch->public.nr_deliveries || batch->public.bytes || batch->nr_spans);
}

/* Closes the open batch and returns it. Records that the reader has put there for the next batch move out first. */
static struct perfdata_batch *close_batch(struct perfdata_session *session)
{
	struct perfdata_batch *batch = &session->open->public;
	pd_upcoming_keep(session);
	session->open = NULL;
	pd_batch_publish((struct pd_batch *)batch);
	return batch;
}

/* Whether the session only has to count whole samples. */
static bool only_counts(const struct perfdata_session *session)
{
	return !session->options.needs && !session->options.limit && session->filter.passes_samples;
}

/* Counts the records that come next as long as they are whole samples. */
static enum perfdata_status count_samples(struct perfdata_session *session, bool *ret_counted)
{
	struct pd_sample_summary summaries[PD_MAX_RECORDS];
	const unsigned nr = pd_reader_next_summaries(session->reader, summaries, PD_MAX_RECORDS);
	*ret_counted = nr;
	if (!nr)
		return PERFDATA_OK;
	/* the batch's `bytes` say to the caller how far the session has come */
	struct pd_batch *batch = pd_batch_open(session);
	return batch ? pd_count_summaries(&session->counts, summaries, nr, &batch->public.bytes) : PERFDATA_ENOMEM;
}

/* Takes the records that come next: samples a few at a time, others one by one. */
static enum perfdata_status take_next(struct perfdata_session *session)
{
	struct pd_upcoming *upcoming = &session->upcoming;
	if (upcoming->at == upcoming->pending.nr && only_counts(session)) {
		bool counted;
		const enum perfdata_status status = count_samples(session, &counted);
		if (status != PERFDATA_OK || counted)
			return status == PERFDATA_OK ? PERFDATA_OK : fail_session(session, status);
	}
	if (upcoming->at == upcoming->pending.nr) {
		const enum perfdata_status status = pd_upcoming_next(session);
		if (status == PERFDATA_END || status == PERFDATA_AGAIN)
			return status;
		if (status != PERFDATA_OK) {
			session->error = *perfdata_reader_error(session->reader);
			return session->end = status;
		}
	}
	const struct perfdata_raw *next = &upcoming->pending.records[upcoming->at];
	/* the end of a batch depends on its records alone, not on how many the reader returned at once */
	const unsigned nr = pd_batch_takes(session, next, upcoming->pending.nr - upcoming->at);
	unsigned taken;
	enum perfdata_status status = pd_take_samples(session, next, nr, &taken);
	if (status == PERFDATA_OK && !taken) {
		taken = 1;
		pd_upcoming_begin(session);
		status = take_record(session, next);
		pd_upcoming_end(session);
	}
	upcoming->at += taken;
	pd_session_load_names(session);
	return status == PERFDATA_OK ? PERFDATA_OK : fail_session(session, status);
}

enum perfdata_status perfdata_session_next(struct perfdata_session *session, struct perfdata_batch **ret)
{
	while (session->end == PERFDATA_OK && !batch_is_due(session)) {
		const enum perfdata_status next = take_next(session);
		if (next == PERFDATA_AGAIN && !batch_has_content(session))
			return PERFDATA_AGAIN;
		if (next == PERFDATA_AGAIN)
			break;
		if (next == PERFDATA_END) {
			enum perfdata_status status = pd_session_spans_end(session);
			if (status == PERFDATA_OK)
				status = pd_deliver_waiting(session);
			session->end = status == PERFDATA_OK ? PERFDATA_END : fail_session(session, status);
			session->read_whole = true;
			if (session->state)
				pd_jit_report_overlaps(session->state);
		} else if (session->end == PERFDATA_OK && limit_is_reached(session)) {
			session->end = PERFDATA_END;
		}
		if (session->end == PERFDATA_END)
			pd_counts_report_losses(session);
	}
	if (!session->open && session->end == PERFDATA_END && pd_session_names_failure(session, &session->error))
		return session->end = session->error.status;
	if (!session->open) {
		/* the caller may need the memory for its sums, tables and names */
		if (session->state) {
			pd_stacks_finish(&session->state->stacks);
			pd_frames_finish(session->state);
		}
		return session->end;
	}
	*ret = close_batch(session);
	return PERFDATA_OK;
}

const struct perfdata_summary *perfdata_session_summary(struct perfdata_session *session)
{
	/* without memory the lists keep their last published state, and the session fails; the sums are right */
	if (pd_counts_publish(session) != PERFDATA_OK) {
		fail_session(session, PERFDATA_ENOMEM);
		session->counts.summary.complete = false;
	}
	return &session->counts.summary;
}
