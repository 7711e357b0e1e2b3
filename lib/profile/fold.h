/* SPDX-License-Identifier: MIT */
/* Stacks by name, in which stacks with the same names are one, for example stacks that differ by an offset inside a
 * function. The user names the steps of stacks by labels: a label is a number that the user assigns to a distinct text
 * (or function). A frame may have several labels: that of the function that contains its address, then those of the
 * calls that are inlined there.
 *
 * Fill the fold with the keys of a profile, sort it, then take its lines in the order of the user's ranks. Data beyond
 * the session's limit of memory go to temporary files. */
#ifndef PD_FOLD_H
#define PD_FOLD_H

#include "profile/line_sums.h"
#include "profile/profile.h"

#define PD_FOLD_MAX_LABELS 80u

struct pd_fold_options {
	/* Writes the labels of a node's frame, outermost first; *ret_nr: their number, from 1 to PD_FOLD_MAX_LABELS.
	 * Called once for each (frame, origin, address without frame), and again if memory is short. */
	enum perfdata_status (*labels)(void *user, const struct pd_profile_node *node, uint32_t *labels,
				       size_t *ret_nr);
	enum perfdata_status (*rank)(void *user, struct pd_label_ranks *ret);   /* see pd_line_order */
	void *user;
	/* Chooses the stacks that count; NULL: all. `sees` returns bits for a label, and `takes` decides by the bits of
	 * all labels of a stack whether the stack counts. If `root` is not 0, stacks begin at the first label with this
	 * bit. `sees` does not get the front labels. */
	const struct pd_fold_choice {
		unsigned (*sees)(void *user, uint32_t label);
		bool (*takes)(void *user, unsigned seen);
		unsigned root;
	} *choice;
};

struct pd_fold;
enum perfdata_status pd_fold_new(struct pd_profile *profile, const struct pd_fold_options *options,
				 struct pd_fold **ret);
void pd_fold_free(struct pd_fold *fold);

/* Adds weight to a stack after `nr` front labels, such as an event and a thread; nr: not 0. */
enum perfdata_status pd_fold_add(struct pd_fold *fold, const uint32_t *front, size_t nr, uint32_t node,
				 const struct pd_profile_sums *sums);
/* Sorts the lines; call it after the last pd_fold_add. */
enum perfdata_status pd_fold_sort(struct pd_fold *fold);
/* Returns the labels and the weight of the next line. PERFDATA_END: there are no more lines. */
enum perfdata_status pd_fold_next(struct pd_fold *fold, struct pd_line *ret);

#endif
