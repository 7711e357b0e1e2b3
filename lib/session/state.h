/* SPDX-License-Identifier: MIT */
/* Process state: threads with their names and maps, and the interned dsos, frames and stacks. Only the session's thread
 * changes it. A thread that has received the id of a dso, frame, stack or comm may read it.
 *
 * The rules for threads and maps follow perf, so that the library can reproduce perf's text: doc/ARCHITECTURE.md
 * describes the behaviour of tools/perf/util/{machine,thread,maps,map}.c. */
#ifndef PD_STATE_H
#define PD_STATE_H

#include <stdatomic.h>
#include "base/arena.h"
#include "base/hash.h"
#include "base/table.h"
#include "session/naming/inside.h"
#include "session/naming/naming.h"
#include "session/process/process.h"
#include "session/stacks/stacks.h"
#include "session/tables/leaves.h"
#include "perfdata/session.h"
#include "perfdata/symbols.h"

#define PD_RECENT_THREADS 64u      /* a power of two */
struct pd_state {
	uint64_t seed;             /* for hashes */
	struct pd_arena arena;     /* threads, map sets, names: data that lives as long as the session */
	struct pd_map_store store;
	enum perfdata_status status;       /* why a frame or a stack is missing */
	struct pd_account *account;
	struct pd_threads threads; /* threads of the host */
	struct pd_guest *guests;   /* NULL: the recording has no guests */
	struct pd_guest *guest;    /* the machine of the current record; NULL: the host */
	/* id of a counter → pid of its guest, and the virtual CPU << 32 */
	struct pd_hash_map guest_ids;
	struct pd_thread *free_threads;
	/* threads that were looked up last, by tid; NULL: none, or the thread was removed */
	struct pd_thread *recent_threads[PD_RECENT_THREADS];
	struct pd_intern *comms;
	struct pd_maps kernel;    /* kernel, modules, BPF programs */
	struct pd_table dsos;      /* struct pd_dso */
	struct pd_index dso_index;
	/* hash of a file name → index of its entry in table_ids */
	struct pd_hash_map build_ids;
	struct pd_table table_ids; /* struct pd_table_id */
	struct pd_hash_map same_ids;    /* hash of a build-id → the last dso with it, see pd_dso.same_id */
	struct pd_hash_map paths;       /* hash of a file name → the first dso of that name */
	struct pd_table frames;    /* struct perfdata_frame */
	struct pd_leaves leaves;
	struct pd_name_loader *loader;     /* NULL: no emitter needs names at its end */
	atomic_bool has_new_symbols;       /* a dso got symbols, which the loader does not know yet */
	struct pd_index frame_index;
	size_t frames_accounted;
	struct pd_stacks stacks;
	uint32_t nr_threads;       /* number of threads so far: see perfdata_delivery.thread */
	struct pd_unwinders *unwinders;    /* or NULL */
	const struct pd_unwinding *unwinding;   /* result for the current sample, made ahead of its turn; or NULL */
	/* held by other threads that read maps, and by the session's thread where it changes maps; NULL: no other
	 * thread reads them */
	struct pd_monitor *maps_lock;
	struct pd_hash_map jitdumps;    /* pid → struct pd_jitdump * */
	atomic_bool has_jitdumps;    /* `jitdumps` has entries; any thread */
	struct pd_hash_map mount_namespaces;    /* pid → inode, from NAMESPACES records */
	struct pd_code_changes code_changes;
	uint64_t now;              /* time of the current record */
	bool timed;                /* the last result for an address depended on the time */
	struct pd_address_cache addresses;
	uint32_t kernel_dso;       /* or PERFDATA_NONE */
	_Atomic(struct perfdata_symbols_dso *) kernel_symbols;   /* symbols of kernel_dso, for any thread; NULL: none */
	uint64_t kernel_reference; /* address of the reference symbol when recorded; 0: unknown */
	const char *kernel_reference_name;
	const char *kernel_name;   /* the kernel's name in the table of build-ids; NULL: [kernel.kallsyms] */
	const struct perfdata_reader *reader;
	/* the recording's own names, and with them the rules of simpleperf for addresses, threads and stacks; NULL:
	 * perf's rules */
	struct pd_inside *inside;
	struct perfdata_symbols *symbols;  /* or NULL */
	size_t failures_before;            /* failures of `symbols` before this session, since sessions share it */
	bool keep_exited;          /* EXIT leaves threads as they are */
	bool no_host;              /* do not take symbols from the kernel that runs here */
	int8_t kernel_is_running;  /* 0: not tested yet, 1: it is the recorded kernel, -1: it is not */
	struct perfdata_error error;       /* `status` in words, if its status is set */
};

/* The thread of a tid in the current machine, or NULL. */
static inline struct pd_thread *pd_thread_find(struct pd_state *state, int32_t tid)
{
	struct pd_thread **recent = &state->recent_threads[(uint32_t)tid % PD_RECENT_THREADS];
	uint64_t value;
	if (*recent && (*recent)->tid == tid && (*recent)->guest == state->guest)
		return *recent;
	if (!pd_hash_map_get(state->guest ? &state->guest->threads.by_tid : &state->threads.by_tid, (uint32_t)tid,
			     &value))
		return NULL;
	return *recent = (struct pd_thread *)(uintptr_t)value;
}
/* As pd_thread_find, but creates the thread if there is none. pid -1: unknown. NULL without memory. */
static inline struct pd_thread *pd_thread_get(struct pd_state *state, int32_t pid, int32_t tid)
{
	struct pd_thread *thread = pd_thread_find(state, tid);
	const bool is_same = thread && thread->pid != -1 && (!state->inside || pid == -1 || thread->pid == pid);
	return is_same ? thread : pd_thread_find_or_create(state, pid, tid);
}
static inline struct pd_dso *pd_dso_at(const struct pd_state *state, uint32_t dso)
{
	return pd_table_at(&state->dsos, dso);
}

/* --- delivery/session_state.c --- */
/* NULL without memory. needs: enum perfdata_needs. */
struct pd_state *pd_state_new(uint32_t needs, struct pd_account *account);
void pd_state_free(struct pd_state *state);

/* --- process/state.c --- */
/* Updates the state by a record other than a sample. 0, or -1 without memory. */
int pd_state_record(struct pd_state *state, const struct perfdata_record *record);

#endif
