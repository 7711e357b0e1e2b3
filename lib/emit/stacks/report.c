/* SPDX-License-Identifier: MIT */
/* `report`: where the time goes, or where and how often something happened: text for people at a terminal, JSON, CSV.
 * One block for each event: weights of several are never added up. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "emit/emitters.h"
#include "emit/stacks/report.h"
#include "emit/stacks/report_spans.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_place.h"
#include "emit/stacks/stack_text.h"
#include "session/session.h"

struct state {
	struct stack_gather gather;
	struct report_options options;
	const struct report_taker *taker;   /* or NULL: the rows become text */
	struct report_spans *spans;         /* in place of the profile, where spans are asked for; or NULL */
	perfdata_finding_fn *on_finding;
	void *user;                         /* for on_finding */
};

/* Source positions need the debug information, and the text shows positions only by line. */
static bool shows_sources(const struct report_options *report)
{
	return report->by == REPORT_LINE || report->form != REPORT_TEXT;
}

/* What distinguishes samples of different rows, beside their stacks: enum pd_profile_parts. */
static uint32_t part_of(const struct report_options *options, enum report_by key)
{
	return key == REPORT_THREAD || key == REPORT_PROCESS ? PD_BY_THREAD
	       : key == REPORT_COMM			     ? (options->last_names ? PD_BY_THREAD : PD_BY_COMM)
	       : key == REPORT_CPU			     ? PD_BY_CPU
							     : 0;
}

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	struct state *state = pointer;
	struct pd_profile_options wanted = { .by_period = true };
	if (!pd_report_read_options(context, &state->options))
		return PERFDATA_EUSAGE;
	if (pd_report_spans_asked(context->options, context->nr_options))
		return pd_report_spans_new(context, &state->spans, out);
	const enum report_by by = state->options.by;
	for (unsigned i = 0; i < state->options.nr_keys; i++)
		wanted.parts |= part_of(&state->options, state->options.keys[i]);
	wanted.parts_of_occurrences = state->options.by_default ? PD_BY_COMM : 0;
	const bool no_functions = by == REPORT_DSO || by == REPORT_BUILD_ID || by == REPORT_STATE;
	wanted.names = no_functions								? PD_NAMES_NONE
		       : state->options.inlines || shows_sources(&state->options) ? PD_NAMES_LINES
										  : PD_NAMES_SYMBOLS;
	state->taker = context->emitter_user;
	state->on_finding = context->on_finding;
	state->user = context->user;
	if (state->options.form == REPORT_CSV && !context->shared_output)
		pd_report_csv_head(&state->options, out);
	return pd_stack_gather_begin(&state->gather, context, &wanted);
}

static void release(void *pointer)
{
	struct state *state = pointer;
	if (state)
		pd_report_spans_free(state->spans);
	pd_stack_release(state);
}

STACK_BEGIN(set_up, release)

static enum perfdata_status configure(void *user, struct perfdata_configuration *configuration)
{
	return pd_report_spans_asked(configuration->options, configuration->nr_options)
		       ? pd_report_spans_configure(configuration)
		       : pd_stack_configure(user, configuration);
}

static enum perfdata_status format(const void *pointer, const struct perfdata_batch *batch, void *value,
				   struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct state *state = pointer;
	return state->spans ? pd_report_spans_format(state->spans, batch, ret_part)
			    : pd_stack_gather_format(pointer, batch, value, scratch, out, ret_part);
}

static enum perfdata_status merge(void *pointer, void *part, struct perfdata_text *out)
{
	struct state *state = pointer;
	return state->spans ? pd_report_spans_merge(state->spans, part) : pd_stack_gather_merge(pointer, part, out);
}

/* --- one event ---------------------------------------------------------------------------------------------------- */

/* Sums of stacks at and below a label of the path, not yet added to the labels above. */
struct pending {
	uint32_t label;
	uint64_t sum[2];
};

/* The state of `end`, which makes rows and trees after the last sample. */
struct report_writer {
	const struct state *state;
	struct report_head head;
	struct perfdata_text *out;
	struct stack_labels *labels;
	struct stack_place place;
	struct report_event event;
	uint32_t index;              /* the event's */
	size_t sums_room;
	struct report_sum *by_label; /* sums of a list of rows, by label */
	size_t by_label_room;
	uint32_t *open;              /* by label: how often it is on the path */
	size_t open_room;
	struct pending *pending;     /* for each label of the path */
	size_t nr_pending, pending_room;
	struct report_row *comms;    /* of an event whose rows may be comms */
	size_t nr_comms, comms_room;
	uint32_t last_comm;
	/* with several keys: the keys of the samples at hand, which the rows of one group have in common */
	struct pd_profile_key group;
	bool group_open;
	uint32_t *touched;           /* labels that have sums in the group */
	size_t nr_touched, touched_room, rows_room;
	uint32_t *process_of;        /* by thread: the thread that the process is called by */
	bool failed;                 /* there was no memory for `touched` */
	struct stack_broken broken;
	unsigned nr_events;          /* events written so far */
	bool is_asked_for;           /* an event has a function that --callers or --callees names */
};

static void add_sums(struct report_sum *sum, const struct pd_profile_sums *more)
{
	pd_sum_up(&sum->self[0], more->samples);
	pd_sum_up(&sum->self[1], more->weight);
}

/* Makes room for index `last`; new items are zero. */
static bool make_room(void *items_pointer, size_t *room, size_t last, size_t size)
{
	const size_t before = *room;
	if (pd_vector_grow(items_pointer, room, last, size) < 0)
		return false;
	if (*room > before)
		memset(*(char **)items_pointer + before * size, 0, (*room - before) * size);
	return true;
}

/* Notes that a label gets sums. */
static void touch(struct report_writer *writer, uint32_t label)
{
	if (writer->state->options.nr_keys == 1)
		return;
	if (pd_vector_grow(&writer->touched, &writer->touched_room, writer->nr_touched, sizeof *writer->touched) < 0)
		writer->failed = true;
	else
		writer->touched[writer->nr_touched++] = label;
}

/* Leaves the path down to so many labels: adds pending sums to the totals of the labels that are left; a label that is
 * on the path several times gets them once. */
static void leave(struct report_writer *writer, size_t nr)
{
	while (writer->nr_pending > nr) {
		const struct pending *last = &writer->pending[--writer->nr_pending];
		struct report_sum *sum = &writer->by_label[last->label];
		if (--writer->open[last->label] == 0) {
			if (!sum->total[0])
				touch(writer, last->label);
			pd_sum_up(&sum->total[0], last->sum[0]);
			pd_sum_up(&sum->total[1], last->sum[1]);
		}
		if (writer->nr_pending) {
			pd_sum_up(&writer->pending[writer->nr_pending - 1].sum[0], last->sum[0]);
			pd_sum_up(&writer->pending[writer->nr_pending - 1].sum[1], last->sum[1]);
		}
	}
}

static enum perfdata_status add_to_list(struct report_writer *writer, const struct pd_profile_entry *entry,
					uint32_t *ret_label)
{
	struct stack_path path;
	const enum perfdata_status status = pd_stack_route_to(writer->place.route, entry->key.node, &path);
	if (status != PERFDATA_OK)
		return status;
	leave(writer, path.same_labels);
	const uint32_t nr_labels = pd_stack_labels_nr(writer->labels);
	if (!make_room(&writer->by_label, &writer->by_label_room, nr_labels, sizeof *writer->by_label) ||
	    !make_room(&writer->open, &writer->open_room, nr_labels, sizeof *writer->open) ||
	    pd_vector_grow(&writer->pending, &writer->pending_room, path.nr_labels, sizeof *writer->pending) < 0)
		return PERFDATA_ENOMEM;
	while (writer->nr_pending < path.nr_labels) {
		const uint32_t label = path.labels[writer->nr_pending];
		writer->pending[writer->nr_pending++] = (struct pending){ .label = label };
		writer->open[label]++;
	}
	struct pending *last = &writer->pending[path.nr_labels - 1];
	pd_sum_up(&last->sum[0], entry->sums.samples);
	pd_sum_up(&last->sum[1], entry->sums.weight);
	add_sums(&writer->by_label[last->label], &entry->sums);
	*ret_label = last->label;
	return PERFDATA_OK;
}

static enum perfdata_status add_to_tree(struct report_writer *writer, const struct pd_profile_entry *entry,
					uint32_t *ret_label)
{
	struct stack_tree *tree = &writer->event.tree;
	uint32_t node;
	const enum perfdata_status status = pd_stack_place_make(&writer->place, tree, entry->key.node, &node);
	if (status != PERFDATA_OK)
		return status;
	if (!make_room(&writer->event.sums, &writer->sums_room, tree->nr, sizeof *writer->event.sums))
		return PERFDATA_ENOMEM;
	add_sums(&writer->event.sums[node], &entry->sums);
	*ret_label = pd_stack_tree_label(tree, node);
	return PERFDATA_OK;
}

/* Where stacks begin at a function, nothing can be said of their ends. */
static bool tells_broken(const struct report_writer *writer)
{
	return !pd_stack_choice_cuts(writer->state->gather.choice) &&
	       perfdata_reader_event(writer->state->gather.reader, writer->index)->attr->sample_type &
		       PERFDATA_SAMPLE_CALLCHAIN;
}

static enum perfdata_status note_broken(struct report_writer *writer, const struct pd_profile_entry *entry)
{
	struct stack_path path;
	if (!tells_broken(writer))
		return PERFDATA_OK;
	/* the route is there already */
	const enum perfdata_status status = pd_stack_route_to(writer->place.route, entry->key.node, &path);
	if (status != PERFDATA_OK)
		return status;
	return pd_stack_broken_add(&writer->broken, writer->state->gather.session, &path, entry->sums.samples)
		       ? PERFDATA_OK
		       : PERFDATA_ENOMEM;
}

static enum perfdata_status add_stack(struct report_writer *writer, const struct pd_profile_entry *entry)
{
	uint32_t label = 0;
	const bool in_list = writer->state->options.view == REPORT_LIST;
	enum perfdata_status status = in_list ? add_to_list(writer, entry, &label)
					      : add_to_tree(writer, entry, &label);
	if (status == PERFDATA_OK)
		status = note_broken(writer, entry);
	if (status == PERFDATA_OK && pd_stack_labels_get(writer->labels, label)->kind == STACK_NO_NAME) {
		pd_sum_up(&writer->event.nameless[0], entry->sums.samples);
		pd_sum_up(&writer->event.nameless[1], entry->sums.weight);
	}
	return status;
}

static const char *comm_name(const struct state *state, uint32_t comm)
{
	return comm == PERFDATA_NONE ? "" : perfdata_session_comm(state->gather.session, comm);
}

static uint32_t comm_of(const struct state *state, const struct pd_profile_key *key)
{
	return state->options.last_names ? pd_profile_thread(state->gather.profile, key->thread)->comm : key->comm;
}

/* A row that is no code. */
static struct report_row plain_row(const char *name)
{
	return (struct report_row){ .name = name, .file = "", .source = "", .kind = "", .comm = "", .who = "",
				    .cpu = "", .pid = -1, .tid = -1, .dso = PERFDATA_NONE };
}

/* Keys are sorted by comm, so keys with the same comm are consecutive. */
static enum perfdata_status add_comm(struct report_writer *writer, const struct pd_profile_entry *entry)
{
	if (!writer->nr_comms || writer->last_comm != entry->key.comm) {
		if (pd_vector_grow(&writer->comms, &writer->comms_room, writer->nr_comms, sizeof *writer->comms) < 0)
			return PERFDATA_ENOMEM;
		writer->comms[writer->nr_comms++] = plain_row(comm_name(writer->state, entry->key.comm));
		writer->last_comm = entry->key.comm;
	}
	add_sums(&writer->comms[writer->nr_comms - 1].sum, &entry->sums);
	return PERFDATA_OK;
}

/* NULL without memory. */
static const char *cpu_name(const struct report_writer *writer, uint32_t cpu)
{
	char number[16];
	snprintf(number, sizeof number, "%u", (unsigned)cpu);
	const uint32_t id = pd_stack_labels_intern(writer->labels, cpu == PERFDATA_NONE ? "unknown" : number);
	return id == UINT32_MAX ? NULL : pd_stack_labels_string(writer->labels, id);
}

static enum perfdata_status put_row(struct report_writer *writer, const struct report_row *row)
{
	if (pd_vector_grow(&writer->event.rows, &writer->rows_room, writer->event.nr_rows, sizeof *row) < 0)
		return PERFDATA_ENOMEM;
	writer->event.rows[writer->event.nr_rows++] = *row;
	return PERFDATA_OK;
}

/* Rows of what samples have beside their stack. */
static enum perfdata_status add_key_row(struct report_writer *writer, const struct pd_profile_entry *entry)
{
	const struct state *state = writer->state;
	const struct pd_profile_thread *thread = NULL;
	struct report_row row = plain_row("");
	switch (state->options.by) {
	case REPORT_THREAD:
	case REPORT_PROCESS:
		thread = pd_profile_thread(state->gather.profile, entry->key.thread);
		row.pid = thread->pid;
		row.tid = state->options.by == REPORT_THREAD ? thread->tid : -1;
		row.name = comm_name(state, thread->comm);
		break;
	case REPORT_COMM:
		row.name = comm_name(state, comm_of(state, &entry->key));
		break;
	case REPORT_CPU:
		row.name = cpu_name(writer, entry->key.cpu);
		if (!row.name)
			return PERFDATA_ENOMEM;
		break;
	case REPORT_SYMBOL:
	case REPORT_DSO:
	case REPORT_LINE:
	case REPORT_BUILD_ID:
	case REPORT_STATE:
	case REPORT_EVENT:
	case REPORT_BYS:
		row.name = writer->event.name;
		break;
	}
	add_sums(&row.sum, &entry->sums);
	return put_row(writer, &row);
}

static struct report_row stack_row(const struct report_writer *writer, uint32_t of)
{
	const struct stack_label *label = pd_stack_labels_get(writer->labels, of);
	struct report_row row = plain_row(pd_stack_labels_string(writer->labels, label->name));
	row.file = pd_stack_labels_string(writer->labels, label->file);
	row.source = pd_stack_labels_string(writer->labels, label->source);
	row.line = writer->state->options.by == REPORT_LINE ? label->line : 0;
	row.kind = writer->state->options.by == REPORT_STATE ? "" : pd_report_kind_name(label->kind);
	row.dso = label->dso;
	row.sum = writer->by_label[of];
	return row;
}

/* A state has no callers: what weighs nothing by itself is none. */
static bool is_row(const struct report_writer *writer, const struct report_sum *sum)
{
	const uint64_t *sums = writer->state->options.by == REPORT_STATE ? sum->self : sum->total;
	return sums[0] || sums[1];
}

/* Makes a row for each label with samples. */
static enum perfdata_status make_stack_rows(struct report_writer *writer)
{
	struct report_event *event = &writer->event;
	const uint32_t nr = pd_stack_labels_nr(writer->labels);
	leave(writer, 0);
	event->rows = pd_calloc(nr + 1u, sizeof *event->rows);
	if (!event->rows)
		return PERFDATA_ENOMEM;
	for (uint32_t i = 0; i < nr && i < writer->by_label_room; i++) {
		const struct report_sum *sum = &writer->by_label[i];
		if (is_row(writer, sum))
			event->rows[event->nr_rows++] = stack_row(writer, i);
	}
	event->has_totals = writer->state->options.by != REPORT_STATE;
	return PERFDATA_OK;
}

/* --- several keys ------------------------------------------------------------------------------------------------- */

struct process {
	int32_t pid;
	uint32_t thread;             /* the heaviest one */
	uint64_t samples;
};

static int compare_threads(const void *left, const void *right)
{
	const struct process *a = left, *b = right;
	if (a->pid != b->pid)
		return a->pid > b->pid ? 1 : -1;
	return a->samples != b->samples ? (a->samples < b->samples ? 1 : -1) : a->thread > b->thread ? 1 : -1;
}

/* A process is called as its thread with most samples of the event. */
static enum perfdata_status name_processes(struct report_writer *writer, uint32_t event)
{
	struct pd_profile *profile = writer->state->gather.profile;
	const uint32_t nr = pd_profile_nr_threads(profile);
	struct pd_profile_walk *walk = NULL;
	const struct pd_profile_entry *entry;
	struct process *threads = pd_calloc(nr + 1u, sizeof *threads);
	pd_free(writer->process_of);
	writer->process_of = pd_calloc(nr + 1u, sizeof *writer->process_of);
	enum perfdata_status status = threads && writer->process_of ? pd_profile_walk_new(profile, &walk)
								    : PERFDATA_ENOMEM;
	for (uint32_t i = 0; threads && i < nr; i++)
		threads[i] = (struct process){ .pid = pd_profile_thread(profile, i)->pid, .thread = i };
	while (status == PERFDATA_OK && (status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK)
		if (entry->key.event == event)
			threads[entry->key.thread].samples += entry->sums.samples;
	if (status == PERFDATA_END) {
		status = PERFDATA_OK;
		if (nr)
			qsort(threads, nr, sizeof *threads, compare_threads);
		for (uint32_t i = 0, first = 0; i < nr; i++) {
			first = threads[i].pid == threads[first].pid ? first : i;
			writer->process_of[threads[i].thread] = threads[first].thread;
		}
	}
	pd_profile_walk_free(walk);
	pd_free(threads);
	return status;
}

/* Sets what rows of the group at hand have in common. False without memory. */
static bool set_group(const struct report_writer *writer, struct report_row *row)
{
	const struct state *state = writer->state;
	const struct report_options *options = &state->options;
	for (unsigned i = 0; i < options->nr_keys; i++) {
		const struct pd_profile_thread *thread;
		switch (options->keys[i]) {
		case REPORT_COMM:
			row->comm = comm_name(state, comm_of(state, &writer->group));
			break;
		case REPORT_CPU:
			row->cpu = cpu_name(writer, writer->group.cpu);
			break;
		case REPORT_THREAD:
			thread = pd_profile_thread(state->gather.profile, writer->group.thread);
			row->pid = thread->pid;
			row->tid = thread->tid;
			row->who = comm_name(state, thread->comm);
			break;
		case REPORT_PROCESS:
			thread = pd_profile_thread(state->gather.profile, writer->process_of[writer->group.thread]);
			row->pid = thread->pid;
			row->who = comm_name(state, thread->comm);
			break;
		default:
			break;
		}
	}
	return row->cpu;
}

/* Makes rows of the sums of a group, which is at its end. */
static enum perfdata_status end_group(struct report_writer *writer)
{
	enum perfdata_status status = PERFDATA_OK;
	leave(writer, 0);
	writer->group_open = false;
	if (writer->failed)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < writer->nr_touched && status == PERFDATA_OK; i++) {
		const uint32_t label = writer->touched[i];
		struct report_row row = stack_row(writer, label);
		if (is_row(writer, &row.sum))
			status = set_group(writer, &row) ? put_row(writer, &row) : PERFDATA_ENOMEM;
		writer->by_label[label] = (struct report_sum){ { 0 }, { 0 } };
	}
	writer->nr_touched = 0;
	return status;
}

static enum perfdata_status add_to_group(struct report_writer *writer, const struct pd_profile_entry *entry)
{
	const struct pd_profile_key *key = &entry->key, *group = &writer->group;
	enum perfdata_status status = PERFDATA_OK;
	if (writer->group_open && (key->thread != group->thread || key->comm != group->comm || key->cpu != group->cpu))
		status = end_group(writer);
	writer->group = *key;
	writer->group_open = true;
	if (status != PERFDATA_OK || pd_report_is_by_stack(writer->state->options.by))
		return status == PERFDATA_OK ? add_stack(writer, entry) : status;
	struct report_row row = plain_row("");
	add_sums(&row.sum, &entry->sums);
	return set_group(writer, &row) ? put_row(writer, &row) : PERFDATA_ENOMEM;
}

static enum perfdata_status make_group_rows(struct report_writer *writer)
{
	const enum perfdata_status status = writer->group_open ? end_group(writer) : PERFDATA_OK;
	writer->event.has_totals = pd_report_is_by_stack(writer->state->options.by) &&
				   writer->state->options.by != REPORT_STATE;
	if (status == PERFDATA_OK)
		pd_report_join_rows(&writer->event, &writer->state->options);
	return status;
}

/* --- an event ----------------------------------------------------------------------------------------------------- */

/* Whether it is the event that decides which function is executing when a sample is taken, and not the program. */
static bool has_fixed_place(const struct perfdata_event *event)
{
	enum { CONTEXT_SWITCHES = 3, CPU_MIGRATIONS = 4, CGROUP_SWITCHES = 11 };
	const struct perfdata_attr *attr = event->attr;
	return attr->type == PERFDATA_TYPE_TRACEPOINT ||
	       (attr->type == PERFDATA_TYPE_SOFTWARE &&
		(attr->config == CONTEXT_SWITCHES || attr->config == CPU_MIGRATIONS ||
		 attr->config == CGROUP_SWITCHES));
}

/* Where all samples have one function, or functions that belong to the event, they answer nothing: rows are comms. */
static void choose_rows(struct report_writer *writer)
{
	struct report_event *event = &writer->event;
	const struct report_row *most = NULL;
	size_t nr_selves = 0;
	for (size_t i = 0; i < event->nr_rows; i++) {
		if (!event->rows[i].sum.self[0])
			continue;
		if (!most || event->rows[i].sum.self[0] > most->sum.self[0])
			most = &event->rows[i];
		nr_selves++;
	}
	const struct perfdata_event *of = perfdata_reader_event(writer->state->gather.reader, writer->index);
	if (!writer->nr_comms || !most || (nr_selves > 1 && !has_fixed_place(of)))
		return;
	event->function = strcmp(most->kind, pd_report_kind_name(STACK_NO_NAME)) ? most->name : NULL;
	memcpy(event->of_function, most->sum.self, sizeof event->of_function);
	event->has_callers = (of->attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN) != 0;
	event->has_totals = false;
	event->by = REPORT_COMM;
	pd_free(event->rows);
	event->rows = writer->comms;
	event->nr_rows = writer->nr_comms;
	writer->comms = NULL;
	writer->nr_comms = writer->comms_room = 0;
	pd_report_join_rows(&writer->event, &writer->state->options);
}

static enum perfdata_status write_event(struct report_writer *writer)
{
	const struct report_options *asked = &writer->state->options;
	struct report_event *event = &writer->event;
	enum perfdata_status status = PERFDATA_OK;
	if (asked->nr_keys > 1)
		status = make_group_rows(writer);
	else if (pd_report_is_by_stack(asked->by) && asked->view == REPORT_LIST)
		status = make_stack_rows(writer);
	else if (pd_report_is_by_stack(asked->by))
		pd_report_add_up(&event->tree, event->sums);
	else
		pd_report_join_rows(&writer->event, &writer->state->options);
	if (status != PERFDATA_OK)
		return status;
	if (asked->by_default)
		choose_rows(writer);
	pd_report_sort_rows(asked, event->rows, event->nr_rows);
	pd_report_drop_small(asked, event);
	if (writer->state->taker)
		status = writer->state->taker->take(writer->state->taker->user, writer->state->gather.session, event);
	else if (asked->form == REPORT_JSON)
		pd_report_json_event(asked, event, !writer->nr_events, writer->out);
	else if (asked->form == REPORT_CSV)
		pd_report_csv_event(asked, &writer->head, event, writer->out);
	else if (asked->view == REPORT_LIST)
		pd_report_text_event(asked, event, writer->out);
	else if (!pd_report_text_tree(asked, event, writer->out))
		status = PERFDATA_ENOMEM;
	writer->is_asked_for |= event->is_asked_for;
	writer->nr_events++;
	return status;
}

static void event_release(struct report_writer *writer)
{
	pd_stack_tree_release(&writer->event.tree);
	pd_free(writer->event.rows);
	pd_free(writer->event.sums);
	writer->event.rows = NULL;
	writer->event.sums = NULL;
	writer->sums_room = writer->nr_pending = writer->place.nr = writer->nr_comms = 0;
	writer->rows_room = writer->nr_touched = 0;
	writer->group_open = false;
	pd_stack_broken_clear(&writer->broken);
	if (writer->by_label)
		memset(writer->by_label, 0, writer->by_label_room * sizeof *writer->by_label);
	if (writer->open)
		memset(writer->open, 0, writer->open_room * sizeof *writer->open);
}

static enum perfdata_status event_begin(struct report_writer *writer, uint32_t index)
{
	const struct state *state = writer->state;
	const struct perfdata_event *event = perfdata_reader_event(state->gather.reader, index);
	const struct pd_profile_sums *sums = pd_profile_event(state->gather.profile, index);
	writer->index = index;
	writer->event = (struct report_event){ .name = event->name,
					       .measure = perfdata_event_measure(event),
					       .weighs = pd_stack_weight_text(state->gather.session, event),
					       .by = state->options.by,
					       .labels = writer->labels };
	writer->event.tree.account = pd_profile_account(state->gather.profile);
	writer->event.all[0] = sums ? sums->samples : 0;
	writer->event.all[1] = sums ? sums->weight : 0;
	sums = pd_profile_event_whole(state->gather.profile, index);
	writer->event.whole[0] = sums ? sums->samples : 0;
	writer->event.whole[1] = sums ? sums->weight : 0;
	writer->event.is_part = state->gather.choice;
	writer->event.of = event;
	writer->event.session = state->gather.session;
	if (pd_report_is_by_stack(state->options.by) && state->options.by != REPORT_STATE && tells_broken(writer))
		writer->event.broken = &writer->broken;
	/* a new route: the tree has no nodes of the path yet */
	pd_stack_route_free(writer->place.route);
	writer->place.route = pd_stack_route_new(state->gather.profile, state->gather.session, writer->labels,
						 state->gather.choice);
	if (!writer->place.route ||
	    (state->gather.tells_cut && !pd_stack_route_tell_cut(writer->place.route)))
		return PERFDATA_ENOMEM;
	for (unsigned i = 0; state->options.nr_keys > 1 && i < state->options.nr_keys; i++)
		if (state->options.keys[i] == REPORT_PROCESS)
			return name_processes(writer, index);
	return PERFDATA_OK;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static enum perfdata_status add_entries(struct report_writer *writer, struct pd_profile_walk *walk)
{
	const struct pd_profile_entry *entry;
	const bool by_stack = pd_report_is_by_stack(writer->state->options.by),
		   one_block = writer->state->options.by == REPORT_EVENT,
		   by_default = writer->state->options.by_default, by_group = writer->state->options.nr_keys > 1;
	enum perfdata_status status;
	bool open = false;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK) {
		if (!open || (entry->key.event != writer->index && !one_block)) {
			if (open)
				status = write_event(writer);
			event_release(writer);
			open = true;
			if (status == PERFDATA_OK)
				status = event_begin(writer, entry->key.event);
		} else if (entry->key.event != writer->index) {
			const struct pd_profile_sums *sums = pd_profile_event(writer->state->gather.profile,
									      entry->key.event);
			writer->index = entry->key.event;
			pd_sum_up(&writer->event.all[0], sums->samples);
			pd_sum_up(&writer->event.whole[0],
				  pd_profile_event_whole(writer->state->gather.profile, entry->key.event)->samples);
			writer->event.name =
				perfdata_reader_event(writer->state->gather.reader, entry->key.event)->name;
		}
		if (status == PERFDATA_OK)
			status = by_group   ? add_to_group(writer, entry)
				 : by_stack ? add_stack(writer, entry)
					    : add_key_row(writer, entry);
		if (status == PERFDATA_OK && by_default && pd_samples_are_occurrences(
				perfdata_reader_event(writer->state->gather.reader, entry->key.event)))
			status = add_comm(writer, entry);
		if (status != PERFDATA_OK)
			return status;
	}
	if (status != PERFDATA_END)
		return status;
	if (open && one_block) {
		writer->event.name = "events";
		writer->event.measure = PERFDATA_MEASURE_COUNT;
		writer->event.all[1] = writer->event.all[0];
		writer->event.whole[1] = writer->event.whole[0];
		for (size_t i = 0; i < writer->event.nr_rows; i++)
			writer->event.rows[i].sum.self[1] = writer->event.rows[i].sum.self[0];
	}
	return open ? write_event(writer) : PERFDATA_OK;
}

/* Several events that count occurrences: writes the count of each event before the events' reports. */
static enum perfdata_status write_counts(struct report_writer *writer)
{
	const struct state *state = writer->state;
	const struct pd_profile *profile = state->gather.profile;
	struct report_event counts = { .name = "events",
				       .measure = PERFDATA_MEASURE_OCCURRENCES,
				       .by = REPORT_EVENT };
	size_t room = 0;
	for (uint32_t i = 0; i < pd_profile_nr_events(profile); i++) {
		const struct pd_profile_sums *sums = pd_profile_event(profile, i);
		const struct perfdata_event *event = perfdata_reader_event(state->gather.reader, i);
		if (!sums || perfdata_event_measure(event) != PERFDATA_MEASURE_OCCURRENCES)
			continue;
		if (pd_vector_grow(&counts.rows, &room, counts.nr_rows, sizeof *counts.rows) < 0) {
			pd_free(counts.rows);
			return PERFDATA_ENOMEM;
		}
		struct report_row *row = &counts.rows[counts.nr_rows++];
		*row = plain_row(event->name);
		add_sums(&row->sum, sums);
		pd_sum_up(&counts.all[0], sums->samples);
		pd_sum_up(&counts.all[1], sums->weight);
	}
	if (counts.nr_rows > 1) {
		pd_report_sort_rows(&state->options, counts.rows, counts.nr_rows);
		pd_report_text_event(&state->options, &counts, writer->out);
	}
	pd_free(counts.rows);
	return PERFDATA_OK;
}

static void report_absent_function(const struct report_writer *writer)
{
	const struct state *state = writer->state;
	struct perfdata_text text;
	perfdata_text_init(&text);
	perfdata_text_string(&text, state->options.view == REPORT_CALLERS ? "--callers " : "--callees ");
	perfdata_text_shortened(&text, state->options.function, 0);
	perfdata_text_literal(&text, ": nothing in the stacks is called so\0");
	const struct perfdata_finding finding = { .severity = PERFDATA_SEVERITY_NOTE,
						  .code = PERFDATA_FINDING_NO_FUNCTION,
						  .file = perfdata_reader_header(state->gather.reader)->name,
						  .offset = PERFDATA_NO_OFFSET,
						  .record = UINT64_MAX,
						  .message = perfdata_text_failed(&text) ? "" : text.data };
	if (state->on_finding)
		state->on_finding(state->user, &finding);
	perfdata_text_release(&text);
}

static enum perfdata_status write_report(struct report_writer *writer)
{
	const struct report_options *asked = &writer->state->options;
	struct pd_profile_walk *walk = NULL;
	enum perfdata_status status = pd_profile_walk_new(writer->state->gather.profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	if (asked->form == REPORT_JSON)
		pd_report_json_head(asked, &writer->head, writer->out);
	else if (asked->form == REPORT_TEXT && !writer->state->taker)
		pd_report_text_head(asked, &writer->head, writer->out);
	if (asked->by_default)
		status = write_counts(writer);
	if (status == PERFDATA_OK)
		status = add_entries(writer, walk);
	event_release(writer);
	pd_profile_walk_free(walk);
	if (status == PERFDATA_OK && asked->function && writer->nr_events && !writer->is_asked_for)
		report_absent_function(writer);
	if (asked->form == REPORT_JSON)
		pd_report_json_end(&writer->head, writer->out);
	else if (asked->form == REPORT_TEXT && !writer->state->taker && !writer->nr_events)
		pd_report_text_nothing(writer->state->gather.profile, &writer->head, writer->out);
	return status;
}

static enum perfdata_status end(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	const enum report_by by = state->options.by;
	struct report_writer writer = { .state = state, .out = out };
	if (state->spans)
		return pd_report_spans_end(state->spans, &state->options, end, out);
	writer.head = (struct report_head){ .end = end,
					    .first_document = true,
					    .choice = state->gather.choice,
					    .file = state->gather.shared_output
							    ? perfdata_reader_header(state->gather.reader)->name
							    : NULL };
	if (by == REPORT_STATE && !pd_session_span_facts(state->gather.session))
		return pd_error(end->reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"--by state: samples of simpleperf's --trace-offcpu do not say what threads did");
	enum perfdata_status status = pd_stack_gather_finish(&state->gather);
	writer.labels = pd_stack_labels_new(state->gather.session, by == REPORT_DSO	? STACK_BY_FILE
								: by == REPORT_LINE	? STACK_BY_LINE
								: by == REPORT_BUILD_ID ? STACK_BY_BUILD_ID
								: by == REPORT_STATE	? STACK_BY_STATE
											: STACK_BY_FUNCTION,
					 state->options.inlines, shows_sources(&state->options));
	if (!writer.labels)
		return PERFDATA_ENOMEM;
	if (status == PERFDATA_OK)
		status = write_report(&writer);
	pd_stack_route_free(writer.place.route);
	pd_stack_place_release(&writer.place);
	pd_free(writer.by_label);
	pd_free(writer.open);
	pd_free(writer.pending);
	pd_free(writer.comms);
	pd_free(writer.touched);
	pd_free(writer.process_of);
	pd_stack_broken_release(&writer.broken);
	pd_stack_labels_free(writer.labels);
	return pd_stack_ended(status, out);
}

const struct perfdata_emitter pd_emitter_report = {
	.name = "report",
	.task = PERFDATA_TASK_LOOK,
	.help = "where the time goes: functions, files, threads, … with their shares",
	.needs = STACK_GATHER_NEEDS | PERFDATA_NEED_CUT_STACKS,
	.configure = configure,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_LIGHT,
	.suffix = "txt",
	.option_rules = pd_report_rules,
	STACK_EMITTER_WITH(pd_report_options, release),
	.format = format,
	.merge = merge,
	.free_part = pd_profile_part_free,
};
