/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "perfdata/text.h"
#include "session/state.h"
#include "text/decimal.h"

static struct pd_threads *threads_to_change(struct pd_state *state, struct pd_guest *guest)
{
	return guest ? &guest->threads : &state->threads;
}

void pd_threads_release(struct pd_threads *threads)
{
	pd_hash_map_release(&threads->by_tid);
	pd_hash_map_release(&threads->exited);
}

static int set_default_comm(struct pd_state *state, struct pd_thread *thread)
{
	char name[40] = "swapper";
	char *end = name + strlen(name);
	/* tid 0 is the idle task in a guest, and in the host's first thread; in a later thread it means a task outside
	 * of the recorder's pid namespace */
	thread->comm_set = thread->tid == 0 && (thread->guest || !thread->number);
	if (!thread->comm_set) {
		name[0] = ':';
		end = pd_s64_to(name + 1, thread->tid);
	}
	thread->script_comm = pd_intern_put(state->comms, name, (size_t)(end - name));
	thread->comm = thread->script_comm;
	return thread->comm == UINT32_MAX ? -1 : 0;
}

static int init_maps(struct pd_state *state, struct pd_thread *thread)
{
	if (thread->pid != thread->tid && thread->pid != -1) {
		const struct pd_thread *leader = pd_thread_get(state, thread->pid, thread->pid);
		if (!leader)
			return -1;
		thread->maps = leader->maps;
		thread->maps->users++;
		return 0;
	}
	thread->maps = pd_arena_calloc(&state->arena, 1, sizeof *thread->maps);
	if (!thread->maps)
		return -1;
	thread->maps->users = 1;
	pd_maps_exec(&state->store, thread->maps);
	return 0;
}

/* Sets the pid of a thread that was known only by its tid: the thread joins its process. */
static int learn_pid(struct pd_state *state, struct pd_thread *thread, int32_t pid)
{
	if (pid == -1 || thread->pid != -1)
		return 0;
	thread->pid = pid;
	if (pid == thread->tid)
		return 0;
	thread->maps->users--;
	return init_maps(state, thread);
}

static void remove_thread(struct pd_state *state, struct pd_thread *thread)
{
	struct pd_thread **recent = &state->recent_threads[(uint32_t)thread->tid % PD_RECENT_THREADS];
	if (*recent == thread)
		*recent = NULL;
	pd_hash_map_remove(&threads_to_change(state, thread->guest)->by_tid, (uint32_t)thread->tid);
	thread->maps->users--;
	thread->next_free = state->free_threads;
	state->free_threads = thread;
}

struct pd_thread *pd_thread_find_or_create(struct pd_state *state, int32_t pid, int32_t tid)
{
	struct pd_thread *thread = pd_thread_find(state, tid);
	if (thread && state->inside && pid != -1 && thread->pid != -1 && thread->pid != pid) {
		/* the kernel has reused the tid */
		remove_thread(state, thread);
		thread = NULL;
	}
	if (thread)
		return learn_pid(state, thread, pid) < 0 ? NULL : thread;
	thread = state->free_threads;
	if (thread)
		state->free_threads = thread->next_free;
	else
		thread = pd_arena_alloc(&state->arena, sizeof *thread);
	if (!thread)
		return NULL;
	*thread = (struct pd_thread){ .pid = pid, .tid = tid, .guest = state->guest, .number = state->nr_threads++ };
	struct pd_threads *threads = threads_to_change(state, state->guest);
	if (set_default_comm(state, thread) < 0 ||
	    pd_hash_map_put(&threads->by_tid, (uint32_t)tid, (uint64_t)(uintptr_t)thread) < 0)
		return NULL;
	if (init_maps(state, thread) < 0 || (state->inside && pd_inside_new_thread(state, thread) < 0)) {
		pd_hash_map_remove(&threads->by_tid, (uint32_t)tid);
		return NULL;
	}
	uint64_t exited;
	if (!thread->comm_set && pd_hash_map_get(&threads->exited, (uint32_t)tid, &exited)) {
		thread->comm = (uint32_t)(exited >> 32);
		thread->number = (uint32_t)exited;
	}
	return thread;
}

uint32_t pd_thread_comm(struct pd_state *state, int32_t tid, bool as_script)
{
	const struct pd_thread *thread = pd_thread_find(state, tid);
	const struct pd_threads *threads = state->guest ? &state->guest->threads : &state->threads;
	uint64_t exited;

	if (thread)
		return as_script ? thread->script_comm : thread->comm;
	return !as_script && pd_hash_map_get(&threads->exited, (uint32_t)tid, &exited) ? (uint32_t)(exited >> 32)
											 : PERFDATA_NONE;
}

int pd_thread_exit(struct pd_state *state, struct pd_thread *thread)
{
	struct pd_hash_map *exited = &threads_to_change(state, thread->guest)->exited;
	const uint64_t kept = (uint64_t)thread->comm << 32 | thread->number;
	/* tid 0 may be any task outside of the recorder's pid namespace; simpleperf forgets exited threads */
	const bool keeps = thread->comm_set && thread->tid > 0 && !state->inside;
	const uint32_t tid = (uint32_t)thread->tid;

	remove_thread(state, thread);
	return keeps ? pd_hash_map_put(exited, tid, kept) : 0;
}

int pd_thread_set_comm(struct pd_state *state, struct pd_thread *thread, const void *comm, size_t size)
{
	uint32_t id = pd_intern_put(state->comms, comm, size < PD_NAME_LIMIT ? size : PD_NAME_LIMIT);
	if (id == UINT32_MAX)
		return -1;
	thread->comm = thread->script_comm = id;
	thread->comm_set = true;
	return 0;
}

int pd_thread_fork(struct pd_state *state, const struct perfdata_task *task, bool copy_maps)
{
	if (state->inside && pd_inside_ignores_fork(task))
		return 0;
	struct pd_thread *old = pd_thread_find(state, task->tid);
	struct pd_thread *parent = pd_thread_get(state, task->ppid, task->ptid);
	if (!parent)
		return -1;
	if (parent->pid != task->ppid) {
		/* the EXIT record of the former owner of this tid was lost */
		if (old == parent)
			old = NULL;
		remove_thread(state, parent);
		parent = pd_thread_get(state, task->ppid, task->ptid);
		if (!parent)
			return -1;
	}
	/* a thread that is its own parent replaces the old one, too: tasks outside of the pid namespace share tid 0 */
	const struct pd_thread was = *parent;
	if (old)
		remove_thread(state, old);
	pd_hash_map_remove(&threads_to_change(state, state->guest)->exited, (uint32_t)task->tid);
	struct pd_thread *child = pd_thread_get(state, task->pid, task->tid);
	if (!child)
		return -1;
	if (child == parent && !old)
		return 0;
	if (was.comm_set) {
		child->comm = child->script_comm = was.comm;
		child->comm_set = true;
	}
	if (copy_maps && child->pid != was.pid)
		pd_maps_copy(&state->store, child->maps, was.maps);
	return 0;
}
