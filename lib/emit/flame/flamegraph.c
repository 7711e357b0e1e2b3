/* SPDX-License-Identifier: MIT */
/* `flamegraph`: one HTML page that shows where the time goes, without resources from elsewhere; or an SVG picture. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/port.h"
#include "branches/branches.h"
#include "emit/emitters.h"
#include "emit/report/annotated.h"
#include "emit/flame/flamegraph.h"
#include "profile/key_name.h"
#include "profile/profile_read.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_head.h"
#include "emit/stacks/stack_pack.h"
#include "session/session.h"

enum { SLICE = 1000000 /* ns */, MAX_NODES = 1000000, WIDTH = 1200 };

static const struct perfdata_emitter_option options[] = {
	{ .name = "base", .kind = PERFDATA_OPTION_TEXT, .argument = "FILE",
	  .help = "colour changes since this recording; repeated: since these repeat runs" },
	{ .name = "repeat", .kind = PERFDATA_OPTION_TEXT, .argument = "FILE",
	  .help = "add a repeat run to the recording; may be given several times" },
	{ .name = "map-dso", .kind = PERFDATA_OPTION_TEXT, .argument = "OLD=NEW",
	  .help = "the file OLD of the base was renamed to NEW; may be given several times" },
	{ .name = "map-symbol", .kind = PERFDATA_OPTION_TEXT, .argument = "OLD=NEW",
	  .help = "as --map-dso, for functions" },
	{ .name = "svg", .kind = PERFDATA_OPTION_FLAG,
	  .help = "write a picture (SVG) instead of the page, with a graph for each event" },
	{ .name = "width", .kind = PERFDATA_OPTION_NUMBER, .argument = "N",
	  .help = "width of the picture in pixels; default 1200" },
	STACK_OPTION_WEIGHT("quantity for widths in the picture"),
	STACK_OPTIONS_STATE,
	{ .name = "inline", .kind = PERFDATA_OPTION_FLAG,
	  .help = "inlined functions are boxes (default; --no-inline leaves them out)" },
	{ .name = "max-boxes", .kind = PERFDATA_OPTION_NUMBER, .argument = "N",
	  .help = "draw at most N boxes, and join the smallest boxes of each caller; default 1000000" },
	{ .name = "annotate", .kind = PERFDATA_OPTION_NUMBER, .argument = "N",
	  .help = "put the instructions and lines of the N heaviest functions into the page" },
	ANNOTATE_OPTIONS_SOURCE,
	STACK_OPTIONS_CHOICE,
	STACK_OPTION_TRUNCATED,
	{ 0 },
};

static const struct perfdata_option_rule rules[] = {
	STACK_RULES_STATE,
	{ .name = "map-dso", .needs = "base|repeat" },
	{ .name = "map-symbol", .needs = "base|repeat" },
	{ .name = "width", .needs = "svg", .least = 100, .most = 100000 },
	{ .name = "max-boxes", .least = 1 },
	{ .name = "annotate", .excludes = "svg", .least = 1 },
	{ .name = "source", .needs = "annotate" },
	{ .name = "map-path", .needs = "source" },
	{ 0 },
};

enum list { REPEATS, BASES, FILES, SYMBOLS, NR_LISTS };
static const char *const list_names[NR_LISTS] = { "repeat", "base", "map-dso", "map-symbol" };

struct state {
	struct stack_gather gather;
	struct pd_profile_read *const *others; /* repeat runs, then bases */
	const char **texts[NR_LISTS];    /* the values of the options that the user may repeat */
	size_t nr[NR_LISTS];
	size_t nr_others;
	struct stack_listener listener;
	bool picture, by_samples, inlines;
	uint64_t width, max_boxes, nr_annotated;
	struct pd_sources *sources;
	struct flame_states *states;     /* of the page: what threads did over time */
	struct pd_branches *branches;    /* NULL: no functions are annotated, or some stacks are excluded */
};

static void release_state(void *pointer)
{
	struct state *state = pointer;
	if (!state)
		return;
	pd_sources_free(state->sources);
	pd_flame_states_free(state->states);
	pd_branches_free(state->branches);
	pd_stack_gather_release(&state->gather);
	for (unsigned list = 0; list < NR_LISTS; list++)
		pd_free(state->texts[list]);
	pd_free(state);
}

/* Collects the values of repeatable options. False without memory. */
static bool collect_lists(struct state *state, const struct perfdata_emit_context *context)
{
	for (unsigned list = 0; list < NR_LISTS; list++) {
		const char **texts = state->texts[list] = pd_calloc(context->nr_options + 1, sizeof *texts);
		for (size_t i = 0; texts && i < context->nr_options; i++)
			if (!strcmp(context->options[i].option->name, list_names[list]))
				texts[state->nr[list]++] = context->options[i].text;
		if (!texts)
			return false;
	}
	return true;
}

static const char *const others_named[] = { "repeat", "base", NULL };
static const struct pd_profile_others others = { .options = others_named,
						 .wanted = { .parts = PD_BY_THREAD | PD_BY_COMM |
								      PD_BY_CPU | PD_BY_SLICE,
							     .slice = SLICE,
							     .by_period = true,
							     .names = PD_NAMES_LINES } };

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	const struct perfdata_emitter_option_value *values = context->options;
	const size_t nr = context->nr_options;
	struct state *state = pointer;
	(void)out;
	state->picture = perfdata_option_flag(values, nr, "svg", false);
	state->by_samples = pd_stack_option_is(values, nr, "weight", "samples");
	state->inlines = perfdata_option_flag(values, nr, "inline", true);
	state->width = perfdata_option_number(values, nr, "width", WIDTH);
	state->max_boxes = perfdata_option_number(values, nr, "max-boxes", MAX_NODES);
	state->nr_annotated = perfdata_option_number(values, nr, "annotate", 0);
	/* the page shows samples and periods; time off the CPU is a third weight */
	if (!state->picture && perfdata_option_text(values, nr, "weight") && !pd_session_off_cpu(context->session)) {
		snprintf(context->reterr->message, sizeof context->reterr->message,
			 "--weight changes nothing without --svg");
		return PERFDATA_EUSAGE;
	}
	state->listener = pd_stack_listener_of(context);
	if (!collect_lists(state, context))
		return PERFDATA_ENOMEM;
	for (unsigned list = FILES; list <= SYMBOLS; list++)
		for (size_t i = 0; i < state->nr[list]; i++)
			if (!pd_key_is_rule(state->texts[list][i]))
				return pd_error(context->reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
						"--%s takes OLD=NEW, not '%.200s'", list_names[list],
						state->texts[list][i]);
	state->others = context->others;
	state->nr_others = context->nr_others;
	if (state->nr_others != state->nr[REPEATS] + state->nr[BASES])
		return pd_error(context->reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"--base and --repeat need perfdata_convert, which opens these recordings");
	if (!state->picture && !(state->states = pd_flame_states_new(pd_session_account(context->session))))
		return PERFDATA_ENOMEM;
	const struct pd_branches_options branches = { .rule = PD_BRANCHES_FRAMES, .what = PD_BRANCHES_STACKS };
	enum perfdata_status status = state->picture ? PERFDATA_OK : pd_stack_pack_load(context);
	if (status == PERFDATA_OK)
		status = pd_annotate_sources(context, &state->sources);
	if (status == PERFDATA_OK)
		status = pd_stack_gather_begin(&state->gather, context, &others.wanted);
	if (status == PERFDATA_OK && state->nr_annotated && !state->gather.choice)
		status = pd_branches_new(context->session, context->reader, &branches, &state->branches);
	return status;
}

STACK_BEGIN(set_up, release_state)

/* The page shows time off the CPU as a separate event. A base is compared by the weights that it has. */
static enum perfdata_status choose_weights(void *user, struct perfdata_configuration *configuration)
{
	const struct perfdata_emitter_option_value *values = configuration->options;
	const size_t nr = configuration->nr_options;
	const enum perfdata_status status = pd_stack_configure(user, configuration);
	if (perfdata_option_flag(values, nr, "svg", false))
		return status;
	configuration->spans = FLAME_STATES_SPANS;
	if (!perfdata_option_text(values, nr, "weight") && !perfdata_option_text(values, nr, "base") &&
	    !perfdata_option_text(values, nr, "repeat"))
		configuration->off_cpu = PERFDATA_OFF_CPU_BESIDE;
	return status;
}

/* --- parts -------------------------------------------------------------------------------------------------------- */

struct part {
	struct pd_profile_part *profile;
	struct flame_states_part *states;    /* of the page */
	struct pd_branches_part *branches;   /* of annotated functions */
};

static void free_part(void *pointer)
{
	struct part *part = pointer;
	if (!part)
		return;
	pd_profile_part_free(part->profile);
	pd_flame_states_part_free(part->states);
	pd_branches_part_free(part->branches);
	pd_free(part);
}

static enum perfdata_status scan_batch(void *pointer, const struct perfdata_batch *batch, void **ret_value)
{
	struct state *state = pointer;
	(void)batch;
	return pd_branches_scan(state->branches, ret_value);
}

static enum perfdata_status format_batch(const void *pointer, const struct perfdata_batch *batch, void *value,
					 struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct state *state = pointer;
	struct part *part = pd_calloc(1, sizeof *part);
	(void)scratch;
	(void)out;
	if (!part)
		return PERFDATA_ENOMEM;
	enum perfdata_status status = pd_profile_collect(state->gather.profile, batch, &part->profile);
	if (status == PERFDATA_OK && state->states && !(part->states = pd_flame_states_collect(batch)))
		status = PERFDATA_ENOMEM;
	if (status == PERFDATA_OK)
		status = pd_branches_collect(state->branches, batch, value, &part->branches);
	if (status == PERFDATA_OK)
		*ret_part = part;
	else
		free_part(part);
	return status;
}

static enum perfdata_status merge_part(void *pointer, void *part_pointer, struct perfdata_text *out)
{
	struct state *state = pointer;
	struct part *part = part_pointer;
	(void)out;
	enum perfdata_status status = pd_profile_add(state->gather.profile, part->profile);
	part->profile = NULL;
	if (status == PERFDATA_OK && part->states)
		status = pd_flame_states_add(state->states, part->states);
	if (status == PERFDATA_OK && part->branches) {
		status = pd_branches_add(state->branches, part->branches);
		part->branches = NULL;
	}
	free_part(part);
	return status;
}

/* --- checks that runs are comparable ------------------------------------------------------------------------------ */

static const double little = 0.9;    /* of the weight: a smaller common part is worth a warning */

/* Describes what the bases and the recording have in common in an event, in at most SIZE bytes. */
enum { SIZE = 768 };
static void spell_match(const struct flamegraph *graph, uint32_t event, const struct flame_match *match, char *line)
{
	const int used = snprintf(line, SIZE,
				  "%.80s: little matches: common functions have %.1f %% of the weight of the base, "
				  "%.1f %% of the recording's",
				  perfdata_reader_event(graph->recording->reader, event)->name,
				  match->matched[1] * 100, match->matched[0] * 100);
	if (match->files[0] && match->files[1])
		snprintf(line + used, (size_t)(SIZE - used),
			 "; if %.80s was renamed to %.80s, pass --map-dso '%.80s=%.80s'", match->files[0],
			 match->files[1], match->files[0], match->files[1]);
}

enum { PAIRS_TOLD = 5 };

static enum perfdata_status find_renamed(const struct state *state, struct flamegraph *graph, char **lines)
{
	size_t nr;
	const struct pd_file_pair *pairs = pd_flame_data_pairs(graph->data, &nr);
	for (size_t i = 0; i < nr; i++) {
		char *line = pd_calloc(1, SIZE);
		if (!line)
			return PERFDATA_ENOMEM;
		pd_file_pair_spell(&pairs[i], line, SIZE);
		pd_stack_report(&state->listener, PERFDATA_FINDING_BASE_RENAMED, line);
		if (i < PAIRS_TOLD)
			lines[graph->nr_unmatched++] = line;
		else
			pd_free(line);
	}
	return PERFDATA_OK;
}

static bool has_event(const struct flame_run *run, const char *name)
{
	for (uint32_t i = 0; i < pd_profile_nr_events(run->profile); i++)
		if (pd_profile_event(run->profile, i) && !strcmp(perfdata_reader_event(run->reader, i)->name, name))
			return true;
	return false;
}

/* Notes that events of repeat runs only are not shown. */
static enum perfdata_status find_left_out(const struct state *state, struct flamegraph *graph, char **lines)
{
	for (size_t run = 1; run < graph->nr_runs; run++) {
		const struct flame_run *of = &graph->recording[run];
		for (uint32_t i = 0; i < pd_profile_nr_events(of->profile); i++) {
			const char *name = perfdata_reader_event(of->reader, i)->name;
			if (!pd_profile_event(of->profile, i) || has_event(graph->recording, name))
				continue;
			char *line = lines[graph->nr_unmatched] = pd_calloc(1, SIZE);
			if (!line)
				return PERFDATA_ENOMEM;
			graph->nr_unmatched++;
			snprintf(line, SIZE, "%.80s: left out, since only the repeat run %.400s has this event", name,
				 perfdata_reader_header(of->reader)->name);
			pd_stack_report(&state->listener, PERFDATA_FINDING_BASE_UNMATCHED, line);
		}
	}
	return PERFDATA_OK;
}

static enum perfdata_status find_unmatched(const struct state *state, struct flamegraph *graph, char **lines)
{
	for (uint32_t i = 0; graph->nr_bases && i < pd_profile_nr_events(graph->recording->profile); i++) {
		struct flame_match match;
		if (!pd_profile_event(graph->recording->profile, i))
			continue;
		const enum perfdata_status status = pd_flame_data_matched(graph->data, i, &match);
		if (status != PERFDATA_OK)
			return status;
		if (match.matched[0] >= little || match.matched[1] >= little)
			continue;
		char *line = lines[graph->nr_unmatched] = pd_calloc(1, SIZE);
		if (!line)
			return PERFDATA_ENOMEM;
		graph->nr_unmatched++;
		spell_match(graph, i, &match, line);
		pd_stack_report(&state->listener, PERFDATA_FINDING_BASE_UNMATCHED, line);
	}
	return PERFDATA_OK;
}

enum { BROKEN_TOLD = 3 };    /* of an event */

static bool add_line(struct flamegraph *graph, char **lines, const struct perfdata_text *text)
{
	char *line = perfdata_text_failed(text) ? NULL : pd_calloc(1, SIZE);
	if (!line)
		return false;
	lines[graph->nr_unmatched++] = line;
	snprintf(line, SIZE, "%.*s", (int)text->size, text->size ? text->data : "");
	return true;
}

/* Number of events for which the page notes stacks that end too early. */
static size_t nr_events_broken(const struct flamegraph *graph)
{
	struct pd_broken_file file;
	struct perfdata_text line;
	size_t nr = 0;
	perfdata_text_init(&line);
	for (uint32_t i = 0; i < pd_profile_nr_events(graph->recording->profile); i++) {
		const struct pd_broken_stacks *broken = pd_flame_data_broken(graph->data, i);
		nr += broken && (pd_broken_stacks_files(broken, &file, 1) ||
				 pd_broken_stacks_spell_cut(broken, perfdata_reader_event(graph->recording->reader, i),
							    &line));
	}
	perfdata_text_release(&line);
	return nr;
}

/* Begins the line with the event's name; event NULL: only one event has lines. */
static void begin_line(const char *event, struct perfdata_text *line)
{
	perfdata_text_clear(line);
	if (!event)
		return;
	perfdata_text_shortened(line, event, 40);
	perfdata_text_literal(line, ": ");
}

/* Notes stacks that end too early, since their callers are missing in the page, and the options that chose stacks. */
static enum perfdata_status find_broken(const struct state *state, struct flamegraph *graph, char **lines)
{
	const struct flame_run *run = graph->recording;
	struct pd_broken_file files[BROKEN_TOLD];
	struct perfdata_text line;
	bool fine = true;
	perfdata_text_init(&line);
	if (state->gather.choice) {
		perfdata_text_literal(&line, "only stacks ");
		pd_stack_choice_spell(state->gather.choice, &line);
		fine = add_line(graph, lines, &line);
	}
	const bool several = nr_events_broken(graph) > 1;
	for (uint32_t i = 0; i < pd_profile_nr_events(run->profile) && fine; i++) {
		const struct pd_broken_stacks *broken = pd_flame_data_broken(graph->data, i);
		const struct perfdata_event *event = perfdata_reader_event(run->reader, i);
		const size_t nr = broken ? pd_broken_stacks_files(broken, files, BROKEN_TOLD) : 0;
		begin_line(several ? event->name : NULL, &line);
		if (broken && pd_broken_stacks_spell_cut(broken, event, &line))
			fine = add_line(graph, lines, &line);
		for (size_t k = 0; k < nr && fine; k++) {
			begin_line(several ? event->name : NULL, &line);
			pd_broken_stacks_spell(&files[k], run->session, event, &line);
			fine = add_line(graph, lines, &line);
		}
	}
	perfdata_text_release(&line);
	return fine ? PERFDATA_OK : PERFDATA_ENOMEM;
}

/* A rule OLD=NEW without a matching name in a base is probably misspelled. */
static enum perfdata_status find_unused(const struct state *state, struct flamegraph *graph, const bool *used,
					char **lines)
{
	for (unsigned list = FILES; list <= SYMBOLS; list++) {
		for (size_t i = 0; i < state->nr[list]; i++) {
			if (*used++)
				continue;
			char *line = lines[graph->nr_unmatched] = pd_calloc(1, SIZE);
			if (!line)
				return PERFDATA_ENOMEM;
			graph->nr_unmatched++;
			snprintf(line, SIZE, "--%s: nothing in the base has the old name in '%.400s'", list_names[list],
				 state->texts[list][i]);
			pd_stack_report(&state->listener, PERFDATA_FINDING_BASE_UNMATCHED, line);
		}
	}
	return PERFDATA_OK;
}

static enum perfdata_status draw_runs(struct state *state, const struct perfdata_emit_end *end,
				      const struct flame_run *runs, struct perfdata_text *out)
{
	const size_t nr_rules = state->nr[FILES] + state->nr[SYMBOLS];
	bool *used = nr_rules ? pd_calloc(nr_rules, sizeof *used) : NULL;
	const struct flame_options asked = { .inlines = state->inlines,
					     .slice = SLICE,
					     .choice = state->gather.choice,
					     .tells_cut = state->gather.tells_cut,
					     .max_nodes = state->max_boxes < SIZE_MAX ? (size_t)state->max_boxes
										      : SIZE_MAX,
					     .match = { .same_files = state->texts[FILES],
							.nr_same_files = state->nr[FILES],
							.same_symbols = state->texts[SYMBOLS],
							.nr_same_symbols = state->nr[SYMBOLS],
							.used = used } };
	const size_t nr[] = { 1 + state->nr[REPEATS], PD_OPENS_OTHER_RECORDINGS ? state->nr[BASES] : 0 };
	size_t most_lines =
		2 + PAIRS_TOLD + nr_rules + (1 + BROKEN_TOLD) * (size_t)pd_profile_nr_events(runs->profile);
	for (size_t run = 0; run < nr[0]; run++)
		most_lines += pd_profile_nr_events(runs[run].profile);
	char **lines = pd_calloc(most_lines, sizeof *lines);
	struct flamegraph graph = { .recording = runs,
				    .bases = runs + nr[0],
				    .nr_runs = nr[0],
				    .nr_bases = nr[1],
				    .end = end,
				    .width = state->width,
				    .by_samples = state->by_samples,
				    .inlines = state->inlines,
				    .choice = state->gather.choice,
				    .match = &asked.match,
				    .gather = &state->gather,
				    .states = state->states,
				    .nr_annotated = state->nr_annotated,
				    .sources = state->sources,
				    .branches = state->branches,
				    .unmatched = lines };
	enum perfdata_status status = lines && (used || !nr_rules) ? pd_flame_data_new(&asked, runs, nr, &graph.data)
								   : PERFDATA_ENOMEM;
	if (status == PERFDATA_OK)
		status = find_broken(state, &graph, lines);
	if (status == PERFDATA_OK)
		status = find_renamed(state, &graph, lines);
	if (status == PERFDATA_OK)
		status = find_left_out(state, &graph, lines);
	if (status == PERFDATA_OK)
		status = find_unmatched(state, &graph, lines);
	if (status == PERFDATA_OK)
		status = find_unused(state, &graph, used, lines);
	if (status == PERFDATA_OK)
		status = state->picture ? pd_flamegraph_picture(&graph, out) : pd_flamegraph_page(&graph, out);
	if (status == PERFDATA_OK)
		status = pd_stack_tree_failed(pd_flame_data_tree(graph.data));
	pd_flame_data_free(graph.data);
	pd_free(used);
	for (size_t i = 0; i < graph.nr_unmatched; i++)
		pd_free(lines[i]);
	pd_free(lines);
	return status;
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	enum perfdata_status status = pd_profile_finish(state->gather.profile);
	if (status != PERFDATA_OK)
		return status;
	struct flame_run *runs = pd_calloc(1 + state->nr_others, sizeof *runs);
	if (!runs)
		return PERFDATA_ENOMEM;
	runs[0] = (struct flame_run){ state->gather.session, state->gather.reader, state->gather.profile,
				      end->summary };
	for (size_t i = 0; i < state->nr_others; i++) {
		struct perfdata_session *session = pd_profile_read_session(state->others[i]);
		runs[i + 1] = (struct flame_run){ session, pd_session_reader(session),
						  pd_profile_read_profile(state->others[i]),
						  perfdata_session_summary(session) };
	}
	status = draw_runs(state, end, runs, out);
	if (status == PERFDATA_OK)
		pd_stack_choice_report(state->gather.choice);
	pd_free(runs);
	return pd_stack_ended(status, out);
}

const struct perfdata_emitter pd_emitter_flamegraph = {
	.name = "flamegraph",
	.task = PERFDATA_TASK_VIEW,
	.help = "one HTML page with a flame graph, or a picture",
	.needs = STACK_GATHER_NEEDS | PERFDATA_NEED_CUT_STACKS,
	.configure = choose_weights,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT | PERFDATA_EMITTER_LIGHT,
	.mime = "text/html",
	.suffix = "html",
	.option_rules = rules,
	.others = &others,
	STACK_EMITTER(release_state),
	.scan = scan_batch,
	.format = format_batch,
	.merge = merge_part,
	.free_part = free_part,
};
