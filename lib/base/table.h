/* SPDX-License-Identifier: MIT */
/* An append-only table whose entries never move. One thread appends; any thread reads entries whose index it was passed
 * (with a memory barrier). Segments double, so that one shift finds the segment of an index. */
#ifndef PD_TABLE_H
#define PD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PD_TABLE_FIRST_SHIFT 6
#define PD_TABLE_SEGMENTS (32 - PD_TABLE_FIRST_SHIFT)

struct pd_table {
	char *segments[PD_TABLE_SEGMENTS];
	size_t item_size;
	uint32_t count;
};

static inline void *pd_table_at(const struct pd_table *table, uint32_t index)
{
	/* segment k holds 64 << k items and begins at index 64 * (2^k - 1) */
	uint32_t shifted = (index >> PD_TABLE_FIRST_SHIFT) + 1;
	unsigned segment = 31u - (unsigned)__builtin_clz(shifted);
	uint32_t first = ((1u << segment) - 1) << PD_TABLE_FIRST_SHIFT;
	return table->segments[segment] + (size_t)(index - first) * table->item_size;
}

/* Number of entries, for threads that only read. */
static inline uint32_t pd_table_count(const struct pd_table *table)
{
	return __atomic_load_n(&table->count, __ATOMIC_RELAXED);
}

/* Appends a cleared entry and returns it; *ret_index is its index. NULL: no memory, or 2^31 entries exist. */
void *pd_table_add(struct pd_table *table, uint32_t *ret_index);
void pd_table_release(struct pd_table *table);

/* A set of indexes into a table, found by the hash of the entry's content. */
struct pd_index {
	struct pd_index_slot {
		uint32_t hash;
		uint32_t value;       /* index + 1; 0: free */
	} *slots;                     /* hash and value are in one cache line */
	size_t count, capacity;       /* capacity: a power of two; at least a quarter of the slots is free */
	bool dense;                   /* grows when 3/4 of the slots are in use, not half; set it if memory is short */
};
typedef int pd_index_equal(const void *user, uint32_t index, const void *key);
/* Returns the index whose entry equals key, or UINT32_MAX. */
uint32_t pd_index_find(const struct pd_index *index, uint64_t hash, pd_index_equal *equal, const void *user,
		       const void *key);
int pd_index_add(struct pd_index *index, uint64_t hash, uint32_t value);   /* 0, or -1 without memory */
void pd_index_release(struct pd_index *index);

#endif
