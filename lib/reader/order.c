/* SPDX-License-Identifier: MIT */
/* Time order, as perf delivers: perf's own records and records without a time at once; other records wait, sorted by
 * time, until a FINISHED_ROUND says that nothing older can come. A round releases the records up to the time of the
 * newest record of the previous round. Equal times keep the order of the file. */
#include "config.h"
#include <string.h>
#include "base/large_page.h"
#include "base/memory.h"
#include "reader/order_rest.h"
#include "reader/order_spilled.h"

struct pd_order {
	struct pd_order_runs waiting;    /* runs in memory */
	struct pd_spilled spilled;       /* runs in the file, which are older */
	struct pd_order_parts parts;     /* of the runs in memory */
	struct pd_order_run last_run;    /* in memory, not yet in `waiting`: the next records may extend it */
	const struct perfdata_raw *last_raw;     /* the last record of last_run, if it has records */
	uint32_t last_part;              /* the last part of last_run; PD_NO_PART: it has one part */
	struct pd_order_block *open, *free;      /* the block that is filled; blocks without runs */
	size_t block_bytes;              /* bytes of all blocks */
	size_t chunks;                   /* number of chunks with waiting records */
	uint64_t bytes;                  /* bytes of the records in memory */
	size_t accounted;                /* bytes of blocks and runs; the pool accounts for chunks */
	uint64_t next_number;            /* the number of the next run */
	uint64_t newest;                 /* time of the newest record queued so far */
	uint64_t limit;                  /* the next round releases records up to this time; 0: none */
	uint64_t last;                   /* time of the record released last */
	struct portion {                 /* records of one chunk, not yet in runs */
		struct perfdata_raw *raws;
		unsigned nr;
		struct pd_order_block *block;    /* holds the records */
	} read, held;                    /* the records read last; the same, if they were read before their turn */
	unsigned read_at;
	struct portion *coming;          /* read before their turn: [first_coming, nr_coming) */
	size_t first_coming, nr_coming, coming_room;
	uint64_t coming_bytes, round_bytes;      /* bytes of `coming`; that waited when the last release began */
	/* chunks of the last returned records that waited in memory, held until the next call */
	struct pd_chunk *given[PD_MAX_RECORDS];
	unsigned nr_given;
	bool releasing;
	bool rest_was_seen;              /* rest_is_sorted was determined, which happens once */
	bool rest_is_sorted;             /* the rest of the file is sorted: no further record waits */
	bool backward;                   /* an event's buffer is written backward: late records are normal */
};

#ifndef MIN_RUN_BYTES                /* fuzzing sets a smaller size */
#define MIN_RUN_BYTES (1u << 20)     /* bytes of records; a smaller run is not worth a file */
#endif
#ifndef LOOK_BYTES                   /* fuzzing sets a smaller size */
#define LOOK_BYTES (4u << 20)        /* bytes of records that wait without a round before the rest is examined */
#endif
#define SINGLE_BLOCKS 16u            /* blocks before the first large page of them: most recordings need no more */
#define PAGE_BLOCKS (PD_LARGE_PAGE / sizeof(struct pd_order_block))
#define CHUNK_BYTES ((uint64_t)PD_CHUNK_SIZE + PD_CHUNK_HEADROOM)

enum perfdata_status pd_order_new(struct perfdata_reader *reader)
{
	reader->order = pd_calloc(1, sizeof *reader->order);
	if (!reader->order)
		return PERFDATA_ENOMEM;
	reader->order->parts.free = PD_NO_PART;
	for (size_t i = 0; i < reader->nr_events; i++)
		reader->order->backward |= perfdata_attr_has(reader->events[i]->attr, PERFDATA_ATTR_WRITE_BACKWARD);
	return PERFDATA_OK;
}

static size_t memory_of(const struct pd_order *order)
{
	return order->block_bytes + order->coming_room * sizeof *order->coming +
	       order->parts.room * sizeof *order->parts.items +
	       (order->waiting.room + order->spilled.runs.room) * sizeof *order->waiting.heap;
}

static void account_for(struct perfdata_reader *reader, size_t memory)
{
	if (memory != reader->order->accounted)
		pd_account_change(pd_reader_account(reader), PD_USE_ORDER, reader->order->accounted, memory);
	reader->order->accounted = memory;
}

static bool is_all_read(const struct pd_order *order) { return order->read_at == order->read.nr; }

static bool is_empty(const struct pd_order *order)
{
	return !order->waiting.nr && !order->last_run.nr && !order->spilled.runs.nr;
}

/* --- chunks and blocks -------------------------------------------------------------------------------------------- */

/* Holds a chunk once for all waiting runs in it. */
static void hold_chunk(struct pd_order *order, struct pd_chunk *chunk)
{
	if (!chunk->queued++) {
		pd_chunk_hold(chunk);
		order->chunks++;
	}
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

static void leave_block(struct pd_order *order, struct pd_order_block *block)
{
	if (--block->nr_runs || block == order->open)
		return;
	block->next_free = order->free;
	order->free = block;
}

static void release_run(struct pd_order *order, const struct pd_order_run *run)
{
	release_chunk(order, run->at->chunk);
	leave_block(order, run->in.block);
	for (uint32_t i = run->next_part, next; i != PD_NO_PART; i = next) {
		const struct pd_order_part *part = &order->parts.items[i];
		next = part->next;
		release_chunk(order, part->at->chunk);
		leave_block(order, part->block);
		pd_parts_recycle(&order->parts, i);
	}
}

/* Releases the chunks and blocks of all records that wait in memory. */
static void release_waiting(struct pd_order *order)
{
	for (size_t i = 0; i < order->waiting.nr; i++)
		release_run(order, &order->waiting.heap[i]);
	order->waiting.nr = 0;
	order->bytes = 0;
}

static void free_block(struct pd_order *order, struct pd_order_block *block)
{
	if (!block)
		return;
	if (block->page) {
		order->block_bytes -= pd_large_page_leave(block->page);
		return;
	}
	order->block_bytes -= sizeof *block;
	pd_free(block);
}

static void free_blocks(struct pd_order *order)
{
	for (struct pd_order_block *block; (block = order->free);) {
		order->free = block->next_free;
		free_block(order, block);
	}
}

/* Makes a free block; where many records wait, as many as fit into a large page. False without memory. */
static bool make_blocks(struct perfdata_reader *reader)
{
	struct pd_order *order = reader->order;
	struct pd_large_page *page = NULL;
	uint8_t *first;
	size_t nr = 1;
	if (order->block_bytes >= SINGLE_BLOCKS * sizeof *order->free &&
	    !pd_account_is_tight(pd_reader_account(reader)))
		page = pd_large_page_new(PAGE_BLOCKS, sizeof *order->free, &first);
	if (page)
		nr = PAGE_BLOCKS;
	else
		first = pd_malloc(sizeof *order->free);
	if (!first)
		return false;
	for (size_t i = nr; i--;) {
		struct pd_order_block *block = (struct pd_order_block *)(void *)first + i;
		block->page = page;
		block->next_free = order->free;
		order->free = block;
	}
	order->block_bytes += nr * sizeof *order->free;
	return true;
}

/* While a portion waits to come, it holds its chunk and its block. */
static void hold_portion(struct pd_order *order, const struct portion *portion)
{
	hold_chunk(order, portion->raws->chunk);
	portion->block->nr_runs++;
}

static void leave_portion(struct pd_order *order, const struct portion *portion)
{
	release_chunk(order, portion->raws->chunk);
	leave_block(order, portion->block);
}

/* Finds room for a portion of at least PD_MAX_RECORDS in the open block. Returns for how many; 0: no memory. */
static unsigned find_room(struct perfdata_reader *reader, struct portion *ret)
{
	struct pd_order *order = reader->order;
	struct pd_order_block *block = order->open;
	if (block && !block->nr_runs)
		block->nr_used = 0;
	if (!block || PD_BLOCK_RECORDS - block->nr_used < PD_MAX_RECORDS) {
		if (!order->free && !make_blocks(reader))
			return 0;
		block = order->free;
		order->free = block->next_free;
		block->nr_used = block->nr_runs = 0;
		order->open = block;
	}
	*ret = (struct portion){ .raws = &block->raws[block->nr_used], .block = block };
	return PD_BLOCK_RECORDS - block->nr_used;
}

/* --- records come ------------------------------------------------------------------------------------------------- */

/* Ends the last run: the next record begins a new one. */
static enum perfdata_status end_run(struct pd_order *order)
{
	const enum perfdata_status status = order->last_run.nr ? pd_runs_add(&order->waiting, &order->last_run)
							       : PERFDATA_OK;
	if (status == PERFDATA_OK)
		order->last_run.nr = 0;
	return status;
}

void pd_order_free(struct perfdata_reader *reader)
{
	struct pd_order *order = reader->order;

	if (!order)
		return;
	account_for(reader, 0);
	release_given(order);
	if (order->last_run.nr)
		release_run(order, &order->last_run);
	release_waiting(order);
	while (order->first_coming < order->nr_coming)
		leave_portion(order, &order->coming[order->first_coming++]);
	pd_free(order->coming);
	pd_spilled_free(&order->spilled);
	pd_free(order->waiting.heap);
	pd_free(order->parts.items);
	free_block(order, order->open);
	free_blocks(order);
	pd_free(order);
	reader->order = NULL;
}

void pd_order_trim(struct perfdata_reader *reader)
{
	struct pd_order *order = reader->order;
	if (!order)
		return;
	release_given(order);
	if (!is_empty(order) || !is_all_read(order) || order->nr_coming)
		return;
	pd_spilled_trim(&order->spilled);
	pd_free(order->waiting.heap);
	order->waiting = (struct pd_order_runs){ 0 };
	pd_free(order->parts.items);
	order->parts = (struct pd_order_parts){ .free = PD_NO_PART };
	pd_free(order->coming);
	order->coming = NULL;
	order->coming_room = 0;
	free_block(order, order->open);
	order->open = NULL;
	free_blocks(order);
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

/* Begins a run with a record of the portion read last, or another part of the last run. Returns where its records are
 * counted; NULL without memory. */
static size_t *begin_part(struct pd_order *order, const struct perfdata_raw *raw, bool is_run)
{
	struct pd_order_block *block = order->read.block;
	struct pd_order_run *run = &order->last_run;
	uint32_t part = PD_NO_PART;
	if (is_run ? end_run(order) != PERFDATA_OK : (part = pd_parts_add(&order->parts)) == PD_NO_PART)
		return NULL;
	block->nr_runs++;
	hold_chunk(order, raw->chunk);
	if (is_run) {
		*run = (struct pd_order_run){ .time = raw->time, .number = order->next_number++, .at = raw,
					      .in.block = block, .next_part = PD_NO_PART };
	} else {
		struct pd_order_part *items = order->parts.items;
		*(order->last_part == PD_NO_PART ? &run->next_part : &items[order->last_part].next) = part;
		items[part].at = raw;
		items[part].block = block;
	}
	order->last_part = part;
	return is_run ? &run->nr : &order->parts.items[part].nr;
}

/* Queues records of the portion read last. */
static enum perfdata_status push_raws(struct perfdata_reader *reader, struct perfdata_raw *raws, unsigned nr)
{
	struct pd_order *order = reader->order;
	struct pd_order_run *run = &order->last_run;
	uint64_t newest = order->newest, bytes = 0, previous = run->nr ? order->last_raw->time : UINT64_MAX;
	size_t *count = NULL;            /* NULL: the first record is not in the part of the record before */
	if (run->nr && order->last_raw + 1 == raws && order->last_raw->chunk == raws->chunk)
		count = order->last_part == PD_NO_PART ? &run->nr : &order->parts.items[order->last_part].nr;

	for (unsigned i = 0; i < nr; i++) {
		struct perfdata_raw *raw = &raws[i];
		if (raw->time < order->last)
			note_late(reader, raw);
		if ((raw->time < previous || !count) && !(count = begin_part(order, raw, raw->time < previous)))
			return PERFDATA_ENOMEM;
		++*count;
		order->last_raw = raw;
		previous = raw->time;
		bytes += raw->size;
		newest = previous > newest ? previous : newest;
	}
	order->bytes += bytes;
	order->newest = newest;
	account_for(reader, memory_of(order));
	return PERFDATA_OK;
}

/* Writes all records that wait in memory to the file, as one run. */
static enum perfdata_status spill_order(struct perfdata_reader *reader)
{
	struct pd_order *order = reader->order;
	struct pd_spilled *spilled = &order->spilled;
	enum perfdata_status status = end_run(order);

	if (status == PERFDATA_OK && !spilled->spill) {
		spilled->spill = pd_spill_new(reader);
		if (!spilled->spill)
			status = PERFDATA_ENOMEM;
	}
	/* works on a copy: after a failure all records still wait in memory */
	struct pd_order_runs left = order->waiting;
	left.heap = status == PERFDATA_OK ? pd_malloc(left.nr * sizeof *left.heap) : NULL;
	if (!left.heap)
		return PERFDATA_ENOMEM;
	memcpy(left.heap, order->waiting.heap, left.nr * sizeof *left.heap);
	const uint64_t time = left.heap->time;
	while (left.nr && status == PERFDATA_OK) {
		struct perfdata_raw raws[PD_MAX_RECORDS];
		struct pd_order_block *block;
		const unsigned nr = pd_runs_take(&left, &order->parts, UINT64_MAX, raws, PD_MAX_RECORDS, &block);
		for (unsigned i = 0; i < nr && status == PERFDATA_OK; i++)
			status = pd_spill_add(spilled->spill, &raws[i]);
	}
	pd_free(left.heap);
	if (status == PERFDATA_OK)
		status = pd_spilled_add(spilled, time);
	if (status != PERFDATA_OK)
		return status;
	release_waiting(order);
	free_blocks(order);
	account_for(reader, memory_of(order));
	return PERFDATA_OK;
}

/* Whether to spill. Small runs would be merged often, so records may take a quarter of the memory even if others use up
 * the account. */
static bool memory_is_full(struct perfdata_reader *reader)
{
	const struct pd_order *order = reader->order;
	const uint64_t memory = order->chunks * CHUNK_BYTES + memory_of(order), limit = reader->options.max_memory;
	return order->bytes >= MIN_RUN_BYTES &&
	       (memory > limit || (memory > limit / 4 && pd_account_is_over(pd_reader_account(reader))));
}

/* --- records leave ------------------------------------------------------------------------------------------------ */

/* Handles a FINISHED_ROUND: sets the time up to which records may be released. */
static enum perfdata_status finish_round(struct pd_order *order)
{
	if (is_empty(order))
		return PERFDATA_OK;
	const enum perfdata_status status = order->limit ? end_run(order) : PERFDATA_OK;
	order->releasing = order->limit != 0;
	order->round_bytes = order->bytes;
	return status;
}

/* Takes the oldest records in memory that are not newer than `limit`; returns how many. */
static unsigned pop_waiting(struct perfdata_reader *reader, uint64_t limit, struct perfdata_raw *ret)
{
	struct pd_order *order = reader->order;
	struct pd_order_runs *waiting = &order->waiting;
	unsigned nr = 0;

	while (nr < PD_MAX_RECORDS && waiting->nr && waiting->heap->time <= limit) {
		struct pd_order_block *left;
		const unsigned first = nr;
		const uint32_t next_part = waiting->heap->next_part;
		nr += pd_runs_take(waiting, &order->parts, limit, ret + nr, PD_MAX_RECORDS - nr, &left);
		for (unsigned i = first; i < nr; i++)
			order->bytes -= ret[i].size;
		if (!left)
			continue;
		leave_block(order, left);
		if (next_part != PD_NO_PART)
			pd_parts_recycle(&order->parts, next_part);
		order->given[order->nr_given++] = ret[nr - 1].chunk;
	}
	if (nr)
		order->last = ret[nr - 1].time;
	return nr;
}

/* The next records that may be released; PERFDATA_END if none may. After a failure, too, *ret_nr records are. */
static enum perfdata_status pop_raws(struct perfdata_reader *reader, struct perfdata_raw *ret, unsigned *ret_nr)
{
	struct pd_order *order = reader->order;
	struct pd_spilled *spilled = &order->spilled;
	const uint64_t in_file = spilled->runs.nr ? spilled->runs.heap->time : UINT64_MAX,
		       in_memory = order->waiting.nr ? order->waiting.heap->time : UINT64_MAX;

	/* at equal times a spilled record comes first: it is older */
	if (spilled->runs.nr && in_file <= in_memory && in_file <= order->limit) {
		const uint64_t last = in_memory < order->limit ? in_memory : order->limit;
		const enum perfdata_status status = pd_spilled_take(reader, spilled, last, ret, ret_nr);
		if (*ret_nr) {
			pd_reader_hold(reader, ret->chunk);
			order->last = ret[*ret_nr - 1].time;
		}
		return status;
	}
	*ret_nr = pop_waiting(reader, in_file <= order->limit ? in_file - 1 : order->limit, ret);
	return *ret_nr ? PERFDATA_OK : PERFDATA_END;
}

static void report_lost(struct perfdata_reader *reader)
{
	pd_reader_finding(reader, PERFDATA_FINDING_READ_FAILED, 0, PERFDATA_NO_OFFSET,
			  "records that waited for their turn could not be read again");
}

/* A spilled run cannot be read: reports it, and ends the reading after the records that are left. */
static void drop_waiting(struct perfdata_reader *reader, enum perfdata_status status)
{
	report_lost(reader);
	reader->end = pd_reader_failed(reader, status);
	reader->order->limit = UINT64_MAX;
	reader->order->newest = UINT64_MAX;
	(void)end_run(reader->order);   /* if this fails, the last run is lost, too */
}

static enum perfdata_status merge_spilled(struct perfdata_reader *reader)
{
	const enum perfdata_status status = pd_spilled_merge(reader, &reader->order->spilled);
	if (status == PERFDATA_EREAD)
		report_lost(reader);
	return status;
}

static bool must_wait(const struct perfdata_raw *raw)
{
	return raw->type < PERFDATA_RECORD_USER_FIRST && raw->time && raw->time != UINT64_MAX;
}

/* Whether waiting is needless: many records wait, no FINISHED_ROUND came, and the rest is sorted. True only once. */
static bool need_not_wait(struct perfdata_reader *reader)
{
	struct pd_order *order = reader->order;
	if (order->rest_was_seen || order->bytes < LOOK_BYTES)
		return false;
	order->rest_was_seen = true;
	order->rest_is_sorted = !order->limit && pd_order_rest_is_sorted(reader, order->newest);
	return order->rest_is_sorted;
}

/* Returns records of one chunk whose turn has come. */
static void pass_raws(struct perfdata_reader *reader, const struct perfdata_raw *raws, unsigned nr,
		      struct perfdata_raw *ret)
{
	struct pd_order *order = reader->order;
	pd_reader_hold(reader, raws->chunk);
	for (unsigned i = 0; i < nr; i++) {
		ret[i] = raws[i];
		if (ret[i].time < order->last)   /* the file has changed since pd_order_rest_is_sorted */
			note_late(reader, &ret[i]);
		else
			order->last = ret[i].time;
	}
}

/* Reads the next portion; the one before is in runs. */
static enum perfdata_status read_portion(struct perfdata_reader *reader, struct portion *ret)
{
	const unsigned room = find_room(reader, ret);
	if (!room)
		return PERFDATA_ENOMEM;
	ret->nr = pd_reader_samples(reader, ret->raws, room);
	const enum perfdata_status status = ret->nr ? PERFDATA_OK : pd_reader_read(reader, ret->raws, &ret->nr);
	ret->block->nr_used += status == PERFDATA_OK ? ret->nr : 0;
	return status;
}

bool pd_order_read_more(struct perfdata_reader *reader)
{
	struct pd_order *order = reader->order;
	if (!order || !order->releasing || order->limit == UINT64_MAX || !is_all_read(order) ||
	    order->coming_bytes >= order->round_bytes || memory_is_full(reader) ||
	    pd_vector_grow(&order->coming, &order->coming_room, order->nr_coming, sizeof *order->coming) < 0)
		return false;
	struct portion *portion = &order->coming[order->nr_coming];
	const unsigned room = find_room(reader, portion);
	portion->nr = room ? pd_reader_read_plain(reader, portion->raws, room) : 0;
	if (!portion->nr)
		return false;
	portion->block->nr_used += portion->nr;
	for (unsigned i = 0; i < portion->nr; i++)
		order->coming_bytes += portion->raws[i].size;
	hold_portion(order, portion);
	order->nr_coming++;
	return true;
}

/* Takes the next portion: the first of those that were read before their turn, or the next of the input. */
static enum perfdata_status next_portion(struct perfdata_reader *reader)
{
	struct pd_order *order = reader->order;
	if (order->held.nr)
		leave_portion(order, &order->held);
	order->held.nr = order->read.nr = order->read_at = 0;
	if (order->first_coming == order->nr_coming) {
		order->first_coming = order->nr_coming = 0;
		order->coming_bytes = 0;
		return read_portion(reader, &order->read);
	}
	order->held = order->read = order->coming[order->first_coming++];
	return PERFDATA_OK;
}

/* The next records in the order of the input: several if all have to wait for their turn, or one record that need not
 * wait. */
static enum perfdata_status read_some(struct perfdata_reader *reader, struct perfdata_raw **ret, unsigned *ret_nr,
				      bool *ret_wait)
{
	struct pd_order *order = reader->order;

	if (is_all_read(order)) {
		const enum perfdata_status status = next_portion(reader);
		if (status != PERFDATA_OK)
			return status;
	}
	struct perfdata_raw *first = &order->read.raws[order->read_at];
	const unsigned left = order->read.nr - order->read_at,
		       max = order->rest_is_sorted && left > PD_MAX_RECORDS ? PD_MAX_RECORDS : left;
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
			if (*ret_nr)
				return PERFDATA_OK;
			if (popped == PERFDATA_EREAD)   /* other runs may have records */
				continue;
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
			const bool between = status == PERFDATA_OK && is_all_read(order);
			if (between && need_not_wait(reader)) {
				order->limit = UINT64_MAX;
				status = end_run(order);
				order->releasing = status == PERFDATA_OK;
			} else if (between && memory_is_full(reader)) {
				status = spill_order(reader);
				if (status == PERFDATA_OK)
					status = merge_spilled(reader);
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
				if (!order->releasing && !is_empty(order))
					order->limit = order->newest;
				return PERFDATA_OK;
			}
		}
		reader->end = pd_reader_failed(reader, status);
		/* Records that found no room may be older than those that wait: a caller that wants only the first
		 * records would take later ones for them. */
		if (status == PERFDATA_ENOMEM)
			return reader->end;
		/* the end, or another failure: all records that wait are released now */
		order->limit = UINT64_MAX;
		order->newest = UINT64_MAX;
		order->releasing = end_run(order) == PERFDATA_OK;
		if (!order->releasing)
			reader->end = pd_reader_failed(reader, PERFDATA_ENOMEM);
	}
}

bool pd_order_is_ready(const struct perfdata_reader *reader)
{
	const struct pd_order *order = reader->order;
	if (!is_all_read(order))
		return true;
	if (!order->releasing)
		return false;
	return (order->spilled.runs.nr && order->spilled.runs.heap->time <= order->limit) ||
	       (order->waiting.nr && order->waiting.heap->time <= order->limit);
}
