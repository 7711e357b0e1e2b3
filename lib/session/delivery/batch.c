/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "session/session.h"

#define BATCH_BYTES (256u << 10)
/* The most that a record counts for in a batch: a copied stack makes a record large without making more work, and with
 * few records in each batch, threads would mostly wake each other. */
#define RECORD_BYTES (16u << 10)
/* Making spans of a record takes a fraction of the work that other records make. */
#define SPANS_PART 4u
#ifndef BATCH_RECORDS   /* fuzzing sets a smaller number */
#define BATCH_RECORDS 8192u
#endif

/* Only the session's thread takes batches off the list, and it takes the whole list at once, so an atomic exchange
 * suffices. */
static struct pd_batch *take_free(struct perfdata_session *session)
{
	if (!session->free)
		session->free = atomic_exchange_explicit(&session->returned, NULL, memory_order_acquire);
	struct pd_batch *batch = session->free;
	if (batch)
		session->free = batch->next_free;
	return batch;
}

bool pd_memory_is_low(struct perfdata_session *session)
{
	return session->batches_made >= 2 && !session->open && !session->free &&
	       !atomic_load_explicit(&session->returned, memory_order_relaxed) && pd_account_is_over(session->account);
}

struct pd_batch *pd_batch_open(struct perfdata_session *session)
{
	if (session->open)
		return session->open;
	struct pd_batch *batch = take_free(session);
	if (!batch) {
		batch = pd_calloc(1, sizeof *batch);
		if (!batch)
			return NULL;
		session->batches_made++;
		batch->owner = session;
		batch->public.session = session;
	}
	pd_chunks_begin(&batch->chunks, &session->mark);
	batch->public.number = session->nr_batches++;
	batch->steps.count = 0;
	batch->nr_spans = batch->nr_args = 0;
	batch->steps.batch = batch->public.number;
	session->open = batch;
	return batch;
}

static enum perfdata_status hold_chunk(struct pd_batch *batch, struct pd_chunk *chunk)
{
	return pd_chunks_hold(&batch->chunks, chunk, &chunk->mark) < 0 ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* How much a record counts towards the end of its batch. */
static inline size_t work_of(const struct perfdata_session *session, const struct perfdata_raw *raw)
{
	const size_t work = raw->size < RECORD_BYTES ? raw->size : RECORD_BYTES;
	return session->only_spans ? work / SPANS_PART : work;
}

struct perfdata_raw *pd_batch_room(struct pd_batch *batch)
{
	return batch && batch->records ? &batch->records[batch->public.nr_records] : NULL;
}

struct perfdata_raw *pd_batch_add_record(struct pd_batch *batch, const struct perfdata_raw *raw)
{
	/* Room for all records of a batch, and for the records that the reader writes after them. Deliveries point to
	 * records, so the array never moves. */
	if (!batch->records) {
		batch->records = pd_malloc((BATCH_RECORDS + PD_MAX_RECORDS) * sizeof *batch->records);
		if (!batch->records)
			return NULL;
		batch->public.records = batch->records;
	}
	if (hold_chunk(batch, raw->chunk) != PERFDATA_OK)
		return NULL;
	struct perfdata_raw *record = &batch->records[batch->public.nr_records++];
	if (record != raw)
		*record = *raw;
	batch->public.bytes += raw->size;
	batch->excess += raw->size - work_of(batch->owner, raw);
	return record;
}

void pd_batch_count_bytes(struct pd_batch *batch, const struct perfdata_raw *raws, unsigned nr)
{
	size_t bytes = 0, work = 0;
	for (unsigned i = 0; i < nr; i++) {
		bytes += raws[i].size;
		work += work_of(batch->owner, &raws[i]);
	}
	batch->public.bytes += bytes;
	batch->excess += bytes - work;
}

uint32_t pd_batch_add_frames(struct pd_batch *batch, size_t count)
{
	size_t first = batch->public.nr_frames;
	if (count == 0 || first + count >= PERFDATA_NONE)
		return PERFDATA_NONE;
	if (pd_vector_grow(&batch->frames, &batch->frames_room, first + count - 1, sizeof *batch->frames) < 0)
		return PERFDATA_NONE;
	batch->public.frames = batch->frames;
	batch->public.nr_frames += count;
	return (uint32_t)first;
}

const struct perfdata_raw *pd_batch_keep(struct pd_batch *batch, const struct perfdata_raw *raw)
{
	if (pd_vector_grow(&batch->kept, &batch->kept_room, batch->nr_kept, sizeof *batch->kept) < 0)
		return NULL;
	if (hold_chunk(batch, raw->chunk) != PERFDATA_OK)
		return NULL;
	struct perfdata_raw *copy = pd_malloc(sizeof *copy);
	if (!copy)
		return NULL;
	*copy = *raw;
	batch->kept[batch->nr_kept++] = copy;
	return copy;
}

/* Whether the batch would be full with `bytes` and `records` more; each record has one delivery. */
static inline bool is_full_with(const struct pd_batch *batch, size_t bytes, size_t records)
{
	return batch->public.bytes - batch->excess + bytes >= BATCH_BYTES ||
	       batch->public.nr_records + records >= BATCH_RECORDS ||
	       batch->public.nr_deliveries + records >= 4 * BATCH_RECORDS;
}

bool pd_batch_is_full(const struct pd_batch *batch)
{
	return is_full_with(batch, 0, 0) || batch->nr_spans >= 4 * BATCH_RECORDS;
}

unsigned pd_batch_takes(const struct perfdata_session *session, const struct perfdata_raw *raws, unsigned nr)
{
	static const struct pd_batch none;
	const struct pd_batch *batch = session->open ? session->open : &none;
	size_t bytes = 0;
	unsigned count = 0;
	if (!is_full_with(batch, nr * (size_t)RECORD_BYTES, nr))
		return nr;
	for (unsigned i = 0; i < nr; i++)
		bytes += work_of(session, &raws[i]);
	if (!is_full_with(batch, bytes, nr))
		return nr;
	for (bytes = 0; count < nr && !is_full_with(batch, bytes, count); count++)
		bytes += work_of(session, &raws[count]);
	return count;
}

static void report_record(const struct perfdata_reader *reader, const struct perfdata_raw *raw,
		   enum perfdata_finding_code code, const char *message, perfdata_finding_fn *on_finding, void *user)
{
	const struct perfdata_finding finding = {
		.severity = perfdata_finding_lookup(code)->severity,
		.code = code,
		.file = pd_reader_file_name(reader, raw->file),
		.offset = raw->offset,
		.record = raw->number,
		.message = message,
	};
	on_finding(user, &finding);
}

void perfdata_batch_check(const struct perfdata_batch *batch, perfdata_finding_fn *on_finding, void *user)
{
	const struct perfdata_reader *reader = pd_session_reader(batch->session);
	for (size_t i = 0; i < batch->nr_records; i++) {
		const struct perfdata_raw *raw = &batch->records[i];
		struct perfdata_record record;
		if (raw->known_whole || raw->flags & PERFDATA_RAW_PAYLOAD)
			continue;
		struct perfdata_bytes data;
		if (raw->type == PERFDATA_RECORD_SAMPLE && raw->event &&
		    pd_sample_is_whole(raw->event->config, raw->bytes, raw->size, &data))
			continue;
		const enum perfdata_status status = perfdata_raw_decode(reader, raw, &record);
		if (status == PERFDATA_DAMAGED)
			report_record(reader, raw, record.problem_code, record.problem, on_finding, user);
		else if (record.rest.size && record.layout)
			report_record(reader, raw, PERFDATA_FINDING_RECORD_REST,
				      "the record holds more bytes than its type explains", on_finding, user);
	}
}

void pd_batch_publish(struct pd_batch *batch)
{
	const size_t size = (batch->records ? (BATCH_RECORDS + PD_MAX_RECORDS) * sizeof *batch->records : 0) +
			    batch->deliveries_room * sizeof *batch->deliveries +
			    batch->frames_room * sizeof *batch->frames +
			    batch->steps.room * sizeof *batch->steps.items +
			    batch->spans_room * sizeof *batch->spans + batch->args_room;
	batch->public.steps = batch->steps.items;
	batch->public.nr_steps = batch->steps.count;
	pd_account_change(batch->owner->account, PD_USE_BATCHES, batch->accounted, size);
	batch->accounted = size;
}

void perfdata_batch_release(struct perfdata_batch *public)
{
	if (!public)
		return;
	struct pd_batch *batch = (struct pd_batch *)public;
	pd_chunks_drop(&batch->chunks);
	for (size_t i = 0; i < batch->nr_kept; i++)
		pd_free(batch->kept[i]);
	batch->nr_kept = 0;
	batch->public.nr_records = batch->public.nr_deliveries = batch->public.nr_frames = 0;
	batch->public.bytes = batch->excess = 0;
	struct perfdata_session *session = batch->owner;
	struct pd_batch *head = atomic_load_explicit(&session->returned, memory_order_relaxed);
	do
		batch->next_free = head;
	while (!atomic_compare_exchange_weak_explicit(&session->returned, &head, batch, memory_order_release,
						      memory_order_relaxed));
}

void pd_batches_trim(struct perfdata_session *session)
{
	for (struct pd_batch *batch; (batch = take_free(session));) {
		pd_free(batch->records);
		pd_free(batch->deliveries);
		pd_free(batch->frames);
		pd_free(batch->steps.items);
		pd_free(batch->spans);
		pd_free(batch->args);
		pd_account_give(session->account, PD_USE_BATCHES, batch->accounted);
		pd_chunks_release(&batch->chunks);
		pd_free(batch->kept);
		pd_free(batch);
	}
}

void pd_batches_free(struct perfdata_session *session)
{
	if (session->open)
		perfdata_batch_release(&session->open->public);
	session->open = NULL;
	pd_batches_trim(session);
}

const struct perfdata_raw *perfdata_batch_record(const struct perfdata_batch *batch, size_t index)
{
	return &batch->records[index];
}

const struct perfdata_delivery *perfdata_batch_delivery(const struct perfdata_batch *batch, size_t index)
{
	return &batch->deliveries[index];
}
