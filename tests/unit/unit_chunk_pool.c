/* SPDX-License-Identifier: MIT */
/* Chunks and their pool (lib/input/chunk.c). */
#include "config.h"
#include <pthread.h>
#include <string.h>
#include "input/input.h"
#include "unit.h"

static void test_pool(void)
{
	struct pd_chunk_pool *pool = pd_chunk_pool_new();
	CHECK_EQ(pd_chunk_pool_bytes(pool), 0);
	struct pd_chunk *a = pd_chunk_get(pool), *b = pd_chunk_get(pool);
	CHECK(a && b && a != b);
	size_t two = pd_chunk_pool_bytes(pool);
	CHECK(two >= 2 * (PD_CHUNK_SIZE + PD_CHUNK_HEADROOM));
	memset(a->data - PD_CHUNK_HEADROOM, 1, PD_CHUNK_HEADROOM + PD_CHUNK_SIZE);
	memset(b->data - PD_CHUNK_HEADROOM, 2, PD_CHUNK_HEADROOM + PD_CHUNK_SIZE);
	CHECK(a->data[-(ptrdiff_t)PD_CHUNK_HEADROOM] == 1 && a->data[PD_CHUNK_SIZE - 1] == 1);
	pd_chunk_hold(a);
	pd_chunk_drop(a);
	struct pd_chunk *c = pd_chunk_get(pool);
	CHECK(c != a && c != b);
	size_t three = pd_chunk_pool_bytes(pool);
	pd_chunk_drop(a);
	pd_chunk_drop(b);
	pd_chunk_drop(c);
	for (int i = 0; i < 10; i++) {
		a = pd_chunk_get(pool);
		b = pd_chunk_get(pool);
		CHECK(a->size == 0 && a->offset == 0 && a->mark == 0 && atomic_load(&a->holders) == 1);
		pd_chunk_drop(b);
		pd_chunk_drop(a);
	}
	CHECK_EQ(pd_chunk_pool_bytes(pool), three);
	pd_chunk_drop(NULL);

	/* A chunk may outlive the call that gives the pool up. */
	a = pd_chunk_get(pool);
	pd_chunk_pool_free(pool);
	memset(a->data, 3, PD_CHUNK_SIZE);
	CHECK_EQ(a->data[0], 3);
	pd_chunk_drop(a);
	pd_chunk_pool_free(NULL);
}

struct worker {
	struct pd_chunk_pool *pool;
	uint32_t number;
	unsigned wrong;
};

static void *pool_worker(void *user)
{
	struct worker *worker = user;
	struct pd_chunk *held[3] = { NULL };
	for (uint32_t i = 0; i < 3000; i++) {
		struct pd_chunk **slot = &held[i % 3];
		if (*slot) {
			worker->wrong += (*slot)->mark != worker->number;
			pd_chunk_drop(*slot);
		}
		*slot = pd_chunk_get(worker->pool);
		worker->wrong += (*slot)->mark != 0;
		(*slot)->mark = worker->number;
	}
	for (int i = 0; i < 3; i++)
		pd_chunk_drop(held[i]);
	return NULL;
}

static void test_pool_threads(void)
{
	struct worker workers[4];
	pthread_t threads[4];
	struct pd_chunk_pool *pool = pd_chunk_pool_new();
	for (uint32_t i = 0; i < 4; i++) {
		workers[i] = (struct worker){ pool, i + 1, 0 };
		CHECK(pthread_create(&threads[i], NULL, pool_worker, &workers[i]) == 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		CHECK_EQ(workers[i].wrong, 0);
	}
	pd_chunk_pool_free(pool);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "chunk pool", test_pool },
		{ "chunk pool used by threads", test_pool_threads },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
