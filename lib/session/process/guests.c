/* SPDX-License-Identifier: MIT */
/* Virtual machines. `perf kvm` and `perf inject --guest-data` mix records of guests with records of the host: their
 * cpumode distinguishes them, and the index of ids (ID_INDEX) says to which guest a record belongs. A guest has threads
 * and kernel maps of its own. As in perf, the session follows guests once the index names one. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "session/state.h"

static struct pd_guest *find_guest(const struct pd_state *state, int32_t pid)
{
	struct pd_guest *guest = state->guests;
	while (guest && guest->pid != pid)
		guest = guest->next;
	return guest;
}

/* Every guest has a thread that represents the whole guest, and an idle thread. */
static int add_first_threads(struct pd_state *state, const struct pd_guest *guest)
{
	char comm[32];
	struct pd_thread *thread = pd_thread_get(state, -1, guest->pid);
	const int size = snprintf(comm, sizeof comm, "[guest/%d]", guest->pid);
	if (!thread || pd_thread_set_comm(state, thread, comm, (size_t)size) < 0)
		return -1;
	return pd_thread_get(state, 0, 0) ? 0 : -1;
}

static struct pd_guest *get_guest(struct pd_state *state, int32_t pid)
{
	struct pd_guest *guest = find_guest(state, pid);
	if (guest)
		return guest;
	guest = pd_arena_calloc(&state->arena, 1, sizeof *guest);
	if (!guest)
		return NULL;
	guest->pid = pid;
	if (pid)
		snprintf(guest->kernel_name, sizeof guest->kernel_name, "[guest.kernel.kallsyms.%d]", pid);
	else
		snprintf(guest->kernel_name, sizeof guest->kernel_name, "[guest.kernel.kallsyms]");
	pd_maps_exec(&state->store, &guest->kernel);
	guest->next = state->guests;
	state->guests = guest;
	struct pd_guest *before = state->guest;
	state->guest = guest;
	const int added = add_first_threads(state, guest);
	state->guest = before;
	return added < 0 ? NULL : guest;
}

int pd_guests_take(struct pd_state *state, const struct perfdata_id_index *index)
{
	for (uint64_t i = 0; i < index->guests.count && i < index->entries.count; i++) {
		struct perfdata_id_index_entry entry;
		struct perfdata_id_index_guest guest;
		perfdata_list_get(&index->entries, i, &entry, sizeof entry);
		perfdata_list_get(&index->guests, i, &guest, sizeof guest);
		if (!guest.machine_pid)
			continue;
		const uint64_t value = (uint32_t)guest.machine_pid | (uint64_t)guest.vcpu << 32;
		if (!get_guest(state, (int32_t)guest.machine_pid) ||
		    pd_hash_map_put(&state->guest_ids, entry.id, value) < 0)
			return -1;
	}
	return 0;
}

bool pd_guest_of_id(const struct pd_state *state, uint64_t id, int32_t *ret_pid, int32_t *ret_vcpu)
{
	uint64_t value;
	if (!pd_hash_map_get(&state->guest_ids, id, &value))
		return false;
	*ret_pid = (int32_t)(uint32_t)value;
	*ret_vcpu = (int32_t)(value >> 32);
	return true;
}

int pd_guest_enter(struct pd_state *state, unsigned misc, uint64_t id, int32_t pid)
{
	int32_t vcpu;
	state->guest = NULL;
	if (!state->guests || !pd_is_guest_mode(misc))
		return 0;
	(void)pd_guest_of_id(state, id, &pid, &vcpu);
	state->guest = find_guest(state, pid);
	if (!state->guest)
		state->guest = get_guest(state, 0);
	return state->guest ? 0 : -1;
}

void pd_guests_release(struct pd_state *state)
{
	for (struct pd_guest *guest = state->guests; guest; guest = guest->next)
		pd_threads_release(&guest->threads);
	pd_hash_map_release(&state->guest_ids);
}
