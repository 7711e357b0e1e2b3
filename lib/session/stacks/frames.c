/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/cursor.h"
#include "schema/schema.h"
#include "session/stacks/chain_walk.h"

/* Flags of `through`, which also has the cpumode and a number of the maps: `generation` for an address without a map,
 * else `replaced`. */
#define BELOW_KERNEL 0x100u
#define IN_CHAIN PD_ADDRESS_MARK   /* the address was in a chain, and its dso is marked */
#define WITHOUT_MAP 0x400u
#define GENERATION_SHIFT 16
#define NOWHERE UINT64_MAX

static int same_frame(const void *user, uint32_t index, const void *wanted)
{
	const struct pd_state *state = user;
	const struct perfdata_frame *frame = pd_table_at(&state->frames, index), *key = wanted;
	return frame->dso == key->dso && frame->address == key->address && frame->time == key->time;
}

static void account_frames(struct pd_state *state)
{
	const size_t size = (size_t)state->frames.count * sizeof(struct perfdata_frame) +
			    state->frame_index.capacity * sizeof *state->frame_index.slots;
	pd_account_change(state->account, PD_USE_FRAMES, state->frames_accounted, size);
	state->frames_accounted = size;
}

/* Accounts for frames. They cannot be evicted: where they exhaust the memory, the session ends. */
static int limit_frames(struct pd_state *state)
{
	account_frames(state);
	if (!pd_account_is_exhausted(state->account))
		return 0;
	state->status = PERFDATA_ENOMEM;
	return -1;
}

uint32_t pd_frame_get(struct pd_state *state, const struct perfdata_frame *key)
{
	uint64_t hash = pd_hash_u64(key->address, state->seed + key->dso * 0x9e3779b97f4a7c15ull + key->time);
	uint32_t index = pd_index_find(&state->frame_index, hash, same_frame, state, key);
	if (index != UINT32_MAX)
		return index;
	state->frame_index.dense = pd_account_is_tight(state->account);
	struct perfdata_frame *frame = pd_table_add(&state->frames, &index);
	if (frame)
		*frame = *key;
	if (!frame || pd_index_add(&state->frame_index, hash, index) < 0) {
		state->status = PERFDATA_ENOMEM;
		return PERFDATA_NONE;
	}
	if (index % 256 == 0 && limit_frames(state) < 0)
		return PERFDATA_NONE;
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
	return NULL;   /* the hypervisor, unknown modes and guests that are not followed have no maps */
}

/* Whether the kernel's symbols name the address. Code that ran at boot is after the end of the kernel's map. */
static bool is_kernel_symbol(struct pd_state *state, uint64_t ip)
{
	struct perfdata_symbols_dso *symbols = atomic_load(&state->kernel_symbols);
	struct perfdata_symbol symbol;
	return symbols && ip >> 63 && perfdata_symbols_lookup(symbols, ip, UINT64_MAX, &symbol) == PERFDATA_OK &&
	       !symbol.module;
}

static int make_cache(struct pd_state *state)
{
	if (pd_address_cache_make(&state->addresses, state->account) == 0)
		return 0;
	state->status = PERFDATA_ENOMEM;
	return -1;
}

static inline uint64_t through_generation(uint64_t generation, unsigned cpumode, bool below_kernel)
{
	return generation << GENERATION_SHIFT | (below_kernel ? BELOW_KERNEL : 0) | cpumode;
}

/* Identifies the maps and the mode by which an address that has a map was resolved: a part of the cache's key. */
static inline uint64_t seen_through(const struct pd_maps *maps, unsigned cpumode, bool below_kernel)
{
	return through_generation(maps->replaced, cpumode, below_kernel);
}

static inline struct pd_address_slot *slot_of(const struct pd_state *state, uint64_t through, uint64_t ip)
{
	return pd_address_slot(&state->addresses, pd_address_spread(through), ip);
}

/* As simpleperf does, takes an address in a module without a symbol there for an address of the kernel. */
static void fall_back_to_kernel(struct pd_state *state, uint64_t ip, struct perfdata_frame *at)
{
	struct pd_dso *dso = pd_dso_at(state, at->dso);

	if (dso->public.kind != PERFDATA_DSO_MODULE || state->kernel_dso == PERFDATA_NONE)
		return;
	pd_dso_find_symbols(state, dso);
	if (!pd_inside_symbol_of(dso, at->address))
		*at = (struct perfdata_frame){ .dso = state->kernel_dso, .address = ip };
}

/* Finds the frame of an address that the cache does not have as one with a map, and puts it into the cache. */
static uint32_t find_frame(struct pd_state *state, const struct pd_maps *maps, unsigned cpumode, uint64_t ip,
			   bool below_kernel, struct pd_address_slot *slot)
{
	uint64_t through = through_generation(maps->generation, cpumode, below_kernel) | WITHOUT_MAP;
	struct pd_address_slot *without_map = slot_of(state, through, ip);
	if (pd_address_slot_has(without_map, through, ip))
		return without_map->frame;
	const struct pd_map *map = pd_maps_find(maps, ip);
	if (map)
		through = seen_through(maps, cpumode, below_kernel);
	else
		slot = without_map;
	if (!map && below_kernel)
		map = pd_maps_find_before_exec(maps, ip);
	struct perfdata_frame at = { .dso = PERFDATA_NONE };
	bool timed = false;
	if (map) {
		at = (struct perfdata_frame){ .dso = map->dso, .address = pd_map_address(map, ip) };
		at.time = pd_jit_time(state, pd_dso_at(state, map->dso), at.address, &timed);
		if (maps == &state->kernel)
			at.time = pd_code_time(state, map, ip);
		if (state->inside)
			fall_back_to_kernel(state, ip, &at);
	} else if (cpumode == PERFDATA_CPUMODE_KERNEL && !state->inside && is_kernel_symbol(state, ip)) {
		at = (struct perfdata_frame){ .dso = state->kernel_dso, .address = ip };
	}
	const uint32_t frame = at.dso == PERFDATA_NONE ? PERFDATA_NONE : pd_frame_get(state, &at);
	state->timed |= timed;
	if (!timed)
		pd_address_cache_put(&state->addresses, slot, ip, through, frame);
	return frame;
}

static inline uint32_t frame_of(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip,
				bool below_kernel)
{
	const struct pd_maps *maps = maps_of(state, thread, cpumode);
	if (!maps)
		return PERFDATA_NONE;
	if (!state->addresses.slots && make_cache(state) < 0)
		return PERFDATA_NONE;
	const uint64_t through = seen_through(maps, cpumode, below_kernel);
	struct pd_address_slot *slot = slot_of(state, through, ip);
	if (pd_address_slot_has(slot, through, ip))
		return slot->frame;
	return find_frame(state, maps, cpumode, ip, below_kernel, slot);
}

void pd_frame_expect(const struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip)
{
	const struct pd_maps *maps = state->addresses.slots ? maps_of(state, thread, cpumode) : NULL;
	if (maps)
		pd_prefetch(slot_of(state, seen_through(maps, cpumode, false), ip));
}

uint32_t *pd_frame_alone(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip,
			 uint32_t frame)
{
	const struct pd_maps *maps = state->addresses.slots ? maps_of(state, thread, cpumode) : NULL;
	if (!maps)
		return NULL;
	const uint64_t through = frame != PERFDATA_NONE
					 ? seen_through(maps, cpumode, false)
					 : through_generation(maps->generation, cpumode, false) | WITHOUT_MAP;
	struct pd_address_slot *slot = slot_of(state, through, ip);
	return pd_address_slot_has(slot, through, ip) && slot->frame == frame ? &slot->alone : NULL;
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
	/* The kernel half of an address space has the top bit set, or begins where the kernel's map begins. A kernel
	 * map that begins at 0 means that the recorder did not know the address. */
	const struct pd_map *map = pd_maps_find(&state->kernel, address);
	const unsigned other = address >> 63 || (map && map->start) ? PERFDATA_CPUMODE_KERNEL : PERFDATA_CPUMODE_USER;
	if (other == cpumode || (cpumode != PERFDATA_CPUMODE_KERNEL && cpumode != PERFDATA_CPUMODE_USER))
		return PERFDATA_NONE;
	return pd_frame_of(state, thread, other, address);
}

void pd_frames_of_branches(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode,
			   const struct perfdata_list *entries, uint32_t *ret)
{
	const struct pd_maps *maps = state->addresses.slots ? maps_of(state, thread, cpumode) : NULL;
	/* values that depend on the mode alone are computed once for all addresses */
	const uint64_t through = maps ? seen_through(maps, cpumode, false) : 0, spread = pd_address_spread(through);
	for (uint64_t i = 0; i < 2 * entries->count; i++) {
		const uint64_t address = pd_branch_word(entries, i / 2, i % 2);
		const struct pd_address_slot *slot = maps ? pd_address_slot(&state->addresses, spread, address) : NULL;
		ret[i] = slot && pd_address_slot_has(slot, through, address) && slot->frame != PERFDATA_NONE ?
				 slot->frame :
				 pd_frame_of_data(state, thread, cpumode, address);
	}
}

uint32_t pd_frame_seen(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip,
		       bool below_kernel)
{
	return frame_of(state, thread, cpumode, ip, below_kernel);
}

size_t pd_walk_steps(struct pd_state *state, const struct pd_thread *thread, struct pd_chain_walk *walk, uint64_t most,
		     struct perfdata_step *ret)
{
	const struct perfdata_list *list = walk->parts[walk->part];
	const uint64_t from = walk->at, end = list->count - from < most ? list->count : from + most;
	const bool below_kernel = pd_walk_is_below_kernel(walk);
	const struct pd_maps *maps = maps_of(state, thread, walk->cpumode);
	if (maps && !state->addresses.slots && make_cache(state) < 0)
		maps = NULL;
	/* values that depend on the mode alone are computed once for all addresses */
	const uint64_t through = maps ? seen_through(maps, walk->cpumode, below_kernel) : 0;
	const uint64_t spread = pd_address_spread(through);
	for (; walk->at < end; walk->at++) {
		const uint64_t ip = perfdata_list_u64(list, walk->at);
		if (ip >= PERFDATA_CONTEXT_MAX)
			break;
		uint32_t frame = PERFDATA_NONE;
		if (maps) {
			struct pd_address_slot *slot = pd_address_slot(&state->addresses, spread, ip);
			frame = pd_address_slot_has(slot, through, ip)
					? slot->frame
					: find_frame(state, maps, walk->cpumode, ip, below_kernel, slot);
		}
		*ret++ = (struct perfdata_step){
			.ip = ip, .frame = frame, .cpumode = walk->cpumode, .origin = walk->origin
		};
	}
	return (size_t)(walk->at - from);
}

bool pd_callers_begin(const struct pd_state *state, const struct pd_thread *thread, const struct perfdata_list *chain,
		      struct pd_callers *ret)
{
	struct pd_chain_walk walk = pd_walk_start(chain, NULL);
	uint64_t begin = chain->count;
	while (begin && perfdata_list_u64(chain, begin - 1) < PERFDATA_CONTEXT_MAX)
		begin--;
	walk.in_kernel = begin > 1 && perfdata_list_u64(chain, 0) == PERFDATA_CONTEXT_KERNEL;
	if (begin && !pd_walk_context(&walk, perfdata_list_u64(chain, begin - 1)))
		return false;
	const struct pd_maps *maps = maps_of(state, thread, walk.cpumode);
	if (!maps || !state->addresses.slots)
		return false;
	*ret = (struct pd_callers){ chain, begin, chain->count,
				    seen_through(maps, walk.cpumode, pd_walk_is_below_kernel(&walk)), walk.cpumode };
	return true;
}

size_t pd_callers_next(const struct pd_state *state, struct pd_callers *callers, struct perfdata_step *ret, size_t most)
{
	const uint64_t spread = pd_address_spread(callers->through);
	size_t nr = 0;
	for (; callers->end > callers->begin && nr < most; callers->end--) {
		const uint64_t ip = perfdata_list_u64(callers->chain, callers->end - 1);
		const struct pd_address_slot *slot = pd_address_slot(&state->addresses, spread, ip);
		if (!pd_address_slot_has(slot, callers->through, ip))
			break;
		ret[nr++] = (struct perfdata_step){ .ip = ip, .frame = slot->frame, .cpumode = callers->cpumode };
	}
	return nr;
}

/* --- marks of chains --- */

/* With these marks the session reports the dsos of chains without keeping chains. Nearly every address of a chain was
 * seen before, and its slot in the cache has the mark; addresses are fewer than chains, and close together. */

static struct pd_dso *dso_of(const struct pd_state *state, uint32_t frame)
{
	const struct perfdata_frame *at = frame == PERFDATA_NONE ? NULL : pd_table_at(&state->frames, frame);
	return at && at->dso != PERFDATA_NONE ? pd_dso_at(state, at->dso) : NULL;
}

static void mark_dso(struct pd_dso *dso) { __atomic_store_n(&dso->in_chain, true, __ATOMIC_RELAXED); }

/* Finds the first address from `at` on that is not marked; returns its index, or the end of the chain. */
static uint64_t pass_marked(const struct pd_address_cache *cache, const struct perfdata_list *chain, uint64_t through,
			    uint64_t at)
{
	const uint64_t spread = pd_address_spread(through), marked = through | IN_CHAIN;
	for (; at < chain->count; at++) {
		const uint64_t ip = perfdata_list_u64(chain, at);
		const struct pd_address_slot *slot = pd_address_slot(cache, spread, ip);
		if (slot->ip != ip || slot->through != marked)
			break;
	}
	return at;
}

static bool is_broken(const struct perfdata_list *chain)
{
	struct pd_chain_walk walk = pd_walk_start(chain, NULL);
	uint64_t ip;
	while (pd_walk_next(&walk, &ip))
		;
	return walk.broken;
}

/* As seen_through, for the maps and mode of the walk; NOWHERE: there are no maps. */
static uint64_t seen_by(const struct pd_state *state, const struct pd_thread *thread, const struct pd_chain_walk *walk)
{
	const struct pd_maps *maps = maps_of(state, thread, walk->cpumode);
	return maps ? seen_through(maps, walk->cpumode, pd_walk_is_below_kernel(walk)) : NOWHERE;
}

/* Marks the dso of an address, unless the address is in a broken chain. */
static void mark_address(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain_walk *walk,
			 uint64_t through, uint64_t ip)
{
	if (through == NOWHERE)
		return;
	struct pd_dso *dso = dso_of(state, frame_of(state, thread, walk->cpumode, ip, pd_walk_is_below_kernel(walk)));
	if (!dso || (!dso->in_chain && is_broken(walk->parts[0])))
		return;
	mark_dso(dso);
	struct pd_address_slot *slot = slot_of(state, through, ip);
	if (slot->ip == ip && slot->through == through)
		slot->through |= IN_CHAIN;
}

static void mark_steps(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain)
{
	if (pd_gather_steps(state, thread, chain) < 0)
		return;
	for (size_t i = 0; i < state->stacks.scratch.count; i++) {
		struct pd_dso *dso = dso_of(state, state->stacks.scratch.items[i].frame);
		if (dso)
			mark_dso(dso);
	}
}

void pd_chain_mark(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain)
{
	const struct perfdata_list *list = chain->recorded;
	if (state->inside || chain->deferred || chain->branches || chain->nr_unwound || chain->leaf_caller) {
		mark_steps(state, thread, chain);
		return;
	}
	if (!state->addresses.slots && make_cache(state) < 0)
		return;
	struct pd_chain_walk walk = pd_walk_start(list, NULL);
	uint64_t through = seen_by(state, thread, &walk);
	for (uint64_t at = 0; (at = pass_marked(&state->addresses, list, through, at)) < list->count; at++) {
		const uint64_t ip = perfdata_list_u64(list, at);
		if (ip < PERFDATA_CONTEXT_MAX)
			mark_address(state, thread, &walk, through, ip);
		else if (pd_walk_context(&walk, ip))
			through = seen_by(state, thread, &walk);
		else
			return;
	}
}

void pd_frames_finish(struct pd_state *state)
{
	pd_index_release(&state->frame_index);
	pd_address_cache_drop(&state->addresses);
	account_frames(state);
}

void pd_frames_release(struct pd_state *state)
{
	pd_account_give(state->account, PD_USE_FRAMES, state->frames_accounted);
	pd_table_release(&state->frames);
	pd_index_release(&state->frame_index);
	pd_address_cache_drop(&state->addresses);
}
