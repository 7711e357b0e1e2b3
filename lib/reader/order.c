/* SPDX-License-Identifier: MIT */
/* Time order, as perf delivers: perf's own records and records without a time at once; other records wait, sorted by
 * time, until a FINISHED_ROUND says that nothing older can come. A round releases the records that are not newer than
 * the newest record of the round before it. Equal times keep the order of the file. */
#include "config.h"
#include "base/memory.h"
#include "reader/order_rest.h"
#include "reader/order_slots.h"
#include "reader/order_sort.h"
#include "reader/reader_impl.h"

/* Runs made later hold records that came later. */
struct ordered_run {
	uint64_t time, number;
	struct pd_run *run;
};

struct pd_order {
	struct pd_key *keys, *spare;        /* keys[first..sorted) are sorted; keys[sorted..count) as they came */
	size_t first, sorted, count, room, spare_room;
	struct pd_slots slots;
	size_t chunks;                   /* that hold records in slots */
	uint64_t bytes;                  /* of records in slots */
	size_t waiting;                  /* records in slots and runs */
	size_t accounted;                /* of slots and keys; the account knows chunks by itself */
	struct pd_spill *spill;
	struct ordered_run *runs;        /* a heap: the one with the oldest record first */
	size_t nr_runs, runs_room;
	uint64_t next_run;
	uint32_t next_sequence;
	uint64_t newest;                 /* time of the newest record queued so far */
	uint64_t limit;                  /* the next round releases records up to this time; 0: none */
	uint64_t last;                   /* time of the record released last */
	struct perfdata_raw read[PD_MAX_RECORDS]; /* of one chunk, which stays while they are worked on */
	unsigned nr_read, read_at;
	/* held for the last returned records that came from slots: released by the next call */
	struct pd_chunk *given[PD_MAX_RECORDS];
	unsigned nr_given;
	bool releasing;
	bool rest_was_seen;              /* whether the rest is sorted was asked: once */
	bool rest_is_sorted;             /* no record that comes now has to wait */
	bool backward;                   /* some event is written backward: late records are normal */
};

#define FETCH_SLOTS 32               /* slots are fetched into the cache this many records ahead */
#define FETCH_BYTES 16               /* bytes, to which slots point, this many records ahead */
#ifndef MIN_RUN_BYTES                /* fuzzing sets a smaller size */
#define MIN_RUN_BYTES (1u << 20)     /* of records: smaller runs are not worth a file */
#endif
#ifndef LOOK_BYTES                   /* likewise */
#define LOOK_BYTES (4u << 20)        /* of records that wait without a round: then the rest of the file is looked at */
#endif
#define CHUNK_BYTES ((uint64_t)PD_CHUNK_SIZE + PD_CHUNK_HEADROOM)

enum perfdata_status pd_order_new(struct perfdata_reader *reader)
{
	reader->order = pd_calloc(1, sizeof *reader->order);
	if (!reader->order)
		return PERFDATA_ENOMEM;
	pd_slots_init(&reader->order->slots);
	for (size_t i = 0; i < reader->nr_events; i++)
		reader->order->backward |= perfdata_attr_has(reader->events[i]->attr, PERFDATA_ATTR_WRITE_BACKWARD);
	return PERFDATA_OK;
}

static size_t memory_of(const struct pd_order *order)
{
	return (size_t)pd_slots_bytes(&order->slots) + (order->room + order->spare_room) * sizeof *order->keys;
}

static void account_for(struct perfdata_reader *reader, size_t memory)
{
	if (memory != reader->order->accounted)
		pd_account_change(pd_reader_account(reader), PD_USE_ORDER, reader->order->accounted, memory);
	reader->order->accounted = memory;
}

/* One hold on a chunk for all its records that wait. */
static void hold_chunk(struct pd_order *order, struct pd_chunk *chunk, unsigned nr)
{
	if (!chunk->queued) {
		pd_chunk_hold(chunk);
		order->chunks++;
	}
	chunk->queued += nr;
}

static void release_chunk(struct pd_order *order, struct pd_chunk *chunk)
{
	if (--chunk->queued)
		return;
	order->chunks--;
	pd_chunk_drop(chunk);
}

static void release_given(struct pd_order *order)
{
	for (unsigned i = 0; i < order->nr_given; i++)
		release_chunk(order, order->given[i]);
	order->nr_given = 0;
}

void pd_order_free(struct perfdata_reader *reader)
{
	struct pd_order *order = reader->order;

	if (!order)
		return;
	account_for(reader, 0);
	release_given(order);
	for (size_t i = order->first; i < order->count; i++)
		release_chunk(order, pd_slot_at(&order->slots, order->keys[i].slot)->chunk);
	for (size_t i = 0; i < order->nr_runs; i++)
		pd_run_free(order->runs[i].run);
	pd_free(order->runs);
	pd_spill_free(order->spill);
	pd_free(order->keys);
	pd_free(order->spare);
	pd_slots_release(&order->slots);
	pd_free(order);
	reader->order = NULL;
}

void pd_order_trim(struct perfdata_reader *reader)
{
	struct pd_order *order = reader->order;
	if (!order)
		return;
	release_given(order);
	if (order->waiting)
		return;
	pd_free(order->keys);
	pd_free(order->spare);
	order->keys = order->spare = NULL;
	order->first = order->sorted = order->count = order->room = order->spare_room = 0;
	pd_slots_release(&order->slots);
	account_for(reader, memory_of(order));
}

static void note_late(struct perfdata_reader *reader, struct perfdata_raw *raw)
{
	struct pd_order *order = reader->order;

	raw->flags |= PERFDATA_RAW_LATE;
	reader->at_record = raw->number;
	if (!order->backward)
		pd_reader_finding_once(
			reader, PERFDATA_FINDING_OUT_OF_ORDER, raw->file, raw->offset,
			"a record of time %llu came after one of %llu was delivered; further ones are only counted",
			(unsigned long long)raw->time, (unsigned long long)order->last);
}

static inline void fill_slot(struct pd_order_slot *slot, struct pd_slot_header *header, const struct perfdata_raw *raw)
{
	*header = (struct pd_slot_header){ raw->type, (uint16_t)raw->size, raw->misc };
	slot->bytes = raw->bytes;
	slot->chunk = raw->chunk;
	slot->event = raw->event;
	slot->offset = raw->offset;
	slot->inner = raw->inner;
	slot->number = raw->number;
	slot->pid = raw->pid;
	slot->tid = raw->tid;
	slot->cpu = raw->cpu;
	slot->file = raw->file;
	slot->flags = raw->flags;
}

/* Records of one chunk wait from now on. */
static enum perfdata_status push_raws(struct perfdata_reader *reader, struct perfdata_raw *raws, unsigned nr)
{
	struct pd_order *order = reader->order;
	uint64_t newest = order->newest, bytes = 0;

	if (pd_vector_grow(&order->keys, &order->room, order->count + nr - 1, sizeof *order->keys) < 0)
		return PERFDATA_ENOMEM;
	struct pd_key *keys = order->keys + order->count;
	const uint32_t sequence = order->next_sequence;
	for (unsigned done = 0; done < nr;) {
		uint32_t slot;
		unsigned count = nr - done;
		const enum perfdata_status status = pd_slots_take(&order->slots, &slot, &count);
		if (status != PERFDATA_OK)
			return status;
		struct pd_order_slot *slots = pd_slot_at(&order->slots, slot);
		struct pd_slot_header *headers = pd_slot_header_at(&order->slots, slot);
		hold_chunk(order, raws->chunk, count);
		order->waiting += count;
		for (unsigned i = 0; i < count; i++) {
			struct perfdata_raw *raw = &raws[done + i];
			if (raw->time < order->last)
				note_late(reader, raw);
			fill_slot(&slots[i], &headers[i], raw);
			bytes += raw->size;
			keys[done + i] = (struct pd_key){ raw->time, slot + i, sequence + done + i };
			newest = raw->time > newest ? raw->time : newest;
		}
		done += count;
		order->count += count;
		order->next_sequence += count;
	}
	order->bytes += bytes;
	order->newest = newest;
	account_for(reader, memory_of(order));
	return PERFDATA_OK;
}

/* Sorts the records that came since the last sort, and merges them with the rest of that sort. */
static enum perfdata_status sort_order(struct pd_order *order)
{
	const size_t old = order->sorted - order->first, fresh = order->count - order->sorted;
	if (pd_keys_run_end(order->keys, order->sorted > order->first ? order->sorted - 1 : order->sorted,
			    order->count) >= order->count) {
		if (order->first)
			memmove(order->keys, order->keys + order->first, (old + fresh) * sizeof *order->keys);
		order->first = 0;
		order->sorted = order->count = old + fresh;
		return PERFDATA_OK;
	}
	if (order->spare_room < old + fresh) {
		struct pd_key *spare = pd_realloc(order->spare, order->room * sizeof *spare);
		if (!spare)
			return PERFDATA_ENOMEM;
		order->spare = spare;
		order->spare_room = order->room;
	}
	struct pd_key *keys = order->keys, *spare = order->spare;
	const bool moved = pd_keys_sort(keys + order->sorted, spare + old, fresh);
	pd_keys_merge(keys + order->first, old, moved ? spare + old : keys + order->sorted, fresh, spare);
	const size_t room = order->room;
	order->keys = spare;
	order->room = order->spare_room;
	order->spare = keys;
	order->spare_room = room;
	order->first = 0;
	order->sorted = order->count = old + fresh;
	return PERFDATA_OK;
}

/* --- runs in a temporary file --- */

static bool is_older(const struct ordered_run *a, const struct ordered_run *b)
{
	return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void sift_down(struct pd_order *order, size_t at)
{
	for (;;) {
		size_t oldest = at;
		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < order->nr_runs; child++)
			if (is_older(&order->runs[child], &order->runs[oldest]))
				oldest = child;
		if (oldest == at)
			return;
		const struct ordered_run swap = order->runs[at];
		order->runs[at] = order->runs[oldest];
		order->runs[oldest] = swap;
		at = oldest;
	}
}

/* Copies member by member, as in the other direction: a struct copy right after its members were written would stall on
 * store forwarding. */
static inline void raw_of(const struct perfdata_reader *reader, const struct pd_key *key, struct perfdata_raw *ret)
{
	const struct pd_order_slot *slot = pd_slot_at(&reader->order->slots, key->slot);
	const struct pd_slot_header header = *pd_slot_header_at(&reader->order->slots, key->slot);
	ret->bytes = slot->bytes;
	ret->event = slot->event;
	ret->offset = slot->offset;
	ret->inner = slot->inner;
	ret->number = slot->number;
	ret->time = key->time;
	ret->payload = 0;
	ret->size = header.size;
	ret->type = header.type;
	ret->cpu = slot->cpu;
	ret->pid = slot->pid;
	ret->tid = slot->tid;
	ret->misc = header.misc;
	ret->file = slot->file;
	ret->flags = slot->flags;
	ret->known_whole = 0;
	ret->chunk = slot->chunk;
}

/* Writes all that waits in memory to a run. */
static enum perfdata_status spill_order(struct perfdata_reader *reader)
{
	struct pd_order *order = reader->order;
	struct pd_run *run;
	enum perfdata_status status = sort_order(order);

	if (status == PERFDATA_OK && !order->spill) {
		order->spill = pd_spill_new(reader);
		if (!order->spill)
			status = PERFDATA_ENOMEM;
	}
	if (status == PERFDATA_OK &&
	    pd_vector_grow(&order->runs, &order->runs_room, order->nr_runs, sizeof *order->runs) < 0)
		status = PERFDATA_ENOMEM;
	for (size_t i = 0; i < order->count && status == PERFDATA_OK; i++) {
		struct perfdata_raw raw = { 0 };   /* no byte of the file is undefined */
		raw_of(reader, &order->keys[i], &raw);
		status = pd_spill_add(order->spill, &raw);
	}
	if (status == PERFDATA_OK)
		status = pd_spill_finish(order->spill, &run);
	if (status != PERFDATA_OK)
		return status;
	for (size_t i = 0; i < order->count; i++)
		release_chunk(order, pd_slot_at(&order->slots, order->keys[i].slot)->chunk);
	pd_slots_release(&order->slots);
	order->count = order->sorted = 0;
	order->bytes = 0;
	account_for(reader, memory_of(order));
	order->runs[order->nr_runs++] = (struct ordered_run){ pd_run_record(run)->time, order->next_run++, run };
	/* from the last place upwards */
	for (size_t at = order->nr_runs - 1; at && is_older(&order->runs[at], &order->runs[(at - 1) / 2]);
	     at = (at - 1) / 2) {
		const struct ordered_run swap = order->runs[at];
		order->runs[at] = order->runs[(at - 1) / 2];
		order->runs[(at - 1) / 2] = swap;
	}
	return PERFDATA_OK;
}

/* Each run in a file takes a chunk to be read: where others take the memory, small ones would save nothing. */
static bool memory_is_full(struct perfdata_reader *reader)
{
	const struct pd_order *order = reader->order;
	const uint64_t memory = order->chunks * CHUNK_BYTES + memory_of(order), limit = reader->options.max_memory;
	return order->bytes >= MIN_RUN_BYTES &&
	       (memory > limit || (memory > limit / 4 && pd_account_is_over(pd_reader_account(reader))));
}

/* The oldest record of all runs. */
static enum perfdata_status pop_run(struct perfdata_reader *reader, struct perfdata_raw *ret)
{
	struct pd_order *order = reader->order;
	struct pd_run *run = order->runs[0].run;

	*ret = *pd_run_record(run);
	pd_reader_hold(reader, ret->chunk);
	order->last = ret->time;
	order->waiting--;
	const enum perfdata_status status = pd_run_move(run);
	if (pd_run_record(run)) {
		order->runs[0].time = pd_run_record(run)->time;
	} else {
		pd_run_free(run);
		order->runs[0] = order->runs[--order->nr_runs];
	}
	sift_down(order, 0);
	return status;
}

/* A FINISHED_ROUND came: sets what this round releases. */
static enum perfdata_status finish_round(struct pd_order *order)
{
	if (!order->waiting)
		return PERFDATA_OK;
	const enum perfdata_status status = order->limit ? sort_order(order) : PERFDATA_OK;
	order->releasing = order->limit != 0;
	return status;
}

/* A round is larger than the caches, so slots of later records are prefetched while earlier ones are worked on; their
 * bytes only if this thread works on them. */
static inline void fetch_ahead(const struct pd_order *order, size_t at, bool bytes_too)
{
	if (at + FETCH_SLOTS >= order->sorted)
		return;
	__builtin_prefetch(pd_slot_at(&order->slots, order->keys[at + FETCH_SLOTS].slot));
	__builtin_prefetch(pd_slot_header_at(&order->slots, order->keys[at + FETCH_SLOTS].slot));
	if (!bytes_too)
		return;
	pd_record_fetch(pd_slot_at(&order->slots, order->keys[at + FETCH_BYTES].slot)->bytes);
}

/* Returns the oldest records in memory that are not newer than `limit`. */
static unsigned pop_keys(struct perfdata_reader *reader, uint64_t limit, struct perfdata_raw *ret)
{
	struct pd_order *order = reader->order;
	const size_t left = order->sorted - order->first;
	const struct pd_key *keys = left ? order->keys + order->first : NULL;
	const unsigned max = left < PD_MAX_RECORDS ? (unsigned)left : PD_MAX_RECORDS;
	unsigned nr = 0;

	while (nr < max && keys[nr].time <= limit) {
		fetch_ahead(order, order->first + nr, !reader->ahead);
		raw_of(reader, &keys[nr], &ret[nr]);
		order->given[nr] = ret[nr].chunk;
		order->bytes -= ret[nr].size;
		pd_slot_leave(&order->slots, keys[nr].slot);
		nr++;
	}
	if (nr)
		order->last = keys[nr - 1].time;
	order->first += nr;
	order->waiting -= nr;
	order->nr_given = nr;
	return nr;
}

/* The next records that may be released; PERFDATA_END if none may. A record of a run comes alone. */
static enum perfdata_status pop_raws(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned *ret_nr)
{
	struct pd_order *order = reader->order;

	if (order->nr_runs) {
		const uint64_t in_memory = order->first < order->sorted ? order->keys[order->first].time : UINT64_MAX;
		if (order->runs[0].time <= in_memory && order->runs[0].time <= order->limit) {
			*ret_nr = 1;
			return pop_run(reader, ret);
		}
	}
	/* at equal times the run's record is the older one */
	const uint64_t next_in_run = order->nr_runs ? order->runs[0].time : UINT64_MAX;
	*ret_nr = pop_keys(reader, next_in_run <= order->limit ? next_in_run - 1 : order->limit, ret);
	return *ret_nr ? PERFDATA_OK : PERFDATA_END;
}

/* A run cannot be read any more: drops its records after the current one. */
static void drop_waiting(struct perfdata_reader *reader, enum perfdata_status status)
{
	pd_reader_finding(reader, PERFDATA_FINDING_READ_FAILED, 0, PERFDATA_NO_OFFSET,
			  "records that waited for their turn could not be read again");
	reader->end = pd_reader_failed(reader, status);
	reader->order->limit = UINT64_MAX;
	reader->order->newest = UINT64_MAX;
	(void)sort_order(reader->order);   /* without memory the unsorted ones are lost too */
}

static bool must_wait(const struct perfdata_raw *raw)
{
	return raw->type < PERFDATA_RECORD_USER_FIRST && raw->time && raw->time != UINT64_MAX;
}

/* Whether records wait although the rest of the file is sorted. Where rounds come, they wait for the next one only. */
static bool need_not_wait(struct perfdata_reader *reader)
{
	struct pd_order *order = reader->order;
	if (order->rest_was_seen || order->bytes < LOOK_BYTES)
		return false;
	order->rest_was_seen = true;
	order->rest_is_sorted = !order->limit && pd_order_rest_is_sorted(reader, order->newest);
	return order->rest_is_sorted;
}

/* Hands on records of one chunk that have their turn. */
static void pass_raws(struct perfdata_reader *reader, const struct perfdata_raw *raws, unsigned nr,
		      struct perfdata_raw *ret)
{
	struct pd_order *order = reader->order;
	pd_reader_hold(reader, raws->chunk);
	for (unsigned i = 0; i < nr; i++) {
		ret[i] = raws[i];
		if (ret[i].time < order->last)   /* the file was changed since */
			note_late(reader, &ret[i]);
		else
			order->last = ret[i].time;
	}
}

/* The next records in the order of the input: several if all have to wait for their turn, or one record that need not
 * wait. */
static enum perfdata_status read_some(struct perfdata_reader *reader, struct perfdata_raw **ret, unsigned *ret_nr,
				      bool *ret_wait)
{
	struct pd_order *order = reader->order;

	if (order->read_at == order->nr_read) {
		order->read_at = order->nr_read = 0;
		const enum perfdata_status status = pd_reader_read(reader, order->read, &order->nr_read);
		if (status != PERFDATA_OK)
			return status;
	}
	struct perfdata_raw *first = &order->read[order->read_at];
	const unsigned max = order->nr_read - order->read_at;
	unsigned nr = 1;
	*ret = first;
	*ret_wait = must_wait(first);
	while (*ret_wait && nr < max && must_wait(&first[nr]))
		nr++;
	order->read_at += nr;
	*ret_nr = nr;
	return PERFDATA_OK;
}

enum perfdata_status pd_order_next(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned *ret_nr)
{
	struct pd_order *order = reader->order;

	release_given(order);
	for (;;) {
		if (order->releasing) {
			const enum perfdata_status popped = pop_raws(reader, ret, ret_nr);
			if (popped < 0)
				drop_waiting(reader, popped);
			if (popped != PERFDATA_END)
				return PERFDATA_OK;
			order->releasing = false;
			order->limit = order->newest;
		}
		if (reader->end != PERFDATA_OK)
			return reader->end;
		struct perfdata_raw *raws = NULL;
		unsigned nr = 0;
		bool wait = false;
		enum perfdata_status status = read_some(reader, &raws, &nr, &wait);
		if (status == PERFDATA_AGAIN)
			return status;
		if (status == PERFDATA_OK && wait && order->rest_is_sorted) {
			pass_raws(reader, raws, nr, ret);
			*ret_nr = nr;
			return PERFDATA_OK;
		}
		if (status == PERFDATA_OK && wait) {
			status = push_raws(reader, raws, nr);
			const bool between = status == PERFDATA_OK && order->read_at == order->nr_read;
			if (between && need_not_wait(reader)) {
				order->limit = UINT64_MAX;
				status = sort_order(order);
				order->releasing = status == PERFDATA_OK;
			} else if (between && memory_is_full(reader)) {
				status = spill_order(reader);
			}
			if (status == PERFDATA_OK)
				continue;
			if (status == PERFDATA_ELIMIT)
				pd_reader_finding(reader, PERFDATA_FINDING_LIMIT, raws->file, raws->offset, "%s",
						  reader->error.message);
		} else if (status == PERFDATA_OK) {
			pd_reader_hold(reader, raws->chunk);
			*ret = *raws;
			*ret_nr = 1;
			if (raws->type != PERFDATA_RECORD_FINISHED_ROUND || pd_trace_samples_come(reader))
				return PERFDATA_OK;
			status = finish_round(order);
			if (status == PERFDATA_OK) {
				if (!order->releasing && order->waiting)
					order->limit = order->newest;
				return PERFDATA_OK;
			}
		}
		/* the end, or a failure: all records that wait are released now */
		reader->end = pd_reader_failed(reader, status);
		order->limit = UINT64_MAX;
		order->newest = UINT64_MAX;
		order->releasing = sort_order(order) == PERFDATA_OK;
		if (!order->releasing)
			reader->end = pd_reader_failed(reader, PERFDATA_ENOMEM);
	}
}

bool pd_order_is_ready(const struct perfdata_reader *reader)
{
	const struct pd_order *order = reader->order;
	if (order->read_at < order->nr_read)
		return true;
	if (!order->releasing)
		return false;
	return (order->nr_runs && order->runs[0].time <= order->limit) ||
	       (order->first < order->sorted && order->keys[order->first].time <= order->limit);
}
