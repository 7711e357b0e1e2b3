/* SPDX-License-Identifier: MIT */
/* Texts by key, which the threads of a run share. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "unit.h"
#include "base/threads.h"
#include "emit/values/text_cache.h"

#define CACHE_KEYS 20000u
#define CACHE_THREADS 4u

/* Of any length around the steps in which texts are copied. */
static size_t text_of_key(uint64_t key, char *out)
{
	const size_t size = (size_t)(key * 7 % (3 * TEXT_CACHE_SLACK));
	for (size_t i = 0; i < size; i++)
		out[i] = (char)('!' + (key + i) % 90);
	return size;
}

/* Bits on top, as for the forms of a frame; two of them share the ids' slots. */
static uint64_t key_of_number(uint64_t number) { return (number % (CACHE_KEYS / 2) + 1) | (number & 3) << 62; }

struct cache_user {
	struct text_cache cache;
	unsigned wrong, found;
};
struct cache_users {
	struct cache_user users[CACHE_THREADS];
};

static void use_cache(void *pointer, unsigned index)
{
	struct cache_user *user = &((struct cache_users *)pointer)->users[index];
	struct perfdata_text out;
	char expected[3 * TEXT_CACHE_SLACK];
	perfdata_text_init(&out);
	for (uint64_t i = 0; i < 4 * CACHE_KEYS; i++) {
		const uint64_t key = key_of_number(i);
		const size_t size = text_of_key(key, expected);
		perfdata_text_clear(&out);
		if (pd_text_cache_append(&user->cache, key, &out))
			user->found++;
		else if (size)
			perfdata_text_append(&out, pd_text_cache_put(&user->cache, key, expected, size), size);
		user->wrong += out.size != size || (size && memcmp(out.data, expected, size));
	}
	perfdata_text_release(&out);
}

/* With room for everything, and with room for a part. */
static void test_threads(void)
{
	static const uint64_t limits[] = { PD_DEFAULT_MEMORY, 1 << 20 };
	for (unsigned i = 0; i < 2; i++) {
		const struct pd_account account = { .limit = limits[i] };
		struct text_pool *pool = pd_text_pool_new(&account);
		struct cache_users users = { 0 };
		CHECK(pool);
		for (unsigned k = 0; pool && k < CACHE_THREADS; k++)
			pd_text_cache_init(&users.users[k].cache, pool, &account);
		struct pd_team *team = pool ? pd_team_start(CACHE_THREADS - 1, use_cache, &users) : NULL;
		if (pool)
			use_cache(&users, CACHE_THREADS - 1);
		pd_team_join(team);
		for (unsigned k = 0; k < CACHE_THREADS; k++) {
			CHECK_EQ(users.users[k].wrong, 0);
			pd_text_cache_release(&users.users[k].cache);
		}
		/* whoever comes second finds what the first has put, and all of it the second time */
		CHECK(users.users[CACHE_THREADS - 1].found >= (i ? 1 : 2 * CACHE_KEYS));
		pd_text_pool_free(pool);
	}
}

static void test_alone(void)
{
	size_t size;
	const struct pd_account account = { .limit = 1 << 20 };
	struct text_cache alone;
	pd_text_cache_init(&alone, NULL, &account);
	CHECK(!text_cache_find(&alone, 7, &size));
	CHECK(pd_text_cache_put(&alone, 7, "seven", 5));
	const char *text = text_cache_find(&alone, 7, &size);
	CHECK(text && size == 5 && !memcmp(text, "seven", 5));
	char *large = calloc(1, 1 << 20);
	CHECK(large && !pd_text_cache_put(&alone, 8, large, 1 << 20));
	CHECK(text_cache_find(&alone, 7, &size));
	free(large);
	pd_text_cache_release(&alone);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "threads with a pool", test_threads },
		{ "one thread, without a pool", test_alone },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
