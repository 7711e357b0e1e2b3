/* SPDX-License-Identifier: MIT */
/* `speedscope`: the file format of speedscope. Each event has a profile of all threads, then a profile of each thread,
 * heaviest first. Stacks are added up, so the view by time shows stacks in no order of time. */
#include "config.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/checked.h"
#include "base/memory.h"
#include "base/paged.h"
#include "emit/emitters.h"
#include "emit/flame/flame_data.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_head.h"
#include "emit/stacks/stack_spool.h"
#include "emit/stacks/stack_text.h"
#include "text/json_quoted.h"

static const struct perfdata_emitter_option options[] = {
	STACK_OPTION_WEIGHT("weight of a sample"),
	STACK_OPTIONS_STATE,
	STACK_OPTION_INLINE,
	{ .name = "threads", .kind = PERFDATA_OPTION_FLAG,
	  .help = "add a profile for each thread (default; --no-threads: only one for all threads)" },
	STACK_OPTIONS_CHOICE,
	{ 0 },
};

struct state {
	struct stack_gather gather;
	bool by_samples, inlines, threads;
};

static enum perfdata_status set_up(void *pointer, const struct perfdata_emit_context *context,
				   struct perfdata_text *out)
{
	const struct pd_profile_options wanted = { .parts = PD_BY_THREAD,
						   .by_period = true,
						   .names = PD_NAMES_LINES };
	struct state *state = pointer;
	(void)out;
	state->by_samples = pd_stack_option_is(context->options, context->nr_options, "weight", "samples");
	state->inlines = perfdata_option_flag(context->options, context->nr_options, "inline", true);
	state->threads = perfdata_option_flag(context->options, context->nr_options, "threads", true);
	return pd_stack_gather_begin(&state->gather, context, &wanted);
}

STACK_BEGIN(set_up, pd_stack_release)

/* --- profiles ----------------------------------------------------------------------------------------------------- */

/* Offsets of a profile's two columns in the spools. */
struct lists {
	uint64_t samples, samples_end, weights, weights_end;
	uint64_t all;
	uint32_t thread;
};

struct writing {
	const struct state *state;
	struct flame_data *data;
	struct perfdata_text *out;
	struct stack_spool samples, weights;
	struct lists *threads;       /* by number of the thread */
	struct pd_paged *sums;       /* by node */
	uint32_t *path;
	size_t path_room;
	bool failed, first;
};

static void begin_lists(const struct writing *writing, struct lists *lists)
{
	lists->samples = pd_stack_spool_size(&writing->samples);
	lists->weights = pd_stack_spool_size(&writing->weights);
}

static void end_lists(const struct writing *writing, struct lists *lists)
{
	lists->samples_end = pd_stack_spool_size(&writing->samples);
	lists->weights_end = pd_stack_spool_size(&writing->weights);
}

static void add_stack(struct writing *writing, struct lists *lists, uint32_t node, uint64_t weight)
{
	struct stack_tree *tree = pd_flame_data_tree(writing->data);
	struct perfdata_text *samples = &writing->samples.text, *weights = &writing->weights.text;
	const bool first = pd_stack_spool_size(&writing->samples) == lists->samples;
	size_t nr = 0;
	for (; node != STACK_NO_NODE; node = pd_stack_tree_parent(tree, node)) {
		if (pd_vector_grow(&writing->path, &writing->path_room, nr, sizeof *writing->path) < 0) {
			writing->failed = true;
			return;
		}
		writing->path[nr++] = pd_stack_tree_label(tree, node);
	}
	perfdata_text_string(samples, first ? "[" : ",[");
	while (nr-- > 0) {
		perfdata_text_u64(samples, writing->path[nr]);
		perfdata_text_char(samples, nr ? ',' : ']');
	}
	perfdata_text_cut(samples);
	if (!first)
		perfdata_text_char(weights, ',');
	perfdata_text_u64(weights, weight);
	perfdata_text_cut(weights);
	pd_sum_up(&lists->all, weight);
}

static uint64_t weight_of(const struct writing *writing, const struct flame_row *row)
{
	return writing->state->by_samples ? row->samples : row->weight;
}

/* Each call has rows of one thread; calls of a thread are consecutive. */
static void take_rows(void *user, const struct flame_row *rows, size_t nr)
{
	struct writing *writing = user;
	struct lists *lists = &writing->threads[rows[0].thread];
	begin_lists(writing, lists);
	for (size_t i = 0; i < nr; i++)
		add_stack(writing, lists, rows[i].node, weight_of(writing, &rows[i]));
	end_lists(writing, lists);
}

static enum perfdata_status put_profile(struct writing *writing, const struct lists *lists, const char *who,
					uint32_t event)
{
	const struct perfdata_event *of = perfdata_reader_event(writing->state->gather.reader, event);
	struct perfdata_text *out = writing->out, name;
	perfdata_text_init(&name);
	perfdata_text_printf(&name, "%s \xc2\xb7 %s", who, of->name);
	perfdata_text_string(out, writing->first ? "\n{\"type\":\"sampled\",\"name\":"
						 : ",\n{\"type\":\"sampled\",\"name\":");
	perfdata_text_json_string(out, name.data, name.size);
	perfdata_text_printf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"samples\":[",
			     pd_stack_event_is_time(of) && !writing->state->by_samples ? "nanoseconds" : "none",
			     lists->all);
	enum perfdata_status status = pd_stack_spool_copy(&writing->samples, lists->samples, lists->samples_end, out);
	perfdata_text_literal(out, "],\"weights\":[");
	if (status == PERFDATA_OK)
		status = pd_stack_spool_copy(&writing->weights, lists->weights, lists->weights_end, out);
	perfdata_text_literal(out, "]}");
	writing->failed |= perfdata_text_failed(&name);
	writing->first = false;
	perfdata_text_release(&name);
	return status;
}

static int compare_lists(const void *left, const void *right)
{
	const struct lists *a = *(const struct lists *const *)left, *b = *(const struct lists *const *)right;
	if (a->all != b->all)
		return a->all < b->all ? 1 : -1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static enum perfdata_status put_thread(struct writing *writing, const struct lists *lists, uint32_t event)
{
	const struct stack_gather *gather = &writing->state->gather;
	const struct pd_profile_thread *thread = pd_profile_thread(gather->profile, lists->thread);
	enum perfdata_status status = PERFDATA_ENOMEM;
	struct perfdata_text who;
	perfdata_text_init(&who);
	perfdata_text_printf(&who, "%s (pid %" PRId32 ", tid %" PRId32 ")",
			     thread->comm == PERFDATA_NONE ? "" : perfdata_session_comm(gather->session, thread->comm),
			     thread->pid, thread->tid);
	perfdata_text_append(&who, "", 1);
	if (!perfdata_text_failed(&who))
		status = put_profile(writing, lists, who.data, event);
	perfdata_text_release(&who);
	return status;
}

static void add_rows(void *user, const struct flame_row *rows, size_t nr)
{
	struct writing *writing = user;
	for (size_t i = 0; i < nr; i++) {
		uint64_t *sum = pd_paged_change(writing->sums, rows[i].node);
		if (sum)
			pd_sum_up(sum, weight_of(writing, &rows[i]));
	}
}

static enum perfdata_status put_all_threads(struct writing *writing, uint32_t event)
{
	const size_t nr = pd_flame_data_tree(writing->data)->nr;
	struct lists lists = { .all = 0 };
	struct pd_paged sums;
	pd_paged_init(&sums, pd_profile_account(writing->state->gather.profile), PD_USE_PROFILE, sizeof(uint64_t));
	writing->sums = &sums;
	enum perfdata_status status = pd_flame_data_rows(writing->data, 0, event, add_rows, writing);
	begin_lists(writing, &lists);
	for (uint32_t i = 0; i < nr && status == PERFDATA_OK; i++) {
		const uint64_t *sum = pd_paged_at(&sums, i);
		if (sum && *sum)
			add_stack(writing, &lists, i, *sum);
		status = sums.status;
	}
	end_lists(writing, &lists);
	if (status == PERFDATA_OK)
		status = put_profile(writing, &lists, "all threads", event);
	writing->sums = NULL;
	pd_paged_release(&sums);
	return status;
}

static enum perfdata_status put_event(struct writing *writing, uint32_t event)
{
	const uint32_t nr = pd_profile_nr_threads(writing->state->gather.profile);
	struct lists **order = pd_calloc(nr + 1u, sizeof *order);
	size_t used = 0;
	enum perfdata_status status = put_all_threads(writing, event);
	writing->threads = pd_calloc(nr + 1u, sizeof *writing->threads);
	pd_stack_spool_clear(&writing->samples);
	pd_stack_spool_clear(&writing->weights);
	if (!order || !writing->threads)
		status = PERFDATA_ENOMEM;
	if (status == PERFDATA_OK && writing->state->threads && nr > 1)
		status = pd_flame_data_rows(writing->data, 0, event, take_rows, writing);
	for (uint32_t i = 0; i < nr && status == PERFDATA_OK; i++) {
		writing->threads[i].thread = i;
		if (writing->threads[i].samples_end > writing->threads[i].samples)
			order[used++] = &writing->threads[i];
	}
	if (used)
		qsort(order, used, sizeof *order, compare_lists);
	/* with a single thread, the profile of all threads suffices */
	for (size_t i = 0; i < used && used > 1 && status == PERFDATA_OK; i++)
		status = put_thread(writing, order[i], event);
	pd_stack_spool_clear(&writing->samples);
	pd_stack_spool_clear(&writing->weights);
	pd_free(writing->threads);
	pd_free(order);
	return status;
}

/* --- the document ------------------------------------------------------------------------------------------------- */

static void put_frames(struct writing *writing)
{
	const struct stack_labels *labels = pd_flame_data_labels(writing->data);
	struct perfdata_text *out = writing->out;
	for (uint32_t i = 0; i < pd_stack_labels_nr(labels); i++) {
		const struct stack_label *label = pd_stack_labels_get(labels, i);
		const char *name = pd_stack_labels_string(labels, label->name);
		const char *file = pd_stack_labels_string(labels, label->source ? label->source : label->file);
		perfdata_text_string(out, i ? ",\n{\"name\":" : "\n{\"name\":");
		pd_json_text(out, name);
		if (*file) {
			perfdata_text_literal(out, ",\"file\":");
			pd_json_text(out, file);
		}
		if (label->line)
			perfdata_text_printf(out, ",\"line\":%" PRIu32, label->line);
		perfdata_text_char(out, '}');
		perfdata_text_cut(out);
	}
}

static void write_note(void *user, const char *line)
{
	perfdata_text_literal(user, "; ");
	perfdata_text_string(user, line);
}

/* The profile's name says if data is missing: the format has no other place. */
static void put_name(struct writing *writing, const struct perfdata_emit_end *end)
{
	struct perfdata_text name;
	perfdata_text_init(&name);
	perfdata_text_string(&name, pd_stack_last_part(perfdata_reader_header(writing->state->gather.reader)->name));
	pd_stack_head_warnings(end, write_note, &name);
	perfdata_text_json_string(writing->out, name.data, name.size);
	writing->failed |= perfdata_text_failed(&name);
	perfdata_text_release(&name);
}

static enum perfdata_status put_document(struct writing *writing, const struct perfdata_emit_end *end)
{
	const struct pd_profile *profile = writing->state->gather.profile;
	struct perfdata_text *out = writing->out;
	enum perfdata_status status = PERFDATA_OK;
	perfdata_text_literal(
		out,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"perfdata@" VERSION
		"\",\"name\":");
	put_name(writing, end);
	perfdata_text_literal(out, ",\"activeProfileIndex\":0,\"shared\":{\"frames\":[");
	put_frames(writing);
	perfdata_text_literal(out, "]},\"profiles\":[");
	for (uint32_t i = 0; i < pd_profile_nr_events(profile) && status == PERFDATA_OK; i++)
		if (pd_profile_event(profile, i))
			status = put_event(writing, i);
	/* speedscope refuses a file without profiles */
	if (writing->first && status == PERFDATA_OK)
		perfdata_text_literal(
			out,
			"\n{\"type\":\"sampled\",\"name\":\"no "
			"samples\",\"unit\":\"none\",\"startValue\":0,\"endValue\":0,\"samples\":[],\"weights\":[]}");
	perfdata_text_literal(out, "]}\n");
	return status;
}

static enum perfdata_status end_output(void *pointer, const struct perfdata_emit_end *end, struct perfdata_text *out)
{
	struct state *state = pointer;
	const struct stack_gather *gather = &state->gather;
	const struct flame_run run = { gather->session, gather->reader, gather->profile, end->summary };
	const struct flame_options asked = { .inlines = state->inlines,
					     .max_nodes = SIZE_MAX,
					     .choice = gather->choice };
	struct writing writing = { .state = state, .out = out, .first = true };
	pd_stack_spool_init(&writing.samples, pd_profile_account(gather->profile));
	pd_stack_spool_init(&writing.weights, pd_profile_account(gather->profile));
	enum perfdata_status status = pd_stack_gather_finish(&state->gather);
	if (status == PERFDATA_OK)
		status = pd_flame_data_new(&asked, &run, (const size_t[]){ 1, 0 }, &writing.data);
	if (status == PERFDATA_OK)
		status = put_document(&writing, end);
	if (status == PERFDATA_OK)
		status = pd_stack_tree_failed(pd_flame_data_tree(writing.data));
	pd_stack_spool_release(&writing.samples);
	pd_stack_spool_release(&writing.weights);
	pd_flame_data_free(writing.data);
	pd_free(writing.path);
	return status != PERFDATA_OK                         ? status
	       : writing.failed || perfdata_text_failed(out) ? PERFDATA_ENOMEM
							     : PERFDATA_OK;
}

const struct perfdata_emitter pd_emitter_speedscope = {
	.name = "speedscope",
	.task = PERFDATA_TASK_VIEW,
	.help = "a file for speedscope",
	.needs = STACK_GATHER_NEEDS,
	.configure = pd_stack_configure,
	.option_rules = pd_stack_rules_state,
	.flags = PERFDATA_EMITTER_SYMBOLS | PERFDATA_EMITTER_ONE_DOCUMENT | PERFDATA_EMITTER_LIGHT,
	.mime = "application/json",
	.suffix = "speedscope.json",
	STACK_EMITTER(pd_stack_release),
	STACK_SUMS,
};
