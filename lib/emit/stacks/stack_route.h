/* SPDX-License-Identifier: MIT */
/* The path from the root to a node of the profile: its steps and labels. Successive nodes share the beginning of their
 * paths; only the rest is computed. */
#ifndef PD_STACK_ROUTE_H
#define PD_STACK_ROUTE_H

#include "profile/profile.h"
#include "emit/stacks/stack_choice.h"
#include "emit/stacks/stack_labels.h"

struct stack_step {
	uint32_t node;
	uint32_t frame;              /* PERFDATA_NONE: `ip` is in no known file */
	uint64_t ip;
	uint16_t origin;
	bool is_cut;                 /* the caller is above the recorded stack memory */
	/* the address is a return address: the call is at the address minus one */
	bool is_caller;
	uint32_t end_label;          /* number of labels up to this step, including labels that a choice removes */
	/* for a choice: bits (enum stack_seen) of the steps so far; the first label with STACK_SEEN_ROOT */
	unsigned seen;
	uint32_t root_step, root_label;
};

/* A path, root first. Valid until the next pd_stack_route_to. */
struct stack_path {
	const struct stack_step *steps;
	size_t nr_steps, same_steps;         /* same: number of steps shared with the path before */
	const uint32_t *labels;
	size_t nr_labels, same_labels;
	/* number of labels that the choice removed at the beginning; how many of them belong to the first step that is
	 * kept */
	size_t cut_labels, cut_of_step;
	bool is_chosen;                      /* false: the choice excludes the stack */
};

/* Whether a caller's address is one to which its callee returns. is_recorded: the caller's origin is
 * PERFDATA_STEP_RECORDED. */
static inline bool pd_stack_is_return(bool is_recorded, bool caller_is_kernel, bool callee_is_kernel)
{
	return is_recorded && (!callee_is_kernel || caller_is_kernel);
}
/* Whether a caller's address is a return address. Addresses from unwinding and branches (enum perfdata_step_origin) are
 * already inside the call; the address at which the kernel was entered is the program's next instruction. */
bool pd_stack_returns_to(const struct perfdata_session *session, uint16_t origin, uint32_t caller, uint32_t callee);

struct stack_route;
/* Borrows its arguments. choice (may be NULL): where stacks begin. NULL without memory. */
struct stack_route *pd_stack_route_new(struct pd_profile *profile, const struct perfdata_session *session,
				       struct stack_labels *labels, const struct stack_choice *choice);
void pd_stack_route_free(struct stack_route *route);
/* Makes paths of cut stacks begin with a label that says so and belongs to no step. False without memory. */
bool pd_stack_route_tell_cut(struct stack_route *route);
/* The label of pd_stack_route_tell_cut, which succeeded. */
uint32_t pd_stack_route_cut_label(const struct stack_route *route);
/* For callers that need steps only: paths have no labels unless a choice looks at them. */
void pd_stack_route_omit_labels(struct stack_route *route);
/* The path to a node. Node 0, an empty chain, has one label, "[no stack]". PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_stack_route_to(struct stack_route *route, uint32_t node, struct stack_path *ret);

/* Removes all stacks that the choice excludes from a finished profile. `labels` must be functions of the profile's
 * session; NULL: the function makes labels. */
enum perfdata_status pd_stack_choose(const struct stack_choice *choice, struct pd_profile *profile,
				     struct stack_labels *labels);

#endif
