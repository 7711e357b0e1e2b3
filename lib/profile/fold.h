/* SPDX-License-Identifier: MIT */
/* Stacks by name, in which stacks with the same names are one, for example stacks that differ by an offset inside a
 * function. The user names the steps of stacks by labels: a label is a number that the user assigns to a distinct text
 * (or function). A frame may have several labels: that of the function that contains its address, then those of the
 * calls that are inlined there.
 *
 * Fill the fold from a profile, then take its lines in the order of the user's ranks. Data beyond the session's limit
 * of memory go to temporary files. */
#ifndef PD_FOLD_H
#define PD_FOLD_H

#include "profile/line_sums.h"
#include "profile/profile.h"

#define PD_FOLD_MAX_LABELS 80u

#define PD_FOLD_MAX_FRONT 2u
#define PD_FOLD_MAX_THREADS 8u   /* more would wait for each other */

struct pd_fold_options {
	/* Writes the labels before those of a key's stack, such as an event and a thread; *ret_nr: from 1 to
	 * PD_FOLD_MAX_FRONT. They depend on event and comm alone. */
	enum perfdata_status (*front)(void *user, const struct pd_profile_key *key, uint32_t *labels, size_t *ret_nr);
	/* Writes the labels of a node's frame, outermost first; *ret_nr: their number, from 1 to PD_FOLD_MAX_LABELS.
	 * Called once for each (frame, origin, address without frame), and again if memory is short or two threads need
	 * them at once. `thread`: below PD_FOLD_MAX_THREADS, of the calling thread. */
	enum perfdata_status (*labels)(void *user, unsigned thread, const struct pd_profile_node *node,
				       uint32_t *labels, size_t *ret_nr);
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
	/* Threads that fill and sort; with a choice only one fills. More than 1: they call `front` and `labels` at the
	 * same time. The lines do not depend on it. */
	unsigned threads;
};

struct pd_fold;
enum perfdata_status pd_fold_new(struct pd_profile *profile, const struct pd_fold_options *options,
				 struct pd_fold **ret);
void pd_fold_free(struct pd_fold *fold);
/* Adds all keys of the profile, and sorts the lines; call it once. */
enum perfdata_status pd_fold_fill(struct pd_fold *fold);
/* Returns the labels and the weight of the next line. PERFDATA_END: there are no more lines. */
enum perfdata_status pd_fold_next(struct pd_fold *fold, struct pd_line *ret);

#endif
