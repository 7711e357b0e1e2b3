/* SPDX-License-Identifier: MIT */
/* User stacks that were recorded as registers and memory: keeps an unwinder for each of the last few sets of maps. */
#include "config.h"
#include "base/memory.h"
#include "base/threads.h"
#include "session/state.h"
#include "symbols/symbols.h"
#include "reader/reader.h"

#define MAX_UNWINDERS 64u

struct pd_unwinder {
	struct pd_state *state;
	struct pd_maps *maps;              /* NULL: free */
	uint64_t generation;               /* of the maps when the unwinder was last checked */
	uint64_t used;                     /* counter value at its last use */
	enum perfdata_unwind_arch arch;
	struct perfdata_unwinder *unwinder;
};

struct pd_unwinders {
	struct pd_unwinder slots[MAX_UNWINDERS];
	uint64_t uses;
	uint64_t regs[64];
	uint64_t pcs[PD_MAX_UNWOUND];
};

static bool find_map(void *user, uint64_t address, struct perfdata_unwind_map *ret)
{
	const struct pd_unwinder *slot = user;
	const struct pd_map *map = pd_maps_find(slot->maps, address);
	if (!map)
		return false;
	struct pd_dso *dso = pd_dso_at(slot->state, map->dso);
	pd_dso_find_symbols(slot->state, dso);
	*ret = (struct perfdata_unwind_map){
		.start = map->start, .end = map->end, .pgoff = map->pgoff, .dso = dso->symbols,
		.jit = pd_dso_find_jitdump(slot->state, dso) ? dso->jitdump : NULL,
	};
	return true;
}

static bool next_map(void *user, uint64_t address, struct perfdata_unwind_map *ret, bool *ret_is_file)
{
	const struct pd_unwinder *slot = user;
	const struct pd_map *map = pd_maps_next(slot->maps, address);
	if (!map)
		return false;
	const struct pd_dso *dso = pd_dso_at(slot->state, map->dso);
	*ret = (struct perfdata_unwind_map){
		.start = map->start, .end = map->end, .pgoff = map->pgoff, .dso = dso->symbols
	};
	*ret_is_file = dso->public.kind != PERFDATA_DSO_NONE;
	return true;
}

static bool arch_of(enum perfdata_arch arch, uint64_t abi, enum perfdata_unwind_arch *ret)
{
	const bool wide = abi == 2;
	if (arch == PERFDATA_ARCH_X86)
		*ret = wide ? PERFDATA_UNWIND_X86_64 : PERFDATA_UNWIND_I386;
	else if (arch == PERFDATA_ARCH_ARM64)
		*ret = wide ? PERFDATA_UNWIND_AARCH64 : PERFDATA_UNWIND_ARM;
	else if (arch == PERFDATA_ARCH_ARM && !wide)
		*ret = PERFDATA_UNWIND_ARM;
	else
		return false;
	return true;
}

static void drop_unwinder(struct pd_unwinder *slot)
{
	pd_unwinder_free(slot->unwinder);
	*slot = (struct pd_unwinder){ 0 };
}

/* If the maps have changed, makes the unwinder drop files that other mappings have replaced. */
static void check_unwinder(struct pd_unwinder *slot)
{
	uint64_t low, high;
	if (slot->generation == slot->maps->generation)
		return;
	pd_maps_check(slot->maps, slot->generation, &low, &high);
	pd_unwinder_check(slot->unwinder, low, high, next_map);
	slot->generation = slot->maps->generation;
}

/* Returns the unwinder for the present state of these maps. */
static struct pd_unwinder *take_unwinder(struct pd_state *state, struct pd_maps *maps,
					 enum perfdata_unwind_arch arch)
{
	struct pd_unwinders *all = state->unwinders;
	struct pd_unwinder *slot = all->slots;
	for (unsigned i = 0; i < MAX_UNWINDERS; i++) {
		struct pd_unwinder *each = &all->slots[i];
		if (each->maps == maps && each->arch == arch) {
			slot = each;
			break;
		}
		if (each->used < slot->used)
			slot = each;
	}
	if (slot->maps != maps || slot->arch != arch) {
		drop_unwinder(slot);
		if (pd_unwinder_new(state->symbols, arch, find_map, slot, &slot->unwinder) != PERFDATA_OK)
			return NULL;
		*slot = (struct pd_unwinder){ .state = state,
					      .maps = maps,
					      .generation = maps->generation,
					      .arch = arch,
					      .unwinder = slot->unwinder };
	} else {
		check_unwinder(slot);
	}
	slot->used = ++all->uses;
	return slot;
}

/* Fills in *ret except for the register values. false: the sample has no stack that can be unwound. */
static bool take_recorded(enum perfdata_arch machine, const struct perfdata_sample *sample,
			  struct perfdata_unwind_sample *ret, enum perfdata_unwind_arch *ret_arch)
{
	const struct perfdata_regs *regs = &sample->user_regs;
	const struct perfdata_user_stack *stack = &sample->user_stack;
	if (!regs->abi || !regs->values.count || !arch_of(machine, regs->abi, ret_arch))
		return false;
	const size_t copied = stack->dyn_size < stack->data.size ? (size_t)stack->dyn_size : stack->data.size;
	*ret = (struct perfdata_unwind_sample){ .reg_mask = regs->mask, .stack = { stack->data.data, copied } };
	/* the kernel writes a value for each bit of the mask; a truncated record has fewer */
	return copied && regs->values.count == (uint64_t)__builtin_popcountll(regs->mask);
}

static void take_registers(const struct perfdata_regs *regs, uint64_t *ret)
{
	for (uint64_t i = 0; i < regs->values.count; i++)
		ret[i] = perfdata_list_u64(&regs->values, i);
}

/* Whether the kernel copied as many bytes as requested; it copies fewer where the stack ends. */
static bool is_full(const struct perfdata_unwind_sample *at, const struct perfdata_user_stack *stack)
{
	return at->stack.size == stack->data.size;
}

/* Whether every address that was looked up ahead of its turn still has the same map, or no map. */
static bool maps_agree(const struct pd_state *state, const struct pd_unwinding *ahead)
{
	const struct pd_maps *maps = ahead->maps;
	return maps->replaced == ahead->replaced && (!ahead->has_unmapped || maps->generation == ahead->generation) &&
	       !(ahead->has_jit && atomic_load_explicit(&state->has_jitdumps, memory_order_relaxed));
}

/* Takes the result of another thread. false: there is none, or the maps or modules have changed since. */
static bool take_ahead(const struct pd_state *state, const struct pd_unwinder *slot,
		       const struct perfdata_unwind_sample *at, struct pd_chain *chain)
{
	const struct pd_unwinding *ahead = state->unwinding;
	if (!ahead || ahead->stack != at->stack.data || ahead->arch != slot->arch || ahead->maps != slot->maps ||
	    !maps_agree(state, ahead) || !pd_unwinder_agrees(slot->unwinder, ahead->modules))
		return false;
	chain->unwound = ahead->pcs;
	chain->nr_unwound = ahead->nr_pcs;
	chain->is_cut = ahead->is_cut;
	return true;
}

/* Reads what the reader left out of the stack's copy. */
static enum perfdata_status read_stack(const struct perfdata_raw *raw, const struct perfdata_unwind_sample *at,
				       struct perfdata_error *reterr)
{
	return pd_raw_read_stack(raw, (size_t)(at->stack.data - raw->bytes) + at->stack.size, reterr);
}

void pd_unwind(struct pd_state *state, const struct pd_thread *thread, const struct perfdata_raw *raw,
	       const struct perfdata_sample *sample, struct pd_chain *chain)
{
	struct perfdata_unwind_sample at;
	enum perfdata_unwind_arch arch;
	if (!state->symbols || !take_recorded(pd_reader_arch(state->reader), sample, &at, &arch))
		return;
	if (!state->unwinders)
		state->unwinders = pd_calloc(1, sizeof *state->unwinders);
	struct pd_unwinder *slot = state->unwinders ? take_unwinder(state, thread->maps, arch) : NULL;
	if (!slot) {
		state->status = PERFDATA_ENOMEM;
		return;
	}
	if (take_ahead(state, slot, &at, chain))
		return;
	if (read_stack(raw, &at, &state->error) != PERFDATA_OK) {
		state->status = PERFDATA_EREAD;
		return;
	}
	take_registers(&sample->user_regs, state->unwinders->regs);
	at.regs = state->unwinders->regs;
	at.time = state->now;
	size_t count = 0;
	const enum perfdata_status status = pd_unwind_stack(slot->unwinder, &at, state->unwinders->pcs, PD_MAX_UNWOUND,
							    &count);
	if (status == PERFDATA_ENOMEM || status == PERFDATA_EREAD)
		state->status = status;
	if (status != PERFDATA_OK)
		return;
	chain->unwound = state->unwinders->pcs;
	chain->nr_unwound = count;
	chain->is_cut = count && is_full(&at, &sample->user_stack) && pd_unwinder_was_cut(slot->unwinder);
}

/* --- ahead of its turn -------------------------------------------------------------------------------------------- */

static void look_up_map(struct pd_unwinding *unwinding, const struct pd_map *map, struct perfdata_unwind_map *ret)
{
	const struct pd_dso *dso = pd_dso_at(unwinding->state, map->dso);
	const bool known = atomic_load_explicit(&dso->symbols_known, memory_order_acquire);
	unwinding->has_jit |= dso->public.kind == PERFDATA_DSO_PERF_MAP;
	unwinding->needs_turn |= !known;
	*ret = (struct perfdata_unwind_map){
		.start = map->start, .end = map->end, .pgoff = map->pgoff, .dso = known ? dso->symbols : NULL
	};
}

/* As find_map, for any thread: it loads no symbols. Frames of JIT code need the same map several times. */
static bool find_known_map(void *user, uint64_t address, struct perfdata_unwind_map *ret)
{
	struct pd_unwinding *unwinding = user;
	struct perfdata_unwind_map *last = &unwinding->last_map;
	bool is_found = address >= last->start && address < last->end;
	if (!is_found) {
		pd_monitor_enter_soon(unwinding->state->maps_lock);
		const struct pd_map *map = pd_maps_find(unwinding->maps, address);
		is_found = map;
		if (map)
			look_up_map(unwinding, map, last);
		pd_monitor_leave(unwinding->state->maps_lock);
	}
	unwinding->has_unmapped |= !is_found;
	if (is_found)
		*ret = *last;
	return is_found;
}

bool pd_unwinding_begin(struct pd_state *state, const struct pd_thread *thread, struct pd_unwinding *ret)
{
	struct pd_unwinders *all = state->unwinders;
	for (unsigned i = 0; all && i < MAX_UNWINDERS; i++) {
		struct pd_unwinder *slot = &all->slots[i];
		if (slot->maps != thread->maps)
			continue;
		check_unwinder(slot);
		ret->modules = pd_unwinder_modules(slot->unwinder);
		if (!ret->modules)
			return false;
		ret->state = state;
		ret->machine = pd_reader_arch(state->reader);
		ret->maps = slot->maps;
		ret->generation = slot->maps->generation;
		ret->replaced = slot->maps->replaced;
		ret->arch = slot->arch;
		return true;
	}
	return false;
}

void pd_unwinding_run(struct pd_unwinding *unwinding, const struct perfdata_raw *raw)
{
	struct perfdata_record record;
	struct perfdata_unwind_sample at;
	enum perfdata_unwind_arch arch;
	uint64_t regs[64];
	const struct perfdata_sample *sample = &record.u.sample;
	unwinding->stack = NULL;
	unwinding->needs_turn = unwinding->has_unmapped = unwinding->has_jit = false;
	unwinding->last_map = (struct perfdata_unwind_map){ 0 };
	(void)perfdata_decode(raw->event->config, raw->bytes, raw->size, &record);
	if (!take_recorded(unwinding->machine, sample, &at, &arch) || arch != unwinding->arch ||
	    read_stack(raw, &at, NULL) != PERFDATA_OK)
		return;
	take_registers(&sample->user_regs, regs);
	at.regs = regs;
	at.time = raw->time;
	if (!pd_unwind_ahead(unwinding->modules, find_known_map, unwinding, &at, unwinding->pcs, PD_MAX_AHEAD,
			     &unwinding->nr_pcs, &unwinding->is_cut) || unwinding->needs_turn ||
	    unwinding->nr_pcs == PD_MAX_AHEAD)
		return;
	unwinding->is_cut &= is_full(&at, &sample->user_stack);
	unwinding->stack = at.stack.data;
}

void pd_unwinding_end(struct pd_unwinding *unwinding)
{
	pd_unwind_modules_drop(unwinding->modules);
	unwinding->modules = NULL;
}

/* --- leaves of frame pointers ------------------------------------------------------------------------------------- */

/* The first address of the user part of a chain, or 0. */
static uint64_t first_of_user(const struct perfdata_list *chain)
{
	for (uint64_t i = 0; i + 1 < chain->count; i++)
		if (perfdata_list_u64(chain, i) == PERFDATA_CONTEXT_USER)
			return perfdata_list_u64(chain, i + 1);
	return 0;
}

uint64_t pd_unwind_leaf(struct pd_state *state, const struct pd_thread *thread, const struct perfdata_sample *sample,
			const struct perfdata_list *chain)
{
	enum { SP = 31, PC = 32, KNOWN = 33 };     /* perf's numbers of aarch64 */
	const uint64_t lr = UINT64_C(1) << 30, sp = UINT64_C(1) << SP, pc = UINT64_C(1) << PC;
	const struct perfdata_regs *regs = &sample->user_regs;
	enum perfdata_unwind_arch arch;
	if (!state->symbols || !(regs->mask & lr) || !arch_of(pd_reader_arch(state->reader), regs->abi, &arch) ||
	    arch != PERFDATA_UNWIND_AARCH64 || regs->values.count != (uint64_t)__builtin_popcountll(regs->mask))
		return 0;
	if (!state->unwinders)
		state->unwinders = pd_calloc(1, sizeof *state->unwinders);
	struct pd_unwinder *slot = state->unwinders ? take_unwinder(state, thread->maps, arch) : NULL;
	if (!slot) {
		state->status = PERFDATA_ENOMEM;
		return 0;
	}
	uint64_t taken = 0, *values = state->unwinders->regs;
	for (unsigned i = 0; i < KNOWN; i++) {
		if (regs->mask >> i & 1)
			*values++ = perfdata_list_u64(&regs->values, taken++);
		else if (i == SP || i == PC)
			*values++ = i == PC ? first_of_user(chain) : 0;
	}
	const struct perfdata_unwind_sample at = {
		.reg_mask = (regs->mask | sp | pc) & ((UINT64_C(1) << KNOWN) - 1), .regs = state->unwinders->regs,
	};
	size_t count = 0;
	if (pd_unwind_stack(slot->unwinder, &at, state->unwinders->pcs, 2, &count) != PERFDATA_OK || count != 2)
		return 0;
	return state->unwinders->pcs[1];
}

void pd_unwinders_free(struct pd_state *state)
{
	for (unsigned i = 0; state->unwinders && i < MAX_UNWINDERS; i++)
		drop_unwinder(&state->unwinders->slots[i]);
	pd_free(state->unwinders);
	state->unwinders = NULL;
}
