/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "session/session.h"
#include "emit/stacks/stack_route.h"

struct stack_route {
	struct pd_profile *profile;
	const struct perfdata_session *session;
	struct stack_labels *labels;
	struct stack_step *steps;    /* root first */
	size_t nr_steps, steps_room;
	struct stack_step *more;     /* innermost first, while a path is collected */
	size_t more_room;
	uint32_t *names;
	size_t nr_names, names_room;
	uint32_t no_stack;           /* label */
	uint32_t truncated;          /* label of cut stacks; UINT32_MAX: not used */
	const struct stack_choice *choice;   /* or NULL */
	struct stack_labels *functions;      /* labels whose names the choice matches */
	struct stack_labels *own_functions;  /* set if `labels` are not functions */
	/* by label of `functions`: enum stack_seen and KNOWN; 0: not computed yet */
	uint8_t *seen;
	size_t seen_room;
	size_t cut_steps, cut_labels;        /* of the last path */
	uint8_t *sides;                      /* by frame: whether it is in the kernel; see is_kernel */
	size_t sides_room;
	bool omits_labels;
};

enum { KNOWN = 128 };

/* If `labels` are not functions, makes labels for the choice. */
static bool choose_functions(struct stack_route *route)
{
	if (!route->choice)
		return true;
	if (!pd_stack_labels_are_functions(route->labels))
		route->own_functions = pd_stack_labels_new(route->session, STACK_BY_FUNCTION,
							   pd_stack_choice_inlines(route->choice), false);
	route->functions = route->own_functions ? route->own_functions : route->labels;
	return route->own_functions || pd_stack_labels_are_functions(route->labels);
}

struct stack_route *pd_stack_route_new(struct pd_profile *profile, const struct perfdata_session *session,
				       struct stack_labels *labels, const struct stack_choice *choice)
{
	struct stack_route *route = pd_calloc(1, sizeof *route);
	struct stack_label none = { .kind = STACK_NO_NAME, .dso = PERFDATA_NONE };
	if (!route)
		return NULL;
	route->profile = profile;
	route->session = session;
	route->labels = labels;
	route->choice = choice;
	route->truncated = UINT32_MAX;
	none.name = none.raw_name = pd_stack_labels_intern(labels, "[no stack]");
	route->no_stack = pd_stack_labels_add(labels, &none);
	if (route->no_stack != UINT32_MAX && choose_functions(route))
		return route;
	pd_stack_route_free(route);
	return NULL;
}

void pd_stack_route_omit_labels(struct stack_route *route) { route->omits_labels = !route->choice; }

bool pd_stack_route_tell_cut(struct stack_route *route)
{
	struct stack_label label = { .kind = STACK_NO_NAME, .dso = PERFDATA_NONE };
	label.name = label.raw_name = pd_stack_labels_intern(route->labels, STACK_TRUNCATED);
	route->truncated = pd_stack_labels_add(route->labels, &label);
	return route->truncated != UINT32_MAX;
}

uint32_t pd_stack_route_cut_label(const struct stack_route *route) { return route->truncated; }

void pd_stack_route_free(struct stack_route *route)
{
	if (!route)
		return;
	pd_free(route->steps);
	pd_free(route->more);
	pd_free(route->names);
	pd_free(route->seen);
	pd_free(route->sides);
	pd_stack_labels_free(route->own_functions);
	pd_free(route);
}

bool pd_stack_returns_to(const struct perfdata_session *session, uint16_t origin, uint32_t caller, uint32_t callee)
{
	return pd_stack_is_return(origin == PERFDATA_STEP_RECORDED, pd_session_frame_is_kernel(session, caller),
				  pd_session_frame_is_kernel(session, callee));
}

/* Whether a frame is in the kernel. */
static bool is_kernel(struct stack_route *route, uint32_t frame)
{
	enum { UNKNOWN, USER, KERNEL };
	if (frame == PERFDATA_NONE)
		return false;
	if (pd_vector_reach(&route->sides, &route->sides_room, frame, sizeof *route->sides) < 0)
		return pd_session_frame_is_kernel(route->session, frame);
	if (route->sides[frame] == UNKNOWN)
		route->sides[frame] = pd_session_frame_is_kernel(route->session, frame) ? KERNEL : USER;
	return route->sides[frame] == KERNEL;
}

/* As pd_stack_returns_to, for steps of the route. */
static bool is_return_address(struct stack_route *route, const struct stack_step *caller,
			      const struct stack_step *callee)
{
	return pd_stack_is_return(caller->origin == PERFDATA_STEP_RECORDED, is_kernel(route, caller->frame),
				  is_kernel(route, callee->frame));
}

static inline void set_step(struct stack_step *step, uint32_t node, const struct pd_profile_node *at)
{
	const bool is_cut = at->origin == PD_ORIGIN_CUT;
	step->node = node;
	step->frame = at->frame;
	step->ip = at->ip;
	step->origin = is_cut ? PERFDATA_STEP_UNWOUND : at->origin;
	step->is_cut = is_cut;
}

/* Collects the steps from the node up to the first one that is on the last path, or to the root; *ret_same: number of
 * steps of the last path that are kept. Callers have lower numbers than callees, so the last path is sorted. */
static enum perfdata_status collect_frames(struct stack_route *route, uint32_t node, size_t *ret_nr, size_t *ret_same)
{
	struct pd_profile_node run[PD_NODES_OF_RUN];
	size_t nr = 0, same = route->nr_steps, nr_run = 0, at = 0;
	for (; node; node = run[at++].caller) {
		while (same && route->steps[same - 1].node > node)
			same--;
		if (same && route->steps[same - 1].node == node)
			break;
		if (at == nr_run) {
			const enum perfdata_status status = pd_profile_nodes(route->profile, node, run, &nr_run);
			if (status != PERFDATA_OK)
				return status;
			if (pd_vector_grow(&route->more, &route->more_room, nr + nr_run, sizeof *route->more) < 0)
				return PERFDATA_ENOMEM;
			at = 0;
		}
		set_step(&route->more[nr++], node, &run[at]);
	}
	*ret_same = node ? same : 0;
	*ret_nr = nr;
	return PERFDATA_OK;
}

static bool tells_cut(const struct stack_route *route, const struct stack_step *step)
{
	return step->is_cut && route->truncated != UINT32_MAX;
}

/* --- the choice --------------------------------------------------------------------------------------------------- */

/* The bits (enum stack_seen) of a function's label. False without memory. */
static bool sees_label(struct stack_route *route, uint32_t label, unsigned *ret)
{
	if (pd_vector_reach(&route->seen, &route->seen_room, label, sizeof *route->seen) < 0)
		return false;
	if (!route->seen[label]) {
		const uint32_t name = pd_stack_labels_get(route->functions, label)->name;
		route->seen[label] = (uint8_t)(KNOWN | pd_stack_choice_sees(route->choice,
									    pd_stack_labels_string(route->functions,
												   name)));
	}
	*ret = route->seen[label] & ~(unsigned)KNOWN;
	return true;
}

/* Computes `seen` of a step, number `at` of the path, and where the choice begins the path, if it is this step. */
static bool look_at_step(struct stack_route *route, struct stack_step *step, size_t at)
{
	size_t nr;
	if (!route->choice)
		return true;
	const struct stack_step *before = at ? &route->steps[at - 1] : NULL;
	const struct stack_call *calls = pd_stack_labels_of(route->functions, step->frame, step->is_caller, &nr);
	step->seen = before ? before->seen : 0;
	step->root_step = before ? before->root_step : 0;
	step->root_label = before ? before->root_label : 0;
	for (size_t i = 0; calls && i < nr; i++) {
		unsigned seen;
		if (!sees_label(route, calls[i].label, &seen))
			return false;
		if (seen & ~step->seen & STACK_SEEN_ROOT) {
			step->root_step = (uint32_t)at;
			step->root_label = (uint32_t)i + tells_cut(route, step);
		}
		step->seen |= seen;
	}
	return calls;
}

static uint32_t labels_before(const struct stack_route *route, size_t step)
{
	return step ? route->steps[step - 1].end_label : 0;
}

/* Removes the callers of the function at which --root begins the stack. */
static void cut_path(struct stack_route *route, struct stack_path *path)
{
	size_t steps = 0, labels = 0, of_step = 0;
	const struct stack_step *last = &route->steps[route->nr_steps - 1];
	path->is_chosen = !route->choice || pd_stack_choice_takes(route->choice, last->seen);
	if (pd_stack_choice_cuts(route->choice) && path->is_chosen) {
		steps = last->root_step;
		of_step = route->own_functions ? tells_cut(route, &route->steps[steps]) : last->root_label;
		labels = labels_before(route, steps) + of_step;
	}
	/* after another cut, all steps have other indexes */
	const bool same = steps == route->cut_steps && labels == route->cut_labels;
	path->steps += steps;
	path->nr_steps -= steps;
	path->labels += labels;
	path->nr_labels -= labels;
	path->same_steps = same && path->same_steps > steps ? path->same_steps - steps : 0;
	path->same_labels = same && path->same_labels > labels ? path->same_labels - labels : 0;
	path->cut_labels = labels;
	path->cut_of_step = of_step;
	route->cut_steps = steps;
	route->cut_labels = labels;
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

static bool name_step(struct stack_route *route, struct stack_step *step)
{
	size_t nr;
	const struct stack_call *calls = pd_stack_labels_of(route->labels, step->frame, step->is_caller, &nr);
	if (!calls)
		return false;
	if (tells_cut(route, step)) {
		if (pd_vector_grow(&route->names, &route->names_room, route->nr_names, sizeof *route->names) < 0)
			return false;
		route->names[route->nr_names++] = route->truncated;
	}
	for (size_t i = 0; i < nr; i++) {
		if (pd_vector_grow(&route->names, &route->names_room, route->nr_names, sizeof *route->names) < 0)
			return false;
		route->names[route->nr_names++] = calls[i].label;
	}
	step->end_label = (uint32_t)route->nr_names;
	return true;
}

/* Names a step of the path, and shows it to the choice. */
static inline bool look_at_names(struct stack_route *route, size_t at)
{
	struct stack_step *step = &route->steps[at];
	step->end_label = 0;
	return route->omits_labels || (name_step(route, step) && look_at_step(route, step, at));
}

static enum perfdata_status to_nothing(struct stack_route *route, struct stack_path *ret)
{
	unsigned seen = 0;
	route->nr_steps = 0;
	if (pd_vector_grow(&route->names, &route->names_room, 0, sizeof *route->names) < 0)
		return PERFDATA_ENOMEM;
	route->names[0] = route->no_stack;
	route->nr_names = 0;
	route->cut_steps = route->cut_labels = 0;
	if (route->choice)
		seen = pd_stack_choice_sees(route->choice, "[no stack]");
	*ret = (struct stack_path){ .steps = route->steps,
				    .labels = route->names,
				    .nr_labels = 1,
				    .is_chosen = !route->choice || pd_stack_choice_takes(route->choice, seen) };
	return PERFDATA_OK;
}

enum perfdata_status pd_stack_route_to(struct stack_route *route, uint32_t node, struct stack_path *ret)
{
	size_t nr = 0, same = 0;
	if (pd_profile_is_cancelled(route->profile))
		return PERFDATA_EINTR;
	if (!node)
		return to_nothing(route, ret);
	const enum perfdata_status status = collect_frames(route, node, &nr, &same);
	if (status != PERFDATA_OK)
		return status;
	/* the last kept step may be a caller in this path but not in the last one */
	size_t kept = same;
	if (same) {
		struct stack_step *last = &route->steps[same - 1];
		const bool is_caller = nr && is_return_address(route, last, &route->more[nr - 1]);
		if (is_caller != last->is_caller) {
			last->is_caller = is_caller;
			kept--;
		}
	}
	*ret = (struct stack_path){ .same_steps = kept, .same_labels = labels_before(route, kept) };
	route->nr_names = ret->same_labels;
	if (kept < same && !look_at_names(route, same - 1))
		return PERFDATA_ENOMEM;
	route->nr_steps = same;
	route->nr_names = labels_before(route, same);
	if (pd_vector_grow(&route->steps, &route->steps_room, same + nr, sizeof *route->steps) < 0)
		return PERFDATA_ENOMEM;
	while (nr-- > 0) {
		struct stack_step *step = &route->steps[route->nr_steps];
		*step = route->more[nr];
		step->is_caller = nr && is_return_address(route, step, &route->more[nr - 1]);
		if (!look_at_names(route, route->nr_steps))
			return PERFDATA_ENOMEM;
		route->nr_steps++;
	}
	ret->steps = route->steps;
	ret->nr_steps = route->nr_steps;
	ret->labels = route->names;
	ret->nr_labels = route->nr_names;
	cut_path(route, ret);
	return PERFDATA_OK;
}

/* --- a part of a profile ------------------------------------------------------------------------------------------ */

static enum perfdata_status takes_node(void *user, uint32_t node, bool *ret)
{
	struct stack_path path;
	const enum perfdata_status status = pd_stack_route_to(user, node, &path);
	*ret = status == PERFDATA_OK && path.is_chosen;
	return status;
}

enum perfdata_status pd_stack_choose(const struct stack_choice *choice, struct pd_profile *profile,
				     struct stack_labels *labels)
{
	const struct perfdata_session *session = pd_profile_session(profile);
	if (!choice)
		return PERFDATA_OK;
	struct stack_labels *own = labels ? NULL
					  : pd_stack_labels_new(session, STACK_BY_FUNCTION,
								pd_stack_choice_inlines(choice), false);
	struct stack_labels *used = labels ? labels : own;
	struct stack_route *route = used ? pd_stack_route_new(profile, session, used, choice) : NULL;
	const enum perfdata_status status = route ? pd_profile_choose(profile, takes_node, route) : PERFDATA_ENOMEM;
	pd_stack_route_free(route);
	pd_stack_labels_free(own);
	return status;
}
