/* SPDX-License-Identifier: MIT */
/* Sorting the keys of waiting records. */
#ifndef PD_ORDER_SORT_H
#define PD_ORDER_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pd_key {
	uint64_t time;
	uint32_t slot;
	uint32_t sequence;   /* grows with each record, and wraps around */
};

/* Where the ascending run that starts at `from` ends. */
size_t pd_keys_run_end(const struct pd_key *keys, size_t from, size_t count);
/* Sorts by time, stably: equal times stay in the order of their sequence numbers. `spare` has room for `count` keys.
 * True if the result is in `spare`, false if in `keys`. */
bool pd_keys_sort(struct pd_key *keys, struct pd_key *spare, size_t count);
/* Merges two sorted lists; at equal times the keys of `a` come first. `b` may overlap the end of `out`. */
void pd_keys_merge(const struct pd_key *a, size_t nr_a, const struct pd_key *b, size_t nr_b, struct pd_key *out);

#endif
