#include "config.h"
#include <string.h>
#include "base/cursor.h"
#include "base/memory.h"
#include "session/state.h"

#define CACHE_BITS 14
#define CACHE_SLOTS (1u << CACHE_BITS)
/* Of what a slot was seen through, beside the cpumode and the generation of the maps. */
#define BELOW_KERNEL 0x100u
#define IN_CHAIN 0x200u      /* the address stood in a chain: its dso is marked */
#define GENERATION_SHIFT 16
#define NOWHERE UINT64_MAX
#define MIN_CHAIN_BYTES ((size_t)1 << 20)

struct pd_address_slot {
	uint64_t ip, through;           /* see seen_through; IN_CHAIN */
	uint32_t frame;
};

static int same_frame(const void *user, uint32_t index, const void *wanted)
{
	const struct pd_state *state = user;
	const struct perfdata_frame *frame = pd_table_at(&state->frames, index), *key = wanted;
	return frame->dso == key->dso && frame->address == key->address && frame->time == key->time;
}

uint32_t pd_frame_get(struct pd_state *state, const struct perfdata_frame *key)
{
	uint64_t hash = pd_hash_u64(key->address, state->seed + key->dso * 0x9e3779b97f4a7c15ull + key->time);
	uint32_t index = pd_index_find(&state->frame_index, hash, same_frame, state, key);
	if (index != UINT32_MAX)
		return index;
	struct perfdata_frame *frame = pd_table_add(&state->frames, &index);
	if (!frame || pd_index_add(&state->frame_index, hash, index) < 0) {
		state->no_memory = true;
		return PERFDATA_NONE;
	}
	*frame = *key;
	if (key->dso != PERFDATA_NONE)
		pd_dso_find_symbols(state, pd_dso_at(state, key->dso));
	return index;
}

static const struct pd_maps *maps_of(const struct pd_state *state, const struct pd_thread *thread, unsigned cpumode)
{
	if (cpumode == PERFDATA_CPUMODE_KERNEL)
		return thread && thread->guest ? &thread->guest->kernel : &state->kernel;
	if (cpumode == PERFDATA_CPUMODE_USER && thread)
		return thread->maps;
	if (thread && thread->guest && pd_is_guest_mode(cpumode))
		return cpumode == PERFDATA_CPUMODE_GUEST_KERNEL ? &thread->guest->kernel : thread->maps;
	return NULL;   /* hypervisor and unknown modes have no maps here, nor have guests that are not followed */
}

/* The map of the kernel's text ends before code that ran at boot. What the kernel's own symbols name is in the kernel all the same. */
static bool is_kernel_symbol(struct pd_state *state, uint64_t ip)
{
	struct perfdata_symbols_dso *symbols = atomic_load(&state->kernel_symbols);
	struct perfdata_symbol symbol;
	return symbols && ip >> 63 && perfdata_symbols_lookup(symbols, ip, UINT64_MAX, &symbol) == PERFDATA_OK && !symbol.module;
}

static int make_cache(struct pd_state *state)
{
	state->address_cache = pd_calloc(CACHE_SLOTS, sizeof *state->address_cache);
	state->no_memory |= !state->address_cache;
	return state->address_cache ? 0 : -1;
}

/* Which maps were asked, and how. */
static inline uint64_t seen_through(const struct pd_maps *maps, unsigned cpumode, bool below_kernel)
{
	return maps->generation << GENERATION_SHIFT | (below_kernel ? BELOW_KERNEL : 0) | cpumode;
}

/* The place of an address in the cache; `spread` is that of what it is seen through. */
static inline size_t place_of(uint64_t spread, uint64_t ip)
{
	return (size_t)(((ip ^ spread) * 0xd6e8feb86659fd93ull) >> (64 - CACHE_BITS));
}

static inline uint64_t spread_of(uint64_t through) { return through * 0x9e3779b97f4a7c15ull; }

static inline struct pd_address_slot *slot_of(const struct pd_state *state, uint64_t through, uint64_t ip)
{
	return &state->address_cache[place_of(spread_of(through), ip)];
}

/* What the cache does not know; it is put into `slot`. */
static uint32_t find_frame(struct pd_state *state, const struct pd_maps *maps, unsigned cpumode, uint64_t ip, bool below_kernel,
			   struct pd_address_slot *slot)
{
	const struct pd_map *map = pd_maps_find(maps, ip);
	if (!map && below_kernel)
		map = pd_maps_find_before_exec(maps, ip);
	struct perfdata_frame at = { .dso = PERFDATA_NONE };
	bool timed = false;
	if (map) {
		at = (struct perfdata_frame){ .dso = map->dso, .address = pd_map_address(map, ip) };
		at.time = pd_jit_time(state, pd_dso_at(state, map->dso), at.address, &timed);
	} else if (cpumode == PERFDATA_CPUMODE_KERNEL && is_kernel_symbol(state, ip)) {
		at = (struct perfdata_frame){ .dso = state->kernel_dso, .address = ip };
	}
	const uint32_t frame = at.dso == PERFDATA_NONE ? PERFDATA_NONE : pd_frame_get(state, &at);
	state->timed |= timed;
	if (!timed)
		*slot = (struct pd_address_slot){ .ip = ip, .through = seen_through(maps, cpumode, below_kernel), .frame = frame };
	return frame;
}

static inline uint32_t frame_of(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip, bool below_kernel)
{
	const struct pd_maps *maps = maps_of(state, thread, cpumode);
	if (!maps)
		return PERFDATA_NONE;
	if (!state->address_cache && make_cache(state) < 0)
		return PERFDATA_NONE;
	const uint64_t through = seen_through(maps, cpumode, below_kernel);
	struct pd_address_slot *slot = slot_of(state, through, ip);
	if (slot->ip == ip && (slot->through & ~(uint64_t)IN_CHAIN) == through)
		return slot->frame;
	return find_frame(state, maps, cpumode, ip, below_kernel, slot);
}

uint32_t pd_frame_of(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip)
{
	return frame_of(state, thread, cpumode, ip, false);
}

uint32_t pd_frame_of_data(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t address)
{
	uint32_t frame = pd_frame_of(state, thread, cpumode, address);
	if (frame != PERFDATA_NONE)
		return frame;
	/* the kernel half of every architecture with one shared address space has the top bit set, or begins where the
	 * kernel's own map does; a map from 0 on only says that nobody knew */
	const struct pd_map *map = pd_maps_find(&state->kernel, address);
	const unsigned other = address >> 63 || (map && map->start) ? PERFDATA_CPUMODE_KERNEL : PERFDATA_CPUMODE_USER;
	if (other == cpumode || (cpumode != PERFDATA_CPUMODE_KERNEL && cpumode != PERFDATA_CPUMODE_USER))
		return PERFDATA_NONE;
	return pd_frame_of(state, thread, other, address);
}

/* --- stacks --- */

struct chain_walk {
	const struct perfdata_list *parts[2];
	unsigned part;
	uint64_t at;
	uint16_t cpumode;
	uint16_t origin;
	bool in_kernel;                 /* the chain began in the kernel */
	bool broken;
};

static bool set_context(struct chain_walk *walk, uint64_t marker)
{
	switch (marker) {
	case PERFDATA_CONTEXT_HV:
		walk->cpumode = PERFDATA_CPUMODE_HYPERVISOR;
		return true;
	case PERFDATA_CONTEXT_KERNEL:
		walk->cpumode = PERFDATA_CPUMODE_KERNEL;
		walk->in_kernel = true;
		return true;
	case PERFDATA_CONTEXT_USER:
	case PERFDATA_CONTEXT_USER_DEFERRED:
		walk->cpumode = PERFDATA_CPUMODE_USER;
		return true;
	}
	return false;
}

/* The next address of the chain; markers switch the mode. An unknown marker makes the chain broken: perf throws all of it away. */
static bool next_address(struct chain_walk *walk, uint64_t *ret_ip)
{
	while (walk->part < 2 && walk->parts[walk->part]) {
		const struct perfdata_list *list = walk->parts[walk->part];
		if (walk->at >= list->count) {
			walk->part++;
			walk->at = 0;
			continue;
		}
		uint64_t ip = perfdata_list_u64(list, walk->at++);
		if (ip < PERFDATA_CONTEXT_MAX) {
			*ret_ip = ip;
			return true;
		}
		if (!set_context(walk, ip)) {
			walk->broken = true;
			return false;
		}
		/* what follows the marker of a deferred chain is its cookie; with the rest at hand it is left out */
		if (ip == PERFDATA_CONTEXT_USER_DEFERRED && walk->parts[1])
			walk->at = list->count;
	}
	return false;
}

static struct chain_walk start_walk(const struct perfdata_list *chain, const struct perfdata_list *deferred)
{
	return (struct chain_walk){ .parts = { chain, deferred }, .cpumode = PERFDATA_CPUMODE_USER };
}

/* A chain without addresses of the process means the same whoever ran. */
static bool is_kernel_only(const struct perfdata_list *chain, const struct perfdata_list *deferred)
{
	if (deferred || !chain->count || perfdata_list_u64(chain, 0) != PERFDATA_CONTEXT_KERNEL)
		return false;
	for (uint64_t i = 1; i < chain->count; i++)
		if (perfdata_list_u64(chain, i) >= PERFDATA_CONTEXT_MAX)
			return false;
	return true;
}

static int same_stack(const void *user, uint32_t index, const void *wanted)
{
	const struct pd_state *state = user;
	const struct pd_stack *stack = pd_table_at(&state->stacks, index), *key = wanted;
	return stack->hash == key->hash && stack->nr_steps == key->nr_steps &&
	       memcmp(stack->steps, key->steps, key->nr_steps * sizeof *key->steps) == 0;
}

static uint32_t intern_steps(struct pd_state *state, const struct perfdata_step *steps, uint32_t nr)
{
	struct pd_stack key = { .steps = steps, .nr_steps = nr };
	key.hash = pd_hash_bytes(steps, nr * sizeof *steps, state->seed);
	uint32_t index = pd_index_find(&state->stack_index, key.hash, same_stack, state, &key);
	if (index != UINT32_MAX)
		return index;
	struct perfdata_step *copy = pd_arena_alloc(&state->steps, nr * sizeof *copy);
	struct pd_stack *stack = copy ? pd_table_add(&state->stacks, &index) : NULL;
	if (!stack || pd_index_add(&state->stack_index, key.hash, index) < 0) {
		state->no_memory = true;
		return PERFDATA_NONE;
	}
	memcpy(copy, steps, nr * sizeof *copy);
	*stack = key;
	stack->steps = copy;
	return index;
}

/* A user address below kernel addresses of a chain may still be of the program that exec is replacing. */
static inline bool is_below_kernel(const struct chain_walk *walk) { return walk->in_kernel && walk->cpumode == PERFDATA_CPUMODE_USER; }

static int add_step(struct pd_state *state, const struct pd_thread *thread, const struct chain_walk *walk, uint64_t ip)
{
	struct pd_steps *steps = &state->scratch;
	if (pd_vector_grow(&steps->items, &steps->room, steps->count, sizeof *steps->items) < 0) {
		state->no_memory = true;
		return -1;
	}
	const uint32_t frame = frame_of(state, thread, walk->cpumode, ip, is_below_kernel(walk));
	steps->items[steps->count++] = (struct perfdata_step){ .ip = ip, .frame = frame, .cpumode = walk->cpumode, .origin = walk->origin };
	return 0;
}

/* The address at hand is the second one behind the marker of the user part. */
static bool is_second_of_user(const struct chain_walk *walk)
{
	return walk->part == 0 && walk->at >= 3 && perfdata_list_u64(walk->parts[0], walk->at - 3) == PERFDATA_CONTEXT_USER;
}

static int add_leaf_caller(struct pd_state *state, const struct pd_thread *thread, struct chain_walk *walk, uint64_t ip)
{
	walk->origin = PERFDATA_STEP_UNWOUND;
	const int result = add_step(state, thread, walk, ip);
	walk->origin = PERFDATA_STEP_RECORDED;
	return result;
}

/* The steps of what the walk goes over. Of a broken chain none is left. */
static int add_recorded(struct pd_state *state, const struct pd_thread *thread, struct chain_walk *walk, uint64_t leaf_caller)
{
	uint64_t ip;
	for (size_t count = 0; count < PD_MAX_STEPS && next_address(walk, &ip); count++) {
		if (leaf_caller && leaf_caller != ip && is_second_of_user(walk) && add_leaf_caller(state, thread, walk, leaf_caller) < 0)
			return -1;
		if (add_step(state, thread, walk, ip) < 0)
			return -1;
	}
	if (walk->broken)
		state->scratch.count = 0;
	return 0;
}

/* What stands in front of the user part of a chain. false: it has none, as far as perf looks. */
static bool before_user(const struct perfdata_list *chain, struct perfdata_list *ret)
{
	for (uint64_t i = 0; i < chain->count && i < PD_MAX_STEPS; i++) {
		if (perfdata_list_u64(chain, i) == PERFDATA_CONTEXT_USER) {
			*ret = *chain;
			ret->count = i;
			return true;
		}
	}
	return false;
}

/* A call stack of branches, newest first: the sample's own address, then where each branch came from. */
static int add_branches(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain, struct chain_walk *walk)
{
	const struct perfdata_list *branches = chain->branches;
	walk->cpumode = PERFDATA_CPUMODE_USER;
	walk->origin = PERFDATA_STEP_BRANCH;
	if (add_step(state, thread, walk, chain->ip) < 0)
		return -1;
	for (uint64_t i = 0; i < branches->count; i++) {
		struct perfdata_branch branch;
		perfdata_list_get(branches, i, &branch);
		if (add_step(state, thread, walk, branch.from) < 0)
			return -1;
	}
	return 0;
}

/* The steps of a chain, into the scratch. */
static int gather_steps(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain)
{
	struct perfdata_list front;
	const bool by_branches = chain->branches && before_user(chain->recorded, &front);
	struct chain_walk walk = by_branches ? start_walk(&front, NULL) : start_walk(chain->recorded, chain->deferred);
	state->scratch.count = 0;
	if (add_recorded(state, thread, &walk, chain->leaf_caller) < 0)
		return -1;
	if (by_branches && add_branches(state, thread, chain, &walk) < 0)
		return -1;
	struct chain_walk unwound = start_walk(NULL, NULL);
	unwound.origin = PERFDATA_STEP_UNWOUND;
	for (size_t i = 0; i < chain->nr_unwound; i++)
		if (add_step(state, thread, &unwound, chain->unwound[i]) < 0)
			return -1;
	return 0;
}

static uint32_t build_stack(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain)
{
	const struct pd_steps *steps = &state->scratch;
	if (gather_steps(state, thread, chain) < 0)
		return PERFDATA_NONE;
	return steps->count ? intern_steps(state, steps->items, (uint32_t)steps->count) : PERFDATA_NONE;
}

/* The maps that a chain is seen through: 0 if it means the same whoever ran. */
static uint64_t maps_of_chain(const struct pd_thread *thread, const struct perfdata_list *chain, const struct perfdata_list *deferred)
{
	return is_kernel_only(chain, deferred) ? 0 : thread->maps->generation;
}

static inline void make_key(const struct pd_state *state, const struct pd_thread *thread, const struct perfdata_list *recorded,
			    const struct perfdata_list *deferred, struct pd_chain_key *ret)
{
	ret->recorded = recorded;
	ret->deferred = deferred;
	ret->maps = maps_of_chain(thread, recorded, deferred);
	ret->kernel = thread->guest ? thread->guest->kernel.generation : state->kernel.generation;
	ret->place = pd_chain_place(ret, state->seed);
}

void pd_stack_expect(const struct pd_state *state, const struct pd_thread *thread, const struct perfdata_list *chain,
		     struct pd_chain_key *ret)
{
	make_key(state, thread, chain, NULL, ret);
	pd_chain_cache_fetch_slot(&state->chains, ret->place);
}

void pd_stack_fetch(const struct pd_state *state, const struct pd_chain_key *expected)
{
	pd_chain_cache_fetch_words(&state->chains, expected->place);
}

uint32_t pd_stack_get(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain)
{
	/* what is not the recorded chain alone is seldom the same twice, or was dear to find anyway */
	if (chain->branches || chain->nr_unwound || chain->leaf_caller)
		return build_stack(state, thread, chain);
	struct pd_chain_key own;
	const struct pd_chain_key *key = chain->key;
	if (!key) {
		make_key(state, thread, chain->recorded, chain->deferred, &own);
		key = &own;
	}
	uint32_t stack = pd_chain_cache_get(&state->chains, key);
	if (stack != PERFDATA_NONE)
		return stack;
	state->timed = false;
	stack = build_stack(state, thread, chain);
	if (stack != PERFDATA_NONE && !state->timed) {
		/* the same chain comes anew after each change of the maps: those that are no more must not pile up */
		state->chains.max_bytes = MIN_CHAIN_BYTES + 2 * state->steps.total;
		pd_chain_cache_put(&state->chains, key, stack);
	}
	return stack;
}

/* What chains go through can be reported without keeping them. Nearly every address of a chain was met before and says so in its slot, and
 * addresses are few and stand close together, unlike chains. */

static struct pd_dso *dso_of(const struct pd_state *state, uint32_t frame)
{
	const struct perfdata_frame *at = frame == PERFDATA_NONE ? NULL : pd_table_at(&state->frames, frame);
	return at && at->dso != PERFDATA_NONE ? pd_dso_at(state, at->dso) : NULL;
}

static void mark_dso(struct pd_dso *dso) { __atomic_store_n(&dso->in_chain, true, __ATOMIC_RELAXED); }

/* The first address from `at` on that is not marked, or the end of the chain. */
static uint64_t pass_marked(const struct pd_address_slot *cache, const struct perfdata_list *chain, uint64_t through, uint64_t at)
{
	const uint64_t spread = spread_of(through), marked = through | IN_CHAIN;
	for (; at < chain->count; at++) {
		const uint64_t ip = perfdata_list_u64(chain, at);
		const struct pd_address_slot *slot = &cache[place_of(spread, ip)];
		if (slot->ip != ip || slot->through != marked)
			break;
	}
	return at;
}

static bool is_broken(const struct perfdata_list *chain)
{
	struct chain_walk walk = start_walk(chain, NULL);
	uint64_t ip;
	while (next_address(&walk, &ip))
		;
	return walk.broken;
}

/* Through what the walk sees addresses; NOWHERE: through nothing. */
static uint64_t seen_by(const struct pd_state *state, const struct pd_thread *thread, const struct chain_walk *walk)
{
	const struct pd_maps *maps = maps_of(state, thread, walk->cpumode);
	return maps ? seen_through(maps, walk->cpumode, is_below_kernel(walk)) : NOWHERE;
}

/* Marks what an address lies in, unless it stands in a chain that means nothing. */
static void mark_address(struct pd_state *state, const struct pd_thread *thread, const struct chain_walk *walk, uint64_t through, uint64_t ip)
{
	if (through == NOWHERE)
		return;
	struct pd_dso *dso = dso_of(state, frame_of(state, thread, walk->cpumode, ip, is_below_kernel(walk)));
	if (!dso || (!dso->in_chain && is_broken(walk->parts[0])))
		return;
	mark_dso(dso);
	struct pd_address_slot *slot = slot_of(state, through, ip);
	if (slot->ip == ip && slot->through == through)
		slot->through |= IN_CHAIN;
}

static void mark_steps(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain)
{
	if (gather_steps(state, thread, chain) < 0)
		return;
	for (size_t i = 0; i < state->scratch.count; i++) {
		struct pd_dso *dso = dso_of(state, state->scratch.items[i].frame);
		if (dso)
			mark_dso(dso);
	}
}

void pd_chain_mark(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain)
{
	const struct perfdata_list *list = chain->recorded;
	if (chain->deferred || chain->branches || chain->nr_unwound || chain->leaf_caller || list->count > PD_MAX_STEPS) {
		mark_steps(state, thread, chain);
		return;
	}
	if (!state->address_cache && make_cache(state) < 0)
		return;
	struct chain_walk walk = start_walk(list, NULL);
	uint64_t through = seen_by(state, thread, &walk);
	for (uint64_t at = 0; (at = pass_marked(state->address_cache, list, through, at)) < list->count; at++) {
		const uint64_t ip = perfdata_list_u64(list, at);
		if (ip < PERFDATA_CONTEXT_MAX)
			mark_address(state, thread, &walk, through, ip);
		else if (set_context(&walk, ip))
			through = seen_by(state, thread, &walk);
		else
			return;
	}
}

void pd_frames_release(struct pd_state *state)
{
	pd_table_release(&state->frames);
	pd_index_release(&state->frame_index);
	pd_table_release(&state->stacks);
	pd_index_release(&state->stack_index);
	pd_arena_release(&state->steps);
	pd_free(state->scratch.items);
	pd_chain_cache_release(&state->chains);
	pd_free(state->address_cache);
}
