/* SPDX-License-Identifier: MIT */
/* The account of memory that grows with a recording; all components that work on the recording share it. A component
 * with growing memory charges the account when it allocates and frees, and checks it before it allocates more:
 *
 * - a cache stops growing while the account is tight, and shrinks while it is over its limit;
 * - data that can be written out go to a temporary file while the account is over its limit;
 * - data that can do neither (frames, names of files) grow until pd_account_is_exhausted; the operation that needs them
 *   then fails with PERFDATA_ENOMEM.
 *
 * Nothing here allocates, and the account calls nobody back: each component checks the account where it can react.
 * Any thread may call all functions; NULL is an account without a limit. */
#ifndef PD_ACCOUNT_H
#define PD_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "perfdata/base.h"

/* The components that allocate. */
enum pd_account_use {
	PD_USE_ORDER,       /* records that wait for the reader to sort them */
	PD_USE_BATCHES,     /* records, deliveries and steps that wait for a formatter */
	PD_USE_FRAMES,      /* frames, files, threads and maps */
	PD_USE_STACKS,      /* the tree of stacks */
	PD_USE_CACHES,      /* contents of caches, which may be freed: chains, texts */
	PD_USE_SYMBOLS,     /* symbol tables, indexes of debug information, open files of symbols */
	PD_USE_PROFILE,     /* sums of samples */
	PD_USE_ROWS,        /* rows of tables that are collected for a row group */
	PD_NR_USES
};

#define PD_DEFAULT_MEMORY ((uint64_t)256 << 20)

struct pd_account {
	uint64_t limit;                    /* bytes */
	const char *tmpdir;                /* directory of temporary files; NULL: /tmp. Borrowed */
	_Atomic uint64_t used, peak;
	_Atomic uint64_t by_use[PD_NR_USES];
};

/* The public object. */
struct perfdata_memory {
	struct pd_account account;
	char tmpdir[];
};

/* Returns NULL for NULL. */
static inline struct pd_account *pd_memory_account(struct perfdata_memory *memory)
{
	return memory ? &memory->account : NULL;
}

/* Converts the caller's number of bytes to a limit. */
static inline uint64_t pd_account_limit(uint64_t asked)
{
	return asked && asked < PERFDATA_LEAST_MEMORY ? PERFDATA_LEAST_MEMORY : asked;
}
/* Sets limit (0: PD_DEFAULT_MEMORY) and directory. The caller zeroes the account first. */
void pd_account_init(struct pd_account *account, uint64_t limit, const char *tmpdir);

void pd_account_take(struct pd_account *account, enum pd_account_use use, size_t bytes);
void pd_account_give(struct pd_account *account, enum pd_account_use use, size_t bytes);
/* Changes the bytes charged for `use` by the difference of `before` and `after`. */
void pd_account_change(struct pd_account *account, enum pd_account_use use, size_t before, size_t after);

static inline uint64_t pd_account_used(const struct pd_account *account)
{
	return account ? atomic_load_explicit(&account->used, memory_order_relaxed) : 0;
}
/* Whether caches may no longer grow. */
static inline bool pd_account_is_tight(const struct pd_account *account)
{
	return account && pd_account_used(account) > account->limit - account->limit / 4;
}
/* Whether caches must shrink, tables go to temporary files, and no further batches are made. A sixteenth of the limit
 * is reserved for memory that nobody counts: gaps of the heap, and many small objects. A small limit has a larger
 * reserve. It must hold two chunks of input (somewhat above 1 MiB each), since a slow formatter keeps its chunk while
 * the next one is read, and the data that grows meanwhile. */
static inline bool pd_account_is_over(const struct pd_account *account)
{
	const uint64_t chunks = (uint64_t)3 << 20;
	if (!account)
		return false;
	uint64_t aside = account->limit / 16 > chunks ? account->limit / 16 : chunks;
	if (aside > account->limit / 4)
		aside = account->limit / 4;
	return pd_account_used(account) > account->limit - aside;
}
/* Whether operations whose memory cannot shrink must fail: above twice the limit, which counts as at least 64 MiB. */
static inline bool pd_account_is_exhausted(const struct pd_account *account)
{
	const uint64_t least = (uint64_t)64 << 20;
	return account && pd_account_used(account) / 2 > (account->limit > least ? account->limit : least);
}

#endif
