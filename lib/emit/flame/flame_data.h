/* SPDX-License-Identifier: MIT */
/* The data of a flame graph: a tree of functions, and the weight of each event in its nodes, for a recording and its
 * base. */
#ifndef PD_FLAME_DATA_H
#define PD_FLAME_DATA_H

#include "perfdata/emit.h"
#include "profile/profile.h"
#include "emit/flame/flame_threads.h"
#include "emit/stacks/stack_broken.h"
#include "emit/stacks/stack_choice.h"
#include "emit/stacks/stack_labels.h"
#include "emit/stacks/stack_tree.h"

/* A run whose samples are added up by time slice and thread. */
struct flame_run {
	const struct perfdata_session *session;
	const struct perfdata_reader *reader;
	struct pd_profile *profile;
	const struct perfdata_summary *summary;
};

struct flame_options {
	bool inlines;
	uint64_t slice;              /* ns, the same in all runs */
	size_t max_nodes;            /* limit of the tree's nodes: beyond it the smallest are dropped */
	struct stack_match match;    /* which functions of the bases correspond to functions of the recording */
	const struct stack_choice *choice;   /* which stacks to keep; NULL: all */
	bool tells_cut;                      /* a stack that was cut begins with a node that says so */
};

struct flame_data;
/* `runs`: the recording and its repeat runs (nr[0]), then the bases (nr[1]). The runs of a side are added up. */
enum perfdata_status pd_flame_data_new(const struct flame_options *options, const struct flame_run *runs,
				       const size_t nr[2], struct flame_data **ret);
void pd_flame_data_free(struct flame_data *data);

/* Files of the bases that have the same build-id but another name in the recording. */
const struct pd_file_pair *pd_flame_data_pairs(const struct flame_data *data, size_t *ret_nr);
struct stack_tree *pd_flame_data_tree(struct flame_data *data);
const struct stack_labels *pd_flame_data_labels(const struct flame_data *data);
/* Number of dropped nodes; *ret_below: each has fewer samples than this. */
size_t pd_flame_data_left_out(const struct flame_data *data, uint64_t *ret_below);

/* The stacks of an event of the recording that end too early; NULL: not known. */
const struct pd_broken_stacks *pd_flame_data_broken(const struct flame_data *data, uint32_t event);

/* --- rows, for the page --- */
struct flame_row {
	uint32_t thread, bin, node;
	uint32_t comm;               /* thread name at the time of the samples: pd_stack_labels_string */
	uint32_t cpu;                /* PERFDATA_NONE: unknown */
	uint64_t samples, weight;
};
/* Number of bins into which the time of a recording is divided (0: no sample has a time); *ret_width: ns of a bin. The
 * time of each run begins at 0. */
uint32_t pd_flame_data_bins(const struct flame_data *data, uint64_t *ret_width);
/* Start of the recording's first bin, in ns of the recording's clock. */
uint64_t pd_flame_data_begin(const struct flame_data *data);
/* Index in the list of threads of a thread of the recording (perfdata_delivery.thread); UINT32_MAX: none. */
uint32_t pd_flame_data_thread_of(const struct flame_data *data, uint32_t thread);
/* All threads. Rows have indexes of this list. */
const struct flame_thread *pd_flame_data_threads(const struct flame_data *data, size_t *ret_nr);
/* The last name of a thread in this list; a string as in the rows. */
uint32_t pd_flame_data_thread_comm(const struct flame_data *data, size_t thread);
/* Samples and weight of an event of the recording, plus those of the events with this name in its repeat runs. */
struct pd_profile_sums pd_flame_data_event(const struct flame_data *data, uint32_t event);
/* Calls `take` with the sorted rows of an event, of the recording (side 0) or of the bases (side 1). Each call has a
 * group of rows with equal thread, name, CPU and bin; several runs may have such a group. */
enum perfdata_status pd_flame_data_rows(struct flame_data *data, unsigned side, uint32_t event,
				     void (*take)(void *user, const struct flame_row *rows, size_t nr), void *user);
/* Adds the samples and weights of a side's event to arrays with one element for each node of the tree; an array may be
 * NULL. */
enum perfdata_status pd_flame_data_sums(struct flame_data *data, unsigned side, uint32_t event, uint64_t *samples,
					uint64_t *weight);

/* --- what the recording and its bases have in common --- */
struct flame_match {
	double matched[2];           /* by side: fraction of the weight in functions that both sides have */
	/* the largest file with samples in the base only, and in the recording only; NULL: none */
	const char *files[2];
};
enum perfdata_status pd_flame_data_matched(struct flame_data *data, uint32_t event, struct flame_match *ret);

#endif
