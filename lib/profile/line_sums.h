/* SPDX-License-Identifier: MIT */
/* Sums of weights by sequence of labels, sorted: lines of labels, as `folded` writes them. Labels are numbers of texts.
 * Sequences are sorted by ranks of labels, so no text is compared or made before it is written. Beyond the limit of
 * memory, sorted runs go to a temporary file, in which a line has only the labels that differ from the line before; the
 * walk over the sums merges the runs. Different threads may fill different sums; each sums has one thread at a time. */
#ifndef PD_LINE_SUMS_H
#define PD_LINE_SUMS_H

#include "base/account.h"

/* A label has two ranks: before another label, and as the last label of a line. */
struct pd_label_ranks {
	uint32_t nr_labels;
	const uint32_t *ranks;       /* ranks[2 * label + is_last], each below 2 * nr_labels; borrowed */
};
struct pd_line_order {
	/* Ranks all labels so far. Called before each sort, since later labels change ranks; but the order of two
	 * labels must stay the same. PERFDATA_ENOMEM. */
	enum perfdata_status (*rank)(void *user, struct pd_label_ranks *ret);
	void *user;
};
struct pd_line {
	const uint32_t *labels;      /* valid until the next call */
	size_t nr;
	uint64_t weight;             /* sums saturate */
};

struct pd_line_sums;
/* order: NULL for lines that other sums will take over; they stay in memory. NULL without memory. */
struct pd_line_sums *pd_line_sums_new(struct pd_account *account, const struct pd_line_order *order);
void pd_line_sums_free(struct pd_line_sums *sums);
/* Adds weight to a sequence of labels; nr: not 0. PERFDATA_ENOMEM, PERFDATA_EWRITE. */
enum perfdata_status pd_line_sums_add(struct pd_line_sums *sums, const uint32_t *labels, size_t nr, uint64_t weight);
/* Adds the lines of sums without an order, which are empty then. PERFDATA_ENOMEM. */
enum perfdata_status pd_line_sums_take_over(struct pd_line_sums *sums, struct pd_line_sums *more);
/* Sorts the lines, in up to `threads` threads; call it after the last line was added. */
enum perfdata_status pd_line_sums_sort(struct pd_line_sums *sums, unsigned threads);
/* Returns the next line. PERFDATA_END: there are no more lines; PERFDATA_EREAD. */
enum perfdata_status pd_line_sums_next(struct pd_line_sums *sums, struct pd_line *ret);

#endif
