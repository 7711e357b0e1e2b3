/* SPDX-License-Identifier: MIT */
/* `flamegraph`: one HTML page that shows where the time goes and loads nothing from elsewhere; or an SVG picture. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "emit/emitters.h"
#include "emit/stacks/flamegraph.h"
#include "profile/profile_read.h"
#include "emit/stacks/stack_gather.h"

enum { SLICE = 1000000 /* ns */, MAX_NODES = 1000000, WIDTH = 1200 };

static const struct perfdata_emitter_option options[] = {
	{ .name = "base",
	  .kind = PERFDATA_OPTION_TEXT,
	  .argument = "FILE",
	  .help = "show what became more and less since this recording" },
	{ .name = "svg",
	  .kind = PERFDATA_OPTION_FLAG,
	  .help = "a picture (SVG) instead of the page, one graph for each event" },
	{ .name = "width",
	  .kind = PERFDATA_OPTION_NUMBER,
	  .argument = "N",
	  .help = "of the picture, in pixels; default 1200" },
	{ .name = "weight",
	  .kind = PERFDATA_OPTION_CHOICE,
	  .argument = "period|samples",
	  .help = "what widths of the picture are; default period" },
	{ .name = "inline",
	  .kind = PERFDATA_OPTION_FLAG,
	  .help = "inlined functions are boxes (default; --no-inline leaves them out)" },
	{ .name = "max-boxes",
	  .kind = PERFDATA_OPTION_NUMBER,
	  .argument = "N",
	  .help = "beyond that, the smallest are drawn as one for each caller; default 1000000" },
	{ 0 },
};

struct state {
	struct stack_gather gather;
	struct pd_profile_read *base;    /* or NULL */
	bool picture, by_samples, inlines;
	uint64_t width, max_boxes;
};

static void release(void *pointer)
{
	struct state *state = pointer;
	if (!state)
		return;
	pd_stack_gather_release(&state->gather);
	pd_profile_read_free(state->base);
	pd_free(state);
}

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	const struct perfdata_emitter_option_value *values = context->options;
	const size_t nr = context->nr_options;
	const struct pd_profile_options wanted = { .parts = PD_BY_THREAD | PD_BY_SLICE,
						   .slice = SLICE,
						   .by_period = true,
						   .names = PD_NAMES_LINES };
	const char *base = perfdata_option_text(values, nr, "base");
	struct state *state = pointer;
	(void)out;
	state->picture = perfdata_option_flag(values, nr, "svg", false);
	state->by_samples = pd_stack_option_is(values, nr, "weight", "samples");
	state->inlines = perfdata_option_flag(values, nr, "inline", true);
	state->width = perfdata_option_number(values, nr, "width", WIDTH);
	state->max_boxes = perfdata_option_number(values, nr, "max-boxes", MAX_NODES);
	if (state->width < 100 || state->width > 100000 || !state->max_boxes) {
		snprintf(context->reterr->message, sizeof context->reterr->message,
			 state->max_boxes ? "--width is from 100 to 100000" : "--max-boxes is at least 1");
		return PERFDATA_EUSAGE;
	}
	if (base) {
		const enum perfdata_status status = pd_profile_read_path(base, context->session, &wanted,
									 context->on_finding, context->user,
									 &state->base, context->reterr);
		if (status != PERFDATA_OK)
			return status;
	}
	return pd_stack_gather_begin(&state->gather, context, &wanted);
}

static enum perfdata_status begin(const struct perfdata_emit_context *context, void **ret_state,
				  struct perfdata_text *out)
{
	return pd_stack_begin(sizeof(struct state), set_up, release, context, ret_state, out);
}

static enum perfdata_status draw(struct state *state, const struct perfdata_emit_end *end,
				 const struct flame_side *base, struct perfdata_text *out)
{
	const struct flame_side recording = { state->gather.session, state->gather.reader, state->gather.profile,
					      end->summary };
	const struct flame_options asked = { .inlines = state->inlines, .slice = SLICE, .max_nodes = state->max_boxes };
	struct flamegraph graph = { .recording = &recording,
				    .base = base,
				    .end = end,
				    .width = state->width,
				    .by_samples = state->by_samples };
	enum perfdata_status status = pd_flame_data_new(&asked, &recording, base, &graph.data);
	if (status == PERFDATA_OK)
		status = state->picture ? pd_flamegraph_picture(&graph, out) : pd_flamegraph_page(&graph, out);
	if (status == PERFDATA_OK)
		status = pd_stack_tree_failed(pd_flame_data_tree(graph.data));
	pd_flame_data_free(graph.data);
	return status;
}

static enum perfdata_status end(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	enum perfdata_status status = pd_profile_finish(state->gather.profile);
	if (status != PERFDATA_OK)
		return status;
	if (state->base) {
		struct perfdata_session *session = pd_profile_read_session(state->base);
		const struct flame_side base = { session, perfdata_session_reader(session),
						 pd_profile_read_profile(state->base),
						 perfdata_session_summary(session) };
		status = draw(state, end, &base, out);
	} else {
		status = draw(state, end, NULL, out);
	}
	return status != PERFDATA_OK ? status : perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

const struct perfdata_emitter pd_emitter_flamegraph = {
	.abi = PERFDATA_EMITTER_ABI,
	.name = "flamegraph",
	.help = "one HTML page with a flame graph, or a picture",
	.needs = STACK_GATHER_NEEDS,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT | PERFDATA_EMITTER_LIGHT,
	.size = sizeof(struct perfdata_emitter),
	.mime = "text/html",
	.suffix = "html",
	.options = options,
	.option_size = sizeof *options,
	.begin = begin,
	.format = pd_stack_gather_format,
	.merge = pd_stack_gather_merge,
	.end = end,
	.free_part = pd_profile_part_free,
	.release = release,
};
