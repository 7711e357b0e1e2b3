/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "emit/stacks/stack_route.h"

struct stack_route {
	struct pd_profile *profile;
	const struct perfdata_session *session;
	struct stack_labels *labels;
	struct stack_step *steps;    /* root first */
	size_t nr_steps, steps_room;
	struct stack_step *more;     /* callee first, while they are collected */
	size_t more_room;
	uint32_t *names;
	size_t nr_names, names_room;
	uint32_t no_stack;           /* label */
};

struct stack_route *pd_stack_route_new(struct pd_profile *profile, const struct perfdata_session *session,
				       struct stack_labels *labels)
{
	struct stack_route *route = pd_calloc(1, sizeof *route);
	struct stack_label none = { .kind = STACK_NO_NAME, .dso = PERFDATA_NONE };
	if (!route)
		return NULL;
	route->profile = profile;
	route->session = session;
	route->labels = labels;
	none.name = none.raw_name = pd_stack_labels_intern(labels, "[no stack]");
	route->no_stack = pd_stack_labels_add(labels, &none);
	if (route->no_stack != UINT32_MAX)
		return route;
	pd_stack_route_free(route);
	return NULL;
}

void pd_stack_route_free(struct stack_route *route)
{
	if (!route)
		return;
	pd_free(route->steps);
	pd_free(route->more);
	pd_free(route->names);
	pd_free(route);
}

bool pd_stack_returns_to(const struct perfdata_session *session, uint16_t origin, uint32_t caller, uint32_t callee)
{
	if (origin != PERFDATA_STEP_RECORDED)
		return false;
	return !pd_stack_frame_is_kernel(session, callee) || pd_stack_frame_is_kernel(session, caller);
}

static bool is_return_address(const struct stack_route *route, const struct stack_step *caller,
			      const struct stack_step *callee)
{
	return pd_stack_returns_to(route->session, caller->origin, caller->frame, callee->frame);
}

/* Collects the steps from the node up to one that the last path has, too, or to the root; *ret_same: how many steps of
 * the last path stay. Callers have lower numbers than their callees, so the last path is sorted. */
static enum perfdata_status collect(struct stack_route *route, uint32_t node, size_t *ret_nr, size_t *ret_same)
{
	size_t nr = 0, same = route->nr_steps;
	while (node) {
		struct pd_profile_node at;
		while (same && route->steps[same - 1].node > node)
			same--;
		if (same && route->steps[same - 1].node == node)
			break;
		const enum perfdata_status status = pd_profile_node(route->profile, node, &at);
		if (status != PERFDATA_OK)
			return status;
		if (pd_vector_grow(&route->more, &route->more_room, nr, sizeof *route->more) < 0)
			return PERFDATA_ENOMEM;
		route->more[nr++] =
			(struct stack_step){ .node = node, .frame = at.frame, .ip = at.ip, .origin = at.origin };
		node = at.caller;
	}
	*ret_same = node ? same : 0;
	*ret_nr = nr;
	return PERFDATA_OK;
}

static bool name_step(struct stack_route *route, struct stack_step *step)
{
	size_t nr;
	const struct stack_call *calls = pd_stack_labels_of(route->labels, step->frame, step->is_caller, &nr);
	if (!calls)
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (pd_vector_grow(&route->names, &route->names_room, route->nr_names, sizeof *route->names) < 0)
			return false;
		route->names[route->nr_names++] = calls[i].label;
	}
	step->end_label = (uint32_t)route->nr_names;
	return true;
}

static uint32_t labels_before(const struct stack_route *route, size_t step)
{
	return step ? route->steps[step - 1].end_label : 0;
}

static enum perfdata_status to_nothing(struct stack_route *route, struct stack_path *ret)
{
	route->nr_steps = 0;
	if (pd_vector_grow(&route->names, &route->names_room, 0, sizeof *route->names) < 0)
		return PERFDATA_ENOMEM;
	route->names[0] = route->no_stack;
	route->nr_names = 0;
	*ret = (struct stack_path){ .steps = route->steps, .labels = route->names, .nr_labels = 1 };
	return PERFDATA_OK;
}

enum perfdata_status pd_stack_route_to(struct stack_route *route, uint32_t node, struct stack_path *ret)
{
	size_t nr = 0, same = 0;
	if (!node)
		return to_nothing(route, ret);
	const enum perfdata_status status = collect(route, node, &nr, &same);
	if (status != PERFDATA_OK)
		return status;
	/* the last step that stays may be called in another path by now */
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
	if (kept < same && !name_step(route, &route->steps[same - 1]))
		return PERFDATA_ENOMEM;
	route->nr_steps = same;
	route->nr_names = labels_before(route, same);
	while (nr-- > 0) {
		struct stack_step step = route->more[nr];
		step.is_caller = nr && is_return_address(route, &step, &route->more[nr - 1]);
		if (pd_vector_grow(&route->steps, &route->steps_room, route->nr_steps, sizeof step) < 0 ||
		    !name_step(route, &step))
			return PERFDATA_ENOMEM;
		route->steps[route->nr_steps++] = step;
	}
	ret->steps = route->steps;
	ret->nr_steps = route->nr_steps;
	ret->labels = route->names;
	ret->nr_labels = route->nr_names;
	return PERFDATA_OK;
}
