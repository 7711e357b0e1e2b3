/* SPDX-License-Identifier: MIT */
/* Threads with their names and maps, virtual machines, and processes that still run here. */
#ifndef PD_PROCESS_H
#define PD_PROCESS_H

#include "base/hash.h"
#include "session/process/maps.h"
#include "perfdata/schema.h"

struct pd_state;

/* --- process/process_threads.c --- */
struct pd_thread {
	int32_t pid, tid;
	uint32_t comm;             /* id for perfdata_session_comm */
	uint32_t script_comm;      /* in perf script: comm, or ":TID" after the thread's EXIT */
	bool comm_set;             /* a record named the thread; else script_comm is ":TID" */
	struct pd_maps *maps;    /* shared by the threads of a process */
	struct pd_guest *guest;    /* the guest that has the thread; NULL: the host */
	uint32_t number;           /* unique among the recording's threads */
	struct pd_thread *next_free;
};

/* The threads of a machine. A thread runs on after its EXIT record until it is switched out for the last time: for the
 * samples until then, perf report shows the thread's name, and perf script a new thread without name and maps. */
struct pd_threads {
	struct pd_hash_map by_tid;      /* tid → struct pd_thread * */
	struct pd_hash_map exited;      /* tid → comm << 32 | number, of the last exited thread of the tid */
};
void pd_threads_release(struct pd_threads *threads);

/* A virtual machine whose records are in the same recording as the host's. */
struct pd_guest {
	int32_t pid;               /* the process that runs the guest; 0: unknown, for records that name no guest */
	char kernel_name[48];      /* its kernel's name in records */
	struct pd_threads threads;
	struct pd_maps kernel;
	struct pd_guest *next;
};

/* The thread of a tid in the current machine, created if there is none. pid -1: unknown. NULL without memory. */
struct pd_thread *pd_thread_find_or_create(struct pd_state *state, int32_t pid, int32_t tid);
/* The name of the thread of a tid (as_script: as perf script shows it). PERFDATA_NONE: no record named it. */
uint32_t pd_thread_comm(struct pd_state *state, int32_t tid, bool as_script);
/* Removes a thread; keeps its name and number for samples that still come. 0 or -1. */
int pd_thread_exit(struct pd_state *state, struct pd_thread *thread);
int pd_thread_set_comm(struct pd_state *state, struct pd_thread *thread, const void *comm, size_t size);
int pd_thread_fork(struct pd_state *state, const struct perfdata_task *task, bool copy_maps);

/* --- process/inside_threads.c, inside_maps.c: where simpleperf's rules differ from perf's --- */
/* Completes a new thread: its name, and the maps of its symbol map. 0 or -1. */
int pd_inside_new_thread(struct pd_state *state, struct pd_thread *thread);
bool pd_inside_ignores_fork(const struct perfdata_task *task);
struct pd_mapping;
/* Takes a mapping of a process. 0 or -1. */
int pd_inside_map_user(struct pd_state *state, const struct pd_mapping *mapping);

/* --- process/guests.c --- */
/* Takes from an ID_INDEX record which counters count for guests. 0 or -1. */
int pd_guests_take(struct pd_state *state, const struct perfdata_id_index *index);
/* Whether a counter counts for a guest; *ret_pid, *ret_vcpu: for which one. */
bool pd_guest_of_id(const struct pd_state *state, uint64_t id, int32_t *ret_pid, int32_t *ret_vcpu);
/* Makes the machine of a record the current one. id: of the record's counter; pid: of the process that the record is
 * about. 0 or -1. */
int pd_guest_enter(struct pd_state *state, unsigned misc, uint64_t id, int32_t pid);
void pd_guests_release(struct pd_state *state);
static inline bool pd_is_guest_mode(unsigned misc)
{
	const unsigned cpumode = misc & PERFDATA_CPUMODE_MASK;
	return cpumode == PERFDATA_CPUMODE_GUEST_KERNEL || cpumode == PERFDATA_CPUMODE_GUEST_USER;
}

/* --- process/code_changes.c: the kernel's code changes while it runs --- */
struct pd_code_change;
struct pd_code_changes {
	struct pd_code_change *items;      /* in order of time */
	size_t nr, room;
	struct pd_hash_map newest;         /* where a function begins → number + 1 of its last change */
	size_t bytes;                      /* bytes of code, for the account */
};
struct perfdata_text_poke;
/* Notes a TEXT_POKE record. 0, or -1 without memory. */
int pd_code_changed(struct pd_state *state, const struct perfdata_text_poke *poke);
/* When the function that has a kernel address changed last; 0: never. `map` has the address. */
uint64_t pd_code_time(struct pd_state *state, const struct pd_map *map, uint64_t ip);
enum pd_byte { PD_BYTE_UNKNOWN, PD_BYTE_OF_FUTURE, PD_BYTE_OF_PAST };
/* The code of one function, by recorded addresses. */
struct pd_changed_code {
	uint64_t start;
	size_t size;
	uint8_t *bytes;
	uint8_t *known;                    /* by byte: the kind of change that set it (enum pd_byte) */
	bool is_too_often;                 /* the function changed more than PD_MOST_CHANGES times: bytes are unknown */
};
#define PD_MOST_CHANGES 1024
/* Sets the bytes to those at `time`, as far as the function's changes have them. */
void pd_code_restore(const struct pd_state *state, uint64_t time, struct pd_changed_code *code);
void pd_code_changes_release(struct pd_state *state);

#endif
