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
/* Sorts by time; equal times keep their order, which is that of the sequence. `spare` has room for as many. True if the
 * result stands there. */
bool pd_keys_sort(struct pd_key *keys, struct pd_key *spare, size_t count);
/* Merges two sorted lists; of equal times those of `a` come first. `b` may stand where the end of the output will
 * be. */
void pd_keys_merge(const struct pd_key *a, size_t nr_a, const struct pd_key *b, size_t nr_b, struct pd_key *out);

#endif
