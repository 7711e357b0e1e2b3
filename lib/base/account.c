/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/account.h"
#include "base/memory.h"

void pd_account_init(struct pd_account *account, uint64_t limit, const char *tmpdir)
{
	account->limit = limit ? limit : PD_DEFAULT_MEMORY;
	account->tmpdir = tmpdir;
}

void pd_account_take(struct pd_account *account, enum pd_account_use use, size_t bytes)
{
	if (!account || !bytes)
		return;
	atomic_fetch_add_explicit(&account->by_use[use], bytes, memory_order_relaxed);
	const uint64_t used = atomic_fetch_add_explicit(&account->used, bytes, memory_order_relaxed) + bytes;
	uint64_t peak = atomic_load_explicit(&account->peak, memory_order_relaxed);
	while (used > peak && !atomic_compare_exchange_weak_explicit(&account->peak, &peak, used, memory_order_relaxed,
								     memory_order_relaxed))
		;
}

void pd_account_give(struct pd_account *account, enum pd_account_use use, size_t bytes)
{
	if (!account || !bytes)
		return;
	atomic_fetch_sub_explicit(&account->by_use[use], bytes, memory_order_relaxed);
	atomic_fetch_sub_explicit(&account->used, bytes, memory_order_relaxed);
}

void pd_account_change(struct pd_account *account, enum pd_account_use use, size_t before, size_t after)
{
	if (after > before)
		pd_account_take(account, use, after - before);
	else
		pd_account_give(account, use, before - after);
}

enum perfdata_status perfdata_memory_new(uint64_t limit, const char *tmpdir, struct perfdata_memory **ret)
{
	const size_t size = tmpdir ? strlen(tmpdir) + 1 : 0;
	struct perfdata_memory *memory = pd_calloc(1, sizeof *memory + size);
	if (!memory)
		return PERFDATA_ENOMEM;
	if (size)
		memcpy(memory->tmpdir, tmpdir, size);
	pd_account_init(&memory->account, pd_account_limit(limit), size ? memory->tmpdir : NULL);
	*ret = memory;
	return PERFDATA_OK;
}

void perfdata_memory_free(struct perfdata_memory *memory) { pd_free(memory); }

uint64_t perfdata_memory_used(const struct perfdata_memory *memory, uint64_t *ret_peak)
{
	if (ret_peak)
		*ret_peak = atomic_load_explicit(&memory->account.peak, memory_order_relaxed);
	return pd_account_used(&memory->account);
}
