/* SPDX-License-Identifier: MIT */
/* `report`: where the time goes, or where and how often something happened: text for people at a terminal, JSON, CSV.
 * One block for each event: weights of several are never added up. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "emit/emitters.h"
#include "emit/stacks/report.h"
#include "emit/stacks/report_spans.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_place.h"
#include "emit/stacks/stack_text.h"

static const struct perfdata_emitter_option options[] = {
	{ .name = "by",
	  .kind = PERFDATA_OPTION_CHOICE,
	  .argument = "symbol|dso|comm|thread|process|cpu|event|line|build-id|state|waker|wakee|syscall",
	  .help = "what a row is; default symbol: a function of a file; in the text of tracepoints comm" },
	{ .name = "spans",
	  .kind = PERFDATA_OPTION_CHOICE,
	  .argument = REPORT_SPAN_KINDS,
	  .help = "how often and how long, by name: system calls, waits, locks, …" },
	{ .name = "callers",
	  .kind = PERFDATA_OPTION_TEXT,
	  .argument = "NAME",
	  .help = "who called the function, as a tree; * stands for any text" },
	{ .name = "callees",
	  .kind = PERFDATA_OPTION_TEXT,
	  .argument = "NAME",
	  .help = "what the function called, as a tree" },
	{ .name = "tree", .kind = PERFDATA_OPTION_FLAG, .help = "the stacks as a tree, callers above what they call" },
	{ .name = "top",
	  .kind = PERFDATA_OPTION_NUMBER,
	  .argument = "N",
	  .help = "at most N rows of an event; 0 is all; on a terminal 40 unless given" },
	{ .name = "sort",
	  .kind = PERFDATA_OPTION_CHOICE,
	  .argument = "self|total|samples|name",
	  .help = "order of the rows; default self" },
	{ .name = "weight",
	  .kind = PERFDATA_OPTION_CHOICE,
	  .argument = STACK_WEIGHTS,
	  .help = "what shares are of; default period, or wall where time off the CPU was recorded" },
	STACK_OPTIONS_STATE,
	{ .name = "min-percent",
	  .kind = PERFDATA_OPTION_TEXT,
	  .argument = "X",
	  .help = "leave out of trees what has less; default 0.5" },
	{ .name = "inline",
	  .kind = PERFDATA_OPTION_FLAG,
	  .help = "inlined functions are functions (default; --no-inline adds them to their caller)" },
	{ .name = "json", .kind = PERFDATA_OPTION_FLAG, .help = "answer as one JSON document" },
	{ .name = "csv", .kind = PERFDATA_OPTION_FLAG, .help = "answer as CSV" },
	{ .name = "color",
	  .kind = PERFDATA_OPTION_CHOICE,
	  .argument = "auto|always|never",
	  .help = "colours; default auto: on a terminal, unless NO_COLOR is set" },
	{ .name = "width",
	  .kind = PERFDATA_OPTION_NUMBER,
	  .argument = "N",
	  .help = "cut lines at N columns; 0 is no limit; default the terminal's width" },
	{ 0 },
};

static const struct perfdata_option_rule rules[] = {
	{ .name = "callers", .excludes = "callees|tree" },
	{ .name = "callees", .excludes = "tree" },
	{ .name = "min-percent", .needs = "tree|callers|callees" },
	{ .name = "sort", .excludes = "tree|callers|callees" },
	{ .name = "spans", .excludes = "callers|callees|tree|sort|weight|inline|min-percent" },
	{ .name = "state", .needs = "spans=off|spans=runq|" STACK_WEIGHS_OFF_CPU },
	{ .name = "state-frames", .needs = STACK_WEIGHS_OFF_CPU },
	{ .name = "json", .excludes = "csv|width|tree|callers|callees|color=always" },
	{ .name = "csv", .excludes = "width|tree|callers|callees|color=always" },
	{ 0 },
};

struct state {
	struct stack_gather gather;
	struct report_options options;
	const struct report_taker *taker;   /* or NULL: the rows become text */
	struct report_spans *spans;         /* in place of the profile, where spans are asked for; or NULL */
};

/* --- options ------------------------------------------------------------------------------------------------------ */

/* The place of a text in a list that a NULL ends. */
static unsigned place_in(const char *const *list, const char *text, unsigned otherwise)
{
	for (unsigned i = 0; text && list[i]; i++)
		if (!strcmp(list[i], text))
			return i;
	return otherwise;
}

static bool read_options(const struct perfdata_emit_context *context, struct report_options *ret)
{
	static const char *const bys[] = { "symbol", "dso",   "comm", "thread",   "process",
					   "cpu",    "event", "line", "build-id", NULL };
	static const char *const of_spans[] = { "state", "waker", "wakee", "syscall", NULL };
	static const char *const sorts[] = { "self", "total", "samples", "name", NULL };
	const struct perfdata_emitter_option_value *values = context->options;
	const size_t nr = context->nr_options;
	const char *callers = perfdata_option_text(values, nr, "callers"),
		   *callees = perfdata_option_text(values, nr, "callees");
	const char *least = perfdata_option_text(values, nr, "min-percent");
	char *end = NULL;
	*ret = (struct report_options){
		.by = place_in(bys, perfdata_option_text(values, nr, "by"), REPORT_SYMBOL),
		.sort = place_in(sorts, perfdata_option_text(values, nr, "sort"), REPORT_SORT_SELF),
		.view = callers                                           ? REPORT_CALLERS
			: callees                                         ? REPORT_CALLEES
			: perfdata_option_flag(values, nr, "tree", false) ? REPORT_TREE
									  : REPORT_LIST,
		.form = perfdata_option_flag(values, nr, "json", false)  ? REPORT_JSON
			: perfdata_option_flag(values, nr, "csv", false) ? REPORT_CSV
									 : REPORT_TEXT,
		.function = callers ? callers : callees,
		.top = perfdata_option_number(values, nr, "top", 0),
		.min_percent = least ? strtod(least, &end) : 0.5,
		.width = perfdata_option_number(values, nr, "width", 0),
		.inlines = perfdata_option_flag(values, nr, "inline", true),
		.by_samples = pd_stack_option_is(values, nr, "weight", "samples"),
		.color = pd_stack_option_is(values, nr, "color", "always"),
	};
	ret->by_default = !perfdata_option_text(values, nr, "by") && ret->view == REPORT_LIST &&
			  ret->form == REPORT_TEXT && ret->sort != REPORT_SORT_TOTAL;
	const char *wrong = NULL;
	const bool spans = pd_report_spans_asked(values, nr);
	if (!spans && place_in(of_spans, perfdata_option_text(values, nr, "by"), REPORT_BYS) != REPORT_BYS)
		wrong = "--by state, waker, wakee and syscall are of spans: --spans off";
	else if (least && (end == least || *end || !(ret->min_percent >= 0 && ret->min_percent <= 100)))
		wrong = "--min-percent takes a number from 0 to 100";
	else if (ret->view != REPORT_LIST && ret->by != REPORT_SYMBOL && ret->by != REPORT_DSO &&
		 ret->by != REPORT_LINE)
		wrong = "trees are of stacks: --by symbol, dso or line";
	/* a rule of options would let --no-inline pass */
	else if (perfdata_option_flag(values, nr, "inline", true) ==
			 perfdata_option_flag(values, nr, "inline", false) &&
		 ret->by != REPORT_SYMBOL && ret->by != REPORT_LINE && !spans)
		wrong = "--inline and --no-inline change nothing where rows are no functions: --by symbol or line";
	if (wrong)
		snprintf(context->reterr->message, sizeof context->reterr->message, "%s", wrong);
	return !wrong;
}

/* Positions in the source take reading the debug information, and the text shows none but those of lines. */
static bool shows_sources(const struct report_options *report)
{
	return report->by == REPORT_LINE || report->form != REPORT_TEXT;
}

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	struct state *state = pointer;
	struct pd_profile_options wanted = { .by_period = true };
	if (!read_options(context, &state->options))
		return PERFDATA_EUSAGE;
	if (pd_report_spans_asked(context->options, context->nr_options))
		return pd_report_spans_new(context, &state->spans, out);
	const enum report_by by = state->options.by;
	wanted.parts = by == REPORT_THREAD || by == REPORT_PROCESS ? PD_BY_THREAD
		       : by == REPORT_COMM                         ? PD_BY_COMM
		       : by == REPORT_CPU                          ? PD_BY_CPU
								   : 0;
	wanted.parts_of_occurrences = state->options.by_default ? PD_BY_COMM : 0;
	const bool of_files = by == REPORT_DSO || by == REPORT_BUILD_ID;
	wanted.names = of_files								? PD_NAMES_NONE
		       : state->options.inlines || shows_sources(&state->options) ? PD_NAMES_LINES
										  : PD_NAMES_SYMBOLS;
	state->taker = context->emitter_user;
	if (state->options.form == REPORT_CSV && !context->shared_output)
		pd_report_csv_head(out);
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

/* The state of `end`, which makes rows and trees behind the last sample. */
struct making {
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
	unsigned nr_events;          /* events written so far */
};

static bool is_by_stack(enum report_by by)
{
	return by == REPORT_SYMBOL || by == REPORT_DSO || by == REPORT_LINE || by == REPORT_BUILD_ID;
}

static void add_sums(struct report_sum *sum, const struct pd_profile_sums *more)
{
	sum->self[0] += more->samples;
	sum->self[1] += more->weight;
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

/* Leaves the path down to so many labels: adds pending sums to the totals of the labels that are left; a label that is
 * on the path several times gets them once. */
static void leave(struct making *making, size_t nr)
{
	while (making->nr_pending > nr) {
		const struct pending *last = &making->pending[--making->nr_pending];
		struct report_sum *sum = &making->by_label[last->label];
		if (--making->open[last->label] == 0) {
			sum->total[0] += last->sum[0];
			sum->total[1] += last->sum[1];
		}
		if (making->nr_pending) {
			making->pending[making->nr_pending - 1].sum[0] += last->sum[0];
			making->pending[making->nr_pending - 1].sum[1] += last->sum[1];
		}
	}
}

static enum perfdata_status add_to_list(struct making *making, const struct pd_profile_entry *entry,
					uint32_t *ret_label)
{
	struct stack_path path;
	const enum perfdata_status status = pd_stack_route_to(making->place.route, entry->key.node, &path);
	if (status != PERFDATA_OK)
		return status;
	leave(making, path.same_labels);
	const uint32_t nr_labels = pd_stack_labels_nr(making->labels);
	if (!make_room(&making->by_label, &making->by_label_room, nr_labels, sizeof *making->by_label) ||
	    !make_room(&making->open, &making->open_room, nr_labels, sizeof *making->open) ||
	    pd_vector_grow(&making->pending, &making->pending_room, path.nr_labels, sizeof *making->pending) < 0)
		return PERFDATA_ENOMEM;
	while (making->nr_pending < path.nr_labels) {
		const uint32_t label = path.labels[making->nr_pending];
		making->pending[making->nr_pending++] = (struct pending){ .label = label };
		making->open[label]++;
	}
	struct pending *last = &making->pending[path.nr_labels - 1];
	last->sum[0] += entry->sums.samples;
	last->sum[1] += entry->sums.weight;
	add_sums(&making->by_label[last->label], &entry->sums);
	*ret_label = last->label;
	return PERFDATA_OK;
}

static enum perfdata_status add_to_tree(struct making *making, const struct pd_profile_entry *entry,
					uint32_t *ret_label)
{
	struct stack_tree *tree = &making->event.tree;
	uint32_t node;
	const enum perfdata_status status = pd_stack_place_make(&making->place, tree, entry->key.node, &node);
	if (status != PERFDATA_OK)
		return status;
	if (!make_room(&making->event.sums, &making->sums_room, tree->nr, sizeof *making->event.sums))
		return PERFDATA_ENOMEM;
	add_sums(&making->event.sums[node], &entry->sums);
	*ret_label = pd_stack_tree_label(tree, node);
	return PERFDATA_OK;
}

static enum perfdata_status add_stack(struct making *making, const struct pd_profile_entry *entry)
{
	uint32_t label = 0;
	const bool in_list = making->state->options.view == REPORT_LIST;
	const enum perfdata_status status = in_list ? add_to_list(making, entry, &label)
						    : add_to_tree(making, entry, &label);
	if (status == PERFDATA_OK && pd_stack_labels_get(making->labels, label)->kind == STACK_NO_NAME) {
		making->event.nameless[0] += entry->sums.samples;
		making->event.nameless[1] += entry->sums.weight;
	}
	return status;
}

static const char *comm_name(const struct state *state, uint32_t comm)
{
	return comm == PERFDATA_NONE ? "" : perfdata_session_comm(state->gather.session, comm);
}

/* A row that is no code. */
static struct report_row plain_row(const char *name)
{
	return (struct report_row){ .name = name, .file = "", .source = "", .kind = "", .pid = -1, .tid = -1,
				    .dso = PERFDATA_NONE };
}

/* Keys are sorted by comm, so those of one follow each other. */
static enum perfdata_status add_comm(struct making *making, const struct pd_profile_entry *entry)
{
	if (!making->nr_comms || making->last_comm != entry->key.comm) {
		if (pd_vector_grow(&making->comms, &making->comms_room, making->nr_comms, sizeof *making->comms) < 0)
			return PERFDATA_ENOMEM;
		making->comms[making->nr_comms++] = plain_row(comm_name(making->state, entry->key.comm));
		making->last_comm = entry->key.comm;
	}
	add_sums(&making->comms[making->nr_comms - 1].sum, &entry->sums);
	return PERFDATA_OK;
}

/* Rows of what samples have beside their stack. */
static enum perfdata_status add_key_row(struct making *making, const struct pd_profile_entry *entry, size_t *room)
{
	const struct state *state = making->state;
	const struct pd_profile_thread *thread = NULL;
	struct report_row row = plain_row("");
	char number[16];
	switch (state->options.by) {
	case REPORT_THREAD:
	case REPORT_PROCESS:
		thread = pd_profile_thread(state->gather.profile, entry->key.thread);
		row.pid = thread->pid;
		row.tid = state->options.by == REPORT_THREAD ? thread->tid : -1;
		row.name = comm_name(state, thread->comm);
		break;
	case REPORT_COMM:
		row.name = comm_name(state, entry->key.comm);
		break;
	case REPORT_CPU:
		snprintf(number, sizeof number, "%u", (unsigned)entry->key.cpu);
		const uint32_t id = pd_stack_labels_intern(making->labels,
							   entry->key.cpu == PERFDATA_NONE ? "unknown" : number);
		if (id == UINT32_MAX)
			return PERFDATA_ENOMEM;
		row.name = pd_stack_labels_string(making->labels, id);
		break;
	case REPORT_SYMBOL:
	case REPORT_DSO:
	case REPORT_LINE:
	case REPORT_BUILD_ID:
	case REPORT_EVENT:
	case REPORT_BYS:
		row.name = making->event.name;
		break;
	}
	if (pd_vector_grow(&making->event.rows, room, making->event.nr_rows, sizeof row) < 0)
		return PERFDATA_ENOMEM;
	add_sums(&row.sum, &entry->sums);
	making->event.rows[making->event.nr_rows++] = row;
	return PERFDATA_OK;
}

/* Whether two rows are of the same thing: rows are sorted by name, and the first of equal ones takes the sums of the
 * others. */
static bool is_same(const struct report_row *a, const struct report_row *b, enum report_by by)
{
	if (by == REPORT_PROCESS)
		return a->pid == b->pid;
	return a->pid == b->pid && a->tid == b->tid && !strcmp(a->name, b->name);
}

static int compare_processes(const void *left, const void *right)
{
	const struct report_row *a = left, *b = right;
	if (a->pid != b->pid)
		return a->pid > b->pid ? 1 : -1;
	/* the name of the process is that of the thread that it began with, or of the heaviest */
	return a->sum.self[0] != b->sum.self[0] ? (a->sum.self[0] < b->sum.self[0] ? 1 : -1) : strcmp(a->name, b->name);
}

static void join_rows(struct making *making)
{
	struct report_event *event = &making->event;
	struct report_options by_name = { .sort = REPORT_SORT_NAME };
	const enum report_by by = making->state->options.by;
	size_t nr = 0;
	if (by == REPORT_PROCESS && event->nr_rows)
		qsort(event->rows, event->nr_rows, sizeof *event->rows, compare_processes);
	else if (event->nr_rows)
		pd_report_sort_rows(&by_name, event->rows, event->nr_rows);
	for (size_t i = 0; i < event->nr_rows; i++) {
		if (nr && is_same(&event->rows[nr - 1], &event->rows[i], by)) {
			event->rows[nr - 1].sum.self[0] += event->rows[i].sum.self[0];
			event->rows[nr - 1].sum.self[1] += event->rows[i].sum.self[1];
		} else {
			event->rows[nr++] = event->rows[i];
		}
	}
	event->nr_rows = nr;
}

/* Makes a row for each label with samples. */
static enum perfdata_status make_stack_rows(struct making *making)
{
	struct report_event *event = &making->event;
	const uint32_t nr = pd_stack_labels_nr(making->labels);
	const bool by_line = making->state->options.by == REPORT_LINE;
	leave(making, 0);
	event->rows = pd_calloc(nr + 1u, sizeof *event->rows);
	if (!event->rows)
		return PERFDATA_ENOMEM;
	for (uint32_t i = 0; i < nr && i < making->by_label_room; i++) {
		const struct stack_label *label = pd_stack_labels_get(making->labels, i);
		const struct report_sum *sum = &making->by_label[i];
		if (!sum->total[0] && !sum->total[1])
			continue;
		event->rows[event->nr_rows++] = (struct report_row){
			.name = pd_stack_labels_string(making->labels, label->name),
			.file = pd_stack_labels_string(making->labels, label->file),
			.source = pd_stack_labels_string(making->labels, label->source),
			.line = by_line ? label->line : 0,
			.kind = pd_report_kind_name(label->kind),
			.pid = -1,
			.tid = -1,
			.dso = label->dso,
			.sum = *sum,
		};
	}
	event->has_totals = true;
	return PERFDATA_OK;
}

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
static void choose_rows(struct making *making)
{
	struct report_event *event = &making->event;
	const struct report_row *most = NULL;
	size_t nr_selves = 0;
	for (size_t i = 0; i < event->nr_rows; i++) {
		if (!event->rows[i].sum.self[0])
			continue;
		if (!most || event->rows[i].sum.self[0] > most->sum.self[0])
			most = &event->rows[i];
		nr_selves++;
	}
	const struct perfdata_event *of = perfdata_reader_event(making->state->gather.reader, making->index);
	if (!making->nr_comms || !most || (nr_selves > 1 && !has_fixed_place(of)))
		return;
	event->function = strcmp(most->kind, pd_report_kind_name(STACK_NO_NAME)) ? most->name : NULL;
	memcpy(event->of_function, most->sum.self, sizeof event->of_function);
	event->has_callers = (of->attr->sample_type & PERFDATA_SAMPLE_CALLCHAIN) != 0;
	event->has_totals = false;
	event->by = REPORT_COMM;
	pd_free(event->rows);
	event->rows = making->comms;
	event->nr_rows = making->nr_comms;
	making->comms = NULL;
	making->nr_comms = making->comms_room = 0;
	join_rows(making);
}

static enum perfdata_status write_event(struct making *making)
{
	const struct report_options *asked = &making->state->options;
	struct report_event *event = &making->event;
	enum perfdata_status status = PERFDATA_OK;
	if (is_by_stack(asked->by) && asked->view == REPORT_LIST)
		status = make_stack_rows(making);
	else if (is_by_stack(asked->by))
		pd_report_add_up(&event->tree, event->sums);
	else
		join_rows(making);
	if (status != PERFDATA_OK)
		return status;
	if (asked->by_default)
		choose_rows(making);
	pd_report_sort_rows(asked, event->rows, event->nr_rows);
	if (making->state->taker)
		status = making->state->taker->take(making->state->taker->user, making->state->gather.session, event);
	else if (asked->form == REPORT_JSON)
		pd_report_json_event(asked, event, !making->nr_events, making->out);
	else if (asked->form == REPORT_CSV)
		pd_report_csv_event(asked, &making->head, event, making->out);
	else if (asked->view == REPORT_LIST)
		pd_report_text_event(asked, event, making->out);
	else if (!pd_report_text_tree(asked, event, making->out))
		status = PERFDATA_ENOMEM;
	making->nr_events++;
	return status;
}

static void event_release(struct making *making)
{
	pd_stack_tree_release(&making->event.tree);
	pd_free(making->event.rows);
	pd_free(making->event.sums);
	making->event.rows = NULL;
	making->event.sums = NULL;
	making->sums_room = making->nr_pending = making->place.nr = making->nr_comms = 0;
	if (making->by_label)
		memset(making->by_label, 0, making->by_label_room * sizeof *making->by_label);
	if (making->open)
		memset(making->open, 0, making->open_room * sizeof *making->open);
}

static enum perfdata_status event_begin(struct making *making, uint32_t index)
{
	const struct state *state = making->state;
	const struct perfdata_event *event = perfdata_reader_event(state->gather.reader, index);
	const struct pd_profile_sums *sums = pd_profile_event(state->gather.profile, index);
	making->index = index;
	making->event = (struct report_event){ .name = event->name,
					       .measure = perfdata_event_measure(event),
					       .weighs = pd_stack_weight_text(state->gather.session, event),
					       .by = state->options.by,
					       .labels = making->labels };
	making->event.tree.account = pd_profile_account(state->gather.profile);
	making->event.all[0] = sums ? sums->samples : 0;
	making->event.all[1] = sums ? sums->weight : 0;
	/* a new route: the tree has no nodes of the path yet */
	pd_stack_route_free(making->place.route);
	making->place.route = pd_stack_route_new(state->gather.profile, state->gather.session, making->labels);
	return making->place.route ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static enum perfdata_status add_entries(struct making *making, struct pd_profile_walk *walk)
{
	const struct pd_profile_entry *entry;
	const bool by_stack = is_by_stack(making->state->options.by),
		   one_block = making->state->options.by == REPORT_EVENT,
		   by_default = making->state->options.by_default;
	enum perfdata_status status;
	size_t rows_room = 0;
	bool open = false;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK) {
		if (!open || (entry->key.event != making->index && !one_block)) {
			if (open)
				status = write_event(making);
			event_release(making);
			rows_room = 0;
			open = true;
			if (status == PERFDATA_OK)
				status = event_begin(making, entry->key.event);
		} else if (entry->key.event != making->index) {
			const struct pd_profile_sums *sums = pd_profile_event(making->state->gather.profile,
									      entry->key.event);
			making->index = entry->key.event;
			making->event.all[0] += sums->samples;
			making->event.name =
				perfdata_reader_event(making->state->gather.reader, entry->key.event)->name;
		}
		if (status == PERFDATA_OK)
			status = by_stack ? add_stack(making, entry) : add_key_row(making, entry, &rows_room);
		if (status == PERFDATA_OK && by_default && pd_samples_are_occurrences(
				perfdata_reader_event(making->state->gather.reader, entry->key.event)))
			status = add_comm(making, entry);
		if (status != PERFDATA_OK)
			return status;
	}
	if (status != PERFDATA_END)
		return status;
	if (open && one_block) {
		making->event.name = "events";
		making->event.measure = PERFDATA_MEASURE_COUNT;
		making->event.all[1] = making->event.all[0];
		for (size_t i = 0; i < making->event.nr_rows; i++)
			making->event.rows[i].sum.self[1] = making->event.rows[i].sum.self[0];
	}
	return open ? write_event(making) : PERFDATA_OK;
}

/* Several events that count occurrences: how often each was, before what is known of each. */
static enum perfdata_status write_counts(struct making *making)
{
	const struct state *state = making->state;
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
		counts.all[0] += sums->samples;
		counts.all[1] += sums->weight;
	}
	if (counts.nr_rows > 1) {
		pd_report_sort_rows(&state->options, counts.rows, counts.nr_rows);
		pd_report_text_event(&state->options, &counts, making->out);
	}
	pd_free(counts.rows);
	return PERFDATA_OK;
}

static enum perfdata_status write_report(struct making *making)
{
	const struct report_options *asked = &making->state->options;
	struct pd_profile_walk *walk = NULL;
	enum perfdata_status status = pd_profile_walk_new(making->state->gather.profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	if (asked->form == REPORT_JSON)
		pd_report_json_head(asked, &making->head, making->out);
	else if (asked->form == REPORT_TEXT && !making->state->taker)
		pd_report_text_head(asked, &making->head, making->out);
	if (asked->by_default)
		status = write_counts(making);
	if (status == PERFDATA_OK)
		status = add_entries(making, walk);
	event_release(making);
	pd_profile_walk_free(walk);
	if (asked->form == REPORT_JSON)
		pd_report_json_end(&making->head, making->out);
	else if (asked->form == REPORT_TEXT && !making->state->taker && !making->nr_events)
		perfdata_text_literal(making->out, "no samples\n");
	return status;
}

static enum perfdata_status end(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	const enum report_by by = state->options.by;
	struct making making = { .state = state, .out = out };
	if (state->spans)
		return pd_report_spans_end(state->spans, &state->options, end, out);
	making.head = (struct report_head){ .end = end,
					    .first_document = true,
					    .file = state->gather.shared_output
							    ? perfdata_reader_header(state->gather.reader)->name
							    : NULL };
	enum perfdata_status status = pd_profile_finish(state->gather.profile);
	making.labels = pd_stack_labels_new(state->gather.session, by == REPORT_DSO	? STACK_BY_FILE
								: by == REPORT_LINE	? STACK_BY_LINE
								: by == REPORT_BUILD_ID ? STACK_BY_BUILD_ID
											: STACK_BY_FUNCTION,
					 state->options.inlines, shows_sources(&state->options));
	if (!making.labels)
		return PERFDATA_ENOMEM;
	if (status == PERFDATA_OK)
		status = write_report(&making);
	pd_stack_route_free(making.place.route);
	pd_stack_place_release(&making.place);
	pd_free(making.by_label);
	pd_free(making.open);
	pd_free(making.pending);
	pd_free(making.comms);
	pd_stack_labels_free(making.labels);
	return pd_stack_ended(status, out);
}

const struct perfdata_emitter pd_emitter_report = {
	.name = "report",
	.task = PERFDATA_TASK_LOOK,
	.help = "where the time goes: functions, files, threads, … with their shares",
	.needs = STACK_GATHER_NEEDS,
	.configure = configure,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_LIGHT,
	.suffix = "txt",
	.option_rules = rules,
	STACK_EMITTER(release),
	.format = format,
	.merge = merge,
	.free_part = pd_profile_part_free,
};
