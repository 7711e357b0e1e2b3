/* SPDX-License-Identifier: MIT */
/* `annotate`: the weights at the addresses of functions, with instructions, lines and inlined functions. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "branches/branches.h"
#include "emit/emitters.h"
#include "emit/report/annotated.h"

static const struct perfdata_emitter_option options[] = {
	{ .name = "symbol", .kind = PERFDATA_OPTION_TEXT, .argument = "NAME",
	  .help = "functions to print; * matches any text; default: the heaviest functions" },
	{ .name = "top", .kind = PERFDATA_OPTION_NUMBER, .argument = "N",
	  .help = "print at most N functions, heaviest first; 0 is all; default 3, or all of --symbol" },
	ANNOTATE_OPTIONS_SOURCE,
	STACK_OPTION_WEIGHT("quantity that shares are of"),
	STACK_OPTIONS_CHOICE,
	{ .name = "json", .kind = PERFDATA_OPTION_FLAG, .help = "answer as one JSON document" },
	{ .name = "color", .kind = PERFDATA_OPTION_CHOICE, .argument = "auto|always|never",
	  .help = "use colours; default auto: on a terminal, unless NO_COLOR is set" },
	{ .name = "width", .kind = PERFDATA_OPTION_NUMBER, .argument = "N",
	  .help = "shorten names of functions to N columns; 0 is no limit; default: width of the terminal, or 100" },
	{ 0 },
};

static const struct perfdata_option_rule rules[] = {
	{ .name = "json", .excludes = "width|color=always" },
	{ .name = "map-path", .needs = "source" },
	{ 0 },
};

struct state {
	struct stack_gather gather;
	struct annotate_options options;
	struct pd_sources *sources;
	struct pd_branches *branches;   /* NULL: options choose some stacks, for which branches are not counted */
};

static void release_state(void *pointer)
{
	struct state *state = pointer;
	if (!state)
		return;
	pd_sources_free(state->sources);
	pd_branches_free(state->branches);
	pd_stack_gather_release(&state->gather);
	pd_free(state);
}

static bool has_branch_stacks(const struct perfdata_reader *reader)
{
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++)
		if (perfdata_reader_event(reader, i)->attr->sample_type & PERFDATA_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	struct state *state = pointer;
	const struct perfdata_emitter_option_value *values = context->options;
	const size_t nr = context->nr_options;
	const char *symbol = perfdata_option_text(values, nr, "symbol");
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
	/* the first conversion kept no branch counts */
	if (pd_stack_asks_again(context) && has_branch_stacks(context->reader))
		return PERFDATA_ABSENT;
	const struct pd_branches_options branches = { .rule = PD_BRANCHES_FRAMES, .what = PD_BRANCHES_STACKS };
	enum perfdata_status status = pd_annotate_sources(context, &state->sources);
	if (status == PERFDATA_OK)
		status = pd_stack_gather_begin(&state->gather, context, &wanted);
	if (status == PERFDATA_OK && !state->gather.choice)
		status = pd_branches_new(context->session, context->reader, &branches, &state->branches);
	return status;
}

STACK_BEGIN(set_up, release_state)

/* --- samples ------------------------------------------------------------------------------------------------------ */

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
	struct pd_branches_part *branches = NULL;
	(void)scratch, (void)out;
	const enum perfdata_status status = pd_branches_collect(state->branches, batch, value, &branches);
	if (status == PERFDATA_OK)
		return pd_stack_pair_format(state, batch, branches, pd_branches_part_free, ret_part);
	pd_branches_part_free(branches);
	return status;
}

static enum perfdata_status add_branches(void *pointer, void *branches)
{
	const struct state *state = pointer;
	return pd_branches_add(state->branches, branches);
}

static enum perfdata_status merge_part(void *pointer, void *part, struct perfdata_text *out)
{
	(void)out;
	return pd_stack_pair_merge(pointer, part, add_branches);
}

/* --- output ------------------------------------------------------------------------------------------------------- */

static enum perfdata_status put_function(struct annotate_head *head, struct annotate_branches *branches,
					 const struct annotate_place *place, const struct pd_annotation *annotation,
					 bool first, struct perfdata_text *out)
{
	head->counts = NULL;
	if (branches) {
		const enum perfdata_status status =
			pd_annotate_branches_count(branches, place, annotation, &head->counts);
		if (status != PERFDATA_OK)
			return status;
	}
	if (head->options->json)
		pd_annotate_json(head, annotation, first, out);
	else if (!pd_annotate_text(head, annotation, out))
		return PERFDATA_ENOMEM;
	perfdata_text_cut(out);
	return perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

struct listing {
	struct annotate_functions *functions;
	struct annotate_head *head;
	struct annotate_branches *branches;   /* or NULL */
	size_t nr, matching;                  /* number of written functions; with those beyond --top */
	struct perfdata_text *out;
};

static bool is_full(const struct listing *l) { return l->head->options->top && l->nr >= l->head->options->top; }

/* `found`: result of making the annotation. PERFDATA_ABSENT: no code of the function has samples. */
static enum perfdata_status put_found(struct listing *l, size_t number, bool is_known, enum perfdata_status found,
				      const struct pd_annotation *annotation)
{
	if (found != PERFDATA_OK)
		return found == PERFDATA_ABSENT ? PERFDATA_OK : found;
	const struct annotate_place place = pd_annotate_functions_place(l->functions, number);
	l->matching++;
	return put_function(l->head, is_known ? l->branches : NULL, &place, annotation, !l->nr++, l->out);
}

static bool name_matches(const struct listing *l, const char *name, bool is_known)
{
	const char *wanted = l->head->options->symbol;
	return wanted ? pd_stack_name_matches(name, wanted) : is_known;
}

/* Writes functions with the requested name. */
static enum perfdata_status put_named(struct listing *l)
{
	enum perfdata_status status = PERFDATA_OK;
	struct pd_annotation annotation;
	const char *name;
	bool is_known;
	for (size_t i = 0; !status && (name = pd_annotate_functions_name(l->functions, i, &is_known)); i++) {
		if (!name_matches(l, name, is_known))
			continue;
		if (is_full(l))
			l->matching++;
		else
			status = put_found(l, i, is_known, pd_annotate_functions_rows(l->functions, i, &annotation),
					   &annotation);
	}
	return status;
}

/* Writes code of other functions into which functions with the requested name are inlined. */
static enum perfdata_status put_callers_of_inlined(struct listing *l)
{
	const char *name, *wanted = l->head->options->symbol;
	enum perfdata_status status = PERFDATA_OK;
	struct pd_annotation annotation;
	bool is_known;
	for (size_t i = 0; !status && !is_full(l); i++) {
		name = pd_annotate_functions_name(l->functions, i, &is_known);
		if (!name)
			break;
		if (is_known && !name_matches(l, name, is_known))
			status = put_found(l, i, is_known,
					   pd_annotate_functions_inlined(l->functions, i, wanted, &annotation),
					   &annotation);
	}
	return status;
}

static enum perfdata_status put_functions(struct annotate_functions *functions, struct annotate_head *head,
					  struct annotate_branches *branches, struct perfdata_text *out)
{
	const struct annotate_options *asked = head->options;
	struct listing shown = { .functions = functions, .head = head, .branches = branches, .out = out };
	enum perfdata_status status = put_named(&shown);
	if (status == PERFDATA_OK && asked->symbol)
		status = put_callers_of_inlined(&shown);
	if (status != PERFDATA_OK || asked->json)
		return status;
	if (!shown.matching)
		perfdata_text_string(out, asked->symbol ? "no sample is in a function with this name; `report` lists "
							  "functions, * matches any text\n"
							: "no sample is in a function with a name; perfdata match FILE "
							  "lists the files that have names,\n"
							  "--symbol '[unknown]' shows addresses by file\n");
	else if (shown.matching > shown.nr && !asked->symbol)
		perfdata_text_printf(out, "\n(%zu more functions; --symbol NAME, --top N)\n",
				     shown.matching - shown.nr);
	return PERFDATA_OK;
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	struct annotate_functions *functions = NULL;
	struct annotate_branches *branches = NULL;
	enum perfdata_status status = pd_stack_gather_finish(&state->gather);
	if (status == PERFDATA_OK)
		status = pd_annotate_functions_new(&state->gather, state->options.by_samples, &functions);
	if (status == PERFDATA_OK && state->branches)
		status = pd_annotate_branches_new(state->branches, &state->gather, &branches);
	if (status == PERFDATA_OK) {
		struct annotate_head head = { .options = &state->options,
					      .file = state->gather.shared_output
							      ? perfdata_reader_header(state->gather.reader)->name
							      : NULL,
					      .end = end,
					      .sources = state->sources };
		head.events = pd_annotate_functions_events(functions, &head.nr_events);
		if (state->options.json)
			pd_annotate_json_head(&head, out);
		else
			pd_annotate_text_head(&head, out);
		status = put_functions(functions, &head, branches, out);
		if (state->options.json && status == PERFDATA_OK)
			pd_annotate_json_end(&head, 0, out);
	}
	pd_annotate_branches_free(branches);
	pd_annotate_functions_free(functions);
	return pd_stack_ended(status, out);
}

const struct perfdata_emitter pd_emitter_annotate = {
	.name = "annotate",
	.task = PERFDATA_TASK_LOOK,
	.help = "which instructions and lines of functions take the time",
	.needs = STACK_GATHER_NEEDS,
	.configure = pd_stack_configure,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_LIGHT | PERFDATA_EMITTER_AGAIN,
	.suffix = "txt",
	.option_rules = rules,
	STACK_EMITTER(release_state),
	.scan = scan_batch,
	.format = format_batch,
	.merge = merge_part,
	.free_part = pd_stack_pair_free,
};
