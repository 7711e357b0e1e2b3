/* SPDX-License-Identifier: MIT */
/* lib/emit/profiles/pprof_ranges: the tree finds the first mapping that holds an address, as looking at each does. */
#include "config.h"
#include "unit.h"
#include "base/hash.h"
#include "emit/profiles/pprof_ranges.h"

enum { GROUPS = 3, MOST_SEEN = 200, ADDRESSES = 300 };

static uint64_t state;
static size_t nr_found;

static uint64_t below(uint64_t limit) { return pd_hash_u64(++state, 28) % limit; }

/* One by one. */
static uint32_t first_holder(const struct pprof_seen *seen, const uint32_t *groups, size_t nr, bool by_offset,
			     uint32_t group, uint64_t address)
{
	for (size_t i = 0; i < nr; i++) {
		const uint64_t first = by_offset ? seen[i].offset : seen[i].start;
		if (groups[i] == group && address >= first && address - first < seen[i].end - seen[i].start)
			return (uint32_t)i;
	}
	return PPROF_NO_RANGE;
}

/* reach: how far apart mappings begin, so how many of them overlap. */
static void check_mappings(size_t nr, uint64_t reach, uint64_t size)
{
	struct pprof_seen seen[MOST_SEEN];
	uint32_t groups[MOST_SEEN];
	for (size_t i = 0; i < nr; i++) {
		const uint64_t start = 1000 + below(reach);
		seen[i] = (struct pprof_seen){ .start = start, .end = start + below(size), .offset = below(reach) };
		groups[i] = (uint32_t)below(GROUPS);
	}
	for (unsigned by_offset = 0; by_offset < 2; by_offset++) {
		struct pprof_ranges ranges = { .list = NULL };
		CHECK(pd_pprof_ranges_build(&ranges, seen, nr, groups, by_offset));
		for (unsigned i = 0; i < ADDRESSES; i++) {
			const uint64_t address = below(1000 + reach + size);
			const uint32_t group = (uint32_t)below(GROUPS + 1),
				       wanted = first_holder(seen, groups, nr, by_offset, group, address);
			CHECK_EQ(pd_pprof_ranges_find(&ranges, group, address), wanted);
			nr_found += wanted != PPROF_NO_RANGE;
		}
		pd_pprof_ranges_release(&ranges);
	}
}

static void test_first(void)
{
	for (size_t nr = 0; nr <= MOST_SEEN; nr += nr < 10 ? 1 : 19)
		for (uint64_t size = 1; size < 5000; size = size * 4 + 1)
			check_mappings(nr, 4000, size);
	check_mappings(MOST_SEEN, 20, 40);   /* nearly all hold each address */
	CHECK(nr_found > 2000);
}

/* A damaged recording has mappings up to the end of the address space, and beyond it. */
static void test_end_of_addresses(void)
{
	const struct pprof_seen seen[] = {
		{ .start = UINT64_MAX - 9, .end = UINT64_MAX },
		{ .start = UINT64_MAX - 99, .end = 50 },
		{ .start = 7, .end = 7 },
	};
	const uint32_t groups[] = { 0, 0, 0 };
	struct pprof_ranges ranges = { .list = NULL };
	CHECK(pd_pprof_ranges_build(&ranges, seen, 3, groups, false));
	CHECK_EQ(pd_pprof_ranges_find(&ranges, 0, UINT64_MAX - 5), 0);
	CHECK_EQ(pd_pprof_ranges_find(&ranges, 0, UINT64_MAX), 1);
	CHECK_EQ(pd_pprof_ranges_find(&ranges, 0, UINT64_MAX - 50), 1);
	CHECK_EQ(pd_pprof_ranges_find(&ranges, 0, 7), PPROF_NO_RANGE);
	pd_pprof_ranges_release(&ranges);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the first mapping that holds an address", test_first },
		{ "mappings up to the end of the address space", test_end_of_addresses },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
