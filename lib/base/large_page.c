/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdatomic.h>
#include "base/large_page.h"
#include "base/memory.h"

struct pd_large_page {
	atomic_size_t nr_left;   /* pieces not given back yet */
	size_t bytes;            /* of all pieces */
};

/* The allocation is two large pages long, so that it contains a whole one; nobody touches its other bytes, beside the
 * struct, so they take no memory. */
struct pd_large_page *pd_large_page_new(size_t nr, size_t piece_size, uint8_t **ret_first)
{
	struct pd_large_page *page = pd_malloc(2 * PD_LARGE_PAGE);
	if (!page)
		return NULL;
	atomic_init(&page->nr_left, nr);
	page->bytes = nr * piece_size;
	*ret_first = (uint8_t *)page + PD_LARGE_PAGE - (uintptr_t)page % PD_LARGE_PAGE;
	pd_prefer_large_pages(*ret_first, PD_LARGE_PAGE);
	return page;
}

size_t pd_large_page_leave(struct pd_large_page *page)
{
	if (atomic_fetch_sub_explicit(&page->nr_left, 1, memory_order_acq_rel) != 1)
		return 0;
	const size_t bytes = page->bytes;
	pd_free(page);
	return bytes;
}
