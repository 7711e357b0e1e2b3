/* SPDX-License-Identifier: MIT */
/* lib/base: checked arithmetic, cursor, memory, arena, errors, maps, interned strings. */
#include "config.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include "unit.h"
#include "alloc_fail.h"
#include "base/arena.h"
#include "base/checked.h"
#include "base/cursor.h"
#include "base/digit.h"
#include "base/error.h"
#include "base/finding_queue.h"
#include "base/handoff.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/port.h"
#include "base/table.h"

static uint64_t random_state = 0x1234567;

static uint64_t random64(void)
{
	random_state += 0x9e3779b97f4a7c15ull;
	return pd_hash_u64(random_state, 0x5851f42d4c957f2dull);
}

static void test_checked(void)
{
	uint64_t v = 7;
	CHECK(pd_add(1, 2, &v) && v == 3);
	CHECK(!pd_add(UINT64_MAX, 1, &v) && v == 3);
	CHECK(pd_mul(1ull << 32, 3, &v) && v == 3ull << 32);
	CHECK(!pd_mul(1ull << 32, 1ull << 32, &v) && v == 3ull << 32);
	CHECK(pd_range_ok(0, 0, 0));
	CHECK(pd_range_ok(8, 8, 16));
	CHECK(!pd_range_ok(8, 9, 16));
	CHECK(!pd_range_ok(17, 0, 16));
	CHECK(!pd_range_ok(8, UINT64_MAX, 16));
	CHECK_EQ(pd_align8(0), 0);
	CHECK_EQ(pd_align8(1), 8);
	CHECK_EQ(pd_align8(8), 8);
	CHECK_EQ(pd_align8(UINT64_MAX), UINT64_MAX & ~7ull);
	CHECK_EQ(pd_align8(UINT64_MAX - 7), UINT64_MAX & ~7ull);
}

static void test_cursor(void)
{
	const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct pd_cursor c = pd_cursor(bytes, sizeof bytes, pd_order_is_foreign(PERFDATA_BYTE_ORDER_LITTLE));
	CHECK_EQ(pd_u8(&c), 1);
	CHECK_EQ(pd_u16(&c), 0x0302);
	CHECK_EQ(pd_u32(&c), 0x07060504);
	CHECK_EQ(pd_u64(&c), 0x0f0e0d0c0b0a0908);
	CHECK(!c.failed && pd_left(&c) == 0);
	CHECK(pd_take(&c, 0) != NULL && !c.failed);
	CHECK_EQ(pd_u8(&c), 0);
	CHECK(c.failed);

	c = pd_cursor(bytes, sizeof bytes, pd_order_is_foreign(PERFDATA_BYTE_ORDER_BIG));
	CHECK_EQ(pd_u16(&c), 0x0102);
	CHECK_EQ(pd_u32(&c), 0x03040506);
	CHECK_EQ(pd_u64(&c), 0x0708090a0b0c0d0e);
	CHECK_EQ(pd_u64(&c), 0);
	CHECK(c.failed && pd_left(&c) == 1);
	CHECK(pd_take(&c, 1) == NULL);

	c = pd_cursor(bytes, sizeof bytes, false);
	CHECK(pd_take(&c, UINT64_MAX) == NULL && c.failed);
	c = pd_cursor(NULL, 0, false);
	CHECK_EQ(pd_u32(&c), 0);
	CHECK(c.failed);
}

static void test_memory(void)
{
	void *p = pd_malloc(0);
	CHECK(p != NULL);
	p = pd_realloc(p, 0);
	CHECK(p != NULL);
	pd_free(p);
	p = pd_calloc(0, 8);
	CHECK(p != NULL);
	pd_free(p);
	CHECK(pd_calloc(SIZE_MAX / 2, 3) == NULL);
	CHECK(pd_calloc_slots(SIZE_MAX / 2, 3) == NULL);
	pd_free(NULL);

	char *s = pd_strndup("hello", 3);
	CHECK_STR(s, "hel");
	pd_free(s);
	s = pd_strndup(NULL, 0);
	CHECK_STR(s, "");
	pd_free(s);
	CHECK(pd_strndup("", SIZE_MAX) == NULL);
}

/* Slots are zeros, also where an earlier user of the memory wrote something else. */
static void test_slots(void)
{
	static const size_t sizes[] = { 0, 1, 5000, 100000, 3000000 };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (unsigned again = 0; again < 2; again++) {
			unsigned char *slots = pd_calloc_slots(sizes[i], 2), others = 0;
			CHECK(slots != NULL);
			for (size_t at = 0; slots && at < 2 * sizes[i]; at++) {
				others |= slots[at];
				slots[at] = 7;
			}
			CHECK_EQ(others, 0);
			pd_free(slots);
		}
	}
	alloc_fail_countdown = 0;
	CHECK(pd_calloc_slots(300000, 2) == NULL);
}

/* Memory begins with a large page from one large page on, and may be freed and moved like other memory. */
static void test_large_memory(void)
{
	static const size_t sizes[][2] = {   /* asked, and with which pd_malloc_large gets them */
		{ 0, 0 }, { 1, 1 }, { PD_LARGE_PAGE / 2 - 1, PD_LARGE_PAGE / 2 - 1 },
		{ PD_LARGE_PAGE / 2, PD_LARGE_PAGE }, { PD_LARGE_PAGE, PD_LARGE_PAGE },
		{ PD_LARGE_PAGE + 5, PD_LARGE_PAGE + 5 }, { 3 * PD_LARGE_PAGE - 1, 3 * PD_LARGE_PAGE },
		{ SIZE_MAX, SIZE_MAX },
	};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const size_t size = pd_large_size(sizes[i][0]);
		CHECK_EQ(size, sizes[i][1]);
		unsigned char *memory = pd_malloc_large(size);
		CHECK_EQ(memory != NULL, size < SIZE_MAX);
		if (!memory || !size) {
			pd_free(memory);
			continue;
		}
		CHECK(size < PD_LARGE_PAGE || !((uintptr_t)memory % PD_LARGE_PAGE));
		memset(memory, 7, size);
		unsigned char *moved = pd_realloc(memory, 2 * size);
		CHECK(moved != NULL);
		CHECK_EQ(moved ? moved[size - 1] : 0, 7);
		pd_free(moved ? moved : memory);
	}
	alloc_fail_countdown = 0;
	CHECK(pd_malloc_large(PD_LARGE_PAGE) == NULL);
}

static void test_hex16(void)
{
	uint64_t value = 0;
	CHECK(pd_parse_hex16("0123456789abcdef", &value));
	CHECK_EQ(value, 0x0123456789abcdef);
	CHECK(pd_parse_hex16("ffffffff81000000", &value));
	CHECK_EQ(value, 0xffffffff81000000);
	for (unsigned place = 0; place < 16; place++) {
		for (unsigned c = 0; c < 256; c++) {
			char text[] = "fedcba9876543210";
			text[place] = (char)c;
			const bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
			if (pd_parse_hex16(text, &value) != is_digit)
				FAIL(text);
			else if (is_digit && (value >> (60 - 4 * place) & 15) != pd_digit_of((char)c))
				FAIL(text);
		}
	}
}

static void test_vector(void)
{
	uint32_t *items = NULL;
	size_t capacity = 0;
	for (uint32_t i = 0; i < 1000; i++) {
		CHECK(pd_vector_grow(&items, &capacity, i, sizeof *items) == 0);
		CHECK(capacity > i);
		items[i] = i * 3;
	}
	for (uint32_t i = 0; i < 1000; i++)
		CHECK_EQ(items[i], i * 3);
	size_t before = capacity;
	CHECK(pd_vector_grow(&items, &capacity, SIZE_MAX / 2, sizeof *items) == -1);
	CHECK(pd_vector_grow(&items, &capacity, SIZE_MAX, 1) == -1);
	alloc_fail_countdown = 0;
	CHECK(pd_vector_grow(&items, &capacity, capacity, sizeof *items) == -1);
	CHECK_EQ(capacity, before);
	CHECK_EQ(items[999], 2997);
	pd_free(items);
}

static void test_vector_by_index(void)
{
	uint64_t *items = NULL;
	size_t capacity = 0;
	CHECK(pd_vector_reach(&items, &capacity, 100, sizeof *items) == 0);
	for (size_t i = 0; i < capacity; i++)
		CHECK_EQ(items[i], 0);
	items[100] = 5;
	CHECK(pd_vector_reach(&items, &capacity, 5000, sizeof *items) == 0);
	CHECK_EQ(items[100], 5);
	for (size_t i = 101; i < capacity; i++)
		CHECK_EQ(items[i], 0);
	alloc_fail_countdown = 0;
	CHECK(pd_vector_reach(&items, &capacity, capacity, sizeof *items) == -1);
	CHECK_EQ(items[100], 5);
	pd_free(items);
}

static void test_finding_queue(void)
{
	struct pd_finding_queue queue = { 0 };
	char message[] = "first";
	struct perfdata_finding finding = { .code = PERFDATA_FINDING_RECORD_SIZE, .message = message };
	pd_finding_queue_put(&queue, pd_finding_copy(&finding));
	message[0] = 'F';
	pd_finding_queue_put(&queue, pd_finding_copy(&finding));
	struct pd_queued_finding *found = pd_finding_queue_take(&queue);
	CHECK_STR(found->finding.message, "first");
	pd_free(found);
	pd_finding_queue_put(&queue, pd_finding_copy(&finding));
	found = pd_finding_queue_take(&queue);
	CHECK_STR(found->finding.message, "First");
	pd_free(found);
	pd_finding_queue_drop(&queue);
	CHECK(!pd_finding_queue_take(&queue));
	alloc_fail_countdown = 0;
	CHECK(!pd_finding_copy(&finding));
}

struct counting {
	struct pd_handoff handoff;
	unsigned numbers[3];
	unsigned last;               /* the thread ends after this item; 0: it never ends */
	atomic_uint settled;
};

static void count_up(void *user, unsigned thread)
{
	struct counting *counting = user;
	unsigned place;
	(void)thread;
	for (unsigned n = 1; pd_handoff_wait_for_room(&counting->handoff, &place); n++) {
		counting->numbers[place] = n;
		pd_handoff_pass_slot(&counting->handoff);
		if (n == 500) {
			pd_handoff_settle(&counting->handoff);
			atomic_store(&counting->settled, n);
		}
		if (n == counting->last)
			return;
	}
}

static void test_handoff(void)
{
	struct counting counting = { .last = 1000 };
	CHECK(pd_handoff_start(&counting.handoff, 3, 1, count_up, &counting));
	for (unsigned n = 1; n <= 1000; n++) {
		CHECK_EQ(counting.numbers[pd_handoff_wait_for_slot(&counting.handoff)], n);
		if (n <= 500)
			CHECK_EQ(atomic_load(&counting.settled), 0);
		pd_handoff_give_back_slot(&counting.handoff);
	}
	CHECK_EQ(atomic_load(&counting.settled), 500);
	pd_handoff_stop(&counting.handoff);
	/* one that would never end, and whose places nobody takes */
	counting = (struct counting){ .last = 0 };
	CHECK(pd_handoff_start(&counting.handoff, 3, 1, count_up, &counting));
	CHECK_EQ(counting.numbers[pd_handoff_wait_for_slot(&counting.handoff)], 1);
	pd_handoff_stop(&counting.handoff);
	CHECK_EQ(counting.handoff.taken, 0);
	CHECK(counting.handoff.filled >= 1 && counting.handoff.filled <= 3);
	alloc_fail_countdown = 1;
	CHECK(!pd_handoff_start(&counting.handoff, 3, 1, count_up, &counting));
	alloc_fail_countdown = 0;
	CHECK(!pd_handoff_start(&counting.handoff, 3, 1, count_up, &counting));
}

/* The next number is used by one thread at a time: the worker, or the consumer that has taken over. */
struct shared_count {
	struct pd_handoff handoff;
	unsigned next, numbers[3];
};

static void count_on(void *user, unsigned thread)
{
	struct shared_count *count = user;
	unsigned place;
	(void)thread;
	while (pd_handoff_wait_for_room(&count->handoff, &place)) {
		count->numbers[place] = count->next++;
		pd_handoff_pass_slot(&count->handoff);
	}
}

static void test_taking_over(void)
{
	struct shared_count count = { .next = 0 };
	unsigned wrong = 0;
	CHECK(pd_handoff_start(&count.handoff, 3, 1, count_on, &count));
	for (unsigned n = 0; n < 5000; n++) {
		if (n % 3 && pd_handoff_take_over(&count.handoff)) {
			wrong += count.next++ != n;
			pd_handoff_resume(&count.handoff);
		} else {
			wrong += count.numbers[pd_handoff_wait_for_slot(&count.handoff)] != n;
			/* with slots that are filled there is nothing to take over */
			wrong += pd_handoff_take_over(&count.handoff);
			pd_handoff_give_back_slot(&count.handoff);
		}
	}
	CHECK_EQ(wrong, 0);
	/* a worker that is not resumed ends, too */
	while (!pd_handoff_take_over(&count.handoff)) {
		(void)pd_handoff_wait_for_slot(&count.handoff);
		pd_handoff_give_back_slot(&count.handoff);
	}
	pd_handoff_stop(&count.handoff);
}

static void test_arena(void)
{
	struct pd_arena arena = { 0 };
	uint8_t *pieces[300];
	size_t sizes[300];
	for (unsigned i = 0; i < 300; i++) {
		sizes[i] = i % 37 == 36 ? 100000 + i : (size_t)(random64() % 500);
		pieces[i] = pd_arena_alloc(&arena, sizes[i]);
		CHECK(pieces[i] && (uintptr_t)pieces[i] % alignof(max_align_t) == 0);
		memset(pieces[i], (int)(i & 0xff), sizes[i]);
	}
	for (unsigned i = 0; i < 300; i++)
		for (size_t k = 0; k < sizes[i]; k++)
			if (pieces[i][k] != (i & 0xff)) {
				FAIL("pieces overlap");
				break;
			}
	CHECK(arena.total >= 800000);

	char *copy = pd_arena_copy(&arena, "ab\0cd", 5);
	CHECK(copy && !memcmp(copy, "ab\0cd\0", 6));
	uint64_t *zeros = pd_arena_calloc(&arena, 1000, 8);
	CHECK(zeros && zeros[0] == 0 && zeros[999] == 0);
	CHECK(pd_arena_calloc(&arena, SIZE_MAX / 4, 8) == NULL);
	CHECK(pd_arena_alloc(&arena, SIZE_MAX) == NULL);
	CHECK(pd_arena_copy(&arena, "", SIZE_MAX) == NULL);

	pd_arena_reset(&arena);
	CHECK(arena.blocks && arena.used == 0);
	size_t kept = arena.total;
	CHECK(pd_arena_alloc(&arena, 100) != NULL);
	CHECK_EQ(arena.total, kept);
	pd_arena_release(&arena);
	CHECK_EQ(arena.total, 0);
	pd_arena_release(&arena);
	pd_arena_reset(&arena);
	CHECK(arena.blocks == NULL);
}

static void work_arena(void)
{
	struct pd_arena arena = { 0 };
	size_t expected = 0;
	for (unsigned i = 0; i < 40; i++) {
		size_t size = (size_t)1 << (i % 18);
		char *p = pd_arena_alloc(&arena, size);
		if (p) {
			memset(p, 1, size);
			expected += size;
		}
	}
	CHECK(arena.total >= expected);
	pd_arena_release(&arena);
	CHECK_EQ(arena.total, 0);
}

static void test_arena_failures(void)
{
	int n = 0;
	while (alloc_fail_run(n, work_arena))
		n++;
	CHECK(n > 3);
}

static void test_error(void)
{
	struct perfdata_error error;
	CHECK(pd_error(NULL, PERFDATA_EREAD, 5, "x") == PERFDATA_EREAD);
	CHECK(pd_error(&error, PERFDATA_EFORMAT, 12, "size %u\nof\t%s", 7u, "it") == PERFDATA_EFORMAT);
	CHECK_EQ(error.status, PERFDATA_EFORMAT);
	CHECK_EQ(error.offset, 12);
	CHECK_STR(error.message, "size 7 of it");
	char longer[500];
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	pd_error(&error, PERFDATA_EFORMAT, PERFDATA_NO_OFFSET, "%s", longer);
	CHECK_EQ(strlen(error.message), sizeof error.message - 1);
	pd_error_errno(&error, PERFDATA_EREAD, 1, ENOENT, "%s", longer);
	CHECK_EQ(strlen(error.message), sizeof error.message - 1);
	CHECK(pd_error_errno(&error, PERFDATA_EREAD, 1, ENOENT, "cannot open") == PERFDATA_EREAD);
	CHECK_STR(error.message, "cannot open: No such file or directory");
	CHECK(pd_error_errno(NULL, PERFDATA_EREAD, 1, ENOENT, "cannot open") == PERFDATA_EREAD);
}

static void test_status(void)
{
	CHECK_STR(perfdata_status_text(PERFDATA_ENOMEM), "out of memory");
	CHECK_STR(perfdata_status_text((enum perfdata_status)99), "unknown status");
	unsigned last = 0;
	for (size_t i = 0; perfdata_finding_at(i); i++) {
		const struct perfdata_finding_info *info = perfdata_finding_at(i);
		CHECK(info->code > last && info->name[0] && info->meaning[0] && info->advice[0]);
		CHECK(perfdata_finding_lookup(info->code) == info);
		last = info->code;
	}
	CHECK(perfdata_finding_lookup(0) == NULL);
}

static void test_hash(void)
{
	/* The same bytes at any alignment; every length differs; every bit matters. */
	uint8_t bytes[144] = { 0 }, moved[152] = { 0 };
	for (size_t size = 0; size <= 100; size++) {
		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t)random64();
		uint64_t h = pd_hash_bytes(bytes, size, 1);
		memcpy(moved + 3, bytes, size);
		CHECK_EQ(pd_hash_bytes(moved + 3, size, 1), h);
		CHECK(pd_hash_bytes(bytes, size, 2) != h);
		CHECK(pd_hash_bytes(bytes, size + 1, 1) != h);
		for (size_t bit = 0; bit < size * 8; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (pd_hash_bytes(bytes, size, 1) == h)
				FAIL("a bit does not matter");
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
	CHECK(pd_hash_bytes(NULL, 0, 0) == pd_hash_bytes(bytes, 0, 0));
	CHECK(pd_hash_seed(NULL) != 0);
	CHECK(pd_hash_seed(bytes) != pd_hash_seed(moved));
}

#define MODEL 512

/* Against a plain array: keys 0 … 511 (times a stride that makes neighbours collide if the hash is poor). */
static void map_against_model(uint64_t stride)
{
	struct pd_hash_map map = { 0 };
	uint64_t model[MODEL], value;
	bool present[MODEL] = { false };
	size_t count = 0;
	for (unsigned step = 0; step < 20000; step++) {
		uint64_t i = random64() % MODEL;
		uint64_t key = i * stride;
		if (random64() % 3) {
			model[i] = random64();
			CHECK(pd_hash_map_put(&map, key, model[i]) == 0);
			count += !present[i];
			present[i] = true;
		} else {
			CHECK(pd_hash_map_remove(&map, key) == present[i]);
			count -= present[i];
			present[i] = false;
		}
		CHECK_EQ(map.count, count);
	}
	for (uint64_t i = 0; i < MODEL; i++) {
		bool found = pd_hash_map_get(&map, i * stride, &value);
		CHECK(found == present[i] && (!found || value == model[i]));
	}
	size_t position = 0, seen = 0;
	uint64_t key;
	while (pd_hash_map_each(&map, &position, &key, &value)) {
		CHECK(key % stride == 0 && key / stride < MODEL && present[key / stride] &&
		      model[key / stride] == value);
		seen++;
	}
	CHECK_EQ(seen, count);
	CHECK(!pd_hash_map_each(&map, &position, &key, &value));
	pd_hash_map_release(&map);
	CHECK(map.count == 0 && !pd_hash_map_get(&map, 1, &value));
}

static void test_map(void)
{
	struct pd_hash_map map = { 0 };
	uint64_t value = 5;
	size_t position = 0;
	CHECK(!pd_hash_map_get(&map, 0, &value) && value == 5);
	CHECK(!pd_hash_map_remove(&map, 0));
	CHECK(!pd_hash_map_each(&map, &position, &value, &value));
	pd_hash_map_release(&map);
	map_against_model(1);
	map_against_model(1ull << 20);
	map_against_model(0x100000001ull);
	map_against_model(UINT64_MAX / MODEL);

	CHECK(pd_hash_map_put(&map, UINT64_MAX, 1) == 0 && pd_hash_map_get(&map, UINT64_MAX, &value) && value == 1);
	alloc_fail_countdown = 0;
	int failed = 0;
	for (uint64_t i = 0; i < 100; i++)
		failed += pd_hash_map_put(&map, i, i) < 0;
	CHECK_EQ(failed, 1);
	CHECK_EQ(map.count, 100);
	pd_hash_map_release(&map);
}

/* --- index --- */

#define ENTRIES 3000u
static uint64_t entry_hashes[ENTRIES];

static int same_number(const void *user, uint32_t index, const void *key)
{
	(void)user;
	return index == *(const uint32_t *)key;
}

/* Entries first that are alike in `kept` bits of their hashes and crowd around `place`, across the end of the table if
 * the place is there. */
static void index_of(uint64_t kept, uint64_t place, bool dense)
{
	struct pd_index index = { .dense = dense };
	for (uint32_t i = 0; i < ENTRIES; i++) {
		entry_hashes[i] = ((random64() & ~kept) | (place & kept)) & UINT32_MAX;
		const size_t before = index.capacity, most = dense ? before / 4 * 3 : before / 2;
		CHECK_EQ(pd_index_add(&index, entry_hashes[i], i), 0);
		CHECK_EQ(index.capacity, i == most ? before ? 2 * before : 64 : before);
		/* all are found after each growth, and some others are not */
		for (uint32_t k = 0; k <= i && (index.capacity != before || i + 1 == ENTRIES); k++) {
			const uint32_t other = k + ENTRIES;
			CHECK_EQ(pd_index_find(&index, entry_hashes[k], same_number, NULL, &k), k);
			CHECK_EQ(pd_index_find(&index, entry_hashes[k], same_number, NULL, &other), UINT32_MAX);
		}
	}
	CHECK_EQ(index.count, ENTRIES);
	pd_index_release(&index);
}

static void test_index(void)
{
	const uint64_t places[] = { 0, 1, 31, 0x7ffffff8, 0xffffffff, 0xfffffff0 };
	struct pd_index index = { 0 };
	uint32_t key = 0;
	CHECK_EQ(pd_index_find(&index, 0, same_number, NULL, &key), UINT32_MAX);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		for (int dense = 0; dense < 2; dense++) {
			index_of(0, places[i], dense);
			index_of(0xfffffff8, places[i], dense);
			index_of(0xf8, places[i], dense);
		}
	}
	for (key = 0; key < 32; key++)
		CHECK_EQ(pd_index_add(&index, key * 7, key), 0);
	alloc_fail_countdown = 0;
	CHECK_EQ(pd_index_add(&index, 0, key), -1);
	CHECK_EQ(index.count, 32);
	CHECK_EQ(pd_index_add(&index, key * 7, key), 0);
	for (key = 0; key <= 32; key++)
		CHECK_EQ(pd_index_find(&index, key * 7, same_number, NULL, &key), key);
	pd_index_release(&index);
}

static void test_intern(void)
{
	struct pd_intern *intern = pd_intern_new();
	CHECK(intern != NULL);
	CHECK_EQ(pd_intern_put(intern, "", 0), 0);
	CHECK_EQ(pd_intern_put(intern, "a", 1), 1);
	CHECK_EQ(pd_intern_put(intern, "a\0", 2), 2);
	CHECK_EQ(pd_intern_put(intern, "a", 1), 1);
	CHECK_EQ(pd_intern_put(intern, NULL, 0), 0);
	size_t size = 9;
	CHECK_STR(pd_intern_get(intern, 0, &size), "");
	CHECK_EQ(size, 0);
	CHECK_STR(pd_intern_get(intern, 1, NULL), "a");
	CHECK(!memcmp(pd_intern_get(intern, 2, &size), "a\0", 3) && size == 2);

	/* Ids follow the order of arrival, across all growth; nothing moves. */
	const char *early = pd_intern_get(intern, 1, NULL);
	char name[32];
	for (uint32_t i = 3; i < 50000; i++) {
		int n = snprintf(name, sizeof name, "name-%u", i);
		if (pd_intern_put(intern, name, (size_t)n) != i)
			FAIL("ids do not count up");
	}
	for (uint32_t i = 3; i < 50000; i++) {
		int n = snprintf(name, sizeof name, "name-%u", i);
		if (pd_intern_put(intern, name, (size_t)n) != i || strcmp(pd_intern_get(intern, i, &size), name) ||
		    size != (size_t)n)
			FAIL("a name was lost");
	}
	CHECK_EQ(pd_intern_count(intern), 50000);
	CHECK(pd_intern_get(intern, 1, NULL) == early);
	pd_intern_free(intern);
	pd_intern_free(NULL);
}

static void work_intern(void)
{
	struct pd_intern *intern = pd_intern_new();
	if (!intern)
		return;
	uint32_t added = 0;
	for (uint32_t i = 0; i < 2000; i++) {
		uint32_t id = pd_intern_put(intern, &i, sizeof i);
		if (id == UINT32_MAX)
			id = pd_intern_put(intern, &i, sizeof i);
		added += id == i && !memcmp(pd_intern_get(intern, id, NULL), &i, sizeof i);
	}
	CHECK_EQ(added, 2000);
	pd_intern_free(intern);
}

static void test_intern_failures(void)
{
	int n = 0;
	while (alloc_fail_run(n, work_intern))
		n++;
	CHECK(n > 10);
}

struct shared {
	struct pd_intern *intern;
	atomic_uint published;
	unsigned wrong;
};

/* Reads ids as soon as they are published, while the other thread keeps appending. */
static void *intern_reader(void *user)
{
	struct shared *shared = user;
	for (uint32_t seen = 0; seen < 20000;) {
		uint32_t until = atomic_load_explicit(&shared->published, memory_order_acquire);
		for (; seen < until; seen++) {
			size_t size;
			const char *bytes = pd_intern_get(shared->intern, seen, &size);
			shared->wrong += size != sizeof seen || memcmp(bytes, &seen, sizeof seen);
		}
	}
	return NULL;
}

static void test_intern_threads(void)
{
	struct shared shared = { .intern = pd_intern_new() };
	pthread_t thread;
	CHECK(pthread_create(&thread, NULL, intern_reader, &shared) == 0);
	for (uint32_t i = 0; i < 20000; i++) {
		if (pd_intern_put(shared.intern, &i, sizeof i) != i)
			FAIL("ids do not count up");
		atomic_store_explicit(&shared.published, i + 1, memory_order_release);
	}
	pthread_join(thread, NULL);
	CHECK_EQ(shared.wrong, 0);
	pd_intern_free(shared.intern);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "checked arithmetic", test_checked },
		{ "cursor", test_cursor },
		{ "memory", test_memory },
		{ "memory of slots", test_slots },
		{ "large memory", test_large_memory },
		{ "sixteen digits", test_hex16 },
		{ "vector", test_vector },
		{ "vector by the index of others", test_vector_by_index },
		{ "queue of findings", test_finding_queue },
		{ "ring between two threads", test_handoff },
		{ "ring: the consumer does the worker's work", test_taking_over },
		{ "arena", test_arena },
		{ "arena without memory", test_arena_failures },
		{ "error", test_error },
		{ "status and codes", test_status },
		{ "hash", test_hash },
		{ "map", test_map },
		{ "index", test_index },
		{ "intern", test_intern },
		{ "intern without memory", test_intern_failures },
		{ "intern read by another thread", test_intern_threads },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
