/* SPDX-License-Identifier: MIT */
/* The report of one event at the end of a run: makes rows, groups of rows and trees from the sums of stacks. */
#ifndef PD_REPORT_EVENT_H
#define PD_REPORT_EVENT_H

#include "emit/report/report.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_place.h"
#include "emit/stacks/stack_head.h"

struct report_state {
	struct stack_gather gather;
	struct report_options options;
	const struct report_taker *taker;   /* NULL: rows become text */
	struct report_spans *spans;         /* replaces the profile if the options select spans; or NULL */
	struct stack_listener listener;
};

/* Sums of stacks at and below a label of the path that are not yet added to the labels above. */
struct pending {
	uint32_t label;
	uint64_t sum[2];
};

/* The state of `end`, which makes rows and trees after the last sample. */
struct report_writer {
	const struct report_state *state;
	struct report_head head;
	struct perfdata_text *out;
	struct stack_labels *labels;
	struct stack_place place;
	struct report_event event;
	uint32_t index;              /* of the event */
	size_t sums_room;
	struct report_sum *by_label; /* sums of rows, by label */
	size_t by_label_room;
	uint32_t *open;              /* by label: number of occurrences on the path */
	size_t open_room;
	struct pending *pending;     /* for each label of the path */
	size_t nr_pending, pending_room;
	struct report_row *comms;    /* rows for an event whose rows may become comms */
	size_t nr_comms, comms_room;
	uint32_t last_comm;
	/* with several keys: the keys of the current group of samples */
	struct pd_profile_key group;
	bool group_open;
	uint32_t *touched;           /* labels with sums in the group */
	size_t nr_touched, touched_room, rows_room;
	uint32_t *process_of;        /* by thread: the thread that names its process */
	bool failed;                 /* memory for `touched` ran out */
	struct pd_broken_stacks broken;
	unsigned nr_events;          /* events written so far */
	bool is_asked_for;           /* an event has the function of --callers or --callees */
};

enum perfdata_status pd_report_event_begin(struct report_writer *writer, uint32_t index);
/* Adds an entry of the event; of any event if rows are events. */
enum perfdata_status pd_report_add_entry(struct report_writer *writer, const struct pd_profile_entry *entry);
enum perfdata_status pd_report_write_event(struct report_writer *writer);
void pd_report_event_release(struct report_writer *writer);
void pd_report_add_sums(struct report_sum *sum, const struct pd_profile_sums *more);
/* A row that is not code. */
struct report_row pd_report_plain_row(const char *name);

#endif
