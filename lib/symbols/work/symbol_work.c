/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/cancel.h"
#include "symbols/work/symbol_work.h"

void pd_work_init(struct pd_work *work, uint64_t size, struct pd_account *account, const struct perfdata_cancel *cancel)
{
	work->cancel = cancel;
	work->account = account;
	atomic_init(&work->done, 0);
	atomic_init(&work->limit, PD_WORK_FREE);
	pd_work_add_bytes(work, size);
}

void pd_work_add_bytes(struct pd_work *work, uint64_t size)
{
	const uint64_t most = UINT64_MAX / 16 / PD_WORK_OF_BYTE;
	atomic_fetch_add_explicit(&work->limit, PD_WORK_OF_BYTE * (size < most ? size : most), memory_order_relaxed);
}

void pd_work_add_lookup(struct pd_work *work)
{
	atomic_fetch_add_explicit(&work->limit, PD_WORK_OF_LOOKUP, memory_order_relaxed);
}

enum perfdata_status pd_work_do(struct pd_work *work, uint64_t steps)
{
	const uint64_t done = atomic_fetch_add_explicit(&work->done, steps, memory_order_relaxed) + steps;
	if (pd_cancelled(work->cancel))
		return PERFDATA_EINTR;
	return done > atomic_load_explicit(&work->limit, memory_order_relaxed) ? PERFDATA_ELIMIT : PERFDATA_OK;
}

/* As pd_account_is_exhausted: data that cannot shrink may reach twice the limit. */
enum perfdata_status pd_work_room(const struct pd_work *work, uint64_t bytes)
{
	const uint64_t least = (uint64_t)64 << 20;
	const struct pd_account *account = work->account;
	if (!account)
		return PERFDATA_OK;
	const uint64_t limit = account->limit > least ? account->limit : least;
	return pd_account_used(account) / 2 + bytes / 2 > limit ? PERFDATA_ELIMIT : PERFDATA_OK;
}

enum perfdata_status pd_work_ratio(uint64_t packed, uint64_t size)
{
	return size > PD_RATIO_FREE && size / PD_MAX_RATIO > packed ? PERFDATA_ELIMIT : PERFDATA_OK;
}
