/* SPDX-License-Identifier: MIT */
/* Threads of recordings of simpleperf, where its rules differ from perf's. */
#include "config.h"
#include "session/state.h"

#define PAGE 4096u

bool pd_inside_ignores_fork(const struct perfdata_task *task)
{
	return task->tid == task->ptid || (task->pid != task->tid && task->pid != task->ppid);
}

/* Maps the pages that have the symbols of a symbol map. */
static int map_symbols(struct pd_state *state, struct pd_thread *thread, struct pd_inside_file *file)
{
	const struct pd_dso_key key = { .kind = PERFDATA_DSO_USER, .filename = (const char *)file->path.data,
					.filename_size = file->path.size, .pid = -1 };
	struct pd_map map = { .identity = true, .dso = pd_dso_get(state, &key) };

	if (map.dso == PERFDATA_NONE || pd_inside_open(state->inside, file) < 0)
		return -1;
	for (uint32_t i = 0; i <= file->count; i++) {
		const struct pd_inside_symbol *symbol = i < file->count ? &file->items[i] : NULL;
		const uint64_t start = symbol ? symbol->address / PAGE * PAGE : UINT64_MAX;
		uint64_t end;
		if (map.end && start > map.end && pd_maps_insert(&state->store, thread->maps, &map) < 0)
			return -1;
		if (!symbol)
			break;
		if (__builtin_add_overflow(symbol->address, symbol->length + PAGE - 1ull, &end))
			end = UINT64_MAX;
		end = end / PAGE * PAGE;
		if (!map.end || start > map.end)
			map.start = start;
		if (end > map.end)
			map.end = end;
	}
	return 0;
}

int pd_inside_new_thread(struct pd_state *state, struct pd_thread *thread)
{
	if (thread->pid != thread->tid) {
		const struct pd_thread *leader = thread->pid == -1 ? NULL : pd_thread_find(state, thread->pid);
		if (leader && leader->comm_set) {
			thread->comm = thread->script_comm = leader->comm;
			thread->comm_set = true;
		}
		return 0;
	}
	struct pd_inside_file *file = pd_inside_map_of(state->inside, thread->pid);
	return file ? map_symbols(state, thread, file) : 0;
}
