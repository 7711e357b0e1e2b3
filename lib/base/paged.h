/* SPDX-License-Identifier: MIT */
/* A growing array that moves pages to a temporary file when memory is short: pages that were not used recently are
 * evicted while the account is over its limit, and read again when needed. One thread at a time. */
#ifndef PD_PAGED_H
#define PD_PAGED_H

#include "base/account.h"
#include "base/spool.h"
#include "perfdata/base.h"

#define PD_PAGE_BYTES ((size_t)4 << 10)
/* This many pages stay in memory even if the account is over its limit. */
#define PD_PAGES_KEPT 128u

struct pd_page {
	char *bytes;                /* NULL: in the file, or zeros if never written */
	bool used, dirty, written; /* used since the last round of the clock; changed since it was read; ever written */
};
struct pd_paged {
	struct pd_account *account;
	enum pd_account_use use;
	unsigned shift;             /* log2 of the items on a page */
	uint32_t mask;
	size_t item_size;
	struct pd_page *pages;
	size_t nr_pages, room;
	uint32_t *resident;         /* numbers of the pages in memory, in any order */
	size_t nr_resident, resident_room, hand;
	/* number + 1 of the last returned pages, newest first; callers may still hold pointers into these pages */
	size_t recent[4];
	unsigned grace;             /* pages that may still be taken before one is evicted */
	struct pd_spool spool;      /* evicted pages, each at its own offset; has a file after the first eviction */
	enum perfdata_status status;   /* why an item is not available */
};

/* item_size: a power of two, at most PD_PAGE_BYTES. */
void pd_paged_init(struct pd_paged *paged, struct pd_account *account, enum pd_account_use use, size_t item_size);
void pd_paged_release(struct pd_paged *paged);
void *pd_paged_load(struct pd_paged *paged, size_t page);

/* Returns an item to read, zeros if never written. Valid until items on four other pages are returned. NULL: see
 * status. */
static inline void *pd_paged_at(struct pd_paged *paged, uint32_t index)
{
	const size_t number = index >> paged->shift;
	const bool known = paged->spool.fd < 0 ? number < paged->nr_pages : paged->recent[0] == number + 1;
	char *bytes = known ? paged->pages[number].bytes : NULL;
	if (!bytes && !(bytes = pd_paged_load(paged, number)))
		return NULL;
	return bytes + (index & paged->mask) * paged->item_size;
}
/* Marks an item of pd_paged_at as changed. */
static inline void pd_paged_changed(struct pd_paged *paged, uint32_t index)
{
	paged->pages[index >> paged->shift].dirty = true;
}
/* As pd_paged_at, for an item that the caller will change. */
static inline void *pd_paged_change(struct pd_paged *paged, uint32_t index)
{
	char *item = pd_paged_at(paged, index);
	if (item)
		pd_paged_changed(paged, index);
	return item;
}

#endif
