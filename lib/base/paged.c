/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/fdio.h"
#include "base/memory.h"
#include "base/paged.h"

void pd_paged_init(struct pd_paged *paged, struct pd_account *account, enum pd_account_use use, size_t item_size)
{
	*paged = (struct pd_paged){ .account = account, .use = use, .item_size = item_size };
	pd_spool_init(&paged->spool, account ? account->tmpdir : NULL);
	while (item_size << (paged->shift + 1) <= PD_PAGE_BYTES)
		paged->shift++;
	paged->mask = (1u << paged->shift) - 1;
}

static size_t tables_of(const struct pd_paged *paged)
{
	return paged->room * sizeof *paged->pages + paged->resident_room * sizeof *paged->resident;
}

void pd_paged_release(struct pd_paged *paged)
{
	if (!paged->item_size)
		return;
	for (size_t i = 0; i < paged->nr_pages; i++)
		pd_free(paged->pages[i].bytes);
	pd_account_give(paged->account, paged->use, paged->nr_resident * PD_PAGE_BYTES + tables_of(paged));
	pd_free(paged->pages);
	pd_free(paged->resident);
	pd_spool_release(&paged->spool);
	*paged = (struct pd_paged){ .spool.fd = -1 };
}

static bool is_recent(const struct pd_paged *paged, size_t number)
{
	for (size_t i = 0; i < sizeof paged->recent / sizeof *paged->recent; i++)
		if (paged->recent[i] == number + 1)
			return true;
	return false;
}

/* Makes the page the most recent one. The least recent of `recent` leaves the list and may be evicted. */
static void set_recent(struct pd_paged *paged, size_t number)
{
	const size_t most = sizeof paged->recent / sizeof *paged->recent;
	size_t at = 0;
	while (at < most - 1 && paged->recent[at] != number + 1)
		at++;
	memmove(&paged->recent[1], &paged->recent[0], at * sizeof *paged->recent);
	paged->recent[0] = number + 1;
}

static bool write_page(struct pd_paged *paged, size_t number)
{
	if (pd_pwrite_full(paged->spool.fd, paged->pages[number].bytes, PD_PAGE_BYTES, number * PD_PAGE_BYTES) < 0)
		return false;
	paged->pages[number].written = true;
	paged->pages[number].dirty = false;
	return true;
}

/* Returns the memory of a page that was not used recently, after writing it to the file. NULL: see status. */
static char *evict_page(struct pd_paged *paged)
{
	for (;; paged->hand++) {
		paged->hand = paged->hand < paged->nr_resident ? paged->hand : 0;
		const size_t number = paged->resident[paged->hand];
		struct pd_page *page = &paged->pages[number];
		if (is_recent(paged, number))
			continue;
		if (page->used) {
			page->used = false;
			continue;
		}
		if (page->dirty && !write_page(paged, number)) {
			paged->status = PERFDATA_EWRITE;
			return NULL;
		}
		char *bytes = page->bytes;
		page->bytes = NULL;
		paged->resident[paged->hand++] = paged->resident[--paged->nr_resident];
		return bytes;
	}
}

static bool should_evict(const struct pd_paged *paged)
{
	return paged->nr_resident > PD_PAGES_KEPT && pd_account_is_over(paged->account);
}

/* Makes the file when memory is short for the first time. `grace` delays evictions: callers may still use pages
 * returned before, which are not in `recent`. */
static bool begin_file(struct pd_paged *paged)
{
	paged->grace = sizeof paged->recent / sizeof *paged->recent;
	if (!pd_spool_make(&paged->spool))
		return true;
	paged->status = PERFDATA_EWRITE;
	return false;
}

/* Returns memory for one page. While the account is over its limit, frees more pages than it takes. */
static char *take_memory(struct pd_paged *paged)
{
	char *bytes = NULL;
	if (paged->spool.fd < 0 && should_evict(paged) && !begin_file(paged))
		return NULL;
	const bool may_evict = !paged->grace;
	paged->grace -= paged->grace ? 1 : 0;
	for (unsigned i = 0; i < 2 && may_evict && should_evict(paged); i++) {
		char *evicted = evict_page(paged);
		if (!evicted) {
			pd_free(bytes);
			return NULL;
		}
		if (bytes) {
			pd_free(bytes);
			pd_account_give(paged->account, paged->use, PD_PAGE_BYTES);
		}
		bytes = evicted;
	}
	if (bytes)
		return bytes;
	bytes = pd_malloc(PD_PAGE_BYTES);
	if (bytes)
		pd_account_take(paged->account, paged->use, PD_PAGE_BYTES);
	else
		paged->status = PERFDATA_ENOMEM;
	return bytes;
}

static bool make_room(struct pd_paged *paged, size_t number)
{
	const size_t before = tables_of(paged);
	if (number < paged->nr_pages)
		return true;
	if (pd_vector_grow(&paged->pages, &paged->room, number, sizeof *paged->pages) < 0 ||
	    pd_vector_grow(&paged->resident, &paged->resident_room, number, sizeof *paged->resident) < 0) {
		paged->status = PERFDATA_ENOMEM;
		return false;
	}
	pd_account_change(paged->account, paged->use, before, tables_of(paged));
	memset(&paged->pages[paged->nr_pages], 0, (number + 1 - paged->nr_pages) * sizeof *paged->pages);
	paged->nr_pages = number + 1;
	return true;
}

void *pd_paged_load(struct pd_paged *paged, size_t number)
{
	if (paged->status != PERFDATA_OK || !make_room(paged, number))
		return NULL;
	struct pd_page *page = &paged->pages[number];
	page->used = true;
	set_recent(paged, number);
	if (page->bytes)
		return page->bytes;
	char *bytes = take_memory(paged);
	if (!bytes)
		return NULL;
	if (!page->written) {
		memset(bytes, 0, PD_PAGE_BYTES);
	} else if (pd_spool_read(&paged->spool, number * PD_PAGE_BYTES, bytes, PD_PAGE_BYTES)) {
		paged->status = PERFDATA_EREAD;
		pd_free(bytes);
		pd_account_give(paged->account, paged->use, PD_PAGE_BYTES);
		return NULL;
	}
	page->bytes = bytes;
	page->dirty = false;
	paged->resident[paged->nr_resident++] = (uint32_t)number;
	return bytes;
}
