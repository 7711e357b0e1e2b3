/* SPDX-License-Identifier: MIT */
/* Common parts of emitters that add up samples: format and merge fill the profile of the run. */
#ifndef PD_STACK_GATHER_H
#define PD_STACK_GATHER_H

#include "perfdata/emit.h"
#include "profile/profile.h"
#include "emit/emitters.h"
#include "emit/stacks/stack_choice.h"

#define STACK_GATHER_NEEDS \
	(PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS | PERFDATA_NEED_FRAMES | PERFDATA_NEED_NODES)

/* The first member of the emitter's state. */
struct stack_gather {
	const struct perfdata_session *session;
	const struct perfdata_reader *reader;
	struct pd_profile *profile;
	struct stack_choice *choice; /* which stacks to keep; NULL: all */
	struct pd_profile_kept *kept;        /* keeps the profile after the end, or kept it before; or NULL */
	struct pd_profile_options wanted;    /* the profile that the emitter needs */
	bool tells_cut;              /* value of the option "truncated" */
	bool shared_output;
};

/* PERFDATA_ABSENT: the run answers from a kept profile, which does not suffice. */
enum perfdata_status pd_stack_gather_begin(struct stack_gather *gather, const struct perfdata_emit_context *context,
					const struct pd_profile_options *options);
/* Whether the run answers from a kept profile: then the emitter receives no samples. */
bool pd_stack_asks_again(const struct perfdata_emit_context *context);
/* An emitter's `begin`: makes its state of `size` bytes and calls set_up. After a failure the state is freed. */
typedef enum perfdata_status pd_stack_set_up_fn(void *state, const struct perfdata_emit_context *context,
						struct perfdata_text *out);
enum perfdata_status pd_stack_begin(size_t size, pd_stack_set_up_fn *set_up, void (*release)(void *state),
				    const struct perfdata_emit_context *context, void **ret_state,
				    struct perfdata_text *out);
/* Finishes the profile, and removes excluded stacks. To be called after the last part. */
enum perfdata_status pd_stack_gather_finish(struct stack_gather *gather);
/* Labels for the gathered stacks, new or kept from an earlier answer. NULL without memory. Pass them to
 * pd_stack_gather_leave_labels at the end, which keeps or frees them. */
struct stack_labels *pd_stack_gather_labels(struct stack_gather *gather, enum stack_by by, bool inlines, bool sources);
void pd_stack_gather_leave_labels(struct stack_gather *gather, struct stack_labels *labels);
void pd_stack_gather_release(struct stack_gather *gather);
/* An emitter's `release`: frees the state and all that it gathered. */
void pd_stack_release(void *state);
/* The status of an emitter's `end`. */
static inline enum perfdata_status pd_stack_ended(enum perfdata_status status, const struct perfdata_text *out)
{
	return status != PERFDATA_OK ? status : perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}
/* Functions for the emitter's table. */
enum perfdata_status pd_stack_gather_format(const void *state, const struct perfdata_batch *batch, void *value,
					    struct perfdata_scratch *scratch, struct perfdata_text *out,
					    void **ret_part);
enum perfdata_status pd_stack_gather_merge(void *state, void *part, struct perfdata_text *out);

/* For emitters that gather other data besides stacks: the part of a batch is a pair. The pair owns `other` (may be
 * NULL), even if a function fails. */
enum perfdata_status pd_stack_pair_format(const void *state, const struct perfdata_batch *batch, void *other,
					  void (*free_other)(void *other), void **ret_part);
/* Merges the stacks, and passes the other data to `add`, which owns it then. */
typedef enum perfdata_status pd_stack_pair_add(void *state, void *other);
enum perfdata_status pd_stack_pair_merge(void *state, void *part, pd_stack_pair_add *add);
void pd_stack_pair_free(void *part);

/* An emitter's `configure`: chooses the weight of samples by the option "weight", if time off the CPU was recorded. */
enum perfdata_status pd_stack_configure(void *user, struct perfdata_configuration *configuration);
#define STACK_WEIGHTS "period|samples|wall|off-cpu|both"
#define STACK_OPTION_WEIGHT(what) \
	{ .name = "weight", .kind = PERFDATA_OPTION_CHOICE, .argument = STACK_WEIGHTS, \
	  .help = what "; default period, or wall if time off the CPU was recorded" }
/* The weight of samples as a value of the option: "period", "wall", "off-cpu", "both". */
const char *pd_stack_weight_name(const struct perfdata_session *session);
/* The weight of an event's samples in words; NULL: the recorded period. */
const char *pd_stack_weight_text(const struct perfdata_session *session, const struct perfdata_event *event);

/* Common members of the tables of these emitters, and their `begin_output`, for files that define `struct state`,
 * `end_output` and `options`. */
#define STACK_BEGIN(set_up, release) STACK_BEGIN_OF(struct state, set_up, release)
#define STACK_BEGIN_OF(type, set_up, release) \
	static enum perfdata_status begin_output(const struct perfdata_emit_context *context, void **ret_state, \
					  struct perfdata_text *out) \
	{ \
		return pd_stack_begin(sizeof(type), set_up, release, context, ret_state, out); \
	}
#define STACK_EMITTER(its_release) STACK_EMITTER_WITH(options, its_release)
#define STACK_EMITTER_WITH(its_options, its_release) \
	PD_EMITTER_OF(its_options), .begin = begin_output, .end = end_output, .release = its_release
#define STACK_SUMS .format = pd_stack_gather_format, .merge = pd_stack_gather_merge, .free_part = pd_profile_part_free
/* Options for time off the CPU. */
#define STACK_OPTIONS_STATE \
	{ .name = "state", \
	  .kind = PERFDATA_OPTION_TEXT, \
	  .argument = "LIST", \
	  .help = "use only time off the CPU in these states: sleeping, uninterruptible, preempted, run queue, …" }, \
	{ .name = "state-frames", \
	  .kind = PERFDATA_OPTION_FLAG, \
	  .help = "add the state as innermost frame of time off the CPU (default; --no-state-frames: stacks as " \
		  "recorded)" }
#define STACK_WEIGHS_OFF_CPU "weight=off-cpu|weight=wall|weight=both"
#define STACK_RULES_STATE \
	{ .name = "state", .needs = STACK_WEIGHS_OFF_CPU }, { .name = "state-frames", .needs = STACK_WEIGHS_OFF_CPU }
extern const struct perfdata_option_rule pd_stack_rules_state[];   /* rules for these options only */
#define STACK_OPTION_INLINE \
	{ .name = "inline", \
	  .kind = PERFDATA_OPTION_FLAG, \
	  .help = "inlined functions are frames (default; --no-inline leaves them out)" }

/* Whether the option is set to `text`. */
bool pd_stack_option_is(const struct perfdata_emitter_option_value *values, size_t nr, const char *name,
			const char *text);

#endif
