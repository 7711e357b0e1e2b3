/* SPDX-License-Identifier: MIT */
/* Records that wait for their turn in time order and do not fit into memory: sorted runs in one temporary file, each
 * read back once, from its beginning to its end. A run is a list of blocks. The blocks that have been read are used for
 * later runs, so merging runs into one needs no more disk space than they have. */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/spool.h"
#include "reader/reader_impl.h"

/* A block ends with the number of the run's next block; the last block of a run may be shorter. The bytes of a run are
 * records: a struct perfdata_raw, then the record's bytes, padded to 8. A record may begin in one block and end in
 * another. */
#define BLOCK_SIZE ((size_t)32 << 10)
#define BLOCK_BYTES (BLOCK_SIZE - sizeof(uint64_t))
#define WORD_BLOCKS 64u          /* blocks of a word of the set of free blocks */

struct pd_spill {
	struct perfdata_reader *reader;
	struct pd_spool file;
	uint64_t nr_blocks;      /* blocks of the file */
	uint64_t *free_blocks;   /* a set, one bit for each block */
	size_t nr_words, words_room, first_word;   /* no word before first_word has a free block */
	size_t largest;          /* bytes of the largest record so far */
	struct pd_run *open;     /* the run being written; NULL: the next record begins one */
	uint8_t *buffer;         /* its last block; NULL: pd_spill_stop has given it to a run */
	size_t used;
	uint64_t block;          /* number of that block */
};

struct pd_run {
	struct pd_spill *spill;
	uint64_t block, left;    /* the next block to read; bytes of it and of later blocks */
	size_t largest;          /* bytes of the largest record */
	uint64_t last_block;     /* number of the block that `last` holds */
	uint8_t *last;           /* the last block, if it could not be written; or NULL */
	uint8_t *buffer;         /* bytes that were read; NULL: none were */
	size_t at, end;          /* the bytes in the buffer that come next */
	struct perfdata_raw raw;
	bool is_at_record;
};

static size_t padded_size(uint32_t size) { return ((size_t)size + 7) & ~(size_t)7; }

/* Room for a block after the first part of a record. */
static size_t buffer_size(size_t largest) { return BLOCK_SIZE + largest; }

static void account_for(const struct pd_spill *spill, size_t before, size_t after)
{
	pd_account_change(pd_reader_account(spill->reader), PD_USE_ORDER, before, after);
}

struct pd_spill *pd_spill_new(struct perfdata_reader *reader)
{
	struct pd_spill *spill = pd_calloc(1, sizeof *spill);

	if (!spill)
		return NULL;
	spill->reader = reader;
	pd_spool_init(&spill->file, reader->options.tmpdir);
	spill->buffer = pd_malloc(BLOCK_SIZE);
	if (!spill->buffer) {
		pd_free(spill);
		return NULL;
	}
	account_for(spill, 0, BLOCK_SIZE);
	return spill;
}

void pd_spill_free(struct pd_spill *spill)
{
	if (!spill)
		return;
	pd_run_free(spill->open);
	pd_spool_release(&spill->file);
	account_for(spill, BLOCK_SIZE + spill->words_room * sizeof *spill->free_blocks, 0);
	pd_free(spill->free_blocks);
	pd_free(spill->buffer);
	pd_free(spill);
}

size_t pd_spill_run_memory(const struct pd_spill *spill) { return buffer_size(spill->largest); }

/* --- blocks ------------------------------------------------------------------------------------------------------- */

/* Finds the first free block, or adds one to the file. */
static enum perfdata_status take_block(struct pd_spill *spill, uint64_t *ret)
{
	size_t word = spill->first_word;
	while (word < spill->nr_words && !spill->free_blocks[word])
		word++;
	spill->first_word = word;
	if (word < spill->nr_words) {
		const unsigned bit = (unsigned)__builtin_ctzll(spill->free_blocks[word]);
		spill->free_blocks[word] &= spill->free_blocks[word] - 1;
		*ret = (uint64_t)word * WORD_BLOCKS + bit;
		return PERFDATA_OK;
	}
	const uint64_t limit = spill->reader->options.max_spool;
	if (limit && (spill->nr_blocks + 1) * BLOCK_SIZE > limit)
		return pd_error(&spill->reader->error, PERFDATA_ELIMIT, PERFDATA_NO_OFFSET,
				"records that wait for their turn need more temporary space than allowed");
	if (spill->nr_blocks == (uint64_t)spill->nr_words * WORD_BLOCKS) {
		const size_t room = spill->words_room;
		if (pd_vector_grow(&spill->free_blocks, &spill->words_room, spill->nr_words,
				   sizeof *spill->free_blocks) < 0)
			return PERFDATA_ENOMEM;
		account_for(spill, room * sizeof *spill->free_blocks,
			    spill->words_room * sizeof *spill->free_blocks);
		spill->free_blocks[spill->nr_words++] = 0;
	}
	*ret = spill->nr_blocks++;
	return PERFDATA_OK;
}

static void free_block(struct pd_spill *spill, uint64_t block)
{
	const size_t word = (size_t)(block / WORD_BLOCKS);
	spill->free_blocks[word] |= (uint64_t)1 << block % WORD_BLOCKS;
	if (word < spill->first_word)
		spill->first_word = word;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static enum perfdata_status write_block(struct pd_spill *spill, size_t size)
{
	if (pd_spool_write(&spill->file, spill->block * BLOCK_SIZE, spill->buffer, size))
		return pd_spool_error(&spill->file, "write", &spill->reader->error);
	spill->used = 0;
	return PERFDATA_OK;
}

/* Writes the full block, and begins the next one. */
static enum perfdata_status next_block(struct pd_spill *spill)
{
	uint64_t next;
	enum perfdata_status status = take_block(spill, &next);
	if (status != PERFDATA_OK)
		return status;
	memcpy(spill->buffer + BLOCK_BYTES, &next, sizeof next);
	status = write_block(spill, BLOCK_SIZE);
	if (status == PERFDATA_OK)
		spill->block = next;
	else
		free_block(spill, next);
	return status;
}

static enum perfdata_status add_bytes(struct pd_spill *spill, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;
	while (size) {
		if (spill->used == BLOCK_BYTES) {
			const enum perfdata_status status = next_block(spill);
			if (status != PERFDATA_OK)
				return status;
		}
		const size_t room = BLOCK_BYTES - spill->used, step = size < room ? size : room;
		memcpy(spill->buffer + spill->used, from, step);
		spill->used += step;
		from += step;
		size -= step;
	}
	return PERFDATA_OK;
}

/* Begins a run: its first block. */
static enum perfdata_status open_run(struct pd_spill *spill)
{
	if (pd_spool_make(&spill->file))
		return pd_spool_error(&spill->file, "make", &spill->reader->error);
	struct pd_run *run = pd_calloc(1, sizeof *run);
	if (!run)
		return PERFDATA_ENOMEM;
	const enum perfdata_status status = take_block(spill, &spill->block);
	if (status != PERFDATA_OK) {
		pd_free(run);
		return status;
	}
	run->spill = spill;
	run->block = spill->block;
	spill->open = run;
	spill->used = 0;
	return PERFDATA_OK;
}

enum perfdata_status pd_spill_add(struct pd_spill *spill, const struct perfdata_raw *raw)
{
	static const uint8_t zeroes[8];
	const size_t padded = padded_size(raw->size), size = sizeof *raw + padded;
	enum perfdata_status status = spill->open ? PERFDATA_OK : open_run(spill);

	if (status == PERFDATA_OK)
		status = pd_raw_read_stack(raw, raw->size, &spill->reader->error);
	if (status == PERFDATA_OK)
		status = add_bytes(spill, raw, sizeof *raw);
	if (status == PERFDATA_OK)
		status = add_bytes(spill, raw->bytes, raw->size);
	if (status == PERFDATA_OK)
		status = add_bytes(spill, zeroes, padded - raw->size);
	if (status != PERFDATA_OK)
		return status;
	spill->open->left += size;
	if (size > spill->open->largest)
		spill->open->largest = size;
	if (size > spill->largest)
		spill->largest = size;
	return PERFDATA_OK;
}

enum perfdata_status pd_spill_finish(struct pd_spill *spill, struct pd_run **ret)
{
	const enum perfdata_status status = write_block(spill, spill->used);
	if (status != PERFDATA_OK)
		return status;
	*ret = spill->open;
	spill->open = NULL;
	return PERFDATA_OK;
}

struct pd_run *pd_spill_stop(struct pd_spill *spill)
{
	struct pd_run *run = spill->open;
	spill->open = NULL;
	if (!run || !run->left) {
		pd_run_free(run);
		return NULL;
	}
	run->last_block = spill->block;
	run->last = spill->buffer;
	spill->buffer = NULL;
	return run;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Reads the next block of the run; other runs may then use it. */
static enum perfdata_status read_block(struct pd_run *run)
{
	struct pd_spill *spill = run->spill;
	const size_t size = run->left < BLOCK_BYTES ? (size_t)run->left : BLOCK_BYTES;
	const uint64_t block = run->block;

	run->end -= run->at;
	memmove(run->buffer, run->buffer + run->at, run->end);
	run->at = 0;
	uint8_t *bytes = run->buffer + run->end;
	if (run->last && block == run->last_block) {
		memcpy(bytes, run->last, size);
	} else {
		const bool has_next = run->left > BLOCK_BYTES;
		if (pd_spool_read(&spill->file, block * BLOCK_SIZE, bytes, has_next ? BLOCK_SIZE : size))
			return PERFDATA_EREAD;
		if (has_next)
			memcpy(&run->block, bytes + BLOCK_BYTES, sizeof run->block);
		if (run->block >= spill->nr_blocks)   /* the disk returned other bytes than were written */
			return PERFDATA_EREAD;
		free_block(spill, block);
	}
	run->end += size;
	run->left -= size;
	return PERFDATA_OK;
}

/* Makes `size` bytes available. */
static enum perfdata_status need_bytes(struct pd_run *run, size_t size)
{
	if (size > run->largest)
		return PERFDATA_EREAD;
	while (run->end - run->at < size) {
		const enum perfdata_status status = run->left ? read_block(run) : PERFDATA_EREAD;
		if (status != PERFDATA_OK)
			return status;
	}
	return PERFDATA_OK;
}

static enum perfdata_status read_record(struct pd_run *run)
{
	if (!run->buffer) {
		run->buffer = pd_malloc(buffer_size(run->largest));
		if (!run->buffer)
			return PERFDATA_ENOMEM;
		account_for(run->spill, 0, buffer_size(run->largest));
	}
	enum perfdata_status status = need_bytes(run, sizeof run->raw);
	if (status != PERFDATA_OK)
		return status;
	memcpy(&run->raw, run->buffer + run->at, sizeof run->raw);
	run->raw.left_out = 0;
	const size_t size = sizeof run->raw + padded_size(run->raw.size);
	status = need_bytes(run, size);
	run->raw.bytes = run->buffer + run->at + sizeof run->raw;
	run->at += status == PERFDATA_OK ? size : 0;
	return status;
}

enum perfdata_status pd_run_move(struct pd_run *run)
{
	run->is_at_record = false;
	if (!run->left && run->at == run->end)
		return PERFDATA_OK;
	const enum perfdata_status status = read_record(run);
	run->is_at_record = status == PERFDATA_OK;
	return status;
}

const struct perfdata_raw *pd_run_record(const struct pd_run *run) { return run->is_at_record ? &run->raw : NULL; }

void pd_run_free(struct pd_run *run)
{
	if (!run)
		return;
	if (run->buffer)
		account_for(run->spill, buffer_size(run->largest), 0);
	pd_free(run->buffer);
	pd_free(run->last);
	pd_free(run);
}
