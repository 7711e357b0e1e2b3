/* SPDX-License-Identifier: MIT */
/* The data of a flame graph: the tree of functions, and how much of each event lies where, for a recording and for the
 * base that it is compared with. */
#ifndef PD_FLAME_DATA_H
#define PD_FLAME_DATA_H

#include "perfdata/emit.h"
#include "profile/profile.h"
#include "emit/flame/flame_threads.h"
#include "emit/stacks/stack_broken.h"
#include "emit/stacks/stack_choice.h"
#include "emit/stacks/stack_labels.h"
#include "emit/stacks/stack_tree.h"

/* A run whose samples are added up, by slices of time and threads. */
struct flame_run {
	const struct perfdata_session *session;
	const struct perfdata_reader *reader;
	struct pd_profile *profile;
	const struct perfdata_summary *summary;
};

struct flame_options {
	bool inlines;
	uint64_t slice;              /* ns, of both profiles */
	size_t max_nodes;            /* of the tree; beyond it the smallest nodes are dropped */
	struct stack_match match;    /* which functions of the bases correspond to which functions of the recording */
	const struct stack_choice *choice;   /* which stacks; or NULL */
	bool tells_cut;                      /* stacks that were cut begin at a box that says so */
};

struct flame_data;
/* `runs`: the recording and its repeat runs, nr[0] of them, then the bases, nr[1]: the runs of a side are added up. */
enum perfdata_status pd_flame_data_new(const struct flame_options *options, const struct flame_run *runs,
				       const size_t nr[2], struct flame_data **ret);
void pd_flame_data_free(struct flame_data *data);

/* Files of the bases that have other names in the recording, and the same build-ids. */
const struct pd_file_pair *pd_flame_data_pairs(const struct flame_data *data, size_t *ret_nr);
struct stack_tree *pd_flame_data_tree(struct flame_data *data);
const struct stack_labels *pd_flame_data_labels(const struct flame_data *data);
/* How many nodes were dropped; *ret_below: all of them have fewer samples than this. */
size_t pd_flame_data_left_out(const struct flame_data *data, uint64_t *ret_below);

/* Which stacks of the recording end too early in an event; NULL: nothing is known of that. */
const struct pd_broken_stacks *pd_flame_data_broken(const struct flame_data *data, uint32_t event);

/* --- rows, for the page --- */
struct flame_row {
	uint32_t thread, bin, node;
	uint32_t comm;               /* pd_stack_labels_string: the thread's name when the samples were taken */
	uint32_t cpu;                /* PERFDATA_NONE: unknown */
	uint64_t samples, weight;
};
/* The number of bins that the time of the recording is divided into (0: no sample has a time), and ns of each bin. Each
 * run has its time from its own beginning. */
uint32_t pd_flame_data_bins(const struct flame_data *data, uint64_t *ret_width);
/* When the first bin of the recording begins, ns as recorded. */
uint64_t pd_flame_data_begin(const struct flame_data *data);
/* The number of a thread of the recording (perfdata_delivery.thread) in the list of threads; UINT32_MAX: none. */
uint32_t pd_flame_data_thread_of(const struct flame_data *data, uint32_t thread);
/* All threads; rows have their numbers in this list. */
const struct flame_thread *pd_flame_data_threads(const struct flame_data *data, size_t *ret_nr);
/* The last name of such a thread, as the rows have it. */
uint32_t pd_flame_data_thread_comm(const struct flame_data *data, size_t thread);
/* Samples and weight of an event of the recording, and of the events of its repeat runs that have its name. */
struct pd_profile_sums pd_flame_data_event(const struct flame_data *data, uint32_t event);
/* Calls `take` with the sorted rows of such events (side 0), or those of the bases (side 1), one group of equal thread,
 * name, CPU and bin after the other; several runs may have the same groups. */
enum perfdata_status pd_flame_data_rows(struct flame_data *data, unsigned side, uint32_t event,
				     void (*take)(void *user, const struct flame_row *rows, size_t nr), void *user);
/* Adds samples and weight of a side's event to arrays with one element for each node of the tree; each array may be
 * NULL. */
enum perfdata_status pd_flame_data_sums(struct flame_data *data, unsigned side, uint32_t event, uint64_t *samples,
					uint64_t *weight);

/* --- how much of the recording and its bases is the same --- */
struct flame_match {
	double matched[2];           /* by side: the part of the weight in functions that both have */
	/* the largest file with samples in the base only, and the largest with samples in the recording only; NULL:
	 * none */
	const char *files[2];
};
enum perfdata_status pd_flame_data_matched(struct flame_data *data, uint32_t event, struct flame_match *ret);

#endif
