/* SPDX-License-Identifier: MIT */
/* Changes of the kernel's code while it runs: static keys, tracing, probes. TEXT_POKE records have the bytes before and
 * after a change. Frames of a changed function get the time of its last change, as frames of JIT code get the time of
 * the code, so that samples before and after a change have different frames. */
#include "config.h"
#include <string.h>
#include "base/account.h"
#include "base/memory.h"
#include "session/state.h"
#include "symbols/symbols.h"

struct pd_code_change {
	uint64_t address, time;
	const uint8_t *old_bytes, *new_bytes;
	uint32_t before;                   /* number + 1 of the function's previous change; 0: none */
	uint16_t old_size, new_size;
};

/* Finds where the function that has a kernel address begins; false: unknown. */
static bool find_function(struct pd_state *state, const struct pd_map *map, uint64_t ip, uint64_t *ret_start)
{
	struct pd_dso *dso = map ? pd_dso_at(state, map->dso) : NULL;
	struct perfdata_symbol symbol;
	if (!dso)
		return false;
	*ret_start = map->start;
	if (dso->public.kind == PERFDATA_DSO_BPF)
		return true;
	if (dso->public.kind != PERFDATA_DSO_KERNEL && dso->public.kind != PERFDATA_DSO_MODULE)
		return false;
	pd_dso_find_symbols(state, dso);
	if (!dso->symbols || perfdata_symbols_lookup(dso->symbols, ip, UINT64_MAX, &symbol) != PERFDATA_OK)
		return false;
	*ret_start = symbol.start;
	return true;
}

static const uint8_t *copy(struct pd_state *state, struct perfdata_bytes bytes)
{
	return (const uint8_t *)pd_arena_copy(&state->arena, bytes.data, bytes.size);
}

int pd_code_changed(struct pd_state *state, const struct perfdata_text_poke *poke)
{
	struct pd_code_changes *changes = &state->code_changes;
	uint64_t start, before = 0;
	if (!state->symbols || !find_function(state, pd_maps_find(&state->kernel, poke->addr), poke->addr, &start))
		return 0;
	(void)pd_hash_map_get(&changes->newest, start, &before);
	struct pd_code_change made = {
		.address = poke->addr, .time = state->now, .before = (uint32_t)before,
		.old_size = (uint16_t)poke->old_bytes.size, .new_size = (uint16_t)poke->new_bytes.size,
	};
	if (made.old_size && !(made.old_bytes = copy(state, poke->old_bytes)))
		return -1;
	if (made.new_size && !(made.new_bytes = copy(state, poke->new_bytes)))
		return -1;
	if (changes->nr == UINT32_MAX - 1 ||
	    pd_vector_grow(&changes->items, &changes->room, changes->nr, sizeof *changes->items) < 0)
		return -1;
	changes->items[changes->nr++] = made;
	const size_t size = changes->bytes + made.old_size + made.new_size;
	pd_account_change(state->account, PD_USE_FRAMES, changes->bytes, size);
	changes->bytes = size;
	/* addresses looked up before must get new frames */
	pd_maps_replace_all(&state->store, &state->kernel);
	if (pd_account_is_exhausted(state->account))
		return -1;
	return pd_hash_map_put(&changes->newest, start, changes->nr);
}

uint64_t pd_code_time(struct pd_state *state, const struct pd_map *map, uint64_t ip)
{
	uint64_t start, number;
	if (!state->code_changes.nr || !find_function(state, map, ip, &start) ||
	    !pd_hash_map_get(&state->code_changes.newest, start, &number))
		return 0;
	return state->code_changes.items[number - 1].time;
}

/* Copies the bytes of a change that lie in the code, unless a later past change has set them. */
static void apply_change(struct pd_changed_code *code, const struct pd_code_change *change, bool is_past)
{
	const uint8_t *bytes = is_past ? change->new_bytes : change->old_bytes;
	const uint16_t size = is_past ? change->new_size : change->old_size;
	for (uint16_t i = 0; i < size; i++) {
		const uint64_t at = change->address + i - code->start;
		if (at >= code->size || code->known[at] == PD_BYTE_OF_PAST)
			continue;
		code->bytes[at] = bytes[i];
		code->known[at] = is_past ? PD_BYTE_OF_PAST : PD_BYTE_OF_FUTURE;
	}
}

void pd_code_restore(const struct pd_state *state, uint64_t time, struct pd_changed_code *code)
{
	const struct pd_code_changes *changes = &state->code_changes;
	uint64_t number = 0;
	(void)pd_hash_map_get(&changes->newest, code->start, &number);
	/* from the newest change to the oldest: the oldest of those after `time` and the newest of the others decide */
	for (unsigned nr = 0; number && nr < PD_MOST_CHANGES; nr++) {
		const struct pd_code_change *change = &changes->items[number - 1];
		apply_change(code, change, change->time <= time);
		number = change->before;
	}
	code->is_too_often = number != 0;
}

void pd_code_changes_release(struct pd_state *state)
{
	pd_account_give(state->account, PD_USE_FRAMES, state->code_changes.bytes);
	pd_hash_map_release(&state->code_changes.newest);
	pd_free(state->code_changes.items);
}
