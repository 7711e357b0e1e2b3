/* SPDX-License-Identifier: MIT */
/* `annotate`: the addresses of functions with what they weigh: instructions, lines, inlined functions. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/account.h"
#include "base/error.h"
#include "base/memory.h"
#include "emit/emitters.h"
#include "emit/stacks/annotated.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_text.h"

static const struct perfdata_emitter_option options[] = {
	{ .name = "symbol",
	  .kind = PERFDATA_OPTION_TEXT,
	  .argument = "NAME",
	  .help = "the function; * is any text; without it the heaviest ones" },
	{ .name = "top",
	  .kind = PERFDATA_OPTION_NUMBER,
	  .argument = "N",
	  .help = "at most N functions, heaviest first; default 3, with --symbol all that have the name; 0 is all" },
	{ .name = "source",
	  .kind = PERFDATA_OPTION_TEXT,
	  .argument = "DIR",
	  .help = "show lines of source files that are below DIR, by the longest end of their paths that DIR has" },
	{ .name = "weight",
	  .kind = PERFDATA_OPTION_CHOICE,
	  .argument = STACK_WEIGHTS,
	  .help = "what shares are of; default period, or wall where time off the CPU was recorded" },
	STACK_OPTIONS_CHOICE,
	{ .name = "json", .kind = PERFDATA_OPTION_FLAG, .help = "answer as one JSON document" },
	{ .name = "color",
	  .kind = PERFDATA_OPTION_CHOICE,
	  .argument = "auto|always|never",
	  .help = "colours; default auto: on a terminal, unless NO_COLOR is set" },
	{ .name = "width",
	  .kind = PERFDATA_OPTION_NUMBER,
	  .argument = "N",
	  .help = "shorten names of functions to N columns; 0: do not; default the terminal's width, else 100" },
	{ 0 },
};

static const struct perfdata_option_rule rules[] = {
	{ .name = "json", .excludes = "width|color=always" },
	{ 0 },
};

struct state {
	struct stack_gather gather;
	struct annotate_options options;
	struct pd_sources *sources;
};

static void release(void *pointer)
{
	struct state *state = pointer;
	if (!state)
		return;
	pd_sources_free(state->sources);
	pd_stack_gather_release(&state->gather);
	pd_free(state);
}

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	struct state *state = pointer;
	const struct perfdata_emitter_option_value *values = context->options;
	const size_t nr = context->nr_options;
	const char *source = perfdata_option_text(values, nr, "source"), *symbol = perfdata_option_text(values, nr,
													"symbol");
	const struct pd_profile_options wanted = { .by_period = true, .names = PD_NAMES_LINES };
	(void)out;
	state->options = (struct annotate_options){
		.symbol = symbol,
		.top = perfdata_option_number(values, nr, "top", symbol ? 0 : 3),
		.width = perfdata_option_number(values, nr, "width", 100),
		.json = perfdata_option_flag(values, nr, "json", false),
		.by_samples = pd_stack_option_is(values, nr, "weight", "samples"),
		.color = pd_stack_option_is(values, nr, "color", "always"),
	};
	if (source) {
		const enum perfdata_status status = pd_sources_new(context->session, source, &state->sources);
		if (status != PERFDATA_OK)
			return pd_error(context->reterr, status == PERFDATA_ABSENT ? PERFDATA_EUSAGE : status,
					PERFDATA_NO_OFFSET, "--source %.200s: %s", source, strerror(errno));
	}
	return pd_stack_gather_begin(&state->gather, context, &wanted);
}

STACK_BEGIN(set_up, release)

/* --- addresses with samples --------------------------------------------------------------------------------------- */

/* An address of a function. */
struct place {
	uint32_t frame;
	uint32_t function;           /* number in the list of functions */
	uint64_t address;
};
struct function {
	uint32_t dso, frame;         /* frame: one of its addresses */
	uint64_t start, time;
	bool is_known;               /* else: all of the file without a name */
	const char *name;
	size_t first, nr;            /* its places, once those are sorted */
	uint64_t weight;             /* of the first event that has any there; shares of events are not added up */
	double share;
};

struct report_writer {
	struct state *state;
	uint32_t *column;            /* by index of the event; PERFDATA_NONE: no samples */
	struct annotate_event *events;
	size_t nr_events;
	uint32_t *place_of;          /* by frame: number in `places` + 1 */
	size_t place_of_room;
	struct place *places;
	size_t nr_places, places_room;
	uint64_t *sums;              /* by place: a pair for each event */
	size_t sums_room;
	struct function *functions;
	size_t nr_functions, functions_room;
	struct pd_annotate_hit *hits;
	struct pd_account *account;
	size_t accounted;
};

static enum perfdata_status list_events(struct report_writer *writer)
{
	const struct stack_gather *gather = &writer->state->gather;
	const uint32_t nr = pd_profile_nr_events(gather->profile);
	writer->column = pd_calloc(nr + 1u, sizeof *writer->column);
	writer->events = pd_calloc(nr + 1u, sizeof *writer->events);
	if (!writer->column || !writer->events)
		return PERFDATA_ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		const struct pd_profile_sums *sums = pd_profile_event_whole(gather->profile, i);
		const struct perfdata_event *event = perfdata_reader_event(gather->reader, i);
		writer->column[i] = sums ? (uint32_t)writer->nr_events : PERFDATA_NONE;
		if (sums)
			writer->events[writer->nr_events++] =
				(struct annotate_event){ .name = event->name,
							 .is_time = pd_stack_event_is_time(event),
							 .is_precise = perfdata_attr_precise_ip(event->attr) > 0,
							 .all = { sums->samples, sums->weight } };
	}
	return PERFDATA_OK;
}

static void account_for(struct report_writer *writer)
{
	const size_t size = writer->place_of_room * sizeof *writer->place_of +
			    writer->places_room * sizeof *writer->places + writer->sums_room * sizeof *writer->sums;
	pd_account_change(writer->account, PD_USE_PROFILE, writer->accounted, size);
	writer->accounted = size;
}

static enum perfdata_status add_entry(struct report_writer *writer, const struct pd_profile_entry *entry)
{
	struct pd_profile *profile = writer->state->gather.profile;
	struct pd_profile_node node;
	if (!entry->key.node)
		return PERFDATA_OK;
	const enum perfdata_status status = pd_profile_node(profile, entry->key.node, &node);
	if (status != PERFDATA_OK || node.frame == PERFDATA_NONE)
		return status;
	if (pd_vector_reach(&writer->place_of, &writer->place_of_room, node.frame, sizeof *writer->place_of) < 0)
		return PERFDATA_ENOMEM;
	uint32_t *number = &writer->place_of[node.frame];
	const size_t pair = 2 * writer->nr_events;
	if (!*number) {
		if (pd_vector_grow(&writer->places, &writer->places_room, writer->nr_places, sizeof *writer->places) <
			    0 ||
		    pd_vector_reach(&writer->sums, &writer->sums_room, (writer->nr_places + 1) * pair - 1,
				    sizeof *writer->sums) < 0)
			return PERFDATA_ENOMEM;
		writer->places[writer->nr_places++] = (struct place){ .frame = node.frame };
		*number = (uint32_t)writer->nr_places;
		account_for(writer);
		if (pd_account_is_exhausted(writer->account))
			return PERFDATA_ENOMEM;
	}
	uint64_t *sums = &writer->sums[(*number - 1) * pair + 2 * writer->column[entry->key.event]];
	sums[0] += entry->sums.samples;
	sums[1] += entry->sums.weight;
	return PERFDATA_OK;
}

static enum perfdata_status add_entries(struct report_writer *writer)
{
	const struct pd_profile_entry *entry;
	struct pd_profile_walk *walk;
	enum perfdata_status status = pd_profile_walk_new(writer->state->gather.profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK)
		if ((status = add_entry(writer, entry)) != PERFDATA_OK)
			break;
	pd_profile_walk_free(walk);
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

/* A place with the function that holds it, for sorting. */
struct held {
	struct function function;
	uint64_t address;
	uint32_t place;
};

static int compare_functions(const struct function *a, const struct function *b)
{
	if (a->dso != b->dso)
		return a->dso > b->dso ? 1 : -1;
	if (a->is_known != b->is_known)
		return a->is_known ? 1 : -1;
	if (a->start != b->start)
		return a->start > b->start ? 1 : -1;
	return (a->time > b->time) - (a->time < b->time);
}

static int compare_held(const void *left, const void *right)
{
	const struct held *a = left, *b = right;
	const int by_function = compare_functions(&a->function, &b->function);
	if (by_function)
		return by_function;
	if (a->address != b->address)
		return a->address > b->address ? 1 : -1;
	return (a->place > b->place) - (a->place < b->place);
}

static int compare_shares(const void *left, const void *right)
{
	const struct function *a = left, *b = right;
	if (a->share < b->share || a->share > b->share)
		return a->share < b->share ? 1 : -1;
	const int by_name = strcmp(a->name, b->name);
	return by_name ? by_name : compare_functions(a, b);
}

static struct function function_of(const struct report_writer *writer, uint32_t frame, uint64_t *ret_address)
{
	const struct perfdata_session *session = writer->state->gather.session;
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	struct perfdata_symbol symbol;
	struct function function = { .dso = at->dso, .frame = frame, .time = at->time, .name = "[unknown]" };
	*ret_address = at->address;
	if (perfdata_session_symbol(session, frame, UINT64_MAX, &symbol) == PERFDATA_OK) {
		function.is_known = true;
		function.start = symbol.start;
		function.name = symbol.name;
	}
	return function;
}

/* The largest share that a function has of an event. */
static void add_share(const struct report_writer *writer, struct function *function, const uint64_t *totals)
{
	const unsigned unit = writer->state->options.by_samples ? 0 : 1;
	for (size_t i = 0; i < writer->nr_events; i++) {
		const double share = pd_stack_percent(totals[2 * i + unit], writer->events[i].all[unit]);
		function->share = share > function->share ? share : function->share;
	}
}

/* Makes the list of functions, and puts places into its order. */
static enum perfdata_status find_functions(struct report_writer *writer)
{
	const size_t pair = 2 * writer->nr_events;
	struct held *held = pd_calloc(writer->nr_places + 1, sizeof *held);
	struct place *sorted = pd_calloc(writer->nr_places + 1, sizeof *sorted);
	uint64_t *totals = pd_calloc(pair + 1, sizeof *totals);
	enum perfdata_status status = held && sorted && totals ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (size_t i = 0; i < writer->nr_places && status == PERFDATA_OK; i++) {
		held[i].function = function_of(writer, writer->places[i].frame, &held[i].address);
		held[i].place = (uint32_t)i;
	}
	if (status == PERFDATA_OK && writer->nr_places)
		qsort(held, writer->nr_places, sizeof *held, compare_held);
	for (size_t i = 0; i < writer->nr_places && status == PERFDATA_OK; i++) {
		if (!i || compare_functions(&held[i - 1].function, &held[i].function)) {
			if (writer->nr_functions)
				add_share(writer, &writer->functions[writer->nr_functions - 1], totals);
			memset(totals, 0, pair * sizeof *totals);
			if (pd_vector_grow(&writer->functions, &writer->functions_room, writer->nr_functions,
					   sizeof *writer->functions) < 0) {
				status = PERFDATA_ENOMEM;
				break;
			}
			writer->functions[writer->nr_functions] = held[i].function;
			writer->functions[writer->nr_functions++].first = i;
		}
		writer->functions[writer->nr_functions - 1].nr++;
		sorted[i] = (struct place){ .frame = held[i].place, .address = held[i].address };
		for (size_t k = 0; k < pair; k++)
			totals[k] += writer->sums[held[i].place * pair + k];
	}
	if (status == PERFDATA_OK && writer->nr_functions)
		add_share(writer, &writer->functions[writer->nr_functions - 1], totals);
	if (status == PERFDATA_OK) {
		pd_free(writer->places);
		writer->places = sorted;   /* `frame` is the number of the sums from here on */
		sorted = NULL;
	}
	pd_free(held);
	pd_free(sorted);
	pd_free(totals);
	return status;
}

/* --- output ------------------------------------------------------------------------------------------------------- */

static enum perfdata_status put_function(struct report_writer *writer, struct pd_annotator *annotator,
					 const struct annotate_head *head, const struct function *function, bool first,
					 struct perfdata_text *out)
{
	struct pd_annotation annotation;
	const size_t pair = 2 * writer->nr_events;
	for (size_t i = 0; i < function->nr; i++) {
		const struct place *place = &writer->places[function->first + i];
		writer->hits[i] = (struct pd_annotate_hit){ place->address, &writer->sums[place->frame * pair] };
	}
	const enum perfdata_status status = pd_annotate(annotator, function->frame, writer->hits, function->nr,
							&annotation);
	if (status != PERFDATA_OK)
		return status;
	if (head->options->json)
		pd_annotate_json(head, &annotation, first, out);
	else if (!pd_annotate_text(head, &annotation, out))
		return PERFDATA_ENOMEM;
	perfdata_text_cut(out);
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

static enum perfdata_status put_functions(struct report_writer *writer, const struct annotate_head *head,
					  struct perfdata_text *out)
{
	const struct annotate_options *asked = head->options;
	struct pd_annotator *annotator = NULL;
	size_t nr = 0, matching = 0;
	writer->hits = pd_calloc(writer->nr_places + 1, sizeof *writer->hits);
	enum perfdata_status status = writer->hits ? pd_annotator_new(writer->state->gather.session, writer->nr_events,
								      &annotator)
						   : PERFDATA_ENOMEM;
	if (writer->nr_functions)
		qsort(writer->functions, writer->nr_functions, sizeof *writer->functions, compare_shares);
	for (size_t i = 0; i < writer->nr_functions && status == PERFDATA_OK; i++) {
		const struct function *function = &writer->functions[i];
		if (asked->symbol ? !pd_stack_name_matches(function->name, asked->symbol) : !function->is_known)
			continue;
		matching++;
		if (asked->top && nr >= asked->top)
			continue;
		status = put_function(writer, annotator, head, function, !nr, out);
		nr++;
	}
	pd_annotator_free(annotator);
	if (status != PERFDATA_OK || asked->json)
		return status;
	if (!matching)
		perfdata_text_string(out, asked->symbol ? "no sample is in such a function; report lists functions, "
							  "* is any text\n"
							: "no sample is in a function with a name\n");
	else if (matching > nr && !asked->symbol)
		perfdata_text_printf(out, "\n(%zu more functions; --symbol NAME, --top N)\n", matching - nr);
	return PERFDATA_OK;
}

static enum perfdata_status end(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	struct report_writer writer = { .state = state, .account = pd_profile_account(state->gather.profile) };
	enum perfdata_status status = pd_stack_gather_finish(&state->gather);
	if (status == PERFDATA_OK)
		status = list_events(&writer);
	if (status == PERFDATA_OK)
		status = add_entries(&writer);
	if (status == PERFDATA_OK)
		status = find_functions(&writer);
	if (status == PERFDATA_OK) {
		const struct annotate_head head = { .options = &state->options,
						    .events = writer.events,
						    .nr_events = writer.nr_events,
						    .file = state->gather.shared_output
								    ? perfdata_reader_header(state->gather.reader)->name
								    : NULL,
						    .end = end,
						    .sources = state->sources };
		if (state->options.json)
			pd_annotate_json_head(&head, out);
		else
			pd_annotate_text_head(&head, out);
		status = put_functions(&writer, &head, out);
		if (state->options.json && status == PERFDATA_OK)
			pd_annotate_json_end(&head, out);
	}
	pd_account_give(writer.account, PD_USE_PROFILE, writer.accounted);
	pd_free(writer.column);
	pd_free(writer.events);
	pd_free(writer.place_of);
	pd_free(writer.places);
	pd_free(writer.sums);
	pd_free(writer.functions);
	pd_free(writer.hits);
	return pd_stack_ended(status, out);
}

const struct perfdata_emitter pd_emitter_annotate = {
	.name = "annotate",
	.task = PERFDATA_TASK_LOOK,
	.help = "which instructions and lines of functions take the time",
	.needs = STACK_GATHER_NEEDS,
	.configure = pd_stack_configure,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_LIGHT,
	.suffix = "txt",
	.option_rules = rules,
	STACK_EMITTER(release),
	STACK_SUMS,
};
