/* SPDX-License-Identifier: MIT */
/* User stacks that were recorded as registers and memory: one unwinder for each set of maps, for the few sets used
 * last. */
#include "config.h"
#include "base/memory.h"
#include "session/state.h"
#include "symbols/symbols.h"
#include "reader/reader.h"

#define MAX_UNWINDERS 64u

struct pd_unwinder {
	struct pd_state *state;
	const struct pd_maps *maps;      /* NULL: free */
	uint64_t generation;               /* of the maps that the unwinder has met */
	uint64_t used;                     /* counter value at its last use */
	enum perfdata_unwind_arch arch;
	struct perfdata_unwinder *unwinder;
};

struct pd_unwinders {
	struct pd_unwinder slots[MAX_UNWINDERS];
	uint64_t uses;
	uint64_t regs[64];
	uint64_t pcs[PD_MAX_STEPS];
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
		.start = map->start, .end = map->end, .pgoff = map->pgoff, .dso = dso->symbols
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

static bool arch_of(const struct pd_state *state, uint64_t abi, enum perfdata_unwind_arch *ret)
{
	const enum perfdata_arch arch = pd_reader_arch(state->reader);
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

static void drop(struct pd_unwinder *slot)
{
	pd_unwinder_free(slot->unwinder);
	*slot = (struct pd_unwinder){ 0 };
}

/* The unwinder of these maps in their present state. */
static struct pd_unwinder *take_unwinder(struct pd_state *state, const struct pd_maps *maps,
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
		drop(slot);
		if (pd_unwinder_new(state->symbols, arch, find_map, slot, &slot->unwinder) != PERFDATA_OK)
			return NULL;
		*slot = (struct pd_unwinder){ .state = state,
					      .maps = maps,
					      .generation = maps->generation,
					      .arch = arch,
					      .unwinder = slot->unwinder };
	} else if (slot->generation != maps->generation) {
		pd_unwinder_check(slot->unwinder, next_map);
		slot->generation = maps->generation;
	}
	slot->used = ++all->uses;
	return slot;
}

void pd_unwind(struct pd_state *state, const struct pd_thread *thread, const struct perfdata_sample *sample,
	       struct pd_chain *chain)
{
	const struct perfdata_regs *regs = &sample->user_regs;
	const struct perfdata_user_stack *stack = &sample->user_stack;
	enum perfdata_unwind_arch arch;
	if (!state->symbols || !regs->abi || !regs->values.count || !arch_of(state, regs->abi, &arch))
		return;
	size_t copied = stack->dyn_size < stack->data.size ? (size_t)stack->dyn_size : stack->data.size;
	/* the kernel writes a value for each bit of the mask; a truncated record has fewer */
	if (!copied || regs->values.count != (uint64_t)__builtin_popcountll(regs->mask))
		return;
	if (!state->unwinders)
		state->unwinders = pd_calloc(1, sizeof *state->unwinders);
	struct pd_unwinder *slot = state->unwinders ? take_unwinder(state, thread->maps, arch) : NULL;
	if (!slot) {
		state->status = PERFDATA_ENOMEM;
		return;
	}
	for (uint64_t i = 0; i < regs->values.count; i++)
		state->unwinders->regs[i] = perfdata_list_u64(&regs->values, i);
	const struct perfdata_unwind_sample at = {
		.reg_mask = regs->mask, .regs = state->unwinders->regs, .stack = { stack->data.data, copied },
	};
	size_t count = 0;
	const enum perfdata_status status = pd_unwind_stack(slot->unwinder, &at, state->unwinders->pcs, PD_MAX_STEPS,
							    &count);
	if (status == PERFDATA_ENOMEM || status == PERFDATA_EREAD)
		state->status = status;
	if (status != PERFDATA_OK)
		return;
	chain->unwound = state->unwinders->pcs;
	chain->nr_unwound = count;
	/* the kernel copies less than it was asked for where the stack ends */
	chain->is_cut = count && copied == stack->data.size && pd_unwinder_was_cut(slot->unwinder);
}

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
	if (!state->symbols || !(regs->mask & lr) || !arch_of(state, regs->abi, &arch) ||
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
		drop(&state->unwinders->slots[i]);
	pd_free(state->unwinders);
	state->unwinders = NULL;
}
