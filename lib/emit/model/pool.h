/* SPDX-License-Identifier: MIT */
/* Memory that is freed at once: plans and prepared keys. */
#ifndef EMIT_POOL_H
#define EMIT_POOL_H

#include <stddef.h>

struct pool_block;
struct pool {
	struct pool_block *blocks;
	size_t left;          /* in the newest block */
};

/* {0} is a valid empty pool. Zeroed, 16-aligned; NULL without memory. */
void *pd_pool_alloc(struct pool *pool, size_t size);
void pd_pool_release(struct pool *pool);

#endif
