/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdlib.h>
#include "base/memory.h"
#include "base/search.h"
#include "emit/profiles/pprof_ranges.h"

/* The ranges of a group are a balanced tree: the middle one is the root. */
struct pprof_range {
	uint64_t first, last;
	uint64_t reach;              /* the largest `last` of the subtree whose root this is */
	uint32_t least;              /* the lowest index of the same subtree */
	uint32_t group, index;
};

static int compare_ranges(const void *left, const void *right)
{
	const struct pprof_range *a = left, *b = right;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Completes the subtree of the ranges from start to end, and returns its root; NULL: it is empty. The recursion is as
 * deep as the number of ranges has binary digits. */
static const struct pprof_range *complete_tree(struct pprof_range *list, size_t start, size_t end)
{
	if (start == end)
		return NULL;
	const size_t middle = start + (end - start) / 2;
	const struct pprof_range *const children[] = { complete_tree(list, start, middle),
						       complete_tree(list, middle + 1, end) };
	struct pprof_range *root = &list[middle];
	root->reach = root->last;
	root->least = root->index;
	for (size_t i = 0; i < 2; i++) {
		if (!children[i])
			continue;
		root->reach = children[i]->reach > root->reach ? children[i]->reach : root->reach;
		root->least = smaller(root->least, children[i]->least);
	}
	return root;
}

/* Returns where the group that begins at `start` ends. */
static size_t group_end(const struct pprof_ranges *ranges, size_t start)
{
	size_t end = start;
	while (end < ranges->nr && ranges->list[end].group == ranges->list[start].group)
		end++;
	return end;
}

bool pd_pprof_ranges_build(struct pprof_ranges *ranges, const struct pprof_seen *seen, size_t nr,
			   const uint32_t *groups, bool by_offset)
{
	struct pprof_range *list = pd_calloc(nr + 1, sizeof *list);
	if (!list)
		return false;
	pd_pprof_ranges_release(ranges);
	ranges->list = list;
	for (size_t i = 0; i < nr; i++) {
		const uint64_t first = by_offset ? seen[i].offset : seen[i].start, size = seen[i].end - seen[i].start;
		if (!size)
			continue;
		/* a damaged recording may have ranges beyond the end of the address space */
		const uint64_t last = first > UINT64_MAX - (size - 1) ? UINT64_MAX : first + size - 1;
		list[ranges->nr++] = (struct pprof_range){ .first = first, .last = last, .group = groups[i],
							   .index = (uint32_t)i };
	}
	qsort(list, ranges->nr, sizeof *list, compare_ranges);
	for (size_t start = 0, end; start < ranges->nr; start = end) {
		end = group_end(ranges, start);
		(void)complete_tree(list, start, end);
	}
	return true;
}

void pd_pprof_ranges_release(struct pprof_ranges *ranges)
{
	pd_free(ranges->list);
	*ranges = (struct pprof_ranges){ .list = NULL };
}

/* Returns the lowest index, below `best`, of a range from start to end that holds the address; else `best`. */
static uint32_t lowest_index(const struct pprof_range *list, size_t start, size_t end, uint64_t address, uint32_t best)
{
	if (start == end)
		return best;
	const size_t middle = start + (end - start) / 2;
	const struct pprof_range *root = &list[middle];
	if (root->reach < address || root->least >= best)
		return best;
	best = lowest_index(list, start, middle, address, best);
	if (root->first > address)
		return best;
	if (root->last >= address)
		best = smaller(best, root->index);
	return lowest_index(list, middle + 1, end, address, best);
}

uint32_t pd_pprof_ranges_find(const struct pprof_ranges *ranges, uint32_t group, uint64_t address)
{
	size_t start, end;
	PD_COUNT_BEFORE(start, ranges->nr, at, ranges->list[at].group < group);
	PD_COUNT_BEFORE(end, ranges->nr, at, ranges->list[at].group <= group);
	return lowest_index(ranges->list, start, end, address, PPROF_NO_RANGE);
}
