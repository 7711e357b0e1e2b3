/* SPDX-License-Identifier: MIT */
/* Reading ahead: a reading thread reads, unpacks, frames and orders the records that come next and puts them into
 * blocks, while the asking thread works on the records before them. The asking thread sees no difference: records come
 * in the same order, the asking thread reports each finding at its place between the records, and before a record
 * changes a fact that the reader reports (events, features), the reading thread waits until the asking thread has taken
 * all records before it and asks for the next. */
#include "config.h"
#include <string.h>
#include "base/handoff.h"
#include "base/memory.h"
#include "reader/reader_impl.h"

#define BLOCKS 20u
#define BLOCK_RECORDS 1024u
/* Records with copies of stacks are large. A block ends at this many bytes, so that the asking thread waits for few
 * such records and the blocks reuse their memory. */
#define BLOCK_BYTES (256u << 10)
#define BLOCK_NOTES 64u

/* A finding that waits until the asking thread has taken the records before it. */
struct note {
	unsigned before;                 /* number of the block's records that come before the finding */
	struct pd_finding finding;
};

struct block {
	struct perfdata_raw records[BLOCK_RECORDS];
	unsigned nr_records, at_record;
	size_t bytes;                    /* sum of the sizes of the records */
	struct note notes[BLOCK_NOTES];
	unsigned nr_notes, at_note;
	struct pd_chunks chunks;         /* the chunks with the bytes of the records */
	enum perfdata_status end;        /* status after the last record; PERFDATA_OK: another block follows */
};

struct pd_ahead {
	struct perfdata_reader *reader;
	struct pd_handoff handoff;       /* passes blocks between the threads */
	/* for the reading thread alone */
	struct block *filling;
	uint32_t mark;
	struct block blocks[BLOCKS];
	struct block unwanted;           /* takes the records read after pd_ahead_stop */
};

/* --- the thread that reads --- */

static void begin_block(struct pd_ahead *ahead, struct block *block)
{
	block->nr_records = block->at_record = block->nr_notes = block->at_note = 0;
	block->bytes = 0;
	block->end = PERFDATA_OK;
	pd_chunks_begin(&block->chunks, &ahead->mark);
	ahead->filling = block;
}

static void end_block(struct pd_ahead *ahead)
{
	if (ahead->filling != &ahead->unwanted)
		pd_handoff_pass_slot(&ahead->handoff);
}

/* Begins the next block as soon as one is free. */
static void begin_next(struct pd_ahead *ahead)
{
	unsigned place;
	const bool has_room = pd_handoff_wait_for_room(&ahead->handoff, &place);
	struct block *next = has_room ? &ahead->blocks[place] : &ahead->unwanted;
	pd_chunks_drop(&ahead->unwanted.chunks);
	begin_block(ahead, next);
}

/* Hands over the block that is being filled, and begins the next one. */
static void hand_over(struct pd_ahead *ahead)
{
	end_block(ahead);
	begin_next(ahead);
}

/* As hand_over. While no block is free, it reads on: otherwise the asking thread would wait while a whole round is
 * read, and this thread while that round is taken. */
static void hand_over_and_read(struct pd_ahead *ahead)
{
	end_block(ahead);
	while (!pd_handoff_has_room(&ahead->handoff) && pd_order_read_more(ahead->reader))
		;
	begin_next(ahead);
}

static void read_all(void *user, unsigned thread)
{
	struct pd_ahead *ahead = user;
	enum perfdata_status status = PERFDATA_OK;

	(void)thread;
	while (status == PERFDATA_OK && ahead->filling != &ahead->unwanted) {
		if (BLOCK_RECORDS - ahead->filling->nr_records < PD_MAX_RECORDS || ahead->filling->bytes >= BLOCK_BYTES)
			hand_over_and_read(ahead);
		struct perfdata_raw *raws = &ahead->filling->records[ahead->filling->nr_records];
		unsigned nr = 0;
		status = pd_reader_next_now(ahead->reader, raws, &nr);
		struct block *block = ahead->filling;
		/* Findings and changes of events may have ended the block, and blocks after it, before these records
		 * count as part of it: the other thread reads no further than the records that do. */
		if (raws != &block->records[block->nr_records] && status == PERFDATA_OK)
			raws = memmove(&block->records[block->nr_records], raws, nr * sizeof *raws);
		for (unsigned i = 0; i < nr && status == PERFDATA_OK; i++)
			if (pd_chunks_hold(&block->chunks, raws[i].chunk, &raws[i].chunk->ahead_mark) < 0)
				status = PERFDATA_ENOMEM;
			else
				block->bytes += raws[i].size;
		block->nr_records += status == PERFDATA_OK ? nr : 0;
	}
	ahead->filling->end = pd_reader_failed(ahead->reader, status);
	if (ahead->filling != &ahead->unwanted)
		pd_handoff_pass_last_slot(&ahead->handoff);
}

void pd_ahead_note(struct pd_ahead *ahead, const struct pd_finding *finding)
{
	if (ahead->filling->nr_notes == BLOCK_NOTES)
		hand_over(ahead);
	ahead->filling->notes[ahead->filling->nr_notes++] = (struct note){ ahead->filling->nr_records, *finding };
}

void pd_ahead_settle(struct pd_ahead *ahead)
{
	if (!ahead)
		return;
	if (ahead->filling->nr_records || ahead->filling->nr_notes)
		hand_over(ahead);
	pd_handoff_settle(&ahead->handoff);
}

/* --- the thread that asks --- */

static void ahead_free(struct pd_ahead *ahead)
{
	for (unsigned i = 0; i <= BLOCKS; i++) {
		struct block *block = i < BLOCKS ? &ahead->blocks[i] : &ahead->unwanted;
		pd_chunks_release(&block->chunks);
	}
	pd_free(ahead);
}

void pd_ahead_start(struct perfdata_reader *reader)
{
	struct pd_ahead *ahead = pd_calloc(1, sizeof *ahead);

	if (!ahead)
		return;
	ahead->reader = reader;
	begin_block(ahead, &ahead->blocks[0]);
	reader->ahead = ahead;
	if (pd_handoff_start(&ahead->handoff, BLOCKS, BLOCKS / 2, read_all, ahead))
		return;
	reader->ahead = NULL;
	ahead_free(ahead);
}

void pd_ahead_stop(struct perfdata_reader *reader)
{
	struct pd_ahead *ahead = reader->ahead;

	if (!ahead)
		return;
	pd_handoff_stop(&ahead->handoff);
	reader->ahead = NULL;
	ahead_free(ahead);
}

static void give_back(struct pd_ahead *ahead, struct block *block)
{
	pd_chunks_drop(&block->chunks);
	pd_handoff_give_back_slot(&ahead->handoff);
}

/* Prefetches the bytes of the next records: another processor read them, so they may be in no cache of this one. */
static void fetch_bytes(const struct block *block, unsigned from)
{
	for (unsigned i = from; i < from + PD_MAX_RECORDS && i < block->nr_records; i++)
		pd_record_fetch(block->records[i].bytes);
}

enum perfdata_status pd_ahead_next(struct pd_ahead *ahead, struct pd_record_run *ret)
{
	for (;;) {
		struct block *block = &ahead->blocks[pd_handoff_wait_for_slot(&ahead->handoff)];
		while (block->at_note < block->nr_notes && block->notes[block->at_note].before == block->at_record)
			pd_reader_report(ahead->reader, &block->notes[block->at_note++].finding);
		const unsigned stop = block->at_note < block->nr_notes ? block->notes[block->at_note].before
								       : block->nr_records;
		const unsigned left = stop - block->at_record;
		if (left) {
			*ret = (struct pd_record_run){ &block->records[block->at_record],
						 left < PD_MAX_RECORDS ? left : PD_MAX_RECORDS };
			block->at_record += ret->nr;
			fetch_bytes(block, block->at_record);
			return PERFDATA_OK;
		}
		if (block->end != PERFDATA_OK)
			return block->end;
		give_back(ahead, block);
	}
}
