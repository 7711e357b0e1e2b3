/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "session/session.h"
#include <string.h>
#include "base/memory.h"
#include "emit/stacks/stack_gather.h"
#include "emit/stacks/stack_route.h"
#include "run/run.h"

const struct perfdata_option_rule pd_stack_rules_state[] = { STACK_RULES_STATE, { 0 } };

enum perfdata_status pd_stack_gather_begin(struct stack_gather *gather, const struct perfdata_emit_context *context,
					   const struct pd_profile_options *options)
{
	gather->session = context->session;
	gather->reader = context->reader;
	gather->shared_output = context->shared_output;
	gather->tells_cut = perfdata_option_flag(context->options, context->nr_options, "truncated", false);
	struct pd_profile_options of_profile = *options;
	of_profile.threads = context->jobs;
	of_profile.cancel = pd_outputs_cancel(context->outputs);
	const bool inlines = perfdata_option_flag(context->options, context->nr_options, "inline", true);
	const enum perfdata_status status = pd_stack_choice_new(context, inlines, &gather->choice);
	if (status != PERFDATA_OK)
		return status;
	/* the choice needs names of functions, even if the output does not */
	if (gather->choice && of_profile.names == PD_NAMES_NONE)
		of_profile.names = inlines ? PD_NAMES_LINES : PD_NAMES_SYMBOLS;
	gather->kept = context->kept;
	gather->wanted = of_profile;
	if (pd_stack_asks_again(context))
		return pd_profile_kept_derive(gather->kept, &of_profile, &gather->profile);
	if (gather->kept)
		of_profile.parts |= PD_KEPT_PARTS;
	return pd_profile_new(context->session, &of_profile, &gather->profile);
}

bool pd_stack_asks_again(const struct perfdata_emit_context *context)
{
	return context->kept && context->kept->profile;
}

enum perfdata_status pd_stack_begin(size_t size, pd_stack_set_up_fn *set_up, void (*release)(void *state),
				    const struct perfdata_emit_context *context, void **ret_state,
				    struct perfdata_text *out)
{
	void *state = pd_calloc(1, size);
	if (!state)
		return PERFDATA_ENOMEM;
	const enum perfdata_status status = set_up(state, context, out);
	if (status == PERFDATA_OK)
		*ret_state = state;
	else
		release(state);
	return status;
}

enum perfdata_status pd_stack_gather_finish(struct stack_gather *gather)
{
	struct pd_profile_kept *kept = gather->kept;
	const bool was_kept = kept && kept->profile;
	enum perfdata_status status = was_kept ? PERFDATA_OK : pd_profile_finish(gather->profile);
	if (status == PERFDATA_OK && kept && !was_kept) {
		pd_profile_cancel_by(gather->profile, NULL);
		kept->profile = gather->profile;
		gather->profile = NULL;
		status = pd_profile_kept_derive(kept, &gather->wanted, &gather->profile);
	}
	if (status == PERFDATA_OK)
		status = pd_stack_choose(gather->choice, gather->profile, NULL);
	if (status == PERFDATA_OK)
		pd_stack_choice_report(gather->choice);
	return status;
}

/* Only labels of all stacks can be reused: the source of a label depends on the stacks that were looked up before. */
static bool has_all_stacks(const struct stack_gather *gather)
{
	return gather->kept && !gather->kept->nr_tids && !gather->choice;
}

struct stack_labels *pd_stack_gather_labels(struct stack_gather *gather, enum stack_by by, bool inlines, bool sources)
{
	struct pd_profile_kept *kept = gather->kept;
	if (has_all_stacks(gather) && kept->labels && pd_stack_labels_are(kept->labels, by, inlines, sources)) {
		struct stack_labels *labels = kept->labels;
		kept->labels = NULL;
		return labels;
	}
	return pd_stack_labels_new(gather->session, by, inlines, sources);
}

static void free_labels(void *labels) { pd_stack_labels_free(labels); }

void pd_stack_gather_leave_labels(struct stack_gather *gather, struct stack_labels *labels)
{
	struct pd_profile_kept *kept = gather->kept;
	if (!labels || !has_all_stacks(gather)) {
		pd_stack_labels_free(labels);
		return;
	}
	pd_stack_labels_free(kept->labels);
	kept->labels = labels;
	kept->free_labels = free_labels;
}

void pd_stack_gather_release(struct stack_gather *gather)
{
	if (gather->kept && gather->kept->profile)
		pd_profile_kept_leave(gather->kept, gather->profile);
	else
		pd_profile_free(gather->profile);
	pd_stack_choice_free(gather->choice);
}

void pd_stack_release(void *state)
{
	if (state)
		pd_stack_gather_release(state);
	pd_free(state);
}

enum perfdata_status pd_stack_gather_format(const void *state, const struct perfdata_batch *batch, void *value,
					    struct perfdata_scratch *scratch, struct perfdata_text *out,
					    void **ret_part)
{
	const struct stack_gather *gather = state;
	struct pd_profile_part *part = NULL;
	(void)value;
	(void)scratch;
	(void)out;
	const enum perfdata_status status = pd_profile_collect(gather->profile, batch, &part);
	*ret_part = part;
	return status;
}

enum perfdata_status pd_stack_gather_merge(void *state, void *part, struct perfdata_text *out)
{
	struct stack_gather *gather = state;
	(void)out;
	return pd_profile_add(gather->profile, part);
}

/* --- emitters that also gather other data
 * ---------------------------------------------------------------------------------------- */

struct stack_pair {
	struct pd_profile_part *stacks;
	void *other;
	void (*free_other)(void *other);
};

static void free_other(struct stack_pair *pair)
{
	if (pair->other)
		pair->free_other(pair->other);
}

void pd_stack_pair_free(void *part)
{
	struct stack_pair *pair = part;
	if (!pair)
		return;
	pd_profile_part_free(pair->stacks);
	free_other(pair);
	pd_free(pair);
}

enum perfdata_status pd_stack_pair_format(const void *state, const struct perfdata_batch *batch, void *other,
					  void (*free_its_other)(void *other), void **ret_part)
{
	const struct stack_gather *gather = state;
	struct stack_pair made = { .other = other, .free_other = free_its_other };
	struct stack_pair *pair = pd_calloc(1, sizeof *pair);
	if (!pair) {
		free_other(&made);
		return PERFDATA_ENOMEM;
	}
	*pair = made;
	const enum perfdata_status status = pd_profile_collect(gather->profile, batch, &pair->stacks);
	if (status == PERFDATA_OK)
		*ret_part = pair;
	else
		pd_stack_pair_free(pair);
	return status;
}

enum perfdata_status pd_stack_pair_merge(void *state, void *part, pd_stack_pair_add *add)
{
	struct stack_gather *gather = state;
	struct stack_pair *pair = part;
	enum perfdata_status status = pd_profile_add(gather->profile, pair->stacks);
	pair->stacks = NULL;
	if (status == PERFDATA_OK && pair->other) {
		status = add(state, pair->other);
		pair->other = NULL;
	}
	pd_stack_pair_free(pair);
	return status;
}

bool pd_stack_option_is(const struct perfdata_emitter_option_value *values, size_t nr, const char *name,
			const char *text)
{
	const char *given = perfdata_option_text(values, nr, name);
	return given && !strcmp(given, text);
}

enum perfdata_status pd_stack_configure(void *user, struct perfdata_configuration *configuration)
{
	static const struct {
		const char *name;
		enum perfdata_off_cpu off_cpu;
	} weights[] = {
		{ "samples", PERFDATA_OFF_CPU_RECORDED }, { "period", PERFDATA_OFF_CPU_ON },
		{ "off-cpu", PERFDATA_OFF_CPU_OFF },      { "both", PERFDATA_OFF_CPU_BOTH },
		{ "wall", PERFDATA_OFF_CPU_WALL },
	};
	(void)user;
	configuration->off_cpu = PERFDATA_OFF_CPU_USUAL;
	configuration->no_stack_copies = true;
	if (perfdata_option_flag(configuration->options, configuration->nr_options, "truncated", false))
		configuration->needs |= PERFDATA_NEED_CUT_STACKS;
	configuration->span_states = perfdata_option_text(configuration->options, configuration->nr_options, "state");
	configuration->no_state_frames =
		!perfdata_option_flag(configuration->options, configuration->nr_options, "state-frames", true);
	for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
		if (pd_stack_option_is(configuration->options, configuration->nr_options, "weight", weights[i].name))
			configuration->off_cpu = weights[i].off_cpu;
	return PERFDATA_OK;
}

const char *pd_stack_weight_name(const struct perfdata_session *session)
{
	switch (pd_session_off_cpu(session)) {
	case PERFDATA_OFF_CPU_OFF: return "off-cpu";
	case PERFDATA_OFF_CPU_BOTH: return "both";
	case PERFDATA_OFF_CPU_WALL: return "wall";
	default: return "period";
	}
}

const char *pd_stack_weight_text(const struct perfdata_session *session, const struct perfdata_event *event)
{
	if (event->is_time_off && pd_session_off_cpu(session) != PERFDATA_OFF_CPU_WALL)
		return "time off the CPU";
	switch (pd_session_off_cpu(session)) {
	case PERFDATA_OFF_CPU_ON:
	case PERFDATA_OFF_CPU_BOTH: return "time on the CPU";
	case PERFDATA_OFF_CPU_WALL: return "time on and off the CPU";
	default: return NULL;
	}
}
