/* SPDX-License-Identifier: MIT */
/* The functions with samples, heaviest first, and the sums at each of their addresses. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/account.h"
#include "base/error.h"
#include "base/memory.h"
#include "emit/report/annotated.h"
#include "emit/stacks/stack_text.h"
#include "session/session.h"

/* --- addresses with samples --------------------------------------------------------------------------------------- */

/* An address of a function. */
struct place {
	uint32_t frame;
	uint64_t address;
};
struct function {
	uint32_t dso, frame;         /* frame: at one of its addresses */
	uint64_t start, time;
	bool is_known;               /* false: all unnamed code of the file, or a state off the CPU */
	const char *name;
	size_t first, nr;            /* range in `places`, after sorting */
	double share;                /* largest share of any event: shares of events cannot be added */
};

struct annotate_functions {
	const struct stack_gather *gather;
	bool by_samples;
	uint32_t *column;            /* by index of the event; PERFDATA_NONE: no samples */
	struct annotate_event *events;
	size_t nr_events;
	uint32_t *place_of;          /* by frame: index in `places` + 1 */
	size_t place_of_room;
	struct place *places;
	size_t nr_places, places_room;
	uint64_t *sums;              /* by place: a pair for each event */
	size_t sums_room;
	struct function *functions;
	size_t nr_functions, functions_room;
	struct pd_annotate_hit *hits;  /* of the current function */
	struct pd_annotator *annotator;
	struct pd_account *account;
	size_t accounted;
};

static enum perfdata_status list_events(struct annotate_functions *all)
{
	const struct stack_gather *gather = all->gather;
	const uint32_t nr = pd_profile_nr_events(gather->profile);
	all->column = pd_calloc(nr + 1u, sizeof *all->column);
	all->events = pd_calloc(nr + 1u, sizeof *all->events);
	if (!all->column || !all->events)
		return PERFDATA_ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		const struct pd_profile_sums *sums = pd_profile_event_whole(gather->profile, i);
		const struct perfdata_event *event = perfdata_reader_event(gather->reader, i);
		all->column[i] = sums ? (uint32_t)all->nr_events : PERFDATA_NONE;
		if (sums)
			all->events[all->nr_events++] =
				(struct annotate_event){ .name = event->name,
							 .is_time = pd_stack_event_is_time(event),
							 .is_precise = perfdata_attr_precise_ip(event->attr) > 0,
							 .all = { sums->samples, sums->weight } };
	}
	return PERFDATA_OK;
}

static void account_for(struct annotate_functions *all)
{
	const size_t size = all->place_of_room * sizeof *all->place_of +
			    all->places_room * sizeof *all->places + all->sums_room * sizeof *all->sums;
	pd_account_change(all->account, PD_USE_PROFILE, all->accounted, size);
	all->accounted = size;
}

static enum perfdata_status add_entry(struct annotate_functions *all, const struct pd_profile_entry *entry)
{
	struct pd_profile *profile = all->gather->profile;
	struct pd_profile_node node;
	if (!entry->key.node)
		return PERFDATA_OK;
	const enum perfdata_status status = pd_profile_node(profile, entry->key.node, &node);
	if (status != PERFDATA_OK || node.frame == PERFDATA_NONE)
		return status;
	if (pd_vector_reach(&all->place_of, &all->place_of_room, node.frame, sizeof *all->place_of) < 0)
		return PERFDATA_ENOMEM;
	uint32_t *number = &all->place_of[node.frame];
	const size_t pair = 2 * all->nr_events;
	if (!*number) {
		if (pd_vector_grow(&all->places, &all->places_room, all->nr_places, sizeof *all->places) <
			    0 ||
		    pd_vector_reach(&all->sums, &all->sums_room, (all->nr_places + 1) * pair - 1,
				    sizeof *all->sums) < 0)
			return PERFDATA_ENOMEM;
		all->places[all->nr_places++] = (struct place){ .frame = node.frame };
		*number = (uint32_t)all->nr_places;
		account_for(all);
		if (pd_account_is_exhausted(all->account))
			return PERFDATA_ENOMEM;
	}
	uint64_t *sums = &all->sums[(*number - 1) * pair + 2 * all->column[entry->key.event]];
	sums[0] += entry->sums.samples;
	sums[1] += entry->sums.weight;
	return PERFDATA_OK;
}

static enum perfdata_status add_entries(struct annotate_functions *all)
{
	const struct pd_profile_entry *entry;
	struct pd_profile_walk *walk;
	enum perfdata_status status = pd_profile_walk_new(all->gather->profile, &walk);
	if (status != PERFDATA_OK)
		return status;
	while ((status = pd_profile_walk_next(walk, &entry)) == PERFDATA_OK)
		if ((status = add_entry(all, entry)) != PERFDATA_OK)
			break;
	pd_profile_walk_free(walk);
	return status == PERFDATA_END ? PERFDATA_OK : status;
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

/* A place and its function, for sorting. */
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

static struct function function_of(const struct annotate_functions *all, uint32_t frame, uint64_t *ret_address)
{
	const struct perfdata_session *session = all->gather->session;
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	struct perfdata_symbol symbol;
	struct function function = { .dso = at->dso, .frame = frame, .time = at->time,
				     .name = pd_session_nameless_text(session, frame) };
	*ret_address = at->address;
	if (perfdata_session_symbol(session, frame, UINT64_MAX, &symbol) == PERFDATA_OK) {
		function.is_known = perfdata_session_dso(session, at->dso)->kind != PERFDATA_DSO_STATE;
		function.start = symbol.start;
		function.name = symbol.name;
	}
	return function;
}

/* Updates the function's largest share. */
static void add_share(const struct annotate_functions *all, struct function *function, const uint64_t *totals)
{
	const unsigned unit = all->by_samples ? 0 : 1;
	for (size_t i = 0; i < all->nr_events; i++) {
		const double share = pd_stack_percent(totals[2 * i + unit], all->events[i].all[unit]);
		function->share = share > function->share ? share : function->share;
	}
}

/* Makes the list of functions, and sorts the places by function. */
static enum perfdata_status find_functions(struct annotate_functions *all)
{
	const size_t pair = 2 * all->nr_events;
	struct held *held = pd_calloc(all->nr_places + 1, sizeof *held);
	struct place *sorted = pd_calloc(all->nr_places + 1, sizeof *sorted);
	uint64_t *totals = pd_calloc(pair + 1, sizeof *totals);
	enum perfdata_status status = held && sorted && totals ? PERFDATA_OK : PERFDATA_ENOMEM;
	for (size_t i = 0; i < all->nr_places && status == PERFDATA_OK; i++) {
		held[i].function = function_of(all, all->places[i].frame, &held[i].address);
		held[i].place = (uint32_t)i;
	}
	if (status == PERFDATA_OK && all->nr_places)
		qsort(held, all->nr_places, sizeof *held, compare_held);
	for (size_t i = 0; i < all->nr_places && status == PERFDATA_OK; i++) {
		if (!i || compare_functions(&held[i - 1].function, &held[i].function)) {
			if (all->nr_functions)
				add_share(all, &all->functions[all->nr_functions - 1], totals);
			memset(totals, 0, pair * sizeof *totals);
			if (pd_vector_grow(&all->functions, &all->functions_room, all->nr_functions,
					   sizeof *all->functions) < 0) {
				status = PERFDATA_ENOMEM;
				break;
			}
			all->functions[all->nr_functions] = held[i].function;
			all->functions[all->nr_functions++].first = i;
		}
		all->functions[all->nr_functions - 1].nr++;
		sorted[i] = (struct place){ .frame = held[i].place, .address = held[i].address };
		for (size_t k = 0; k < pair; k++)
			totals[k] += all->sums[held[i].place * pair + k];
	}
	if (status == PERFDATA_OK && all->nr_functions)
		add_share(all, &all->functions[all->nr_functions - 1], totals);
	if (status == PERFDATA_OK) {
		pd_free(all->places);
		all->places = sorted;   /* from here on, `frame` is the index of the place's sums */
		sorted = NULL;
	}
	pd_free(held);
	pd_free(sorted);
	pd_free(totals);
	return status;
}

/* --- options ------------------------------------------------------------------------------------------------------ */

/* PERFDATA_EUSAGE: the rule is not OLD=NEW. */
static enum perfdata_status add_map(const struct perfdata_emit_context *context, const char *rule,
				    struct pd_sources *sources)
{
	const char *equals = strchr(rule, '=');
	if (!equals || equals == rule)
		return pd_error(context->reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"--map-path takes OLD=NEW, not '%.200s'", rule);
	return pd_sources_map(sources, rule, (size_t)(equals - rule), equals + 1);
}

enum perfdata_status pd_annotate_sources(const struct perfdata_emit_context *context, struct pd_sources **ret)
{
	const char *folder = perfdata_option_text(context->options, context->nr_options, "source");
	*ret = NULL;
	if (!folder)
		return PERFDATA_OK;
	enum perfdata_status status = pd_sources_new(context->session, folder, ret);
	if (status != PERFDATA_OK)
		return pd_error(context->reterr, status == PERFDATA_ABSENT ? PERFDATA_EREAD : status,
				PERFDATA_NO_OFFSET, "--source %.200s: %s", folder, strerror(errno));
	for (size_t i = 0; i < context->nr_options && status == PERFDATA_OK; i++)
		if (!strcmp(context->options[i].option->name, "map-path"))
			status = add_map(context, context->options[i].text, *ret);
	return status;
}

/* --- for emitters ------------------------------------------------------------------------------------------------- */

void pd_annotate_functions_free(struct annotate_functions *all)
{
	if (!all)
		return;
	pd_account_give(all->account, PD_USE_PROFILE, all->accounted);
	pd_annotator_free(all->annotator);
	pd_free(all->column);
	pd_free(all->events);
	pd_free(all->place_of);
	pd_free(all->places);
	pd_free(all->sums);
	pd_free(all->functions);
	pd_free(all->hits);
	pd_free(all);
}

enum perfdata_status pd_annotate_functions_new(const struct stack_gather *gather, bool by_samples,
					       struct annotate_functions **ret)
{
	struct annotate_functions *all = pd_calloc(1, sizeof *all);
	if (!all)
		return PERFDATA_ENOMEM;
	all->gather = gather;
	all->by_samples = by_samples;
	all->account = pd_profile_account(gather->profile);
	enum perfdata_status status = list_events(all);
	if (status == PERFDATA_OK)
		status = add_entries(all);
	if (status == PERFDATA_OK)
		status = find_functions(all);
	if (status == PERFDATA_OK && !(all->hits = pd_calloc(all->nr_places + 1, sizeof *all->hits)))
		status = PERFDATA_ENOMEM;
	if (status == PERFDATA_OK)
		status = pd_annotator_new(gather->session, all->nr_events, &all->annotator);
	if (status != PERFDATA_OK) {
		pd_annotate_functions_free(all);
		return status;
	}
	if (all->nr_functions)
		qsort(all->functions, all->nr_functions, sizeof *all->functions, compare_shares);
	*ret = all;
	return PERFDATA_OK;
}

const struct annotate_event *pd_annotate_functions_events(const struct annotate_functions *all, size_t *ret_nr)
{
	*ret_nr = all->nr_events;
	return all->events;
}

const char *pd_annotate_functions_name(const struct annotate_functions *all, size_t number, bool *ret_known)
{
	if (number >= all->nr_functions)
		return NULL;
	*ret_known = all->functions[number].is_known;
	return all->functions[number].name;
}

struct annotate_place pd_annotate_functions_place(const struct annotate_functions *all, size_t number)
{
	return (struct annotate_place){ all->functions[number].dso, all->functions[number].start };
}

/* Fills the hits of the current function. */
static const struct function *take_hits(struct annotate_functions *all, size_t number)
{
	const struct function *function = &all->functions[number];
	for (size_t i = 0; i < function->nr; i++) {
		const struct place *place = &all->places[function->first + i];
		all->hits[i] = (struct pd_annotate_hit){ place->address,
							 &all->sums[place->frame * 2 * all->nr_events] };
	}
	return function;
}

enum perfdata_status pd_annotate_functions_rows(struct annotate_functions *all, size_t number,
						struct pd_annotation *ret)
{
	const struct function *function = take_hits(all, number);
	return pd_annotate(all->annotator, function->frame, all->hits, function->nr, ret);
}

static bool matches_wanted(void *user, const char *name) { return pd_stack_name_matches(name, user); }

enum perfdata_status pd_annotate_functions_inlined(struct annotate_functions *all, size_t number, const char *wanted,
						   struct pd_annotation *ret)
{
	const struct function *function = take_hits(all, number);
	/* matches_wanted does not write to it */
	void *user = (void *)(uintptr_t)wanted;
	if (!pd_annotate_has_inlined(all->annotator, function->frame, all->hits, function->nr, matches_wanted, user))
		return PERFDATA_ABSENT;
	const enum perfdata_status status = pd_annotate(all->annotator, function->frame, all->hits, function->nr, ret);
	return status != PERFDATA_OK ? status
				     : pd_annotate_keep_inlined(all->annotator, ret, matches_wanted, user);
}
