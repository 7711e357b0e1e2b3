/* SPDX-License-Identifier: MIT */
/* The path from the root to a node of the profile: its steps and their labels. A profile gives nodes in the order of
 * their numbers, so successive nodes share the beginning of their paths; only the rest is computed again. */
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
	bool is_cut;                 /* its caller is above the memory that was recorded of the stack */
	/* the address is where a call returns to: the call is at the address minus one */
	bool is_caller;
	uint32_t end_label;          /* number of labels up to here, including labels that a choice cuts off */
	/* for a choice: enum stack_seen of the steps up to here; the first label with STACK_SEEN_ROOT */
	unsigned seen;
	uint32_t root_step, root_label;
};

/* Root first. Valid until the next pd_stack_route_to. */
struct stack_path {
	const struct stack_step *steps;
	size_t nr_steps, same_steps;         /* same: shared with the path before, at the beginning */
	const uint32_t *labels;
	size_t nr_labels, same_labels;
	/* how many labels the choice cuts off in front; of these belong to the first step, which stays */
	size_t cut_labels, cut_of_step;
	bool is_chosen;                      /* false: the choice leaves the stack out */
};

/* Whether a caller's address is a return address. Addresses from unwinding and from branches (enum
 * perfdata_step_origin) are inside the call already; the address at which the kernel was entered is the program's
 * current instruction. */
bool pd_stack_returns_to(const struct perfdata_session *session, uint16_t origin, uint32_t caller, uint32_t callee);

struct stack_route;
/* Borrows its arguments. Stacks begin where the choice (or NULL) says. NULL without memory. */
struct stack_route *pd_stack_route_new(struct pd_profile *profile, const struct perfdata_session *session,
				       struct stack_labels *labels, const struct stack_choice *choice);
void pd_stack_route_free(struct stack_route *route);
/* Paths of stacks that were cut begin with a label that says so, which is of no step. False without memory. */
bool pd_stack_route_tell_cut(struct stack_route *route);
/* Node 0, an empty chain, is one label: "[no stack]". PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_stack_route_to(struct stack_route *route, uint32_t node, struct stack_path *ret);

/* Removes all stacks that the choice excludes from a finished profile. Names come from `labels`, which are of functions
 * and of the profile's session; NULL: from labels that the function makes. */
enum perfdata_status pd_stack_choose(const struct stack_choice *choice, struct pd_profile *profile,
				     struct stack_labels *labels);

#endif
