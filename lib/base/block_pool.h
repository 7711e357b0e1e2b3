/* SPDX-License-Identifier: MIT */
/* Blocks of many sizes in a few large pages, for data that waits in memory until it is used as a whole. The first use
 * of as much memory in small pages takes several times as long, since each small page is a fault of its own. */
#ifndef PD_BLOCK_POOL_H
#define PD_BLOCK_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include "base/account.h"

struct pd_block_pool;

/* The pool charges its pages to the account, takes no more pages while the account is tight, and then frees those
 * without blocks. most: how many bytes of pages it may hold. NULL without memory, or if a page is larger than `most`;
 * the functions below take NULL for a pool without pages. */
struct pd_block_pool *pd_block_pool_new(size_t most, struct pd_account *account, enum pd_account_use use);
/* Call it when all blocks are given back. */
void pd_block_pool_free(struct pd_block_pool *pool);
/* Allocates a block, aligned as by pd_malloc. Blocks for which the pages have no room come from pd_malloc, and so do
 * small ones: they would keep a whole page in use. *ret_is_in_page: the block is in a page, which the pool charged.
 * NULL without memory. Any thread. */
void *pd_block_take(struct pd_block_pool *pool, size_t size, bool *ret_is_in_page);
/* Any thread; ignores NULL. */
void pd_block_give(struct pd_block_pool *pool, void *block);

#endif
