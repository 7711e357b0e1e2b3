/* SPDX-License-Identifier: MIT */
/* A growing array whose items move to a temporary file where memory is short: pages that were not used lately leave
 * when the account is over its limit, and come back when they are asked for. One thread at a time. */
#ifndef PD_PAGED_H
#define PD_PAGED_H

#include "base/account.h"
#include "base/spool.h"
#include "perfdata/base.h"

#define PD_PAGE_BYTES ((size_t)4 << 10)
/* This many pages stay in memory whatever the account says, those used last among them. */
#define PD_PAGES_KEPT 128u

struct pd_page {
	char *bytes;                /* NULL: in the file, or never written: zeros */
	bool used, dirty, written;  /* since the last round of the clock; since it was read; ever */
};
struct pd_paged {
	struct pd_account *account;
	enum pd_account_use use;
	unsigned shift;             /* log2 of items on a page */
	uint32_t mask;
	size_t item_size;
	struct pd_page *pages;
	size_t nr_pages, room;
	uint32_t *resident;         /* the numbers of the pages in memory, in any order */
	size_t nr_resident, resident_room, hand;
	/* number + 1 of the last returned pages, the last one first: callers may still hold pointers into them */
	size_t recent[4];
	unsigned grace;             /* this many pages are taken before one is evicted */
	struct pd_spool spool;      /* pages that were evicted, each at its place; has a file once one was */
	enum perfdata_status status;   /* why an item is not available */
};

/* item_size: a power of two, at most PD_PAGE_BYTES. */
void pd_paged_init(struct pd_paged *paged, struct pd_account *account, enum pd_account_use use, size_t item_size);
void pd_paged_release(struct pd_paged *paged);
void *pd_paged_load(struct pd_paged *paged, size_t page);

/* An item, zeros where nothing was written, to read; NULL: see status. Valid until items on four other pages were asked
 * for. */
static inline void *pd_paged_at(struct pd_paged *paged, uint32_t index)
{
	const size_t number = index >> paged->shift;
	const bool known = paged->spool.fd < 0 ? number < paged->nr_pages : paged->recent[0] == number + 1;
	char *bytes = known ? paged->pages[number].bytes : NULL;
	if (!bytes && !(bytes = pd_paged_load(paged, number)))
		return NULL;
	return bytes + (index & paged->mask) * paged->item_size;
}
/* Call it after changing an item that pd_paged_at returned. */
static inline void pd_paged_changed(struct pd_paged *paged, uint32_t index)
{
	paged->pages[index >> paged->shift].dirty = true;
}
/* An item as from pd_paged_at that the caller will change. */
static inline void *pd_paged_change(struct pd_paged *paged, uint32_t index)
{
	char *item = pd_paged_at(paged, index);
	if (item)
		pd_paged_changed(paged, index);
	return item;
}

#endif
