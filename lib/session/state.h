/* SPDX-License-Identifier: MIT */
/* Process state: which thread, under which name, with which memory maps; and the interned dsos, frames and stacks. The
 * session's thread alone changes it; dsos, frames, stacks and comms may be read by any thread that was handed their ids.
 *
 * Rules of who maps what where follow perf, so that its text can be reproduced: tools/perf/util/{machine,thread,maps,map}.c
 * are the behaviour that doc/ARCHITECTURE.md describes. */
#ifndef PD_STATE_H
#define PD_STATE_H

#include <stdatomic.h>
#include "base/arena.h"
#include "base/hash.h"
#include "base/table.h"
#include "session/stacks/known_chains.h"
#include "session/stacks/step_tree.h"
#include "perfdata/session.h"
#include "perfdata/symbols.h"

/* --- process/maps.c: intervals of addresses. Sets are trees that share nodes after a fork and copy them when one side changes, so that
 * a fork costs nothing and a new map costs the logarithm of their number, however they overlap. --- */
struct pd_map {
	uint64_t start, end;       /* [start, end) */
	uint64_t pgoff;            /* file offset of start */
	uint32_t dso;
	bool identity;             /* addresses inside the dso are the addresses themselves */
};
struct pd_map_node;
struct pd_maps {
	struct pd_map_node *root;
	struct pd_map_node *before_exec;  /* of the program that exec replaced: kernel samples from inside exec still show it */
	uint64_t owner;            /* nodes with this owner belong to this set alone */
	uint64_t generation;       /* changes whenever the set does; unique over all sets */
	uint32_t users;            /* threads of the process */
	struct pd_kernel_map *recorded;   /* of a kernel: looked at where the tree has no map; see kernel_maps.c */
	struct pd_kernel_map *kernel;     /* that of `recorded` which is no module's */
};
struct pd_map_store {
	struct pd_arena arena;
	uint64_t next_owner, next_generation;
	uint64_t random;
};
int pd_maps_insert(struct pd_map_store *store, struct pd_maps *maps, const struct pd_map *map);   /* the new one wins */
const struct pd_map *pd_maps_find(const struct pd_maps *maps, uint64_t address);
const struct pd_map *pd_maps_find_before_exec(const struct pd_maps *maps, uint64_t address);
int pd_maps_remove(struct pd_map_store *store, struct pd_maps *maps, uint64_t start);   /* the map that begins there */
void pd_maps_exec(struct pd_map_store *store, struct pd_maps *maps);   /* a new, empty set; the old one is before_exec */
/* `to` becomes a copy of `from`. */
void pd_maps_copy(struct pd_map_store *store, struct pd_maps *to, struct pd_maps *from);
uint64_t pd_map_random(struct pd_map_store *store);   /* the priority of a new node */
static inline uint64_t pd_map_address(const struct pd_map *map, uint64_t ip)
{
	return map->identity ? ip : ip - map->start + map->pgoff;
}

/* --- process/kernel_maps.c --- */
/* Adds a map of a kernel, which takes the place of its former one, or of a module. 0 or -1. */
int pd_kernel_maps_add(struct pd_map_store *store, struct pd_maps *maps, const struct pd_map *map, bool is_kernel);
const struct pd_map *pd_kernel_maps_find(const struct pd_maps *maps, uint64_t address);

/* --- process/process_threads.c --- */
struct pd_thread {
	int32_t pid, tid;
	uint32_t comm;             /* of perfdata_session_comm */
	bool comm_set;             /* by a record; else it is ":TID" */
	struct pd_maps *maps;    /* shared by the threads of a process */
	struct pd_guest *guest;    /* whose thread it is; NULL: the host's */
	uint32_t number;           /* no other thread of the recording has it */
	struct pd_thread *next_free;
};

/* A virtual machine whose records stand beside the host's. */
struct pd_guest {
	int32_t pid;               /* of the process that runs it; 0: that of records which say nothing */
	char kernel_name[48];      /* what its kernel is called in records */
	struct pd_hash_map threads;     /* tid → struct pd_thread * */
	struct pd_maps kernel;
	struct pd_guest *next;
};

/* --- stacks/stacks.c: what chains stand for --- */
/* Steps of a batch. */
struct pd_step_list {
	struct perfdata_step *items;
	size_t count, room;
	uint64_t batch;            /* its number */
};
struct pd_stacks {
	bool with_steps, with_ids, with_nodes;     /* what is asked for */
	struct pd_known_chains known;
	struct pd_stack_ids ids;           /* with_ids */
	struct pd_step_tree nodes;         /* with_nodes */
	struct pd_steps {
		struct perfdata_step *items;
		size_t count, room;
	} scratch;                         /* of the stack that is being put together */
};
int pd_stacks_init(struct pd_stacks *stacks, uint32_t needs, struct pd_account *account);   /* 0, or -1 without memory */
void pd_stacks_release(struct pd_stacks *stacks);

/* Samples by the frame that they lie in; leaves.c. */
struct pd_leaves {
	uint32_t *hits;
	size_t room;
	uint64_t samples, outside;         /* all; those that lie in nothing */
};

struct pd_state {
	uint64_t seed;             /* for hashes */
	struct pd_arena arena;     /* threads, map sets, names: what lives as long as the session */
	struct pd_map_store store;
	enum perfdata_status status;       /* why a frame or a stack is missing */
	struct pd_account *account;
	struct pd_hash_map threads;     /* of the host: tid → struct pd_thread * */
	struct pd_guest *guests;   /* NULL: the recording tells of none */
	struct pd_guest *guest;    /* whose record is at hand; NULL: the host's */
	struct pd_hash_map guest_ids;   /* id of a counter → pid of the guest it counts for, and its virtual CPU << 32 */
	struct pd_thread *free_threads;
	struct pd_intern *comms;
	struct pd_maps kernel;    /* kernel, modules, BPF programs */
	struct pd_table dsos;      /* struct pd_dso */
	struct pd_index dso_index;
	struct pd_hash_map build_ids;   /* hash of a file name → index in table_ids: what the header's table and BUILD_ID records say */
	struct pd_table table_ids; /* struct pd_table_id */
	struct pd_hash_map paths;       /* hash of a file name → the first dso that was a file of that name */
	struct pd_table frames;    /* struct perfdata_frame */
	struct pd_leaves leaves;
	struct pd_index frame_index;
	size_t frames_accounted;
	struct pd_stacks stacks;
	uint32_t nr_threads;       /* that ever were: see perfdata_delivery.thread */
	struct pd_unwinders *unwinders;    /* or NULL */
	struct pd_hash_map jitdumps;    /* pid → struct pd_jitdump * */
	struct pd_hash_map mount_namespaces;    /* pid → inode, from NAMESPACES records */
	uint64_t now;              /* time of the record at hand */
	bool timed;                /* an address was resolved in a way that depends on the time */
	struct pd_address_slot *address_cache;
	uint32_t kernel_dso;       /* or PERFDATA_NONE */
	_Atomic(struct perfdata_symbols_dso *) kernel_symbols;   /* of that dso, for any thread; NULL: none */
	uint64_t kernel_reference; /* address of the reference symbol when recorded; 0: unknown */
	const char *kernel_reference_name;
	const char *kernel_name;   /* what the table of build-ids calls the kernel; NULL: [kernel.kallsyms] */
	const struct perfdata_reader *reader;
	struct perfdata_symbols *symbols;  /* or NULL */
	bool keep_exited;          /* EXIT changes nothing */
	bool use_host;             /* symbols may come from the kernel that runs here */
	int8_t kernel_is_running;  /* 0: not looked at, 1: it is the recorded one, -1: it is not */
};

/* The thread of a tid, of the machine at hand, or NULL. */
static inline struct pd_thread *pd_thread_find(const struct pd_state *state, int32_t tid)
{
	uint64_t value;
	const bool found = pd_hash_map_get(state->guest ? &state->guest->threads : &state->threads, (uint32_t)tid, &value);
	return found ? (struct pd_thread *)(uintptr_t)value : NULL;
}
/* The same, made if there is none. pid -1: unknown. NULL without memory. */
struct pd_thread *pd_thread_find_or_create(struct pd_state *state, int32_t pid, int32_t tid);
static inline struct pd_thread *pd_thread_get(struct pd_state *state, int32_t pid, int32_t tid)
{
	struct pd_thread *thread = pd_thread_find(state, tid);
	return thread && thread->pid != -1 ? thread : pd_thread_find_or_create(state, pid, tid);
}
void pd_thread_remove(struct pd_state *state, struct pd_thread *thread);
int pd_thread_set_comm(struct pd_state *state, struct pd_thread *thread, const void *comm, size_t size);
int pd_thread_fork(struct pd_state *state, const struct perfdata_task *task, bool copy_maps);

/* --- process/guests.c --- */
/* An ID_INDEX record: which counters count for guests. 0 or -1. */
int pd_guests_take(struct pd_state *state, const struct perfdata_id_index *index);
/* Whether a counter counts for a guest, and for which. */
bool pd_guest_of_id(const struct pd_state *state, uint64_t id, int32_t *ret_pid, int32_t *ret_vcpu);
/* Makes the machine of a record the one at hand. id: of its counter; pid: of the process that the record is about. 0 or -1. */
int pd_guest_enter(struct pd_state *state, unsigned misc, uint64_t id, int32_t pid);
void pd_guests_release(struct pd_state *state);
static inline bool pd_is_guest_mode(unsigned misc)
{
	const unsigned cpumode = misc & PERFDATA_CPUMODE_MASK;
	return cpumode == PERFDATA_CPUMODE_GUEST_KERNEL || cpumode == PERFDATA_CPUMODE_GUEST_USER;
}

/* --- naming/dsos.c --- */
struct pd_dso {
	struct perfdata_dso public;
	uint64_t id_words[3];              /* what tells two files of one name apart: maj:min, inode, generation; zeros if unknown */
	struct perfdata_symbols_dso *symbols;  /* NULL: nothing to look up */
	bool symbols_tried;
	bool of_guest;                     /* its paths mean nothing here */
	struct perfdata_symbols_dso *jitdump;  /* PERF_MAP: names that the map does not have; read only for frames with a time */
	uint64_t start, end;               /* where it was mapped first */
	uint8_t build_id[20];
	uint8_t build_id_size;             /* written once, after the bytes */
	uint8_t false_build_id[20];        /* what perf takes for one */
	uint8_t false_build_id_size;
	enum perfdata_build_id_source source;
	int32_t first_pid;                 /* of the process that was seen to map it first; 0: none */
	uint64_t first_time;               /* of the record that told of it first; 0: unknown */
	bool has_namesake;                 /* another file of the same path was mapped, too: the path in a table may mean either */
	uint64_t nr_maps;
	bool in_chain;                     /* see perfdata_session_in_chain */
};
struct pd_table_id {
	const char *filename;
	int32_t pid;
	unsigned cpumode;
	uint8_t build_id[20];
	uint8_t build_id_size;
	enum perfdata_build_id_source source;
};
/* Of a file's or a thread's name, as the session gives it, are so many bytes, which is what the kernel allows a path: names stand in the
 * output many times for each record. The record that told it is given whole. */
#define PD_NAME_LIMIT ((size_t)4095)

struct pd_dso_key {
	enum perfdata_dso_kind kind;
	const char *filename;
	size_t filename_size;
	const uint64_t *id_words;          /* 3; NULL: zeros */
	int32_t pid;
	bool guest;                        /* of a virtual machine */
};
/* The dso of a key, made if new; PERFDATA_NONE without memory. */
uint32_t pd_dso_get(struct pd_state *state, const struct pd_dso_key *key);
static inline struct pd_dso *pd_dso_at(const struct pd_state *state, uint32_t dso) { return pd_table_at(&state->dsos, dso); }
void pd_dso_set_build_id(struct pd_dso *dso, const void *bytes, size_t size, enum perfdata_build_id_source source);
/* An entry of the header's table or a BUILD_ID record. 0 or -1. */
int pd_table_id_add(struct pd_state *state, struct perfdata_bytes filename, struct perfdata_bytes build_id, int32_t pid,
		    unsigned cpumode, enum perfdata_build_id_source source);

/* --- naming/dso_names.c --- */
void pd_dso_find_symbols(struct pd_state *state, struct pd_dso *dso);
struct pd_jitdump;
void pd_identify_jitdump(const struct pd_state *state, const struct pd_jitdump *jitdump, struct perfdata_symbols_request *request);

/* --- naming/host_time.c --- */
/* When a record was made, ns since 1970, if it was made on this host: not before, and not after. INT64_MIN, INT64_MAX: nothing is known. */
struct pd_host_time {
	int64_t first, last;
};
struct pd_host_time pd_host_time(const struct pd_state *state, uint64_t time);
int64_t pd_host_boot_time(void);

/* --- process/host_process.c: processes of the recording that still run here --- */
struct pd_host_process {
	bool runs;                 /* the recorded process, as far as can be seen */
	bool other_files;          /* its paths lead to other files than ours: it is, or was, in another mount namespace */
	uint32_t inner_pid;        /* pid that it has for itself; 0: unknown */
};
/* A NAMESPACES record. 0 or -1. */
int pd_namespaces_take(struct pd_state *state, const struct perfdata_namespaces *record);
/* To be asked only where this host is the recorded one. */
struct pd_host_process pd_host_process(const struct pd_state *state, int32_t pid);

/* --- naming/jit_names.c: jitdump files, for JIT code that no perf map names --- */
struct pd_jitdump {
	uint64_t inode;            /* of the file; 0: unknown */
	const char *filename;      /* as recorded */
	uint32_t namespace_pid;    /* that the process gave itself in the name of the file */
};
/* A process has mapped a file; notes it if it is a jitdump file. 0 or -1. */
int pd_jitdump_mapped(struct pd_state *state, int32_t pid, const char *filename, size_t size, uint64_t inode);
const struct pd_jitdump *pd_jitdump_of(const struct pd_state *state, int32_t pid);   /* or NULL */
/* Since when the code at an address of a PERF_MAP dso has been there; 0: no jitdump file names it, or the perf map does.
 * *ret_timed: the answer may be another one at another time. */
uint64_t pd_jit_time(struct pd_state *state, struct pd_dso *dso, uint64_t address, bool *ret_timed);

/* --- naming/leaves.c --- */

/* Counts a sample; frame may be PERFDATA_NONE. */
void pd_leaf_count(struct pd_state *state, uint32_t frame);

/* --- stacks/frames.c --- */
/* perf shows at most this many steps of a recorded chain, and as many that were unwound (scripting_max_stack). */
#define PD_MAX_STEPS 127u

uint32_t pd_frame_get(struct pd_state *state, const struct perfdata_frame *key);   /* PERFDATA_NONE without memory */
/* The frame of an address as a sample of this thread in this mode sees it; PERFDATA_NONE: nothing is mapped there. */
uint32_t pd_frame_of(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip);
/* … below_kernel: of a chain that began in the kernel, where it may still be of the program that exec is replacing. */
uint32_t pd_frame_seen(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip, bool below_kernel);
/* Of an address whose mode nobody recorded (addr, branches): as the sample's mode sees it, else in the half of the address space that it lies in. */
uint32_t pd_frame_of_data(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t address);
/* Where the steps of a sample's stack come from, in the order of the steps. */
struct pd_chain {
	const struct perfdata_list *recorded;   /* the callchain */
	const struct perfdata_list *deferred;   /* what a deferred chain adds, or NULL */
	const struct perfdata_list *branches;   /* a call stack of branches: takes the place of the user part; or NULL */
	uint64_t ip;                            /* of the sample: the step in front of the branches */
	const uint64_t *unwound;                /* user addresses found by unwinding */
	size_t nr_unwound;
	uint64_t leaf_caller;                   /* what called the first user address and left no frame of its own; 0: unknown */
	const struct pd_chain_key *key;         /* if it was expected, or NULL */
};
/* What a chain stands for. */
struct pd_stack {
	uint32_t steps, nr_steps;          /* in the batch; PERFDATA_NONE, 0: an empty or broken chain */
	uint32_t stack;                    /* its id, or PERFDATA_NONE */
	uint32_t node;                     /* 0: an empty or broken chain */
};
/* 0, or -1: see the state's status. */
int pd_stack_get(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain, struct pd_step_list *to,
		 struct pd_stack *ret);
/* The node of a sample without chain. */
int pd_stack_alone(struct pd_state *state, unsigned cpumode, uint64_t ip, uint32_t frame, uint32_t *ret_node);
/* The steps of a chain, into the scratch. 0 or -1. */
int pd_gather_steps(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain);
/* Marks the dsos of all steps that the stack of a chain would have. */
void pd_chain_mark(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain);
/* Samples that come soon: looking up their stacks one by one is dear, since memory is slow, but it can be asked for many things at once. */
void pd_stack_expect(const struct pd_state *state, const struct pd_thread *thread, const struct perfdata_list *chain,
		     struct pd_chain_key *ret);
void pd_stack_fetch(const struct pd_state *state, const struct pd_chain_key *expected);   /* once all are known */
void pd_frames_release(struct pd_state *state);

/* --- stacks/user_stacks.c --- */
/* Unwinds the user stack of a sample that has registers and stack memory; the number of addresses in *ret_pcs, which are
 * valid until the next call. 0: nothing can be unwound, or there are no symbols. */
size_t pd_unwind(struct pd_state *state, const struct pd_thread *thread, const struct perfdata_sample *sample, const uint64_t **ret_pcs);
/* Frame pointers miss the caller of a function that makes no frame. On aarch64 the link register has it, which perf record keeps then.
 * The address inside that caller, or 0. */
uint64_t pd_unwind_leaf(struct pd_state *state, const struct pd_thread *thread, const struct perfdata_sample *sample,
			const struct perfdata_list *chain);
void pd_unwinders_free(struct pd_state *state);

/* --- process/state.c --- */
/* NULL without memory. needs: enum perfdata_needs. */
struct pd_state *pd_state_new(uint32_t needs, struct pd_account *account);
void pd_state_free(struct pd_state *state);
/* Follows one record other than a sample. 0, or -1 without memory. */
int pd_state_record(struct pd_state *state, const struct perfdata_record *record);

#endif
