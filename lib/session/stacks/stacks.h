/* SPDX-License-Identifier: MIT */
/* Frames of addresses, and steps of call chains. */
#ifndef PD_STACKS_H
#define PD_STACKS_H

#include "symbols/unwind/unwind.h"
#include "session/process/process.h"
#include "session/stacks/address_cache.h"
#include "session/stacks/known_chains.h"
#include "session/stacks/step_tree.h"
#include "perfdata/session.h"

/* --- stacks/stacks.c: from chains to stacks --- */
/* Steps of a batch. */
struct pd_step_list {
	struct perfdata_step *items;
	size_t count, room;
	uint64_t batch;            /* number of the batch */
};
struct pd_stacks {
	bool with_steps, with_ids, with_nodes, with_cuts;     /* what the session needs */
	struct pd_known_chains known;
	struct pd_stack_ids ids;           /* used if with_ids */
	struct pd_step_tree nodes;         /* used if with_nodes */
	struct pd_steps {
		struct perfdata_step *items;
		size_t count, room;
	} scratch;                         /* the steps of the current stack */
};
/* 0, or -1 without memory */
int pd_stacks_init(struct pd_stacks *stacks, uint32_t needs, struct pd_account *account);
void pd_stacks_release(struct pd_stacks *stacks);
/* Frees data that only further chains need. Call it when none follow. */
void pd_stacks_finish(struct pd_stacks *stacks);

/* --- stacks/frames.c --- */
/* A record holds at most this many addresses, so recorded chains are whole. */
#define PD_MAX_STEPS 8192u
/* perf looks at this many addresses of a chain, and drops a chain with an unknown marker among them. */
#define PD_PERF_STEPS 127u
/* A copied stack has at most 64 KiB: this many frames of 64 bytes. */
#define PD_MAX_UNWOUND 1023u

uint32_t pd_frame_get(struct pd_state *state, const struct perfdata_frame *key);   /* PERFDATA_NONE without memory */
/* The frame of an address, in the view of a sample of this thread in this mode; PERFDATA_NONE: nothing is mapped
 * there. */
uint32_t pd_frame_of(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip);
/* Prefetches what pd_frame_of will read. */
void pd_frame_expect(const struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip);
/* The place for the node of a sample that is this address alone, 0 at first; frame: what pd_frame_of returned for it.
 * Valid until the next look-up. NULL: there is none, since the frame depends on the time, or for lack of room. */
uint32_t *pd_frame_alone(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip,
			 uint32_t frame);
/* As pd_frame_of. below_kernel: the chain began in the kernel, so that during exec the address may be of the old
 * program. */
uint32_t pd_frame_seen(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip,
		       bool below_kernel);
/* The frame of an address whose mode was not recorded (addr, branches): in the sample's mode, else in the half of the
 * address space in which it lies. */
uint32_t pd_frame_of_data(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t address);
/* As pd_frame_of_data, for the ends of branches: two frames for each entry, from and to. */
void pd_frames_of_branches(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode,
			   const struct perfdata_list *entries, uint32_t *ret);
/* The sources of a sample's steps, in the order of the steps. */
struct pd_chain {
	const struct perfdata_list *recorded;   /* the callchain */
	const struct perfdata_list *deferred;   /* what a deferred chain adds, or NULL */
	/* a call stack of branches, which replaces the user part; or NULL */
	const struct perfdata_list *branches;
	uint64_t ip;                            /* the sample's address, the step before `branches` */
	const uint64_t *unwound;                /* user addresses found by unwinding */
	size_t nr_unwound;
	bool is_cut;                            /* the last unwound step has a caller above the recorded memory */
	/* the caller of the first user address, which the chain lacks; 0: unknown */
	uint64_t leaf_caller;
	const struct pd_chain_key *key;         /* from pd_stack_expect, or NULL */
	const struct pd_steps_ahead *ahead;     /* from pd_stack_fetch_paths, or NULL */
	unsigned cpumode;                       /* cpumode of the sample */
};
/* The last addresses of a recorded chain, in one mode: callers, outermost first. */
struct pd_callers {
	const struct perfdata_list *chain;
	uint64_t begin, end;
	uint64_t through;               /* of the maps and the mode */
	uint16_t cpumode;
};
/* False: there are none. */
bool pd_callers_begin(const struct pd_state *state, const struct pd_thread *thread, const struct perfdata_list *chain,
		      struct pd_callers *ret);
/* Returns how many steps it wrote, at most `most`; fewer at the end, and before an address that is not in the cache of
 * addresses. Changes nothing in the state. */
size_t pd_callers_next(const struct pd_state *state, struct pd_callers *callers, struct perfdata_step *ret,
		       size_t most);
/* A resolved chain. */
struct pd_stack {
	uint32_t steps, nr_steps;          /* place in the batch; PERFDATA_NONE, 0: an empty or broken chain */
	uint32_t stack;                    /* its id, or PERFDATA_NONE */
	uint32_t node;                     /* 0: an empty or broken chain */
};
/* Whether the cpumode is that of a kernel (of the host or a guest) or of a hypervisor. */
static inline bool pd_is_outside_user(unsigned cpumode)
{
	return cpumode == PERFDATA_CPUMODE_KERNEL || cpumode == PERFDATA_CPUMODE_HYPERVISOR ||
	       cpumode == PERFDATA_CPUMODE_GUEST_KERNEL;
}

/* Whether a stack that begins with this step lacks the sample's own address: an event with exclude_callchain_kernel has
 * samples in the kernel whose chain has only the callers in user space. With a call stack of branches, the first step
 * is that address, but as one of user space; then the address replaces the step, otherwise it comes before. */
static inline bool pd_steps_lack_leaf(const struct perfdata_step *first, unsigned cpumode, uint64_t address)
{
	return address && pd_is_outside_user(cpumode) && first->cpumode == PERFDATA_CPUMODE_USER &&
	       (first->ip != address || first->origin == PERFDATA_STEP_BRANCH);
}

/* Resolves a chain. 0, or -1: see the state's status. */
int pd_stack_get(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain,
		 struct pd_step_list *to, struct pd_stack *ret);
/* Finds the node of a sample without a chain; frame: that of its address. */
int pd_stack_alone(struct pd_state *state, const struct pd_thread *thread, unsigned cpumode, uint64_t ip,
		   uint32_t frame, uint32_t *ret_node);
/* Gathers the steps of a chain in the scratch. 0 or -1. */
int pd_gather_steps(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain);
/* --- stacks/inside_steps.c: the same by the rules of simpleperf --- */
int pd_inside_gather(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain);
/* Whether the chain alone determines the stack: it begins with the sample's own address. */
bool pd_inside_is_usual(const struct pd_chain *chain);

/* Marks the dsos of all steps that the stack of a chain would have. */
void pd_chain_mark(struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain);
/* Announces the chain of a sample that comes soon, so that many prefetches run at once: one look-up after the other
 * would wait for memory each time. */
void pd_stack_expect(const struct pd_state *state, const struct pd_thread *thread, const struct pd_chain *chain,
		     struct pd_chain_key *ret);
/* Call it when all are announced. True: the cache lacks the chain, and the tree of stacks is large; then call
 * pd_stack_fetch_paths for all such chains, at most PD_STACKS_AHEAD. */
bool pd_stack_fetch(const struct pd_state *state, const struct pd_thread *thread, const struct pd_chain_key *expected,
		    struct pd_steps_ahead *ret);
void pd_stack_fetch_paths(const struct pd_state *state, struct pd_steps_ahead *paths, size_t nr);
void pd_frames_release(struct pd_state *state);
/* Frees data that only further look-ups of addresses need. Call it when none follow. */
void pd_frames_finish(struct pd_state *state);

/* --- stacks/user_stacks.c --- */
/* Unwinds the user stack of a sample that has registers and stack memory, and puts its addresses into the chain; they
 * stay valid until the next call. Adds none where the stack cannot be unwound or there are no symbols. */
void pd_unwind(struct pd_state *state, const struct pd_thread *thread, const struct perfdata_raw *raw,
	       const struct perfdata_sample *sample, struct pd_chain *chain);
/* Deeper stacks are unwound in their turn. */
#define PD_MAX_AHEAD 255u
/* A user stack that any thread may unwind ahead of its turn. The result depends on the sample and on the maps of its
 * process. Records before the sample may change these maps meanwhile: in its turn, the session drops the result if an
 * address that the stack needed may have another map. */
struct pd_unwinding {
	const struct pd_state *state;
	enum perfdata_arch machine;             /* the recorded architecture */
	const struct pd_maps *maps;
	struct pd_unwind_modules *modules;
	enum perfdata_unwind_arch arch;
	const uint8_t *stack;                   /* the sample's; NULL: the stack has to be unwound in its turn */
	bool needs_turn;
	bool has_unmapped, has_jit;             /* looked at an address without a map, of a JIT compiler's code */
	struct perfdata_unwind_map last_map;    /* found last for this stack; empty: none */
	bool is_cut;
	uint64_t generation, replaced;          /* of the maps before the work */
	size_t nr_pcs;
	uint64_t pcs[PD_MAX_AHEAD];
};
/* Prepares to unwind a sample of this thread; false: it must be unwound in its turn. In the session's thread. */
bool pd_unwinding_begin(struct pd_state *state, const struct pd_thread *thread, struct pd_unwinding *ret);
/* Unwinds; any thread. */
void pd_unwinding_run(struct pd_unwinding *unwinding, const struct perfdata_raw *raw);
/* Releases the result; in the session's thread. */
void pd_unwinding_end(struct pd_unwinding *unwinding);

/* Frame pointers miss the caller of a function that makes no frame. On aarch64 the link register has that caller, and
 * perf record keeps the register. Returns the address inside the caller, or 0. */
uint64_t pd_unwind_leaf(struct pd_state *state, const struct pd_thread *thread, const struct perfdata_sample *sample,
			const struct perfdata_list *chain);
void pd_unwinders_free(struct pd_state *state);

#endif
