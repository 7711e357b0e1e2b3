/* SPDX-License-Identifier: MIT */
/* From a recorded chain to its stack: puts the steps into the batch and, if the caller needs them, finds the stack's id
 * or its node in the tree of stacks. */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "session/stacks/chain_walk.h"

/* Callers of a stack that are looked at together; more only while the cache of sequences has all of them. */
#define STEPS_LOOKED_AT 16u

int pd_stacks_init(struct pd_stacks *stacks, uint32_t needs, struct pd_account *account)
{
	stacks->with_steps = needs & PERFDATA_NEED_STACKS;
	stacks->with_ids = needs & PERFDATA_NEED_STACK_IDS;
	stacks->with_nodes = needs & PERFDATA_NEED_NODES;
	stacks->with_cuts = needs & PERFDATA_NEED_CUT_STACKS;
	pd_known_chains_init(&stacks->known, account);
	if (stacks->with_ids && pd_stack_ids_init(&stacks->ids, account) < 0)
		return -1;
	return stacks->with_nodes ? pd_step_tree_init(&stacks->nodes, false, account) : 0;
}

void pd_stacks_finish(struct pd_stacks *stacks)
{
	pd_known_chains_release(&stacks->known);
	if (stacks->with_ids)
		pd_step_tree_finish(&stacks->ids.tree);
	if (stacks->with_nodes)
		pd_step_tree_finish(&stacks->nodes);
}

void pd_stacks_release(struct pd_stacks *stacks)
{
	pd_known_chains_release(&stacks->known);
	if (stacks->with_ids)
		pd_stack_ids_release(&stacks->ids);
	if (stacks->with_nodes)
		pd_step_tree_release(&stacks->nodes);
	pd_free(stacks->scratch.items);
	memset(stacks, 0, sizeof *stacks);
}

static int fail_state(struct pd_state *state, enum perfdata_status status)
{
	state->status = status == PERFDATA_OK ? PERFDATA_ENOMEM : status;
	return -1;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static int add_step(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain_walk *walk,
		    uint64_t ip)
{
	struct pd_steps *steps = &state->stacks.scratch;
	if (pd_vector_grow(&steps->items, &steps->room, steps->count, sizeof *steps->items) < 0)
		return fail_state(state, PERFDATA_ENOMEM);
	const uint32_t frame = pd_frame_seen(state, thread, walk->cpumode, ip, pd_walk_is_below_kernel(walk));
	steps->items[steps->count++] =
		(struct perfdata_step){ .ip = ip, .frame = frame, .cpumode = walk->cpumode, .origin = walk->origin };
	return 0;
}

/* Whether the current address is the second after the marker of the user part. */
static bool is_second_of_user(const struct pd_chain_walk *walk)
{
	return walk->part == 0 && walk->at >= 3 &&
	       perfdata_list_u64(walk->parts[0], walk->at - 3) == PERFDATA_CONTEXT_USER;
}

static int add_leaf_caller(struct pd_state *state, const struct pd_thread *thread, struct pd_chain_walk *walk,
			   uint64_t ip)
{
	walk->origin = PERFDATA_STEP_UNWOUND;
	const int result = add_step(state, thread, walk, ip);
	walk->origin = PERFDATA_STEP_RECORDED;
	return result;
}

/* Adds the steps of a chain. A chain that is broken within the addresses that perf looks at adds none. */
static int add_recorded(struct pd_state *state, const struct pd_thread *thread, struct pd_chain_walk *walk,
			uint64_t leaf_caller)
{
	uint64_t ip;
	size_t count = 0;
	for (; count < PD_MAX_STEPS && pd_walk_next(walk, &ip); count++) {
		if (leaf_caller && leaf_caller != ip && is_second_of_user(walk) &&
		    add_leaf_caller(state, thread, walk, leaf_caller) < 0)
			return -1;
		if (add_step(state, thread, walk, ip) < 0)
			return -1;
		if (leaf_caller)
			continue;
		/* most chains go through one or two modes: all addresses up to the next marker are resolved together */
		struct pd_steps *steps = &state->stacks.scratch;
		const size_t nr = pd_walk_steps(state, thread, walk, PD_MAX_STEPS - 1 - count,
						&steps->items[steps->count]);
		steps->count += nr;
		count += nr;
	}
	if (walk->broken && count < PD_PERF_STEPS)
		state->stacks.scratch.count = 0;
	return 0;
}

/* Takes the part of a chain before its user part. false: perf would find no user part. */
static bool before_user(const struct perfdata_list *chain, struct perfdata_list *ret)
{
	for (uint64_t i = 0; i < chain->count && i < PD_PERF_STEPS; i++) {
		if (perfdata_list_u64(chain, i) == PERFDATA_CONTEXT_USER) {
			*ret = *chain;
			ret->count = i;
			return true;
		}
	}
	return false;
}

/* A call stack of branches, newest first: adds the sample's own address, then the source of each branch. */
static int add_branches(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain,
			struct pd_chain_walk *walk)
{
	const struct perfdata_list *branches = chain->branches;
	walk->cpumode = PERFDATA_CPUMODE_USER;
	walk->origin = PERFDATA_STEP_BRANCH;
	if (add_step(state, thread, walk, chain->ip) < 0)
		return -1;
	for (uint64_t i = 0; i < branches->count; i++) {
		struct perfdata_branch branch;
		perfdata_list_get(branches, i, &branch, sizeof branch);
		if (add_step(state, thread, walk, branch.from) < 0)
			return -1;
	}
	return 0;
}

static size_t nr_addresses(const struct perfdata_list *chain) { return chain ? (size_t)chain->count : 0; }

/* Adds the addresses that unwinding found. */
static int add_unwound(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain)
{
	const struct perfdata_list list = {
		.data = (const uint8_t *)chain->unwound, .count = chain->nr_unwound, .stride = sizeof *chain->unwound
	};
	struct pd_chain_walk walk = pd_walk_start(&list, NULL);
	struct pd_steps *steps = &state->stacks.scratch;
	walk.origin = PERFDATA_STEP_UNWOUND;
	if (pd_vector_grow(&steps->items, &steps->room, steps->count + chain->nr_unwound, sizeof *steps->items) < 0)
		return fail_state(state, PERFDATA_ENOMEM);
	while (walk.at < list.count) {
		steps->count += pd_walk_steps(state, thread, &walk, list.count, &steps->items[steps->count]);
		/* no marker: the code of a broken stack may seem to be at any address */
		if (walk.at < list.count && add_step(state, thread, &walk, chain->unwound[walk.at++]) < 0)
			return -1;
	}
	return 0;
}

/* Gathers the steps of a chain in the scratch. */
int pd_gather_steps(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain)
{
	struct perfdata_list front;
	if (state->inside)
		return pd_inside_gather(state, thread, chain);
	const bool by_branches = chain->branches && before_user(chain->recorded, &front);
	struct pd_chain_walk walk = by_branches ? pd_walk_start(&front, NULL)
						: pd_walk_start(chain->recorded, chain->deferred);
	struct pd_steps *steps = &state->stacks.scratch;
	steps->count = 0;
	const size_t most = nr_addresses(chain->recorded) + nr_addresses(chain->deferred) + 1;
	if (pd_vector_grow(&steps->items, &steps->room, most, sizeof *steps->items) < 0)
		return fail_state(state, PERFDATA_ENOMEM);
	if (add_recorded(state, thread, &walk, chain->leaf_caller) < 0)
		return -1;
	if (by_branches && add_branches(state, thread, chain, &walk) < 0)
		return -1;
	return add_unwound(state, thread, chain);
}

/* --- samples whose chain lacks their address ---------------------------------------------------------------------- */

/* Whether the chain may begin with callers: it does not begin in the kernel or in a hypervisor, but the sample's own
 * address may be there. */
static inline bool may_lack_leaf(const struct pd_chain *chain)
{
	if (!pd_is_outside_user(chain->cpumode) ||
	    (chain->recorded->count && perfdata_list_u64(chain->recorded, 0) == PERFDATA_CONTEXT_KERNEL))
		return false;
	uint64_t marker = 0, word;
	for (uint64_t i = 0; i < chain->recorded->count; i++, marker = word)
		if ((word = perfdata_list_u64(chain->recorded, i)) < PERFDATA_CONTEXT_MAX)
			break;
	return marker != PERFDATA_CONTEXT_KERNEL && marker != PERFDATA_CONTEXT_HV;
}

/* Makes the sample's own address the first of the steps in the scratch if they lack it. */
static int add_leaf(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain)
{
	struct pd_steps *steps = &state->stacks.scratch;
	if (!pd_steps_lack_leaf(steps->items, chain->cpumode, chain->ip))
		return 0;
	if (steps->items[0].ip != chain->ip) {
		if (pd_vector_grow(&steps->items, &steps->room, steps->count, sizeof *steps->items) < 0)
			return fail_state(state, PERFDATA_ENOMEM);
		memmove(&steps->items[1], steps->items, steps->count++ * sizeof *steps->items);
	}
	const uint32_t frame = pd_frame_of(state, thread, chain->cpumode, chain->ip);
	steps->items[0] = (struct perfdata_step){
		.ip = chain->ip, .frame = frame, .cpumode = (uint16_t)chain->cpumode, .origin = PERFDATA_STEP_RECORDED
	};
	return 0;
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* Whether a chain has no addresses of the process: then it means the same for every process. */
static bool is_kernel_only(const struct perfdata_list *chain, const struct perfdata_list *deferred)
{
	if (deferred || !chain->count || perfdata_list_u64(chain, 0) != PERFDATA_CONTEXT_KERNEL)
		return false;
	for (uint64_t i = 1; i < chain->count; i++)
		if (perfdata_list_u64(chain, i) >= PERFDATA_CONTEXT_MAX)
			return false;
	return true;
}

/* The generation of the maps by which a chain is resolved; 0 if the chain means the same for every process. */
static uint64_t maps_of_chain(const struct pd_thread *thread, const struct perfdata_list *chain,
			      const struct perfdata_list *deferred)
{
	return is_kernel_only(chain, deferred) ? 0 : thread->maps->generation;
}

static inline void make_key(const struct pd_state *state, const struct pd_thread *thread,
			    const struct pd_chain *chain, struct pd_chain_key *ret)
{
	ret->recorded = chain->recorded;
	ret->deferred = chain->deferred;
	ret->maps = maps_of_chain(thread, chain->recorded, chain->deferred);
	ret->leaf = chain->cpumode == PERFDATA_CPUMODE_KERNEL && state->stacks.with_nodes && may_lack_leaf(chain) ?
			    chain->ip : 0;
	ret->kernel = thread->guest ? thread->guest->kernel.generation : state->kernel.generation;
	ret->place = pd_chain_place(ret, state->seed);
}

void pd_stack_expect(const struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain,
		     struct pd_chain_key *ret)
{
	make_key(state, thread, chain, ret);
	pd_known_chains_fetch_slot(&state->stacks.known, ret->place);
}

/* The tree in which the session looks up stacks first; NULL: none. */
static const struct pd_step_tree *tree_of(const struct pd_stacks *stacks)
{
	return stacks->with_ids ? &stacks->ids.tree : stacks->with_nodes ? &stacks->nodes : NULL;
}

bool pd_stack_fetch(const struct pd_state *state, const struct pd_thread *thread, const struct pd_chain_key *expected,
		    struct pd_steps_ahead *ret)
{
	const struct pd_step_tree *tree = tree_of(&state->stacks);
	struct perfdata_step steps[STEPS_LOOKED_AT];
	struct pd_callers callers;
	if (pd_known_chains_fetch_words(&state->stacks.known, expected->place) || !tree ||
	    !pd_step_tree_is_slow(tree) || !pd_callers_begin(state, thread, expected->recorded, &callers))
		return false;
	pd_steps_ahead_begin(ret);
	size_t nr;
	do
		nr = pd_callers_next(state, &callers, steps, STEPS_LOOKED_AT);
	while (pd_steps_ahead_add(ret, tree, steps, nr) && nr == STEPS_LOOKED_AT);
	return true;
}

void pd_stack_fetch_paths(const struct pd_state *state, struct pd_steps_ahead *paths, size_t nr)
{
	if (nr)
		pd_steps_ahead_find(paths, nr, tree_of(&state->stacks));
}

/* --- stacks ------------------------------------------------------------------------------------------------------- */

/* Copies steps into the batch. */
static int put_steps(struct pd_state *state, struct pd_step_list *to, const struct perfdata_step *steps, size_t nr,
		     uint32_t *ret_at)
{
	if (to->count + nr >= PERFDATA_NONE ||
	    pd_vector_grow(&to->items, &to->room, to->count + nr, sizeof *to->items) < 0)
		return fail_state(state, PERFDATA_ENOMEM);
	memcpy(&to->items[to->count], steps, nr * sizeof *steps);
	*ret_at = (uint32_t)to->count;
	to->count += nr;
	return 0;
}

/* Finds the id or node of the steps in the scratch. A node is of the stack as a profile counts it, so it begins with
 * the sample's own address; an id is of the steps of the chain. */
static int name_stack(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain,
		      struct pd_stack *ret)
{
	struct pd_stacks *stacks = &state->stacks;
	struct perfdata_step *steps = stacks->scratch.items;
	const size_t nr = stacks->scratch.count;
	const struct pd_steps_ahead *ahead = chain->ahead, *of_ids = stacks->with_ids ? ahead : NULL;
	if (stacks->with_ids && (ret->stack = pd_stack_ids_get(&stacks->ids, steps, nr, of_ids)) == UINT32_MAX)
		return fail_state(state, stacks->ids.status);
	if (stacks->with_cuts && chain->is_cut)
		steps[nr - 1].origin = PD_STEP_CUT;
	if (!stacks->with_nodes)
		return 0;
	const bool lacks_leaf = may_lack_leaf(chain);
	if (lacks_leaf && add_leaf(state, thread, chain) < 0)
		return -1;
	if (of_ids || lacks_leaf)
		ahead = NULL;
	steps = stacks->scratch.items;
	ret->node = pd_step_tree_node(&stacks->nodes, steps, stacks->scratch.count, ahead);
	if (ret->node == UINT32_MAX)
		return fail_state(state, stacks->nodes.status);
	return 0;
}

static int build_stack(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain,
		       struct pd_step_list *to, struct pd_stack *ret)
{
	const struct pd_steps *steps = &state->stacks.scratch;
	if (pd_gather_steps(state, thread, chain) < 0)
		return -1;
	if (!steps->count)
		return 0;
	ret->nr_steps = (uint32_t)steps->count;
	if (state->stacks.with_steps && put_steps(state, to, steps->items, steps->count, &ret->steps) < 0)
		return -1;
	if (state->stacks.with_steps && state->stacks.with_cuts && chain->is_cut)
		to->items[ret->steps + ret->nr_steps - 1].origin = PD_STEP_CUT;
	return name_stack(state, thread, chain, ret);
}

/* Takes a resolved chain from the cache. The batch may have its steps already. */
static int take_known(struct pd_state *state, struct pd_known_chain *known, struct pd_step_list *to,
		      struct pd_stack *ret)
{
	ret->stack = known->stack;
	ret->node = known->node;
	if (!state->stacks.with_steps)
		return 0;
	if (known->batch != to->batch) {
		if (put_steps(state, to, pd_known_steps(known), known->steps, &known->at) < 0)
			return -1;
		known->batch = to->batch;
	}
	ret->steps = known->at;
	ret->nr_steps = known->steps;
	return 0;
}

static void remember_stack(struct pd_state *state, const struct pd_chain_key *key, const struct pd_stack *stack,
			   uint64_t batch)
{
	const uint32_t nr = state->stacks.with_steps ? stack->nr_steps : 0;
	struct pd_known_chain *known = pd_known_chains_put(&state->stacks.known, key, nr);
	if (!known)
		return;
	known->stack = stack->stack;
	known->node = stack->node;
	known->at = stack->steps;
	known->batch = batch;
	/* the chain's own steps are the last ones: a leaf may come before */
	const struct pd_steps *steps = &state->stacks.scratch;
	memcpy(pd_known_steps(known), &steps->items[steps->count - nr], nr * sizeof(struct perfdata_step));
}

int pd_stack_get(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain,
		 struct pd_step_list *to, struct pd_stack *ret)
{
	*ret = (struct pd_stack){ .stack = PERFDATA_NONE, .steps = PERFDATA_NONE };
	/* stacks with unwound steps, branches or a leaf caller seldom come back, and take long to find anyway; keys
	 * have only leaves of the kernel */
	if (chain->branches || chain->nr_unwound || chain->leaf_caller ||
	    (chain->cpumode != PERFDATA_CPUMODE_KERNEL && state->stacks.with_nodes && may_lack_leaf(chain)) ||
	    (state->inside && !pd_inside_is_usual(chain)))
		return build_stack(state, thread, chain, to, ret);
	struct pd_chain_key own;
	const struct pd_chain_key *key = chain->key;
	if (!key) {
		make_key(state, thread, chain, &own);
		key = &own;
	}
	struct pd_known_chain *known = pd_known_chains_get(&state->stacks.known, key);
	if (known)
		return take_known(state, known, to, ret);
	state->timed = false;
	if (build_stack(state, thread, chain, to, ret) < 0)
		return -1;
	if (ret->nr_steps && !state->timed)
		remember_stack(state, key, ret, to->batch);
	return 0;
}

int pd_stack_alone(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip,
		   uint32_t frame, uint32_t *ret_node)
{
	uint32_t *known = pd_frame_alone(state, thread, cpumode, ip, frame);
	if (known && *known) {
		*ret_node = *known;
		return 0;
	}
	const struct perfdata_step step = {
		.ip = ip, .frame = frame, .cpumode = (uint16_t)cpumode, .origin = PD_STEP_ALONE
	};
	*ret_node = pd_step_tree_node(&state->stacks.nodes, &step, 1, NULL);
	if (*ret_node == UINT32_MAX)
		return fail_state(state, state->stacks.nodes.status);
	if (known)
		*known = *ret_node;
	return 0;
}
