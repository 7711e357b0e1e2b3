/* SPDX-License-Identifier: MIT */
/* Allocates and frees the process state of a session. */
#include "config.h"
#include "base/memory.h"
#include "session/state.h"
#include "session/tables/name_loader.h"

struct pd_state *pd_state_new(uint32_t needs, struct pd_account *account)
{
	struct pd_state *state = pd_calloc(1, sizeof *state);
	if (!state)
		return NULL;
	state->seed = pd_hash_seed(state);
	state->dsos.item_size = sizeof(struct pd_dso);
	state->table_ids.item_size = sizeof(struct pd_table_id);
	state->frames.item_size = sizeof(struct perfdata_frame);
	state->account = account;
	state->kernel_dso = PERFDATA_NONE;
	state->comms = pd_intern_new();
	pd_maps_exec(&state->store, &state->kernel);
	/* the idle task exists from the start */
	if (!state->comms || !pd_thread_get(state, 0, 0) || pd_stacks_init(&state->stacks, needs, account) < 0) {
		pd_state_free(state);
		return NULL;
	}
	return state;
}

void pd_state_free(struct pd_state *state)
{
	if (!state)
		return;
	pd_name_loader_free(state->loader);   /* freed first, since its thread reads the state */
	pd_unwinders_free(state);
	pd_threads_release(&state->threads);
	pd_guests_release(state);
	pd_hash_map_release(&state->jitdumps);
	pd_hash_map_release(&state->mount_namespaces);
	pd_intern_free(state->comms);
	pd_table_release(&state->dsos);
	pd_index_release(&state->dso_index);
	pd_hash_map_release(&state->build_ids);
	pd_hash_map_release(&state->same_ids);
	pd_hash_map_release(&state->paths);
	pd_table_release(&state->table_ids);
	pd_frames_release(state);
	pd_code_changes_release(state);
	pd_inside_free(state->inside);
	pd_free(state->leaves.hits);
	pd_stacks_release(&state->stacks);
	pd_arena_release(&state->arena);
	pd_arena_release(&state->store.arena);
	pd_free(state);
}
