/* SPDX-License-Identifier: MIT */
/* The report of one event: adds the weight of each stack to its rows. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/checked.h"
#include "base/memory.h"
#include "emit/report/report_event.h"
#include "session/session.h"

void pd_report_add_sums(struct report_sum *sum, const struct pd_profile_sums *more)
{
	pd_sum_up(&sum->self[0], more->samples);
	pd_sum_up(&sum->self[1], more->weight);
}

/* Notes that a label has sums in the current group. */
static void touch_label(struct report_writer *writer, uint32_t label)
{
	if (writer->state->options.nr_keys == 1)
		return;
	if (pd_vector_grow(&writer->touched, &writer->touched_room, writer->nr_touched, sizeof *writer->touched) < 0)
		writer->failed = true;
	else
		writer->touched[writer->nr_touched++] = label;
}

/* Shortens the path to `nr` labels. Adds pending sums to the totals of the removed labels: once for a label that is on
 * the path several times. */
static void leave_labels(struct report_writer *writer, size_t nr)
{
	while (writer->nr_pending > nr) {
		const struct pending *last = &writer->pending[--writer->nr_pending];
		struct report_sum *sum = &writer->by_label[last->label];
		if (--writer->open[last->label] == 0) {
			if (!sum->total[0])
				touch_label(writer, last->label);
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
	leave_labels(writer, path.same_labels);
	const uint32_t nr_labels = pd_stack_labels_nr(writer->labels);
	if (pd_vector_reach(&writer->by_label, &writer->by_label_room, nr_labels, sizeof *writer->by_label) < 0 ||
	    pd_vector_reach(&writer->open, &writer->open_room, nr_labels, sizeof *writer->open) < 0 ||
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
	pd_report_add_sums(&writer->by_label[last->label], &entry->sums);
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
	if (pd_vector_reach(&writer->event.sums, &writer->sums_room, tree->nr, sizeof *writer->event.sums) < 0)
		return PERFDATA_ENOMEM;
	pd_report_add_sums(&writer->event.sums[node], &entry->sums);
	*ret_label = pd_stack_tree_label(tree, node);
	return PERFDATA_OK;
}

/* Whether broken stacks are counted: not if options begin stacks at a function, since the end of the stack is then
 * unknown. */
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
	/* returns the current path, without work */
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
	if (status != PERFDATA_OK)
		return status;
	const enum stack_kind kind = pd_stack_labels_get(writer->labels, label)->kind;
	uint64_t *sums = kind == STACK_NOT_IN_BUNDLE ? writer->event.not_in_bundle : writer->event.nameless;
	if (pd_stack_kind_is_nameless(kind)) {
		pd_sum_up(&sums[0], entry->sums.samples);
		pd_sum_up(&sums[1], entry->sums.weight);
	}
	return PERFDATA_OK;
}

static const char *comm_name(const struct report_state *state, uint32_t comm)
{
	return comm == PERFDATA_NONE ? "" : perfdata_session_comm(state->gather.session, comm);
}

static uint32_t comm_of(const struct report_state *state, const struct pd_profile_key *key)
{
	return state->options.last_names ? pd_profile_thread(state->gather.profile, key->thread)->comm : key->comm;
}

struct report_row pd_report_plain_row(const char *name)
{
	return (struct report_row){ .name = name, .file = "", .source = "", .kind = "", .comm = "", .who = "",
				    .cpu = "", .pid = -1, .tid = -1, .dso = PERFDATA_NONE };
}

/* Keys are sorted by comm, so equal comms are consecutive. */
static enum perfdata_status add_comm(struct report_writer *writer, const struct pd_profile_entry *entry)
{
	if (!writer->nr_comms || writer->last_comm != entry->key.comm) {
		if (pd_vector_grow(&writer->comms, &writer->comms_room, writer->nr_comms, sizeof *writer->comms) < 0)
			return PERFDATA_ENOMEM;
		writer->comms[writer->nr_comms++] = pd_report_plain_row(comm_name(writer->state, entry->key.comm));
		writer->last_comm = entry->key.comm;
	}
	pd_report_add_sums(&writer->comms[writer->nr_comms - 1].sum, &entry->sums);
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

/* Adds to rows by thread, comm, CPU or time. */
static enum perfdata_status add_key_row(struct report_writer *writer, const struct pd_profile_entry *entry)
{
	const struct report_state *state = writer->state;
	const struct pd_profile_thread *thread = NULL;
	struct report_row row = pd_report_plain_row("");
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
	case REPORT_WAKER:
	case REPORT_WAKEE:
	case REPORT_SYSCALL:
	case REPORT_EVENT:
	case REPORT_BYS:
		row.name = writer->event.name;
		break;
	}
	pd_report_add_sums(&row.sum, &entry->sums);
	return put_row(writer, &row);
}

static struct report_row stack_row(const struct report_writer *writer, uint32_t of)
{
	const struct stack_label *label = pd_stack_labels_get(writer->labels, of);
	struct report_row row = pd_report_plain_row(pd_stack_labels_string(writer->labels, label->name));
	row.file = pd_stack_labels_string(writer->labels, label->file);
	row.source = pd_stack_labels_string(writer->labels, label->source);
	row.line = writer->state->options.by == REPORT_LINE ? label->line : 0;
	row.kind = pd_report_is_by_wait(writer->state->options.by) ? "" : pd_report_kind_name(label->kind);
	row.dso = label->dso;
	row.sum = writer->by_label[of];
	return row;
}

/* Whether a label has a row. States have no callers, so with states only labels with self sums have one. */
static bool is_row(const struct report_writer *writer, const struct report_sum *sum)
{
	const uint64_t *sums = pd_report_is_by_wait(writer->state->options.by) ? sum->self : sum->total;
	return sums[0] || sums[1];
}

/* Makes a row for each label with samples. */
static enum perfdata_status make_stack_rows(struct report_writer *writer)
{
	struct report_event *event = &writer->event;
	const uint32_t nr = pd_stack_labels_nr(writer->labels);
	leave_labels(writer, 0);
	event->rows = pd_calloc(nr + 1u, sizeof *event->rows);
	if (!event->rows)
		return PERFDATA_ENOMEM;
	for (uint32_t i = 0; i < nr && i < writer->by_label_room; i++) {
		const struct report_sum *sum = &writer->by_label[i];
		if (is_row(writer, sum))
			event->rows[event->nr_rows++] = stack_row(writer, i);
	}
	event->has_totals = !pd_report_is_by_wait(writer->state->options.by);
	return PERFDATA_OK;
}

/* --- several keys ------------------------------------------------------------------------------------------------- */

struct process {
	int32_t pid;
	uint32_t thread;             /* the thread with most samples */
	uint64_t samples;
};

static int compare_threads(const void *left, const void *right)
{
	const struct process *a = left, *b = right;
	if (a->pid != b->pid)
		return a->pid > b->pid ? 1 : -1;
	return a->samples != b->samples ? (a->samples < b->samples ? 1 : -1) : a->thread > b->thread ? 1 : -1;
}

/* Names each process after its thread with most samples in the event. */
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

/* Sets the members that all rows of the current group share. False without memory. */
static bool set_group(const struct report_writer *writer, struct report_row *row)
{
	const struct report_state *state = writer->state;
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

/* Makes rows from the sums of the finished group. */
static enum perfdata_status end_group(struct report_writer *writer)
{
	enum perfdata_status status = PERFDATA_OK;
	leave_labels(writer, 0);
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
	struct report_row row = pd_report_plain_row("");
	pd_report_add_sums(&row.sum, &entry->sums);
	return set_group(writer, &row) ? put_row(writer, &row) : PERFDATA_ENOMEM;
}

static enum perfdata_status make_group_rows(struct report_writer *writer)
{
	const enum perfdata_status status = writer->group_open ? end_group(writer) : PERFDATA_OK;
	writer->event.has_totals = pd_report_is_by_stack(writer->state->options.by) &&
				   !pd_report_is_by_wait(writer->state->options.by);
	if (status == PERFDATA_OK)
		pd_report_join_rows(&writer->event, &writer->state->options);
	return status;
}

/* --- an event ----------------------------------------------------------------------------------------------------- */

/* Whether the event, not the program, determines which function executes at a sample. */
static bool has_fixed_place(const struct perfdata_event *event)
{
	enum { CONTEXT_SWITCHES = 3, CPU_MIGRATIONS = 4, CGROUP_SWITCHES = 11 };
	const struct perfdata_attr *attr = event->attr;
	return attr->type == PERFDATA_TYPE_TRACEPOINT ||
	       (attr->type == PERFDATA_TYPE_SOFTWARE &&
		(attr->config == CONTEXT_SWITCHES || attr->config == CPU_MIGRATIONS ||
		 attr->config == CGROUP_SWITCHES));
}

/* If all samples have one function, or the event determines the functions, functions say nothing: rows become comms. */
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
	const bool is_named = strcmp(most->kind, pd_report_kind_name(STACK_NO_NAME)) != 0 &&
			      strcmp(most->kind, pd_report_kind_name(STACK_NOT_IN_BUNDLE)) != 0;
	event->function = is_named ? most->name : NULL;
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

enum perfdata_status pd_report_write_event(struct report_writer *writer)
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

void pd_report_event_release(struct report_writer *writer)
{
	pd_stack_tree_release(&writer->event.tree);
	pd_free(writer->event.rows);
	pd_free(writer->event.sums);
	writer->event.rows = NULL;
	writer->event.sums = NULL;
	writer->sums_room = writer->nr_pending = writer->place.nr = writer->nr_comms = 0;
	writer->rows_room = writer->nr_touched = 0;
	writer->group_open = false;
	pd_broken_stacks_clear(&writer->broken);
	if (writer->by_label)
		memset(writer->by_label, 0, writer->by_label_room * sizeof *writer->by_label);
	if (writer->open)
		memset(writer->open, 0, writer->open_room * sizeof *writer->open);
}

enum perfdata_status pd_report_event_begin(struct report_writer *writer, uint32_t index)
{
	const struct report_state *state = writer->state;
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
	if (pd_report_is_by_stack(state->options.by) && !pd_report_is_by_wait(state->options.by) &&
	    tells_broken(writer))
		writer->event.broken = &writer->broken;
	/* a new route, since the new tree has no nodes of the old path */
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

enum perfdata_status pd_report_add_entry(struct report_writer *writer, const struct pd_profile_entry *entry)
{
	const struct report_state *state = writer->state;
	const enum perfdata_status status = state->options.nr_keys > 1		       ? add_to_group(writer, entry)
					    : pd_report_is_by_stack(state->options.by) ? add_stack(writer, entry)
										       : add_key_row(writer, entry);
	if (status != PERFDATA_OK || !state->options.by_default)
		return status;
	const struct perfdata_event *event = perfdata_reader_event(state->gather.reader, entry->key.event);
	return pd_samples_are_occurrences(event) ? add_comm(writer, entry) : PERFDATA_OK;
}
