/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdint.h>
#include "base/block_pool.h"
#include "base/large_page.h"
#include "base/memory.h"
#include "base/threads.h"

#define MOST_PAGES 16u
#define LEAST_BLOCK ((size_t)1 << 10)
#define MOST_BLOCK (PD_LARGE_PAGE / 4)
#define ALIGNMENT ((size_t)64)   /* a cache line: two threads fill adjacent blocks */

/* A page is filled from its beginning, and again once all its blocks are given back. */
struct page {
	struct pd_large_page *memory;   /* NULL: not allocated */
	uint8_t *first;
	size_t used, nr_blocks;
};
struct pd_block_pool {
	struct pd_account *account;
	enum pd_account_use use;
	struct pd_monitor *monitor;     /* guards the members below */
	struct page pages[MOST_PAGES];
	size_t nr_pages, open;          /* open: the page that is being filled */
};

struct pd_block_pool *pd_block_pool_new(size_t most, struct pd_account *account, enum pd_account_use use)
{
	const size_t nr = most / PD_LARGE_PAGE;
	struct pd_block_pool *pool = nr ? pd_calloc(1, sizeof *pool) : NULL;
	if (!pool)
		return NULL;
	pool->account = account;
	pool->use = use;
	pool->nr_pages = nr < MOST_PAGES ? nr : MOST_PAGES;
	pool->monitor = pd_monitor_new();
	if (pool->monitor)
		return pool;
	pd_free(pool);
	return NULL;
}

static void free_page(struct pd_block_pool *pool, struct page *page)
{
	if (!page->memory)
		return;
	(void)pd_large_page_leave(page->memory);
	pd_account_give(pool->account, pool->use, PD_LARGE_PAGE);
	*page = (struct page){ 0 };
}

static void free_unused(struct pd_block_pool *pool)
{
	for (size_t i = 0; i < pool->nr_pages; i++)
		if (!pool->pages[i].nr_blocks)
			free_page(pool, &pool->pages[i]);
}

void pd_block_pool_free(struct pd_block_pool *pool)
{
	if (!pool)
		return;
	for (size_t i = 0; i < pool->nr_pages; i++)
		free_page(pool, &pool->pages[i]);
	pd_monitor_free(pool->monitor);
	pd_free(pool);
}

/* Whether the page has room, after it is allocated, or begun again, if it has no blocks. */
static bool has_room(struct pd_block_pool *pool, struct page *page, size_t size)
{
	if (!page->memory && !pd_account_is_tight(pool->account)) {
		page->memory = pd_large_page_new(1, PD_LARGE_PAGE, &page->first);
		if (page->memory)
			pd_account_take(pool->account, pool->use, PD_LARGE_PAGE);
	}
	if (!page->nr_blocks)
		page->used = 0;
	return page->memory && PD_LARGE_PAGE - page->used >= size;
}

/* NULL: no page has room. Call it inside the monitor. */
static void *take_inside(struct pd_block_pool *pool, size_t size)
{
	size_t at = pool->open;
	/* a page that still has blocks is not searched for room: it was full when another page was opened */
	if (!has_room(pool, &pool->pages[at], size)) {
		for (at = 0; at < pool->nr_pages && pool->pages[at].nr_blocks;)
			at++;
		if (at == pool->nr_pages || !has_room(pool, &pool->pages[at], size))
			return NULL;
		pool->open = at;
	}
	struct page *page = &pool->pages[at];
	void *block = page->first + page->used;
	page->used += size;
	page->nr_blocks++;
	return block;
}

void *pd_block_take(struct pd_block_pool *pool, size_t size, bool *ret_is_in_page)
{
	void *block = NULL;
	if (pool && size >= LEAST_BLOCK && size <= MOST_BLOCK) {
		pd_monitor_enter(pool->monitor);
		block = take_inside(pool, (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
		pd_monitor_leave(pool->monitor);
	}
	*ret_is_in_page = block;
	return block ? block : pd_malloc(size);
}

static struct page *page_of(struct pd_block_pool *pool, const void *block)
{
	const uintptr_t at = (uintptr_t)block;
	for (size_t i = 0; i < pool->nr_pages; i++)
		if (pool->pages[i].memory && at - (uintptr_t)pool->pages[i].first < PD_LARGE_PAGE)
			return &pool->pages[i];
	return NULL;
}

void pd_block_give(struct pd_block_pool *pool, void *block)
{
	struct page *page = NULL;
	if (pool && block) {
		pd_monitor_enter(pool->monitor);
		page = page_of(pool, block);
		if (page && !--page->nr_blocks && pd_account_is_tight(pool->account))
			free_unused(pool);
		pd_monitor_leave(pool->monitor);
	}
	if (!page)
		pd_free(block);
}
