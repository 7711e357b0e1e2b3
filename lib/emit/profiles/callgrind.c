/* SPDX-License-Identifier: MIT */
/* `callgrind`: the file format of Valgrind's Callgrind, for KCachegrind, QCachegrind and callgrind_annotate. Each event
 * has a column of costs.
 *
 * Self costs have an address and a source line. The cost of a call is the weight of the stacks that contain it. In a
 * recursive stack, the outermost call of a function has the weight and inner calls have 0, as in Callgrind's files, so
 * that the costs of the calls to a function add up to its inclusive cost. A function "(root)" calls the outermost
 * function of each stack. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/account.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/paged.h"
#include "emit/emitters.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_head.h"
#include "emit/stacks/stack_labels.h"
#include "emit/stacks/stack_route.h"
#include "emit/stacks/stack_text.h"
#include "emit/stacks/stack_tree.h"

static const struct perfdata_emitter_option options[] = {
	STACK_OPTION_WEIGHT("cost of a sample"),
	STACK_OPTIONS_STATE,
	STACK_OPTION_INLINE,
	STACK_OPTIONS_CHOICE,
	{ 0 },
};

struct state {
	struct stack_gather gather;
	bool by_samples, inlines;
};

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	const struct pd_profile_options wanted = { .by_period = true, .names = PD_NAMES_LINES };
	struct state *state = pointer;
	(void)out;
	state->by_samples = pd_stack_option_is(context->options, context->nr_options, "weight", "samples");
	state->inlines = perfdata_option_flag(context->options, context->nr_options, "inline", true);
	return pd_stack_gather_begin(&state->gather, context, &wanted);
}

STACK_BEGIN(set_up, pd_stack_release)

/* --- positions and their costs ------------------------------------------------------------------------------------ */

/* A place in the code of a function; a label of the tree of stacks. */
struct position {
	uint64_t address;    /* in the object file; 0: unknown */
	uint32_t label, line;
};

/* A row of costs in the output. */
struct row {
	struct position at;
	uint32_t called;     /* label of the called function; PERFDATA_NONE: self cost */
	uint32_t zero;       /* makes rows comparable as bytes */
};

/* Sums of a node: the stacks that end at it, and after add_to_parents all stacks through it. */
struct sums {
	uint64_t samples, cost;
};

struct writing {
	const struct state *state;
	struct stack_labels *labels;
	struct stack_route *route;
	struct pd_account *account;
	struct pd_intern *positions, *rows;
	struct stack_tree tree;      /* tree of positions; below the root, a node for each event */
	struct pd_paged sums;        /* by node of the tree */
	uint32_t *path;              /* nodes of the current stack */
	size_t path_room, path_nr;
	uint32_t event;              /* event of `path` */
	uint64_t *costs;             /* by row: number of calls, then costs by column */
	size_t costs_room;
	uint32_t *columns;           /* by event; UINT32_MAX: the event has no samples */
	uint32_t nr_columns;
	uint32_t root, no_stack;     /* labels */
	uint64_t *totals;
};

/* Labels from this number on are events, lower ones are positions. */
#define FIRST_EVENT ((uint32_t)1 << 31)

static struct position position_at(const struct writing *writing, uint32_t position)
{
	struct position ret;
	memcpy(&ret, pd_intern_get(writing->positions, position, NULL), sizeof ret);
	return ret;
}

static enum perfdata_status keep_position(struct writing *writing, struct position position, uint32_t *ret)
{
	*ret = pd_intern_put(writing->positions, &position, sizeof position);
	return *ret < FIRST_EVENT ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* The line, if it is in the function's file: lines of other files (inlined code, macros) count as unknown. */
static uint32_t line_of(const struct writing *writing, const struct stack_call *call)
{
	return call->source == pd_stack_labels_get(writing->labels, call->label)->source ? call->line : 0;
}

/* The address in the object file of the call instruction, or of the executing instruction. */
static uint64_t address_of(const struct writing *writing, const struct stack_step *step)
{
	uint64_t address = step->ip;
	const char *object;
	if (step->frame != PERFDATA_NONE)
		pd_profile_object_of(writing->state->gather.session, step->frame, &address, &object);
	return pd_stack_code_address(address, step->is_caller);
}

static size_t row_size(const struct writing *writing) { return 1 + (size_t)writing->nr_columns; }

static uint64_t saturated_sum(uint64_t sum, uint64_t more) { return sum > UINT64_MAX - more ? UINT64_MAX : sum + more; }

static enum perfdata_status add_cost(struct writing *writing, struct position at, uint32_t called, uint32_t column,
				     const struct sums *sums)
{
	const struct row key = { at, called, 0 };
	const uint32_t row = pd_intern_put(writing->rows, &key, sizeof key);
	const size_t before = writing->costs_room, size = row_size(writing);
	if (row == UINT32_MAX || pd_vector_reach(&writing->costs, &writing->costs_room, (row + 1) * size - 1,
						 sizeof *writing->costs) < 0)
		return PERFDATA_ENOMEM;
	pd_account_change(writing->account, PD_USE_PROFILE, before * sizeof *writing->costs,
			  writing->costs_room * sizeof *writing->costs);
	if (pd_account_is_exhausted(writing->account))
		return PERFDATA_ENOMEM;
	uint64_t *costs = &writing->costs[row * size];
	costs[0] = saturated_sum(costs[0], called == PERFDATA_NONE ? 0 : sums->samples);
	costs[1 + column] = saturated_sum(costs[1 + column], sums->cost);
	return PERFDATA_OK;
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

static enum perfdata_status append_node(struct writing *writing, uint32_t label)
{
	const uint32_t parent = writing->path_nr ? writing->path[writing->path_nr - 1] : STACK_NO_NODE;
	const uint32_t node = pd_stack_tree_child(&writing->tree, parent, label);
	if (node == STACK_NO_NODE)
		return pd_stack_tree_failed(&writing->tree);
	if (pd_vector_grow(&writing->path, &writing->path_room, writing->path_nr, sizeof *writing->path) < 0)
		return PERFDATA_ENOMEM;
	writing->path[writing->path_nr++] = node;
	return PERFDATA_OK;
}

/* skip: number of outermost functions to leave out. */
static enum perfdata_status append_step(struct writing *writing, const struct stack_step *step, size_t skip)
{
	size_t nr;
	uint32_t label = 0;
	const struct stack_call *calls = pd_stack_labels_of(writing->labels, step->frame, step->is_caller, &nr);
	const uint64_t address = address_of(writing, step);
	enum perfdata_status status = calls ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (size_t i = skip; status == PERFDATA_OK && i < nr; i++) {
		const struct position at = { address, calls[i].label, line_of(writing, &calls[i]) };
		status = keep_position(writing, at, &label);
		if (status == PERFDATA_OK)
			status = append_node(writing, label);
	}
	return status;
}

/* Sets writing->path to the nodes of a stack. Nodes of the labels that it shares with the stack before are kept. */
static enum perfdata_status follow_key(struct writing *writing, const struct pd_profile_key *key)
{
	struct stack_path path;
	uint32_t label = 0;
	enum perfdata_status status = pd_stack_route_to(writing->route, key->node, &path);
	if (status != PERFDATA_OK)
		return status;
	const bool same_event = writing->path_nr && key->event == writing->event;
	writing->path_nr = same_event && writing->path_nr > path.same_labels ? 1 + path.same_labels : 0;
	writing->event = key->event;
	size_t step = writing->path_nr ? path.same_steps : 0;
	if (!writing->path_nr)
		status = append_node(writing, FIRST_EVENT + key->event);
	if (status == PERFDATA_OK && !path.nr_steps)
		status = keep_position(writing, (struct position){ .label = writing->no_stack }, &label);
	if (status == PERFDATA_OK && !path.nr_steps)
		status = append_node(writing, label);
	for (; status == PERFDATA_OK && step < path.nr_steps; step++)
		status = append_step(writing, &path.steps[step], step ? 0 : path.cut_of_step);
	return status;
}

static enum perfdata_status add_stacks(struct writing *writing)
{
	struct pd_profile_walk *walk;
	const struct pd_profile_entry *entry;
	enum perfdata_status status = pd_profile_walk_paths(writing->state->gather.profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK) {
		status = follow_key(writing, &entry->key);
		if (status != PERFDATA_OK)
			break;
		struct sums *sums = pd_paged_change(&writing->sums, writing->path[writing->path_nr - 1]);
		if (!sums) {
			status = writing->sums.status;
			break;
		}
		sums->samples = saturated_sum(sums->samples, entry->sums.samples);
		sums->cost = saturated_sum(sums->cost,
					   writing->state->by_samples ? entry->sums.samples : entry->sums.weight);
	}
	pd_profile_walk_free(walk);
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

/* --- from the tree to rows ---------------------------------------------------------------------------------------- */

static uint32_t event_above(struct writing *writing, uint32_t node)
{
	uint32_t label;
	while ((label = pd_stack_tree_label(&writing->tree, node)) < FIRST_EVENT &&
	       pd_stack_tree_failed(&writing->tree) == PERFDATA_OK)
		node = pd_stack_tree_parent(&writing->tree, node);
	return label < FIRST_EVENT ? 0 : label - FIRST_EVENT;
}

/* Adds rows for the self costs of functions. */
static enum perfdata_status add_own_costs(struct writing *writing)
{
	enum perfdata_status status = PERFDATA_OK;
	for (uint32_t node = 0; node < writing->tree.nr && status == PERFDATA_OK; node++) {
		const uint32_t label = pd_stack_tree_label(&writing->tree, node);
		const struct sums *at = pd_paged_at(&writing->sums, node);
		if (!at)
			return writing->sums.status;
		if (label >= FIRST_EVENT || !at->samples)
			continue;
		const struct sums sums = *at;
		const uint32_t column = writing->columns[event_above(writing, node)];
		writing->totals[column] = saturated_sum(writing->totals[column], sums.cost);
		status = add_cost(writing, position_at(writing, label), PERFDATA_NONE, column, &sums);
	}
	return status != PERFDATA_OK ? status : pd_stack_tree_failed(&writing->tree);
}

/* Adds the sums of each node to its parent, which has a lower number. */
static enum perfdata_status add_to_parents(struct writing *writing)
{
	for (size_t i = writing->tree.nr; i-- > 0;) {
		const uint32_t node = (uint32_t)i, parent = pd_stack_tree_parent(&writing->tree, node);
		const struct sums *child = pd_paged_at(&writing->sums, node);
		if (!child)
			return writing->sums.status;
		if (parent == STACK_NO_NODE)
			continue;
		const struct sums more = *child;
		struct sums *sums = pd_paged_change(&writing->sums, parent);
		if (!sums)
			return writing->sums.status;
		sums->samples = saturated_sum(sums->samples, more.samples);
		sums->cost = saturated_sum(sums->cost, more.cost);
	}
	return pd_stack_tree_failed(&writing->tree);
}

/* Whether the called function is also called further out in the stack; *ret_column: of the stack's event. */
static bool is_inner_call(struct writing *writing, uint32_t node, uint32_t called, uint32_t *ret_column)
{
	bool found = false;
	uint32_t label = 0;
	while ((node = pd_stack_tree_parent(&writing->tree, node)) != STACK_NO_NODE) {
		label = pd_stack_tree_label(&writing->tree, node);
		found |= label < FIRST_EVENT && position_at(writing, label).label == called;
	}
	*ret_column = label < FIRST_EVENT ? UINT32_MAX : writing->columns[label - FIRST_EVENT];
	return found;
}

static enum perfdata_status add_calls(struct writing *writing)
{
	const struct position root = { .label = writing->root };
	enum perfdata_status status = PERFDATA_OK;
	for (uint32_t node = 0; node < writing->tree.nr && status == PERFDATA_OK; node++) {
		const uint32_t label = pd_stack_tree_label(&writing->tree, node),
			       parent = pd_stack_tree_parent(&writing->tree, node);
		const struct sums *at = pd_paged_at(&writing->sums, node);
		if (!at)
			return writing->sums.status;
		if (label >= FIRST_EVENT)
			continue;
		struct sums sums = *at;
		const uint32_t called = position_at(writing, label).label,
			       above = pd_stack_tree_label(&writing->tree, parent);
		uint32_t column;
		if (is_inner_call(writing, node, called, &column))
			sums.cost = 0;
		if (pd_stack_tree_failed(&writing->tree) != PERFDATA_OK)
			break;
		status = add_cost(writing, above < FIRST_EVENT ? position_at(writing, above) : root, called, column,
				  &sums);
	}
	return status != PERFDATA_OK ? status : pd_stack_tree_failed(&writing->tree);
}

static enum perfdata_status add_up(struct writing *writing)
{
	enum perfdata_status status = add_stacks(writing);
	if (status == PERFDATA_OK)
		status = add_own_costs(writing);
	if (status == PERFDATA_OK)
		status = add_to_parents(writing);
	return status == PERFDATA_OK ? add_calls(writing) : status;
}

/* --- the header --------------------------------------------------------------------------------------------------- */

enum { EVENT_NAME_MAX = 256 };

/* KCachegrind's names consist of letters, digits and underscores, and do not begin with a digit. */
static void spell_event(const struct writing *writing, uint32_t index, char name[EVENT_NAME_MAX])
{
	const struct perfdata_event *event = perfdata_reader_event(writing->state->gather.reader, index);
	const char *recorded = event->is_time_off ? "off-cpu" : event->name;
	size_t size = 0;
	if (*recorded >= '0' && *recorded <= '9')
		name[size++] = '_';
	for (; *recorded && size < EVENT_NAME_MAX - 1; recorded++) {
		const char c = *recorded;
		const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		name[size++] = fits ? c : '_';
	}
	name[size] = '\0';
}

/* Makes names of different events different. */
static void put_event_name(const struct writing *writing, uint32_t index, struct perfdata_text *out)
{
	char name[EVENT_NAME_MAX], other[EVENT_NAME_MAX];
	bool taken = false;
	spell_event(writing, index, name);
	for (uint32_t i = 0; i < index && !taken; i++) {
		if (writing->columns[i] != UINT32_MAX) {
			spell_event(writing, i, other);
			taken = !strcmp(name, other);
		}
	}
	perfdata_text_string(out, name);
	if (taken)
		perfdata_text_printf(out, "_%u", writing->columns[index] + 1);
}

static void put_text(struct perfdata_text *out, const char *key, const char *text)
{
	perfdata_text_string(out, key);
	perfdata_text_shortened(out, text, 0);
	perfdata_text_char(out, '\n');
}

static void say_warning(void *user, const char *line) { put_text(user, "desc: ", line); }

/* Readers require an event even without samples. */
static void put_events(const struct writing *writing, struct perfdata_text *out)
{
	perfdata_text_literal(out, "events:");
	for (uint32_t i = 0; i < pd_profile_nr_events(writing->state->gather.profile); i++)
		if (writing->columns[i] != UINT32_MAX) {
			perfdata_text_char(out, ' ');
			put_event_name(writing, i, out);
		}
	perfdata_text_string(out, writing->nr_columns ? "\n" : " samples\n");
}

static void put_header(const struct writing *writing, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	const struct perfdata_reader *reader = writing->state->gather.reader;
	struct perfdata_text text;
	perfdata_text_init(&text);
	perfdata_text_printf(out, "# callgrind format\nversion: 1\ncreator: perfdata-%s\n", perfdata_version());
	pd_stack_head_command(reader, &text);
	perfdata_text_char(&text, '\0');
	out->failed |= perfdata_text_failed(&text);
	if (!perfdata_text_failed(&text))
		put_text(out, "cmd: ", text.data);
	for (const struct stack_fact *fact = pd_stack_facts; fact->name; fact++) {
		const char *said = perfdata_reader_feature_text(reader, fact->feature);
		if (said) {
			perfdata_text_printf(out, "desc: %s", fact->name);
			put_text(out, ": ", said);
		}
	}
	pd_stack_head_warnings(end, say_warning, out);
	perfdata_text_literal(out, "positions: instr line\n");
	for (uint32_t i = 0; i < pd_profile_nr_events(writing->state->gather.profile); i++) {
		if (writing->columns[i] == UINT32_MAX)
			continue;
		const struct perfdata_event *event = perfdata_reader_event(reader, i);
		const char *weight = pd_stack_weight_text(writing->state->gather.session, event);
		perfdata_text_literal(out, "event: ");
		put_event_name(writing, i, out);
		perfdata_text_literal(out, " : ");
		perfdata_text_shortened(out, event->name, 0);
		perfdata_text_printf(out, " (%s)\n",
				     writing->state->by_samples      ? "samples"
				     : weight                        ? weight
				     : pd_stack_event_is_time(event) ? "ns"
								     : "period");
	}
	put_events(writing, out);
	perfdata_text_release(&text);
}

/* --- the body ----------------------------------------------------------------------------------------------------- */

/* Names that were written: "(3) name" the first time, then "(3)". */
struct names {
	bool *written;
	size_t room;
};

struct body {
	struct writing *writing;
	struct names objects, sources, functions;
	struct perfdata_text *out;
	bool failed;
};

static void put_name(struct body *body, struct names *names, const char *key, uint32_t number, const char *name,
		     const char *suffix)
{
	perfdata_text_string(body->out, key);
	perfdata_text_printf(body->out, "(%u)", number + 1);
	if (pd_vector_reach(&names->written, &names->room, number, sizeof *names->written) < 0) {
		body->failed = true;
		return;
	}
	if (!names->written[number]) {
		perfdata_text_char(body->out, ' ');
		perfdata_text_shortened(body->out, name, 0);
		perfdata_text_string(body->out, suffix);
		names->written[number] = true;
	}
	perfdata_text_char(body->out, '\n');
}

/* `keys`: "fn", … for the function, "cfn", … for a called function. */
static void put_function(struct body *body, uint32_t number, const char *const keys[3])
{
	const struct stack_labels *labels = body->writing->labels;
	const struct stack_label *label = pd_stack_labels_get(labels, number);
	const char *object = pd_stack_labels_string(labels, label->file),
		   *source = pd_stack_labels_string(labels, label->source);
	const bool inlined = label->kind == STACK_INLINED || label->kind == STACK_INLINED_KERNEL;
	put_name(body, &body->objects, keys[0], label->file, *object ? object : "???", "");
	put_name(body, &body->sources, keys[1], label->source, *source ? source : "???", "");
	put_name(body, &body->functions, keys[2], number, pd_stack_labels_string(labels, label->name),
		 inlined ? " (inlined)" : "");
}

static void put_costs(struct body *body, const struct position *at, const uint64_t *costs)
{
	perfdata_text_printf(body->out, "0x%llx %u", (unsigned long long)at->address, at->line);
	for (uint32_t i = 0; i < body->writing->nr_columns; i++) {
		perfdata_text_char(body->out, ' ');
		perfdata_text_u64(body->out, costs[i]);
	}
	perfdata_text_char(body->out, '\n');
}

static int compare_numbers(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* Sorts by function; its self costs before its calls; by address. */
static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	const bool a_calls = a->called != PERFDATA_NONE, b_calls = b->called != PERFDATA_NONE;
	int order = compare_numbers(a->at.label, b->at.label);
	order = order ? order : (int)a_calls - (int)b_calls;
	order = order ? order : compare_numbers(a->at.address, b->at.address);
	order = order ? order : compare_numbers(a->at.line, b->at.line);
	return order ? order : compare_numbers(a->called, b->called);
}

static void put_row(struct body *body, const struct row *row, const uint64_t *costs)
{
	static const char *const called[] = { "cob=", "cfi=", "cfn=" };
	if (row->called != PERFDATA_NONE) {
		put_function(body, row->called, called);
		perfdata_text_printf(body->out, "calls=%llu 0x0 0\n", (unsigned long long)costs[0]);
	}
	put_costs(body, &row->at, costs + 1);
	perfdata_text_cut(body->out);
}

struct sorted {
	struct row row;      /* must be first: compare_rows compares it */
	uint32_t number;
};

static enum perfdata_status put_body(struct writing *writing, struct perfdata_text *out)
{
	static const char *const own[] = { "ob=", "fl=", "fn=" };
	struct body body = { .writing = writing, .out = out };
	const uint32_t nr = pd_intern_count(writing->rows);
	struct sorted *rows = pd_malloc((size_t)nr * sizeof *rows + 1);
	if (!rows)
		return PERFDATA_ENOMEM;
	pd_account_take(writing->account, PD_USE_PROFILE, nr * sizeof *rows);
	for (uint32_t i = 0; i < nr; i++) {
		memcpy(&rows[i].row, pd_intern_get(writing->rows, i, NULL), sizeof rows[i].row);
		rows[i].number = i;
	}
	qsort(rows, nr, sizeof *rows, compare_rows);
	for (uint32_t i = 0; i < nr && !body.failed; i++) {
		if (!i || rows[i].row.at.label != rows[i - 1].row.at.label) {
			perfdata_text_char(out, '\n');
			put_function(&body, rows[i].row.at.label, own);
		}
		put_row(&body, &rows[i].row, &writing->costs[rows[i].number * row_size(writing)]);
	}
	perfdata_text_string(out, writing->nr_columns ? "\ntotals:" : "\ntotals: 0");
	for (uint32_t i = 0; i < writing->nr_columns; i++) {
		perfdata_text_char(out, ' ');
		perfdata_text_u64(out, writing->totals[i]);
	}
	perfdata_text_char(out, '\n');
	pd_account_give(writing->account, PD_USE_PROFILE, nr * sizeof *rows);
	pd_free(rows);
	pd_free(body.objects.written);
	pd_free(body.sources.written);
	pd_free(body.functions.written);
	return body.failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* --- the whole file ----------------------------------------------------------------------------------------------- */

static uint32_t add_label(struct writing *writing, const char *name, enum stack_kind kind)
{
	const struct stack_label label = { .name = pd_stack_labels_intern(writing->labels, name),
					   .dso = PERFDATA_NONE,
					   .kind = kind };
	return pd_stack_labels_add(writing->labels, &label);
}

static enum perfdata_status set_up_writing(struct writing *writing)
{
	const struct stack_gather *gather = &writing->state->gather;
	const uint32_t nr = pd_profile_nr_events(gather->profile);
	writing->labels = pd_stack_labels_new(gather->session, STACK_BY_FUNCTION, writing->state->inlines, true);
	writing->route = writing->labels ? pd_stack_route_new(gather->profile, gather->session, writing->labels,
							      gather->choice)
					 : NULL;
	writing->tree.account = writing->account;
	pd_paged_init(&writing->sums, writing->account, PD_USE_PROFILE, sizeof(struct sums));
	writing->positions = pd_intern_new();
	writing->rows = pd_intern_new();
	writing->columns = pd_calloc(nr + 1u, sizeof *writing->columns);
	writing->totals = pd_calloc(nr + 1u, sizeof *writing->totals);
	if (!writing->route || !writing->positions || !writing->rows || !writing->columns || !writing->totals)
		return PERFDATA_ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		writing->columns[i] = pd_profile_event(gather->profile, i) ? writing->nr_columns++ : UINT32_MAX;
	writing->root = add_label(writing, "(root)", STACK_THREAD);
	writing->no_stack = add_label(writing, "[no stack]", STACK_NO_NAME);
	return writing->root == UINT32_MAX || writing->no_stack == UINT32_MAX ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static void release_writing(struct writing *writing)
{
	pd_account_give(writing->account, PD_USE_PROFILE, writing->costs_room * sizeof *writing->costs);
	pd_intern_free(writing->positions);
	pd_intern_free(writing->rows);
	pd_free(writing->columns);
	pd_free(writing->totals);
	pd_free(writing->costs);
	pd_free(writing->path);
	pd_paged_release(&writing->sums);
	pd_stack_tree_release(&writing->tree);
	pd_stack_route_free(writing->route);
	pd_stack_labels_free(writing->labels);
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	struct writing writing = { .state = state, .account = pd_profile_account(state->gather.profile) };
	enum perfdata_status status = pd_stack_gather_finish(&state->gather);
	if (status == PERFDATA_OK)
		status = set_up_writing(&writing);
	if (status == PERFDATA_OK)
		status = add_up(&writing);
	if (status == PERFDATA_OK) {
		put_header(&writing, end, out);
		status = put_body(&writing, out);
	}
	release_writing(&writing);
	return pd_stack_ended(status, out);
}

const struct perfdata_emitter pd_emitter_callgrind = {
	.name = "callgrind",
	.task = PERFDATA_TASK_VIEW,
	.help = "costs and calls of functions, for KCachegrind and callgrind_annotate",
	.needs = STACK_GATHER_NEEDS,
	.configure = pd_stack_configure,
	.option_rules = pd_stack_rules_state,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT | PERFDATA_EMITTER_LIGHT,
	.mime = "text/plain",
	.suffix = "callgrind",
	STACK_EMITTER(pd_stack_release),
	STACK_SUMS,
};
