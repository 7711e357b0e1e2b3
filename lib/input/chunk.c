/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <assert.h>
#include "base/account.h"
#include "base/large_page.h"
#include "base/memory.h"
#include "input/input.h"

#define CHUNK_BYTES ((size_t)PD_CHUNK_HEAD + PD_CHUNK_HEADROOM + PD_CHUNK_SIZE)
#define PAGE_CHUNKS 2u     /* chunks in a large page */
#define SINGLE_CHUNKS 2u   /* chunks before the first large page: short recordings need no more */

/* The free chunks are a lock-free stack. A thread pushes a chunk that it drops. A thread that needs a chunk takes the
 * whole stack and pushes the rest back. No thread pops a single chunk, so there is no ABA problem. */
struct pd_chunk_pool {
	struct pd_chunk *_Atomic free;
	atomic_size_t references;  /* one of the pool's owner, and one of each chunk in use */
	atomic_size_t bytes;
	atomic_bool expects_many;
	struct pd_account *account;
};

static_assert(sizeof(struct pd_chunk) <= PD_CHUNK_HEAD, "the head of a chunk is too small");
static_assert(PAGE_CHUNKS * CHUNK_BYTES <= PD_LARGE_PAGE, "the chunks do not fit into a large page");

struct pd_chunk_pool *pd_chunk_pool_new(void)
{
	struct pd_chunk_pool *pool = pd_malloc(sizeof *pool);
	if (!pool)
		return NULL;
	atomic_init(&pool->free, NULL);
	atomic_init(&pool->references, 1);
	atomic_init(&pool->bytes, 0);
	atomic_init(&pool->expects_many, false);
	pool->account = NULL;
	return pool;
}

void pd_chunk_pool_account(struct pd_chunk_pool *pool, struct pd_account *account) { pool->account = account; }

bool pd_chunk_pool_is_tight(const struct pd_chunk_pool *pool) { return pd_account_is_tight(pool->account); }

void pd_chunk_pool_expect_many(struct pd_chunk_pool *pool)
{
	atomic_store_explicit(&pool->expects_many, true, memory_order_relaxed);
}

/* Frees the memory of a chunk if no other chunk has a part in it; returns how many bytes it freed. */
static size_t free_memory(struct pd_chunk *chunk)
{
	if (chunk->page)
		return pd_large_page_leave(chunk->page);
	pd_free(chunk);
	return CHUNK_BYTES;
}

static void drop_reference(struct pd_chunk_pool *pool)
{
	if (atomic_fetch_sub_explicit(&pool->references, 1, memory_order_acq_rel) != 1)
		return;
	struct pd_chunk *chunk = atomic_load_explicit(&pool->free, memory_order_acquire);
	while (chunk) {
		struct pd_chunk *next = chunk->next_free;
		(void)free_memory(chunk);
		chunk = next;
	}
	pd_free(pool);
}

void pd_chunk_pool_free(struct pd_chunk_pool *pool)
{
	if (!pool)
		return;
	/* the account may be freed before the last chunk is dropped */
	pd_account_give(pool->account, PD_USE_BATCHES, pd_chunk_pool_bytes(pool));
	pool->account = NULL;
	drop_reference(pool);
}

/* Pushes the chain from `first` to `last`. */
static void push_chunks(struct pd_chunk_pool *pool, struct pd_chunk *first, struct pd_chunk *last)
{
	struct pd_chunk *head = atomic_load_explicit(&pool->free, memory_order_relaxed);
	do
		last->next_free = head;
	while (!atomic_compare_exchange_weak_explicit(&pool->free, &head, first, memory_order_release,
						      memory_order_relaxed));
}

/* Pushes a chain of chunks that no other thread can reach. */
static void recycle_chunks(struct pd_chunk_pool *pool, struct pd_chunk *chunk)
{
	for (struct pd_chunk *next; chunk; chunk = next) {
		next = chunk->next_free;
		const size_t freed = free_memory(chunk);
		atomic_fetch_sub_explicit(&pool->bytes, freed, memory_order_relaxed);
		pd_account_give(pool->account, PD_USE_BATCHES, freed);
	}
}

void pd_chunk_pool_trim(struct pd_chunk_pool *pool)
{
	recycle_chunks(pool, atomic_exchange_explicit(&pool->free, NULL, memory_order_acquire));
}

static struct pd_chunk *take_free(struct pd_chunk_pool *pool)
{
	struct pd_chunk *chunk = atomic_exchange_explicit(&pool->free, NULL, memory_order_acquire);
	if (!chunk || !chunk->next_free)
		return chunk;
	if (pd_account_is_over(pool->account)) {
		recycle_chunks(pool, chunk->next_free);
		return chunk;
	}
	struct pd_chunk *last = chunk->next_free;
	while (last->next_free)
		last = last->next_free;
	push_chunks(pool, chunk->next_free, last);
	return chunk;
}

static struct pd_chunk *hand_out(struct pd_chunk_pool *pool, struct pd_chunk *chunk)
{
	atomic_init(&chunk->holders, 1);
	chunk->mark = chunk->ahead_mark = 0;
	chunk->queued = 0;
	chunk->offset = 0;
	chunk->input = NULL;
	chunk->next_free = NULL;
	atomic_fetch_add_explicit(&pool->references, 1, memory_order_relaxed);
	return chunk;
}

static void charge_memory(struct pd_chunk_pool *pool, size_t bytes)
{
	atomic_fetch_add_explicit(&pool->bytes, bytes, memory_order_relaxed);
	pd_account_take(pool->account, PD_USE_BATCHES, bytes);
}

static struct pd_chunk *place_chunk(struct pd_chunk_pool *pool, struct pd_large_page *page, uint8_t *memory)
{
	struct pd_chunk *chunk = (struct pd_chunk *)(void *)memory;
	chunk->pool = pool;
	chunk->page = page;
	chunk->data = memory + PD_CHUNK_HEAD + PD_CHUNK_HEADROOM;
	return chunk;
}

/* Makes the chunks of a large page: returns the first, and adds the others to the free chunks. */
static struct pd_chunk *make_page(struct pd_chunk_pool *pool)
{
	uint8_t *first;
	struct pd_large_page *page = pd_large_page_new(PAGE_CHUNKS, CHUNK_BYTES, &first);
	if (!page)
		return NULL;
	charge_memory(pool, PAGE_CHUNKS * CHUNK_BYTES);
	for (size_t i = 1; i < PAGE_CHUNKS; i++) {
		struct pd_chunk *other = place_chunk(pool, page, first + i * CHUNK_BYTES);
		push_chunks(pool, other, other);
	}
	return place_chunk(pool, page, first);
}

static struct pd_chunk *make_chunk(struct pd_chunk_pool *pool)
{
	const bool are_many = atomic_load_explicit(&pool->expects_many, memory_order_relaxed) ||
			      pd_chunk_pool_bytes(pool) >= SINGLE_CHUNKS * CHUNK_BYTES;
	if (are_many && !pd_account_is_tight(pool->account)) {
		struct pd_chunk *chunk = make_page(pool);
		if (chunk)
			return chunk;
	}
	uint8_t *memory = pd_malloc(CHUNK_BYTES);
	if (!memory)
		return NULL;
	charge_memory(pool, CHUNK_BYTES);
	return place_chunk(pool, NULL, memory);
}

struct pd_chunk *pd_chunk_get(struct pd_chunk_pool *pool)
{
	struct pd_chunk *chunk = take_free(pool);
	if (!chunk)
		chunk = make_chunk(pool);
	if (!chunk)
		return NULL;
	chunk->size = 0;
	chunk->owned = NULL;
	return hand_out(pool, chunk);
}

struct pd_chunk *pd_chunk_wrap(struct pd_chunk_pool *pool, uint8_t *bytes, size_t size)
{
	struct pd_chunk *chunk = pd_malloc(sizeof *chunk);
	if (!chunk)
		return NULL;
	chunk->pool = pool;
	chunk->data = chunk->owned = bytes;
	chunk->size = size;
	return hand_out(pool, chunk);
}

void pd_chunk_drop(struct pd_chunk *chunk)
{
	if (!chunk || atomic_fetch_sub_explicit(&chunk->holders, 1, memory_order_acq_rel) != 1)
		return;
	struct pd_chunk_pool *pool = chunk->pool;
	if (chunk->owned) {
		pd_free(chunk->owned);
		pd_free(chunk);
	} else {
		push_chunks(pool, chunk, chunk);
	}
	drop_reference(pool);
}

size_t pd_chunk_pool_bytes(const struct pd_chunk_pool *pool)
{
	return atomic_load_explicit(&pool->bytes, memory_order_relaxed);
}

void pd_chunks_begin(struct pd_chunks *set, uint32_t *last_mark)
{
	if (++*last_mark == 0)
		*last_mark = 1;
	set->mark = *last_mark;
}

int pd_chunks_hold(struct pd_chunks *set, struct pd_chunk *chunk, uint32_t *its_mark)
{
	if (*its_mark == set->mark)
		return 0;
	if (pd_vector_grow(&set->list, &set->room, set->nr, sizeof *set->list) < 0)
		return -1;
	*its_mark = set->mark;
	pd_chunk_hold(chunk);
	set->list[set->nr++] = chunk;
	return 0;
}

void pd_chunks_drop(struct pd_chunks *set)
{
	for (size_t i = 0; i < set->nr; i++)
		pd_chunk_drop(set->list[i]);
	set->nr = 0;
}

void pd_chunks_release(struct pd_chunks *set)
{
	pd_chunks_drop(set);
	pd_free(set->list);
	set->list = NULL;
	set->room = 0;
}
